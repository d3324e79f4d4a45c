//! List sweep: reads every list to its end by following the links of its pages.

use std::collections::BTreeSet;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use http::Method;
use labs_rest::contract::Operation;
use reqwest::Url;
use serde_json::{Value, json};

use super::operations;
use super::stock::Stock;
use crate::harness::contract;

/// Query parameters of each list: a filter if the list has one, and a filter against rows that every call adds.
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
    ("engagement_comments_list", &[]),
    ("engagement_feature_requests_list", &[("status", "OPEN"), ("q", "bill")]),
    ("engagement_feature_requests_list_duplicates", &[]),
    ("engagement_feature_requests_list_status_changes", &[]),
    ("engagement_moderation_list_comments", &[("is_answer", "false"), ("q", "course")]),
    ("engagement_moderation_list_feature_requests", &[("merged", "false"), ("q", "bill")]),
    ("engagement_reports_list", &[("outcome", "OPEN"), ("target_kind", "COMMENT")]),
    ("engagement_notifications_list", &[("unread", "true")]),
    ("engagement_topics_list", &[]),
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

/// Filters to operations that do not run during the read, so that no new records appear.
const OF_TWO: &[(&str, &str)] = &[("operation", "admin_notes_create"), ("operation", "admin_network_denials_create")];

/// Lists that are not read here, and the reason.
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

/// Sort orders by values that change after a call: the last use of a machine client.
const MOVING: &[&str] = &["-last_used_at"];

/// Order in which lists of events can be followed: their last page also has a cursor.
const FOLLOWED: (&str, &str) = ("sort", "position");

impl Stock {
    /// Reads the rows of a list with one row per page, following the links exactly as sent.
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
            let is_last = page["page"]["has_more"] == json!(false);
            let Some(cursor) = page["page"]["next_cursor"].as_str().filter(|_| !is_last) else {
                assert_eq!((link.as_str(), is_last), ("", true), "{target}");
                let is_followed = operation.promises(410) && asked.contains(&FOLLOWED);
                assert_eq!(page["page"]["next_cursor"].is_string(), is_followed, "{target}");
                return rows;
            };
            assert_hides(cursor, &page["data"], &target);
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

/// Asserts that a cursor contains no values of the rows before it: no texts, numbers or id bytes. Shorter values may
/// occur by chance.
fn assert_hides(cursor: &str, rows: &Value, target: &str) {
    let bytes = URL_SAFE_NO_PAD.decode(cursor).unwrap();
    let holds = |part: &[u8]| part.len() >= 6 && bytes.windows(part.len()).any(|found| found == part);
    let mut waiting = vec![rows];
    while let Some(value) = waiting.pop() {
        match value {
            Value::Array(values) => waiting.extend(values),
            Value::Object(fields) => waiting.extend(fields.values()),
            Value::String(text) => {
                let uuid = text.parse::<uuid::Uuid>().map(uuid::Uuid::into_bytes).unwrap_or_default();
                let is_there = holds(text.as_bytes()) || uuid != [0; 16] && holds(&uuid);
                assert!(!is_there, "the cursor of {target} holds {text}");
            }
            Value::Number(number) => {
                assert!(!holds(number.to_string().as_bytes()), "the cursor of {target} holds {number}");
            }
            Value::Null | Value::Bool(_) => {}
        }
    }
}

/// Returns the identifier of each row of a page.
fn identities(page: &Value) -> Vec<Value> {
    let known = |row: &Value| ["uuid", "code"].map(|name| row[name].clone()).into_iter().find(Value::is_string);
    let rows = page["data"].as_array().unwrap().iter();
    rows.map(|row| known(row).unwrap_or_else(|| row.clone())).collect()
}

/// Returns every sort order of a list, or `None` if it has only one.
fn orders(operation: &'static Operation) -> Vec<Option<&'static str>> {
    let Some(sort) = operation.parameters.iter().find(|parameter| parameter.name == "sort") else { return vec![None] };
    let words = contract().resolve(&sort.schema)["enum"].as_array().unwrap().iter().filter_map(Value::as_str);
    words.filter(|order| !MOVING.contains(order)).map(Some).collect()
}

#[tokio::test]
async fn links_visit_every_row_once_and_keep_query() {
    let stock = Stock::new().await;
    stock.cast.harness.until("select count(*) from event_position where place is null", 0).await;
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
fn every_list_is_in_paging_sweep_or_exception_list() {
    let known: BTreeSet<&str> = LISTS.iter().map(|(id, _)| *id).chain(APART.iter().map(|(id, _)| *id)).collect();
    let lists = operations().filter(|operation| operation.is_list).map(|operation| operation.id.as_str());
    assert_eq!(lists.collect::<BTreeSet<_>>(), known, "put a list that is added into LISTS");
}
