//! A service with rows in most lists, for sweeps that read existing data.

use std::collections::BTreeMap;

use http::Method;
use labs_rest::contract::{Access, Operation, ParameterIn};
use reqwest::RequestBuilder;
use serde_json::{Value, json};
use sqlx::AssertSqlSafe;

use super::Cast;
use crate::harness::{Call, Harness, contract};
use crate::marketplace::submittable;
use crate::partner::profile::written;
use crate::partner::team::{colleague, invite};

/// An id that does not exist.
const NOWHERE: &str = "0198d000-0000-7000-8000-00000000dead";

/// Key for the board's path parameter `request_uuid`, because tier change requests use the same parameter name.
const FEATURE_REQUEST: &str = "feature_request";

/// A service with two resources of most kinds.
pub(super) struct Stock {
    pub(super) cast: Cast,
    /// Values of the path parameters.
    places: BTreeMap<&'static str, String>,
}

impl Stock {
    pub(super) async fn new() -> Self {
        Self::within(Harness::new().await).await
    }

    /// Creates the data in an existing service.
    pub(super) async fn within(harness: Harness) -> Self {
        let caps = "feature_code in ('apps', 'media_megabytes', 'team_members')";
        harness.sql(&format!("update tier_feature set value = '\"unlimited\"' where {caps}")).await;
        let runs = "insert into job_run (run_uuid, job, state) select labs_uuid(), 'DATA_EXPORTS', 'SUCCEEDED'
                    from generate_series(1, 3)";
        harness.sql(runs).await;
        let cast = Cast::within(harness).await;
        let places = BTreeMap::from([
            ("job_code", "DATA_EXPORTS".to_owned()),
            ("kind", "LOGO".to_owned()),
            ("locale", "de".to_owned()),
            ("partner_uuid", cast.administrator.partner_uuid.unwrap().to_string()),
            ("staff_uuid", cast.staff.uuid.to_string()),
            ("tier_code", "FREE".to_owned()),
            ("user_uuid", cast.administrator.uuid.to_string()),
        ]);
        let mut stock = Self { cast, places };
        stock.people().await;
        stock.apps().await;
        stock.papers().await;
        stock.rest().await;
        stock.reviews().await;
        stock.collections().await;
        stock.publication().await;
        stock.deprecations().await;
        stock.board().await;
        stock.cast.harness.until("select count(*) from mail_message where state = 'QUEUED'", 0).await;
        stock
    }

    async fn people(&self) {
        let Cast { harness, administrator, storefront, .. } = &self.cast;
        harness.partner("Elbkontor").await;
        harness.staff("Auditor", &["labs.admin.audit"]).await;
        colleague(harness, administrator, "Tomas", "DEVELOPER").await;
        for email in ["ines@nordsee.example", "vera@nordsee.example"] {
            assert_eq!(invite(harness, administrator, email, "EDITOR").await.status, 201);
        }
        harness.sign_in(&administrator.email).await;
        harness.token_of(&storefront.client_id, &storefront.secret, None).await;
        for name in ["till", "printer"] {
            harness.program(name, &["partner"], administrator.partner_uuid).await;
        }
    }

    /// Creates two published apps; the second has another published version and a draft version.
    async fn apps(&mut self) {
        written(&self.cast.harness, &self.cast.administrator).await;
        for name in ["Table Pilot", "Till Pilot"] {
            let (app, version) =
                submittable(&self.cast.harness, &self.cast.staff, &self.cast.administrator, name).await;
            self.places.extend([("app_uuid", app), ("version_uuid", version)]);
            self.publish().await;
        }
        let further = |number: &str| json!({ "number": number, "release_notes": { "en": "What is new." } });
        let second = self.call("marketplace_versions_create").json(&further("1.1.0")).expect(201).await;
        self.places.insert("version_uuid", second.str("uuid").to_owned());
        self.publish().await;
        self.call("marketplace_versions_create").json(&further("1.2.0")).expect(201).await;
        self.call("marketplace_translations_put").json(&json!({ "name": "Kassenpilot" })).expect(201).await;
    }

    /// Publishes the current version.
    async fn publish(&mut self) {
        let submitted = self.call("marketplace_versions_submit").json(&json!({})).expect(200).await;
        let submission = submitted.json["review"]["submission_uuid"].as_str().unwrap();
        self.places.insert("submission_uuid", submission.to_owned());
        self.call("marketplace_submissions_claim").expect(200).await;
        self.call("marketplace_submissions_approve").json(&json!({})).expect(200).await;
        self.call("marketplace_versions_publish").json(&json!({})).expect(200).await;
    }

