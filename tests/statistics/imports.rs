//! Tests of statistics imports: content, order, and failed days.

use futures_util::future::join;
use serde_json::{Value, json};

use super::platform::{Mood, Office, ago, people};
use crate::harness::Harness;

/// Returns the import runs, earliest first.
async fn ledger(office: &Office) -> Vec<Value> {
    let runs = office.desk("statistics_imports_list_runs").query("sort", "started_at").query("limit", 100);
    runs.expect(200).await.json["data"].as_array().unwrap().clone()
}

#[tokio::test]
async fn without_source_no_figures_are_imported_or_shown() {
    let harness = Harness::new().await;
    let (owner, staff) = people(&harness).await;
    let app = harness.call("marketplace_apps_create").token(&owner.token).json(&json!({ "name": "Till" }));
    let app = app.expect(201).await.str("uuid").to_owned();
    // Not even data that was imported while a source was configured.
    harness
        .sql(&format!(
            "insert into statistic_day (day, imported_at) values (current_date - 1, labs_now());
             insert into app_statistic (app_uuid, day, customers) values ('{app}', current_date - 1, 7654321)"
        ))
        .await;
    let status = harness.call("statistics_imports_get_status").token(&staff.token).expect(200).await;
    assert_eq!((status.str("source"), &status.json["freshness"]["last_imported_day"]), ("DISABLED", &Value::Null));
    for operation in
        ["statistics_apps_get_summary", "statistics_apps_list", "statistics_apps_get", "statistics_apps_list_daily"]
    {
        let call = harness.call(operation).token(&owner.token);
        let call =
            if operation.ends_with("get") || operation.ends_with("daily") { call.path("app_uuid", &app) } else { call };
        let told = call.expect(200).await;
        assert_eq!((told.str("source"), &told.json["freshness"]["days_missing"]), ("DISABLED", &Value::Null));
        assert!(!told.text().contains("7654321"), "{}", told.text());
    }
    for (operation, app) in [("statistics_apps_list", None), ("statistics_apps_list_daily", Some(&app))] {
        let call = harness.call(operation).token(&owner.token).query("cursor", "x");
        let call = app.into_iter().fold(call, |call, app| call.path("app_uuid", app));
        assert_eq!(call.expect(400).await.code(), "INVALID_CURSOR", "{operation}: also without a source");
    }
    let start = harness.call("admin_statistics_imports_start").token(&staff.token).json(&json!({ "days": [ago(1)] }));
    let refused = start.expect(409).await;
    assert_eq!((refused.code(), &refused.json["errors"][0]["code"]), ("CONFLICT", &json!("SOURCE_DISABLED")));
}

#[tokio::test]
async fn import_replaces_figures_of_sample_data() {
    let office = Office::new(2).await;
    office.settled().await;
    let app = office.app("Till").await;
    office
        .harness
        .sql(&format!(
            "insert into statistic_day (day, imported_at, is_sample) values (current_date - 40, labs_now(), true);
             insert into app_statistic (app_uuid, day, customers) values ('{app}', current_date - 40, 7654321)"
        ))
        .await;
    office.import(&[ago(1)]).await;
    assert_eq!(office.harness.number("select count(*) from statistic_day where is_sample").await, 0);
    assert_eq!(office.harness.number("select count(*) from app_statistic where customers = 7654321").await, 0);
}

#[tokio::test]
async fn completed_days_are_imported_once_oldest_first_across_replicas() {
    let office = Office::new(5).await;
    let _twin = office.twin().await;
    office.settled().await;
    let days: Vec<String> = (1..=5).rev().map(|days| ago(days).to_string()).collect();
    assert_eq!(office.platform.asked(), days, "each once, and the oldest first");
    let runs = ledger(&office).await;
    assert!(runs.iter().all(|run| run["trigger"] == "SCHEDULE" && run["restated"] == false), "{runs:?}");
    assert!(office.platform.tokens().iter().all(|token| token == "Bearer platform-secret"));

    // Two days later, the service requests the two missing days.
    office.harness.advance(2 * 86_400).await;
    office.harness.until("select count(*) from statistic_day", 7).await;
    let later = [days, vec![ago(0).to_string(), ago(-1).to_string()]].concat();
    assert_eq!(office.platform.asked(), later);
}

