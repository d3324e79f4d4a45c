//! New name of a company with published listings: staff confirm it before readers see it.

use serde_json::{Value, json};

use crate::harness::people::Person;
use crate::harness::{Answer, Harness};
use crate::marketplace::{publish, submittable};

struct Cast {
    harness: Harness,
    staff: Person,
    owner: Person,
    app: String,
    shop: String,
}

impl Cast {
    /// Creates a company with a published listing.
    async fn new() -> Self {
        let harness = Harness::new().await;
        harness.sql("update tier set burst_per_second = 1000").await;
        let staff = harness.staff("Chief", &["labs.admin:write"]).await;
        let owner = harness.partner("Tischwerk").await;
        let (app, version) = submittable(&harness, &staff, &owner, "Table Pilot").await;
        publish(&harness, &staff, &owner, &app, &version).await;
        let shop = harness.program("storefront", &["storefront"], None).await.token;
        Self { harness, staff, owner, app, shop }
    }

    async fn rename(&self, name: &str) -> Answer {
        let call = self.harness.call("partner_account_update").path("partner_uuid", self.owner.partner_uuid.unwrap());
        call.token(&self.owner.token).json(&json!({ "company_name": name })).expect(200).await
    }

    async fn decide(&self, body: Value) -> Answer {
        let call = self.harness.call("admin_partners_update").path("partner_uuid", self.owner.partner_uuid.unwrap());
        call.token(&self.staff.token).json(&body).send().await
    }

    /// Name of the company on the storefront.
    async fn shown(&self) -> String {
        let found = self.harness.call("marketplace_listings_search").token(&self.shop).expect(200).await;
        found.json["data"][0]["vendor"]["name"].as_str().unwrap().to_owned()
    }

    async fn becomes(&self, name: &str) {
        self.harness.soon("the storefront shows the name", async || self.shown().await == name).await;
    }

    /// Number of pending names, in the overview and in the list that it links to.
    async fn waiting(&self) -> (i64, usize) {
        let told = self.harness.call("admin_overview_get_attention").token(&self.staff.token).expect(200).await;
        let items = told.json["data"].as_array().unwrap();
        let renaming = items.iter().find(|item| item["kind"] == "PARTNER_RENAMING");
        let list = self.harness.call("admin_partners_list").query("pending_name", "true").token(&self.staff.token);
        let list = list.expect(200).await.json["data"].as_array().unwrap().len();
        (renaming.map_or(0, |item| item["count"].as_i64().unwrap()), list)
    }
}

fn decision(decision: &str, name: &str) -> Value {
    json!({ "pending_name": { "decision": decision, "company_name": name } })
}

fn names(answer: &Answer) -> (&str, Option<&str>) {
    (answer.str("company_name"), answer.json["pending_company_name"].as_str())
}

#[tokio::test]
async fn storefront_keeps_the_name_until_staff_confirm_another() {
    let cast = Cast::new().await;
    let answer = cast.rename("Tafelwerk").await;
    assert_eq!(names(&answer), ("Tischwerk", Some("Tafelwerk")));
    assert_eq!((cast.shown().await.as_str(), cast.waiting().await), ("Tischwerk", (1, 1)));
    let confirmed = cast.decide(decision("CONFIRM", "Tafelwerk")).await;
    assert_eq!((confirmed.status, names(&confirmed)), (200, ("Tafelwerk", None)), "{}", confirmed.text());
    cast.becomes("Tafelwerk").await;
    assert_eq!(cast.waiting().await, (0, 0));
    cast.harness.until("select count(*) from mail_message where kind = 'NAME_DECIDED' and state = 'SENT'", 1).await;
    let again = cast.decide(decision("CONFIRM", "Tafelwerk")).await;
    assert_eq!((again.status, again.code()), (409, "CONFLICT"));
}

