//! Invitations: shown to whoever holds the token, answered once, and never a way into two teams.

use futures_util::future::join_all;
use labs_schema::fault::{Code, Fault};
use labs_schema::operator::{NewInvitation, invitation_create};
use labs_schema::principal::Role;
use serde_json::{Value, json};
use uuid::Uuid;

use super::{faults, swift, token_for, wait_until_refused};
use crate::house::people::{PASSWORD, Person};
use crate::house::{Answer, House};
use crate::subscription::meanwhile;

const EMAIL: &str = "tomas.reuter@nordsee.example";
const ACCEPT: &str = "/v1/auth/invitations:accept";

async fn invite(house: &House, by: &Person, email: &str, role: Role) -> Result<Uuid, Fault> {
    let new = NewInvitation {
        partner_uuid: by.partner_uuid.unwrap(),
        inviter_uuid: by.uuid,
        email: email.to_owned(),
        role,
        locale: "en".to_owned(),
    };
    invitation_create(house.engine.pool(), house.engine.services(), new).await
}

/// The token that came of inviting an address.
async fn invited(house: &House, by: &Person, email: &str) -> String {
    let before = house.mails_now(email).iter().filter(|mail| mail.contains(ACCEPT)).count();
    invite(house, by, email, Role::Developer).await.unwrap();
    token_for(house, email, ACCEPT, before + 1).await
}

async fn inspect(house: &House, token: &str) -> Answer {
    house.call("auth_invitations_inspect").json(&json!({ "token": token })).send().await
}

fn newcomer(token: &str) -> Value {
    json!({ "token": token, "name": "Tomas Reuter", "password": PASSWORD })
}

async fn accept(house: &House, body: &Value) -> Answer {
    house.call("auth_invitations_accept").json(body).send().await
}

async fn decline(house: &House, token: &str) -> Answer {
    house.call("auth_invitations_decline").json(&json!({ "token": token })).send().await
}

#[tokio::test]
async fn a_new_person_joins_with_the_role_offered() {
    let house = swift().await;
    let owner = house.partner("Nordsee Kassen").await;
    let token = invited(&house, &owner, EMAIL).await;
    let shown = inspect(&house, &token).await;
    assert_eq!((shown.str("company_name"), shown.str("inviter_name")), ("Nordsee Kassen", "Mara Vogel"));
    assert_eq!((shown.str("email"), shown.str("role"), shown.str("account")), (EMAIL, "DEVELOPER", "NEW"));
    let accepted = accept(&house, &newcomer(&token)).await;
    assert_eq!((accepted.status, accepted.str("status")), (200, "ACCEPTED"), "{}", accepted.text());
    let person = house.sign_in(EMAIL).await;
    assert_eq!(person.uuid.to_string(), accepted.str("user_uuid"));
    assert_eq!(person.partner_uuid, owner.partner_uuid);
    let account = house.call("auth_account_get").token(&person.token).expect(200).await;
    assert_eq!((account.str("name"), account.str("role")), ("Tomas Reuter", "DEVELOPER"));
    assert!(account.json["email_verified_at"].is_string(), "holding the token proves the address");
    let made = format!(
        "select count(*) from invitation where state = 'ACCEPTED' and person_uuid = '{}' and state_changed_at > created_at",
        person.uuid
    );
    assert_eq!(house.number(&made).await, 1);
    assert_eq!(house.number("select count(*) from security_event where kind = 'INVITATION_ACCEPTED'").await, 1);
    for answer in
        [accept(&house, &newcomer(&token)).await, inspect(&house, &token).await, decline(&house, &token).await]
    {
        assert_eq!((answer.status, faults(&answer)), (422, vec![("/token", "INVALID")]));
    }
}

#[tokio::test]
async fn what_is_missing_is_told_and_uses_nothing_up() {
    let house = swift().await;
    let owner = house.partner("Nordsee Kassen").await;
    let token = invited(&house, &owner, EMAIL).await;
    let bare = accept(&house, &json!({ "token": token })).await;
    assert_eq!(faults(&bare), [("/name", "REQUIRED"), ("/password", "REQUIRED")]);
    let lines = json!({ "token": token, "name": "a\nb", "password": EMAIL });
    assert_eq!(faults(&accept(&house, &lines).await), [("/name", "CHARACTER")]);
    // One letter becomes three in the form in which names are kept.
    let weak = json!({ "token": token, "name": "\u{fb2c}".repeat(41), "password": EMAIL });
    assert_eq!(faults(&accept(&house, &weak).await), [("/name", "TOO_LONG"), ("/password", "IS_EMAIL")]);
    assert_eq!(accept(&house, &newcomer(&token)).await.status, 200);
}

