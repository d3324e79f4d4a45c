//! Tests of recovery codes: each is valid once, at every operation that accepts it and under concurrent use.

use futures_util::future::join_all;
use serde_json::json;

use super::{swift, waiting};
use crate::harness::people::{PASSWORD, Person};
use crate::harness::{Call, Harness};

/// Maximum concurrent transactions of a replica: two of its seven connections are reserved for jobs and readiness checks.
const AT_ONCE: i64 = 5;

/// Enrols an authenticator and returns the recovery codes.
async fn codes(harness: &Harness, person: &Person) -> Vec<String> {
    let enrolled = harness.call("auth_mfa_enrol_totp").token(&person.token).expect(201).await;
    let first = json!({ "code": harness.code(enrolled.str("secret")) });
    let confirmed = harness.call("auth_mfa_confirm_totp").token(&person.token).json(&first).expect(200).await;
    let codes = confirmed.json["recovery_codes"].as_array().unwrap().iter();
    codes.map(|code| code.as_str().unwrap().to_owned()).collect()
}

/// Starts a separate sign-in and returns its second step.
async fn second_step<'h>(harness: &'h Harness, person: &Person, code: &str) -> Call<'h> {
    let first = json!({ "email": person.email, "password": PASSWORD });
    let asked = harness.call("auth_sessions_create").json(&first).expect(401).await;
    harness.call("auth_sessions_verify_mfa").json(&json!({ "challenge": asked.str("challenge"), "code": code }))
}

fn again<'h>(harness: &'h Harness, person: &Person, code: &str) -> Call<'h> {
    harness.call("auth_sessions_reauthenticate").token(&person.token).json(&json!({ "code": code }))
}

async fn codes_left(harness: &Harness, person: &Person) -> i64 {
    let account = harness.call("auth_account_get").token(&person.token).expect(200).await;
    account.json["recovery_codes_left"].as_i64().unwrap()
}

#[tokio::test]
async fn concurrent_uses_of_recovery_code_in_two_operations_succeed_once() {
    let harness = swift().await;
    let person = harness.partner("Nordsee Kassen").await;
    let codes = codes(&harness, &person).await;
    let mut uses = Vec::new();
    for _ in 0..8 {
        uses.push(second_step(&harness, &person, &codes[0]).await);
        uses.push(again(&harness, &person, &codes[0]));
    }
    // As many requests as possible are in progress before the first code is checked.
    let held =
        harness.hold(format!("select from person where person_uuid = '{}' for no key update", person.uuid)).await;
    let meanwhile = async {
        harness.until(&waiting("from person"), AT_ONCE).await;
        held.roll_back().await;
    };
    let (answers, ()) = tokio::join!(join_all(uses.into_iter().map(Call::send)), meanwhile);
    assert_eq!(answers.iter().filter(|answer| answer.status == 200).count(), 1);
    for lost in answers.iter().filter(|answer| answer.status != 200) {
        let is_refused = matches!(lost.code(), "INVALID_CREDENTIALS" | "VALIDATION_FAILED" | "RATE_LIMITED");
        assert!(is_refused, "{}: {} {}", lost.operation, lost.status, lost.text());
    }
    assert_eq!(codes_left(&harness, &person).await, 9);
    assert_eq!(harness.number("select count(*) from security_event where kind = 'RECOVERY_CODE_USED'").await, 1);
    assert_eq!(
        harness.number("select count(*) from mail_message where kind = 'SECURITY'").await,
        2,
        "the factor, the code"
    );
}

#[tokio::test]
async fn ten_concurrent_recovery_codes_all_succeed() {
    let harness = swift().await;
    let person = harness.partner("Nordsee Kassen").await;
    let mut uses = Vec::new();
    for code in codes(&harness, &person).await {
        uses.push(second_step(&harness, &person, &code).await);
    }
    for used in join_all(uses.into_iter().map(Call::send)).await {
        assert_eq!(used.status, 200, "{}", used.text());
    }
    assert_eq!(codes_left(&harness, &person).await, 0);
}
