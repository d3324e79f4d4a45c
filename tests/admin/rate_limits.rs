//! Tests of budgets: overrides for one partner, reset of the daily budget, and the lists of usage and rejected
//! requests.

use std::pin::pin;
use std::time::Duration;

use futures_util::future::{Either, join_all, select};
use labs_schema::Code;
use labs_schema::principal::{Budget, Reset};
use serde_json::{Value, json};

use crate::harness::people::Person;
use crate::harness::{Answer, Call, Harness};

struct Office {
    harness: Harness,
    operator: Person,
    partner: Person,
}

impl Office {
    /// A partner on a tier with this daily budget, and a staff member who may change the partner's limits.
    async fn new(daily: u32) -> Self {
        let harness = Harness::new().await;
        harness.sql(&format!("update tier set burst_per_second = 100000, daily_requests = {daily}")).await;
        let partner = harness.partner("Nordsee Kassen").await;
        let operator = harness.staff("Olga Operator", &["labs.admin.limits:write", "labs.admin.audit"]).await;
        Self { harness, operator, partner }
    }

    fn call(&self, operation: &str) -> Call<'_> {
        self.harness.call(operation).token(&self.operator.token)
    }

    /// A call about the partner's limits.
    fn about(&self, operation: &str) -> Call<'_> {
        self.call(operation).path("partner_uuid", self.partner.partner_uuid.unwrap())
    }

    async fn see(&self) -> Value {
        self.about("admin_rate_limits_get").expect(200).await.json
    }

    /// Sets an override of the limits for an hour.
    async fn put(&self, limits: Value) -> Answer {
        let mut body = limits;
        body["reason"] = json!("A move of menus.");
        body["expires_at"] = json!(self.harness.clock.now().plus_seconds(3600).to_string());
        self.about("admin_rate_limits_put_override").json(&body).send().await
    }

    /// Sends the partner's request to a replica.
    async fn me(&self, at: &Harness) -> Answer {
        at.call("system_me_get").token(&self.partner.token).send().await
    }

    /// Waits until a replica's response header has this value.
    async fn learned(&self, at: &Harness, header: &'static str, value: &str) {
        at.soon(&format!("{header} becomes {value}"), async || self.me(at).await.header(header) == value).await;
    }
}

#[tokio::test]
async fn override_applies_on_every_replica_until_it_expires() {
    let office = Office::new(5000).await;
    let twin = office.harness.twin(&[]).await;
    for replica in [&office.harness, &twin] {
        assert_eq!(office.me(replica).await.header("x-ratelimit-daily-limit"), "5000");
    }
    let before = office.see().await;
    assert_eq!((&before["daily"]["source"], &before["override"]), (&json!("TIER"), &Value::Null));
    let put = office.put(json!({ "daily_requests": 7000 })).await;
    assert_eq!(put.status, 200, "{}", put.text());
    assert_eq!((&put.json["daily"]["limit"], &put.json["daily"]["source"]), (&json!(7000), &json!("OVERRIDE")));
    assert_eq!((&put.json["burst"]["limit"], &put.json["burst"]["source"]), (&json!(100_000), &json!("TIER")));
    assert_eq!(put.json["override"]["set_by"]["name"], "Olga Operator");
    assert_eq!(put.json["daily"]["tier_limit"], 5000);
    for replica in [&office.harness, &twin] {
        office.learned(replica, "x-ratelimit-daily-limit", "7000").await;
    }
    let again = office.put(json!({ "burst_per_second": 90_000 })).await;
    assert_eq!((&again.json["daily"]["limit"], &again.json["burst"]["limit"]), (&json!(5000), &json!(90_000)));
    for replica in [&office.harness, &twin] {
        office.learned(replica, "x-ratelimit-limit", "90000").await;
        office.learned(replica, "x-ratelimit-daily-limit", "5000").await;
    }
    let log = office.call("admin_audit_records_list").query("operation", "admin_rate_limits_put_override");
    let records = log.expect(200).await.json["data"].clone();
    let (latest, change) = (&records[0], &records[0]["changes"][0]);
    assert_eq!((&latest["reason"], &latest["target"]["label"]), (&json!("A move of menus."), &json!("Nordsee Kassen")));
    assert_eq!((&change["before"]["daily_requests"], &change["after"]["daily_requests"]), (&json!(7000), &Value::Null));

    // The override expires at its end date without any action, and then there is nothing to delete.
    office.harness.sql("update rate_limit_override set expires_at = labs_now()").await;
    office.learned(&twin, "x-ratelimit-limit", "100000").await;
    assert_eq!(office.see().await["override"], Value::Null);
    office.about("admin_rate_limits_delete_override").expect(404).await;
}

