//! Tests of an e-mail address change: confirmed through the new address, cancelled through the old one.

use futures_util::future::join_all;
use serde_json::{Value, json};

use super::{faults, refreshed, swift, token_for, wait_until_refused};
use crate::harness::people::{PASSWORD, Person};
use crate::harness::{Answer, Harness};

const NEW: &str = "mara@nordsee.example";
const CONFIRM: &str = "/v1/auth/account:confirm-email";
const CANCEL: &str = "/v1/auth/account:cancel-email-change";
const RESET: &str = "/v1/auth/password-resets:confirm";

async fn change(harness: &Harness, person: &Person, email: &str) -> Answer {
    harness.call("auth_account_change_email").token(&person.token).json(&json!({ "email": email })).send().await
}

async fn confirm(harness: &Harness, token: &str) -> Answer {
    harness.call("auth_account_confirm_email").json(&json!({ "token": token })).send().await
}

async fn cancel(harness: &Harness, token: &str) -> Answer {
    harness.call("auth_account_cancel_email_change").json(&json!({ "token": token })).send().await
}

async fn sign_in(harness: &Harness, email: &str) -> u16 {
    let body = json!({ "email": email, "password": PASSWORD });
    harness.call("auth_sessions_create").json(&body).send().await.status
}

/// Resets the password with the mail that follows a cancelled change, and returns the status of a sign-in with it.
async fn back_in(harness: &Harness, email: &str, number: usize) -> u16 {
    let token = token_for(harness, email, RESET, number).await;
    let body = json!({ "token": token, "password": PASSWORD });
    harness.call("auth_passwords_confirm_reset").json(&body).expect(200).await;
    sign_in(harness, email).await
}

#[tokio::test]
async fn new_email_is_effective_after_confirmation() {
    let harness = swift().await;
    let person = harness.partner("Nordsee Kassen").await;
    let other = harness.sign_in(&person.email).await;
    let receipt = change(&harness, &person, NEW).await;
    assert_eq!((receipt.status, receipt.str("status"), receipt.str("email")), (202, "CONFIRMATION_SENT", NEW));
    assert_eq!(sign_in(&harness, NEW).await, 401, "nothing has changed yet");
    token_for(&harness, &person.email, CANCEL, 1).await;
    let token = token_for(&harness, NEW, CONFIRM, 1).await;
    let changed = confirm(&harness, &token).await;
    assert_eq!((changed.status, changed.str("email")), (200, NEW), "{}", changed.text());
    wait_until_refused(&harness, &other.token).await;
    let account = harness.call("auth_account_get").token(&person.token).expect(200).await;
    assert_eq!((account.str("email"), account.str("email_verified_at")), (NEW, changed.str("changed_at")));
    assert_eq!((sign_in(&harness, &person.email).await, sign_in(&harness, NEW).await), (401, 200));
    assert_eq!(faults(&confirm(&harness, &token).await), [("/token", "INVALID")]);
    let told = "select count(*) from mail_message where kind = 'SECURITY'";
    assert_eq!(harness.number(told).await, 1, "the new address gets a notice");
    let ledger = "select count(*) from security_event where kind in ('EMAIL_CHANGE_REQUESTED', 'EMAIL_CHANGED')";
    assert_eq!(harness.number(ledger).await, 2);
}

#[tokio::test]
async fn email_change_needs_recent_password_and_another_address() {
    let harness = swift().await;
    let person = harness.partner("Nordsee Kassen").await;
    assert_eq!(faults(&change(&harness, &person, &person.email.to_uppercase()).await), [("/email", "SAME")]);
    assert_eq!(faults(&change(&harness, &person, "mara@127.0.0.1").await), [("/email", "FORMAT")]);
    harness.advance(601).await;
    let person = refreshed(&harness, &person).await;
    assert_eq!(change(&harness, &person, NEW).await.code(), "REAUTHENTICATION_REQUIRED");
    assert_eq!(harness.number("select count(*) from email_change").await, 0);
}

#[tokio::test]
async fn old_address_cancels_change_before_it_takes_effect() {
    let harness = swift().await;
    let person = harness.partner("Nordsee Kassen").await;
    change(&harness, &person, NEW).await;
    let stop = token_for(&harness, &person.email, CANCEL, 1).await;
    let go = token_for(&harness, NEW, CONFIRM, 1).await;
    let cancelled = cancel(&harness, &stop).await;
    assert_eq!((cancelled.status, cancelled.str("email")), (200, person.email.as_str()), "{}", cancelled.text());
    wait_until_refused(&harness, &person.token).await;
    assert_eq!(confirm(&harness, &go).await.status, 422);
    assert_eq!(cancel(&harness, &stop).await.status, 422);
    let reset = token_for(&harness, &person.email, RESET, 1).await;
    let body = json!({ "token": reset, "password": "nine herons under the pier" });
    harness.call("auth_passwords_confirm_reset").json(&body).expect(200).await;
    assert_eq!(harness.number("select count(*) from security_event where kind = 'EMAIL_CHANGE_CANCELLED'").await, 1);
}

