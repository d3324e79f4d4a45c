//! Every list, read to its end by the links that its pages send; and a service with something in most of them.

use std::collections::{BTreeMap, BTreeSet};

use http::Method;
use labs_rest::contract::{Access, Operation, Place};
use reqwest::{RequestBuilder, Url};
use serde_json::{Value, json};
use sqlx::AssertSqlSafe;

use super::{Cast, operations};
use crate::harness::{Call, Harness, contract};
use crate::marketplace::submittable;
use crate::partner::profile::written;
use crate::partner::team::{colleague, invite};

/// What is asked of each list: a filter where it has one, and what keeps rows away that come with every call.
const LISTS: &[(&str, &[(&str, &str)])] = &[
    ("admin_apps_list", &[("state", "LISTED"), ("category", "category-of-table-pilot,category-of-till-pilot")]),
    ("admin_apps_list_events", &[("kind", "VERSION_CREATED")]),
    ("admin_apps_list_of_partner", &[("state", "LISTED"), ("q", "pilot")]),
    ("admin_apps_list_versions", &[("state", "DRAFT,PUBLISHED")]),
    ("admin_audit_records_list", OF_TWO),
    ("admin_audit_records_summarise", &[("by", "OPERATION"), OF_TWO[0], OF_TWO[1]]),
    ("admin_deprecations_list", &[("kind", "OPERATION")]),
    ("admin_deprecations_list_callers", &[("days", "30")]),
    ("admin_invitations_list", &[("state", "PENDING"), ("role", "EDITOR")]),
    ("admin_jobs_list", &[]),
    ("admin_jobs_list_runs", &[("state", "SUCCEEDED"), ("trigger", "SCHEDULE")]),
    ("admin_machine_clients_list", &[("state", "ACTIVE")]),
    ("admin_machine_clients_list_token_grants", &[("outcome", "SUCCEEDED")]),
    ("admin_mail_messages_list", &[("state", "SENT")]),
    ("admin_network_denials_list", &[("in_force", "true")]),
    ("admin_notes_list", &[]),
    ("admin_partners_list", &[("country", "DE"), ("state", "ACTIVE,CLOSING")]),
    ("admin_partners_list_contacts", &[("kind", "BILLING,TECHNICAL")]),
    ("admin_partners_list_timeline", &[("group", "SUBSCRIPTION"), ("group", "MARKETPLACE")]),
    ("admin_scopes_list", &[("q", "audit")]),
    ("admin_security_events_list", &[("kind", "SIGN_IN"), ("outcome", "SUCCEEDED")]),
    ("admin_staff_list", &[("state", "ACTIVE")]),
    ("admin_staff_roles_list", &[]),
    ("admin_subscriptions_list", &[("tier_code", "FREE")]),
    ("admin_subscriptions_list_events", &[]),
    ("admin_team_members_list", &[("state", "ACTIVE")]),
    ("admin_tier_change_requests_list", &[("to_tier_code", "SCALE")]),
    ("admin_users_list", &[("kind", "PARTNER_USER")]),
    ("admin_users_list_security_events", &[("outcome", "SUCCEEDED")]),
    ("admin_users_list_sessions", &[]),
    ("auth_account_list_security_events", &[("outcome", "SUCCEEDED")]),
    ("auth_sessions_list", &[]),
    ("marketplace_apps_list", &[("state", "LISTED"), ("q", "pilot")]),
    ("marketplace_apps_list_events", &[("kind", "VERSION_CREATED")]),
    ("marketplace_apps_list_selectable_categories", &[("locale", "en")]),
    ("marketplace_categories_list", &[("state", "ACTIVE")]),
    ("marketplace_collections_list", &[("on_show", "true")]),
    ("marketplace_listings_list_media", &[("kind", "SCREENSHOT")]),
    ("marketplace_listings_list_reviews", &[("rating", "4,5")]),
    ("marketplace_listings_list_versions", &[("locale", "en")]),
    ("marketplace_listings_search", &[("q", "takes orders"), ("locale", "en")]),
    ("marketplace_media_list", &[("kind", "SCREENSHOT")]),
    ("marketplace_moderation_list_reviews", &[("state", "PUBLISHED")]),
    ("marketplace_public_collections_get", &[("locale", "de")]),
    ("marketplace_public_collections_list", &[("locale", "de")]),
    ("marketplace_reviews_list", &[("answered", "false")]),
    ("marketplace_submissions_list", &[("state", "APPROVED")]),
    ("marketplace_translations_list", &[]),
    ("marketplace_versions_list", &[("state", "DRAFT,PUBLISHED")]),
    ("marketplace_versions_list_messages", &[]),
    ("partner_account_list_events", &[("group", "ACCOUNT")]),
    ("partner_contacts_list", &[("kind", "BILLING"), ("kind", "TECHNICAL")]),
    ("partner_invitations_list", &[("state", "PENDING")]),
    ("partner_security_list_events", &[("kind", "SIGN_IN")]),
    ("partner_security_list_machine_clients", &[("state", "ACTIVE")]),
    ("partner_support_desk_list", &[("topic", "API"), ("assigned", "false")]),
    ("partner_support_tickets_list", &[("topic", "API"), ("q", "refused")]),
    ("partner_team_members_list", &[("state", "ACTIVE")]),
    ("partner_team_members_list_roles", &[]),
    ("publication_developer_resources_list", &[("q", "s")]),
    ("publication_items_list", &[("kind", "BLOG_POST"), ("state", "RELEASED,DRAFT")]),
    ("publication_items_list_transitions", &[]),
    ("publication_public_blog_posts_list", &[("q", "s")]),
    ("publication_public_changelog_list", &[("change", "ADDED")]),
    ("publication_public_developer_resources_list", &[("q", "s")]),
    ("subscription_change_requests_list", &[("state", "PENDING,WITHDRAWN")]),
    ("subscription_current_list_events", &[]),
    ("subscription_features_list", &[("kind", "LIMIT")]),
    ("subscription_public_features_list", &[]),
    ("subscription_public_tiers_list", &[]),
    ("subscription_tiers_list", &[("state", "OFFERED")]),
    ("subscription_tiers_list_subscribers", &[]),
];

