//! Tests of passwords: reset through a mail, changed with the current password, and all other sessions revoked
//! afterwards.

use futures_util::future::join_all;
use serde_json::{Value, json};

use super::{faults, refreshed, swift, token_for, wait_until_refused, waiting};
use crate::harness::people::{PASSWORD, Person};
use crate::harness::{Answer, Harness};

const NEW: &str = "nine herons under the pier";
const CONFIRM: &str = "/v1/auth/password-resets:confirm";

async fn request(harness: &Harness, email: &str) -> Answer {
    harness.call("auth_passwords_request_reset").json(&json!({ "email": email })).send().await
}

async fn confirm(harness: &Harness, token: &str, password: &str) -> Answer {
    let body = json!({ "token": token, "password": password });
    harness.call("auth_passwords_confirm_reset").json(&body).send().await
}

async fn change(harness: &Harness, person: &Person, current: &str, new: &str) -> Answer {
    let body = json!({ "current_password": current, "new_password": new });
    harness.call("auth_passwords_change").token(&person.token).json(&body).send().await
}

async fn sign_in(harness: &Harness, email: &str, password: &str) -> u16 {
    harness.call("auth_sessions_create").json(&json!({ "email": email, "password": password })).send().await.status
}

async fn events(harness: &Harness, kind: &str) -> i64 {
    harness
        .number(&format!("select count(*) from security_event where kind = '{kind}' and outcome = 'SUCCEEDED'"))
        .await
}

#[tokio::test]
async fn mailed_token_sets_new_password_and_ends_every_session() {
    let harness = swift().await;
    let person = harness.partner("Nordsee Kassen").await;
    let other = harness.sign_in(&person.email).await;
    let receipt = request(&harness, &person.email.to_uppercase()).await;
    assert_eq!((receipt.status, receipt.str("status")), (202, "RESET_SENT"));
    let token = token_for(&harness, &person.email, CONFIRM, 1).await;
    let reset = confirm(&harness, &token, NEW).await;
    assert_eq!((reset.status, reset.str("status")), (200, "PASSWORD_RESET"), "{}", reset.text());
    for session in [&person, &other] {
        wait_until_refused(&harness, &session.token).await;
        harness.call("auth_sessions_refresh").cookie(&session.refresh).json(&json!({})).expect(401).await;
    }
    assert_eq!(sign_in(&harness, &person.email, PASSWORD).await, 401);
    assert_eq!(sign_in(&harness, &person.email, NEW).await, 200);
    assert_eq!((events(&harness, "PASSWORD_RESET_REQUESTED").await, events(&harness, "PASSWORD_RESET").await), (1, 1));
    assert_eq!(harness.number("select count(*) from mail_message where kind = 'SECURITY'").await, 1);
    assert_eq!(faults(&confirm(&harness, &token, NEW).await), [("/token", "INVALID")]);
}

#[tokio::test]
async fn known_and_unknown_addresses_get_equal_responses() {
    let harness = swift().await;
    let person = harness.partner("Nordsee Kassen").await;
    let before = harness.number("select count(*) from mail_message").await;
    let mut unknown = request(&harness, "nobody@nowhere.example").await;
    assert_eq!(harness.number("select count(*) from mail_message").await, before);
    assert_eq!(harness.number("select count(*) from one_time_token where purpose = 'RESET_PASSWORD'").await, 0);
    let mut known = request(&harness, &person.email).await;
    for answer in [&mut known, &mut unknown] {
        answer.json["email"] = Value::Null;
    }
    assert_eq!((known.status, &known.json), (unknown.status, &unknown.json));
    assert_eq!(known.headers.len(), unknown.headers.len());
    harness.sql(&format!("update person set state = 'LOCKED' where person_uuid = '{}'", person.uuid)).await;
    assert_eq!(request(&harness, &person.email).await.status, 202);
    assert_eq!(harness.number("select count(*) from mail_message where kind = 'RESET_PASSWORD'").await, 1);
    assert_eq!(harness.number("select count(*) from security_event where kind = 'PASSWORD_RESET_REQUESTED'").await, 3);
}

#[tokio::test]
async fn sixteen_concurrent_uses_of_reset_token_succeed_once() {
    let harness = swift().await;
    let person = harness.partner("Nordsee Kassen").await;
    request(&harness, &person.email).await;
    let token = token_for(&harness, &person.email, CONFIRM, 1).await;
    let passwords: Vec<String> = (0..16).map(|number| format!("{NEW} number {number}")).collect();
    let answers = join_all(passwords.iter().map(|password| confirm(&harness, &token, password))).await;
    let winners: Vec<usize> =
        answers.iter().enumerate().filter(|(_, answer)| answer.status == 200).map(|(at, _)| at).collect();
    assert_eq!(winners.len(), 1);
    assert!(answers.iter().all(|answer| answer.status == 200 || faults(answer) == [("/token", "INVALID")]));
    assert_eq!(sign_in(&harness, &person.email, &passwords[winners[0]]).await, 200);
    assert_eq!(events(&harness, "PASSWORD_RESET").await, 1);
}

