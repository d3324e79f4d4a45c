//! Tests of scheduled publication: changes between the job's query and its processing, and versions that cannot be
//! published.

use super::super::market::Market;
use super::scheduled;
use crate::harness::WAITING;

/// SQL that counts a version if it is published.
fn live(version: &str) -> String {
    format!("select count(*) from app_version where state = 'PUBLISHED' and version_uuid = '{version}'")
}

#[tokio::test]
async fn partner_suspended_during_publishing_run_is_skipped() {
    let market = Market::new().await;
    let stranger = market.harness.partner("Ostsee Kassen").await;
    let partner = stranger.partner_uuid.unwrap();
    let first = scheduled(&market, "Table Pilot", 60).await;
    let last = scheduled(&market, "Till", 1_800).await;
    let market = Market { owner: stranger, ..market };
    let held = scheduled(&market, "Menu Board", 600).await;
    let waited_for = market.harness.lock("listing", "share").await;
    market.harness.advance(2_000).await;
    // One run has found all three versions and waits at the first.
    market.harness.until(WAITING, 1).await;
    let state = |state: &str| format!("update partner set state = '{state}' where partner_uuid = '{partner}'");
    market.harness.sql(&state("SUSPENDED")).await;
    waited_for.roll_back().await;
    for version in [&first, &last] {
        market.harness.until(&live(version), 1).await;
    }
    assert_eq!(market.harness.number(&live(&held)).await, 0, "its turn came before the last one's");
    market.harness.sql(&state("ACTIVE")).await;
    market.harness.until(&live(&held), 1).await;
}

#[tokio::test]
async fn failed_publication_is_retried_after_one_minute() {
    let market = Market::new().await;
    let broken = scheduled(&market, "Table Pilot", 60).await;
    let [second, third] = [("Till", 600), ("Menu Board", 86_400)].map(|(name, at)| scheduled(&market, name, at));
    let (second, third) = (second.await, third.await);
    let judged = |state: &str| format!("update submission set state = '{state}' where version_uuid = '{broken}'");
    market.harness.sql(&judged("REJECTED")).await;
    market.harness.advance(700).await;
    // The job processes the earlier version first, so it was processed before this one was published.
    market.harness.until(&live(&second), 1).await;
    market.harness.sql(&judged("APPROVED")).await;
    let due = format!("update app_version set publish_at = labs_now() where version_uuid = '{third}'");
    market.harness.sql(&due).await;
    market.harness.until(&live(&third), 1).await;
    assert_eq!(market.harness.number(&live(&broken)).await, 0, "its minute is not over");
    market.harness.advance(60).await;
    market.harness.until(&live(&broken), 1).await;
}
