//! Tests of tier changes: chosen by the partner, decided by staff, and applied by time.

use serde_json::{Value, json};

use super::{Office, between, call_during_write, feature};
use crate::harness::Answer;

async fn preview(office: &Office, tier_code: &str) -> Value {
    let body = json!({ "tier_code": tier_code });
    office.own("subscription_current_preview_change").json(&body).expect(200).await.json
}

async fn usage(office: &Office, code: &str) -> Value {
    let seen = office.own("subscription_usage_get").expect(200).await;
    feature(&seen.json["limits"], code).clone()
}

#[tokio::test]
async fn self_service_tier_change_is_effective_immediately() {
    let office = Office::new().await;
    let twin = office.harness.twin(&[]).await;
    let seen = preview(&office, "GROWTH").await;
    assert_eq!((&seen["from_tier_code"], &seen["takes_effect"]), (&json!("FREE"), &json!("AT_ONCE")));
    assert_eq!(feature(&seen["gained"], "apps")["after"]["value"], 20);
    assert_eq!((&seen["lost"], &seen["over_limit"]), (&json!([]), &json!([])));
    assert_eq!(seen["daily_requests"], json!({ "before": 5000, "after": 100_000 }));
    assert_eq!(preview(&office, "SCALE").await["takes_effect"], "AFTER_APPROVAL");

    let asked = office.ask_for("GROWTH").await;
    assert_eq!((asked.status, &asked.json["state"]), (201, &json!("APPLIED")), "{}", asked.text());
    assert_eq!(
        (&asked.json["from_tier_code"], &asked.json["requested_by"]["name"]),
        (&json!("FREE"), &json!("Mara Vogel"))
    );
    for replica in [&office.harness, &twin] {
        replica
            .soon("the tier's scopes", async || {
                let me = replica.call("system_me_get").token(&office.partner.token).expect(200).await;
                me.text().contains("statistics:write") && me.header("x-ratelimit-daily-limit") == "100000"
            })
            .await;
    }
    let current = office.current().await;
    assert_eq!(
        (&current["tier_code"], &current["state"], &current["pending_change"]),
        (&json!("GROWTH"), &json!("ACTIVE"), &Value::Null)
    );
    let of_a_month = "select count(*) from subscription where period_end = period_start + interval '1 month' and period_start = started_at";
    assert_eq!(office.harness.number(of_a_month).await, 1);
    office.mailed("is now Growth").await;
    let same = office.ask_for("GROWTH").await;
    assert_eq!((same.status, same.code()), (409, "CONFLICT"));
    assert_eq!(office.ask_for("NO_SUCH").await.json["errors"][0]["pointer"], "/tier_code");
    assert_eq!(office.history().await, ["CHANGED", "STARTED"]);
    let events = office.own("subscription_current_list_events").query("kind", "CHANGED").expect(200).await.json;
    let event = &events["data"][0];
    assert_eq!((&event["from_tier_code"], &event["to_tier_code"]), (&json!("FREE"), &json!("GROWTH")));
    assert_eq!((&event["actor"]["kind"], &event["actor"]["name"]), (&json!("PARTNER_USER"), &json!("Mara Vogel")));
}

#[tokio::test]
async fn smaller_tier_removes_nothing_but_rejects_additions() {
    let office = Office::new().await;
    assert_eq!(office.ask_for("GROWTH").await.status, 201);
    let create = |name: &str| office.own("marketplace_apps_create").json(&json!({ "name": name }));
    for name in ["One", "Two", "Three", "Four", "Five"] {
        create(name).expect(201).await;
    }
    let used = usage(&office, "apps").await;
    assert_eq!((&used["limit"], &used["used"], &used["remaining"]), (&json!(20), &json!(5), &json!(15)));
    assert_eq!(
        (&usage(&office, "team_members").await["used"], &usage(&office, "media_megabytes").await["used"]),
        (&json!(1), &json!(0))
    );
    let seen = preview(&office, "FREE").await;
    let over = json!([{ "code": "apps", "name": "Apps", "unit": "apps", "limit": 3, "used": 5 }]);
    assert_eq!(
        (&seen["over_limit"], &feature(&seen["lost"], "early_access")["after"]["value"]),
        (&over, &json!(false))
    );

    assert_eq!(office.ask_for("FREE").await.json["state"], "APPLIED");
    let apps = office.own("marketplace_apps_list").expect(200).await;
    assert_eq!(apps.json["data"].as_array().unwrap().len(), 5, "what is there stays");
    let refused = create("Six").expect(409).await;
    assert_eq!(
        (refused.code(), &refused.json["limit"], &refused.json["used"]),
        ("ENTITLEMENT_EXCEEDED", &json!(3), &json!(5))
    );
    let used = usage(&office, "apps").await;
    assert_eq!((&used["used"], &used["remaining"]), (&json!(5), &json!(0)));
    assert_eq!(office.current().await["period_end"], Value::Null);
}