#[tokio::test]
async fn rejected_password_does_not_consume_token() {
    let harness = swift().await;
    let person = harness.partner("Nordsee Kassen").await;
    request(&harness, &person.email).await;
    let token = token_for(&harness, &person.email, CONFIRM, 1).await;
    for (password, code) in [("password1234", "TOO_COMMON"), (person.email.as_str(), "IS_EMAIL")] {
        assert_eq!(faults(&confirm(&harness, &token, password).await), [("/password", code)]);
    }
    for (password, code) in [("password1234", "TOO_COMMON"), ("short", "TOO_SHORT")] {
        let refused = confirm(&harness, "labs_ot_no_such_token", password).await;
        let mut told = faults(&refused);
        told.sort_unstable();
        assert_eq!(
            told,
            [("/password", code), ("/token", "INVALID")],
            "a void token keeps nothing else from being told"
        );
    }
    assert_eq!(confirm(&harness, &token, NEW).await.status, 200);
}

#[tokio::test]
async fn every_void_token_is_rejected_with_same_error() {
    let harness = swift().await;
    let person = harness.partner("Nordsee Kassen").await;
    for _ in 0..2 {
        request(&harness, &person.email).await;
    }
    let token = token_for(&harness, &person.email, CONFIRM, 2).await;
    let unknown = confirm(&harness, "labs_ot_no_such_token", NEW).await;
    let lock = |state: &str| format!("update person set state = '{state}' where person_uuid = '{}'", person.uuid);
    harness.sql(&lock("LOCKED")).await;
    let locked = confirm(&harness, &token, NEW).await;
    harness.sql(&lock("ACTIVE")).await;
    harness.advance(3601).await;
    let late = confirm(&harness, &token, NEW).await;
    for answer in [&unknown, &locked, &late] {
        assert_eq!((answer.status, faults(answer)), (422, vec![("/token", "INVALID")]));
        assert_eq!(answer.json["errors"], unknown.json["errors"]);
    }
    assert_eq!(sign_in(&harness, &person.email, PASSWORD).await, 200, "nothing was changed");
}

#[tokio::test]
async fn reset_voids_other_tokens_and_clears_failures() {
    let harness = swift().await;
    let person = harness.partner("Nordsee Kassen").await;
    request(&harness, &person.email).await;
    let first = token_for(&harness, &person.email, CONFIRM, 1).await;
    request(&harness, &person.email).await;
    let second = token_for(&harness, &person.email, CONFIRM, 2).await;
    for _ in 0..6 {
        assert_eq!(sign_in(&harness, &person.email, "wrong wrong wrong").await, 401);
    }
    assert_eq!(sign_in(&harness, &person.email, PASSWORD).await, 429);
    let elsewhere = format!(
        "insert into sign_in_failure (subject, failures, held_until)
         values ('account:{}@192.0.2.9', 60, labs_now() + interval '15 minutes')",
        person.email
    );
    harness.sql(&elsewhere).await;
    assert_eq!(confirm(&harness, &first, NEW).await.status, 200);
    assert_eq!(harness.number("select count(*) from sign_in_failure where account is not null").await, 0);
    assert_eq!(confirm(&harness, &second, PASSWORD).await.status, 422);
    assert_eq!(sign_in(&harness, &person.email, NEW).await, 200, "whoever reset the password is not held back");
}

#[tokio::test]
async fn address_gets_five_reset_mails_per_hour() {
    let harness = swift().await;
    let person = harness.partner("Nordsee Kassen").await;
    for number in 0..8 {
        let email = if number % 2 == 0 { person.email.clone() } else { person.email.to_uppercase() };
        assert_eq!(request(&harness, &email).await.status, 202);
    }
    let mails = "select count(*) from mail_message where kind = 'RESET_PASSWORD'";
    assert_eq!(harness.number(mails).await, 5);
    harness.advance(3601).await;
    request(&harness, &person.email).await;
    assert_eq!(harness.number(mails).await, 6);
}

#[tokio::test]
async fn concurrent_reset_requests_send_at_most_five_mails() {
    let harness = swift().await;
    let person = harness.partner("Nordsee Kassen").await;
    for _ in 0..4 {
        request(&harness, &person.email).await;
    }
    let held = harness.hold("select from person for update").await;
    let meanwhile = async {
        harness.until(&waiting(""), 3).await;
        held.roll_back().await;
    };
    let (answers, ()) = tokio::join!(join_all((0..3).map(|_| request(&harness, &person.email))), meanwhile);
    assert!(answers.iter().all(|answer| answer.status == 202));
    assert_eq!(harness.number("select count(*) from mail_message where kind = 'RESET_PASSWORD'").await, 5);
}

