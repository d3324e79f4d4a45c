//! Passwords: reset by whoever reads the mail, changed by whoever knows them, and every other door closed after it.

use futures_util::future::join_all;
use serde_json::{Value, json};

use super::{faults, refreshed, swift, token_for, wait_until_refused, waiting};
use crate::house::people::{PASSWORD, Person};
use crate::house::{Answer, House};

const NEW: &str = "nine herons under the pier";
const CONFIRM: &str = "/v1/auth/password-resets:confirm";

async fn request(house: &House, email: &str) -> Answer {
    house.call("auth_passwords_request_reset").json(&json!({ "email": email })).send().await
}

async fn confirm(house: &House, token: &str, password: &str) -> Answer {
    let body = json!({ "token": token, "password": password });
    house.call("auth_passwords_confirm_reset").json(&body).send().await
}

async fn change(house: &House, person: &Person, current: &str, new: &str) -> Answer {
    let body = json!({ "current_password": current, "new_password": new });
    house.call("auth_passwords_change").token(&person.token).json(&body).send().await
}

async fn sign_in(house: &House, email: &str, password: &str) -> u16 {
    house.call("auth_sessions_create").json(&json!({ "email": email, "password": password })).send().await.status
}

async fn events(house: &House, kind: &str) -> i64 {
    house.number(&format!("select count(*) from security_event where kind = '{kind}' and outcome = 'SUCCEEDED'")).await
}

#[tokio::test]
async fn a_token_from_the_mail_sets_a_new_password_and_ends_every_session() {
    let house = swift().await;
    let person = house.partner("Nordsee Kassen").await;
    let other = house.sign_in(&person.email).await;
    let receipt = request(&house, &person.email.to_uppercase()).await;
    assert_eq!((receipt.status, receipt.str("status")), (202, "RESET_SENT"));
    let token = token_for(&house, &person.email, CONFIRM, 1).await;
    let reset = confirm(&house, &token, NEW).await;
    assert_eq!((reset.status, reset.str("status")), (200, "PASSWORD_RESET"), "{}", reset.text());
    for session in [&person, &other] {
        wait_until_refused(&house, &session.token).await;
        house.call("auth_sessions_refresh").cookie(&session.refresh).json(&json!({})).expect(401).await;
    }
    assert_eq!(sign_in(&house, &person.email, PASSWORD).await, 401);
    assert_eq!(sign_in(&house, &person.email, NEW).await, 200);
    assert_eq!((events(&house, "PASSWORD_RESET_REQUESTED").await, events(&house, "PASSWORD_RESET").await), (1, 1));
    assert_eq!(house.number("select count(*) from mail_message where kind = 'SECURITY'").await, 1);
    assert_eq!(faults(&confirm(&house, &token, NEW).await), [("/token", "INVALID")]);
}

#[tokio::test]
async fn known_and_unknown_addresses_are_answered_alike_and_only_the_mail_differs() {
    let house = swift().await;
    let person = house.partner("Nordsee Kassen").await;
    let before = house.number("select count(*) from mail_message").await;
    let mut unknown = request(&house, "nobody@nowhere.example").await;
    assert_eq!(house.number("select count(*) from mail_message").await, before);
    assert_eq!(house.number("select count(*) from one_time_token where purpose = 'RESET_PASSWORD'").await, 0);
    let mut known = request(&house, &person.email).await;
    for answer in [&mut known, &mut unknown] {
        answer.json["email"] = Value::Null;
    }
    assert_eq!((known.status, &known.json), (unknown.status, &unknown.json));
    assert_eq!(known.headers.len(), unknown.headers.len());
    house.sql(&format!("update person set state = 'LOCKED' where person_uuid = '{}'", person.uuid)).await;
    assert_eq!(request(&house, &person.email).await.status, 202);
    assert_eq!(house.number("select count(*) from mail_message where kind = 'RESET_PASSWORD'").await, 1);
    assert_eq!(house.number("select count(*) from security_event where kind = 'PASSWORD_RESET_REQUESTED'").await, 3);
}

#[tokio::test]
async fn of_sixteen_uses_of_one_reset_token_exactly_one_wins() {
    let house = swift().await;
    let person = house.partner("Nordsee Kassen").await;
    request(&house, &person.email).await;
    let token = token_for(&house, &person.email, CONFIRM, 1).await;
    let passwords: Vec<String> = (0..16).map(|number| format!("{NEW} number {number}")).collect();
    let answers = join_all(passwords.iter().map(|password| confirm(&house, &token, password))).await;
    let winners: Vec<usize> =
        answers.iter().enumerate().filter(|(_, answer)| answer.status == 200).map(|(at, _)| at).collect();
    assert_eq!(winners.len(), 1);
    assert!(answers.iter().all(|answer| answer.status == 200 || faults(answer) == [("/token", "INVALID")]));
    assert_eq!(sign_in(&house, &person.email, &passwords[winners[0]]).await, 200);
    assert_eq!(events(&house, "PASSWORD_RESET").await, 1);
}

