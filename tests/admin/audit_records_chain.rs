//! Tests of the audit log's hash chain, its counts, and a single record.

use serde_json::{Value, json};

use crate::harness::people::Person;
use crate::harness::{Answer, Call, Harness};

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

    fn call(&self, operation: &str) -> Call<'_> {
        self.harness.call(operation).token(&self.auditor.token)
    }

    async fn category(&self, name: &str) -> Answer {
        let body = json!({ "names": { "en": name }, "slug": name.to_lowercase().replace(' ', "-") });
        self.harness.call("marketplace_categories_create").token(&self.keeper.token).json(&body).send().await
    }

    async fn verify(&self, body: Value) -> Value {
        self.call("admin_audit_records_verify").json(&body).expect(200).await.json
    }

    /// Creates this many records, waits until they are sealed, and returns the length of the chain.
    async fn sealed(&self, records: usize) -> i64 {
        for number in 0..records {
            assert_eq!(self.category(&format!("Category {number}")).await.status, 201);
        }
        let open = "select count(*) from audit_log as l where not exists (
                        select from audit_seal as s where s.record_uuid = l.record_uuid)";
        self.harness.until(open, 0).await;
        self.harness.number("select max(position) from audit_seal").await
    }

    /// Executes a statement that only the database owner may execute.
    async fn tamper(&self, statement: &str) {
        self.harness.sql(statement).await;
    }
}

/// Returns the position and the kind of the first break in a verification result.
fn broken(verdict: &Value) -> (i64, &str) {
    assert_eq!(verdict["intact"], false, "{verdict}");
    (verdict["first_break"]["position"].as_i64().unwrap(), verdict["first_break"]["flaw"].as_str().unwrap())
}

#[tokio::test]
async fn intact_chain_verifies_over_any_range() {
    let archive = Archive::new().await;
    let last = archive.sealed(4).await;
    let whole = archive.verify(json!({})).await;
    assert_eq!(
        (&whole["intact"], &whole["first_break"], &whole["next_position"]),
        (&json!(true), &Value::Null, &Value::Null)
    );
    assert!(whole["checked"].as_i64().unwrap() >= last, "{whole}");
    let part = archive.verify(json!({ "from_position": 2, "until_position": 3 })).await;
    assert_eq!((&part["intact"], &part["checked"], &part["head"]["position"]), (&json!(true), &json!(2), &json!(3)));
    let anchored = archive.verify(json!({ "from_position": 4, "expected": part["head"] })).await;
    assert_eq!(anchored["intact"], true);
    // Without a body, the operation verifies the whole chain.
    assert_eq!(archive.call("admin_audit_records_verify").expect(200).await.json["intact"], true);
    let backwards =
        archive.call("admin_audit_records_verify").json(&json!({ "from_position": 3, "until_position": 2 }));
    assert_eq!(backwards.expect(422).await.json["errors"][0]["pointer"], "/until_position");
}

#[tokio::test]
async fn tampering_by_database_owner_is_found_at_its_position() {
    let archive = Archive::new().await;
    let last = archive.sealed(5).await;
    let before = archive.verify(json!({})).await;
    let record = |position: i64| format!("(select record_uuid from audit_seal where position = {position})");
    let place = last - 2;
    archive
        .tamper(&format!("update audit_log set actor_label = 'Somebody else' where record_uuid = {}", record(place)))
        .await;
    let verdict = archive.verify(json!({})).await;
    assert_eq!(broken(&verdict), (place, "ALTERED"));
    assert_eq!((&verdict["checked"], &verdict["head"]["position"]), (&json!(place - 1), &json!(place - 1)));
    let uuid = verdict["first_break"]["record_uuid"].as_str().unwrap();
    let named = archive.call("admin_audit_records_get").path("record_uuid", uuid).expect(200).await;
    assert_eq!(
        (&named.json["actor"]["label"], &named.json["sealed"]["position"]),
        (&json!("Somebody else"), &json!(place))
    );
    // A range that does not include the altered record is intact; a range that starts at it is not.
    assert_eq!(archive.verify(json!({ "until_position": place - 1 })).await["intact"], true);
    assert_eq!(archive.verify(json!({ "from_position": place + 1, "until_position": last })).await["intact"], true);
    assert_eq!(broken(&archive.verify(json!({ "from_position": place })).await).0, place);
    archive
        .tamper(&format!("update audit_log set actor_label = 'Karl Keeper' where record_uuid = {}", record(place)))
        .await;
    assert_eq!(archive.verify(json!({ "until_position": last })).await["intact"], true, "put right again, it holds");

    // The hash also covers the recorded difference.
    let change =
        format!("audit_change set after = after || '{{\"slug\": \"other\"}}' where record_uuid = {}", record(last));
    archive.tamper(&format!("update {change}")).await;
    assert_eq!(broken(&archive.verify(json!({})).await), (last, "ALTERED"));
    archive
        .tamper(&format!(
            "delete from audit_change where record_uuid = {0}; delete from audit_log where record_uuid = {0}",
            record(place)
        ))
        .await;
    assert_eq!(broken(&archive.verify(json!({})).await), (place, "RECORD_MISSING"));
    archive.tamper(&format!("delete from audit_seal where position = {place}")).await;
    assert_eq!(broken(&archive.verify(json!({})).await), (place, "SEAL_MISSING"));

    // A caller that knows the previous length detects a truncated end. A saved hash detects a recomputed chain.
    let beyond = archive.verify(json!({ "from_position": 1_000_000 })).await;
    assert_eq!(broken(&beyond), (1_000_000, "SEAL_MISSING"));
    let kept = json!({ "position": 2, "hash": before["head"]["hash"] });
    assert_eq!(broken(&archive.verify(json!({ "until_position": 3, "expected": kept })).await), (2, "REWRITTEN"));
}

