//! Tests of the audit log: search, the content of a write's record, and the export.

use std::time::Duration;

use serde_json::{Value, json};

use crate::harness::people::Person;
use crate::harness::{Answer, Call, Harness, LONGEST_WAIT};

struct Archive {
    harness: Harness,
    auditor: Person,
    keeper: Person,
}

impl Archive {
    async fn new() -> Self {
        let harness = Harness::new().await;
        let auditor = harness.staff("Ada Auditor", &["labs.admin.audit"]).await;
        let keeper = harness.staff("Karl Keeper", &["labs.admin.categories:write"]).await;
        Self { harness, auditor, keeper }
    }

    fn list(&self) -> Call<'_> {
        self.harness.call("admin_audit_records_list").token(&self.auditor.token)
    }

    fn export(&self) -> Call<'_> {
        self.harness.call("admin_audit_records_export").token(&self.auditor.token)
    }

    async fn category(&self, name: &str) -> Answer {
        let body = json!({ "names": { "en": name }, "slug": name.to_lowercase().replace(' ', "-") });
        self.harness.call("marketplace_categories_create").token(&self.keeper.token).json(&body).send().await
    }

    /// Inserts this many audit records of another day, as the database owner.
    async fn fill(&self, records: usize) {
        self.harness
            .sql(&format!(
                "insert into audit_log (record_uuid, recorded_at, operation, channel, outcome, actor_kind, actor_uuid,
                     actor_label, request_id, address, parameters)
                 select labs_uuid(), '2026-01-01'::timestamptz + n * interval '1 second', 'admin_seeded_list', 'JOB',
                     'SUCCEEDED', 'SYSTEM', null, 'Récord ' || n, 'seed-' || n, '192.0.2.1', '{{}}'
                 from generate_series(1, {records}) as n"
            ))
            .await;
    }
}

fn uuids(list: &Answer) -> Vec<String> {
    let records = list.json["data"].as_array().unwrap().iter();
    records.map(|record| record["uuid"].as_str().unwrap().to_owned()).collect()
}

/// Sends a query to the playground's endpoint.
async fn explore(harness: &Harness, person: &Person, query: &str) -> Value {
    let request = harness.http().post(format!("{}/playground/graphql", harness.base_url)).bearer_auth(&person.token);
    let request = request.header("content-type", "application/json").body(json!({ "query": query }).to_string());
    serde_json::from_slice(&request.send().await.unwrap().bytes().await.unwrap()).unwrap()
}

