//! Tests of actions that operators may not take on users, and of users that these operations do not cover.

use serde_json::{Value, json};
use uuid::Uuid;

use crate::auth::token_for;
use crate::harness::people::Person;
use crate::harness::{Answer, Harness};

async fn on(harness: &Harness, by: &Person, operation: &str, person: Uuid, body: &Value) -> Answer {
    harness.call(operation).path("user_uuid", person).token(&by.token).json(body).send().await
}

/// Every write operation, with a valid body.
fn writes() -> [(&'static str, Value); 7] {
    let reason = json!({ "reason": "A test." });
    [
        ("admin_users_update", json!({ "email": "mine@labs.example" })),
        ("admin_users_lock", reason.clone()),
        ("admin_users_unlock", reason.clone()),
        ("admin_users_verify_email", reason.clone()),
        ("admin_users_send_password_reset", reason.clone()),
        ("admin_users_reset_mfa", reason.clone()),
        ("admin_users_sign_out", reason),
    ]
}

#[tokio::test]
async fn staff_users_are_managed_only_through_staff_operations() {
    let harness = Harness::new().await;
    let manager = harness.staff("Manager", &["labs.admin.users:write"]).await;
    let chief = harness.staff("Chief", &["labs.admin:write"]).await;
    let clerk = harness.staff("Clerk", &["labs.admin.engagement"]).await;
    for person in [clerk.uuid, chief.uuid, manager.uuid] {
        for (operation, body) in writes() {
            let unseen = on(&harness, &manager, operation, person, &body).await;
            assert_eq!((unseen.status, unseen.code()), (404, "NOT_FOUND"), "{operation}");
            let refused = on(&harness, &chief, operation, person, &body).await;
            assert_eq!((refused.status, refused.code()), (409, "CONFLICT"), "{operation}");
            assert!(refused.str("detail").contains("/v1/admin/staff"), "{operation}");
        }
        for read in ["admin_users_get", "admin_users_list_sessions", "admin_users_list_security_events"] {
            harness.call(read).path("user_uuid", person).token(&manager.token).expect(404).await;
            harness.call(read).path("user_uuid", person).token(&chief.token).expect(200).await;
        }
    }
    let sessions = harness.call("admin_users_list_sessions").path("user_uuid", clerk.uuid).token(&chief.token);
    let session = sessions.expect(200).await.json["data"][0]["uuid"].as_str().unwrap().to_owned();
    for (by, status) in [(&manager, 404), (&chief, 409)] {
        let end = harness.call("admin_users_end_session").path("user_uuid", clerk.uuid).path("session_uuid", &session);
        assert_eq!(end.token(&by.token).send().await.status, status);
    }
    harness.call("system_me_get").token(&clerk.token).expect(200).await;
    let changed = "select count(*) from audit_change join audit_log using (record_uuid)
                    where operation like 'admin_users_%'";
    assert_eq!(harness.number(changed).await, 0);
    let seen = "select count(*) from audit_log where operation like 'admin_users_%' and outcome = 'REFUSED'
                   and target_uuid is not null";
    assert!(harness.number(seen).await >= 42, "and every try is in the audit log");
}

#[tokio::test]
async fn email_change_requires_active_user_and_unused_address() {
    let harness = Harness::new().await;
    harness.sql("update tier set burst_per_second = 1000").await;
    let manager = harness.staff("Manager", &["labs.admin.users:write"]).await;
    let person = harness.partner("Nordsee Kassen").await;
    let other = harness.partner("Weser Software").await;
    let update = async |body: Value| on(&harness, &manager, "admin_users_update", person.uuid, &body).await;
    let taken = update(json!({ "email": other.email.to_uppercase() })).await;
    assert_eq!((taken.code(), &taken.json["errors"][0]["pointer"]), ("CONFLICT", &json!("/email")));
    // Normalisation turns this one letter into three.
    for (bad, pointer) in [
        (json!({ "name": "\u{fb2c}".repeat(41), "email": "mara@127.0.0.1" }), "/name"),
        (json!({ "name": "Mara", "email": "mara@127.0.0.1" }), "/email"),
    ] {
        let bad = update(bad).await;
        let told = bad.json["errors"].as_array().unwrap().iter().map(|error| error["pointer"].as_str().unwrap());
        assert_eq!((bad.status, told.collect::<Vec<_>>()), (422, vec![pointer]));
    }
    on(&harness, &manager, "admin_users_lock", person.uuid, &json!({ "reason": "A test." })).await;
    for (operation, body) in [
        ("admin_users_update", json!({ "email": "new@nordsee.example" })),
        ("admin_users_send_password_reset", json!({})),
    ] {
        let refused = on(&harness, &manager, operation, person.uuid, &body).await;
        assert_eq!((refused.status, refused.code()), (409, "CONFLICT"), "{operation}");
    }
    assert_eq!(update(json!({ "name": "Mara Voss" })).await.str("name"), "Mara Voss", "a name is only a name");
    assert_eq!(harness.number("select count(*) from email_change").await, 0);
}

#[tokio::test]
async fn lock_voids_pending_email_change_and_keeps_owner_recovery() {
    let harness = Harness::new().await;
    harness.sql("update tier set burst_per_second = 1000").await;
    let manager = harness.staff("Manager", &["labs.admin.users:write"]).await;
    let person = harness.partner("Nordsee Kassen").await;
    let thief = json!({ "email": "thief@elsewhere.example" });
    harness.call("auth_account_change_email").token(&person.token).json(&thief).expect(202).await;
    let confirm = token_for(&harness, "thief@elsewhere.example", "/v1/auth/account:confirm-email", 1).await;
    let cancel = token_for(&harness, &person.email, "/v1/auth/account:cancel-email-change", 1).await;
    let reason = json!({ "reason": "The owner called." });
    let locked = on(&harness, &manager, "admin_users_lock", person.uuid, &reason).await;
    assert_eq!(locked.json["pending_email"], Value::Null);
    on(&harness, &manager, "admin_users_unlock", person.uuid, &reason).await;
    harness.call("auth_account_confirm_email").json(&json!({ "token": confirm })).expect(422).await;
    harness.call("auth_account_cancel_email_change").json(&json!({ "token": cancel })).expect(200).await;
}
