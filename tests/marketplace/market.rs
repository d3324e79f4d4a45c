//! A marketplace with a partner and a reviewer, and helpers for the steps of a version.

use serde_json::{Value, json};

use crate::harness::people::Person;
use crate::harness::{Answer, Call, Harness};

/// Scopes of a reviewer, including those for the category tree.
const STAFF: &[&str] = &["labs.admin.submissions:write", "labs.admin.categories:write", "labs.admin.audit"];

/// A service with tiers whose burst budgets do not slow a test down.
pub(super) async fn fast_harness() -> Harness {
    let harness = Harness::new().await;
    harness.sql("update tier set burst_per_second = 100000").await;
    harness
}

/// Removes the maximum number of apps, for tests that need many and do not test the maximum.
pub(super) async fn lift_the_cap(harness: &Harness) {
    harness
        .sql("update tier_feature set value = '\"unlimited\"' where feature_code in ('apps', 'media_megabytes')")
        .await;
}

/// Returns a single-colour image as PNG.
pub(super) fn png(width: u32, height: u32) -> Vec<u8> {
    let picture = image::RgbImage::from_pixel(width, height, image::Rgb([20, 90, 160]));
    let mut bytes = std::io::Cursor::new(Vec::new());
    picture.write_to(&mut bytes, image::ImageFormat::Png).unwrap();
    bytes.into_inner()
}

/// Returns the multipart form of an upload.
pub(super) fn upload(kind: &str, bytes: Vec<u8>) -> reqwest::multipart::Form {
    let file = reqwest::multipart::Part::bytes(bytes).file_name("picture.png").mime_str("image/png").unwrap();
    reqwest::multipart::Form::new()
        .text("kind", kind.to_owned())
        .text("alt_text", "The order screen")
        .part("file", file)
}

/// A partner with apps, and a staff member who reviews them.
pub(super) struct Market {
    pub(super) harness: Harness,
    pub(super) owner: Person,
    pub(super) staff: Person,
    pub(super) category: String,
}

impl Market {
    /// Creates one without apps, with one category.
    pub(super) async fn new() -> Self {
        let harness = fast_harness().await;
        lift_the_cap(&harness).await;
        let owner = harness.partner("Nordsee Kassen").await;
        let staff = harness.staff("Rosa Reviewer", STAFF).await;
        let body = json!({ "names": { "en": "Ordering" } });
        let made = harness.call("marketplace_categories_create").token(&staff.token).json(&body).expect(201).await;
        let category = made.str("uuid").to_owned();
        Self { harness, owner, staff, category }
    }

    /// Creates an app that lacks only a version. Its icon is smaller than most, so that it is processed quickly.
    pub(super) async fn app(&self, name: &str) -> String {
        self.app_of(&self.owner, name).await
    }

    /// Like [`Self::app`], for another owner.
    pub(super) async fn app_of(&self, owner: &Person, name: &str) -> String {
        let body = json!({
            "name": name,
            "tagline": "Takes orders at the table",
            "description": "Waiters take orders on a phone and the kitchen sees them at once.",
            "support_email": "help@nordsee-kassen.example",
            "privacy_url": "https://nordsee-kassen.example/privacy",
        });
        let app = self.harness.call("marketplace_apps_create").token(&owner.token).json(&body).expect(201).await;
        let app = app.str("uuid").to_owned();
        let chosen = json!({ "primary_category_uuid": self.category });
        let put = self.harness.call("marketplace_apps_put_categories").path("app_uuid", &app);
        put.token(&owner.token).json(&chosen).expect(200).await;
        let icon = self.harness.call("marketplace_media_upload").path("app_uuid", &app);
        icon.token(&owner.token).multipart(upload("ICON", png(256, 256))).expect(201).await;
        app
    }

    /// Creates a draft version with this number.
    pub(super) async fn draft(&self, app: &str, number: &str) -> String {
        self.draft_of(&self.owner, app, number).await
    }

    /// Like [`Self::draft`], for another owner.
    pub(super) async fn draft_of(&self, owner: &Person, app: &str, number: &str) -> String {
        let body = json!({ "number": number, "release_notes": { "en": "What is new." } });
        let call = self.harness.call("marketplace_versions_create").path("app_uuid", app);
        call.token(&owner.token).json(&body).expect(201).await.str("uuid").to_owned()
    }

