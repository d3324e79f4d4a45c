//! Tests of users of all partners: search, support, lock and unlock.

use serde_json::{Value, json};
use uuid::Uuid;

use crate::auth::token_for;
use crate::harness::people::{PASSWORD, Person};
use crate::harness::{Answer, Harness};

const NEW: &str = "mara@nordsee.example";

/// A service, an account manager and the administrator of a partner.
async fn cast() -> (Harness, Person, Person) {
    let harness = Harness::new().await;
    harness.sql("update tier set burst_per_second = 1000").await;
    let manager = harness.staff("Manager", &["labs.admin.users:write"]).await;
    let person = harness.partner("Nordsee Kassen").await;
    (harness, manager, person)
}

async fn on(harness: &Harness, by: &Person, operation: &str, person: Uuid, body: &Value) -> Answer {
    harness.call(operation).path("user_uuid", person).token(&by.token).json(body).send().await
}

async fn get(harness: &Harness, by: &Person, person: Uuid) -> Value {
    harness.call("admin_users_get").path("user_uuid", person).token(&by.token).expect(200).await.json
}

async fn try_password(harness: &Harness, email: &str, password: &str) -> Answer {
    harness.call("auth_sessions_create").json(&json!({ "email": email, "password": password })).send().await
}

async fn refused_soon(harness: &Harness, what: &str, token: &str) {
    let is_refused = async || harness.call("system_me_get").token(token).send().await.status == 401;
    harness.soon(what, is_refused).await;
}

/// Enrols a second factor for the user and signs in with it.
async fn with_factor(harness: &Harness, person: &Person) -> String {
    let secret = harness.call("auth_mfa_enrol_totp").token(&person.token).expect(201).await.str("secret").to_owned();
    let code = json!({ "code": harness.code(&secret) });
    harness.call("auth_mfa_confirm_totp").token(&person.token).json(&code).expect(200).await;
    secret
}

/// Returns the staff actions in the user's security events, newest first.
async fn ledger(harness: &Harness, by: &Person, person: Uuid) -> Vec<Value> {
    let call = harness.call("admin_users_list_security_events").path("user_uuid", person).token(&by.token);
    call.expect(200).await.json["data"].as_array().unwrap().clone()
}

#[tokio::test]
async fn locked_user_is_signed_out_and_restored_after_unlock() {
    let (harness, manager, person) = cast().await;
    assert_eq!(on(&harness, &manager, "admin_users_lock", person.uuid, &json!({})).await.status, 422, "with a reason");
    harness.call("auth_passwords_request_reset").json(&json!({ "email": person.email })).expect(202).await;
    let reset = token_for(&harness, &person.email, "/v1/auth/password-resets:confirm", 1).await;
    let reason = json!({ "reason": "Signs in from three countries at once." });
    let locked = on(&harness, &manager, "admin_users_lock", person.uuid, &reason).await;
    assert_eq!((locked.status, locked.str("state"), &locked.json["sessions_count"]), (200, "LOCKED", &json!(0)));
    refused_soon(&harness, "sessions end", &person.token).await;
    harness.call("auth_sessions_refresh").cookie(&person.refresh).json(&json!({})).expect(401).await;
    assert_eq!(try_password(&harness, &person.email, PASSWORD).await.code(), "ACCOUNT_LOCKED");
    let again = on(&harness, &manager, "admin_users_lock", person.uuid, &reason).await;
    assert_eq!((again.code(), &again.json["allowed_actions"]), ("ILLEGAL_TRANSITION", &json!(["unlock", "remove"])));
    let unlocked = harness.call("admin_users_unlock").path("user_uuid", person.uuid).token(&manager.token);
    assert_eq!(unlocked.expect(200).await.str("state"), "ACTIVE");
    let body = json!({ "token": reset, "password": "nine herons under the pier" });
    harness.call("auth_passwords_confirm_reset").json(&body).expect(422).await;
    harness.sign_in(&person.email).await;
    let recorded = "select count(*) from audit_log join audit_change using (record_uuid)
                     where operation = 'admin_users_lock' and reason like 'Signs in from three%' and target_kind = 'USER'
                       and audit_log.partner_uuid is not null and thing = 'person' and after ->> 'state' = 'LOCKED'";
    assert_eq!(harness.number(recorded).await, 1);
    let told = "select count(*) from mail_message where kind = 'SECURITY' and person_uuid is not null";
    assert_eq!(harness.number(told).await, 2);
    let kinds: Vec<Value> =
        ledger(&harness, &manager, person.uuid).await.iter().map(|event| event["kind"].clone()).collect();
    assert!(kinds.contains(&json!("ACCOUNT_LOCKED")) && kinds.contains(&json!("ACCOUNT_UNLOCKED")), "{kinds:?}");
}