#[tokio::test]
async fn an_invitation_that_is_declined_taken_back_or_too_old_is_void() {
    let house = swift().await;
    let owner = house.partner("Nordsee Kassen").await;
    let token = invited(&house, &owner, EMAIL).await;
    assert_eq!(decline(&house, &token).await.str("status"), "DECLINED");
    let told = "select count(*) from security_event where kind = 'INVITATION_DECLINED' and address is null and user_agent is null";
    assert_eq!(house.number(told).await, 1, "the team learns that, and not from where");
    let revoked = invited(&house, &owner, EMAIL).await;
    house.sql("update invitation set state = 'REVOKED' where state = 'PENDING'").await;
    let late = invited(&house, &owner, EMAIL).await;
    house.advance(7 * 86_400 + 1).await;
    for token in [&token, &revoked, &late] {
        assert_eq!(faults(&inspect(&house, token).await), [("/token", "INVALID")]);
        assert_eq!(faults(&accept(&house, &newcomer(token)).await), [("/token", "INVALID")]);
        assert_eq!(faults(&decline(&house, token).await), [("/token", "INVALID")]);
    }
    assert_eq!(house.number("select count(*) from person").await, 1);
    invited(&house, &owner, EMAIL).await;
    assert_eq!(house.number("select count(*) from invitation where state = 'EXPIRED'").await, 1, "the overdue one");
}

#[tokio::test]
async fn a_person_belongs_to_one_team() {
    let house = swift().await;
    let owner = house.partner("Nordsee Kassen").await;
    let other = house.partner("Weser Software").await;
    let token = invited(&house, &owner, &other.email).await;
    assert_eq!(inspect(&house, &token).await.str("account"), "ELSEWHERE");
    for body in [newcomer(&token), json!({ "token": token })] {
        assert_eq!(accept(&house, &body).await.code(), "CONFLICT");
    }
    let unmoved = format!("select count(*) from person where partner_uuid = '{}'", other.partner_uuid.unwrap());
    assert_eq!(house.number(&unmoved).await, 1);
    assert_eq!(invite(&house, &owner, &owner.email, Role::Viewer).await.unwrap_err().code(), Code::Conflict);
    assert_eq!(invite(&house, &owner, &other.email, Role::Viewer).await.unwrap_err().code(), Code::Conflict);
    assert_eq!(decline(&house, &token).await.status, 200);
}

#[tokio::test]
async fn whoever_has_a_closed_company_joins_as_who_they_are() {
    let house = swift().await;
    let owner = house.partner("Nordsee Kassen").await;
    let other = house.partner("Weser Software").await;
    let token = invited(&house, &owner, &other.email).await;
    let left_behind = invited(&house, &other, "x@weser.example").await;
    house
        .sql(&format!("update partner set state = 'CLOSED' where partner_uuid = '{}'", other.partner_uuid.unwrap()))
        .await;
    assert_eq!(inspect(&house, &token).await.str("account"), "EXISTING");
    let too_much = accept(&house, &newcomer(&token)).await;
    assert_eq!(faults(&too_much), [("/name", "NOT_ALLOWED"), ("/password", "NOT_ALLOWED")]);
    let accepted = accept(&house, &json!({ "token": token })).await;
    assert_eq!((accepted.status, accepted.str("user_uuid")), (200, other.uuid.to_string().as_str()));
    wait_until_refused(&house, &other.token).await;
    let person = house.sign_in(&other.email).await;
    assert_eq!(person.partner_uuid, owner.partner_uuid);
    house.sql("update partner set state = 'ACTIVE'").await;
    assert_eq!(faults(&inspect(&house, &left_behind).await), [("/token", "INVALID")], "who sent it is of another team");
    let told = "select count(*) from partner_event where kind = 'INVITATION_REVOKED' and actor_uuid = '";
    assert_eq!(house.number(&format!("{told}{}'", other.uuid)).await, 1);
}

#[tokio::test]
async fn a_registration_that_nobody_verified_does_not_keep_anybody_out() {
    let house = swift().await;
    let owner = house.partner("Nordsee Kassen").await;
    let body = json!({ "company_name": "Squatters", "country": "DE", "accept_terms": true,
        "administrator": { "name": "Ada Weser", "email": EMAIL, "password": "another long walk along the Elbe" } });
    house.call("auth_registrations_create").json(&body).expect(202).await;
    let token = invited(&house, &owner, EMAIL).await;
    assert_eq!(inspect(&house, &token).await.str("account"), "NEW");
    assert_eq!(accept(&house, &newcomer(&token)).await.status, 200);
    house.sign_in(EMAIL).await;
    assert_eq!(house.number("select count(*) from partner").await, 1);
}

