//! One's own account.

use serde_json::{Value, json};

use crate::house::House;

#[tokio::test]
async fn a_partners_person_and_one_of_the_staff_see_themselves() {
    let house = House::new().await;
    let person = house.partner("Nordsee Kassen").await;
    let account = house.call("auth_account_get").token(&person.token).expect(200).await;
    assert_eq!(account.str("uuid"), person.uuid.to_string());
    assert_eq!((account.str("principal_type"), account.str("role")), ("PARTNER_USER", "ADMINISTRATOR"));
    assert_eq!(account.str("email"), person.email);
    assert_eq!(account.json["staff_roles"], json!([]));
    assert!(account.json["last_sign_in_at"].is_string());
    let staff = house.staff("Otto Operator", &["labs.admin.overview"]).await;
    let account = house.call("auth_account_get").token(&staff.token).expect(200).await;
    assert_eq!((account.str("principal_type"), &account.json["role"]), ("STAFF_USER", &Value::Null));
    assert_eq!(account.json["staff_roles"], json!(["T_OTTO_OPERATOR"]));
    assert_eq!(account.json["second_factors"].as_array().unwrap().len(), 1);
    assert_eq!(account.json["recovery_codes_left"], 10);
}

#[tokio::test]
async fn an_account_that_has_not_changed_is_not_sent_twice() {
    let house = House::new().await;
    let person = house.partner("Nordsee Kassen").await;
    let first = house.call("auth_account_get").token(&person.token).expect(200).await;
    let tag = first.header("etag").to_owned();
    house.call("auth_account_get").token(&person.token).header("if-none-match", &tag).expect(304).await;
}