/// Records of what nobody does while they are read.
const OF_TWO: &[(&str, &str)] = &[("operation", "admin_notes_create"), ("operation", "admin_network_denials_create")];

/// Lists that are not read here, and why.
const APART: &[(&str, &str)] = &[
    ("admin_apps_get_statistics", "nothing is imported here; `statistics::apps` reads the same by pages"),
    ("admin_data_exports_list", "a service has one export at most"),
    ("admin_machine_clients_list_secrets", "a program has one secret until it is given another"),
    ("admin_overview_list_dormant_partners", "nobody is silent here; `admin::overview` makes somebody so"),
    ("admin_profiles_list_imagery", "the page has one picture"),
    ("admin_rate_limits_list_consumers", "every call moves its rows"),
    ("admin_rate_limits_list_refusals", "no budget is spent here"),
    ("admin_sign_in_blocks_list", "nobody guesses here"),
    ("admin_signing_keys_list", "there is one key until it is turned over"),
    ("partner_data_exports_list", "a service has one export at most"),
    ("partner_imagery_list", "the page has one picture"),
    ("statistics_apps_list", "nothing is imported here; `statistics::apps` reads its pages"),
    ("statistics_apps_list_daily", "the same"),
    ("statistics_imports_list_runs", "the same, and `statistics::imports`"),
];

/// Orders by what changes a moment after a call: when a program was last there.
const MOVING: &[&str] = &["-last_used_at"];

/// A place where nothing is.
const NOWHERE: &str = "0198d000-0000-7000-8000-00000000dead";

/// A service with two of most things in it.
pub(super) struct Stock {
    cast: Cast,
    /// What the parameters of paths name here.
    places: BTreeMap<&'static str, String>,
}

impl Stock {
    pub(super) async fn new() -> Self {
        let harness = Harness::new().await;
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

    /// Two apps on the storefront, of which the later has a second version there and a further one that is a draft.
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

    /// Takes the version here onto the storefront.
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

    /// Finds what the rest of the paths name.
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

    /// Two reviews of the later app, which are shown.
    async fn reviews(&mut self) {
        for (customer, rating) in [("venue-1", 4), ("venue-2", 5)] {
            let body = json!({ "customer_reference": customer, "rating": rating, "locale": "en" });
            let handed = self.call("marketplace_listings_submit_review").json(&body).expect(201).await;
            self.places.insert("review_uuid", handed.str("uuid").to_owned());
            let text = json!({ "text_uuid": handed.json["waiting"]["text_uuid"] });
            self.call("marketplace_moderation_approve_review").json(&text).expect(200).await;
        }
    }

    /// Two collections on show, each with both listings.
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

    /// Two of each kind under the same slugs, each of which was released and withdrawn.
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

    /// Two operations that are to go, one of which others call.
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

    /// What a parameter of a path names.
    fn place(&self, name: &str) -> &str {
        self.places.get(name).map_or(NOWHERE, String::as_str)
    }

    /// A call by somebody who may make it, of what is here.
    pub(super) fn call(&self, id: &str) -> Call<'_> {
        let operation = contract().operation(id).unwrap();
        let names = operation.parameters_in(Place::Path).map(|parameter| parameter.name.as_str());
        let call = names.fold(self.cast.harness.call(id), |call, name| call.path(name, self.place(name)));
        match operation.access {
            Access::Any | Access::Scope(_) => call.token(self.cast.token_for(operation)),
            _ => call,
        }
    }

    /// The same as a request, for what no call can be.
    pub(super) fn request(&self, method: Method, operation: &'static Operation) -> RequestBuilder {
        self.at(method, operation, &self.path(operation))
    }

