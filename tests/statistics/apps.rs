//! Tests of app statistics, as a partner reads its own and staff read any.

use serde_json::{Value, json};

use super::platform::{Office, ago, grant};

/// Returns the values of a field, row by row.
fn column(rows: &Value, field: &str) -> Vec<Value> {
    rows["data"].as_array().unwrap().iter().map(|row| row[field].clone()).collect()
}

#[tokio::test]
async fn figure_has_last_weeks_value_or_reason_for_gap() {
    let office = Office::new(1).await;
    office.settled().await;
    let (grows, shrinks, fresh) = (office.app("Grows").await, office.app("Shrinks").await, office.app("Fresh").await);
    let own = office.owner.partner_uuid.unwrap().to_string();
    let unknown = "0198d000-0000-7000-8000-00000000dead";
    office.platform.report(ago(8), &[(&grows, 4), (&shrinks, 9)], &[(&own, 10)]);
    office.platform.report(ago(1), &[(&grows, 7), (&shrinks, 3), (unknown, 5)], &[(&own, 8), (unknown, 5)]);

    office.import(&[ago(1)]).await;
    let lacking = office.own("statistics_apps_get_summary").expect(200).await.json;
    assert_eq!((&lacking["customers"], &lacking["week_before"]["change"]), (&json!(8), &Value::Null));
    assert_eq!(lacking["week_before"]["gap"], "WEEK_BEFORE_NOT_IMPORTED");
    let import = office.import(&[ago(8), ago(1)]).await;
    let run = &import.json["runs"][1];
    let counts =
        ["app_rows", "unknown_apps", "partner_rows", "unknown_partners", "pages"].map(|name| run[name].clone());
    assert_eq!(json!(counts), json!([2, 1, 1, 1, 2]), "an unknown app is counted: {run}");

    let summary = office.own("statistics_apps_get_summary").expect(200).await.json;
    assert_eq!((&summary["customers"], &summary["week_before"]["change"]), (&json!(8), &json!(-2)), "no sum over apps");
    assert_eq!((&summary["days"], &summary["of_days"], &summary["average"]), (&json!(2), &json!(28), &json!(9.0)));
    assert_eq!((&summary["peak"]["day"], &summary["source"]), (&json!(ago(8)), &json!("PLATFORM_API")));
    for (sort, order) in [
        ("-customers", ["Grows", "Shrinks", "Fresh"]),
        ("customers", ["Shrinks", "Grows", "Fresh"]),
        ("-change", ["Grows", "Shrinks", "Fresh"]),
        ("change", ["Shrinks", "Grows", "Fresh"]),
        ("name", ["Fresh", "Grows", "Shrinks"]),
    ] {
        let (mut found, mut cursor) = (Vec::new(), Value::Null);
        loop {
            let list = office.own("statistics_apps_list").query("sort", sort).query("limit", 1);
            let list = if let Some(cursor) = cursor.as_str() { list.query("cursor", cursor) } else { list };
            let page = list.expect(200).await.json;
            found.extend(column(&page, "name"));
            cursor = page["page"]["next_cursor"].clone();
            if cursor.is_null() {
                break;
            }
        }
        assert_eq!(json!(found), json!(order), "{sort}");
    }
    let fresh = office.of("statistics_apps_get", &fresh).expect(200).await.json;
    assert_eq!((&fresh["latest"], &fresh["gap"], &fresh["days"]), (&Value::Null, &json!("NOT_REPORTED"), &json!(0)));
    let draft = office.own("statistics_apps_list").query("state", "LISTED").expect(200).await.json;
    assert_eq!(column(&draft, "name"), Vec::<Value>::new());
}