#[tokio::test]
async fn audit_record_shows_its_difference() {
    let archive = Archive::new().await;
    let made = archive.category("Kitchen").await;
    let list = archive.call("admin_audit_records_list").query("request_id", made.header("x-request-id"));
    let uuid = list.expect(200).await.json["data"][0]["uuid"].as_str().unwrap().to_owned();
    let record = archive.call("admin_audit_records_get").path("record_uuid", &uuid).expect(200).await;
    assert_eq!(
        (&record.json["operation"], &record.json["outcome"]),
        (&json!("marketplace_categories_create"), &json!("SUCCEEDED"))
    );
    assert_eq!(record.json["changes"][0]["after"]["slug"], "kitchen");
    let unknown = archive.call("admin_audit_records_get").path("record_uuid", archive.auditor.uuid);
    unknown.expect(404).await;
}

#[tokio::test]
async fn records_are_counted_by_actor_operation_outcome_and_day() {
    let archive = Archive::new().await;
    for name in ["One", "Two", "Two"] {
        archive.category(name).await;
    }
    archive
        .harness
        .sql(
            "insert into audit_log (record_uuid, recorded_at, operation, channel, outcome, actor_kind, actor_label)
             select labs_uuid(), labs_now() - n * interval '1 day', 'admin_seeded_list', 'JOB', 'SUCCEEDED', 'SYSTEM', 'Job'
               from generate_series(1, 40) as n",
        )
        .await;
    let summary = || archive.call("admin_audit_records_summarise");
    let of = |answer: &Answer| answer.json["data"].as_array().unwrap().clone();
    let created = of(&summary().query("operation", "marketplace_categories_create").expect(200).await);
    let told: Vec<(&str, i64)> =
        created.iter().map(|row| (row["outcome"].as_str().unwrap(), row["records"].as_i64().unwrap())).collect();
    assert_eq!(told, [("REFUSED", 1), ("SUCCEEDED", 2)]);
    assert_eq!(created[0]["actor"]["label"], "Karl Keeper");
    assert_eq!(created[0]["day"], archive.harness.clock.now().to_string()[..10]);
    let by_actor =
        of(&summary().query("by", "ACTOR").query("operation", "marketplace_categories_create").expect(200).await);
    assert_eq!((by_actor.len(), &by_actor[0]["records"]), (1, &json!(3)));
    assert_eq!(
        (&by_actor[0]["day"], &by_actor[0]["operation"], &by_actor[0]["outcome"]),
        (&Value::Null, &Value::Null, &Value::Null)
    );
    let system = of(&summary().query("by", "ACTOR").query("operation", "admin_seeded_list").expect(200).await);
    assert_eq!(
        (&system[0]["records"], &system[0]["actor"]["uuid"]),
        (&json!(29), &Value::Null),
        "of less than thirty days"
    );

    // Consecutive pages together contain every entry.
    let days = || summary().query("by", "DAY").query("operation", "admin_seeded_list").query("limit", 7);
    let (mut seen, mut page) = (Vec::new(), days().query("include_total", true).expect(200).await);
    assert_eq!(page.json["page"]["total"], 29);
    loop {
        seen.extend(of(&page).iter().map(|row| row["day"].as_str().unwrap().to_owned()));
        let Some(cursor) = page.json["page"]["next_cursor"].as_str() else { break };
        page = days().query("cursor", cursor).expect(200).await;
    }
    assert_eq!(seen.len(), 29);
    assert!(seen.is_sorted_by(|one, next| one < next), "{seen:?}");
    let long = summary().query("recorded_at_from", "2020-01-01T00:00:00Z").expect(422).await;
    assert_eq!(long.json["errors"][0]["parameter"], "recorded_at_from");
}