#[tokio::test]
async fn user_suspended_by_team_stays_suspended_after_unlock() {
    let (harness, manager, person) = cast().await;
    harness.sql("alter table person disable trigger person_administrator_update; update person set state = 'SUSPENDED' where kind = 'PARTNER_USER'").await;
    let reason = json!({ "reason": "A test." });
    assert_eq!(on(&harness, &manager, "admin_users_lock", person.uuid, &reason).await.str("state"), "LOCKED");
    assert_eq!(on(&harness, &manager, "admin_users_unlock", person.uuid, &reason).await.str("state"), "SUSPENDED");
    harness.sql("update person set state = 'ACTIVE' where state = 'SUSPENDED'").await;
    on(&harness, &manager, "admin_users_lock", person.uuid, &reason).await;
    assert_eq!(on(&harness, &manager, "admin_users_unlock", person.uuid, &reason).await.str("state"), "ACTIVE");
}

#[tokio::test]
async fn sign_in_block_is_lifted_by_staff() {
    let (harness, manager, person) = cast().await;
    for _ in 0..8 {
        try_password(&harness, &person.email, "a wrong password of some length").await;
    }
    harness
        .sql("update sign_in_failure set held_until = now() + interval '10 minutes' where account is not null")
        .await;
    assert_eq!(try_password(&harness, &person.email, PASSWORD).await.code(), "RATE_LIMITED");
    assert!(get(&harness, &manager, person.uuid).await["sign_in_held_until"].is_string());
    let unlocked = on(&harness, &manager, "admin_users_unlock", person.uuid, &json!({ "reason": "Called us." })).await;
    assert_eq!((unlocked.status, unlocked.str("state")), (200, "ACTIVE"));
    assert_eq!(unlocked.json["sign_in_held_until"], Value::Null);
    harness.sign_in(&person.email).await;
    let network = "select count(*) from sign_in_failure where subject like 'network:%'";
    assert_eq!(harness.number(network).await, 1, "the network keeps its own");
    let nothing = on(&harness, &manager, "admin_users_unlock", person.uuid, &json!({})).await;
    assert_eq!((nothing.status, nothing.code()), (409, "ILLEGAL_TRANSITION"));
}