#[tokio::test]
async fn figures_are_returned_by_day_week_month_and_csv() {
    let office = Office::new(1).await;
    office.settled().await;
    let app = office.app("Till").await;
    let days: Vec<_> = [40, 39, 5, 2, 1].map(ago).into();
    for (place, day) in days.iter().enumerate() {
        office.platform.report(*day, &[(&app, i64::try_from(place).unwrap() * 2)], &[]);
    }
    office.import(&days).await;
    let list = || office.of("statistics_apps_list_daily", &app);
    let told = list().expect(200).await.json;
    assert_eq!((column(&told, "day"), column(&told, "customers")), (json_of(&days), json_of(&[0, 2, 4, 6, 8])));
    let first = list().query("sort", "-day").query("limit", 2).expect(200).await.json;
    let second = list().query("sort", "-day").query("limit", 2);
    let second = second.query("cursor", first["page"]["next_cursor"].as_str().unwrap()).expect(200).await.json;
    let pages = [column(&first, "day"), column(&second, "day")].concat();
    assert_eq!(pages, json_of(&[days[4], days[3], days[2], days[1]]));
    let some = list().query("day_from", ago(5)).query("day_until", ago(1)).expect(200).await.json;
    assert_eq!(column(&some, "customers"), json_of(&[4, 6]), "until is not among them");
    let refused = list().query("day_from", ago(1)).query("day_until", ago(1)).expect(422).await;
    assert_eq!(refused.json["errors"][0]["code"], "NOT_LATER");
    let months = list().query("granularity", "MONTH").expect(200).await.json;
    let counted: i64 = column(&months, "days").iter().map(|days| days.as_i64().unwrap()).sum();
    assert_eq!((counted, &months["data"][0]["customers"]), (5, &Value::Null), "{months}");

    let csv = list().header("accept", "text/csv").query("limit", 1).expect(200).await;
    assert!(csv.header("content-type").starts_with("text/csv") && csv.header("content-disposition").contains(".csv"));
    let text = csv.text();
    let lines: Vec<&str> = text.split_terminator("\r\n").collect();
    assert_eq!(lines.len(), 6, "all of them at once: {text}");
    assert!(
        lines[0].starts_with("day,last_day,customers,")
            && lines[1].starts_with(&format!("{0},{0},0,0,0,1,1,", ago(40)))
    );
    let vary = csv
        .headers
        .get_all("vary")
        .iter()
        .flat_map(|value| value.to_str().unwrap().split(','))
        .any(|name| name.trim() == "accept");
    assert!(vary, "caches are told");
    assert!(list().header("accept", "application/json, text/csv").expect(200).await.json["data"].is_array());
}

fn json_of<T: serde::Serialize>(values: &[T]) -> Vec<Value> {
    values.iter().map(|value| json!(value)).collect()
}

#[tokio::test]
async fn figures_follow_transferred_app_and_are_visible_to_owner_only() {
    let office = Office::new(1).await;
    office.settled().await;
    let app = office.app("Till").await;
    let own = office.owner.partner_uuid.unwrap().to_string();
    office.platform.report(ago(1), &[(&app, 12)], &[(&own, 12)]);
    office.import(&[ago(1)]).await;
    office.of("marketplace_apps_archive", &app).expect(200).await;
    let archived = office.of("statistics_apps_get", &app).expect(200).await.json;
    assert_eq!((&archived["state"], &archived["latest"]["customers"]), (&json!("ARCHIVED"), &json!(12)));

    let other = office.harness.partner("Elbkontor").await;
    let other_uuid = other.partner_uuid.unwrap();
    grant(&office.harness, other_uuid).await;
    let read = || office.harness.call("statistics_apps_get").path("app_uuid", &app).token(&other.token).send();
    office.harness.soon("a foreign app is 404", || async { read().await.status == 404 }).await;
    let daily = office.harness.call("statistics_apps_list_daily").path("app_uuid", &app).token(&other.token);
    daily.expect(404).await;
    office.harness.sql(&format!("update app set partner_uuid = '{other_uuid}' where app_uuid = '{app}'")).await;
    assert_eq!(read().await.json["latest"]["customers"], 12, "a transfer takes them along");
    office.of("statistics_apps_get", &app).expect(404).await;
    let total = office.own("statistics_apps_get_summary").expect(200).await.json;
    assert_eq!(total["customers"], 12, "totals of the past stay");

    let staff = office.desk("admin_apps_get_statistics").path("app_uuid", &app).query("include_total", true);
    let staff = staff.expect(200).await.json;
    assert_eq!((&staff["peak"]["customers"], &staff["data"][0]["customers"]), (&json!(12), &json!(12)));
    assert_eq!((&staff["partner_uuid"], &staff["page"]["total"]), (&json!(other_uuid), &json!(1)));
    let record = office.desk("admin_audit_records_list").query("operation", "admin_apps_get_statistics");
    let record = record.expect(200).await.json["data"][0].clone();
    assert_eq!((&record["target"]["uuid"], &record["partner_uuid"]), (&json!(app), &json!(other_uuid)));
}