#[tokio::test]
async fn exported_chain_head_is_confirmed_by_later_verification() {
    let archive = Archive::new().await;
    let last = archive.sealed(3).await;
    let exported = archive.call("admin_audit_records_export").expect(200).await;
    let (position, hash) = exported.header("x-audit-chain-head").split_once(':').unwrap();
    assert_eq!(position.parse::<i64>().unwrap(), last);
    let expected = json!({ "position": last, "hash": hash });
    assert_eq!(archive.verify(json!({ "expected": expected })).await["intact"], true);
    archive.tamper(&format!("update audit_seal set hash = sha256('another') where position = {last}")).await;
    assert_eq!(archive.verify(json!({ "expected": expected })).await["intact"], false);
}

#[tokio::test]
async fn unsealed_record_is_reported() {
    let archive = Archive::new().await;
    let last = archive.sealed(3).await;
    let whole = archive.verify(json!({})).await;
    assert_eq!((&whole["intact"], &whole["unsealed"]), (&json!(true), &json!(0)));
    // Inserts a record that the sealer no longer finds, because its transaction id is old.
    archive
        .tamper(
            "insert into audit_log (record_uuid, recorded_at, transaction_id, operation, channel, outcome, actor_kind,
                 actor_label)
             values (labs_uuid(), labs_now() - interval '1 minute', '3', 'x', 'JOB', 'SUCCEEDED', 'SYSTEM', 'Nobody')",
        )
        .await;
    let whole = archive.verify(json!({})).await;
    assert_eq!((&whole["intact"], &whole["unsealed"], &whole["first_break"]), (&json!(false), &json!(1), &Value::Null));
    let until = json!({ "from_position": 2, "until_position": last });
    assert_eq!(archive.verify(until).await["unsealed"], 0, "of another time than the range's");
    for (chosen, value) in [("transaction_id", "'3'"), ("recorded_at", "labs_now()")] {
        let mut service = archive.harness.owner().await;
        let insert = format!(
            "set role labs_service;
             insert into audit_log (record_uuid, {chosen}, operation, channel, outcome, actor_kind, actor_label)
             values (labs_uuid(), {value}, 'x', 'JOB', 'SUCCEEDED', 'SYSTEM', 'Nobody')"
        );
        let refused = sqlx::raw_sql(sqlx::AssertSqlSafe(insert)).execute(&mut service).await.unwrap_err();
        assert_eq!(refused.as_database_error().unwrap().code().as_deref(), Some("42501"), "{chosen}");
    }
}

#[tokio::test]
async fn record_is_found_despite_neighbours_of_another_time() {
    let archive = Archive::new().await;
    archive.sealed(8).await;
    let early = "01900000-0000-7000-8000-000000000001";
    archive
        .tamper(&format!(
            "insert into audit_log (record_uuid, operation, channel, outcome, actor_kind, actor_label)
             values ('{early}', 'x', 'JOB', 'SUCCEEDED', 'SYSTEM', 'Nobody')"
        ))
        .await;
    archive.sealed(0).await;
    assert_eq!(archive.category("Late").await.status, 201);
    let last = archive.sealed(0).await;
    let place = archive.harness.number(&format!("select position from audit_seal where record_uuid = '{early}'")).await;
    // Between the two, there are far more records in time order than in the chain.
    let range = json!({ "from_position": place, "until_position": last });
    let verdict = archive.verify(range.clone()).await;
    assert_eq!((&verdict["intact"], &verdict["checked"]), (&json!(true), &json!(last - place + 1)), "{verdict}");
    archive.tamper(&format!("update audit_log set operation = 'y' where record_uuid = '{early}'")).await;
    assert_eq!(broken(&archive.verify(range).await), (place, "ALTERED"));
}