#[tokio::test]
async fn staff_verify_undeliverable_email_with_reason() {
    let (harness, manager, _) = cast().await;
    let body = json!({ "company_name": "Weser Software", "country": "DE", "accept_terms": true,
        "administrator": { "name": "Ada Weser", "email": "ada@weser.example", "password": PASSWORD } });
    harness.call("auth_registrations_create").json(&body).expect(202).await;
    let token = harness.mailed_token("ada@weser.example").await;
    assert_eq!(try_password(&harness, "ada@weser.example", PASSWORD).await.code(), "EMAIL_UNVERIFIED");
    let found = harness.call("admin_users_list").token(&manager.token).query("q", "ADA@weser").expect(200).await;
    let ada = &found.json["data"][0];
    assert_eq!((&ada["state"], &ada["email_verified_at"]), (&json!("UNVERIFIED"), &Value::Null));
    let ada: Uuid = ada["uuid"].as_str().unwrap().parse().unwrap();
    assert_eq!(on(&harness, &manager, "admin_users_verify_email", ada, &json!({})).await.status, 422);
    let reason = json!({ "reason": "Their mail server refuses ours." });
    let verified = on(&harness, &manager, "admin_users_verify_email", ada, &reason).await;
    assert_eq!((verified.status, verified.str("state")), (200, "ACTIVE"));
    assert!(verified.json["email_verified_at"].is_string());
    let again = on(&harness, &manager, "admin_users_verify_email", ada, &reason).await;
    assert_eq!((again.status, again.code()), (409, "ILLEGAL_TRANSITION"));
    harness
        .call("auth_registrations_verify_email")
        .json(&json!({ "token": token, "password": PASSWORD }))
        .expect(422)
        .await;
    harness.sign_in("ada@weser.example").await;
    let begun = "select count(*) from subscription join partner using (partner_uuid)
                  where company_name = 'Weser Software' and started_at >= partner.created_at";
    assert_eq!(harness.number(begun).await, 1);
}

#[tokio::test]
async fn password_reset_is_mailed_to_user_and_hidden_from_staff() {
    let (harness, manager, person) = cast().await;
    let sent = on(&harness, &manager, "admin_users_send_password_reset", person.uuid, &json!({})).await;
    assert_eq!(sent.status, 200);
    let token = token_for(&harness, &person.email, "/v1/auth/password-resets:confirm", 1).await;
    assert!(!sent.text().contains("labs_ot_"));
    harness.sign_in(&person.email).await;
    let body = json!({ "token": token, "password": "nine herons under the pier" });
    harness.call("auth_passwords_confirm_reset").json(&body).expect(200).await;
    assert_eq!(try_password(&harness, &person.email, PASSWORD).await.code(), "INVALID_CREDENTIALS");
    for number in 1..5 {
        let more = on(&harness, &manager, "admin_users_send_password_reset", person.uuid, &json!({})).await;
        assert_eq!(more.status, 200, "{number}");
    }
    let sixth = on(&harness, &manager, "admin_users_send_password_reset", person.uuid, &json!({})).await;
    assert_eq!((sixth.status, sixth.code(), &sixth.json["retry_after"]), (429, "RATE_LIMITED", &json!(3600)));
    for _ in 0..3 {
        harness.sql("update mail_message set created_at = created_at - interval '2 hours'").await;
        for _ in 0..5 {
            assert_eq!(
                on(&harness, &manager, "admin_users_send_password_reset", person.uuid, &json!({})).await.status,
                200
            );
        }
    }
    let next = on(&harness, &manager, "admin_users_send_password_reset", person.uuid, &json!({})).await;
    assert_eq!((next.status, &next.json["retry_after"], next.str("budget")), (429, &json!(86_400), "daily"));
}

#[tokio::test]
async fn lost_second_factor_is_reset_and_user_is_notified() {
    let (harness, manager, person) = cast().await;
    let reason = json!({ "reason": "Lost the phone; recognised on a video call." });
    assert_eq!(on(&harness, &manager, "admin_users_reset_mfa", person.uuid, &reason).await.code(), "CONFLICT");
    let secret = with_factor(&harness, &person).await;
    let signed_in = harness.sign_in_with_factor(&person.email, &secret).await;
    assert!(get(&harness, &manager, person.uuid).await["second_factor_confirmed_at"].is_string());
    let reset = on(&harness, &manager, "admin_users_reset_mfa", person.uuid, &reason).await;
    assert_eq!((reset.status, &reset.json["second_factor_confirmed_at"]), (200, &Value::Null));
    refused_soon(&harness, "sessions end", &signed_in.token).await;
    harness.sign_in(&person.email).await;
    let codes = format!("select count(*) from recovery_code where person_uuid = '{}'", person.uuid);
    assert_eq!(harness.number(&codes).await, 0);
    let recorded = "select count(*) from audit_log join audit_change using (record_uuid)
                     where operation = 'admin_users_reset_mfa' and reason like 'Lost the phone%'
                       and thing = 'totp_factor' and action = 'DELETE' and before::text !~ 'sealed'";
    assert_eq!(harness.number(recorded).await, 1);
    let told = async || harness.mails_now(&person.email).iter().any(|mail| mail.contains("Second factor reset"));
    harness.soon("the person is told", told).await;
}