#[tokio::test]
async fn challenge_of_old_password_is_void_after_reset() {
    let harness = swift().await;
    let staff = harness.staff("Otto Operator", &["labs.admin.overview"]).await;
    let body = json!({ "email": staff.email, "password": PASSWORD });
    let asked = harness.call("auth_sessions_create").json(&body).expect(401).await;
    request(&harness, &staff.email).await;
    let token = token_for(&harness, &staff.email, CONFIRM, 1).await;
    assert_eq!(confirm(&harness, &token, NEW).await.status, 200);
    harness.advance(30).await;
    let code = harness.code(staff.totp.as_ref().unwrap());
    let body = json!({ "challenge": asked.str("challenge"), "code": code });
    harness.call("auth_sessions_verify_mfa").json(&body).expect(401).await;
    let body = json!({ "email": staff.email, "password": NEW });
    assert_eq!(harness.call("auth_sessions_create").json(&body).expect(401).await.code(), "MFA_REQUIRED");
}

#[tokio::test]
async fn invited_staff_member_chooses_password_and_enrols_factor() {
    let harness = swift().await;
    let staff = harness.staff("Otto Operator", &["labs.admin.overview"]).await;
    request(&harness, &staff.email).await;
    let token = token_for(&harness, &staff.email, CONFIRM, 1).await;
    harness
        .sql(&format!(
            "update person set state = 'INVITED', password_hash = null where person_uuid = '{0}';
             update one_time_token set purpose = 'STAFF_INVITATION' where purpose = 'RESET_PASSWORD';
             delete from totp_factor where person_uuid = '{0}'",
            staff.uuid
        ))
        .await;
    assert_eq!(confirm(&harness, &token, NEW).await.status, 200);
    let body = json!({ "email": staff.email, "password": NEW });
    let signed_in = harness.call("auth_sessions_create").json(&body).expect(200).await;
    let me = harness.call("system_me_get").token(signed_in.str("access_token")).expect(200).await;
    assert_eq!(me.json["scopes"], json!(["auth.account:write"]), "nothing else works before a factor is enrolled");
    assert_eq!(events(&harness, "INVITATION_ACCEPTED").await, 1);
}

#[tokio::test]
async fn password_change_keeps_only_current_session() {
    let harness = swift().await;
    let person = harness.partner("Nordsee Kassen").await;
    let other = harness.sign_in(&person.email).await;
    request(&harness, &person.email).await;
    let token = token_for(&harness, &person.email, CONFIRM, 1).await;
    harness.advance(601).await;
    let person = refreshed(&harness, &person).await;
    assert_eq!(change(&harness, &person, PASSWORD, NEW).await.status, 204);
    harness.call("auth_sessions_refresh").cookie(&other.refresh).json(&json!({})).expect(401).await;
    harness.call("system_me_get").token(&person.token).expect(200).await;
    refreshed(&harness, &person).await;
    assert_eq!(confirm(&harness, &token, PASSWORD).await.status, 422, "a token for the old password is void");
    assert_eq!(sign_in(&harness, &person.email, PASSWORD).await, 401);
    assert_eq!(sign_in(&harness, &person.email, NEW).await, 200);
    assert_eq!(events(&harness, "PASSWORD_CHANGED").await, 1);
    assert_eq!(harness.number("select count(*) from mail_message where kind = 'SECURITY'").await, 1);
}

#[tokio::test]
async fn password_change_reports_errors_of_both_passwords() {
    let harness = swift().await;
    let person = harness.partner("Nordsee Kassen").await;
    let wrong = change(&harness, &person, "wrong wrong wrong", NEW).await;
    assert_eq!((wrong.status, faults(&wrong)), (422, vec![("/current_password", "WRONG_PASSWORD")]));
    assert_eq!(faults(&change(&harness, &person, PASSWORD, PASSWORD).await), [("/new_password", "SAME")]);
    assert_eq!(faults(&change(&harness, &person, PASSWORD, "password1234").await), [("/new_password", "TOO_COMMON")]);
    assert_eq!(sign_in(&harness, &person.email, PASSWORD).await, 200);
    for _ in 0..6 {
        change(&harness, &person, "wrong wrong wrong", NEW).await;
    }
    assert_eq!(change(&harness, &person, PASSWORD, NEW).await.code(), "RATE_LIMITED");
}

#[tokio::test]
async fn sixteen_concurrent_password_changes_succeed_once() {
    let harness = swift().await;
    let person = harness.partner("Nordsee Kassen").await;
    let passwords: Vec<String> = (0..16).map(|number| format!("{NEW} number {number}")).collect();
    let answers = join_all(passwords.iter().map(|password| change(&harness, &person, PASSWORD, password))).await;
    let won: Vec<usize> =
        answers.iter().enumerate().filter(|(_, answer)| answer.status == 204).map(|(at, _)| at).collect();
    assert_eq!(won.len(), 1, "{:?}", answers.iter().map(|answer| answer.status).collect::<Vec<_>>());
    assert_eq!(sign_in(&harness, &person.email, &passwords[won[0]]).await, 200);
}
