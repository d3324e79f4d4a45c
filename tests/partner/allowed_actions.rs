//! Tests of `allowed_actions` for a team: the transitions that the current state allows, reduced to the caller's role.

use serde_json::{Value, json};

use super::support_tickets::open;
use super::team::{cast, colleague, invite};
use crate::harness::Harness;
use crate::harness::people::Person;

/// A team's reads, and the actions that its administrator may take on each.
const READS: [(&str, &[&str]); 7] = [
    ("partner_support_tickets_list", &["reply", "close"]),
    ("partner_invitations_list", &["revoke", "resend"]),
    ("partner_team_members_list", &["suspend"]),
    ("partner_account_get", &["request-closure"]),
    ("partner_profile_get", &["publish"]),
    ("subscription_current_get", &["change-tier"]),
    ("subscription_change_requests_list", &["withdraw"]),
];

/// Returns the allowed actions of the first entry in an operation's response.
async fn offered(harness: &Harness, by: &Person, operation: &str) -> Value {
    let call = harness.call(operation).token(&by.token);
    let call =
        if operation.starts_with("partner") { call.path("partner_uuid", by.partner_uuid.unwrap()) } else { call };
    let answer = call.expect(200).await.json;
    answer["data"].get(0).unwrap_or(&answer)["allowed_actions"].clone()
}

#[tokio::test]
async fn writer_gets_allowed_actions_and_reader_gets_none() {
    let (harness, owner) = cast().await;
    open(&harness, &owner, "Webhooks are refused").await;
    let wish = harness.call("subscription_change_requests_create").token(&owner.token);
    wish.json(&json!({ "tier_code": "SCALE" })).expect(201).await;
    let vera = colleague(&harness, &owner, "Vera", "VIEWER").await;
    assert_eq!(invite(&harness, &owner, "ines.ferrer@nordsee.example", "EDITOR").await.status, 201);
    for (operation, expected) in READS {
        assert_eq!(offered(&harness, &owner, operation).await, json!(expected), "{operation}");
        assert_eq!(offered(&harness, &vera, operation).await, json!([]), "{operation}, by who looks on");
    }
    let (mine, team) = (harness.call("partner_team_members_list"), owner.partner_uuid.unwrap());
    let mine = mine.path("partner_uuid", team).query("role", "ADMINISTRATOR").token(&owner.token).expect(200).await;
    assert_eq!(mine.json["data"][0]["allowed_actions"], json!([]), "nobody suspends themselves");
}

#[tokio::test]
async fn actions_on_more_powerful_users_are_not_offered() {
    let (harness, owner) = cast().await;
    let keeper = colleague(&harness, &owner, "Tomas", "ACCOUNTANT").await;
    assert_eq!(invite(&harness, &owner, "ines.ferrer@nordsee.example", "EDITOR").await.status, 201);
    assert_eq!(offered(&harness, &keeper, "partner_invitations_list").await, json!([]), "into a role above their own");
    let team = harness.call("partner_team_members_list").path("partner_uuid", owner.partner_uuid.unwrap());
    let above = team.query("role", "ADMINISTRATOR").token(&keeper.token).expect(200).await;
    assert_eq!(above.json["data"][0]["allowed_actions"], json!([]));
    assert_eq!(invite(&harness, &keeper, "vera@nordsee.example", "VIEWER").await.status, 201);
    assert_eq!(offered(&harness, &keeper, "partner_invitations_list").await, json!(["revoke", "resend"]));
}
