//! Tests of `allowed_actions` for staff: the transitions that the current state allows, reduced to the caller's scopes.

use serde_json::{Value, json};
use uuid::Uuid;

use crate::harness::Harness;
use crate::partner::support_tickets::open;
use crate::partner::team::{colleague, invite};

/// Staff reads, and the actions that a caller with every scope may take on the first entry of each.
const READS: [(&str, &[&str]); 15] = [
    ("partner_support_desk_list", &["answer", "resolve", "close"]),
    ("admin_invitations_list", &["revoke", "resend"]),
    ("admin_team_members_list", &["lock"]),
    ("admin_users_get", &["lock"]),
    ("admin_staff_list", &["disable"]),
    ("admin_partners_get", &["suspend", "close"]),
    ("admin_profiles_get", &[]),
    ("admin_subscriptions_get", &["change-tier"]),
    ("admin_tier_change_requests_list", &["approve", "reject"]),
    ("admin_machine_clients_list", &["disable"]),
    ("admin_jobs_list", &["run"]),
    ("admin_mail_messages_list", &["retry"]),
    ("marketplace_categories_list", &["deactivate", "move"]),
    ("subscription_tiers_list", &["retire"]),
    ("subscription_tiers_list_subscribers", &["change-tier"]),
];

/// Returns the allowed actions of the first entry in an operation's response.
async fn offered(harness: &Harness, token: &str, operation: &str, places: &[(&str, Uuid)]) -> Value {
    let path = &crate::harness::contract().operation(operation).unwrap().path;
    let named = places.iter().filter(|(name, _)| path.contains(&format!("{{{name}}}")));
    let call = named.fold(harness.call(operation).token(token), |call, (name, uuid)| call.path(name, uuid));
    let answer = call.expect(200).await.json;
    answer["data"].get(0).unwrap_or(&answer)["allowed_actions"].clone()
}

#[tokio::test]
async fn writer_gets_allowed_actions_and_reader_gets_none() {
    let (harness, owner) = crate::partner::team::cast().await;
    let chief = harness.staff("Chief", &["labs.admin:write"]).await;
    let reader = harness.staff("Reader", &["labs.admin"]).await;
    open(&harness, &owner, "Webhooks are refused").await;
    let wish = harness.call("subscription_change_requests_create").token(&owner.token);
    wish.json(&json!({ "tier_code": "SCALE" })).expect(201).await;
    let category = harness.call("marketplace_categories_create").token(&chief.token);
    category.json(&json!({ "names": { "en": "Ordering" } })).expect(201).await;
    harness.program("release tool", &["statistics:write"], None).await;
    let vera = colleague(&harness, &owner, "Vera", "VIEWER").await;
    assert_eq!(invite(&harness, &owner, "ines.ferrer@nordsee.example", "EDITOR").await.status, 201);
    harness.until("select count(*) from mail_message where state = 'QUEUED'", 0).await;
    harness.sql("update mail_message set state = 'FAILED', sent_at = null").await;
    let free = "select tier_uuid from tier where code = 'FREE'";
    let free: Uuid = sqlx::query_scalar(free).fetch_one(&mut harness.owner().await).await.unwrap();
    let places = [("partner_uuid", owner.partner_uuid.unwrap()), ("user_uuid", vera.uuid), ("tier_uuid", free)];
    for (operation, expected) in READS {
        assert_eq!(offered(&harness, &chief.token, operation, &places).await, json!(expected), "{operation}");
        assert_eq!(offered(&harness, &reader.token, operation, &places).await, json!([]), "{operation}, by who reads");
    }
}

#[tokio::test]
async fn disable_is_not_offered_for_more_powerful_staff_member() {
    let harness = Harness::new().await;
    let chief = harness.staff("Chief", &["labs.admin:write"]).await;
    let keeper = harness.staff("Keeper", &["labs.admin.staff:write"]).await;
    let told =
        async |person: Uuid| offered(&harness, &keeper.token, "admin_staff_get", &[("staff_uuid", person)]).await;
    assert_eq!(told(chief.uuid).await, json!([]));
    assert_eq!(told(keeper.uuid).await, json!(["disable"]), "of the same scopes");
}

#[tokio::test]
async fn unlock_is_offered_for_blocked_sign_in() {
    let harness = Harness::new().await;
    let manager = harness.staff("Manager", &["labs.admin.users:write"]).await;
    let chief = harness.staff("Chief", &["labs.admin:write"]).await;
    let person = harness.partner("Nordsee Kassen").await;
    let told =
        async |token: &str, person: Uuid| offered(&harness, token, "admin_users_get", &[("user_uuid", person)]).await;
    for _ in 0..8 {
        let body = json!({ "email": person.email, "password": "a wrong password of some length" });
        harness.call("auth_sessions_create").json(&body).send().await;
    }
    harness
        .sql("update sign_in_failure set held_until = now() + interval '10 minutes' where account is not null")
        .await;
    assert_eq!(told(&manager.token, person.uuid).await, json!(["lock", "unlock"]));
    assert_eq!(told(&chief.token, manager.uuid).await, json!([]), "staff are changed elsewhere");
}