#[tokio::test]
async fn sessions_are_listed_and_ended_singly_or_together() {
    let (harness, manager, person) = cast().await;
    let second = harness.sign_in(&person.email).await;
    let third = harness.sign_in(&person.email).await;
    let list = async || {
        let call = harness.call("admin_users_list_sessions").path("user_uuid", person.uuid).token(&manager.token);
        call.query("include_total", true).expect(200).await.json
    };
    let before = list().await;
    assert_eq!(before["page"]["total"], 3);
    let end = async |session: &Value| {
        let call = harness.call("admin_users_end_session").path("user_uuid", person.uuid).token(&manager.token);
        call.path("session_uuid", session.as_str().unwrap()).send().await.status
    };
    let newest = &before["data"][0]["uuid"];
    assert_eq!((end(newest).await, end(newest).await), (204, 404));
    refused_soon(&harness, "that session ends", &third.token).await;
    assert_eq!(list().await["page"]["total"], 2);
    let other = harness.partner("Weser Software").await;
    let foreign = harness.call("admin_users_end_session").path("user_uuid", other.uuid).token(&manager.token);
    foreign.path("session_uuid", before["data"][1]["uuid"].as_str().unwrap()).expect(404).await;
    let out = on(&harness, &manager, "admin_users_sign_out", person.uuid, &json!({ "reason": "A laptop." })).await;
    assert_eq!((out.str("state"), &out.json["sessions_count"]), ("ACTIVE", &json!(0)));
    for token in [&person.token, &second.token] {
        refused_soon(&harness, "every session ends", token).await;
    }
    let events = ledger(&harness, &manager, person.uuid).await;
    let by_staff = events.iter().find(|event| event["kind"] == "SESSION_ENDED_BY_STAFF").unwrap();
    assert_eq!((&by_staff["session_uuid"], &by_staff["address"]), (newest, &Value::Null), "not from where staff sit");
    let signed_in = events.iter().find(|event| event["kind"] == "SIGN_IN").unwrap();
    assert!(signed_in["address"].is_string());
}

#[tokio::test]
async fn new_email_needs_confirmation_and_old_address_can_cancel() {
    let (harness, manager, person) = cast().await;
    let update = async |body: Value| on(&harness, &manager, "admin_users_update", person.uuid, &body).await;
    let begun = update(json!({ "name": " Mara Voss ", "email": NEW })).await;
    assert_eq!((begun.status, begun.str("name"), begun.str("email")), (200, "Mara Voss", person.email.as_str()));
    assert_eq!(begun.str("pending_email"), NEW);
    harness.call("system_me_get").token(&person.token).expect(200).await;
    assert_eq!(try_password(&harness, NEW, PASSWORD).await.status, 401, "nothing has changed yet");
    let cancel = token_for(&harness, &person.email, "/v1/auth/account:cancel-email-change", 1).await;
    let confirm = token_for(&harness, NEW, "/v1/auth/account:confirm-email", 1).await;
    harness.call("auth_account_confirm_email").json(&json!({ "token": confirm })).expect(200).await;
    refused_soon(&harness, "every session ends", &person.token).await;
    let moved = get(&harness, &manager, person.uuid).await;
    assert_eq!((&moved["email"], &moved["pending_email"]), (&json!(NEW), &Value::Null));
    // While the old address can cancel the change, staff cannot take a step that would give access to the reader of the
    // new address.
    let reader = harness.sign_in(NEW).await;
    let secret = with_factor(&harness, &reader).await;
    for (step, body) in [
        ("admin_users_send_password_reset", json!({})),
        ("admin_users_reset_mfa", json!({ "reason": "Says that the phone is lost." })),
    ] {
        assert_eq!(on(&harness, &manager, step, person.uuid, &body).await.code(), "CONFLICT", "{step}");
    }
    harness.sign_in_with_factor(NEW, &secret).await;
    harness.call("auth_account_cancel_email_change").json(&json!({ "token": cancel })).expect(200).await;
    // The reader of the new address enrolled the factor, so cancelling removed the factor and the password.
    let reset = token_for(&harness, &person.email, "/v1/auth/password-resets:confirm", 1).await;
    let body = json!({ "token": reset, "password": PASSWORD });
    harness.call("auth_passwords_confirm_reset").json(&body).expect(200).await;
    harness.sign_in(&person.email).await;
    assert_eq!(harness.number("select count(*) from totp_factor").await, 1, "the manager's own");
    let reset = on(&harness, &manager, "admin_users_send_password_reset", person.uuid, &json!({})).await;
    assert_eq!(reset.status, 200);
    let same = update(json!({ "email": person.email.to_uppercase() })).await;
    assert_eq!((same.status, &same.json["pending_email"]), (200, &Value::Null));
    assert_eq!(harness.number("select count(*) from email_change").await, 1);
}