#[tokio::test]
async fn rejected_name_is_dropped_and_its_reason_is_mailed() {
    let cast = Cast::new().await;
    cast.rename("Tafelwerk").await;
    let unexplained = cast.decide(decision("REJECT", "Tafelwerk")).await;
    assert_eq!((unexplained.status, &unexplained.json["errors"][0]["pointer"]), (422, &json!("/reason")));
    let mut body = decision("REJECT", "Tafelwerk");
    body["reason"] = json!("The register has another.");
    let rejected = cast.decide(body).await;
    assert_eq!((rejected.status, names(&rejected)), (200, ("Tischwerk", None)));
    assert_eq!(cast.shown().await, "Tischwerk");
    let mailed =
        || cast.harness.mails_now(&cast.owner.email).iter().any(|mail| mail.contains("The register has another."));
    cast.harness.soon("the reason is mailed", async || mailed()).await;
}

#[tokio::test]
async fn current_name_withdraws_a_pending_one() {
    let cast = Cast::new().await;
    cast.rename("Tafelwerk").await;
    assert_eq!(names(&cast.rename("Tafelhaus").await), ("Tischwerk", Some("Tafelhaus")));
    assert_eq!(names(&cast.rename("Tischwerk").await), ("Tischwerk", None));
    assert_eq!(cast.waiting().await, (0, 0));
    let staff = cast.decide(json!({ "company_name": "Tafelwerk" })).await;
    assert_eq!(names(&staff), ("Tafelwerk", None), "staff need no confirmation");
}

#[tokio::test]
async fn decision_about_a_replaced_name_changes_nothing() {
    let cast = Cast::new().await;
    cast.rename("Tafelwerk").await;
    cast.rename("Tafelhaus").await;
    let confirmed = cast.decide(decision("CONFIRM", "Tafelwerk")).await;
    assert_eq!((confirmed.status, confirmed.code()), (409, "CONFLICT"));
    assert_eq!(names(&cast.rename("Tafelhaus").await), ("Tischwerk", Some("Tafelhaus")));
}

#[tokio::test]
async fn unlisted_and_archived_companies_keep_the_reviewed_name() {
    let cast = Cast::new().await;
    for step in ["marketplace_apps_unlist", "marketplace_apps_archive"] {
        let call = cast.harness.call(step).path("app_uuid", &cast.app).token(&cast.owner.token);
        call.expect(200).await;
        assert_eq!(names(&cast.rename("Tafelwerk").await), ("Tischwerk", Some("Tafelwerk")), "after {step}");
    }
}

#[tokio::test]
async fn company_with_an_approved_version_keeps_the_reviewed_name() {
    for state in ["IN_REVIEW", "APPROVED", "SCHEDULED"] {
        let cast = Cast::new().await;
        cast.harness.sql("delete from listing").await;
        cast.harness.sql(&format!("update app_version set state = '{state}', publish_at = now()")).await;
        assert_eq!(names(&cast.rename("Tafelwerk").await), ("Tischwerk", Some("Tafelwerk")), "{state}");
    }
}

#[tokio::test]
async fn events_of_a_decision_contain_no_name() {
    let cast = Cast::new().await;
    cast.rename("Tafelwerk").await;
    assert_eq!(cast.decide(decision("CONFIRM", "Tafelwerk")).await.status, 200);
    let named = "select count(*) from partner_event where detail::text like '%Tafelwerk%'";
    assert_eq!(cast.harness.number(named).await, 0);
    assert_eq!(cast.harness.number("select count(*) from partner_event where kind = 'NAME_CONFIRMED'").await, 1);
}

#[tokio::test]
async fn company_without_a_listing_is_renamed_at_once() {
    let harness = Harness::new().await;
    let owner = harness.partner("Tischwerk").await;
    let call = harness.call("partner_account_update").path("partner_uuid", owner.partner_uuid.unwrap());
    let answer = call.token(&owner.token).json(&json!({ "company_name": "Tafelwerk" })).expect(200).await;
    assert_eq!(names(&answer), ("Tafelwerk", None));
}
