//! Tests of second factors: ineffective until confirmed, then required, and recoverable if the device is lost.

use futures_util::future::join_all;
use serde_json::json;

use super::{faults, refreshed, waiting};
use crate::harness::people::{PASSWORD, Person};
use crate::harness::{Answer, Harness};

/// A service with tiers whose burst budgets do not slow a test down.
async fn harness() -> Harness {
    let harness = Harness::new().await;
    harness.sql("update tier set burst_per_second = 1000").await;
    harness
}

async fn enrol(harness: &Harness, person: &Person) -> Answer {
    harness.call("auth_mfa_enrol_totp").token(&person.token).send().await
}

async fn confirm(harness: &Harness, person: &Person, code: &str) -> Answer {
    harness.call("auth_mfa_confirm_totp").token(&person.token).json(&json!({ "code": code })).send().await
}

async fn sign_in(harness: &Harness, email: &str) -> Answer {
    harness.call("auth_sessions_create").json(&json!({ "email": email, "password": PASSWORD })).send().await
}

async fn answer_with(harness: &Harness, challenge: &str, code: &str) -> Answer {
    harness.call("auth_sessions_verify_mfa").json(&json!({ "challenge": challenge, "code": code })).send().await
}

#[tokio::test]
async fn second_factor_is_enabled_by_its_first_code() {
    let harness = harness().await;
    let person = harness.partner("Nordsee Kassen").await;
    let enrolled = enrol(&harness, &person).await;
    assert_eq!((enrolled.status, enrolled.header("location")), (201, "/v1/auth/account"));
    assert!(enrolled.str("otpauth_uri").contains(enrolled.str("secret")));
    assert!(enrolled.str("qr_png").len() > 500);
    assert_eq!(sign_in(&harness, &person.email).await.status, 200, "not in force yet");
    let code = harness.code(enrolled.str("secret"));
    let (first, second) = code.split_at(3);
    let confirmed = confirm(&harness, &person, &format!("{first} {second}")).await;
    assert_eq!(confirmed.status, 200, "typed in halves, as authenticators show it");
    assert_eq!(confirmed.json["recovery_codes"].as_array().unwrap().len(), 10);
    let account = harness.call("auth_account_get").token(&person.token).expect(200).await;
    assert_eq!(
        account.json["second_factors"],
        json!([{ "kind": "TOTP", "confirmed_at": confirmed.str("confirmed_at") }])
    );
    assert_eq!(account.json["recovery_codes_left"], 10);
    assert_eq!(sign_in(&harness, &person.email).await.code(), "MFA_REQUIRED");
    harness.sign_in_with_factor(&person.email, enrolled.str("secret")).await;
    assert_eq!(harness.number("select count(*) from security_event where kind = 'SECOND_FACTOR_ENABLED'").await, 1);
    assert_eq!(harness.number("select count(*) from mail_message where kind = 'SECURITY'").await, 1);
    let stored = "select count(*) from totp_factor, recovery_code where octet_length(code_sha256) = 32 and octet_length(secret_sealed) > 40";
    assert_eq!(harness.number(stored).await, 10);
}

#[tokio::test]
async fn new_enrolment_replaces_unconfirmed_one() {
    let harness = harness().await;
    let person = harness.partner("Nordsee Kassen").await;
    let first = enrol(&harness, &person).await;
    let second = enrol(&harness, &person).await;
    assert_ne!(first.str("secret"), second.str("secret"));
    let refused = confirm(&harness, &person, &harness.code(first.str("secret"))).await;
    assert_eq!((refused.status, &refused.json["errors"][0]["pointer"]), (422, &json!("/code")));
    assert_eq!(confirm(&harness, &person, &harness.code(second.str("secret"))).await.status, 200);
    let third = enrol(&harness, &person).await;
    assert_eq!((third.status, third.code()), (409, "CONFLICT"), "a person can have one in force");
}

