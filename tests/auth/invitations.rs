//! Tests of invitations: readable with the token, answered once, and never usable to join two teams.

use futures_util::future::join_all;
use labs_schema::fault::{Code, Fault, Reason};
use labs_schema::operator::{NewInvitation, invitation_create};
use labs_schema::principal::Role;
use serde_json::{Value, json};
use uuid::Uuid;

use super::{faults, swift, token_for, wait_until_refused};
use crate::harness::mail::mark_of;
use crate::harness::people::{PASSWORD, Person};
use crate::harness::{Answer, Harness};
use crate::subscription::call_during_write;

const EMAIL: &str = "tomas.reuter@nordsee.example";
const ACCEPT: &str = "/v1/auth/invitations:accept";

async fn invite(harness: &Harness, by: &Person, email: &str, role: Role) -> Result<Uuid, Fault> {
    let new = NewInvitation {
        partner_uuid: by.partner_uuid.unwrap(),
        inviter_uuid: by.uuid,
        email: email.to_owned(),
        role,
        locale: "en".to_owned(),
    };
    invitation_create(harness.engine.pool(), harness.engine.services(), new).await
}

/// Invites an address and returns the token from the mail.
async fn invited(harness: &Harness, by: &Person, email: &str) -> String {
    let before = harness.mails_now(email).iter().filter(|mail| mail.contains(mark_of(ACCEPT))).count();
    invite(harness, by, email, Role::Developer).await.unwrap();
    token_for(harness, email, ACCEPT, before + 1).await
}

async fn inspect(harness: &Harness, token: &str) -> Answer {
    harness.call("auth_invitations_inspect").json(&json!({ "token": token })).send().await
}

fn newcomer(token: &str) -> Value {
    json!({ "token": token, "name": "Tomas Reuter", "password": PASSWORD })
}

async fn accept(harness: &Harness, body: &Value) -> Answer {
    harness.call("auth_invitations_accept").json(body).send().await
}

async fn decline(harness: &Harness, token: &str) -> Answer {
    harness.call("auth_invitations_decline").json(&json!({ "token": token })).send().await
}

#[tokio::test]
async fn new_user_joins_with_offered_role() {
    let harness = swift().await;
    let owner = harness.partner("Nordsee Kassen").await;
    let token = invited(&harness, &owner, EMAIL).await;
    let shown = inspect(&harness, &token).await;
    assert_eq!((shown.str("company_name"), shown.str("inviter_name")), ("Nordsee Kassen", "Mara Vogel"));
    assert_eq!((shown.str("email"), shown.str("role"), shown.str("account")), (EMAIL, "DEVELOPER", "NEW"));
    let accepted = accept(&harness, &newcomer(&token)).await;
    assert_eq!((accepted.status, accepted.str("status")), (200, "ACCEPTED"), "{}", accepted.text());
    let person = harness.sign_in(EMAIL).await;
    assert_eq!(person.uuid.to_string(), accepted.str("user_uuid"));
    assert_eq!(person.partner_uuid, owner.partner_uuid);
    let account = harness.call("auth_account_get").token(&person.token).expect(200).await;
    assert_eq!((account.str("name"), account.str("role")), ("Tomas Reuter", "DEVELOPER"));
    assert!(account.json["email_verified_at"].is_string(), "holding the token proves the address");
    let made = format!(
        "select count(*) from invitation where state = 'ACCEPTED' and person_uuid = '{}' and state_changed_at > created_at",
        person.uuid
    );
    assert_eq!(harness.number(&made).await, 1);
    assert_eq!(harness.number("select count(*) from security_event where kind = 'INVITATION_ACCEPTED'").await, 1);
    for answer in
        [accept(&harness, &newcomer(&token)).await, inspect(&harness, &token).await, decline(&harness, &token).await]
    {
        assert_eq!((answer.status, faults(&answer)), (422, vec![("/token", "INVALID")]));
    }
}

#[tokio::test]
async fn missing_fields_are_reported_and_invitation_stays_valid() {
    let harness = swift().await;
    let owner = harness.partner("Nordsee Kassen").await;
    let token = invited(&harness, &owner, EMAIL).await;
    let bare = accept(&harness, &json!({ "token": token })).await;
    assert_eq!(faults(&bare), [("/name", "REQUIRED"), ("/password", "REQUIRED")]);
    let lines = json!({ "token": token, "name": "a\nb", "password": EMAIL });
    assert_eq!(faults(&accept(&harness, &lines).await), [("/name", "CHARACTER"), ("/password", "IS_EMAIL")]);
    let nameless = json!({ "token": token, "password": EMAIL });
    assert_eq!(faults(&accept(&harness, &nameless).await), [("/name", "REQUIRED"), ("/password", "IS_EMAIL")]);
    let void = json!({ "token": "labs_ot_no_such_token", "name": "a\nb", "password": "password1234" });
    let told = [("/name", "CHARACTER"), ("/token", "INVALID"), ("/password", "TOO_COMMON")];
    assert_eq!(faults(&accept(&harness, &void).await), told);
    // Normalisation turns this one letter into three.
    let weak = json!({ "token": token, "name": "\u{fb2c}".repeat(41), "password": EMAIL });
    assert_eq!(faults(&accept(&harness, &weak).await), [("/name", "TOO_LONG"), ("/password", "IS_EMAIL")]);
    assert_eq!(accept(&harness, &newcomer(&token)).await.status, 200);
}