#[tokio::test]
async fn request_waiting_during_tier_change_gets_new_limits() {
    let office = Office::new().await;
    assert_eq!(office.ask_for("GROWTH").await.status, 201);
    let create = |name: &str| office.own("marketplace_apps_create").json(&json!({ "name": name }));
    for name in ["One", "Two", "Three"] {
        create(name).expect(201).await;
    }
    let smaller = "update subscription set tier_uuid = (select tier_uuid from tier where code = 'FREE')";
    let refused = call_during_write(&office.harness, smaller, create("Four")).await;
    assert_eq!((refused.code(), &refused.json["limit"]), ("ENTITLEMENT_EXCEEDED", &json!(3)), "{}", refused.text());
}

#[tokio::test]
async fn staff_decided_tier_change_waits_with_one_pending_request() {
    let office = Office::new().await;
    let first = office.ask_for("SCALE").await;
    assert_eq!((first.status, &first.json["state"], &first.json["decided_at"]), (201, &json!("PENDING"), &Value::Null));
    assert_eq!(office.ask_for("SCALE").await.code(), "CONFLICT");
    assert_eq!(office.current().await["tier_code"], "FREE");
    let uuid = first.str("uuid").to_owned();
    office.own("subscription_change_requests_get").path("request_uuid", &uuid).expect(200).await;
    let stranger = office.harness.partner("Belle Tablee").await;
    for operation in ["subscription_change_requests_get", "subscription_change_requests_withdraw"] {
        office.harness.call(operation).token(&stranger.token).path("request_uuid", &uuid).expect(404).await;
    }
    let withdraw = |uuid: &str| office.own("subscription_change_requests_withdraw").path("request_uuid", uuid);
    assert_eq!(withdraw(&uuid).expect(200).await.json["state"], "WITHDRAWN");
    assert_eq!(withdraw(&uuid).expect(409).await.code(), "ILLEGAL_TRANSITION");

    let decide =
        |operation: &str, uuid: &str, body: Value| office.staff(operation).path("request_uuid", uuid).json(&body);
    let second = office.ask_for("SCALE").await.str("uuid").to_owned();
    let reason = json!({ "reason": "We need a signed contract first." });
    let rejected = decide("admin_tier_change_requests_reject", &second, reason).expect(200).await;
    assert_eq!(
        (&rejected.json["state"], &rejected.json["decision_reason"]),
        (&json!("REJECTED"), &json!("We need a signed contract first."))
    );
    office.mailed("We need a signed contract first.").await;
    assert_eq!(
        decide("admin_tier_change_requests_approve", &second, json!({})).expect(409).await.code(),
        "ILLEGAL_TRANSITION"
    );

    let third = office.ask_for("SCALE").await.str("uuid").to_owned();
    assert_eq!(office.ask_for("GROWTH").await.status, 201, "what is of self-service need not wait");
    let overtaken = decide("admin_tier_change_requests_approve", &third, json!({})).expect(409).await;
    assert_eq!(overtaken.code(), "ILLEGAL_TRANSITION", "the later word holds");
    let told = "select count(*) from subscription_event where kind = 'CHANGE_WITHDRAWN'";
    assert_eq!(office.harness.number(told).await, 2);
    let fourth = office.ask_for("SCALE").await.str("uuid").to_owned();
    let list = office.staff("admin_tier_change_requests_list").query("include_total", true).expect(200).await;
    let states: Vec<_> =
        list.json["data"].as_array().unwrap().iter().map(|request| request["state"].as_str().unwrap()).collect();
    let expected = vec!["PENDING", "WITHDRAWN", "APPLIED", "REJECTED", "WITHDRAWN"];
    assert_eq!((states, &list.json["page"]["total"]), (expected, &json!(5)));
    let mut paged = Vec::new();
    let mut page = office.staff("admin_tier_change_requests_list").query("limit", 1).expect(200).await;
    loop {
        paged.extend(page.json["data"].as_array().unwrap().iter().map(|request| request["uuid"].clone()));
        let Some(cursor) = page.json["page"]["next_cursor"].as_str() else { break };
        page =
            office.staff("admin_tier_change_requests_list").query("limit", 1).query("cursor", cursor).expect(200).await;
    }
    let whole: Vec<_> = list.json["data"].as_array().unwrap().iter().map(|request| request["uuid"].clone()).collect();
    assert_eq!(paged, whole, "each once and in the same order");

    let approved = decide("admin_tier_change_requests_approve", &fourth, json!({})).expect(200).await;
    assert_eq!(approved.json["state"], "APPLIED");
    assert_eq!(office.current().await["tier_code"], "SCALE");
    let own = office.own("subscription_change_requests_list").query("state", "APPLIED").expect(200).await;
    assert_eq!(own.json["data"].as_array().unwrap().len(), 2);
    let record = office
        .staff("admin_audit_records_list")
        .query("operation", "admin_tier_change_requests_reject")
        .expect(200)
        .await;
    assert_eq!(record.json["data"][0]["reason"], "We need a signed contract first.");
}

