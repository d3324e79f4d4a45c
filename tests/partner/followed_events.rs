//! Tests of the lists of events in the order of their positions, which clients follow by a cursor.

mod polls;
mod retention;

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::harness::people::Person;
use crate::harness::{Answer, Call, Harness};

/// Number of events without a position.
pub(crate) const UNSEALED: &str = "select count(*) from event_position where place is null";

/// A list of events that a partner follows.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Followed<'a> {
    Account,
    Subscription,
    App(&'a str),
}

impl Followed<'_> {
    /// Starts the call of the list.
    pub(crate) fn call<'h>(self, harness: &'h Harness, person: &Person) -> Call<'h> {
        let call = match self {
            Self::Account => {
                harness.call("partner_account_list_events").path("partner_uuid", person.partner_uuid.unwrap())
            }
            Self::Subscription => harness.call("subscription_current_list_events"),
            Self::App(app) => harness.call("marketplace_apps_list_events").path("app_uuid", app),
        };
        call.token(&person.token)
    }

    /// Starts the call of the page after a cursor, in the order of positions.
    pub(crate) fn page<'h>(self, harness: &'h Harness, person: &Person, cursor: Option<&str>) -> Call<'h> {
        let call = self.call(harness, person).query("sort", "position");
        cursor.into_iter().fold(call, |call, cursor| call.query("cursor", cursor))
    }

    /// Reads all pages of this length from a cursor on. Returns the events and the last cursor.
    pub(crate) async fn read(
        self,
        harness: &Harness,
        person: &Person,
        cursor: Option<String>,
        limit: u64,
    ) -> (Vec<Value>, String) {
        harness.until(UNSEALED, 0).await;
        let (mut events, mut cursor) = (Vec::new(), cursor);
        loop {
            let page = self.page(harness, person, cursor.as_deref()).query("limit", limit).expect(200).await;
            events.extend(page.json["data"].as_array().unwrap().iter().cloned());
            let next = next_cursor(&page);
            let has_more = page.json["page"]["has_more"].as_bool().unwrap();
            assert_eq!(has_more, !page.header("link").is_empty(), "the link is there if there is a next page");
            if !has_more {
                return (events, next);
            }
            cursor = Some(next);
        }
    }

    /// Reads the whole list, newest first.
    pub(crate) async fn newest_first(self, harness: &Harness, person: &Person) -> Vec<Value> {
        let (mut events, mut cursor) = (Vec::new(), None::<String>);
        loop {
            let call = self.call(harness, person).query("limit", 100);
            let page = cursor.iter().fold(call, |call, cursor| call.query("cursor", cursor)).expect(200).await;
            events.extend(page.json["data"].as_array().unwrap().iter().cloned());
            cursor = page.json["page"]["next_cursor"].as_str().map(str::to_owned);
            if cursor.is_none() {
                return events;
            }
        }
    }

    /// Waits until a poll returns an event, and returns that page.
    async fn next(self, harness: &Harness, person: &Person, cursor: &str) -> Answer {
        harness.until(UNSEALED, 0).await;
        let is_there = async || {
            let page = self.page(harness, person, Some(cursor)).expect(200).await;
            page.json["data"] != json!([])
        };
        harness.soon("the next event", is_there).await;
        self.page(harness, person, Some(cursor)).expect(200).await
    }
}

fn next_cursor(page: &Answer) -> String {
    page.json["page"]["next_cursor"].as_str().unwrap().to_owned()
}

fn kinds(events: &Value) -> Vec<&str> {
    events.as_array().unwrap().iter().map(|event| event["kind"].as_str().unwrap()).collect()
}

/// Returns the events in an order that does not depend on the list.
fn sorted(mut events: Vec<Value>) -> Vec<Value> {
    events.sort_by_key(|event| event["uuid"].as_str().unwrap().to_owned());
    events
}

/// A partner with an app, and a staff member who acts on its account.
struct Company {
    harness: Harness,
    owner: Person,
    staff: Person,
    app: String,
}

impl Company {
    async fn new() -> Self {
        let harness = Harness::new().await;
        harness.sql("update tier set burst_per_second = 100000").await;
        let owner = harness.partner("Nordsee Kassen").await;
        let scopes = ["labs.admin.partners:write", "labs.admin.subscriptions:write", "labs.admin.apps:write"];
        let staff = harness.staff("Jonas Okafor", &scopes).await;
        let made = harness.call("marketplace_apps_create").token(&owner.token).json(&json!({ "name": "Table Pilot" }));
        let app = made.expect(201).await.str("uuid").to_owned();
        Self { harness, owner, staff, app }
    }

