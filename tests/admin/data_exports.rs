//! Tests of data exports that staff request after a partner's written request; the partner's team downloads them.

use serde_json::json;

use crate::harness::Harness;

#[tokio::test]
async fn staff_request_and_team_downloads_export() {
    let harness = Harness::new().await;
    harness.sql("update tier set burst_per_second = 1000").await;
    let person = harness.partner("Nordsee Kassen").await;
    let partner = person.partner_uuid.unwrap();
    let staff = harness.staff("Petra Partners", &["labs.admin.partners:write"]).await;
    let reason = json!({ "reason": "Letter of 20 November" });
    let create = || harness.call("admin_data_exports_create").path("partner_uuid", partner).token(&staff.token);
    let made = create().json(&reason).expect(202).await;
    assert_eq!((made.str("requested_by"), made.str("asked_by_uuid")), ("STAFF_USER", &*staff.uuid.to_string()));
    assert_eq!(
        (made.str("reason"), &made.json["requested_by_uuid"]),
        ("Letter of 20 November", &serde_json::Value::Null)
    );
    create().json(&json!({})).expect(422).await;
    harness.until("select count(*) from data_export where state = 'SUCCEEDED'", 1).await;
    let list = harness.call("admin_data_exports_list").path("partner_uuid", partner).token(&staff.token);
    let list = list.query("include_total", true).expect(200).await;
    assert_eq!((&list.json["page"]["total"], &list.json["data"][0]["attempts"]), (&json!(1), &json!(1)));
    let own = harness.call("partner_data_exports_list").path("partner_uuid", partner).token(&person.token);
    let own = own.expect(200).await;
    assert_eq!(own.json["data"][0]["reason"], "Letter of 20 November");
    assert!(!own.text().contains(&staff.uuid.to_string()), "who it was is the operator's business");
    let download = harness.call("partner_data_exports_download").path("partner_uuid", partner);
    download.path("export_uuid", made.str("uuid")).token(&person.token).expect(200).await;
    let told =
        "select count(*) from partner_event where kind = 'DATA_EXPORT_REQUESTED' and reason = 'Letter of 20 November'";
    assert_eq!(harness.number(told).await, 1);
    let record =
        "select count(*) from audit_log where operation = 'admin_data_exports_create' and outcome = 'SUCCEEDED'
                   and target_kind = 'DATA_EXPORT' and reason = 'Letter of 20 November'";
    assert_eq!(harness.number(record).await, 1);
    let nobody = harness.call("admin_data_exports_create").path("partner_uuid", uuid::Uuid::from_u128(7));
    nobody.token(&staff.token).json(&reason).expect(404).await;
    let nobody = harness.call("admin_data_exports_list").path("partner_uuid", uuid::Uuid::from_u128(7));
    nobody.token(&staff.token).expect(404).await;
}

#[tokio::test]
async fn export_requires_partner_that_can_download_it() {
    let harness = Harness::new().await;
    let partner = harness.partner("Nordsee Kassen").await.partner_uuid.unwrap();
    let staff = harness.staff("Petra Partners", &["labs.admin.partners:write"]).await;
    for (state, status) in [("SUSPENDED", 409), ("CLOSED", 409), ("ACTIVE", 202)] {
        harness.sql(&format!("update partner set state = '{state}'")).await;
        let call = harness.call("admin_data_exports_create").path("partner_uuid", partner).token(&staff.token);
        let answer = call.json(&json!({ "reason": "Letter of 20 November" })).expect(status).await;
        assert!(status == 202 || answer.str("detail").contains("its users cannot sign in"), "{}", answer.text());
    }
}