#[tokio::test]
async fn declined_revoked_or_expired_invitation_is_void() {
    let harness = swift().await;
    let owner = harness.partner("Nordsee Kassen").await;
    let token = invited(&harness, &owner, EMAIL).await;
    assert_eq!(decline(&harness, &token).await.str("status"), "DECLINED");
    let told = "select count(*) from security_event where kind = 'INVITATION_DECLINED' and address is null and user_agent is null";
    assert_eq!(harness.number(told).await, 1, "the team learns that, and not from where");
    let revoked = invited(&harness, &owner, EMAIL).await;
    harness.sql("update invitation set state = 'REVOKED' where state = 'PENDING'").await;
    let late = invited(&harness, &owner, EMAIL).await;
    harness.advance(7 * 86_400 + 1).await;
    for token in [&token, &revoked, &late] {
        assert_eq!(faults(&inspect(&harness, token).await), [("/token", "INVALID")]);
        assert_eq!(faults(&accept(&harness, &newcomer(token)).await), [("/token", "INVALID")]);
        assert_eq!(faults(&decline(&harness, token).await), [("/token", "INVALID")]);
    }
    assert_eq!(harness.number("select count(*) from person").await, 1);
    invited(&harness, &owner, EMAIL).await;
    assert_eq!(harness.number("select count(*) from invitation where state = 'EXPIRED'").await, 1, "the overdue one");
}

#[tokio::test]
async fn user_belongs_to_one_team() {
    let harness = swift().await;
    let owner = harness.partner("Nordsee Kassen").await;
    let other = harness.partner("Weser Software").await;
    let token = invited(&harness, &owner, &other.email).await;
    assert_eq!(inspect(&harness, &token).await.str("account"), "ELSEWHERE");
    for body in [newcomer(&token), json!({ "token": token })] {
        assert_eq!(accept(&harness, &body).await.code(), "CONFLICT");
    }
    let unmoved = format!("select count(*) from person where partner_uuid = '{}'", other.partner_uuid.unwrap());
    assert_eq!(harness.number(&unmoved).await, 1);
    assert_eq!(invite(&harness, &owner, &owner.email, Role::Viewer).await.unwrap_err().code(), Code::Conflict);
    assert_eq!(invite(&harness, &owner, &other.email, Role::Viewer).await.unwrap_err().code(), Code::Conflict);
    assert_eq!(decline(&harness, &token).await.status, 200);
}

#[tokio::test]
async fn user_of_closed_partner_joins_with_existing_account() {
    let harness = swift().await;
    let owner = harness.partner("Nordsee Kassen").await;
    let other = harness.partner("Weser Software").await;
    let token = invited(&harness, &owner, &other.email).await;
    let left_behind = invited(&harness, &other, "x@weser.example").await;
    harness
        .sql(&format!("update partner set state = 'CLOSED' where partner_uuid = '{}'", other.partner_uuid.unwrap()))
        .await;
    assert_eq!(inspect(&harness, &token).await.str("account"), "EXISTING");
    let too_much = accept(&harness, &newcomer(&token)).await;
    assert_eq!(faults(&too_much), [("/name", "NOT_ALLOWED"), ("/password", "NOT_ALLOWED")]);
    let accepted = accept(&harness, &json!({ "token": token })).await;
    assert_eq!((accepted.status, accepted.str("user_uuid")), (200, other.uuid.to_string().as_str()));
    wait_until_refused(&harness, &other.token).await;
    let person = harness.sign_in(&other.email).await;
    assert_eq!(person.partner_uuid, owner.partner_uuid);
    harness.sql("update partner set state = 'ACTIVE'").await;
    assert_eq!(
        faults(&inspect(&harness, &left_behind).await),
        [("/token", "INVALID")],
        "who sent it is of another team"
    );
    let told = "select count(*) from partner_event where kind = 'INVITATION_REVOKED' and actor_uuid = '";
    assert_eq!(harness.number(&format!("{told}{}'", other.uuid)).await, 1);
}