#[tokio::test]
async fn wrong_confirmation_codes_are_counted_and_delay_next() {
    let harness = harness().await;
    let person = harness.partner("Nordsee Kassen").await;
    let secret = enrol(&harness, &person).await.str("secret").to_owned();
    let wrong = if harness.code(&secret).starts_with('0') { "999999" } else { "000000" };
    for _ in 0..6 {
        assert_eq!(confirm(&harness, &person, wrong).await.code(), "VALIDATION_FAILED");
    }
    let held_back = confirm(&harness, &person, &harness.code(&secret)).await;
    assert_eq!((held_back.status, held_back.code()), (429, "RATE_LIMITED"), "{}", held_back.text());
    let failed = "select count(*) from security_event where kind = 'SECOND_FACTOR_ENABLED' and outcome = 'FAILED'";
    assert_eq!(harness.number(failed).await, 6);
    harness.advance(3).await;
    assert_eq!(confirm(&harness, &person, &harness.code(&secret)).await.status, 200);
    assert_eq!(harness.number("select count(*) from sign_in_failure where person_uuid is not null").await, 0);
}

#[tokio::test]
async fn enrolment_expires_after_ten_minutes() {
    let harness = harness().await;
    let person = harness.partner("Nordsee Kassen").await;
    let nothing = confirm(&harness, &person, "123456").await;
    assert_eq!((nothing.status, nothing.code()), (409, "CONFLICT"));
    let enrolled = enrol(&harness, &person).await;
    harness.advance(601).await;
    let person = harness.sign_in(&person.email).await;
    let late = confirm(&harness, &person, &harness.code(enrolled.str("secret"))).await;
    assert_eq!((late.status, late.code()), (409, "CONFLICT"));
}

#[tokio::test]
async fn confirmation_code_cannot_be_reused_for_sign_in() {
    let harness = harness().await;
    let person = harness.partner("Nordsee Kassen").await;
    let secret = enrol(&harness, &person).await.str("secret").to_owned();
    let code = harness.code(&secret);
    assert_eq!(confirm(&harness, &person, &code).await.status, 200);
    let challenge = sign_in(&harness, &person.email).await.str("challenge").to_owned();
    assert_eq!(answer_with(&harness, &challenge, &code).await.code(), "INVALID_CREDENTIALS");
}

#[tokio::test]
async fn recovery_code_works_once_and_its_owner_is_notified() {
    let harness = harness().await;
    let person = harness.partner("Nordsee Kassen").await;
    let secret = enrol(&harness, &person).await.str("secret").to_owned();
    let confirmed = confirm(&harness, &person, &harness.code(&secret)).await;
    let code = confirmed.json["recovery_codes"][0].as_str().unwrap();
    let challenge = sign_in(&harness, &person.email).await.str("challenge").to_owned();
    let typed = code.to_lowercase().replace('-', " ");
    let in_again = answer_with(&harness, &challenge, &typed).await;
    assert_eq!(in_again.status, 200, "{}", in_again.text());
    let challenge = sign_in(&harness, &person.email).await.str("challenge").to_owned();
    assert_eq!(answer_with(&harness, &challenge, code).await.status, 401);
    let account = harness.call("auth_account_get").token(in_again.str("access_token")).expect(200).await;
    assert_eq!(account.json["recovery_codes_left"], 9);
    assert_eq!(harness.number("select count(*) from mail_message where kind = 'SECURITY'").await, 2);
}

#[tokio::test]
async fn sixteen_concurrent_first_codes_enable_factor_once() {
    let harness = harness().await;
    let person = harness.partner("Nordsee Kassen").await;
    let secret = enrol(&harness, &person).await.str("secret").to_owned();
    let code = harness.code(&secret);
    let answers = join_all((0..16).map(|_| confirm(&harness, &person, &code))).await;
    assert_eq!(answers.iter().filter(|answer| answer.status == 200).count(), 1);
    assert!(answers.iter().all(|answer| answer.status == 200 || answer.code() == "CONFLICT"));
    assert_eq!(harness.number("select count(*) from recovery_code").await, 10);
}

