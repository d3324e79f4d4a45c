//! Tests of the administration of subscriptions.

use serde_json::{Value, json};

use crate::harness::people::PASSWORD;
use crate::subscription::{Office, call_during_write};

async fn change(office: &Office, body: Value) -> crate::harness::Answer {
    office.about("admin_subscriptions_change_tier").json(&body).send().await
}

#[tokio::test]
async fn staff_tier_change_shows_partner_reason_without_actor() {
    let office = Office::new().await;
    let body = json!({ "tier_code": "SCALE", "reason": "Agreed by telephone." });
    let changed = change(&office, body.clone()).await;
    assert_eq!((changed.status, &changed.json["tier_code"]), (200, &json!("SCALE")), "{}", changed.text());
    office
        .harness
        .soon("the scopes", async || office.own("system_me_get").expect(200).await.text().contains("statistics:write"))
        .await;
    office.mailed("Agreed by telephone.").await;
    assert_eq!(change(&office, body).await.code(), "CONFLICT");
    for (tier, code) in [("NO_SUCH", "UNKNOWN_TIER"), ("DRAFTED", "TIER_IS_DRAFT")] {
        office
            .harness
            .sql(
                "insert into tier (tier_uuid, code, name, burst_per_second, daily_requests)
             values (labs_uuid(), 'DRAFTED', 'Drafted', 1, 1) on conflict do nothing",
            )
            .await;
        let refused = change(&office, json!({ "tier_code": tier, "reason": "Why" })).await;
        assert_eq!((refused.status, &refused.json["errors"][0]["code"]), (422, &json!(code)));
    }
    let own = office.own("subscription_current_list_events").expect(200).await;
    let event = &own.json["data"][0];
    assert_eq!(
        (&event["reason"], &event["actor"]),
        (&json!("Agreed by telephone."), &json!({ "kind": "STAFF_USER", "uuid": null, "name": null }))
    );
    assert!(!own.text().contains("Olga") && !own.text().contains(&office.operator.uuid.to_string()));
    let staff = office.about("admin_subscriptions_list_events").query("include_total", true).expect(200).await;
    assert_eq!(
        (&staff.json["data"][0]["actor"]["name"], &staff.json["page"]["total"]),
        (&json!("Olga Operator"), &json!(2))
    );
    let records = office
        .staff("admin_audit_records_list")
        .query("operation", "admin_subscriptions_change_tier")
        .query("outcome", "SUCCEEDED");
    let record = records.expect(200).await.json["data"][0].clone();
    assert_eq!(
        (&record["reason"], &record["target"]["label"]),
        (&json!("Agreed by telephone."), &json!("Nordsee Kassen"))
    );
    assert_eq!(record["changes"][0]["thing"], "subscription");
    office.staff("admin_subscriptions_get").path("partner_uuid", office.operator.uuid).expect(404).await;
}

#[tokio::test]
async fn scheduled_tier_change_is_applied_once_at_its_date() {
    let mut office = Office::new().await;
    let twin = office.harness.twin(&[]).await;
    let at = office.harness.clock.now().plus_seconds(10 * 86_400).to_string();
    let body = json!({ "tier_code": "GROWTH", "at": at, "reason": "The new contract." });
    let waits = change(&office, body).await.json;
    assert_eq!((&waits["tier_code"], &waits["pending_change"]["kind"]), (&json!("FREE"), &json!("TIER_CHANGE")));
    assert_eq!((&waits["pending_change"]["tier_code"], &waits["pending_change"]["at"]), (&json!("GROWTH"), &json!(at)));
    let past = json!({ "tier_code": "GROWTH", "at": "2020-01-01T00:00:00Z", "reason": "Why" });
    assert_eq!(change(&office, past).await.json["errors"][0]["pointer"], "/at");
    let listed =
        office.staff("admin_subscriptions_list").query("pending", true).query("include_total", true).expect(200).await;
    assert_eq!(
        (&listed.json["page"]["total"], &listed.json["data"][0]["company_name"]),
        (&json!(1), &json!("Nordsee Kassen"))
    );
    // A change to the current tier cancels the scheduled change.
    let back = change(&office, json!({ "tier_code": "FREE", "reason": "Not yet." })).await.json;
    assert_eq!(back["pending_change"], Value::Null);
    let body = json!({ "tier_code": "GROWTH", "at": at, "reason": "The new contract." });
    assert_eq!(change(&office, body).await.status, 200);

    office.later(11).await;
    office.becomes("GROWTH").await;
    let current = office.current().await;
    assert_eq!((&current["started_at"], &current["pending_change"]), (&json!(at), &Value::Null));
    assert_eq!(office.harness.number("select count(*) from subscription_event where kind = 'CHANGED'").await, 1);
    for replica in [&office.harness, &twin] {
        replica
            .soon("the scopes", async || {
                let me = replica.call("system_me_get").token(&office.partner.token).expect(200).await;
                me.text().contains("statistics:write")
            })
            .await;
    }
    assert_eq!(office.history().await, ["CHANGED", "CHANGE_SCHEDULED", "RESUMED", "CHANGE_SCHEDULED", "STARTED"]);
}