#[tokio::test]
async fn override_expires_without_notification_of_replicas() {
    let office = Office::new(5000).await;
    assert_eq!(office.put(json!({ "burst_per_second": 9 })).await.status, 200);
    office.harness.sql("update rate_limit_override set expires_at = labs_now() + interval '60 s'").await;
    office.learned(&office.harness, "x-ratelimit-limit", "9").await;
    // The replica's cache entry for the token now contains the end of the override.
    office.harness.advance(61).await;
    assert_eq!(office.me(&office.harness).await.header("x-ratelimit-limit"), "100000");
}

#[tokio::test]
async fn override_requires_limit_reason_and_future_end() {
    let office = Office::new(5000).await;
    let errors = async |answer: Answer| {
        assert_eq!(answer.status, 422, "{}", answer.text());
        answer.json["errors"][0].clone()
    };
    assert_eq!(errors(office.put(json!({})).await).await["code"], "NO_LIMIT");
    assert_eq!(errors(office.put(json!({ "burst_per_second": 0 })).await).await["pointer"], "/burst_per_second");
    let past = json!({ "daily_requests": 9, "reason": "Why", "expires_at": "2020-01-01T00:00:00Z" });
    let refused = office.about("admin_rate_limits_put_override").json(&past).send().await;
    assert_eq!(errors(refused).await["pointer"], "/expires_at");
    let blank = json!({ "daily_requests": 9, "reason": " ", "expires_at": "2099-01-01T00:00:00Z" });
    let refused = office.about("admin_rate_limits_put_override").json(&blank).send().await;
    assert_eq!(errors(refused).await["pointer"], "/reason");
    assert_eq!(office.see().await["override"], Value::Null);
    assert_eq!(office.put(json!({ "daily_requests": 0 })).await.status, 200);
    office.harness.soon("nothing is let through", async || office.me(&office.harness).await.status == 429).await;
    office.about("admin_rate_limits_delete_override").expect(204).await;
    office.harness.soon("and again", async || office.me(&office.harness).await.status == 200).await;
    office.about("admin_rate_limits_delete_override").expect(404).await;
    let nobody = office.call("admin_rate_limits_get").path("partner_uuid", office.operator.uuid);
    nobody.expect(404).await;
}

#[tokio::test]
async fn reset_day_admits_leased_requests_and_full_budget() {
    let office = Office::new(400).await;
    let twin = office.harness.twin(&[]).await;
    let replicas = [&office.harness, &twin];
    // A lease is four requests: both replicas have unused requests from one lease.
    for replica in replicas {
        assert_eq!(office.me(replica).await.status, 200);
    }
    let booked = office.see().await["daily"]["used"].as_i64().unwrap();
    assert_eq!(booked, 8, "the sign-in's own call came from the first portion");
    let reason = json!({ "reason": "A loop of ours." });
    let reset = office.about("admin_rate_limits_reset").json(&reason).expect(200).await;
    assert_eq!((&reset.json["daily"]["used"], &reset.json["daily"]["remaining"]), (&json!(0), &json!(400)));
    let mut accepted = 0;
    loop {
        let statuses = [office.me(replicas[0]).await.status, office.me(replicas[1]).await.status];
        accepted += statuses.iter().filter(|status| **status == 200).count() as i64;
        if statuses == [429, 429] {
            break;
        }
    }
    let spent = office.harness.number("select granted from daily_budget where account like 'partner:%'").await;
    assert_eq!(spent, 400, "the whole budget was booked");
    // Three calls came before the reset. At most the unused rest of their leases may be spent in addition.
    assert!((400..=400 + booked - 3).contains(&accepted), "{accepted}");

    // After a second reset, a replica that had exhausted the budget accepts requests at once.
    office.about("admin_rate_limits_reset").expect(200).await;
    for replica in replicas {
        assert_eq!(office.me(replica).await.status, 200);
    }
    let log = office.call("admin_audit_records_list").query("operation", "admin_rate_limits_reset").expect(200).await;
    let first = &log.json["data"][1];
    assert_eq!((&first["reason"], &first["target"]["kind"]), (&json!("A loop of ours."), &json!("PARTNER")));
    assert_eq!(first["changes"][0]["before"]["granted"], 8);
}

