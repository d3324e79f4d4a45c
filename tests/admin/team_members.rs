//! Tests of the administration of a partner's team and of invitations on its behalf.

use serde_json::{Value, json};
use uuid::Uuid;

use crate::auth::token_for;
use crate::harness::people::{PASSWORD, Person};
use crate::harness::{Answer, Harness};
use crate::partner::team::{ACCEPT, cast, colleague, refused_soon};

async fn with_staff() -> (Harness, Person, Person) {
    let (harness, owner) = cast().await;
    let manager = harness.staff("Manager", &["labs.admin.users:write"]).await;
    (harness, manager, owner)
}

async fn set_role(harness: &Harness, by: &Person, partner: Uuid, person: Uuid, role: &str) -> Answer {
    let call = harness.call("admin_team_members_set_role").path("partner_uuid", partner).path("user_uuid", person);
    call.token(&by.token).json(&json!({ "role": role, "reason": "Asked for in writing." })).send().await
}

async fn invitation(
    harness: &Harness,
    by: &Person,
    operation: &str,
    partner: Uuid,
    uuid: &str,
    body: &Value,
) -> Answer {
    let call = harness.call(operation).path("partner_uuid", partner).path("invitation_uuid", uuid);
    call.token(&by.token).json(body).send().await
}

#[tokio::test]
async fn team_without_administrator_gets_one_from_staff() {
    let (harness, manager, owner) = with_staff().await;
    let partner = owner.partner_uuid.unwrap();
    let tomas = colleague(&harness, &owner, "Tomas", "DEVELOPER").await;
    assert_eq!(
        set_role(&harness, &manager, partner, owner.uuid, "VIEWER").await.code(),
        "CONFLICT",
        "the last one stays"
    );
    let lock = harness.call("admin_users_lock").path("user_uuid", owner.uuid).token(&manager.token);
    lock.json(&json!({ "reason": "In wrong hands." })).expect(200).await;
    let given = set_role(&harness, &manager, partner, tomas.uuid, "ADMINISTRATOR").await;
    assert_eq!((given.status, given.str("role")), (200, "ADMINISTRATOR"));
    assert!(given.json["scopes"].as_array().unwrap().contains(&json!("partner:write")));
    let told = format!(
        "select count(*) from partner_event where kind = 'MEMBER_ROLE_CHANGED' and subject_uuid = '{}'
            and actor_kind = 'STAFF_USER' and reason = 'Asked for in writing.'",
        tomas.uuid
    );
    assert_eq!(harness.number(&told).await, 1, "the partner reads why");
    let recorded = format!(
        "select count(*) from audit_log join audit_change using (record_uuid)
          where operation = 'admin_team_members_set_role' and outcome = 'SUCCEEDED' and reason = 'Asked for in writing.'
            and target_uuid = '{}' and audit_log.partner_uuid = '{partner}' and after ->> 'role' = 'ADMINISTRATOR'",
        tomas.uuid
    );
    assert_eq!(harness.number(&recorded).await, 1);
    let may = async || {
        let call = harness.call("partner_invitations_create").path("partner_uuid", partner).token(&tomas.token);
        call.json(&json!({ "email": "x@nordsee.example", "role": "EDITOR" })).send().await.status != 403
    };
    harness.soon("the role is in force", may).await;
}