#[tokio::test]
async fn staff_changes_before_email_verification_are_kept() {
    let office = Office::new().await;
    let registered = async |name: &str| {
        let email = format!("ada@{name}.example");
        let body = json!({ "company_name": name, "country": "DE", "accept_terms": true, "tier_code": "GROWTH",
            "administrator": { "name": "Ada Weser", "email": email, "password": PASSWORD } });
        office.harness.call("auth_registrations_create").json(&body).expect(202).await;
        let found = office.staff("admin_subscriptions_list").query("q", name).expect(200).await;
        (found.json["data"][0]["partner_uuid"].as_str().unwrap().to_owned(), office.harness.mailed_token(&email).await)
    };
    let (arranged, token) = registered("arranged").await;
    let (_, other_token) = registered("alone").await;
    let far = office.harness.clock.now().plus_seconds(60 * 86_400).to_string();
    let body = json!({ "period_end": far, "reason": "A long trial." });
    office.staff("admin_subscriptions_extend").path("partner_uuid", &arranged).json(&body).expect(200).await;
    office.harness.advance(60).await;
    for token in [token, other_token] {
        office
            .harness
            .call("auth_registrations_verify_email")
            .json(&json!({ "token": token, "password": PASSWORD }))
            .expect(200)
            .await;
    }
    let kept = office.staff("admin_subscriptions_get").path("partner_uuid", &arranged).expect(200).await;
    assert_eq!(kept.json["period_end"], json!(far));
    let begun = "select count(*) from subscription join partner using (partner_uuid)
        where company_name = 'alone' and started_at >= partner.created_at + interval '1 minute'";
    assert_eq!(office.harness.number(begun).await, 1, "what nobody touched begins when the address is proved");
}

#[tokio::test]
async fn period_is_extended_and_subscription_ended_immediately() {
    let office = Office::new().await;
    let extend = |at: String| {
        office.about("admin_subscriptions_extend").json(&json!({ "period_end": at, "reason": "For the outage." }))
    };
    let far = office.harness.clock.now().plus_seconds(60 * 86_400).to_string();
    assert_eq!(extend(far.clone()).expect(409).await.code(), "CONFLICT", "the free tier has no period");
    let cancel = |body: Value| office.about("admin_subscriptions_cancel").json(&body);
    assert_eq!(cancel(json!({ "reason": "Why" })).expect(409).await.code(), "CONFLICT");
    assert_eq!(office.ask_for("GROWTH").await.status, 201);
    let early = office.harness.clock.now().plus_seconds(86_400).to_string();
    assert_eq!(extend(early).expect(422).await.json["errors"][0]["code"], "NOT_LATER");
    assert_eq!(extend(far.clone()).expect(200).await.json["period_end"], json!(far));
    office.mailed("Your billing period").await;
    let cancelled = cancel(json!({ "reason": "In writing." })).expect(200).await.json;
    assert_eq!((&cancelled["state"], &cancelled["pending_change"]["at"]), (&json!("CANCELLING"), &json!(far)));
    let refused = cancel(json!({ "reason": "In writing." })).expect(409).await;
    assert_eq!(
        (refused.code(), &refused.json["allowed_actions"]),
        ("ILLEGAL_TRANSITION", &json!(["change-tier", "extend"]))
    );
    let ended = cancel(json!({ "reason": "At once.", "when": "NOW" })).expect(200).await.json;
    assert_eq!(
        (&ended["tier_code"], &ended["state"], &ended["period_end"]),
        (&json!("FREE"), &json!("ACTIVE"), &Value::Null)
    );
    assert_eq!(office.history().await, ["ENDED", "CANCELLED", "EXTENDED", "CHANGED", "STARTED"]);
}