/// Splits an export into its lines.
fn lines(export: &Answer) -> Vec<Value> {
    assert!(export.bytes.is_empty() || export.bytes.ends_with(b"\n"));
    export.text().lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[tokio::test]
async fn audit_log_can_be_filtered_by_each_parameter() {
    let archive = Archive::new().await;
    let made = archive.category("Kitchen").await;
    let taken = archive.category("Kitchen").await;
    let denied = archive.list().send().await;
    assert_eq!((made.status, taken.status, denied.status), (201, 409, 200));
    let barred = archive.harness.call("admin_audit_records_list").token(&archive.keeper.token).expect(403).await;
    let category = made.str("uuid").to_owned();
    let of = |answer: &Answer| answer.header("x-request-id").to_owned();
    let begun = archive.harness.clock.now().plus_seconds(-3600).to_string();
    let (auditor, keeper) = (archive.auditor.uuid.to_string(), archive.keeper.uuid.to_string());

    // Expected matches of each filter among these four calls.
    let calls = [of(&made), of(&taken), of(&denied), of(&barred)];
    let find = async |filters: &[(&str, &str)], expected: [bool; 4]| {
        let narrowed = |call| filters.iter().fold(call, |call: Call<'_>, (name, value)| call.query(name, value));
        for sort in ["-recorded_at", "recorded_at"] {
            let found = narrowed(archive.list()).query("sort", sort).query("limit", 100).expect(200).await;
            let records = found.json["data"].as_array().unwrap();
            let has = calls.each_ref().map(|id| records.iter().any(|record| record["request_id"] == **id));
            assert_eq!(has, expected, "{filters:?} by {sort}");
            let exported = lines(&narrowed(archive.export()).query("sort", sort).expect(200).await);
            let has = calls.each_ref().map(|id| exported.iter().any(|line| line["request_id"] == **id));
            assert_eq!(has, expected, "the export of {filters:?} by {sort}");
        }
    };
    find(&[], [true, true, true, true]).await;
    find(&[("actor_uuid", &keeper)], [true, true, false, true]).await;
    find(&[("actor_uuid", &keeper), ("actor_uuid", &auditor)], [true, true, true, true]).await;
    find(&[("actor_kind", "STAFF_USER")], [true, true, true, true]).await;
    find(&[("actor_kind", "MACHINE_CLIENT,SYSTEM")], [false, false, false, false]).await;
    find(&[("operation", "marketplace_categories_create")], [true, true, false, false]).await;
    find(&[("outcome", "REFUSED")], [false, true, false, true]).await;
    find(&[("outcome", "REFUSED"), ("operation", "admin_audit_records_list")], [false, false, false, true]).await;
    find(&[("outcome", "FAILED")], [false, false, false, false]).await;
    find(&[("code", "SCOPE_MISSING")], [false, false, false, true]).await;
    find(&[("code", "SCOPE_MISSING,CONFLICT")], [false, true, false, true]).await;
    find(&[("code", "CONFLICT"), ("outcome", "FAILED")], [false, false, false, false]).await;
    find(&[("target_uuid", &category)], [true, false, false, false]).await;
    find(&[("partner_uuid", &category)], [false, false, false, false]).await;
    find(&[("request_id", &calls[1])], [false, true, false, false]).await;
    find(&[("request_id", &calls[0]), ("request_id", &calls[3])], [true, false, false, true]).await;
    find(&[("channel", "REST")], [true, true, true, true]).await;
    find(&[("channel", "PLAYGROUND,JOB,COMMAND_LINE")], [false, false, false, false]).await;
    find(&[("recorded_at_from", &begun)], [true, true, true, true]).await;
    find(&[("recorded_at_until", &begun)], [false, false, false, false]).await;
    for (bad, value) in [
        ("outcome", "DONE"),
        ("code", "no code"),
        ("actor_uuid", "x"),
        ("sort", "operation"),
        ("recorded_at_from", "today"),
    ] {
        assert_eq!(archive.list().query(bad, value).send().await.status, 422, "{bad}");
        assert_eq!(archive.export().query(bad, value).send().await.status, 422, "{bad}");
    }
}

#[tokio::test]
async fn pages_are_stable_in_both_orders_during_writes() {
    let archive = Archive::new().await;
    archive.fill(7).await;
    for sort in ["-recorded_at", "recorded_at"] {
        let list = || archive.list().query("operation", "admin_seeded_list").query("sort", sort);
        let whole = list().query("limit", 100).query("include_total", true).expect(200).await;
        assert_eq!((uuids(&whole).len(), &whole.json["page"]["total"]), (7, &json!(7)));
        let mut seen = Vec::new();
        let mut page = list().query("limit", 3).expect(200).await;
        loop {
            seen.extend(uuids(&page));
            let Some(cursor) = page.json["page"]["next_cursor"].as_str() else { break };
            page = list().query("limit", 3).query("cursor", cursor).expect(200).await;
        }
        assert_eq!(seen, uuids(&whole), "{sort}");
    }
}

#[tokio::test]
async fn reading_audit_log_is_recorded_for_next_reading() {
    let archive = Archive::new().await;
    let first = archive.list().expect(200).await;
    let id = first.header("x-request-id").to_owned();
    assert!(!first.text().contains(&id));
    let second = archive.list().query("request_id", &id).expect(200).await;
    let record = &second.json["data"][0];
    assert_eq!((&record["operation"], &record["outcome"]), (&json!("admin_audit_records_list"), &json!("SUCCEEDED")));
    assert_eq!((&record["actor"]["label"], &record["scope"]), (&json!("Ada Auditor"), &json!("labs.admin.audit")));
    assert_eq!((&record["address"], &record["channel"]), (&json!("127.0.0.1"), &json!("REST")));
}

#[tokio::test]
async fn write_records_its_difference_and_rejected_write_none() {
    let archive = Archive::new().await;
    let made = archive.category("Kitchen").await;
    let refused = archive.category("Kitchen").await;
    let call = archive.harness.call("marketplace_categories_deactivate").path("category_uuid", made.str("uuid"));
    let gone = call.token(&archive.keeper.token).json(&json!({ "reason": "A mistake." })).expect(200).await;
    let record = |answer: &Answer| {
        let call = archive.list().query("request_id", answer.header("x-request-id"));
        async move { call.expect(200).await.json["data"][0].clone() }
    };
    let created = record(&made).await;
    let change = &created["changes"][0];
    assert_eq!(
        (&change["thing"], &change["action"], &change["before"]),
        (&json!("category"), &json!("INSERT"), &Value::Null)
    );
    assert_eq!((&change["after"]["slug"], &change["uuid"]), (&json!("kitchen"), &json!(made.str("uuid"))));
    let moved = record(&gone).await;
    let change = &moved["changes"][0];
    assert_eq!((&change["before"]["state"], &change["after"]["state"]), (&json!("ACTIVE"), &json!("DEACTIVATED")));
    assert_eq!(change["after"]["names"], Value::Null, "what stayed is not told");
    assert_eq!(moved["reason"], "A mistake.");
    let nothing = record(&refused).await;
    assert_eq!(
        (&nothing["outcome"], &nothing["code"], &nothing["changes"]),
        (&json!("REFUSED"), &json!("CONFLICT"), &json!([]))
    );
}

#[tokio::test]
async fn every_record_is_sealed_without_gaps() {
    let archive = Archive::new().await;
    for name in ["One", "Two", "Three"] {
        assert_eq!(archive.category(name).await.status, 201);
    }
    let sealed = tokio::time::timeout(LONGEST_WAIT, async {
        loop {
            let list = archive.list().query("operation", "marketplace_categories_create").expect(200).await;
            let seals: Vec<i64> = list.json["data"]
                .as_array()
                .unwrap()
                .iter()
                .filter_map(|record| record["sealed"]["position"].as_i64())
                .collect();
            if seals.len() == 3 {
                return seals;
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    });
    let seals = sealed.await.unwrap();
    assert!(seals.is_sorted_by(|later, earlier| later > earlier), "in the order of the log: {seals:?}");
    let gaps = "select count(*) from (select position - row_number() over (order by position) as gap from audit_seal) as s where gap <> 0";
    assert_eq!(archive.harness.number(gaps).await, 0);
}

#[tokio::test]
async fn five_thousand_records_are_exported_once_and_in_order() {
    let archive = Archive::new().await;
    archive.fill(5_000).await;
    for (sort, first, last) in [("recorded_at", 1, 5_000), ("-recorded_at", 5_000, 1)] {
        let export = archive.export().query("operation", "admin_seeded_list").query("sort", sort).expect(200).await;
        assert_eq!((export.header("content-type"), export.header("content-length")), ("application/x-ndjson", ""));
        assert!(export.header("content-disposition").contains("audit-records.ndjson"));
        let lines = lines(&export);
        let labels: Vec<&str> = lines.iter().map(|line| line["actor"]["label"].as_str().unwrap()).collect();
        assert_eq!(labels.len(), 5_000);
        assert_eq!((labels[0], labels[4_999]), (&*format!("Récord {first}"), &*format!("Récord {last}")));
        let mut distinct = labels.clone();
        distinct.sort_unstable();
        distinct.dedup();
        assert_eq!(distinct.len(), 5_000, "each once");
        let times: Vec<&str> = lines.iter().map(|line| line["recorded_at"].as_str().unwrap()).collect();
        assert!(times.is_sorted() || times.iter().rev().is_sorted());
    }
    let nothing = archive.export().query("operation", "admin_nothing_get").expect(200).await;
    assert!(nothing.bytes.is_empty());
}

#[tokio::test]
async fn export_line_equals_list_entry() {
    let archive = Archive::new().await;
    archive.category("Kitchen").await;
    archive.category("Kitchen").await;
    let operation = ("operation", "marketplace_categories_create");
    let export = archive.export().query(operation.0, operation.1).expect(200).await;
    let list = archive.list().query(operation.0, operation.1).expect(200).await;
    // Sealing continues during the test, so the comparison ignores the seals.
    let bare = |record: &Value| {
        let mut record = record.clone();
        record["sealed"] = Value::Null;
        record
    };
    let lines: Vec<Value> = lines(&export).iter().map(bare).collect();
    let entries: Vec<Value> = list.json["data"].as_array().unwrap().iter().map(bare).collect();
    assert_eq!(lines, entries);
}

#[tokio::test]
async fn export_is_recorded_before_first_byte_and_excludes_itself() {
    let archive = Archive::new().await;
    archive.fill(5_000).await;
    let url = format!("{}/v1/admin/audit-records:export", archive.harness.base_url);
    let request = archive.harness.http().get(url).bearer_auth(&archive.auditor.token);
    let mut response = request.send().await.unwrap();
    assert_eq!(response.status(), 200);
    let id = response.headers()["x-request-id"].to_str().unwrap().to_owned();
    let recorded = format!("select count(*) from audit_log where request_id = '{id}' and outcome = 'SUCCEEDED'");
    assert_eq!(archive.harness.number(&recorded).await, 1, "before a byte of the body was taken");
    archive.category("Made meanwhile").await;
    let mut body = Vec::new();
    while let Some(piece) = response.chunk().await.unwrap() {
        body.extend_from_slice(&piece);
    }
    let text = String::from_utf8(body).unwrap();
    assert!(text.lines().count() >= 5_000);
    assert!(!text.contains(&id), "not among its own lines");
    assert!(!text.contains("Made meanwhile"), "nor anything recorded after it began");
}

#[tokio::test]
async fn consecutive_exports_miss_no_late_transaction() {
    let archive = Archive::new().await;
    let export = async |from: &str| {
        let call = archive.export().query("operation", "marketplace_categories_create,late_one");
        let call = call.query("sort", "recorded_at").query("recorded_at_from", from);
        lines(&call.expect(200).await)
    };
    let names = |lines: &[Value]| lines.iter().map(|line| line["operation"].clone()).collect::<Vec<_>>();
    archive.category("Before").await;
    let late = "insert into audit_log (record_uuid, operation, channel, outcome, actor_kind, actor_label)
                values (labs_uuid(), 'late_one', 'JOB', 'SUCCEEDED', 'SYSTEM', 'Job')";
    let late = archive.harness.hold(late).await;
    archive.category("Meanwhile").await;
    let first = export("2020-01-01T00:00:00Z").await;
    assert_eq!(names(&first), ["marketplace_categories_create"], "it ends where the open one began");
    late.commit().await;
    let next = export(first[0]["recorded_at"].as_str().unwrap()).await;
    assert_eq!(names(&next), ["marketplace_categories_create", "late_one", "marketplace_categories_create"]);
    assert_eq!(next[0]["uuid"], first[0]["uuid"], "where the first export ended, the next goes on");
}

#[tokio::test]
async fn aborted_exports_hold_no_connection() {
    let archive = Archive::new().await;
    archive.fill(20_000).await;
    for _ in 0..12 {
        let url = format!("{}/v1/admin/audit-records:export", archive.harness.base_url);
        let request = archive.harness.http().get(url).bearer_auth(&archive.auditor.token);
        let mut response = request.send().await.unwrap();
        assert!(response.chunk().await.unwrap().is_some());
    }
    // Twice as many requests as connections: if each request held a connection, this would never finish.
    archive.list().expect(200).await;
    let open = "select count(*) from pg_stat_activity
        where datname = current_database() and state like 'idle in transaction%' and query like '%audit_log%'";
    archive.harness.until(open, 0).await;
}

#[tokio::test]
async fn rejected_request_records_its_target_in_rest_and_graphql() {
    let harness = Harness::new().await;
    let chief = harness.staff("Chief", &["labs.admin:write"]).await;
    let partner = harness.partner("Nordsee Kassen").await.partner_uuid.unwrap();
    harness.program("Menu sync", &["marketplace"], Some(partner)).await;
    let client = harness.call("admin_machine_clients_list").token(&chief.token).expect(200).await;
    let client = client.json["data"][0]["uuid"].as_str().unwrap().to_owned();
    let disable = || {
        let call = harness.call("admin_machine_clients_disable").path("client_uuid", &client).token(&chief.token);
        call.json(&json!({ "reason": "Seen twice." }))
    };
    disable().expect(200).await;
    disable().expect(409).await;
    let query = format!(
        "mutation {{ again: admin_machine_clients_disable(client_uuid: \"{client}\",
             body: {{ reason: \"Seen twice.\" }}) {{ uuid }} }}"
    );
    let told = explore(&harness, &chief, &query).await;
    assert_eq!(told["errors"][0]["extensions"]["code"], "ILLEGAL_TRANSITION", "{told}");
    let records = harness.call("admin_audit_records_list").token(&chief.token).query("outcome", "REFUSED");
    let records = records.query("operation", "admin_machine_clients_disable").expect(200).await.json;
    let channels: Vec<&Value> = records["data"].as_array().unwrap().iter().map(|record| &record["channel"]).collect();
    assert_eq!(channels, ["PLAYGROUND", "REST"], "{records}");
    for record in records["data"].as_array().unwrap() {
        assert_eq!((&record["target"]["kind"], &record["target"]["uuid"]), (&json!("MACHINE_CLIENT"), &json!(client)));
        assert_eq!((&record["target"]["label"], &record["reason"]), (&json!("Menu sync"), &json!("Seen twice.")));
        assert_eq!((&record["partner_uuid"], &record["changes"]), (&json!(partner), &json!([])));
    }
    let lift = harness.call("admin_entitlements_delete_override").path("partner_uuid", partner).token(&chief.token);
    lift.path("feature_code", "no_such").query("reason", "Moved over.").expect(404).await;
    let lifted = "select count(*) from audit_log where operation = 'admin_entitlements_delete_override'
                     and outcome = 'REFUSED' and reason = 'Moved over.' and target_label = 'Nordsee Kassen'";
    assert_eq!(harness.number(lifted).await, 1);
    let unknown =
        harness.call("admin_entitlements_delete_override").path("partner_uuid", chief.uuid).token(&chief.token);
    unknown.path("feature_code", "no_such").query("reason", "Nobody there.").expect(404).await;
    let told = "select count(*) from audit_log where outcome = 'REFUSED' and reason = 'Nobody there.'";
    assert_eq!(harness.number(told).await, 1, "a parameter tells it, though no resolver did");
}

#[tokio::test]
async fn list_record_contains_requested_sort_in_contract_form() {
    let archive = Archive::new().await;
    archive.list().query("sort", "-recorded_at").expect(200).await;
    explore(
        &archive.harness,
        &archive.auditor,
        "{ admin_audit_records_list(sort: RECORDED_AT) { page { has_more } } }",
    )
    .await;
    let recorded = "select count(*) from audit_log where (channel, outcome, parameters ->> 'sort') in
        (('REST', 'SUCCEEDED', '-recorded_at'), ('PLAYGROUND', 'SUCCEEDED', 'recorded_at'))";
    assert_eq!(archive.harness.number(recorded).await, 2);
}