#[tokio::test]
async fn a_password_that_is_refused_does_not_use_up_the_token() {
    let house = swift().await;
    let person = house.partner("Nordsee Kassen").await;
    request(&house, &person.email).await;
    let token = token_for(&house, &person.email, CONFIRM, 1).await;
    for (password, code) in [("password1234", "TOO_COMMON"), (person.email.as_str(), "IS_EMAIL")] {
        assert_eq!(faults(&confirm(&house, &token, password).await), [("/password", code)]);
    }
    assert_eq!(confirm(&house, &token, NEW).await.status, 200);
}

#[tokio::test]
async fn a_void_token_is_refused_in_the_same_words_whatever_is_wrong_with_it() {
    let house = swift().await;
    let person = house.partner("Nordsee Kassen").await;
    for _ in 0..2 {
        request(&house, &person.email).await;
    }
    let token = token_for(&house, &person.email, CONFIRM, 2).await;
    let unknown = confirm(&house, "labs_ot_no_such_token", NEW).await;
    let lock = |state: &str| format!("update person set state = '{state}' where person_uuid = '{}'", person.uuid);
    house.sql(&lock("LOCKED")).await;
    let locked = confirm(&house, &token, NEW).await;
    house.sql(&lock("ACTIVE")).await;
    house.advance(3601).await;
    let late = confirm(&house, &token, NEW).await;
    for answer in [&unknown, &locked, &late] {
        assert_eq!((answer.status, faults(answer)), (422, vec![("/token", "INVALID")]));
        assert_eq!(answer.json["errors"], unknown.json["errors"]);
    }
    assert_eq!(sign_in(&house, &person.email, PASSWORD).await, 200, "nothing was changed");
}

#[tokio::test]
async fn one_reset_voids_the_other_tokens_and_forgives_failures() {
    let house = swift().await;
    let person = house.partner("Nordsee Kassen").await;
    request(&house, &person.email).await;
    let first = token_for(&house, &person.email, CONFIRM, 1).await;
    request(&house, &person.email).await;
    let second = token_for(&house, &person.email, CONFIRM, 2).await;
    for _ in 0..6 {
        assert_eq!(sign_in(&house, &person.email, "wrong wrong wrong").await, 401);
    }
    assert_eq!(sign_in(&house, &person.email, PASSWORD).await, 429);
    let elsewhere = format!(
        "insert into sign_in_failure (subject, failures, held_until)
         values ('account:{}@192.0.2.9', 60, labs_now() + interval '15 minutes')",
        person.email
    );
    house.sql(&elsewhere).await;
    assert_eq!(confirm(&house, &first, NEW).await.status, 200);
    assert_eq!(house.number("select count(*) from sign_in_failure where account is not null").await, 0);
    assert_eq!(confirm(&house, &second, PASSWORD).await.status, 422);
    assert_eq!(sign_in(&house, &person.email, NEW).await, 200, "whoever reset the password is not held back");
}

#[tokio::test]
async fn an_address_gets_five_such_mails_an_hour() {
    let house = swift().await;
    let person = house.partner("Nordsee Kassen").await;
    for number in 0..8 {
        let email = if number % 2 == 0 { person.email.clone() } else { person.email.to_uppercase() };
        assert_eq!(request(&house, &email).await.status, 202);
    }
    let mails = "select count(*) from mail_message where kind = 'RESET_PASSWORD'";
    assert_eq!(house.number(mails).await, 5);
    house.advance(3601).await;
    request(&house, &person.email).await;
    assert_eq!(house.number(mails).await, 6);
}

#[tokio::test]
async fn of_many_requests_at_once_no_more_than_five_are_mailed() {
    let house = swift().await;
    let person = house.partner("Nordsee Kassen").await;
    for _ in 0..4 {
        request(&house, &person.email).await;
    }
    let held = house.hold("select from person for update").await;
    let meanwhile = async {
        house.until(&waiting(""), 3).await;
        held.roll_back().await;
    };
    let (answers, ()) = tokio::join!(join_all((0..3).map(|_| request(&house, &person.email))), meanwhile);
    assert!(answers.iter().all(|answer| answer.status == 202));
    assert_eq!(house.number("select count(*) from mail_message where kind = 'RESET_PASSWORD'").await, 5);
}

