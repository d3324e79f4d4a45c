//! Tests of sessions: rotation never creates two valid sessions, codes are valid once, and errors reveal nothing.

use std::time::Instant;

use futures_util::future::join_all;
use serde_json::json;

use super::waiting;
use crate::harness::Harness;
use crate::harness::people::PASSWORD;

#[tokio::test]
async fn twenty_concurrent_refreshes_get_the_same_successor() {
    let harness = Harness::new().await;
    let person = harness.partner("Nordsee Kassen").await;
    let calls =
        (0..20).map(|_| harness.call("auth_sessions_refresh").cookie(&person.refresh).json(&json!({})).expect(200));
    let answers = join_all(calls).await;
    let successor = answers[0].cookie();
    assert_ne!(successor, person.refresh);
    assert!(answers.iter().all(|answer| answer.cookie() == successor), "a second line of tokens began");
    harness.call("auth_sessions_refresh").cookie(&successor).json(&json!({})).expect(200).await;
}

#[tokio::test]
async fn refresh_cookie_is_rejected_from_foreign_origin() {
    let harness = Harness::new().await;
    let person = harness.partner("Nordsee Kassen").await;
    let host = harness.base_url.trim_start_matches("http://");
    for origin in
        ["https://evil.example", "null", &format!("http://{host}.evil.example"), &format!("http://evil.{host}")]
    {
        for operation in ["auth_sessions_refresh", "auth_sessions_sign_out"] {
            let call = harness.call(operation).cookie(&person.refresh).header("origin", origin).json(&json!({}));
            let refused = call.expect(401).await;
            assert_eq!(refused.header("set-cookie"), "", "{operation} from {origin}: nobody is signed out by it");
        }
    }
    let own = harness.call("auth_sessions_refresh").cookie(&person.refresh).header("origin", &harness.base_url);
    assert_ne!(own.json(&json!({})).expect(200).await.cookie(), person.refresh, "nothing was spent meanwhile");
}

#[tokio::test]
async fn reused_refresh_token_ends_session_with_event_and_mail() {
    let harness = Harness::new().await;
    let person = harness.partner("Nordsee Kassen").await;
    let first =
        harness.call("auth_sessions_refresh").cookie(&person.refresh).json(&json!({})).expect(200).await.cookie();
    let second = harness.call("auth_sessions_refresh").cookie(&first).json(&json!({})).expect(200).await.cookie();
    let reused = harness.call("auth_sessions_refresh").cookie(&person.refresh).json(&json!({})).expect(401).await;
    assert_eq!(reused.code(), "REFRESH_REUSED");
    assert!(reused.cookie().is_empty(), "the cookie is cleared");
    harness.call("auth_sessions_refresh").cookie(&second).json(&json!({})).expect(401).await;
    assert_eq!(harness.number("select count(*) from security_event where kind = 'REFRESH_REUSED'").await, 1);
    assert_eq!(
        harness
            .number(&format!(
                "select count(*) from mail_message where person_uuid = '{}' and kind like '%SECURITY%'",
                person.uuid
            ))
            .await,
        1
    );
}

#[tokio::test]
async fn excessive_refreshes_are_rate_limited_without_ending_sessions() {
    let harness = Harness::new().await;
    let person = harness.partner("Nordsee Kassen").await;
    let other = harness.partner("Weser Software").await;
    let renewed =
        async |cookie: &str| harness.call("auth_sessions_refresh").cookie(cookie).json(&json!({})).send().await;
    let mut cookies = [person.refresh, harness.sign_in(&person.email).await.refresh];
    let (begun, mut let_in) = (Instant::now(), 0);
    let refused = loop {
        let answer = renewed(&cookies[let_in % 2]).await;
        if answer.status != 200 {
            break answer;
        }
        cookies[let_in % 2] = answer.cookie();
        let_in += 1;
    };
    let most = 61 + usize::try_from(begun.elapsed().as_secs()).unwrap();
    assert!((60..=most).contains(&let_in), "{let_in}");
    assert_eq!((refused.status, refused.code(), refused.str("budget")), (429, "RATE_LIMITED", "burst"));
    let wait: u64 = refused.header("retry-after").parse().unwrap();
    assert!((1..=2).contains(&wait), "{wait}");
    assert_eq!(renewed(&other.refresh).await.status, 200, "others are not kept waiting");
    for cookie in &cookies {
        harness.soon("it goes on where it was", async || renewed(cookie).await.status == 200).await;
    }
}