#[tokio::test]
async fn confirming_required_factor_grants_withheld_scopes() {
    let harness = harness().await;
    let person = harness.partner("Nordsee Kassen").await;
    harness.sql("update partner set mfa_required = true").await;
    let person = harness.sign_in(&person.email).await;
    let scopes = || async {
        let me = harness.call("system_me_get").token(&person.token).expect(200).await;
        me.json["scopes"].as_array().unwrap().len()
    };
    assert_eq!(scopes().await, 1, "the own account only, to enrol one");
    let secret = enrol(&harness, &person).await.str("secret").to_owned();
    assert_eq!(confirm(&harness, &person, &harness.code(&secret)).await.status, 200);
    let confirmed = std::time::Instant::now();
    while scopes().await == 1 {
        assert!(confirmed.elapsed().as_millis() < 1500, "the session still reaches nothing");
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    }
}

#[tokio::test]
async fn enabling_second_factor_ends_other_sessions() {
    let harness = harness().await;
    let person = harness.partner("Nordsee Kassen").await;
    let other = harness.sign_in(&person.email).await;
    let secret = enrol(&harness, &person).await.str("secret").to_owned();
    assert_eq!(confirm(&harness, &person, &harness.code(&secret)).await.status, 200);
    harness.call("auth_sessions_refresh").cookie(&other.refresh).json(&json!({})).expect(401).await;
    refreshed(&harness, &person).await;
}

#[tokio::test]
async fn password_only_sign_in_ends_when_factor_is_enabled() {
    let harness = harness().await;
    let person = harness.partner("Nordsee Kassen").await;
    let secret = enrol(&harness, &person).await.str("secret").to_owned();
    let hold = format!("select from person where person_uuid = '{}' for no key update", person.uuid);
    let held = harness.hold(hold).await;
    let meanwhile = async {
        harness.until(&waiting("from person"), 2).await;
        held.roll_back().await;
    };
    let code = harness.code(&secret);
    let (signing_in, confirmed, ()) =
        tokio::join!(sign_in(&harness, &person.email), confirm(&harness, &person, &code), meanwhile);
    assert_eq!(confirmed.status, 200, "{}", confirmed.text());
    assert!(matches!(signing_in.status, 200 | 401), "ended at once, or refused: {}", signing_in.text());
    assert_eq!(
        harness.number("select count(*) from session where ended_at is null").await,
        1,
        "the one that confirmed"
    );
}

#[tokio::test]
async fn sign_in_that_sees_new_factor_too_late_is_rejected() {
    let harness = harness().await;
    let person = harness.partner("Nordsee Kassen").await;
    enrol(&harness, &person).await;
    let confirm = format!(
        "select from person where person_uuid = '{0}' for no key update;
         update totp_factor set confirmed_at = labs_now() where person_uuid = '{0}'",
        person.uuid
    );
    let confirmed = harness.hold(confirm).await;
    let meanwhile = async {
        harness.until(&waiting("from person"), 1).await;
        confirmed.commit().await;
    };
    let (refused, ()) = tokio::join!(sign_in(&harness, &person.email), meanwhile);
    assert_eq!((refused.status, refused.code()), (401, "INVALID_CREDENTIALS"), "{}", refused.text());
    assert_eq!(sign_in(&harness, &person.email).await.code(), "MFA_REQUIRED");
}

#[tokio::test]
async fn changed_password_yields_no_challenge() {
    let harness = harness().await;
    let staff = harness.staff("Otto Operator", &["labs.admin.overview"]).await;
    let change = format!("update person set password_changed_at = labs_now() where person_uuid = '{}'", staff.uuid);
    let changed = harness.hold(change).await;
    let meanwhile = async {
        harness.until(&waiting("MFA_CHALLENGE"), 1).await;
        changed.commit().await;
    };
    let (refused, ()) = tokio::join!(sign_in(&harness, &staff.email), meanwhile);
    assert_eq!((refused.status, refused.code()), (401, "INVALID_CREDENTIALS"), "{}", refused.text());
}