#[tokio::test]
async fn invalid_day_is_reported_without_effect_and_fixed_by_rerun() {
    let day = ago(1);
    let office = Office::with(1, |platform| platform.report(day, &[], &[])).await;
    office.settled().await;
    let app = office.app("Till").await;
    office.platform.report(day, &[(&app, 7)], &[]);
    office.import(&[day]).await;
    let of = |customers: &str| {
        let row = format!(r#"{{"app_uuid":"{app}","customers":{customers}}}"#);
        format!(r#"{{"day":"{day}","is_complete":true,"data":[{row}],"page":{{"next_cursor":null}}}}"#)
    };
    let json = "application/json";
    for (mood, code) in [
        (Mood::Slow, "TIMEOUT"),
        (Mood::CutOff, "CUT_OFF"),
        (Mood::Huge, "TOO_LARGE"),
        (Mood::Redirect, "REDIRECTED"),
        (Mood::Circle, "REPEATED_PAGE"),
        (Mood::Status(500), "HTTP_STATUS"),
        (Mood::Status(401), "UNAUTHORIZED"),
        (Mood::Text(json, of("\"8\"")), "WRONG_TYPE"),
        (Mood::Text(json, of("8.5")), "WRONG_TYPE"),
        (Mood::Text(json, of("-8")), "NEGATIVE_COUNT"),
        (Mood::Text("text/html", of("8")), "WRONG_CONTENT_TYPE"),
        (Mood::Text(json, of("8").replace("\"is_complete\":true", "\"is_complete\":false")), "NOT_COMPLETE"),
        (Mood::Text(json, of("8").replace(&day.to_string(), &ago(2).to_string())), "OTHER_DAY"),
    ] {
        office.platform.mood(mood);
        let import = office.import(&[day]).await;
        let run = &import.json["runs"][0];
        assert_eq!((import.str("state"), &run["error_code"]), ("FAILED", &json!(code)), "{}", import.text());
        let kept = office.of("statistics_apps_get", &app).expect(200).await;
        assert_eq!(kept.json["latest"]["customers"], 7, "after {code}");
    }
    let failures = office.desk("statistics_imports_get_status").expect(200).await.json["failures_in_a_row"].clone();
    assert_eq!(failures, 13);
    office.platform.mood(Mood::Text(json, of("8")));
    let mended = office.import(&[day]).await;
    assert_eq!((mended.str("state"), &mended.json["runs"][0]["restated"]), ("SUCCEEDED", &json!(true)));
    let latest = office.of("statistics_apps_get", &app).expect(200).await.json["latest"].clone();
    assert_eq!(latest["customers"], 8);
    assert!(latest["restated_at"].as_str() > latest["imported_at"].as_str(), "{latest}");
}

#[tokio::test]
async fn invalid_day_does_not_block_others_and_stays_missing() {
    let bad = ago(2);
    let office = Office::with(3, |platform| platform.mood_of(bad, Mood::Text("application/json", "{}".into()))).await;
    office.harness.until("select count(*) from statistic_day", 2).await;
    office.harness.until("select count(*) from statistic_import where state = 'FAILED'", 1).await;
    let status = office.desk("statistics_imports_get_status").expect(200).await.json;
    assert_eq!((&status["freshness"]["missing_days"], &status["failures_in_a_row"]), (&json!([bad]), &json!(1)));
    assert!(status["next_attempt_at"].as_str() > status["last_run"]["ended_at"].as_str(), "it waits: {status}");
    let summary = office.own("statistics_apps_get_summary").expect(200).await.json;
    assert_eq!(summary["freshness"]["missing_days"], json!([bad]), "the partner is told as well");
    office.platform.mood_of(bad, Mood::Well);
    office.harness.advance(61).await;
    office.settled().await;
}

#[tokio::test]
async fn staff_start_one_import_of_completed_days_at_a_time() {
    let office = Office::new(1).await;
    office.settled().await;
    let start = |days: Value| office.desk("admin_statistics_imports_start").json(&json!({ "days": days })).send();
    let refused = start(json!([ago(0), ago(-1), ago(3), ago(3)])).await;
    let errors = refused.json["errors"].as_array().unwrap().iter();
    let errors: Vec<(&str, &str)> =
        errors.map(|error| (error["pointer"].as_str().unwrap(), error["code"].as_str().unwrap())).collect();
    let expected = [("/days/0", "NOT_COMPLETED"), ("/days/1", "NOT_COMPLETED"), ("/days/3", "DUPLICATE")];
    assert_eq!((refused.status, errors), (422, expected.to_vec()), "{}", refused.text());

    let (one, other) = join(start(json!([ago(2), ago(4)])), start(json!([ago(3)]))).await;
    let (begun, refused) = if one.status == 201 { (one, other) } else { (other, one) };
    assert_eq!((begun.status, begun.str("state"), begun.str("trigger")), (201, "QUEUED", "STAFF"));
    assert_eq!((refused.status, &refused.json["errors"][0]["code"]), (409, &json!("IMPORT_UNDER_WAY")));
    assert!(begun.header("location").ends_with(begun.str("uuid")));
    let ended = office.ended(begun.str("uuid")).await;
    let days: Vec<&Value> = ended.json["runs"].as_array().unwrap().iter().map(|run| &run["day"]).collect();
    assert_eq!((ended.str("state"), json!(days)), ("SUCCEEDED", ended.json["days"].clone()));
    assert_eq!(ended.str("requested_by_uuid"), office.staff.uuid.to_string());
    let record = office.desk("admin_audit_records_list").query("operation", "admin_statistics_imports_start");
    let record = record.query("outcome", "SUCCEEDED").expect(200).await.json["data"][0].clone();
    assert_eq!(
        (&record["target"]["kind"], &record["target"]["uuid"]),
        (&json!("STATISTICS_IMPORT"), &begun.json["uuid"])
    );
}

#[tokio::test]
async fn import_abandoned_by_replica_is_reported_and_resumed() {
    let office = Office::new(1).await;
    office.settled().await;
    office
        .harness
        .sql(&format!(
            "with left_behind as (
                 insert into statistic_import (import_uuid, trigger, state, days, claims, claimed_until, started_at)
                 values (labs_uuid(), 'STAFF', 'RUNNING', array['{}', '{}']::date[], 1, labs_now() + interval '1 minute',
                         labs_now()) returning import_uuid)
             insert into statistic_import_run (run_uuid, import_uuid, day)
             select labs_uuid(), import_uuid, '{}' from left_behind",
            ago(3),
            ago(2),
            ago(3)
        ))
        .await;
    // Longer than two checks of the job.
    tokio::time::sleep(std::time::Duration::from_secs(5)).await;
    assert_eq!(
        office.harness.number("select max(claims)::bigint from statistic_import where trigger = 'STAFF'").await,
        1
    );
    office.harness.advance(61).await;
    office.harness.until("select count(*) from statistic_import where state = 'FAILED'", 1).await;
    let runs = ledger(&office).await;
    let told: Vec<(&Value, &Value)> = runs.iter().map(|run| (&run["day"], &run["error_code"])).collect();
    let expected = [(json!(ago(1)), Value::Null), (json!(ago(3)), json!("BROKEN_OFF")), (json!(ago(2)), Value::Null)];
    assert_eq!(told, expected.iter().map(|(day, code)| (day, code)).collect::<Vec<_>>());
}