#[tokio::test]
async fn retired_tier_cannot_be_applied() {
    let office = Office::new().await;
    let uuid = office.ask_for("SCALE").await.str("uuid").to_owned();
    office.harness.sql("update tier set state = 'RETIRED' where code = 'SCALE'").await;
    let refused = office.staff("admin_tier_change_requests_approve").path("request_uuid", &uuid).send().await;
    assert_eq!((refused.status, refused.code()), (409, "CONFLICT"));
    let seen = office.own("subscription_change_requests_get").path("request_uuid", &uuid).expect(200).await;
    assert_eq!(seen.json["state"], "PENDING", "a refusal leaves nothing behind");
}

async fn act(office: &Office, operation: &str) -> Answer {
    office.own(operation).send().await
}

#[tokio::test]
async fn cancelling_subscription_withdraws_pending_request() {
    let office = Office::new().await;
    assert_eq!(office.ask_for("GROWTH").await.status, 201);
    let request = |uuid: &str| office.own("subscription_change_requests_get").path("request_uuid", uuid).expect(200);
    let approve = |uuid: &str| office.staff("admin_tier_change_requests_approve").path("request_uuid", uuid).send();
    let first = office.ask_for("SCALE").await.str("uuid").to_owned();
    assert_eq!(act(&office, "subscription_current_cancel").await.status, 200);
    assert_eq!(request(&first).await.str("state"), "WITHDRAWN");
    assert_eq!(approve(&first).await.code(), "ILLEGAL_TRANSITION");
    assert_eq!(office.current().await["state"], "CANCELLING");
    // A change requested after the cancellation is decided by staff, or withdrawn by a cancellation by staff.
    let second = office.ask_for("SCALE").await.str("uuid").to_owned();
    let now = json!({ "when": "NOW", "reason": "In writing." });
    office.about("admin_subscriptions_cancel").json(&now).expect(200).await;
    let seen = request(&second).await;
    assert_eq!((seen.str("state"), seen.str("decision_reason")), ("WITHDRAWN", "In writing."));
    let history = office.history().await;
    assert_eq!(history.iter().filter(|kind| *kind == "CHANGE_WITHDRAWN").count(), 2, "{history:?}");
    // Both at once, in either order: the cancellation is the later change, or it finds the approved tier.
    assert_eq!(office.ask_for("GROWTH").await.status, 201);
    let third = office.ask_for("SCALE").await.str("uuid").to_owned();
    let (approved, cancelled) = tokio::join!(approve(&third), act(&office, "subscription_current_cancel"));
    assert!([200, 409].contains(&approved.status) && cancelled.status == 200, "{}", approved.text());
    assert_eq!(office.current().await["state"], "CANCELLING");
}

/// SQL for a period that ended a minute ago and that the job has not processed.
fn over(state: &str) -> String {
    format!(
        "update subscription set state = '{state}', period_start = labs_now() - interval '31 days',
             period_end = labs_now() - interval '1 minute', period_anchor = labs_now() - interval '1 minute'
         where period_end is not null"
    )
}