#[tokio::test]
async fn staff_list_any_team_and_remove_members_with_reason() {
    let (harness, manager, owner) = with_staff().await;
    let partner = owner.partner_uuid.unwrap();
    let tomas = colleague(&harness, &owner, "Tomas", "DEVELOPER").await;
    let other = harness.partner("Weser Software").await;
    let list = harness.call("admin_team_members_list").path("partner_uuid", partner).token(&manager.token);
    let list = list.query("include_total", true).query("limit", 1).query("sort", "name").expect(200).await;
    assert_eq!((&list.json["page"]["total"], &list.json["data"][0]["name"]), (&json!(2), &json!("Mara Vogel")));
    let remove = |partner: Uuid, person: Uuid| {
        let call = harness.call("admin_team_members_remove").path("partner_uuid", partner).path("user_uuid", person);
        call.token(&manager.token)
    };
    remove(partner, tomas.uuid).expect(422).await;
    remove(partner, other.uuid).query("reason", "A slip.").expect(404).await;
    remove(partner, owner.uuid).query("reason", "A slip.").expect(409).await;
    remove(partner, tomas.uuid).query("reason", "Left the company.").expect(204).await;
    refused_soon(&harness, "sessions end", &tomas.token).await;
    let told = "select count(*) from partner_event where kind = 'MEMBER_REMOVED' and reason = 'Left the company.'";
    assert_eq!(harness.number(told).await, 1);
    let recorded =
        "select count(*) from audit_log where operation = 'admin_team_members_remove' and outcome = 'SUCCEEDED'
                       and reason = 'Left the company.' and target_label = 'Tomas'";
    assert_eq!(harness.number(recorded).await, 1);
    let nowhere = harness.call("admin_team_members_list").path("partner_uuid", Uuid::from_u128(7));
    nowhere.token(&manager.token).expect(404).await;
    assert_eq!(set_role(&harness, &manager, partner, other.uuid, "VIEWER").await.status, 404);
}

#[tokio::test]
async fn staff_create_resend_and_revoke_team_invitations() {
    let (harness, manager, owner) = with_staff().await;
    let partner = owner.partner_uuid.unwrap();
    let create = async |email: &str, body: Value| {
        let call = harness.call("admin_invitations_create").path("partner_uuid", partner).token(&manager.token);
        let mut body = body;
        body["email"] = json!(email);
        call.json(&body).send().await
    };
    let email = "ines.ferrer@nordsee.example";
    assert_eq!(create(email, json!({ "role": "ADMINISTRATOR" })).await.status, 422, "with a reason");
    let why = json!({ "role": "ADMINISTRATOR", "locale": "de", "reason": "Their only administrator left." });
    let sent = create(email, why.clone()).await;
    assert_eq!((sent.status, &sent.json["invited_by_uuid"], sent.str("locale")), (201, &Value::Null, "de"));
    let uuid = sent.str("uuid").to_owned();
    let first = token_for(&harness, email, ACCEPT, 1).await;
    let again = invitation(&harness, &manager, "admin_invitations_resend", partner, &uuid, &json!({})).await;
    assert_eq!(again.status, 200);
    let second = token_for(&harness, email, ACCEPT, 2).await;
    let body = |token: &str| json!({ "token": token, "name": "Ines Ferrer", "password": PASSWORD });
    harness.call("auth_invitations_accept").json(&body(&first)).expect(422).await;
    let joined = harness.call("auth_invitations_accept").json(&body(&second)).expect(200).await;
    assert_eq!(joined.str("role"), "ADMINISTRATOR");
    let other = create("b@nordsee.example", why).await.str("uuid").to_owned();
    let reason = json!({ "reason": "A private address." });
    let back = invitation(&harness, &manager, "admin_invitations_revoke", partner, &other, &reason).await;
    assert_eq!((back.status, back.str("state")), (200, "REVOKED"));
    let list = harness.call("admin_invitations_list").path("partner_uuid", partner).token(&manager.token);
    let list = list.query("include_total", true).query("state", "REVOKED").expect(200).await;
    assert_eq!((&list.json["page"]["total"], &list.json["data"][0]["uuid"]), (&json!(1), &json!(other)));
    let told = "select count(*) from partner_event where actor_kind = 'STAFF_USER' and reason is not null
                   and kind in ('INVITATION_SENT', 'INVITATION_REVOKED')";
    assert_eq!(harness.number(told).await, 3);
    let foreign = harness.partner("Weser Software").await.partner_uuid.unwrap();
    let lost = invitation(&harness, &manager, "admin_invitations_revoke", foreign, &uuid, &reason).await;
    assert_eq!(lost.status, 404, "the uuid in the path addresses the partner");
}
