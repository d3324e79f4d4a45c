//! Shared helpers of the team tests.

use serde_json::{Value, json};
use uuid::Uuid;

use crate::auth::token_for;
use crate::harness::people::{PASSWORD, Person};
use crate::harness::{Answer, Harness};

/// Path that accepts an invitation's token.
pub(crate) const ACCEPT: &str = "/v1/auth/invitations:accept";

/// A service without a maximum team size, and the administrator of a partner.
pub(crate) async fn cast() -> (Harness, Person) {
    let harness = Harness::new().await;
    harness.sql("update tier set burst_per_second = 1000").await;
    harness.sql("update tier_feature set value = '50' where feature_code = 'team_members'").await;
    let owner = harness.partner("Nordsee Kassen").await;
    (harness, owner)
}

/// Invites a user into a team through the API.
pub(crate) async fn invite(harness: &Harness, by: &Person, email: &str, role: &str) -> Answer {
    let call = harness.call("partner_invitations_create").path("partner_uuid", by.partner_uuid.unwrap());
    call.token(&by.token).json(&json!({ "email": email, "role": role })).send().await
}

/// Invites a user, accepts the invitation, and returns the user signed in.
pub(crate) async fn colleague(harness: &Harness, by: &Person, name: &str, role: &str) -> Person {
    let email = format!("{}@nordsee.example", name.to_lowercase());
    assert_eq!(invite(harness, by, &email, role).await.status, 201);
    let token = token_for(harness, &email, ACCEPT, 1).await;
    let body = json!({ "token": token, "name": name, "password": PASSWORD });
    harness.call("auth_invitations_accept").json(&body).expect(200).await;
    harness.sign_in(&email).await
}

/// Calls an operation about a team member.
pub(crate) async fn on(harness: &Harness, by: &Person, operation: &str, person: Uuid, body: Option<Value>) -> Answer {
    let call = harness.call(operation).path("partner_uuid", by.partner_uuid.unwrap()).path("user_uuid", person);
    let call = call.token(&by.token);
    match body {
        Some(body) => call.json(&body).send().await,
        None => call.send().await,
    }
}

/// Waits until a token is rejected on this replica, for little more than a second.
pub(crate) async fn refused_soon(harness: &Harness, what: &str, token: &str) {
    let is_refused = async || harness.call("system_me_get").token(token).send().await.status == 401;
    harness.soon(what, is_refused).await;
}

/// Returns how often an event kind is in the partner's history.
pub(crate) async fn noted(harness: &Harness, kind: &str, subject: Uuid) -> i64 {
    let query = format!("select count(*) from partner_event where kind = '{kind}' and subject_uuid = '{subject}'");
    harness.number(&query).await
}