#[tokio::test]
async fn users_can_be_filtered_by_each_parameter() {
    let (harness, manager, mara) = cast().await;
    let chief = harness.staff("Chief", &["labs.admin:write"]).await;
    let other = harness.partner("Weser Software").await;
    with_factor(&harness, &other).await;
    harness.sql("update person set name = 'Ada Weser' where email like '%weser%'").await;
    let list = async |by: &Person, query: &[(&str, &str)]| {
        let call = harness.call("admin_users_list").token(&by.token);
        let call = query.iter().fold(call, |call, (name, value)| call.query(name, value));
        let data = call.expect(200).await.json["data"].clone();
        data.as_array().unwrap().iter().map(|one| one["name"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(list(&manager, &[]).await, ["Ada Weser", "Mara Vogel"], "partners' people only");
    assert_eq!(list(&manager, &[("kind", "STAFF_USER")]).await, Vec::<String>::new());
    assert_eq!(list(&chief, &[("sort", "name")]).await, ["Ada Weser", "Chief", "Manager", "Mara Vogel"]);
    assert_eq!(list(&chief, &[("kind", "STAFF_USER"), ("sort", "created_at")]).await, ["Manager", "Chief"]);
    assert_eq!(list(&manager, &[("sort", "-last_sign_in_at")]).await, ["Ada Weser", "Mara Vogel"]);
    assert_eq!(list(&manager, &[("second_factor", "true")]).await, ["Ada Weser"]);
    assert_eq!(list(&manager, &[("q", "NORDSEE")]).await, ["Mara Vogel"], "by the address");
    assert_eq!(list(&manager, &[("state", "LOCKED,ACTIVE"), ("role", "ADMINISTRATOR")]).await.len(), 2);
    assert_eq!(list(&manager, &[("role", "VIEWER")]).await, Vec::<String>::new());
    let partner = mara.partner_uuid.unwrap().to_string();
    assert_eq!(list(&manager, &[("partner_uuid", &partner)]).await, ["Mara Vogel"]);
    assert_eq!(list(&manager, &[("last_sign_in_at_until", "2020-01-01T00:00:00Z")]).await, Vec::<String>::new());
    let page = harness.call("admin_users_list").token(&manager.token).query("limit", 1).query("include_total", true);
    let page = page.expect(200).await.json;
    assert_eq!((&page["page"]["total"], &page["data"][0]["company_name"]), (&json!(2), &json!("Weser Software")));
    let rest = harness.call("admin_users_list").token(&manager.token).query("limit", 1);
    let rest = rest.query("cursor", page["page"]["next_cursor"].as_str().unwrap()).expect(200).await.json;
    assert_eq!(rest["data"][0]["name"], "Mara Vogel");
}