#[tokio::test]
async fn old_address_reverts_change_within_seven_days() {
    let harness = swift().await;
    let person = harness.partner("Nordsee Kassen").await;
    change(&harness, &person, NEW).await;
    let first = token_for(&harness, &person.email, CANCEL, 1).await;
    harness.advance(80_000).await;
    confirm(&harness, &token_for(&harness, NEW, CONFIRM, 1).await).await;
    let second = token_for(&harness, &person.email, CANCEL, 2).await;
    assert_ne!(first, second);
    harness.advance(7 * 86_400 - 60).await;
    assert_eq!(cancel(&harness, &first).await.status, 200);
    assert_eq!(cancel(&harness, &second).await.status, 422, "one is enough");
    assert_eq!(sign_in(&harness, &person.email).await, 401, "somebody else may know the password");
    assert_eq!((sign_in(&harness, NEW).await, back_in(&harness, &person.email, 1).await), (401, 200));

    let person = harness.sign_in(&person.email).await;
    change(&harness, &person, NEW).await;
    confirm(&harness, &token_for(&harness, NEW, CONFIRM, 2).await).await;
    let late = token_for(&harness, &person.email, CANCEL, 4).await;
    harness.advance(7 * 86_400 + 1).await;
    assert_eq!(faults(&cancel(&harness, &late).await), [("/token", "INVALID")]);
    assert_eq!(sign_in(&harness, NEW).await, 200);
}

#[tokio::test]
async fn reverting_email_change_undoes_later_changes() {
    let harness = swift().await;
    let person = harness.partner("Nordsee Kassen").await;
    change(&harness, &person, NEW).await;
    let owner = token_for(&harness, &person.email, CANCEL, 1).await;
    confirm(&harness, &token_for(&harness, NEW, CONFIRM, 1).await).await;
    let third = "thief@elsewhere.example";
    change(&harness, &person, third).await;
    let thief = token_for(&harness, NEW, CANCEL, 1).await;
    confirm(&harness, &token_for(&harness, third, CONFIRM, 1).await).await;
    let asked = harness.call("auth_passwords_request_reset").json(&json!({ "email": third })).expect(202).await;
    assert_eq!(asked.str("status"), "RESET_SENT");
    let reset = token_for(&harness, third, RESET, 1).await;
    assert_eq!(cancel(&harness, &owner).await.str("email"), person.email);
    assert_eq!(cancel(&harness, &thief).await.status, 422, "the address in between has no say any more");
    let body = json!({ "token": reset, "password": "nine herons under the pier" });
    harness.call("auth_passwords_confirm_reset").json(&body).expect(422).await;
    assert_eq!((sign_in(&harness, third).await, back_in(&harness, &person.email, 1).await), (401, 200));
}

#[tokio::test]
async fn change_to_used_address_notifies_only_its_owner() {
    let harness = swift().await;
    let person = harness.partner("Nordsee Kassen").await;
    let stranger = harness.partner("Weser Software").await;
    let mut free = change(&harness, &person, NEW).await;
    let mut taken = change(&harness, &person, &stranger.email).await;
    for answer in [&mut free, &mut taken] {
        answer.json["email"] = Value::Null;
    }
    assert_eq!((free.status, &free.json), (taken.status, &taken.json));
    let to_stranger = format!("select count(*) from mail_message where person_uuid = '{}'", stranger.uuid);
    let of_kind = |kind: &str| format!("{to_stranger} and kind = '{kind}'");
    assert_eq!(harness.number(&of_kind("EMAIL_TAKEN")).await, 1);
    assert_eq!(harness.number(&of_kind("CONFIRM_NEW_EMAIL")).await, 0);
}

#[tokio::test]
async fn new_email_request_replaces_former_and_five_per_hour_suffice() {
    let harness = swift().await;
    let person = harness.partner("Nordsee Kassen").await;
    for number in 0..5 {
        assert_eq!(change(&harness, &person, &format!("mara{number}@nordsee.example")).await.status, 202);
    }
    assert_eq!(change(&harness, &person, NEW).await.code(), "RATE_LIMITED");
    let first = token_for(&harness, "mara0@nordsee.example", CONFIRM, 1).await;
    assert_eq!(confirm(&harness, &first).await.status, 422);
    let last = token_for(&harness, "mara4@nordsee.example", CONFIRM, 1).await;
    assert_eq!(confirm(&harness, &last).await.status, 200);
    assert_eq!(harness.number("select count(*) from email_change where state = 'SUPERSEDED'").await, 4);
}

