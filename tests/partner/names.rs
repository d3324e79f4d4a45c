//! Tests of company and user names that look like another's, and of staff who may allow them.

use serde_json::{Value, json};

use crate::harness::people::{PASSWORD, Person};
use crate::harness::{Answer, Harness};
use crate::marketplace::{publish, submittable};

/// Creates a partner with this name and a published app.
async fn on_the_storefront(harness: &Harness, staff: &Person, company: &str) -> Person {
    harness.sql("update tier set burst_per_second = 100000").await;
    let owner = harness.partner(company).await;
    let (app, version) = submittable(harness, staff, &owner, "Table Pilot").await;
    publish(harness, staff, &owner, &app, &version).await;
    owner
}

async fn register(harness: &Harness, company: &str, person: &str, email: &str) -> Answer {
    let body = json!({ "company_name": company, "country": "DE", "accept_terms": true,
        "administrator": { "name": person, "email": email, "password": PASSWORD } });
    harness.call("auth_registrations_create").json(&body).send().await
}

async fn rename(harness: &Harness, by: &Person, name: &str) -> Answer {
    let call = harness.call("partner_account_update").path("partner_uuid", by.partner_uuid.unwrap());
    call.token(&by.token).json(&json!({ "company_name": name })).send().await
}

/// Returns pointer and code of each error.
fn refusals(answer: &Answer) -> Vec<(&str, &str)> {
    assert_eq!(answer.status, 422, "{}", answer.text());
    let errors = answer.json["errors"].as_array().unwrap().iter();
    errors.map(|error| (error["pointer"].as_str().unwrap(), error["code"].as_str().unwrap())).collect()
}

#[tokio::test]
async fn names_like_the_platform_are_rejected_at_registration() {
    let harness = Harness::new().await;
    for (place, name) in ["Labs", "LABS", "Labs Staff", "L\u{430}bs Support", "Labs GmbH"].into_iter().enumerate() {
        let email = format!("ada{place}@weser.example");
        assert_eq!(
            refusals(&register(&harness, name, "Ada Weser", &email).await),
            [("/company_name", "NAME_IMITATES")]
        );
        let person = register(&harness, "Weser Software", name, &email).await;
        assert_eq!(refusals(&person), [("/administrator/name", "NAME_IMITATES")]);
    }
    for (place, name) in ["Food Labs GmbH", "Labskaus Hamburg"].into_iter().enumerate() {
        let answer = register(&harness, name, "Ada Labs", &format!("eva{place}@weser.example")).await;
        assert_eq!(answer.status, 202, "{}", answer.text());
    }
}

#[tokio::test]
async fn names_like_a_partner_on_storefront_are_rejected() {
    let harness = Harness::new().await;
    let staff = harness.staff("Chief", &["labs.admin:write"]).await;
    let other = harness.partner("Elbkontor").await;
    harness.partner("Nordlicht").await;
    assert_eq!(register(&harness, "NordIicht", "Ada", "ada@one.example").await.status, 202, "nothing of it is shown");
    on_the_storefront(&harness, &staff, "Tischwerk").await;
    for name in ["TISCHWERK", "Tisch-Werk", "T\u{456}\u{455}\u{441}hw\u{435}rk"] {
        for email in ["new@two.example", other.email.as_str()] {
            let answer = register(&harness, name, "Ada", email).await;
            assert_eq!(refusals(&answer), [("/company_name", "NAME_IMITATES")], "whoever has the address");
        }
        assert_eq!(refusals(&rename(&harness, &other, name).await), [("/company_name", "NAME_IMITATES")]);
    }
    assert_eq!(rename(&harness, &other, "Tischwerke").await.status, 200, "another name");
}

#[tokio::test]
async fn verified_name_is_protected_on_rename_but_not_at_registration() {
    let harness = Harness::new().await;
    let staff = harness.staff("Chief", &["labs.admin:write"]).await;
    let (verified, other) = (harness.partner("Tischwerk").await, harness.partner("Elbkontor").await);
    let update = |partner: &Person, body: Value| {
        let call = harness.call("admin_partners_update").path("partner_uuid", partner.partner_uuid.unwrap());
        call.token(&staff.token).json(&body).send()
    };
    let known = json!({ "verified": true, "reason": "The register shows it." });
    assert_eq!(update(&verified, known).await.status, 200);
    assert_eq!(register(&harness, "TISCHWERK", "Ada", "ada@one.example").await.status, 202, "it is not public");
    assert_eq!(refusals(&rename(&harness, &other, "TISCHWERK").await), [("/company_name", "NAME_IMITATES")]);
    let wish = json!({ "company_name": "TISCHWERK" });
    assert_eq!(refusals(&update(&other, wish).await), [("/company_name", "NAME_IMITATES")]);
    let unexplained = json!({ "company_name": "TISCHWERK", "allow_similar_name": true });
    assert_eq!(refusals(&update(&other, unexplained).await), [("/reason", "REQUIRED")]);
    let allowed = json!({ "company_name": "TISCHWERK", "allow_similar_name": true, "reason": "A branch of theirs." });
    let answer = update(&other, allowed).await;
    assert_eq!((answer.status, answer.str("company_name")), (200, "TISCHWERK"));
    let recorded = "select count(*) from audit_log where operation = 'admin_partners_update' and outcome = 'SUCCEEDED'
                     and reason = 'A branch of theirs.'";
    assert_eq!(harness.number(recorded).await, 1);
    let keeps = update(&other, json!({ "legal_form": "GmbH" })).await;
    assert_eq!(keeps.status, 200, "what is allowed stays: {}", keeps.text());
}

#[tokio::test]
async fn partner_user_cannot_use_staff_like_name() {
    let harness = Harness::new().await;
    let owner = harness.partner("Tischwerk").await;
    let name =
        |token: &str| harness.call("auth_account_update").token(token).json(&json!({ "name": "Labs Support" })).send();
    assert_eq!(refusals(&name(&owner.token).await), [("/name", "NAME_IMITATES")]);
    let staff = harness.staff("Chief", &["labs.admin:write"]).await;
    assert_eq!(name(&staff.token).await.status, 200, "staff are");
}

#[tokio::test]
async fn missing_name_skeletons_are_computed_by_tidying_job() {
    let harness = Harness::new().await;
    let staff = harness.staff("Chief", &["labs.admin:write"]).await;
    on_the_storefront(&harness, &staff, "Elbkontor").await;
    // An update without skeletons leaves them empty. From here on, the job may compute them at any time.
    harness.sql("update partner set company_name = 'Tischwerk'").await;
    harness.run_job("TIDYING").await;
    assert_eq!(harness.number("select count(*) from partner where name_skeletons is null").await, 0);
    assert_eq!(
        refusals(&register(&harness, "TISCHWERK", "Ada", "ada@one.example").await),
        [("/company_name", "NAME_IMITATES")]
    );
}