    fn lists(&self) -> [Followed<'_>; 3] {
        [Followed::Account, Followed::Subscription, Followed::App(&self.app)]
    }

    /// Changes the object of the list, with this value. Returns the kind of the event.
    async fn change(&self, list: Followed<'_>, value: &str) -> &'static str {
        let Self { harness, owner, .. } = self;
        match list {
            Followed::Account => {
                let call = harness.call("partner_account_update").path("partner_uuid", owner.partner_uuid.unwrap());
                call.token(&owner.token).json(&json!({ "legal_form": value })).expect(200).await;
                "COMPANY_UPDATED"
            }
            Followed::Subscription => {
                let call = harness.call("admin_entitlements_put_override").path("feature_code", "apps");
                let call = call.path("partner_uuid", owner.partner_uuid.unwrap()).token(&self.staff.token);
                let body = json!({ "limit": value.len(), "reason": format!("Agreed: {value}."), "expires_at": "2037-12-31T00:00:00Z" });
                let put = call.json(&body).send().await;
                assert!([200, 201].contains(&put.status), "{}", put.text());
                "OVERRIDE_SET"
            }
            Followed::App(app) => {
                let call = harness.call("marketplace_apps_update").path("app_uuid", app).token(&owner.token);
                call.json(&json!({ "tagline": value })).expect(200).await;
                "UPDATED"
            }
        }
    }

    /// A call of a staff member about the partner.
    fn by_staff(&self, operation: &str) -> Call<'_> {
        let call = self.harness.call(operation).path("partner_uuid", self.owner.partner_uuid.unwrap());
        call.token(&self.staff.token)
    }
}

#[tokio::test]
async fn cursor_of_last_page_continues_with_new_events() {
    let company = Company::new().await;
    let Company { harness, owner, .. } = &company;
    for list in company.lists() {
        for value in ["one", "eleven"] {
            company.change(list, value).await;
        }
        company.by_staff("admin_partners_get").expect(200).await;
        let (events, cursor) = list.read(harness, owner, None, 1).await;
        assert_eq!(sorted(events.clone()), sorted(list.newest_first(harness, owner).await), "{list:?}");
        assert_eq!(list.read(harness, owner, None, 100).await.0, events, "{list:?}: the same order with other pages");
        let idle = list.page(harness, owner, Some(&cursor)).expect(200).await;
        assert_eq!((&idle.json["data"], next_cursor(&idle)), (&json!([]), cursor.clone()), "{list:?}");
        let kind = company.change(list, "one hundred").await;
        let next = list.next(harness, owner, &cursor).await;
        assert_eq!(kinds(&next.json["data"]), [kind], "{list:?}");
        assert_ne!(next_cursor(&next), cursor);
    }
}

#[tokio::test]
async fn filter_applies_to_followed_events() {
    let company = Company::new().await;
    let (harness, owner, list) = (&company.harness, &company.owner, Followed::App(&company.app));
    harness.until(UNSEALED, 0).await;
    let filtered = |cursor: Option<&str>| list.page(harness, owner, cursor).query("kind", "UPDATED");
    let begun = filtered(None).expect(200).await;
    assert_eq!(begun.json["data"], json!([]), "the app was only created");
    company.change(list, "one").await;
    harness.until(UNSEALED, 0).await;
    let changed = async || {
        let page = filtered(Some(&next_cursor(&begun))).expect(200).await;
        kinds(&page.json["data"]) == ["UPDATED"]
    };
    harness.soon("the change", changed).await;
    let foreign = list.page(harness, owner, Some(&next_cursor(&begun))).expect(400).await;
    assert_eq!(foreign.code(), "INVALID_CURSOR", "a cursor belongs to its filter");
}

