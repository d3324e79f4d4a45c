//! Recovery codes: each is good once, at whichever door and however often it comes at once.

use futures_util::future::join_all;
use serde_json::json;

use super::{swift, waiting};
use crate::house::people::{PASSWORD, Person};
use crate::house::{Call, House};

/// Transactions that a replica has under way at most: of its six connections, one listens and one is left to the jobs.
const AT_ONCE: i64 = 4;

/// Has an authenticator in force; the recovery codes that come with it.
async fn codes(house: &House, person: &Person) -> Vec<String> {
    let enrolled = house.call("auth_mfa_enrol_totp").token(&person.token).expect(201).await;
    let first = json!({ "code": house.code(enrolled.str("secret")) });
    let confirmed = house.call("auth_mfa_confirm_totp").token(&person.token).json(&first).expect(200).await;
    let codes = confirmed.json["recovery_codes"].as_array().unwrap().iter();
    codes.map(|code| code.as_str().unwrap().to_owned()).collect()
}

/// The second step of a sign-in of its own.
async fn second_step<'h>(house: &'h House, person: &Person, code: &str) -> Call<'h> {
    let first = json!({ "email": person.email, "password": PASSWORD });
    let asked = house.call("auth_sessions_create").json(&first).expect(401).await;
    house.call("auth_sessions_verify_mfa").json(&json!({ "challenge": asked.str("challenge"), "code": code }))
}

fn again<'h>(house: &'h House, person: &Person, code: &str) -> Call<'h> {
    house.call("auth_sessions_reauthenticate").token(&person.token).json(&json!({ "code": code }))
}

async fn codes_left(house: &House, person: &Person) -> i64 {
    let account = house.call("auth_account_get").token(&person.token).expect(200).await;
    account.json["recovery_codes_left"].as_i64().unwrap()
}

#[tokio::test]
async fn of_sixteen_uses_of_one_recovery_code_at_two_doors_exactly_one_wins() {
    let house = swift().await;
    let person = house.partner("Nordsee Kassen").await;
    let codes = codes(&house, &person).await;
    let mut uses = Vec::new();
    for _ in 0..8 {
        uses.push(second_step(&house, &person, &codes[0]).await);
        uses.push(again(&house, &person, &codes[0]));
    }
    // As many as can be are under way before the first is judged.
    let held = house.hold(format!("select from person where person_uuid = '{}' for no key update", person.uuid)).await;
    let meanwhile = async {
        house.until(&waiting("from person"), AT_ONCE).await;
        held.roll_back().await;
    };
    let (answers, ()) = tokio::join!(join_all(uses.into_iter().map(Call::send)), meanwhile);
    assert_eq!(answers.iter().filter(|answer| answer.status == 200).count(), 1);
    for lost in answers.iter().filter(|answer| answer.status != 200) {
        let is_refused = matches!(lost.code(), "INVALID_CREDENTIALS" | "VALIDATION_FAILED" | "RATE_LIMITED");
        assert!(is_refused, "{}: {} {}", lost.operation, lost.status, lost.text());
    }
    assert_eq!(codes_left(&house, &person).await, 9);
    assert_eq!(house.number("select count(*) from security_event where kind = 'RECOVERY_CODE_USED'").await, 1);
    assert_eq!(
        house.number("select count(*) from mail_message where kind = 'SECURITY'").await,
        2,
        "the factor, the code"
    );
}

#[tokio::test]
async fn ten_recovery_codes_at_once_are_each_good() {
    let house = swift().await;
    let person = house.partner("Nordsee Kassen").await;
    let mut uses = Vec::new();
    for code in codes(&house, &person).await {
        uses.push(second_step(&house, &person, &code).await);
    }
    for used in join_all(uses.into_iter().map(Call::send)).await {
        assert_eq!(used.status, 200, "{}", used.text());
    }
    assert_eq!(codes_left(&house, &person).await, 0);
}