#[tokio::test]
async fn unverified_registration_does_not_block_invitation() {
    let harness = swift().await;
    let owner = harness.partner("Nordsee Kassen").await;
    let body = json!({ "company_name": "Squatters", "country": "DE", "accept_terms": true,
        "administrator": { "name": "Ada Weser", "email": EMAIL, "password": "another long walk along the Elbe" } });
    harness.call("auth_registrations_create").json(&body).expect(202).await;
    let token = invited(&harness, &owner, EMAIL).await;
    assert_eq!(inspect(&harness, &token).await.str("account"), "NEW");
    assert_eq!(accept(&harness, &newcomer(&token)).await.status, 200);
    harness.sign_in(EMAIL).await;
    assert_eq!(harness.number("select count(*) from partner").await, 1);
}

#[tokio::test]
async fn invitations_count_and_smaller_tier_rejects_more_users() {
    let harness = swift().await;
    let owner = harness.partner("Nordsee Kassen").await;
    let first = invited(&harness, &owner, "a@nordsee.example").await;
    let second = invited(&harness, &owner, "b@nordsee.example").await;
    let full = invite(&harness, &owner, "c@nordsee.example", Role::Viewer).await.unwrap_err();
    assert_eq!(full.code(), Code::EntitlementExceeded);
    let Reason::EntitlementExceeded(told) = full.reason() else { panic!("{full:?}") };
    assert_eq!((told.feature.as_str(), told.limit, told.used), ("team_members", 3, 3));
    assert_eq!(decline(&harness, &first).await.status, 200);
    let third = invited(&harness, &owner, "c@nordsee.example").await;
    harness.sql("update tier_feature set value = '2' where feature_code = 'team_members'").await;
    assert_eq!(accept(&harness, &newcomer(&second)).await.status, 200);
    let refused = accept(&harness, &newcomer(&third)).await;
    assert_eq!((refused.status, refused.code()), (409, "ENTITLEMENT_EXCEEDED"));
    assert_eq!((&refused.json["feature"], &refused.json["limit"]), (&json!("team_members"), &json!(2)));
    harness.sql("update tier_feature set value = '3' where feature_code = 'team_members'").await;
    assert_eq!(accept(&harness, &newcomer(&third)).await.status, 200, "a refusal uses nothing up");
}

#[tokio::test]
async fn inactive_partner_cannot_gain_users() {
    let harness = swift().await;
    let owner = harness.partner("Nordsee Kassen").await;
    let token = invited(&harness, &owner, EMAIL).await;
    harness.sql("update partner set state = 'SUSPENDED'").await;
    assert_eq!(accept(&harness, &newcomer(&token)).await.code(), "PARTNER_SUSPENDED");
    harness.sql("update partner set state = 'ACTIVE'").await;
    assert_eq!(accept(&harness, &newcomer(&token)).await.status, 200);
}

#[tokio::test]
async fn inviter_locked_during_request_cannot_invite() {
    let harness = swift().await;
    let owner = harness.partner("Nordsee Kassen").await;
    let call = harness.call("partner_invitations_create").path("partner_uuid", owner.partner_uuid.unwrap());
    let call = call.token(&owner.token).json(&json!({ "email": EMAIL, "role": "DEVELOPER" }));
    let lock = format!("update person set state = 'LOCKED' where person_uuid = '{}'", owner.uuid);
    let refused = call_during_write(&harness, &lock, call).await;
    assert_eq!((refused.status, refused.code()), (401, "TOKEN_REVOKED"), "{}", refused.text());
    assert_eq!(harness.number("select count(*) from invitation").await, 0);
}

#[tokio::test]
async fn mfa_policy_makes_new_member_enrol_first() {
    let harness = swift().await;
    let owner = harness.partner("Nordsee Kassen").await;
    harness.sql("update partner set mfa_required = true").await;
    let token = invited(&harness, &owner, EMAIL).await;
    assert_eq!(accept(&harness, &newcomer(&token)).await.status, 200);
    let person = harness.sign_in(EMAIL).await;
    let me = harness.call("system_me_get").token(&person.token).expect(200).await;
    assert_eq!(me.json["scopes"], json!(["auth.account:write"]));
    let led = harness.call("marketplace_apps_list").token(&person.token).expect(403).await;
    assert!(led.str("detail").contains("POST /v1/auth/mfa/totp"), "{}", led.text());
    harness.call("auth_mfa_enrol_totp").token(&person.token).expect(201).await;
}

#[tokio::test]
async fn sixteen_concurrent_responses_to_invitation_succeed_once() {
    let harness = swift().await;
    let owner = harness.partner("Nordsee Kassen").await;
    let token = invited(&harness, &owner, EMAIL).await;
    let answers =
        join_all((0..16).map(|number| {
            let (harness, token) = (&harness, &token);
            async move {
                if number % 4 == 3 { decline(harness, token).await } else { accept(harness, &newcomer(token)).await }
            }
        }))
        .await;
    assert_eq!(answers.iter().filter(|answer| answer.status == 200).count(), 1);
    let joined = harness.number("select count(*) from person").await - 1;
    let accepted = harness.number("select count(*) from invitation where state = 'ACCEPTED'").await;
    assert_eq!(joined, accepted, "whoever won, person and invitation agree");
}