    async fn papers(&mut self) {
        let contact = |kind: &str| json!({ "kind": kind, "name": "Ines Ferrer", "email": "ines@nordsee.example" });
        let ticket = |subject: &str| json!({ "subject": subject, "body": "Since this morning.", "topic": "API" });
        let denial = |network: &str| json!({ "network": network, "reason": "Tries stolen passwords." });
        let note = |body: &str| json!({ "body": body });
        for (operation, bodies) in [
            ("partner_contacts_create", ["BILLING", "TECHNICAL"].map(contact)),
            ("partner_support_tickets_open", ["Webhooks are refused", "Tokens are refused"].map(ticket)),
            ("admin_network_denials_create", ["198.51.100.0/24", "203.0.113.0/24"].map(denial)),
            ("admin_notes_create", ["Pays late.", "Wants SCALE."].map(note)),
        ] {
            for body in bodies {
                self.call(operation).json(&body).expect(201).await;
            }
        }
        let wish = json!({ "tier_code": "SCALE" });
        let first = self.call("subscription_change_requests_create").json(&wish).expect(201).await;
        self.places.insert("request_uuid", first.str("uuid").to_owned());
        self.call("subscription_change_requests_withdraw").expect(200).await;
        self.call("subscription_change_requests_create").json(&wish).expect(201).await;
    }

    /// Looks up the values of the other path parameters.
    async fn rest(&mut self) {
        for (name, operation, pointer) in [
            ("listing_slug", "marketplace_apps_get", "/slug"),
            ("media_uuid", "marketplace_media_list", "/data/0/uuid"),
            ("record_uuid", "admin_audit_records_list", "/data/0/uuid"),
            ("ticket_uuid", "partner_support_tickets_list", "/data/0/uuid"),
        ] {
            let answer = self.call(operation).expect(200).await;
            let found = answer.json.pointer(pointer).and_then(Value::as_str);
            self.places.insert(name, found.unwrap_or_else(|| panic!("{operation} has no {pointer}")).to_owned());
        }
        let storefront = &self.cast.storefront.client_id;
        for (name, query) in [
            ("client_uuid", format!("select client_uuid::text from machine_client where client_id = '{storefront}'")),
            ("tier_uuid", "select tier_uuid::text from tier where code = 'FREE'".to_owned()),
        ] {
            let mut owner = self.cast.harness.owner().await;
            let found: String = sqlx::query_scalar(AssertSqlSafe(query)).fetch_one(&mut owner).await.unwrap();
            self.places.insert(name, found);
        }
    }

    /// Creates two published customer reviews of the second app.
    async fn reviews(&mut self) {
        for (customer, rating) in [("venue-1", 4), ("venue-2", 5)] {
            let body = json!({ "customer_reference": customer, "rating": rating, "locale": "en" });
            let handed = self.call("marketplace_listings_submit_review").json(&body).expect(201).await;
            self.places.insert("review_uuid", handed.str("uuid").to_owned());
            let text = json!({ "text_uuid": handed.json["waiting"]["text_uuid"] });
            self.call("marketplace_moderation_approve_review").json(&text).expect(200).await;
        }
    }

    /// Creates two published collections, each with both listings.
    async fn collections(&mut self) {
        for slug in ["first-week", "beer-garden"] {
            let body = json!({
                "titles": { "en": slug },
                "slug": slug,
                "listings": ["till-pilot", "table-pilot"],
                "shown_from": "2020-01-01T00:00:00Z",
            });
            self.call("marketplace_collections_create").json(&body).expect(201).await;
            self.places.insert("collection_slug", slug.to_owned());
        }
    }

    /// Creates two items of each kind with the same slugs, each released and withdrawn.
    async fn publication(&mut self) {
        self.places.insert("channel", "blog".to_owned());
        for (kind, title) in ["CHANGELOG_ENTRY", "DEVELOPER_RESOURCE", "BLOG_POST"]
            .into_iter()
            .flat_map(|kind| ["First steps", "What is new"].map(|title| (kind, title)))
        {
            let slug = title.to_lowercase().replace(' ', "-");
            let mut body = json!({ "kind": kind, "title": title, "slug": slug, "body": "Something to read." });
            if kind == "CHANGELOG_ENTRY" {
                body["version"] = json!("1.4.0");
                body["change"] = json!("ADDED");
            }
            let made = self.call("publication_items_create").json(&body).expect(201).await;
            self.places.extend([("item_uuid", made.str("uuid").to_owned()), ("slug", slug)]);
            if kind == "DEVELOPER_RESOURCE" {
                let file = self.call("publication_items_put_artefact").query("file_name", "a.txt");
                file.raw("application/octet-stream", "Something to keep.").expect(200).await;
            }
            for step in ["release", "withdraw", "release"] {
                self.call(&format!("publication_items_{step}")).expect(200).await;
            }
        }
    }