#[tokio::test]
async fn lease_from_before_reset_is_not_added_to_new_budget() {
    let office = Office::new(400).await;
    let twin = office.harness.twin(&[]).await;
    for replica in [&office.harness, &twin] {
        assert_eq!(office.me(replica).await.status, 200);
    }
    office.about("admin_rate_limits_reset").expect(200).await;
    let granted = "select granted from daily_budget where account like 'partner:%'";
    let books = async || office.me(&office.harness).await.status == 200 && office.harness.number(granted).await == 4;
    office.harness.soon("a portion of the new budget is booked", books).await;
    // The other replica stops before it has used its lease. It returns only requests of the current budget.
    twin.engine.services().budgets.settle().await;
    assert_eq!(office.harness.number(granted).await, 4, "what others have spent of the new budget stays spent");
    office.harness.engine.services().budgets.settle().await;
    let left = office.harness.number(granted).await;
    assert!((1..4).contains(&left), "while a portion of the new budget is given back: {left}");
}

#[tokio::test]
async fn accounts_with_highest_use_come_first() {
    let office = Office::new(1000).await;
    let uuid = |person: &Person| person.partner_uuid.unwrap().to_string();
    let other = office.harness.partner("Belle Tablee").await;
    let program = office.harness.program("Storefront", &["storefront"], None).await;
    office.harness.call("system_me_get").token(&program.token).expect(200).await;
    let (first, second) = (uuid(&other), uuid(&office.partner));
    office.harness.engine.services().budgets.settle().await;
    office
        .harness
        .sql(&format!(
            "update daily_budget set granted = case account when 'partner:{first}' then 950 when 'partner:{second}' then 400
                 when 'staff:{}' then 700 else 2000 end;
             insert into daily_budget (account, day, granted) select account, day - 1, 999 from daily_budget",
            office.operator.uuid
        ))
        .await;
    let list = || office.call("admin_rate_limits_list_consumers");
    let page = list().query("include_total", true).query("account_kind", "PARTNER,MACHINE_CLIENT").expect(200).await;
    let names: Vec<&str> =
        page.json["data"].as_array().unwrap().iter().map(|row| row["account"]["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["Belle Tablee", "Nordsee Kassen", "Storefront"]);
    assert_eq!(page.json["page"]["total"], 3);
    let top = &page.json["data"][0];
    assert_eq!((&top["share"], &top["remaining"], &top["tier_code"]), (&json!(0.95), &json!(50), &json!("FREE")));
    assert_eq!(page.json["data"][2]["source"], Value::Null);
    let most =
        list().query("sort", "-used").query("account_kind", "MACHINE_CLIENT").query("limit", 1).expect(200).await;
    assert_eq!(most.json["data"][0]["used"], 2000);
    let near = list().query("share_from", 0.9).query("include_total", true).expect(200).await;
    assert_eq!((&near.json["data"][0]["account"]["uuid"], &near.json["page"]["total"]), (&json!(first), &json!(1)));
    let mut seen = Vec::new();
    let mut page = list().query("limit", 1).expect(200).await;
    loop {
        seen.extend(page.json["data"].as_array().unwrap().iter().map(|row| row["account"]["uuid"].clone()));
        let Some(cursor) = page.json["page"]["next_cursor"].as_str() else { break };
        page = list().query("limit", 1).query("cursor", cursor).expect(200).await;
    }
    assert_eq!((seen.len(), &seen[0]), (4, &json!(first)), "each once: {seen:?}");
}

#[tokio::test]
async fn rate_limit_rejections_are_counted_by_account_operation_and_hour() {
    let office = Office::new(1000).await;
    assert_eq!(office.put(json!({ "daily_requests": 0 })).await.status, 200);
    office.harness.soon("nothing is let through", async || office.me(&office.harness).await.status == 429).await;
    let apps = office.harness.call("marketplace_apps_list").token(&office.partner.token).send().await;
    assert_eq!((apps.status, &apps.json["budget"]), (429, &json!("daily")));
    office.harness.engine.services().usage.flush(office.harness.engine.pool()).await.unwrap();
    let list = || office.call("admin_rate_limits_list_refusals");
    let of = |operation: &str| list().query("operation", operation);
    let found = of("marketplace_apps_list").query("include_total", true).expect(200).await;
    let row = &found.json["data"][0];
    assert_eq!(
        (&found.json["page"]["total"], &row["refusals"], &row["budget"]),
        (&json!(1), &json!(1), &json!("daily"))
    );
    assert_eq!((&row["account"]["kind"], &row["account"]["name"]), (&json!("PARTNER"), &json!("Nordsee Kassen")));
    assert!(row["hour"].as_str().unwrap().ends_with(":00:00Z"), "{row}");
    let all = list().expect(200).await.json["data"].as_array().unwrap().len();
    assert_eq!(all, 2, "one for each operation");
    for (name, value, expected) in [
        ("account_kind", "PARTNER", 2),
        ("account_kind", "STAFF_USER", 0),
        ("account_uuid", &*office.partner.partner_uuid.unwrap().to_string(), 2),
        ("account_uuid", &*office.operator.uuid.to_string(), 0),
        ("budget", "burst", 0),
        ("hour_until", "2020-01-01T00:00:00Z", 0),
        ("hour_from", "2020-01-01T00:00:00Z", 2),
    ] {
        let found = list().query(name, value).expect(200).await;
        assert_eq!(found.json["data"].as_array().unwrap().len(), expected, "{name}={value}");
    }
    let operations = |page: &Answer| page.json["data"][0]["operation"].clone();
    let (first, last) = (list().query("sort", "hour").expect(200).await, list().expect(200).await);
    assert_ne!(operations(&first), operations(&last), "in both orders");
    let next = list().query("limit", 1).expect(200).await;
    let cursor = next.json["page"]["next_cursor"].as_str().unwrap();
    let second = list().query("limit", 1).query("cursor", cursor).expect(200).await;
    assert_ne!(operations(&next), operations(&second));
}

/// The budget of a machine client whose leases are 100 requests each.
fn of_hundreds(account: &str) -> Budget {
    Budget { account: account.to_owned(), burst_per_second: 10, daily_requests: 10_000, reset: Reset::default() }
}

#[tokio::test]
async fn next_lease_is_taken_early_and_returned() {
    let harness = Harness::new().await;
    let (budget, budgets) = (of_hundreds("client:busy"), &harness.engine.services().budgets);
    let granted = "select granted from daily_budget where account = 'client:busy'";
    for spent in 1..=130 {
        let daily = budgets.spend(&budget, harness.clock.now()).await.map_err(|(fault, _)| fault).unwrap();
        assert_eq!(daily.remaining, 10_000 - spent);
        match spent {
            75 => assert_eq!(harness.number(granted).await, 100, "a portion is a hundred"),
            76 => harness.until(granted, 200).await,
            _ => {}
        }
    }
    budgets.settle().await;
    assert_eq!(harness.number(granted).await, 130, "what was not spent of either was given back");
}

#[tokio::test]
async fn caller_cancelled_during_prefetch_leaves_lease_to_others() {
    let harness = Harness::new().await;
    let (budget, budgets) = (of_hundreds("client:hasty"), &harness.engine.services().budgets);
    let now = harness.clock.now();
    for _ in 0..75 {
        assert!(budgets.spend(&budget, now).await.is_ok());
    }
    let held = harness.hold("select from daily_budget where account = 'client:hasty' for update").await;
    for _ in 75..100 {
        assert!(budgets.spend(&budget, now).await.is_ok());
    }
    let mut gone = budgets.spend(&budget, now);
    assert!(futures_util::poll!(gone.as_mut()).is_pending());
    drop(gone);
    held.roll_back().await;
    assert!(budgets.spend(&budget, now).await.is_ok());
    budgets.settle().await;
    let granted = "select granted from daily_budget where account = 'client:hasty'";
    assert_eq!(harness.number(granted).await, 101, "nothing was lost with whoever went away");
}

#[tokio::test]
async fn caller_cancelled_while_leasing_leaves_lease_to_others() {
    let harness = Harness::new().await;
    let (budget, budgets) = (of_hundreds("client:hasty"), &harness.engine.services().budgets);
    let now = harness.clock.now();
    for _ in 0..100 {
        assert!(budgets.spend(&budget, now).await.is_ok());
    }
    budgets.settle().await;
    let held = harness.hold("select from daily_budget where account = 'client:hasty' for update").await;
    let booking = "select count(*) from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock' and query like '%daily_budget%'";
    let gone = budgets.spend(&budget, now);
    let is_waiting = pin!(harness.until(booking, 1));
    let Either::Right(((), gone)) = select(gone, is_waiting).await else { panic!("it waits for its portion") };
    drop(gone);
    held.roll_back().await;
    assert!(budgets.spend(&budget, now).await.is_ok());
    budgets.settle().await;
    let granted = "select granted from daily_budget where account = 'client:hasty'";
    assert_eq!(harness.number(granted).await, 101, "nothing was lost with whoever went away");
}

#[tokio::test]
async fn concurrent_requests_of_one_account_wait_in_parallel() {
    let harness = Harness::new().await;
    let (budget, budgets) = (of_hundreds("client:hasty"), &harness.engine.services().budgets);
    let now = harness.clock.now();
    assert!(budgets.spend(&budget, now).await.is_ok());
    budgets.settle().await;
    let held = harness.hold("select from daily_budget where account = 'client:hasty' for update").await;
    let all = join_all((0..20).map(|_| budgets.spend(&budget, now)));
    let all = tokio::time::timeout(Duration::from_secs(20), all).await.expect("all at once, not one by one");
    assert!(all.iter().all(|spent| matches!(spent, Err((fault, None)) if fault.code() == Code::Unavailable)));
    held.roll_back().await;
    assert!(budgets.spend(&budget, now).await.is_ok());
}

#[tokio::test]
async fn unused_lease_returns_to_its_day_despite_clock_skew() {
    let harness = Harness::new().await;
    let (budget, budgets) = (of_hundreds("client:ahead"), &harness.engine.services().budgets);
    // A replica whose clock is ahead reaches the next day before the database does.
    let tomorrow = harness.clock.now().plus_seconds(86_400);
    for _ in 0..3 {
        assert!(budgets.spend(&budget, tomorrow).await.is_ok());
    }
    budgets.settle().await;
    let granted = "select granted from daily_budget where account = 'client:ahead'";
    assert_eq!(harness.number(granted).await, 3, "three were spent, and all else was given back");
}

#[tokio::test]
async fn staff_requests_beyond_budget_are_audited_as_rejected() {
    let harness = Harness::new().await;
    let auditor = harness.staff("Auditor", &["labs.admin.audit"]).await;
    harness.engine.services().budgets.settle().await;
    let spent = format!(
        "insert into daily_budget (account, day, granted)
         values ('staff:{}', (labs_now() at time zone 'UTC')::date, 1000000000)
         on conflict (account, day) do update set granted = excluded.granted",
        auditor.uuid
    );
    harness.sql(&spent).await;
    let of = |operation: &str| {
        format!("select count(*) from audit_log where operation = '{operation}' and outcome = 'REFUSED'")
    };
    for (operation, records, why) in [
        ("admin_audit_records_list", 1, "what they may ask"),
        ("admin_audit_records_list", 1, "once a minute"),
        ("admin_audit_records_summarise", 1, "each operation for itself"),
        ("admin_staff_list", 0, "they may not ask it anyway"),
    ] {
        let refused = harness.call(operation).token(&auditor.token).expect(429).await;
        assert_eq!(refused.json["budget"], json!("daily"), "{operation}");
        assert_eq!(harness.number(&of(operation)).await, records, "{operation}: {why}");
    }
}