#[tokio::test]
async fn concurrent_wrong_codes_are_checked_sequentially() {
    let harness = harness().await;
    let person = harness.partner("Nordsee Kassen").await;
    let secret = enrol(&harness, &person).await.str("secret").to_owned();
    assert_eq!(confirm(&harness, &person, &harness.code(&secret)).await.status, 200);
    // A code is valid once, so the code that confirmed the enrolment is now invalid.
    let body = json!({ "code": harness.code(&secret) });
    let reauthenticate = || harness.call("auth_sessions_reauthenticate").token(&person.token).json(&body).send();
    let answers = join_all((0..16).map(|_| reauthenticate())).await;
    let of = |code: &str| answers.iter().filter(|answer| answer.code() == code).count();
    assert_eq!((of("VALIDATION_FAILED"), of("RATE_LIMITED")), (6, 10), "five are free, the sixth holds back");
    let failed = "select count(*) from security_event where kind = 'REAUTHENTICATION' and outcome = 'FAILED'";
    assert_eq!(harness.number(failed).await, 6);
}

#[tokio::test]
async fn right_code_is_checked_after_earlier_wrong_code() {
    let harness = harness().await;
    let person = harness.partner("Nordsee Kassen").await;
    let secret = enrol(&harness, &person).await.str("secret").to_owned();
    let spent = harness.code(&secret);
    assert_eq!(confirm(&harness, &person, &spent).await.status, 200);
    harness.advance(30).await;
    let good = harness.code(&secret);
    let first = sign_in(&harness, &person.email).await.str("challenge").to_owned();
    let second = sign_in(&harness, &person.email).await.str("challenge").to_owned();
    let again =
        |code: &str| harness.call("auth_sessions_reauthenticate").token(&person.token).json(&json!({ "code": code }));
    let verify = |challenge: &str, code: &str| {
        harness.call("auth_sessions_verify_mfa").json(&json!({ "challenge": challenge, "code": code }))
    };
    for (wrong, right) in [(again(&spent), again(&good)), (verify(&first, &spent), verify(&second, &good))] {
        // One more failure blocks the next attempt for a long time.
        let many = format!(
            "delete from sign_in_failure;
             insert into sign_in_failure (subject, failures) values ('second_factor:{}@127.0.0.1', 60)",
            person.uuid
        );
        harness.sql(&many).await;
        let held = harness.hold("select from sign_in_failure for update").await;
        let after_it = async {
            harness.until(&waiting("insert into sign_in_failure"), 1).await;
            right.send().await
        };
        let meanwhile = async {
            harness.until(&waiting(""), 2).await;
            held.roll_back().await;
        };
        let (failed, later, ()) = tokio::join!(wrong.send(), after_it, meanwhile);
        assert!(matches!(failed.code(), "VALIDATION_FAILED" | "INVALID_CREDENTIALS"), "{}", failed.text());
        assert_eq!((later.status, later.code()), (429, "RATE_LIMITED"), "{}: {}", later.operation, later.text());
    }
}

#[tokio::test]
async fn disabling_factor_removes_recovery_codes_and_other_sessions() {
    let harness = harness().await;
    let person = harness.partner("Nordsee Kassen").await;
    let disable = |token: &str| harness.call("auth_mfa_disable_totp").token(token);
    disable(&person.token).expect(404).await;
    let secret = enrol(&harness, &person).await.str("secret").to_owned();
    disable(&person.token).expect(404).await;
    assert_eq!(confirm(&harness, &person, &harness.code(&secret)).await.status, 200);
    let other = harness.sign_in_with_factor(&person.email, &secret).await;
    harness.advance(601).await;
    let person = refreshed(&harness, &person).await;
    assert_eq!(disable(&person.token).expect(403).await.code(), "REAUTHENTICATION_REQUIRED");
    let reauthenticate = |body| harness.call("auth_sessions_reauthenticate").token(&person.token).json(&body);
    let by_password = reauthenticate(json!({ "password": PASSWORD })).expect(422).await;
    assert_eq!(faults(&by_password), [("/code", "CODE_REQUIRED")], "a stolen password removes no factor");
    disable(&person.token).expect(403).await;
    reauthenticate(json!({ "code": harness.code(&secret) })).expect(200).await;
    disable(&person.token).expect(204).await;
    harness.call("auth_sessions_refresh").cookie(&other.refresh).json(&json!({})).expect(401).await;
    assert_eq!(sign_in(&harness, &person.email).await.status, 200, "the password alone is asked for");
    let left = "select (select count(*) from totp_factor) + (select count(*) from recovery_code)
                     + (select count(*) from session where second_factor and ended_at is null)";
    assert_eq!(harness.number(left).await, 0);
    assert_eq!(harness.number("select count(*) from security_event where kind = 'SECOND_FACTOR_DISABLED'").await, 1);
    assert_eq!(harness.number("select count(*) from mail_message where kind = 'SECURITY'").await, 2);
}