    /// Deprecates two operations; clients still call one of them.
    async fn deprecations(&mut self) {
        for operation in ["statistics_apps_get", "statistics_apps_get_summary"] {
            let body = json!({
                "operation_id": operation,
                "reason": "Nobody needs it.",
                "replacement": "Nothing.",
                "sunset_at": "2037-01-01T00:00:00Z",
            });
            let made = self.call("admin_deprecations_create").json(&body).expect(201).await;
            self.places.insert("deprecation_uuid", made.str("uuid").to_owned());
        }
        let calls = "insert into deprecation_use (deprecation_uuid, day, account, client_uuid, requests)
                     select deprecation_uuid, (labs_now() at time zone 'UTC')::date, 'partner:' || partner_uuid, null, 7
                       from deprecation cross join partner where operation_id = 'statistics_apps_get_summary'";
        self.cast.harness.sql(calls).await;
    }

    /// Creates topics and the administrator's feature requests. Staff change the status of two, which creates
    /// notifications, and merge two into one with comments, which another partner reports.
    async fn board(&mut self) {
        for name in ["Payments", "Printing"] {
            let body = json!({ "names": { "en": name } });
            self.call("engagement_topics_create").json(&body).expect(201).await;
        }
        for title in ["Print the menu", "Tip the kitchen"] {
            let body = json!({ "title": title, "body": "Please." });
            let made = self.call("engagement_feature_requests_propose").json(&body).expect(201).await;
            let call = self.cast.harness.call("engagement_moderation_change_status").token(&self.cast.staff.token);
            call.path("request_uuid", made.str("uuid")).json(&json!({ "status": "PLANNED" })).expect(200).await;
        }
        let mut made = Vec::new();
        for title in ["Pay apart", "Bills in parts", "Join the bills of two tables", "Split the bill"] {
            let body = json!({ "title": title, "body": "A bill for each guest." });
            let answer = self.call("engagement_feature_requests_propose").json(&body).expect(201).await;
            made.push(answer.str("uuid").to_owned());
        }
        self.places.extend(made.last().map(|last| (FEATURE_REQUEST, last.clone())));
        let guest = self.cast.harness.partner("Dorfkrug").await;
        for body in ["By course.", "By course and by guest."] {
            let comment = self.call("engagement_comments_add").json(&json!({ "body": body })).expect(201).await;
            self.places.insert("comment_uuid", comment.str("uuid").to_owned());
            let report = self.cast.harness.call("engagement_reports_report_comment").token(&guest.token);
            let report = report.path("comment_uuid", comment.str("uuid")).json(&json!({ "reason": "OFF_TOPIC" }));
            self.places.insert("report_uuid", report.expect(200).await.str("uuid").to_owned());
        }
        let merge = json!({ "into_uuid": self.places[FEATURE_REQUEST], "note": "Both want the same." });
        for same in made.iter().take(2) {
            let call = self.cast.harness.call("engagement_moderation_merge").path("request_uuid", same);
            call.token(&self.cast.staff.token).json(&merge).expect(200).await;
        }
    }

    /// Sets the value of a path parameter from now on.
    pub(super) fn name(&mut self, parameter: &'static str, value: &str) {
        self.places.insert(parameter, value.to_owned());
    }

    /// Returns the value of a path parameter for an operation.
    fn place(&self, operation: &Operation, name: &str) -> &str {
        let is_of_board = operation.path.starts_with("/v1/engagement/") && name == "request_uuid";
        self.places.get(if is_of_board { FEATURE_REQUEST } else { name }).map_or(NOWHERE, String::as_str)
    }

    /// A call by an authorized caller, with the existing values.
    pub(super) fn call(&self, id: &str) -> Call<'_> {
        let operation = contract().operation(id).unwrap();
        let names = operation.parameters_in(ParameterIn::Path).map(|parameter| parameter.name.as_str());
        let call = names.fold(self.cast.harness.call(id), |call, name| call.path(name, self.place(operation, name)));
        match operation.access {
            Access::Any | Access::Scope(_) => call.token(self.cast.token_for(operation)),
            _ => call,
        }
    }

    /// The same as a raw request, for requests that `Call` cannot express.
    pub(super) fn request(&self, method: Method, operation: &'static Operation) -> RequestBuilder {
        self.at(method, operation, &self.path(operation))
    }

    pub(super) fn path(&self, operation: &'static Operation) -> String {
        let names = operation.parameters_in(ParameterIn::Path).map(|parameter| parameter.name.as_str());
        names.fold(operation.path.clone(), |path, name| {
            path.replace(&format!("{{{name}}}"), self.place(operation, name))
        })
    }

    pub(super) fn at(&self, method: Method, operation: &'static Operation, target: &str) -> RequestBuilder {
        let request = self.cast.harness.http().request(method, format!("{}{target}", self.cast.harness.base_url));
        match operation.access {
            Access::Any | Access::Scope(_) => request.bearer_auth(self.cast.token_for(operation)),
            _ => request,
        }
    }
}
