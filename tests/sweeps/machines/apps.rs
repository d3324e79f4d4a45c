//! State machine of apps. An app is published through a version, so each state has an approved version. The test sets
//! each state directly in the row.

use serde_json::{Value, json};

use super::{Step, drawn};
use crate::harness::{Answer, Call};
use crate::marketplace::submittable;
use crate::sweeps::Cast;

/// Actions that are not listed for an app itself: an app is published with a version, and staff actions do not belong
/// to its owner.
const OTHERS: &[&str] = &["publish", "suspend", "reinstate"];

/// An app with one approved version.
struct Shop {
    cast: Cast,
    steps: Vec<Step>,
    app: String,
    version: String,
}

impl Shop {
    async fn new() -> Self {
        let cast = Cast::new().await;
        let (app, version) = submittable(&cast.harness, &cast.staff, &cast.administrator, "Table Pilot").await;
        let shop = Self { cast, steps: drawn("App"), app, version };
        let handed = shop.on_version("marketplace_versions_submit").expect(200).await;
        let submission = handed.json["review"]["submission_uuid"].as_str().unwrap();
        let review = |operation: &str| {
            let call = shop.cast.harness.call(operation).path("submission_uuid", submission);
            call.token(&shop.cast.staff.token)
        };
        review("marketplace_submissions_claim").expect(200).await;
        review("marketplace_submissions_approve").json(&json!({})).expect(200).await;
        shop
    }

    fn on_version(&self, operation: &str) -> Call<'_> {
        self.on_app(operation).path("version_uuid", &self.version).json(&json!({}))
    }

    fn on_app(&self, operation: &str) -> Call<'_> {
        self.cast.harness.call(operation).path("app_uuid", &self.app).token(&self.cast.administrator.token)
    }

    fn states(&self) -> Vec<&'static str> {
        let mut states: Vec<&str> = self.steps.iter().flat_map(|step| [step.from, step.to]).collect();
        states.sort_unstable();
        states.dedup();
        states
    }

    /// Sets the states of the app and its version, and adds or hides the listing as the app's state requires.
    async fn bring(&self, state: &str, of_version: &str) {
        let Self { app, version, .. } = self;
        let published_at = if of_version == "PUBLISHED" { "labs_now()" } else { "null" };
        self.cast
            .harness
            .sql(&format!(
                "update app set state = '{state}', former_state = 'LISTED' where app_uuid = '{app}';
                 update app_version set state = '{of_version}', published_at = {published_at}
                  where version_uuid = '{version}';
                 update listing set visible = '{state}' = 'LISTED' where app_uuid = '{app}'"
            ))
            .await;
    }

    /// Returns the states of the app and its version, and whether readers see a listing.
    async fn place(&self) -> (String, String, bool) {
        let query = format!(
            "select a.state, v.state, exists (select from listing as l where l.app_uuid = a.app_uuid and l.visible)
               from app as a join app_version as v using (app_uuid) where v.version_uuid = '{}'",
            self.version
        );
        sqlx::query_as(sqlx::AssertSqlSafe(query)).fetch_one(&mut self.cast.harness.owner().await).await.unwrap()
    }

    /// Asserts that the response rejects the action and lists the owner's allowed actions in this state.
    fn is_refused(&self, state: &str, answer: &Answer) {
        let cell = format!("in {state}: {} {}", answer.status, answer.text());
        assert_eq!((answer.status, answer.code()), (409, "ILLEGAL_TRANSITION"), "{cell}");
        let own = self.steps.iter().filter(|step| step.from == state && !OTHERS.contains(&step.action));
        let mut allowed: Vec<&str> = own.map(|step| step.action).collect();
        allowed.sort_unstable();
        allowed.dedup();
        let mut told: Vec<&str> =
            answer.json["allowed_actions"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
        told.sort_unstable();
        assert_eq!(told, allowed, "{cell}");
    }
}

#[tokio::test]
async fn app_and_version_publish_together_in_state_machine() {
    let shop = Shop::new().await;
    for state in shop.states() {
        shop.bring(state, "APPROVED").await;
        let answer = shop.on_version("marketplace_versions_publish").send().await;
        let ends = shop.steps.iter().find(|step| step.from == state && step.action == "publish").map(|step| step.to);
        let Some(to) = ends else {
            shop.is_refused(state, &answer);
            assert_eq!(shop.place().await, (state.to_owned(), "APPROVED".to_owned(), false), "a refusal moved it");
            continue;
        };
        assert_eq!(answer.status, 200, "publish in {state}: {}", answer.text());
        assert_eq!(shop.place().await, (to.to_owned(), "PUBLISHED".to_owned(), true), "publish in {state}");
    }
}

#[tokio::test]
async fn published_app_is_editable_but_not_deletable_in_any_state() {
    let shop = Shop::new().await;
    shop.on_version("marketplace_versions_publish").expect(200).await;
    for state in shop.states() {
        shop.bring(state, "PUBLISHED").await;
        let before = shop.place().await;
        let tagline = format!("Takes orders, {}", state.to_lowercase());
        let changed = shop.on_app("marketplace_apps_update").json(&json!({ "tagline": tagline })).expect(200).await;
        assert_eq!((changed.str("state"), changed.str("tagline")), (state, tagline.as_str()));
        let live = format!("select count(*) from listing_translation where tagline = '{tagline}'");
        assert_eq!(shop.cast.harness.number(&live).await, 0, "readers see the draft of an app that is {state}");
        shop.is_refused(state, &shop.on_app("marketplace_apps_delete").send().await);
        assert_eq!(shop.place().await, before, "a change of the draft or a refusal moved it");
    }
}

#[tokio::test]
async fn never_published_app_can_be_deleted_as_draft_or_archived() {
    let cast = Cast::new().await;
    for state in ["DRAFT", "ARCHIVED"] {
        let create = cast.harness.call("marketplace_apps_create").token(&cast.administrator.token);
        let app = create.json(&json!({ "name": "Table Pilot" })).expect(201).await.str("uuid").to_owned();
        cast.harness.sql(&format!("update app set state = '{state}' where app_uuid = '{app}'")).await;
        for status in [204, 404] {
            let delete = cast.harness.call("marketplace_apps_delete").path("app_uuid", &app);
            delete.token(&cast.administrator.token).expect(status).await;
        }
    }
}
