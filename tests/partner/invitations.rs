//! Tests of a team's invitations: send, resend, revoke, and the tier's limit.

use serde_json::{Value, json};

use super::team::{ACCEPT, cast, colleague, invite, noted};
use crate::auth::token_for;
use crate::harness::people::{PASSWORD, Person};
use crate::harness::{Answer, Harness};

const EMAIL: &str = "ines.ferrer@nordsee.example";

async fn on(harness: &Harness, by: &Person, operation: &str, invitation: &str) -> Answer {
    let call = harness.call(operation).path("partner_uuid", by.partner_uuid.unwrap());
    call.path("invitation_uuid", invitation).token(&by.token).send().await
}

async fn list(harness: &Harness, by: &Person, query: &[(&str, &str)]) -> Vec<Value> {
    let call = harness.call("partner_invitations_list").path("partner_uuid", by.partner_uuid.unwrap());
    let call = query.iter().fold(call.token(&by.token), |call, (name, value)| call.query(name, value));
    call.expect(200).await.json["data"].as_array().unwrap().clone()
}

async fn accept(harness: &Harness, token: &str) -> Answer {
    let body = json!({ "token": token, "name": "Ines Ferrer", "password": PASSWORD });
    harness.call("auth_invitations_accept").json(&body).send().await
}

#[tokio::test]
async fn invitation_is_sent_listed_and_accepted() {
    let (harness, owner) = cast().await;
    let sent = invite(&harness, &owner, EMAIL, "EDITOR").await;
    assert_eq!((sent.status, sent.str("state"), sent.str("invited_by_name")), (201, "PENDING", "Mara Vogel"));
    assert_eq!(sent.header("location"), format!("/v1/partner/{}/invitations", owner.partner_uuid.unwrap()));
    assert!(!sent.text().contains("labs_ot_"), "the token stands in the mail alone");
    let uuid = sent.str("uuid").to_owned();
    assert_eq!(noted(&harness, "INVITATION_SENT", uuid.parse().unwrap()).await, 1);
    let token = token_for(&harness, EMAIL, ACCEPT, 1).await;
    let joined = accept(&harness, &token).await;
    assert_eq!(joined.str("role"), "EDITOR");
    let shown = list(&harness, &owner, &[("state", "ACCEPTED")]).await;
    assert_eq!((&shown[0]["uuid"], &shown[0]["user_uuid"]), (&json!(uuid), &joined.json["user_uuid"]));
    for operation in ["partner_invitations_resend", "partner_invitations_revoke"] {
        let refused = on(&harness, &owner, operation, &uuid).await;
        assert_eq!(
            (refused.code(), &refused.json["allowed_actions"]),
            ("ILLEGAL_TRANSITION", &json!([])),
            "{operation}"
        );
    }
}

#[tokio::test]
async fn resending_voids_old_token_and_restarts_expiry() {
    let (harness, owner) = cast().await;
    let sent = invite(&harness, &owner, EMAIL, "EDITOR").await;
    let uuid = sent.str("uuid").to_owned();
    let old = token_for(&harness, EMAIL, ACCEPT, 1).await;
    harness.advance(6 * 86_400).await;
    let owner = harness.sign_in(&owner.email).await;
    let again = on(&harness, &owner, "partner_invitations_resend", &uuid).await;
    assert_eq!((again.status, again.str("state")), (200, "PENDING"));
    assert!(again.str("expires_at") > sent.str("expires_at") && again.str("sent_at") > sent.str("sent_at"));
    assert_eq!(again.str("state_changed_at"), sent.str("state_changed_at"), "it waits since it was sent first");
    assert_eq!(accept(&harness, &old).await.status, 422, "the old token is void");
    harness.advance(2 * 86_400).await;
    let new = token_for(&harness, EMAIL, ACCEPT, 2).await;
    assert_eq!(accept(&harness, &new).await.status, 200);
}

#[tokio::test]
async fn revoked_invitation_is_void_and_frees_its_seat() {
    let (harness, owner) = cast().await;
    harness.sql("update tier_feature set value = '2' where feature_code = 'team_members'").await;
    let uuid = invite(&harness, &owner, EMAIL, "VIEWER").await.str("uuid").to_owned();
    let full = invite(&harness, &owner, "b@nordsee.example", "VIEWER").await;
    assert_eq!((full.status, full.code(), &full.json["used"]), (409, "ENTITLEMENT_EXCEEDED", &json!(2)));
    let revoked = on(&harness, &owner, "partner_invitations_revoke", &uuid).await;
    assert_eq!((revoked.status, revoked.str("state")), (200, "REVOKED"));
    let token = token_for(&harness, EMAIL, ACCEPT, 1).await;
    assert_eq!(accept(&harness, &token).await.status, 422);
    let again = on(&harness, &owner, "partner_invitations_resend", &uuid).await;
    assert_eq!((again.status, again.code()), (409, "ILLEGAL_TRANSITION"));
    assert_eq!(invite(&harness, &owner, "b@nordsee.example", "VIEWER").await.status, 201);
}