#[tokio::test]
async fn replaced_refresh_token_is_valid_for_ten_seconds() {
    let harness = Harness::new().await;
    let person = harness.partner("Nordsee Kassen").await;
    let next =
        harness.call("auth_sessions_refresh").cookie(&person.refresh).json(&json!({})).expect(200).await.cookie();
    harness.advance(9).await;
    let again =
        harness.call("auth_sessions_refresh").cookie(&person.refresh).json(&json!({})).expect(200).await.cookie();
    assert_eq!(again, next);
    harness.advance(2).await;
    harness.call("auth_sessions_refresh").cookie(&person.refresh).json(&json!({})).expect(401).await;
}

#[tokio::test]
async fn replaced_token_is_judged_by_database_clock() {
    let harness = Harness::new().await;
    let person = harness.partner("Nordsee Kassen").await;
    harness.call("auth_sessions_refresh").cookie(&person.refresh).json(&json!({})).expect(200).await;
    harness
        .sql(
            "create or replace function labs_now() returns timestamptz language sql stable
             as 'select pg_catalog.now() + interval ''11 seconds'''",
        )
        .await;
    let late = harness.call("auth_sessions_refresh").cookie(&person.refresh).json(&json!({})).expect(401).await;
    assert_eq!(late.code(), "REFRESH_REUSED");
}

#[tokio::test]
async fn access_token_expires_with_its_session() {
    let harness = Harness::new().await;
    let person = harness.partner("Nordsee Kassen").await;
    harness.sql("update session set expires_at = labs_now() + interval '100 seconds'").await;
    let token = harness.call("auth_sessions_refresh").cookie(&person.refresh).json(&json!({})).expect(200).await;
    assert!(matches!(token.json["expires_in"].as_i64(), Some(90..=100)), "{}", token.text());
    harness.advance(101).await;
    harness.call("system_me_get").token(token.str("access_token")).expect(401).await;
}

#[tokio::test]
async fn sixteen_concurrent_uses_of_one_code_succeed_once() {
    let harness = Harness::new().await;
    let staff = harness.staff("Otto Operator", &["labs.admin.overview"]).await;
    let secret = staff.totp.clone().unwrap();
    harness.advance(30).await;
    let challenges = join_all((0..16).map(|_| {
        harness.call("auth_sessions_create").json(&json!({ "email": staff.email, "password": PASSWORD })).expect(401)
    }))
    .await;
    let code = harness.code(&secret);
    let tries = challenges.iter().map(|asked| {
        harness
            .call("auth_sessions_verify_mfa")
            .json(&json!({ "challenge": asked.str("challenge"), "code": code }))
            .send()
    });
    let wins = join_all(tries).await.iter().filter(|answer| answer.status == 200).count();
    assert_eq!(wins, 1);
}

#[tokio::test]
async fn rejection_without_cookie_does_not_clear_cookie() {
    let harness = Harness::new().await;
    for operation in ["auth_sessions_refresh", "auth_sessions_sign_out"] {
        let without = harness.call(operation).json(&json!({})).expect(401).await;
        assert_eq!(without.header("set-cookie"), "", "{operation}: no cookie came, so none was judged");
        let with = harness.call(operation).cookie("of-no-use").json(&json!({})).expect(401).await;
        assert!(with.cookie().is_empty(), "{operation}: the cookie is cleared");
    }
}