#[tokio::test]
async fn a_challenge_of_the_old_password_is_void_after_a_reset() {
    let house = swift().await;
    let staff = house.staff("Otto Operator", &["labs.admin.overview"]).await;
    let body = json!({ "email": staff.email, "password": PASSWORD });
    let asked = house.call("auth_sessions_create").json(&body).expect(401).await;
    request(&house, &staff.email).await;
    let token = token_for(&house, &staff.email, CONFIRM, 1).await;
    assert_eq!(confirm(&house, &token, NEW).await.status, 200);
    house.advance(30).await;
    let code = house.code(staff.totp.as_ref().unwrap());
    let body = json!({ "challenge": asked.str("challenge"), "code": code });
    house.call("auth_sessions_verify_mfa").json(&body).expect(401).await;
    let body = json!({ "email": staff.email, "password": NEW });
    assert_eq!(house.call("auth_sessions_create").json(&body).expect(401).await.code(), "MFA_REQUIRED");
}

#[tokio::test]
async fn somebody_invited_to_the_staff_chooses_a_password_and_is_led_to_a_factor() {
    let house = swift().await;
    let staff = house.staff("Otto Operator", &["labs.admin.overview"]).await;
    request(&house, &staff.email).await;
    let token = token_for(&house, &staff.email, CONFIRM, 1).await;
    house
        .sql(&format!(
            "update person set state = 'INVITED', password_hash = null where person_uuid = '{0}';
             update one_time_token set purpose = 'STAFF_INVITATION' where purpose = 'RESET_PASSWORD';
             delete from totp_factor where person_uuid = '{0}'",
            staff.uuid
        ))
        .await;
    assert_eq!(confirm(&house, &token, NEW).await.status, 200);
    let body = json!({ "email": staff.email, "password": NEW });
    let signed_in = house.call("auth_sessions_create").json(&body).expect(200).await;
    let me = house.call("system_me_get").token(signed_in.str("access_token")).expect(200).await;
    assert_eq!(me.json["scopes"], json!(["auth.account:write"]), "nothing else works before a factor is enrolled");
    assert_eq!(events(&house, "INVITATION_ACCEPTED").await, 1);
}

#[tokio::test]
async fn whoever_knows_the_password_changes_it_and_only_this_session_goes_on() {
    let house = swift().await;
    let person = house.partner("Nordsee Kassen").await;
    let other = house.sign_in(&person.email).await;
    request(&house, &person.email).await;
    let token = token_for(&house, &person.email, CONFIRM, 1).await;
    house.advance(601).await;
    let person = refreshed(&house, &person).await;
    assert_eq!(change(&house, &person, PASSWORD, NEW).await.status, 204);
    house.call("auth_sessions_refresh").cookie(&other.refresh).json(&json!({})).expect(401).await;
    house.call("system_me_get").token(&person.token).expect(200).await;
    refreshed(&house, &person).await;
    assert_eq!(confirm(&house, &token, PASSWORD).await.status, 422, "a token for the old password is void");
    assert_eq!(sign_in(&house, &person.email, PASSWORD).await, 401);
    assert_eq!(sign_in(&house, &person.email, NEW).await, 200);
    assert_eq!(events(&house, "PASSWORD_CHANGED").await, 1);
    assert_eq!(house.number("select count(*) from mail_message where kind = 'SECURITY'").await, 1);
}

#[tokio::test]
async fn a_change_says_what_is_wrong_with_either_password() {
    let house = swift().await;
    let person = house.partner("Nordsee Kassen").await;
    let wrong = change(&house, &person, "wrong wrong wrong", NEW).await;
    assert_eq!((wrong.status, faults(&wrong)), (422, vec![("/current_password", "WRONG_PASSWORD")]));
    assert_eq!(faults(&change(&house, &person, PASSWORD, PASSWORD).await), [("/new_password", "SAME")]);
    assert_eq!(faults(&change(&house, &person, PASSWORD, "password1234").await), [("/new_password", "TOO_COMMON")]);
    assert_eq!(sign_in(&house, &person.email, PASSWORD).await, 200);
    for _ in 0..6 {
        change(&house, &person, "wrong wrong wrong", NEW).await;
    }
    assert_eq!(change(&house, &person, PASSWORD, NEW).await.code(), "RATE_LIMITED");
}

#[tokio::test]
async fn of_sixteen_changes_at_once_one_wins() {
    let house = swift().await;
    let person = house.partner("Nordsee Kassen").await;
    let passwords: Vec<String> = (0..16).map(|number| format!("{NEW} number {number}")).collect();
    let answers = join_all(passwords.iter().map(|password| change(&house, &person, PASSWORD, password))).await;
    let won: Vec<usize> =
        answers.iter().enumerate().filter(|(_, answer)| answer.status == 204).map(|(at, _)| at).collect();
    assert_eq!(won.len(), 1, "{:?}", answers.iter().map(|answer| answer.status).collect::<Vec<_>>());
    assert_eq!(sign_in(&house, &person.email, &passwords[won[0]]).await, 200);
}
