//! Tests of media items that were removed from their draft: they stay and count as long as a listing or a submission
//! needs them.

use serde_json::json;

use super::market::{Market, png, upload};
use crate::harness::Answer;

async fn icon(market: &Market, app: &str) -> Answer {
    let call = market.harness.call("marketplace_media_upload").path("app_uuid", app).token(&market.owner.token);
    call.multipart(upload("ICON", png(256, 256))).send().await
}

/// Moves all submissions this many days into the past.
async fn days_pass(market: &Market, days: u32) {
    let past = format!("- interval '{days} days'");
    let columns = ["submitted_at", "decided_at", "updated_at"].map(|column| format!("{column} = {column} {past}"));
    market.harness.sql(&format!("update submission set {}", columns.join(", "))).await;
}

/// Makes replaced media items old enough to be deleted, then runs the job that deletes unused ones.
async fn tidy(market: &Market) {
    market.harness.sql("update media set removed_at = removed_at - interval '11 minutes'").await;
    market.harness.run_job("TIDYING").await;
}

#[tokio::test]
async fn media_of_a_decided_submission_count_for_thirty_days() {
    let market = Market::new().await;
    let app = market.app("Table Pilot").await;
    let old = icon(&market, &app).await.str("uuid").to_owned();
    market.harness.sql("update media set size_bytes = 1000").await;
    market.harness.sql(&format!("update media set size_bytes = 1048000 where media_uuid = '{old}'")).await;
    market.harness.sql("update tier_feature set value = '1' where feature_code = 'media_megabytes'").await;
    let used =
        "select used from partner_usage((select partner_uuid from app limit 1)) where feature_code = 'media_megabytes'";

    // A replaced media item that is not used elsewhere frees its storage.
    let free = icon(&market, &app).await;
    assert_eq!(free.status, 201, "{}", free.text());
    market.harness.sql("update media set size_bytes = 1048000 where kind = 'ICON' and removed_at is null").await;

    // A media item of a rejected submission does not.
    let version = market.draft(&app, "1.0.0").await;
    let submission = market.submit(&app, &version).await;
    market.claim(&submission).await;
    market.reject(&submission).await;
    let refused = icon(&market, &app).await;
    assert_eq!((refused.status, refused.code()), (409, "ENTITLEMENT_EXCEEDED"), "{}", refused.text());
    market.harness.sql("update tier_feature set value = '2' where feature_code = 'media_megabytes'").await;
    assert_eq!(icon(&market, &app).await.status, 201);
    assert_eq!(market.harness.number(used).await, 2);
    tidy(&market).await;
    let left = format!("select count(*) from media where media_uuid = '{}'", free.str("uuid"));
    assert_eq!(market.harness.number(&left).await, 1, "the submission shows it");

    days_pass(&market, 29).await;
    tidy(&market).await;
    assert_eq!(market.harness.number(&left).await, 1, "an appeal may still come");
    days_pass(&market, 2).await;
    assert_eq!(market.harness.number(used).await, 1);
    market.harness.run_job("TIDYING").await;
    market.harness.until(&left, 0).await;
}

#[tokio::test]
async fn media_of_a_publishable_version_are_kept() {
    let market = Market::new().await;
    let app = market.app("Table Pilot").await;
    let approved = icon(&market, &app).await.str("uuid").to_owned();
    let version = market.draft(&app, "1.0.0").await;
    market.approved(&app, &version).await;
    icon(&market, &app).await;
    let waiting = market.app("Quick Till").await;
    let submitted = icon(&market, &waiting).await.str("uuid").to_owned();
    let waiting_version = market.draft(&waiting, "1.0.0").await;
    market.submit(&waiting, &waiting_version).await;
    icon(&market, &waiting).await;

    days_pass(&market, 400).await;
    tidy(&market).await;
    let left = format!("select count(*) from media where media_uuid in ('{approved}', '{submitted}')");
    assert_eq!(market.harness.number(&left).await, 2);
    market.version("marketplace_versions_publish", &app, &version).json(&json!({})).expect(200).await;
    days_pass(&market, 400).await;
    tidy(&market).await;
    assert_eq!(market.harness.number(&left).await, 2, "the listing shows one, a reviewer looks at the other");
}