#[tokio::test]
async fn cursor_of_another_order_or_list_is_rejected() {
    let company = Company::new().await;
    let Company { harness, owner, .. } = &company;
    for list in company.lists() {
        company.change(list, "one").await;
        company.change(list, "eleven").await;
        let newest = list.call(harness, owner).query("limit", 1).expect(200).await;
        let (_, followed) = list.read(harness, owner, None, 100).await;
        // The end is known in memory, which must not answer another question.
        list.page(harness, owner, Some(&followed)).expect(200).await;
        for call in [
            list.page(harness, owner, Some(&next_cursor(&newest))),
            list.call(harness, owner).query("cursor", &followed),
            list.page(harness, owner, Some(&followed)).query("kind", "CHANGED"),
        ] {
            assert_eq!(call.expect(400).await.code(), "INVALID_CURSOR", "{list:?}");
        }
        for other in company.lists() {
            if std::mem::discriminant(&other) != std::mem::discriminant(&list) {
                let foreign = other.page(harness, owner, Some(&followed)).expect(400).await;
                assert_eq!(foreign.code(), "INVALID_CURSOR", "{list:?} {other:?}");
            }
        }
    }
}

#[tokio::test]
async fn event_of_late_commit_is_not_skipped() {
    let company = Company::new().await;
    let Company { harness, owner, app, .. } = &company;
    let partner = owner.partner_uuid.unwrap();
    let of_partner = format!("(gen_random_uuid(), '{partner}', 'CHANGED', 'SYSTEM')");
    let late = [
        ("ACCOUNT", format!("partner_event (event_uuid, partner_uuid, kind, actor_kind) values {of_partner}")),
        (
            "SUBSCRIPTION",
            format!("subscription_event (event_uuid, partner_uuid, kind, actor_kind) values {of_partner}"),
        ),
        (
            "STAFF",
            format!(
                "audit_log (record_uuid, operation, channel, outcome, actor_kind, actor_uuid, partner_uuid) values \
                 (labs_uuid(), 'admin_partners_get', 'REST', 'SUCCEEDED', 'STAFF_USER', gen_random_uuid(), '{partner}')"
            ),
        ),
        (
            "APP",
            format!(
                "app_event (event_uuid, app_uuid, kind, actor_kind) values \
                 (gen_random_uuid(), '{app}', 'CHANGED', 'SYSTEM')"
            ),
        ),
    ];
    for (source, insert) in late {
        let list = if source == "APP" { Followed::App(app) } else { Followed::Account };
        let (_, before) = list.read(harness, owner, None, 100).await;
        let held = harness.hold(format!("insert into {insert}")).await;
        // A change of the app would wait for the lock of its reference.
        let kind = match list {
            Followed::App(_) => {
                harness.sql(&format!("insert into {}", insert.replace("CHANGED", "UNLISTED"))).await;
                "UNLISTED"
            }
            _ => company.change(list, source).await,
        };
        let next = list.next(harness, owner, &before).await;
        assert_eq!(kinds(&next.json["data"]), [kind], "the later one is there already");
        held.commit().await;
        let missing = list.next(harness, owner, &next_cursor(&next)).await;
        let expected = if source == "STAFF" { "STAFF_ACCESS" } else { "CHANGED" };
        assert_eq!(kinds(&missing.json["data"]), [expected], "{source}");
    }
}

#[tokio::test]
async fn other_partner_cannot_follow() {
    let company = Company::new().await;
    let Company { harness, owner, .. } = &company;
    let other = harness.partner("Elbkontor").await;
    let own: BTreeSet<String> = Followed::Subscription
        .newest_first(harness, owner)
        .await
        .iter()
        .map(|event| event["uuid"].as_str().unwrap().to_owned())
        .collect();
    let (_, of_owner) = Followed::Subscription.read(harness, owner, None, 100).await;
    let foreign = Followed::Subscription.page(harness, &other, Some(&of_owner)).expect(400).await;
    assert_eq!(foreign.code(), "INVALID_CURSOR");
    let (seen, _) = Followed::Subscription.read(harness, &other, None, 100).await;
    assert!(!seen.is_empty() && seen.iter().all(|event| !own.contains(event["uuid"].as_str().unwrap())));
    let account = harness.call("partner_account_list_events").path("partner_uuid", owner.partner_uuid.unwrap());
    let mismatch = account.token(&other.token).query("sort", "position").expect(403).await;
    assert_eq!(mismatch.code(), "PARTNER_MISMATCH");
    let app = harness.call("marketplace_apps_list_events").path("app_uuid", &company.app);
    app.token(&other.token).query("sort", "position").expect(404).await;
}