#[tokio::test]
async fn due_transitions_are_applied_before_next_action() {
    let office = Office::new().await;
    assert_eq!(office.ask_for("GROWTH").await.status, 201);
    let cancel = office.own("subscription_current_cancel");
    let cancelled = call_during_write(&office.harness, &over("ACTIVE"), cancel).await;
    assert_eq!((cancelled.status, cancelled.str("state")), (200, "CANCELLING"), "{}", cancelled.text());
    let ends: jiff::Timestamp = cancelled.str("period_end").parse().unwrap();
    assert!(ends > office.harness.clock.now().0, "the next period began: {ends}");
    let renewed = "select count(*) from subscription_event where kind = 'RENEWED' and actor_kind = 'SYSTEM'";
    assert_eq!(office.harness.number(renewed).await, 1);

    let resume = office.own("subscription_current_resume");
    let late = call_during_write(&office.harness, &over("CANCELLING"), resume).await;
    assert_eq!((late.status, late.code()), (409, "ILLEGAL_TRANSITION"), "what has ended is not resumed");
    office.becomes("FREE").await;
}

#[tokio::test]
async fn subscription_is_locked_before_its_dependents() {
    let office = Office::new().await;
    let request = office.ask_for("SCALE").await.str("uuid").to_owned();
    let later = office.harness.clock.now().plus_seconds(86_400).to_string();
    let apps = json!({ "value": 9, "reason": "Moves its second brand over.", "expires_at": later });
    let of_apps = |operation: &str| office.about(operation).path("feature_code", "apps");
    let put = || of_apps("admin_entitlements_put_override").json(&apps);
    put().expect(200).await;
    // A transaction that has locked the subscription must find the rest unlocked; otherwise the two would deadlock.
    let hold = "select from subscription for no key update";
    let take = "select from entitlement_override for no key update nowait;
        select from tier_change_request for no key update nowait";
    let delete = of_apps("admin_entitlements_delete_override").query("reason", "It has moved over.");
    for (call, status) in [(put(), 200), (delete, 204)] {
        let answer = between(&office.harness, [hold, take], call).await;
        assert_eq!(answer.status, status, "{}", answer.text());
    }
    let cancel = format!("{take}; update tier_change_request set state = 'WITHDRAWN', decided_at = labs_now()");
    let approve = office.staff("admin_tier_change_requests_approve").path("request_uuid", &request);
    let late = between(&office.harness, [hold, &cancel], approve).await;
    assert_eq!((late.status, late.code()), (409, "ILLEGAL_TRANSITION"), "{}", late.text());
    assert_eq!(office.current().await["tier_code"], "FREE");
}

#[tokio::test]
async fn subscription_time_pauses_while_partner_is_closed() {
    let office = Office::new().await;
    let closer = office.harness.staff("Jonas Okafor", &["labs.admin.partners:write"]).await;
    let other = office.harness.partner("Belle Tablee").await;
    let (partner, tomorrow) = (office.partner.partner_uuid.unwrap(), office.harness.clock.now().plus_seconds(86_400));
    let step = |action: &str| {
        let call = office.harness.call(&format!("admin_partners_{action}")).path("partner_uuid", partner);
        call.token(&closer.token).json(&json!({ "reason": "As they asked." })).expect(200)
    };
    assert_eq!(office.ask_for("GROWTH").await.status, 201);
    let choice = office.harness.call("subscription_change_requests_create").token(&other.token);
    choice.json(&json!({ "tier_code": "GROWTH" })).expect(201).await;
    let change = json!({ "tier_code": "SCALE", "at": tomorrow.to_string(), "reason": "The new contract." });
    office.about("admin_subscriptions_change_tier").json(&change).expect(200).await;
    step("close").await;
    let past = "update subscription set period_start = labs_now() - interval '80 days',
        period_end = labs_now() - interval '40 days', period_anchor = labs_now() - interval '40 days',
        pending_at = pending_at - interval '2 days'";
    office.harness.sql(past).await;
    // A run starts one period per subscription. When the other subscription has its second period, the run that started
    // the first has processed all.
    let of_other = format!("kind = 'RENEWED' and partner_uuid = '{}'", other.partner_uuid.unwrap());
    office.harness.until(&format!("select count(*) from subscription_event where {of_other}"), 2).await;
    let as_it_was = format!(
        "select count(*) from subscription join tier using (tier_uuid)
          where partner_uuid = '{partner}' and code = 'GROWTH' and pending_at < labs_now()
            and period_start < labs_now() - interval '79 days'"
    );
    assert_eq!(office.harness.number(&as_it_was).await, 1, "the job leaves it alone");
    let far = tomorrow.plus_seconds(30 * 86_400).to_string();
    let extend = office.about("admin_subscriptions_extend");
    extend.json(&json!({ "period_end": far, "reason": "For the outage." })).expect(200).await;
    assert_eq!(office.harness.number(&as_it_was).await, 1, "and so does a step of staff");
    step("reopen").await;
    office.becomes("SCALE").await;
}

