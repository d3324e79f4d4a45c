//! What stories of a team have in common.

use serde_json::{Value, json};
use uuid::Uuid;

use crate::auth::token_for;
use crate::house::people::{PASSWORD, Person};
use crate::house::{Answer, House};

/// Where the token of an invitation goes.
pub(crate) const ACCEPT: &str = "/v1/auth/invitations:accept";

/// A house whose teams may be as large as they like, and the administrator of one.
pub(crate) async fn cast() -> (House, Person) {
    let house = House::new().await;
    house.sql("update tier set burst_per_second = 1000").await;
    house.sql("update tier_feature set value = '50' where feature_code = 'team_members'").await;
    let owner = house.partner("Nordsee Kassen").await;
    (house, owner)
}

/// Invites somebody into a team as anybody would.
pub(crate) async fn invite(house: &House, by: &Person, email: &str, role: &str) -> Answer {
    let call = house.call("partner_invitations_create").path("partner_uuid", by.partner_uuid.unwrap());
    call.token(&by.token).json(&json!({ "email": email, "role": role })).send().await
}

/// Somebody who was invited into a team and joined it, signed in.
pub(crate) async fn colleague(house: &House, by: &Person, name: &str, role: &str) -> Person {
    let email = format!("{}@nordsee.example", name.to_lowercase());
    assert_eq!(invite(house, by, &email, role).await.status, 201);
    let token = token_for(house, &email, ACCEPT, 1).await;
    let body = json!({ "token": token, "name": name, "password": PASSWORD });
    house.call("auth_invitations_accept").json(&body).expect(200).await;
    house.sign_in(&email).await
}

/// Calls an operation about somebody of a team.
pub(crate) async fn on(house: &House, by: &Person, operation: &str, person: Uuid, body: Option<Value>) -> Answer {
    let call = house.call(operation).path("partner_uuid", by.partner_uuid.unwrap()).path("user_uuid", person);
    let call = call.token(&by.token);
    match body {
        Some(body) => call.json(&body).send().await,
        None => call.send().await,
    }
}

/// Waits, a second and not much more, until a token is refused here.
pub(crate) async fn refused_soon(house: &House, what: &str, token: &str) {
    let is_refused = async || house.call("system_me_get").token(token).send().await.status == 401;
    house.soon(what, is_refused).await;
}

/// How often something stands in the history of the partner's account.
pub(crate) async fn noted(house: &House, kind: &str, subject: Uuid) -> i64 {
    let query = format!("select count(*) from partner_event where kind = '{kind}' and subject_uuid = '{subject}'");
    house.number(&query).await
}