#[tokio::test]
async fn sixteen_concurrent_uses_of_mailed_token_succeed_once() {
    let harness = Harness::new().await;
    let email = "ada@weser-software.example";
    let body = json!({ "company_name": "Weser Software", "country": "DE", "accept_terms": true,
        "administrator": { "name": "Ada Weser", "email": email, "password": PASSWORD } });
    harness.call("auth_registrations_create").json(&body).expect(202).await;
    let token = harness.mailed_token(email).await;
    let tries = (0..16).map(|_| {
        harness.call("auth_registrations_verify_email").json(&json!({ "token": token, "password": PASSWORD })).send()
    });
    let wins = join_all(tries).await.iter().filter(|answer| answer.status == 200).count();
    assert_eq!(wins, 1);
}

#[tokio::test]
async fn wrong_password_and_unknown_address_get_equal_errors() {
    let harness = Harness::new().await;
    let person = harness.partner("Nordsee Kassen").await;
    let known = harness
        .call("auth_sessions_create")
        .json(&json!({ "email": person.email, "password": "wrong wrong wrong" }))
        .expect(401)
        .await;
    let unknown = harness
        .call("auth_sessions_create")
        .json(&json!({ "email": "nobody@nowhere.example", "password": "wrong wrong wrong" }))
        .expect(401)
        .await;
    let told = |answer: &crate::harness::Answer| (answer.code().to_owned(), answer.str("detail").to_owned());
    assert_eq!(told(&known), told(&unknown));
    assert_eq!(known.code(), "INVALID_CREDENTIALS");
}

#[tokio::test]
async fn concurrent_wrong_passwords_are_checked_one_at_a_time() {
    let harness = Harness::new().await;
    let person = harness.partner("Nordsee Kassen").await;
    let many =
        format!("insert into sign_in_failure (subject, failures) values ('account:{}@127.0.0.1', 60)", person.email);
    harness.sql(&many).await;
    let held = harness.hold("select from sign_in_failure for update").await;
    // Both attempts are admitted and checked before the first failure is counted, which blocks the account.
    let meanwhile = async {
        harness.until(&waiting("insert into sign_in_failure"), 2).await;
        held.roll_back().await;
    };
    let wrong = json!({ "email": person.email, "password": "wrong wrong wrong" });
    let tries = join_all((0..2).map(|_| harness.call("auth_sessions_create").json(&wrong).send()));
    let (answers, ()) = tokio::join!(tries, meanwhile);
    let mut codes: Vec<&str> = answers.iter().map(|answer| answer.code()).collect();
    codes.sort_unstable();
    assert_eq!(codes, ["INVALID_CREDENTIALS", "RATE_LIMITED"]);
    let failed = "select count(*) from security_event where kind = 'SIGN_IN' and outcome = 'FAILED'";
    assert_eq!(harness.number(failed).await, 1);
}

#[tokio::test]
async fn registering_known_address_responds_equally_and_notifies_owner() {
    let harness = Harness::new().await;
    let person = harness.partner("Nordsee Kassen").await;
    let body = json!({ "company_name": "Another", "country": "DE", "accept_terms": true,
        "administrator": { "name": "Mara Vogel", "email": person.email, "password": PASSWORD } });
    harness.call("auth_registrations_create").json(&body).expect(202).await;
    assert_eq!(harness.number("select count(*) from partner").await, 1, "no second partner came of it");
    assert_eq!(harness.number("select count(*) from mail_message where kind like '%ALREADY%'").await, 1);
}

#[tokio::test]
async fn signed_out_session_ends_within_one_second() {
    let harness = Harness::new().await;
    let person = harness.partner("Nordsee Kassen").await;
    harness.call("auth_sessions_sign_out").cookie(&person.refresh).json(&json!({})).expect(200).await;
    let ended = Instant::now();
    while harness.call("system_me_get").token(&person.token).send().await.status != 401 {
        assert!(ended.elapsed().as_millis() < 1500, "a signed-out token was still good");
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    }
}