#[tokio::test]
async fn subscription_of_erased_partner_cannot_change() {
    let office = Office::new().await;
    let closer = office.harness.staff("Jonas Okafor", &["labs.admin.partners:write"]).await;
    let partner = office.partner.partner_uuid.unwrap();
    let why = json!({ "reason": "Wiebke asked." });
    let later = office.harness.clock.now().plus_seconds(86_400).to_string();
    let end = |step: &str| {
        let call = office.harness.call(&format!("admin_partners_{step}")).path("partner_uuid", partner);
        call.token(&closer.token).json(&why)
    };
    let request = office.ask_for("SCALE").await.str("uuid").to_owned();
    let decide = |action: &str| {
        let call = office.staff(&format!("admin_tier_change_requests_{action}"));
        call.path("request_uuid", &request).json(&why)
    };
    let apps = json!({ "value": 9, "reason": "Wiebke asked.", "expires_at": later });
    let put = || office.about("admin_entitlements_put_override").path("feature_code", "apps").json(&apps);
    put().expect(200).await;
    end("close").expect(200).await;
    let refused = decide("approve").expect(409).await;
    assert!(refused.code() == "CONFLICT" && refused.str("detail").contains("Reopen"), "{}", refused.text());

    let saying = format!(
        "select from subscription where partner_uuid = '{partner}' for no key update;
         insert into subscription_event (event_uuid, partner_uuid, kind, actor_kind, reason)
         values (labs_uuid(), '{partner}', 'OVERRIDE_SET', 'STAFF_USER', 'Wiebke asked.')"
    );
    assert_eq!(call_during_write(&office.harness, &saying, end("erase")).await.status, 200);
    let said = "select (select count(*) from subscription_event where reason is not null)
        + (select count(*) from entitlement_override where reason like 'Wiebke%')
        + (select count(*) from tier_change_request where decision_reason is not null)";
    assert_eq!(office.harness.number(said).await, 0, "what was being said went too");
    for (step, body) in [
        ("change_tier", json!({ "tier_code": "GROWTH", "reason": "Wiebke asked." })),
        ("extend", json!({ "period_end": later, "reason": "Wiebke asked." })),
        ("cancel", why.clone()),
    ] {
        office.about(&format!("admin_subscriptions_{step}")).json(&body).expect(404).await;
    }
    put().expect(404).await;
    let delete = office.about("admin_entitlements_delete_override").path("feature_code", "apps");
    delete.query("reason", "Wiebke asked.").expect(404).await;
    decide("approve").expect(404).await;
    decide("reject").expect(404).await;
    assert_eq!(office.harness.number(said).await, 0);
}

#[tokio::test]
async fn subscriptions_are_filtered_sorted_and_paged() {
    let office = Office::new().await;
    office.harness.partner("Belle Tablee").await;
    office.harness.partner("Casa Cassa").await;
    assert_eq!(office.ask_for("GROWTH").await.status, 201);
    let list = || office.staff("admin_subscriptions_list");
    let names = |answer: &crate::harness::Answer| {
        let rows = answer.json["data"].as_array().unwrap();
        rows.iter().map(|row| row["company_name"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(names(&list().expect(200).await), ["Nordsee Kassen", "Casa Cassa", "Belle Tablee"]);
    assert_eq!(
        names(&list().query("sort", "started_at").expect(200).await),
        ["Belle Tablee", "Casa Cassa", "Nordsee Kassen"]
    );
    assert_eq!(names(&list().query("tier_code", "GROWTH,SCALE").expect(200).await), ["Nordsee Kassen"]);
    assert_eq!(names(&list().query("q", "CASA").expect(200).await), ["Casa Cassa"]);
    assert_eq!(names(&list().query("state", "CANCELLING").expect(200).await), Vec::<String>::new());
    assert_eq!(names(&list().query("period_end_from", "2020-01-01T00:00:00Z").expect(200).await), ["Nordsee Kassen"]);
    for sort in ["-started_at", "started_at", "period_end"] {
        let whole = names(&list().query("sort", sort).expect(200).await);
        let (mut seen, mut page) = (Vec::new(), list().query("sort", sort).query("limit", 1).expect(200).await);
        loop {
            seen.extend(names(&page));
            let Some(cursor) = page.json["page"]["next_cursor"].as_str() else { break };
            page = list().query("sort", sort).query("limit", 1).query("cursor", cursor).expect(200).await;
        }
        assert_eq!(seen, whole, "{sort}");
    }
    assert_eq!(names(&list().query("sort", "period_end").expect(200).await)[0], "Nordsee Kassen", "no end comes last");
}