#[tokio::test]
async fn invited_people_count_and_a_smaller_tier_keeps_further_ones_out() {
    let house = swift().await;
    let owner = house.partner("Nordsee Kassen").await;
    let first = invited(&house, &owner, "a@nordsee.example").await;
    let second = invited(&house, &owner, "b@nordsee.example").await;
    let full = invite(&house, &owner, "c@nordsee.example", Role::Viewer).await.unwrap_err();
    assert_eq!(full.code(), Code::EntitlementExceeded);
    let told = full.parts().entitlement.clone().unwrap();
    assert_eq!((told.feature.as_str(), told.limit, told.used), ("team_members", 3, 3));
    assert_eq!(decline(&house, &first).await.status, 200);
    let third = invited(&house, &owner, "c@nordsee.example").await;
    house.sql("update tier_feature set value = '2' where feature_code = 'team_members'").await;
    assert_eq!(accept(&house, &newcomer(&second)).await.status, 200);
    let refused = accept(&house, &newcomer(&third)).await;
    assert_eq!((refused.status, refused.code()), (409, "ENTITLEMENT_EXCEEDED"));
    assert_eq!((&refused.json["feature"], &refused.json["limit"]), (&json!("team_members"), &json!(2)));
    house.sql("update tier_feature set value = '3' where feature_code = 'team_members'").await;
    assert_eq!(accept(&house, &newcomer(&third)).await.status, 200, "a refusal uses nothing up");
}

#[tokio::test]
async fn nobody_joins_a_company_that_is_not_active() {
    let house = swift().await;
    let owner = house.partner("Nordsee Kassen").await;
    let token = invited(&house, &owner, EMAIL).await;
    house.sql("update partner set state = 'SUSPENDED'").await;
    assert_eq!(accept(&house, &newcomer(&token)).await.code(), "PARTNER_SUSPENDED");
    house.sql("update partner set state = 'ACTIVE'").await;
    assert_eq!(accept(&house, &newcomer(&token)).await.status, 200);
}

#[tokio::test]
async fn nobody_invites_who_is_locked_meanwhile() {
    let house = swift().await;
    let owner = house.partner("Nordsee Kassen").await;
    let call = house.call("partner_invitations_create").path("partner_uuid", owner.partner_uuid.unwrap());
    let call = call.token(&owner.token).json(&json!({ "email": EMAIL, "role": "DEVELOPER" }));
    let lock = format!("update person set state = 'LOCKED' where person_uuid = '{}'", owner.uuid);
    let refused = meanwhile(&house, &lock, call).await;
    assert_eq!((refused.status, refused.code()), (401, "TOKEN_REVOKED"), "{}", refused.text());
    assert_eq!(house.number("select count(*) from invitation").await, 0);
}

#[tokio::test]
async fn a_policy_leads_a_new_member_to_enrol_a_factor_first() {
    let house = swift().await;
    let owner = house.partner("Nordsee Kassen").await;
    house.sql("update partner set mfa_required = true").await;
    let token = invited(&house, &owner, EMAIL).await;
    assert_eq!(accept(&house, &newcomer(&token)).await.status, 200);
    let person = house.sign_in(EMAIL).await;
    let me = house.call("system_me_get").token(&person.token).expect(200).await;
    assert_eq!(me.json["scopes"], json!(["auth.account:write"]));
    let led = house.call("marketplace_apps_list").token(&person.token).expect(403).await;
    assert!(led.str("detail").contains("POST /v1/auth/mfa/totp"), "{}", led.text());
    house.call("auth_mfa_enrol_totp").token(&person.token).expect(201).await;
}

#[tokio::test]
async fn of_sixteen_answers_at_once_exactly_one_counts() {
    let house = swift().await;
    let owner = house.partner("Nordsee Kassen").await;
    let token = invited(&house, &owner, EMAIL).await;
    let answers =
        join_all(
            (0..16).map(|number| {
                let (house, token) = (&house, &token);
                async move {
                    if number % 4 == 3 { decline(house, token).await } else { accept(house, &newcomer(token)).await }
                }
            }),
        )
        .await;
    assert_eq!(answers.iter().filter(|answer| answer.status == 200).count(), 1);
    let joined = house.number("select count(*) from person").await - 1;
    let accepted = house.number("select count(*) from invitation where state = 'ACCEPTED'").await;
    assert_eq!(joined, accepted, "whoever won, person and invitation agree");
}
