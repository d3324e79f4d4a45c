//! Tests of staff members: invitation, enrolment of a second factor, search, disable and enable.

use serde_json::{Value, json};
use uuid::Uuid;

use crate::harness::people::{PASSWORD, Person};
use crate::harness::{Answer, Harness};

const EMAIL: &str = "jonas@labs.example";

async fn harness() -> (Harness, Person) {
    let harness = Harness::new().await;
    let chief = harness.staff("Chief", &["labs.admin:write"]).await;
    (harness, chief)
}

async fn invite(harness: &Harness, by: &Person, email: &str, roles: &[&str]) -> Answer {
    let body = json!({ "name": "Jonas Okafor", "email": email, "roles": roles });
    harness.call("admin_staff_create").token(&by.token).json(&body).send().await
}

async fn on(harness: &Harness, by: &Person, operation: &str, person: Uuid, body: &Value) -> Answer {
    harness.call(operation).path("staff_uuid", person).token(&by.token).json(body).send().await
}

async fn get(harness: &Harness, by: &Person, person: Uuid) -> Value {
    harness.call("admin_staff_get").path("staff_uuid", person).token(&by.token).expect(200).await.json
}

/// Sets a password with the token of an invitation.
async fn accept(harness: &Harness, token: &str) -> Answer {
    harness.call("auth_passwords_confirm_reset").json(&json!({ "token": token, "password": PASSWORD })).send().await
}

async fn status(harness: &Harness, token: &str) -> u16 {
    harness.call("system_me_get").token(token).send().await.status
}

async fn scopes(harness: &Harness, token: &str) -> Vec<String> {
    let me = harness.call("system_me_get").token(token).expect(200).await.json;
    me["scopes"].as_array().unwrap().iter().map(|scope| scope.as_str().unwrap().to_owned()).collect()
}

fn uuid(answer: &Answer) -> Uuid {
    answer.str("uuid").parse().unwrap()
}

#[tokio::test]
async fn invited_staff_member_sets_password_and_second_factor() {
    let (harness, chief) = harness().await;
    let invited = invite(&harness, &chief, EMAIL, &["AUDITOR"]).await;
    assert_eq!((invited.status, invited.str("state")), (201, "INVITED"));
    assert_eq!(invited.header("location"), format!("/v1/admin/staff/{}", invited.str("uuid")));
    assert!(invited.json["invitation_expires_at"].is_string());
    assert_eq!(invite(&harness, &chief, EMAIL, &["AUDITOR"]).await.code(), "CONFLICT");
    let token = harness.mailed_token(EMAIL).await;
    assert_eq!(accept(&harness, &token).await.status, 200);
    assert_ne!(accept(&harness, &token).await.status, 200, "once");
    let jonas = harness.sign_in(EMAIL).await;
    assert_eq!(scopes(&harness, &jonas.token).await, ["auth.account:write"], "nothing before a factor is in force");
    harness.call("admin_audit_records_list").token(&jonas.token).expect(403).await;
    let secret = harness.call("auth_mfa_enrol_totp").token(&jonas.token).expect(201).await.str("secret").to_owned();
    let code = json!({ "code": harness.code(&secret) });
    harness.call("auth_mfa_confirm_totp").token(&jonas.token).json(&code).expect(200).await;
    let audits = async || harness.call("admin_audit_records_list").token(&jonas.token).send().await.status == 200;
    harness.soon("the roles open what they open", audits).await;
    let shown = get(&harness, &chief, jonas.uuid).await;
    assert_eq!((&shown["state"], &shown["invitation_expires_at"]), (&json!("ACTIVE"), &Value::Null));
    assert!(shown["second_factor_confirmed_at"].is_string());
    assert_eq!(shown["effective_scopes"], json!(["auth.account:write", "labs.admin.audit", "labs.admin.overview"]));
}

#[tokio::test]
async fn invitation_lasts_one_week_and_is_replaced_by_next() {
    let (harness, chief) = harness().await;
    let jonas = uuid(&invite(&harness, &chief, EMAIL, &["AUDITOR"]).await);
    let first = harness.mailed_token(EMAIL).await;
    let again =
        on(&harness, &chief, "admin_staff_update", jonas, &json!({ "email": "jonas.okafor@labs.example" })).await;
    assert_eq!((again.status, again.str("email")), (200, "jonas.okafor@labs.example"));
    let second = harness.mailed_token("jonas.okafor@labs.example").await;
    assert_ne!(accept(&harness, &first).await.status, 200, "the former is void");
    harness.advance(8 * 86_400).await;
    assert_ne!(accept(&harness, &second).await.status, 200, "too late");
    let open = "select count(*) from one_time_token where purpose = 'STAFF_INVITATION' and used_at is null";
    assert_eq!(harness.number(open).await, 1);
}