#[tokio::test]
async fn cancelled_subscription_ends_once_with_its_period() {
    let mut office = Office::new().await;
    let _twin = office.harness.twin(&[]).await;
    assert_eq!(act(&office, "subscription_current_cancel").await.code(), "CONFLICT", "the free tier has no end");
    assert_eq!(office.ask_for("GROWTH").await.status, 201);
    assert_eq!(act(&office, "subscription_current_resume").await.code(), "ILLEGAL_TRANSITION");
    let cancelled = act(&office, "subscription_current_cancel").await.json;
    assert_eq!((&cancelled["state"], &cancelled["tier_code"]), (&json!("CANCELLING"), &json!("GROWTH")));
    let pending = &cancelled["pending_change"];
    assert_eq!(
        (&pending["kind"], &pending["tier_code"], &pending["at"]),
        (&json!("CANCELLATION"), &json!("FREE"), &cancelled["period_end"])
    );
    office.mailed("is cancelled").await;
    let again = act(&office, "subscription_current_cancel").await;
    assert_eq!(
        (again.code(), &again.json["allowed_actions"]),
        ("ILLEGAL_TRANSITION", &json!(["change-tier", "resume"]))
    );
    assert_eq!(act(&office, "subscription_current_resume").await.json["pending_change"], Value::Null);
    assert_eq!(act(&office, "subscription_current_cancel").await.status, 200);
    // Choosing a tier revokes a cancellation.
    assert_eq!(office.ask_for("GROWTH").await.json["state"], "APPLIED");
    assert_eq!(office.current().await["state"], "ACTIVE");
    assert_eq!(act(&office, "subscription_current_cancel").await.status, 200);

    office.later(33).await;
    office.becomes("FREE").await;
    let current = office.current().await;
    assert_eq!(
        (&current["state"], &current["pending_change"], &current["period_end"]),
        (&json!("ACTIVE"), &Value::Null, &Value::Null)
    );
    assert_eq!(current["started_at"], cancelled["period_end"], "it counts from when it was due");
    office.mailed("has ended").await;
    assert_eq!(office.harness.number("select count(*) from subscription_event where kind = 'ENDED'").await, 1);
    assert_eq!(office.history().await[..2], ["ENDED", "CANCELLED"]);
    let ended = office.own("subscription_current_list_events").query("limit", 1).expect(200).await.json;
    assert_eq!(ended["data"][0]["actor"], json!({ "kind": "SYSTEM", "uuid": null, "name": null }));
    office
        .harness
        .soon("no scope beyond the free tier", async || {
            !office.own("system_me_get").expect(200).await.text().contains("statistics")
        })
        .await;
}

#[tokio::test]
async fn consecutive_periods_keep_their_day_of_month() {
    let mut office = Office::new().await;
    assert_eq!(office.ask_for("GROWTH").await.status, 201);
    office
        .harness
        .sql(
            "update subscription set started_at = '2030-01-31T10:00Z', period_start = '2030-01-31T10:00Z',
             period_anchor = '2030-01-31T10:00Z', period_end = '2030-02-28T10:00Z' where period_end is not null",
        )
        .await;
    let days =
        office.harness.number("select extract(day from '2030-04-02T00:00Z'::timestamptz - labs_now())::bigint").await;
    office.later(days).await;
    office.harness.until("select count(*) from subscription where period_start = '2030-03-31T10:00Z' and period_end = '2030-04-30T10:00Z'", 1).await;
    assert_eq!(office.history().await, ["RENEWED", "RENEWED", "CHANGED", "STARTED"]);
    assert_eq!(office.current().await["tier_code"], "GROWTH");
}
