//! Tests of slugs: chosen slugs that conflict, and derived slugs that do not.

use futures_util::future::join_all;
use serde_json::json;

use super::apps::{about, create, update};
use super::market::{errors, fast_harness};
use crate::harness::Answer;

#[tokio::test]
async fn slug_is_unique_in_marketplace() {
    let harness = fast_harness().await;
    let (owner, stranger) = (harness.partner("Nordsee Kassen").await, harness.partner("Ostsee Kassen").await);
    let made = create(&harness, &owner, json!({ "name": "Küche & Kasse 2.0" })).await;
    assert_eq!((made.status, made.str("slug")), (201, "kuche-kasse-2-0"));
    assert_eq!(made.header("location"), format!("/v1/marketplace/apps/{}", made.str("uuid")));
    let taken = vec![("TAKEN", "/slug")];
    let named = create(&harness, &stranger, json!({ "name": "Other", "slug": "kuche-kasse-2-0" })).await;
    assert_eq!((named.status, errors(&named)), (409, taken.clone()));
    let own = create(&harness, &stranger, json!({ "name": "Kuche Kasse 2 0", "slug": "kuche-kasse-3" })).await;
    assert_eq!(own.status, 201);
    let moved = update(&harness, &stranger, own.str("uuid"), json!({ "slug": "kuche-kasse-2-0" })).await;
    assert_eq!((moved.status, errors(&moved)), (409, taken));
    about(&harness, "marketplace_apps_delete", &owner, made.str("uuid")).expect(204).await;
    let moved = update(&harness, &stranger, own.str("uuid"), json!({ "slug": "kuche-kasse-2-0" })).await;
    assert_eq!((moved.status, moved.str("slug")), (200, "kuche-kasse-2-0"), "a deleted app's slug is free");
}

#[tokio::test]
async fn derived_slug_that_is_used_gets_a_suffix() {
    let harness = fast_harness().await;
    let partners = [harness.partner("Nordsee Kassen").await, harness.partner("Ostsee Kassen").await];
    let calls = (0..6).map(|place| create(&harness, &partners[place % 2], json!({ "name": "Ταβέρνα" })));
    let made = join_all(calls).await;
    assert!(made.iter().all(|made| made.status == 201), "{:?}", made.iter().map(Answer::text).collect::<Vec<_>>());
    let mut slugs: Vec<&str> = made.iter().map(|made| made.str("slug")).collect();
    slugs.sort_unstable();
    slugs.dedup();
    assert_eq!((slugs[0], slugs.len()), ("taberna", 6));
    assert!(slugs[1..].iter().all(|slug| slug.starts_with("taberna-") && slug.len() == 16), "{slugs:?}");
    let other = harness.partner("Elbkontor").await;
    for name in ["注文管理", "日本"] {
        let made = create(&harness, &other, json!({ "name": name })).await;
        assert!(made.status == 201 && made.str("slug").starts_with("app-"), "{}", made.text());
    }
}

#[tokio::test]
async fn concurrent_creates_with_one_slug_succeed_once() {
    let harness = fast_harness().await;
    let partners = [harness.partner("Nordsee Kassen").await, harness.partner("Ostsee Kassen").await];
    let calls = (0..6).map(|place| {
        let body = json!({ "name": "Table Pilot", "slug": "table-pilot" });
        create(&harness, &partners[place % 2], body)
    });
    let answers = join_all(calls).await;
    assert_eq!(answers.iter().filter(|answer| answer.status == 201).count(), 1);
    assert!(answers.iter().all(|answer| answer.status == 201 || errors(answer) == [("TAKEN", "/slug")]));
}