#[tokio::test]
async fn required_second_factor_cannot_be_disabled() {
    let harness = harness().await;
    let person = harness.partner("Nordsee Kassen").await;
    let secret = enrol(&harness, &person).await.str("secret").to_owned();
    assert_eq!(confirm(&harness, &person, &harness.code(&secret)).await.status, 200);
    harness.sql("update partner set mfa_required = true").await;
    let staff = harness.staff("Otto Operator", &["labs.admin.overview"]).await;
    for (token, why) in [(&person.token, "policy"), (&staff.token, "Staff members")] {
        let refused = harness.call("auth_mfa_disable_totp").token(token).expect(409).await;
        assert!(refused.code() == "CONFLICT" && refused.str("detail").contains(why), "{}", refused.text());
    }
    assert_eq!(harness.number("select count(*) from totp_factor").await, 2);
}

#[tokio::test]
async fn user_without_factor_requirement_continues_without_it() {
    let harness = harness().await;
    let person = harness.partner("Nordsee Kassen").await;
    let secret = enrol(&harness, &person).await.str("secret").to_owned();
    assert_eq!(confirm(&harness, &person, &harness.code(&secret)).await.status, 200);
    harness.sql("update partner set mfa_required = true").await;
    let person = harness.sign_in_with_factor(&person.email, &secret).await;
    harness.sql("update partner set mfa_required = false").await;
    harness.call("auth_mfa_disable_totp").token(&person.token).expect(204).await;
    let person = refreshed(&harness, &person).await;
    harness.call("marketplace_apps_list").token(&person.token).expect(200).await;
}

#[tokio::test]
async fn new_recovery_codes_replace_old_codes() {
    let harness = harness().await;
    let person = harness.partner("Nordsee Kassen").await;
    let renew = |token: &str| harness.call("auth_mfa_regenerate_recovery_codes").token(token);
    assert_eq!(renew(&person.token).expect(409).await.code(), "CONFLICT");
    let secret = enrol(&harness, &person).await.str("secret").to_owned();
    let old = confirm(&harness, &person, &harness.code(&secret)).await.json["recovery_codes"][0].clone();
    let renewed = renew(&person.token).expect(201).await;
    assert_eq!(renewed.header("location"), "/v1/auth/account");
    let new = renewed.json["recovery_codes"][9].as_str().unwrap();
    let challenge = sign_in(&harness, &person.email).await.str("challenge").to_owned();
    assert_eq!(answer_with(&harness, &challenge, old.as_str().unwrap()).await.status, 401);
    assert_eq!(answer_with(&harness, &challenge, new).await.status, 200);
    harness.advance(601).await;
    let person = refreshed(&harness, &person).await;
    assert_eq!(renew(&person.token).expect(403).await.code(), "REAUTHENTICATION_REQUIRED");
    let kinds = "kind in ('RECOVERY_CODES_REGENERATED', 'RECOVERY_CODE_USED')";
    assert_eq!(harness.number(&format!("select count(*) from security_event where {kinds}")).await, 2);
}

#[tokio::test]
async fn wrong_codes_after_right_password_notify_owner_daily() {
    let harness = Harness::new().await;
    let staff = harness.staff("Petra Partners", &["labs.admin.partners"]).await;
    let told = "select count(*) from mail_message where kind = 'WRONG_CODES'";
    for day in 1..=2 {
        for number in 1..=8 {
            let former = harness.code(staff.totp.as_deref().unwrap());
            harness.advance(900).await;
            let challenge = sign_in(&harness, &staff.email).await.str("challenge").to_owned();
            assert_eq!(answer_with(&harness, &challenge, &former).await.code(), "INVALID_CREDENTIALS");
            let expected = if number < 5 { day - 1 } else { day };
            assert_eq!(harness.number(told).await, expected, "after {number} wrong codes on day {day}");
        }
        harness.advance(2 * 86_400).await;
    }
}