#[tokio::test]
async fn disabled_staff_member_is_signed_out_and_restored_when_enabled() {
    let (harness, chief) = harness().await;
    let clerk = harness.staff("Clerk", &["labs.admin.audit"]).await;
    assert_eq!(on(&harness, &chief, "admin_staff_disable", clerk.uuid, &json!({})).await.status, 422, "with a reason");
    let reason = json!({ "reason": "Left the company on Friday." });
    let disabled = on(&harness, &chief, "admin_staff_disable", clerk.uuid, &reason).await;
    assert_eq!((disabled.str("state"), &disabled.json["sessions_count"]), ("DISABLED", &json!(0)));
    harness.soon("sessions end", async || status(&harness, &clerk.token).await != 200).await;
    harness.call("auth_sessions_refresh").cookie(&clerk.refresh).json(&json!({})).expect(401).await;
    let body = json!({ "email": clerk.email, "password": PASSWORD });
    assert_ne!(harness.call("auth_sessions_create").json(&body).send().await.code(), "MFA_REQUIRED");
    let again = on(&harness, &chief, "admin_staff_disable", clerk.uuid, &reason).await;
    assert_eq!((again.code(), &again.json["allowed_actions"]), ("ILLEGAL_TRANSITION", &json!(["enable"])));
    let recorded = "select count(*) from audit_log where operation = 'admin_staff_disable' and outcome = 'SUCCEEDED'
                       and reason = 'Left the company on Friday.' and target_label = 'Clerk'";
    assert_eq!(harness.number(recorded).await, 1);
    let enabled =
        harness.call("admin_staff_enable").path("staff_uuid", clerk.uuid).token(&chief.token).expect(200).await;
    assert_eq!(enabled.str("state"), "ACTIVE");
    assert_eq!(enabled.json["roles"][0]["code"], "T_CLERK");
    let back = harness.sign_in_with_factor(&clerk.email, clerk.totp.as_ref().unwrap()).await;
    harness.call("admin_audit_records_list").token(&back.token).expect(200).await;
    assert_eq!(status(&harness, &clerk.token).await, 401, "the old session stays ended");
    let told = "select count(*) from mail_message where kind = 'SECURITY' and recipient = 'clerk@labs.example'";
    assert_eq!(harness.number(told).await, 2);
}

#[tokio::test]
async fn enabling_unaccepted_staff_member_sends_new_invitation() {
    let (harness, chief) = harness().await;
    let jonas = uuid(&invite(&harness, &chief, EMAIL, &["AUDITOR"]).await);
    let first = harness.mailed_token(EMAIL).await;
    on(&harness, &chief, "admin_staff_disable", jonas, &json!({ "reason": "Not yet." })).await;
    assert_ne!(accept(&harness, &first).await.status, 200);
    let enabled = on(&harness, &chief, "admin_staff_enable", jonas, &json!({ "reason": "Now." })).await;
    assert_eq!((enabled.status, enabled.str("state")), (200, "INVITED"));
    let invitations = "select count(*) from mail_message where kind = 'STAFF_INVITATION'";
    assert_eq!(harness.number(invitations).await, 2);
}

#[tokio::test]
async fn lost_second_factor_is_reset_with_a_reason() {
    let (harness, chief) = harness().await;
    let clerk = harness.staff("Clerk", &["labs.admin.audit"]).await;
    assert_eq!(on(&harness, &chief, "admin_staff_reset_mfa", clerk.uuid, &json!({ "reason": " " })).await.status, 422);
    let reason = json!({ "reason": "Lost the phone; recognised on a video call." });
    let reset = on(&harness, &chief, "admin_staff_reset_mfa", clerk.uuid, &reason).await;
    assert_eq!((reset.status, &reset.json["second_factor_confirmed_at"]), (200, &Value::Null));
    harness.soon("sessions end", async || status(&harness, &clerk.token).await == 401).await;
    let back = harness.sign_in(&clerk.email).await;
    assert_eq!(scopes(&harness, &back.token).await, ["auth.account:write"], "to enrol another");
    harness.call("auth_mfa_enrol_totp").token(&back.token).expect(201).await;
    assert_eq!(on(&harness, &chief, "admin_staff_reset_mfa", clerk.uuid, &reason).await.code(), "CONFLICT");
    assert_eq!(harness.number("select count(*) from recovery_code where person_uuid <> (select person_uuid from person where email = 'chief@labs.example')").await, 0);
    let recorded = "select count(*) from audit_log join audit_change using (record_uuid)
                     where operation = 'admin_staff_reset_mfa' and reason like 'Lost the phone%' and thing = 'totp_factor'
                       and action = 'DELETE' and before::text !~ 'sealed'";
    assert_eq!(harness.number(recorded).await, 1);
    let told = harness.mails_to(&clerk.email).await;
    assert!(told.iter().any(|mail| mail.contains("Second factor reset")), "{told:?}");
}