#[tokio::test]
async fn unverified_registration_yields_to_confirmed_email_change() {
    let harness = swift().await;
    let person = harness.partner("Nordsee Kassen").await;
    let squat = |email: &str| {
        json!({ "company_name": "Squatters", "country": "DE", "accept_terms": true,
            "administrator": { "name": "Ada Weser", "email": email, "password": PASSWORD } })
    };
    harness.call("auth_registrations_create").json(&squat(NEW)).expect(202).await;
    change(&harness, &person, NEW).await;
    confirm(&harness, &token_for(&harness, NEW, CONFIRM, 1).await).await;
    assert_eq!(sign_in(&harness, NEW).await, 200);
    let stop = token_for(&harness, &person.email, CANCEL, 2).await;
    harness.call("auth_registrations_create").json(&squat(&person.email)).expect(202).await;
    assert_eq!(cancel(&harness, &stop).await.status, 200);
    assert_eq!(back_in(&harness, &person.email, 1).await, 200);
    assert_eq!(harness.number("select count(*) from partner").await, 1);
}

#[tokio::test]
async fn sixteen_concurrent_uses_of_one_token_succeed_once() {
    let harness = swift().await;
    let person = harness.partner("Nordsee Kassen").await;
    change(&harness, &person, NEW).await;
    let token = token_for(&harness, NEW, CONFIRM, 1).await;
    let answers = join_all((0..16).map(|_| confirm(&harness, &token))).await;
    assert_eq!(answers.iter().filter(|answer| answer.status == 200).count(), 1);
    let token = token_for(&harness, &person.email, CANCEL, 2).await;
    let answers = join_all((0..16).map(|_| cancel(&harness, &token))).await;
    assert_eq!(answers.iter().filter(|answer| answer.status == 200).count(), 1);
    assert_eq!(back_in(&harness, &person.email, 1).await, 200);
}

#[tokio::test]
async fn reverting_email_change_removes_later_second_factor() {
    let harness = swift().await;
    let person = harness.partner("Nordsee Kassen").await;
    change(&harness, &person, NEW).await;
    let owner = token_for(&harness, &person.email, CANCEL, 1).await;
    let enrolled = harness.call("auth_mfa_enrol_totp").token(&person.token).expect(201).await;
    let code = json!({ "code": harness.code(enrolled.str("secret")) });
    harness.call("auth_mfa_confirm_totp").token(&person.token).json(&code).expect(200).await;
    // The first change never took effect. The second takes effect only after the second factor was enrolled.
    let third = "thief@elsewhere.example";
    change(&harness, &person, third).await;
    confirm(&harness, &token_for(&harness, third, CONFIRM, 1).await).await;
    assert_eq!(cancel(&harness, &owner).await.str("email"), person.email);
    let factors = "select (select count(*) from totp_factor) + (select count(*) from recovery_code)";
    assert_eq!(harness.number(factors).await, 0);
    assert_eq!(sign_in(&harness, &person.email).await, 401, "whoever had the session may know the password");
    assert_eq!(back_in(&harness, &person.email, 1).await, 200, "and is asked for no code");
}

#[tokio::test]
async fn pending_email_change_ends_with_its_session_or_password() {
    let harness = swift().await;
    let mut person = harness.partner("Nordsee Kassen").await;
    let ways = ["one session", "a reused token", "all sessions", "the password"];
    for (number, way) in ways.into_iter().enumerate() {
        let thief = harness.sign_in(&person.email).await;
        let email = format!("thief{number}@elsewhere.example");
        assert_eq!(change(&harness, &thief, &email).await.status, 202, "{way}");
        let token = token_for(&harness, &email, CONFIRM, 1).await;
        match way {
            "one session" => {
                let listed = harness.call("auth_sessions_list").token(&thief.token).expect(200).await;
                let listed = listed.json["data"].as_array().unwrap().clone();
                let asked = listed.iter().find(|session| session["current"] == true).unwrap();
                let end = harness.call("auth_sessions_delete").path("session_uuid", asked["uuid"].as_str().unwrap());
                end.token(&person.token).expect(204).await;
            }
            "a reused token" => {
                let next = refreshed(&harness, &thief).await;
                refreshed(&harness, &next).await;
                let reused =
                    harness.call("auth_sessions_refresh").cookie(&thief.refresh).json(&json!({})).expect(401).await;
                assert_eq!(reused.code(), "REFRESH_REUSED");
            }
            "all sessions" => {
                harness.call("auth_sessions_sign_out_everywhere").token(&person.token).expect(200).await;
                person = harness.sign_in(&person.email).await;
            }
            _ => {
                let body = json!({ "current_password": PASSWORD, "new_password": "nine herons under the pier" });
                // In the session that requested the change, which stays valid.
                harness.call("auth_passwords_change").token(&thief.token).json(&body).expect(204).await;
            }
        }
        assert_eq!(faults(&confirm(&harness, &token).await), [("/token", "INVALID")], "{way}");
    }
}