#[tokio::test]
async fn expired_invitation_can_be_resent_if_a_seat_is_free() {
    let (harness, owner) = cast().await;
    harness.sql("update tier_feature set value = '2' where feature_code = 'team_members'").await;
    let uuid = invite(&harness, &owner, EMAIL, "VIEWER").await.str("uuid").to_owned();
    token_for(&harness, EMAIL, ACCEPT, 1).await;
    harness.advance(7 * 86_400 + 1).await;
    let owner = harness.sign_in(&owner.email).await;
    for is_swept in [false, true] {
        let shown = list(&harness, &owner, &[("state", "EXPIRED")]).await;
        assert_eq!((shown.len(), &shown[0]["state_changed_at"]), (1, &shown[0]["expires_at"]), "swept: {is_swept}");
        harness.run_job("TIDYING").await;
    }
    assert_eq!(list(&harness, &owner, &[("state", "PENDING")]).await, Vec::<Value>::new());
    let late = on(&harness, &owner, "partner_invitations_revoke", &uuid).await;
    assert_eq!((late.code(), &late.json["allowed_actions"]), ("ILLEGAL_TRANSITION", &json!(["resend"])));
    let other = invite(&harness, &owner, "b@nordsee.example", "VIEWER").await;
    assert_eq!(other.status, 201, "its place was free");
    assert_eq!(on(&harness, &owner, "partner_invitations_resend", &uuid).await.code(), "ENTITLEMENT_EXCEEDED");
    on(&harness, &owner, "partner_invitations_revoke", other.str("uuid")).await;
    assert_eq!(on(&harness, &owner, "partner_invitations_resend", &uuid).await.str("state"), "PENDING");
    let token = token_for(&harness, EMAIL, ACCEPT, 2).await;
    assert_eq!(accept(&harness, &token).await.status, 200);
}

#[tokio::test]
async fn repeated_invitations_are_rejected_and_mails_limited() {
    let (harness, owner) = cast().await;
    assert_eq!(invite(&harness, &owner, &owner.email.to_uppercase(), "VIEWER").await.code(), "CONFLICT", "a member");
    let uuid = invite(&harness, &owner, EMAIL, "VIEWER").await.str("uuid").to_owned();
    assert_eq!(invite(&harness, &owner, EMAIL, "VIEWER").await.code(), "CONFLICT", "invited already");
    for number in 0..4 {
        assert_eq!(on(&harness, &owner, "partner_invitations_resend", &uuid).await.status, 200, "{number}");
    }
    let flooded = on(&harness, &owner, "partner_invitations_resend", &uuid).await;
    assert_eq!((flooded.status, flooded.code()), (429, "RATE_LIMITED"));
    let both = invite(&harness, &owner, "not an address", "VIEWER").await;
    assert_eq!((both.status, &both.json["errors"][0]["pointer"]), (422, &json!("/email")));
    harness.sql("update partner set state = 'CLOSING', closes_at = now() + interval '9 days'").await;
    assert_eq!(invite(&harness, &owner, "b@nordsee.example", "VIEWER").await.code(), "CONFLICT", "nobody could accept");
}

#[tokio::test]
async fn invitation_is_resent_or_revoked_only_with_right_to_grant() {
    let (harness, owner) = cast().await;
    let anna = colleague(&harness, &owner, "Anna", "ACCOUNTANT").await;
    let other = harness.partner("Weser Software").await;
    let uuid = invite(&harness, &owner, EMAIL, "ADMINISTRATOR").await.str("uuid").to_owned();
    for operation in ["partner_invitations_resend", "partner_invitations_revoke"] {
        assert_eq!(on(&harness, &anna, operation, &uuid).await.code(), "SCOPE_MISSING", "{operation}");
        assert_eq!(on(&harness, &other, operation, &uuid).await.status, 404, "{operation}");
    }
    assert_eq!(list(&harness, &other, &[]).await, Vec::<Value>::new());
    let found = list(&harness, &anna, &[("q", "FERRER"), ("role", "ADMINISTRATOR"), ("sort", "created_at")]).await;
    assert_eq!(found.len(), 1);
    let oldest = list(&harness, &anna, &[("sort", "created_at")]).await;
    let mut newest = list(&harness, &anna, &[]).await;
    newest.reverse();
    assert_eq!(oldest, newest);
}

#[tokio::test]
async fn daily_invitation_limit_counts_revoked_invitations() {
    let (harness, owner) = cast().await;
    // The limit of two team members allows twenty-two mails a day.
    harness.sql("update tier_feature set value = '2' where feature_code = 'team_members'").await;
    let number = |n: usize| format!("stranger-{n}@elsewhere.example");
    for n in 0..20 {
        let sent = invite(&harness, &owner, &number(n), "EDITOR").await;
        assert_eq!(sent.status, 201, "{}", sent.text());
        on(&harness, &owner, "partner_invitations_revoke", sent.str("uuid")).await;
    }
    let last = invite(&harness, &owner, &number(20), "EDITOR").await.str("uuid").to_owned();
    let again = || on(&harness, &owner, "partner_invitations_resend", &last);
    let answers = futures_util::future::join_all((0..4).map(|_| again())).await;
    assert_eq!(answers.iter().filter(|answer| answer.status == 200).count(), 1, "one of those at once: {answers:?}");
    let refused = again().await;
    assert_eq!((refused.status, refused.code(), &refused.json["budget"]), (429, "RATE_LIMITED", &json!("daily")));
    assert!((1..=86_400).contains(&refused.header("retry-after").parse().unwrap()));
    on(&harness, &owner, "partner_invitations_revoke", &last).await;
    assert_eq!(invite(&harness, &owner, &number(21), "EDITOR").await.code(), "RATE_LIMITED");
    assert_eq!(harness.number("select count(*) from mail_message where kind = 'INVITATION'").await, 22);
    let staff = harness.staff("Sina Support", &["labs.admin.users:write"]).await;
    let call =
        harness.call("admin_invitations_create").path("partner_uuid", owner.partner_uuid.unwrap()).token(&staff.token);
    let body = json!({ "email": number(22), "role": "EDITOR", "reason": "They cannot any more today" });
    call.json(&body).expect(201).await;
    harness.advance(86_400).await;
    let owner = harness.sign_in(&owner.email).await;
    harness.sql("update invitation set state = 'REVOKED' where state = 'PENDING'").await;
    assert_eq!(invite(&harness, &owner, &number(23), "EDITOR").await.status, 201, "the next day is another");
}