#[tokio::test]
async fn staff_sign_out_ends_every_session_only() {
    let (harness, chief) = harness().await;
    let clerk = harness.staff("Clerk", &["labs.admin.audit"]).await;
    let second = harness.sign_in_with_factor(&clerk.email, clerk.totp.as_ref().unwrap()).await;
    assert_eq!(get(&harness, &chief, clerk.uuid).await["sessions_count"], 2);
    let out = harness.call("admin_staff_sign_out").path("staff_uuid", clerk.uuid).token(&chief.token).expect(200).await;
    assert_eq!((out.str("state"), &out.json["sessions_count"]), ("ACTIVE", &json!(0)));
    for token in [&clerk.token, &second.token] {
        harness.soon("every session ends", async || status(&harness, token).await == 401).await;
    }
    harness.sign_in_with_factor(&clerk.email, clerk.totp.as_ref().unwrap()).await;
}

#[tokio::test]
async fn email_change_notifies_both_addresses_and_ends_sessions() {
    let (harness, chief) = harness().await;
    let clerk = harness.staff("Clerk", &["labs.admin.audit"]).await;
    let renamed = on(&harness, &chief, "admin_staff_update", clerk.uuid, &json!({ "name": "Clara Klein" })).await;
    assert_eq!((renamed.str("name"), status(&harness, &clerk.token).await), ("Clara Klein", 200));
    let moved = on(&harness, &chief, "admin_staff_update", clerk.uuid, &json!({ "email": "clara@labs.example" })).await;
    assert_eq!((moved.status, moved.str("email")), (200, "clara@labs.example"));
    harness.soon("sessions end", async || status(&harness, &clerk.token).await == 401).await;
    for address in ["clerk@labs.example", "clara@labs.example"] {
        assert_eq!(harness.mails_to(address).await.len(), 1, "{address}");
    }
    harness.sign_in_with_factor("clara@labs.example", clerk.totp.as_ref().unwrap()).await;
    let taken = on(&harness, &chief, "admin_staff_update", clerk.uuid, &json!({ "email": "chief@labs.example" })).await;
    assert_eq!((taken.code(), &taken.json["errors"][0]["pointer"]), ("CONFLICT", &json!("/email")));
}

#[tokio::test]
async fn staff_can_be_filtered_by_each_parameter() {
    let (harness, chief) = harness().await;
    let clerk = harness.staff("Clerk", &["labs.admin.audit"]).await;
    invite(&harness, &chief, EMAIL, &["REVIEWER", "EDITOR"]).await;
    harness.partner("Nordsee Kassen").await;
    let list = async |query: &[(&str, &str)]| {
        let call = harness.call("admin_staff_list").token(&chief.token);
        let call = query.iter().fold(call, |call, (name, value)| call.query(name, value));
        let data = call.expect(200).await.json["data"].clone();
        data.as_array().unwrap().iter().map(|one| one["name"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(list(&[]).await, ["Jonas Okafor", "Clerk", "Chief"], "staff only");
    assert_eq!(list(&[("sort", "name")]).await, ["Chief", "Clerk", "Jonas Okafor"]);
    assert_eq!(list(&[("sort", "-last_sign_in_at")]).await[2], "Jonas Okafor");
    assert_eq!(list(&[("state", "INVITED")]).await, ["Jonas Okafor"]);
    assert_eq!(list(&[("role", "EDITOR,T_CLERK"), ("sort", "created_at")]).await, ["Clerk", "Jonas Okafor"]);
    assert_eq!(list(&[("scope", "labs.admin.audit"), ("sort", "name")]).await, ["Chief", "Clerk"]);
    assert_eq!(list(&[("second_factor", "false")]).await, ["Jonas Okafor"]);
    assert_eq!(list(&[("q", "JONAS@")]).await, ["Jonas Okafor"]);
    assert_eq!(list(&[("last_sign_in_at_until", "2020-01-01T00:00:00Z")]).await, Vec::<String>::new());
    let page = harness.call("admin_staff_list").token(&chief.token).query("limit", 2).query("include_total", true);
    let page = page.expect(200).await.json;
    assert_eq!((&page["page"]["total"], &page["page"]["has_more"]), (&json!(3), &json!(true)));
    let rest = harness.call("admin_staff_list").token(&chief.token).query("limit", 2);
    let rest = rest.query("cursor", page["page"]["next_cursor"].as_str().unwrap()).expect(200).await.json;
    assert_eq!(rest["data"][0]["name"], "Chief");
    let shown = get(&harness, &chief, clerk.uuid).await;
    assert_eq!(
        (&shown["sessions_count"], &shown["roles"]),
        (&json!(1), &json!([{ "code": "T_CLERK", "name": "Clerk" }]))
    );
}