    /// Starts an owner's call about a version.
    pub(super) fn version(&self, operation: &str, app: &str, version: &str) -> Call<'_> {
        self.harness.call(operation).path("app_uuid", app).path("version_uuid", version).token(&self.owner.token)
    }

    /// Starts a reviewer's call about a submission.
    pub(super) fn submission(&self, operation: &str, submission: &str) -> Call<'_> {
        self.harness.call(operation).path("submission_uuid", submission).token(&self.staff.token)
    }

    /// Returns the version as its owner sees it.
    pub(super) async fn see(&self, app: &str, version: &str) -> Answer {
        self.version("marketplace_versions_get", app, version).expect(200).await
    }

    /// Submits a version and returns the id of its submission.
    pub(super) async fn submit(&self, app: &str, version: &str) -> String {
        let answer = self.version("marketplace_versions_submit", app, version).json(&json!({})).expect(200).await;
        assert_eq!(answer.str("state"), "SUBMITTED");
        answer.json["review"]["submission_uuid"].as_str().unwrap().to_owned()
    }

    /// Claims a submission.
    pub(super) async fn claim(&self, submission: &str) {
        self.submission("marketplace_submissions_claim", submission).expect(200).await;
    }

    /// Approves a claimed submission.
    pub(super) async fn approve(&self, submission: &str) {
        self.submission("marketplace_submissions_approve", submission).json(&json!({})).expect(200).await;
    }

    /// Requests changes for a claimed submission, with one finding.
    pub(super) async fn request_changes(&self, submission: &str) {
        let call = self.submission("marketplace_submissions_request_changes", submission);
        call.json(&finding("REQ-15")).expect(200).await;
    }

    /// Takes a draft through review and returns its submission.
    pub(super) async fn approved(&self, app: &str, version: &str) -> String {
        let submission = self.submit(app, version).await;
        self.claim(&submission).await;
        self.approve(&submission).await;
        submission
    }

    /// Takes a draft through review and publishes it.
    pub(super) async fn published(&self, app: &str, version: &str) {
        self.approved(app, version).await;
        let live = self.version("marketplace_versions_publish", app, version).json(&json!({})).expect(200).await;
        assert_eq!(live.str("state"), "PUBLISHED");
    }

    /// Creates and publishes an app with this name; returns its id and its slug.
    pub(super) async fn listed(&self, name: &str) -> (String, String) {
        let app = self.app(name).await;
        let version = self.draft(&app, "1.0.0").await;
        self.published(&app, &version).await;
        let seen = self.harness.call("marketplace_apps_get").path("app_uuid", &app).token(&self.owner.token);
        (app, seen.expect(200).await.str("slug").to_owned())
    }

    /// Rejects a claimed submission.
    pub(super) async fn reject(&self, submission: &str) {
        let call = self.submission("marketplace_submissions_reject", submission);
        call.json(&finding("REQ-14")).expect(200).await;
    }

    /// Withdraws a submitted version.
    pub(super) async fn withdraw(&self, app: &str, version: &str) {
        self.version("marketplace_versions_withdraw", app, version).expect(200).await;
    }

    /// Creates another reviewer.
    pub(super) async fn second_reviewer(&self) -> Person {
        self.harness.staff("Bela Beisitzer", STAFF).await
    }
}

/// A finding about this requirement, with the reason why text that was already published is rejected now.
pub(super) fn finding(requirement: &str) -> Value {
    let mut found = found(requirement, "/texts/en/tagline");
    found["why_now"] = json!("The rule about promises is new.");
    json!({ "findings": [found] })
}

/// A finding about this requirement and place.
pub(super) fn found(requirement: &str, place: &str) -> Value {
    json!({
        "requirement_code": requirement,
        "text": "Say what the app does.",
        "where": place,
        "observed": "The line tells of another app.",
    })
}

/// Asserts that a list returns these entries with these filters, in one page and page by page, with the same total
/// count.
pub(super) async fn finds<'h>(
    list: impl Fn() -> Call<'h>,
    (field, limit): (&str, usize),
    filters: &[(&str, &str)],
    expected: &[&str],
) {
    let narrowed = || filters.iter().fold(list(), |call, (name, value)| call.query(name, value));
    let whole = narrowed().expect(200).await;
    assert_eq!(column(&whole, field), expected, "{filters:?}");
    if let Some(total) = whole.json["page"]["total"].as_u64() {
        assert_eq!(total, expected.len() as u64, "{filters:?}");
    }
    let mut paged = Vec::new();
    let mut page = narrowed().query("limit", limit).expect(200).await;
    loop {
        paged.extend(column(&page, field).into_iter().map(str::to_owned));
        let Some(cursor) = page.json["page"]["next_cursor"].as_str().map(str::to_owned) else { break };
        assert!(page.header("link").contains("rel=\"next\""), "{filters:?}");
        page = narrowed().query("limit", limit).query("cursor", cursor).expect(200).await;
    }
    assert_eq!(paged, expected, "{filters:?} page by page");
}

/// Returns a text field of each entry of a list.
pub(super) fn column<'a>(list: &'a Answer, field: &str) -> Vec<&'a str> {
    list.json["data"].as_array().unwrap().iter().map(|entry| entry[field].as_str().unwrap_or_default()).collect()
}

/// Returns code and pointer of each error in a problem document.
pub(super) fn errors(refusal: &Answer) -> Vec<(&str, &str)> {
    let errors = refusal.json["errors"].as_array().map(Vec::as_slice).unwrap_or_default().iter();
    let word = |value: &'_ Value| -> bool { value.is_string() };
    errors
        .map(|error| {
            let place = if word(&error["pointer"]) { &error["pointer"] } else { &error["parameter"] };
            (error["code"].as_str().unwrap(), place.as_str().unwrap_or_default())
        })
        .collect()
}

/// Returns the allowed actions in a problem document.
pub(super) fn allowed(refusal: &Answer) -> Vec<&str> {
    let actions = refusal.json["allowed_actions"].as_array().map(Vec::as_slice).unwrap_or_default().iter();
    actions.map(|action| action.as_str().unwrap()).collect()
}