    fn path(&self, operation: &'static Operation) -> String {
        let names = operation.parameters_in(Place::Path).map(|parameter| parameter.name.as_str());
        names.fold(operation.path.clone(), |path, name| path.replace(&format!("{{{name}}}"), self.place(name)))
    }

    fn at(&self, method: Method, operation: &'static Operation, target: &str) -> RequestBuilder {
        let request = self.cast.harness.http().request(method, format!("{}{target}", self.cast.harness.base_url));
        match operation.access {
            Access::Any | Access::Scope(_) => request.bearer_auth(self.cast.token_for(operation)),
            _ => request,
        }
    }

    /// The rows of a list, each on a page of its own, by following the links exactly as they were sent.
    async fn walked(&self, operation: &'static Operation, asked: &[(&str, &str)]) -> Vec<Value> {
        let here = format!("{}{}", self.cast.harness.base_url, self.path(operation));
        let first = Url::parse_with_params(&here, asked.iter().chain(&[("limit", "1")])).unwrap();
        let mut target = format!("{}?{}", first.path(), first.query().unwrap());
        let mut rows = Vec::new();
        while rows.len() < 1_000 {
            let answer = self.at(Method::GET, operation, &target).send().await.unwrap();
            assert_eq!(answer.status(), 200, "{target}");
            let link = answer.headers().get("link").map_or("", |link| link.to_str().unwrap()).to_owned();
            let page: Value = answer.json().await.unwrap();
            rows.extend(identities(&page));
            let Some(cursor) = page["page"]["next_cursor"].as_str() else {
                assert_eq!((link.as_str(), &page["page"]["has_more"]), ("", &json!(false)), "{target}");
                return rows;
            };
            assert_eq!(page["page"]["has_more"], json!(true), "{target}");
            let next = link.strip_prefix('<').and_then(|link| link.strip_suffix(">; rel=\"next\""));
            target = next.unwrap_or_else(|| panic!("{target} has this link: {link}")).to_owned();
            let next = Url::parse(&format!("{}{target}", self.cast.harness.base_url)).unwrap();
            let cursor = ("cursor".to_owned(), cursor.to_owned());
            let expected: Vec<_> = first.query_pairs().into_owned().chain([cursor]).collect();
            let kept: Vec<_> = next.query_pairs().into_owned().collect();
            assert_eq!((next.path(), kept), (first.path(), expected), "what was asked, and the page's cursor");
        }
        panic!("{} does not end", operation.id)
    }
}

/// What each row of a page is known by.
fn identities(page: &Value) -> Vec<Value> {
    let rows = page["data"].as_array().unwrap().iter();
    rows.map(|row| if row["uuid"].is_string() { row["uuid"].clone() } else { row.clone() }).collect()
}

/// Every order that a list can be asked for, or none where it has but one.
fn orders(operation: &'static Operation) -> Vec<Option<&'static str>> {
    let Some(sort) = operation.parameters.iter().find(|parameter| parameter.name == "sort") else { return vec![None] };
    let words = contract().resolve(&sort.schema)["enum"].as_array().unwrap().iter().filter_map(Value::as_str);
    words.filter(|order| !MOVING.contains(order)).map(Some).collect()
}

#[tokio::test]
async fn links_lead_through_every_row_of_a_list_once_and_keep_what_was_asked() {
    let stock = Stock::new().await;
    let mut few = BTreeSet::new();
    for (id, narrowed) in LISTS {
        let operation = contract().operation(id).unwrap();
        for order in orders(operation) {
            let asked: Vec<(&str, &str)> = narrowed.iter().copied().chain(order.map(|order| ("sort", order))).collect();
            let call = asked.iter().fold(stock.call(id), |call, (name, value)| call.query(name, value));
            let whole = call.query("limit", 100).expect(200).await;
            assert_eq!((whole.header("link"), &whole.json["page"]["has_more"]), ("", &json!(false)), "{id}");
            let rows = identities(&whole.json);
            let apart: BTreeSet<String> = rows.iter().map(Value::to_string).collect();
            assert_eq!(apart.len(), rows.len(), "{id} {asked:?} has a row twice: {rows:?}");
            assert_eq!(stock.walked(operation, &asked).await, rows, "{id} {asked:?}");
            if rows.len() < 2 {
                few.insert(*id);
            }
        }
    }
    assert!(few.is_empty(), "let the stock have two of what these hold: {few:?}");
}

#[test]
fn every_list_is_read_to_its_end_or_stands_apart_for_a_reason() {
    let known: BTreeSet<&str> = LISTS.iter().map(|(id, _)| *id).chain(APART.iter().map(|(id, _)| *id)).collect();
    let lists = operations().filter(|operation| operation.is_list).map(|operation| operation.id.as_str());
    assert_eq!(lists.collect::<BTreeSet<_>>(), known, "put a list that is added into LISTS");
}
