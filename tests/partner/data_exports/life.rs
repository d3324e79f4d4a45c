//! Tests of the life cycle of a data export: requested, created, retried, failed, and expired.

use serde_json::{Value, json};

use super::{asked, download, made, unzipped};
use crate::harness::Harness;
use crate::harness::people::Person;
use crate::partner::imagery::{harness, own};

/// Returns the newest data export of a partner.
async fn newest(harness: &Harness, person: &Person) -> Value {
    own(harness, person, "partner_data_exports_list").expect(200).await.json["data"][0].clone()
}

#[tokio::test]
async fn data_export_can_be_downloaded_for_seven_days() {
    let (harness, person) = harness().await;
    let export = made(&harness, &person).await;
    let shown = newest(&harness, &person).await;
    assert_eq!(
        (&shown["state"], &shown["progress_percent"], &shown["is_available"]),
        (&json!("SUCCEEDED"), &json!(100), &json!(true))
    );
    assert_eq!((&shown["requested_by"], &shown["requested_by_uuid"]), (&json!("PARTNER_USER"), &json!(person.uuid)));
    harness.until("select count(*) from mail_message where kind = 'DATA_EXPORT' and state = 'SENT'", 1).await;
    let mails = harness.mails_now(&person.email);
    assert!(mails.iter().any(|mail| mail.contains("archive of all data")), "{mails:?}");
    let whole = download(&harness, &person, &export).expect(200).await;
    assert_eq!(
        (whole.header("content-type"), json!(whole.bytes.len())),
        ("application/zip", shown["size_bytes"].clone())
    );
    assert!(
        whole.header("content-disposition").contains("labs-nordsee-kassen-"),
        "{}",
        whole.header("content-disposition")
    );
    let hex: String = whole.bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    let is_told = format!(
        "select count(*) from (select encode(sha256(decode('{hex}', 'hex')), 'base64') as digest) as made
          where 'sha-256=:' || digest || ':' = '{}'",
        whole.header("repr-digest")
    );
    assert_eq!(harness.number(&is_told).await, 1, "{}", whole.header("repr-digest"));
    let kept = (whole.header("cache-control"), whole.header("etag"));
    assert_eq!(kept, ("no-store", ""), "sessions and mails are in it");
    download(&harness, &person, &export).expect(200).await;
    let readme = String::from_utf8(unzipped(&whole)["README.txt"].clone()).unwrap();
    assert!(readme.contains("person.jsonl") && readme.contains(&person.partner_uuid.unwrap().to_string()), "{readme}");
    let other = harness.partner("Elbkontor").await;
    let foreign = own(&harness, &other, "partner_data_exports_download").path("export_uuid", &export).expect(404).await;
    assert_eq!(foreign.code(), "NOT_FOUND");
    let told = "select count(*) from partner_event where kind in ('DATA_EXPORT_REQUESTED', 'DATA_EXPORT_MADE', 'DATA_EXPORT_DOWNLOADED')";
    assert_eq!(harness.number(told).await, 4);
    harness.advance(7 * 86_400).await;
    harness.until("select count(*) from data_export where removed_at is not null", 1).await;
    let again = harness.sign_in(&person.email).await;
    let gone = download(&harness, &again, &export).expect(404).await;
    assert!(gone.str("detail").contains("seven days"), "{}", gone.text());
    let shown = newest(&harness, &again).await;
    assert_eq!((&shown["state"], &shown["is_available"]), (&json!("SUCCEEDED"), &json!(false)), "the entry stays");
}

/// Stops the job from claiming data exports, or allows it again.
async fn hold(harness: &Harness, is_held: bool) {
    let revoked = if is_held { "revoke update on data_export from" } else { "grant update on data_export to" };
    harness.sql(&format!("{revoked} labs_service")).await;
}

#[tokio::test]
async fn one_export_runs_at_a_time_and_five_per_day() {
    let (harness, person) = harness().await;
    hold(&harness, true).await;
    let create = || own(&harness, &person, "partner_data_exports_create");
    let first = create().header("idempotency-key", "a").expect(202).await;
    assert_eq!((first.str("state"), &first.json["progress_percent"]), ("QUEUED", &json!(0)));
    let again = create().header("idempotency-key", "a").expect(202).await;
    assert_eq!((again.header("idempotency-replayed"), &again.bytes), ("true", &first.bytes));
    assert_eq!(create().expect(409).await.code(), "CONFLICT");
    assert_eq!(download(&harness, &person, first.str("uuid")).expect(409).await.code(), "CONFLICT");
    let queued = own(&harness, &person, "partner_data_exports_list").query("state", "QUEUED").expect(200).await;
    assert_eq!(queued.json["data"].as_array().unwrap().len(), 1);
    hold(&harness, false).await;
    harness.until("select count(*) from data_export where state = 'SUCCEEDED'", 1).await;
    for _ in 0..4 {
        made(&harness, &person).await;
    }
    let refused = create().expect(409).await;
    assert!(refused.str("detail").contains("within a day"), "{}", refused.text());
}

#[tokio::test]
async fn crashed_export_is_resumed_and_fails_after_third_attempt() {
    let (harness, person) = harness().await;
    hold(&harness, true).await;
    let export = asked(&harness, &person).await;
    // A replica claimed it, recorded progress, and died a minute ago.
    harness
        .sql(
            "update data_export set state = 'RUNNING', attempts = 1, started_at = labs_now(), steps_total = 40,
              steps_done = 10, object_secret = repeat('ab', 32), claimed_until = labs_now() + interval '1 minute'",
        )
        .await;
    let shown = newest(&harness, &person).await;
    assert_eq!((&shown["state"], &shown["progress_percent"]), (&json!("RUNNING"), &json!(25)));
    hold(&harness, false).await;
    harness.advance(60).await;
    harness.until("select count(*) from data_export where state = 'SUCCEEDED' and attempts = 2", 1).await;
    download(&harness, &person, &export).expect(200).await;
    // This time, every replica that claims it dies.
    hold(&harness, true).await;
    asked(&harness, &person).await;
    harness.sql("update data_export set state = 'RUNNING', attempts = 3, started_at = labs_now(), claimed_until = labs_now() where state = 'QUEUED'").await;
    hold(&harness, false).await;
    harness.until("select count(*) from data_export where state = 'FAILED'", 1).await;
    let shown = newest(&harness, &person).await;
    assert_eq!((&shown["state"], &shown["is_available"]), (&json!("FAILED"), &json!(false)));
    let failed = shown["uuid"].as_str().unwrap().to_owned();
    assert_eq!(download(&harness, &person, &failed).expect(409).await.code(), "CONFLICT");
    assert_eq!(harness.number("select count(*) from partner_event where kind = 'DATA_EXPORT_FAILED'").await, 1);
    assert_eq!(harness.number("select count(*) from mail_message where kind = 'DATA_EXPORT'").await, 2);
    made(&harness, &person).await;
}

#[tokio::test]
async fn unreadable_data_are_retried_three_times() {
    let (harness, person) = harness().await;
    harness.sql("revoke select on invitation from labs_service").await;
    asked(&harness, &person).await;
    for attempt in 1..=3 {
        let tried = format!("select count(*) from data_export where attempts = {attempt} and error is not null");
        harness.until(&tried, 1).await;
        harness.advance(10).await;
    }
    harness.until("select count(*) from data_export where state = 'FAILED' and object_secret is not null", 1).await;
    harness.sql("grant select on invitation to labs_service").await;
    made(&harness, &harness.sign_in(&person.email).await).await;
}
