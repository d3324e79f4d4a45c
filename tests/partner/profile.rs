//! Tests of a partner profile: write, publish as a snapshot, and take down by its team or by staff.

use serde_json::{Value, json};

use super::imagery::{harness, own, png, put};
use crate::harness::people::Person;
use crate::harness::{Answer, Harness};

async fn get(harness: &Harness, person: &Person) -> Answer {
    own(harness, person, "partner_profile_get").expect(200).await
}

async fn patch(harness: &Harness, person: &Person, body: Value) -> Answer {
    own(harness, person, "partner_profile_update").json(&body).send().await
}

/// Writes a complete profile.
pub(crate) async fn written(harness: &Harness, person: &Person) {
    let texts = json!({ "de": { "tagline": "Kassen", "description": "Kassen für Küsten." } });
    assert_eq!(patch(harness, person, json!({ "texts": texts })).await.status, 200);
    assert_eq!(put(harness, person, "LOGO", png(256, 256, 1)).await.status, 200);
}

fn open(answer: &Answer) -> Vec<(&str, &str)> {
    let items = answer.json["open_items"].as_array().or_else(|| answer.json["errors"].as_array()).unwrap();
    items.iter().map(|item| (item["pointer"].as_str().unwrap(), item["code"].as_str().unwrap())).collect()
}

#[tokio::test]
async fn new_profile_is_empty_and_lists_open_items() {
    let (harness, person) = harness().await;
    let page = get(&harness, &person).await;
    assert_eq!(
        (page.str("state"), &page.json["texts"], &page.json["published"]),
        ("UNPUBLISHED", &json!({}), &Value::Null)
    );
    assert_eq!(open(&page), [("/texts", "REQUIRED"), ("/logo", "REQUIRED")]);
    let refused = own(&harness, &person, "partner_profile_publish").expect(409).await;
    assert_eq!((refused.code(), open(&refused)), ("CONFLICT", vec![("/texts", "REQUIRED"), ("/logo", "REQUIRED")]));
    let refused = own(&harness, &person, "partner_profile_unpublish").expect(409).await;
    assert_eq!((refused.code(), &refused.json["allowed_actions"]), ("ILLEGAL_TRANSITION", &json!(["publish"])));
    let begun = patch(&harness, &person, json!({ "texts": { "de": { "tagline": "Kassen" } } })).await;
    assert_eq!((begun.str("default_locale"), open(&begun)[0]), ("de", ("/texts/de/description", "REQUIRED")));
}

#[tokio::test]
async fn profile_patch_is_merged_by_field_and_locale() {
    let (harness, person) = harness().await;
    written(&harness, &person).await;
    let first = get(&harness, &person).await;
    let body = json!({ "texts": { "en": { "tagline": "Tills" } }, "languages": ["de", "en"], "regions": ["DE", "150"],
                       "website_url": "https://nordsee.example" });
    let second = patch(&harness, &person, body).await;
    assert_eq!(second.json["texts"]["de"], first.json["texts"]["de"]);
    assert_eq!(second.json["texts"]["en"], json!({ "tagline": "Tills", "description": "" }));
    assert_eq!((&second.json["languages"], &second.json["regions"]), (&json!(["de", "en"]), &json!(["DE", "150"])));
    let third = patch(&harness, &person, json!({ "texts": { "en": null }, "website_url": null })).await;
    assert_eq!((&third.json["texts"], &third.json["website_url"]), (&first.json["texts"], &Value::Null));
    assert_eq!(third.json["languages"], json!(["de", "en"]), "what is left out stays");
    for (body, pointer) in [
        (json!({ "default_locale": "fr" }), "/default_locale"),
        (json!({ "texts": { "german": { "tagline": "x" } } }), "/texts"),
        (json!({ "texts": { "de": { "tagline": "a\nb" } } }), "/texts/de/tagline"),
        (json!({ "website_url": "http://plain.example" }), "/website_url"),
        (json!({ "regions": ["Germany"] }), "/regions/0"),
        (json!({ "company_name": "Other" }), "/company_name"),
    ] {
        let refused = patch(&harness, &person, body).await;
        let pointers: Vec<_> =
            refused.json["errors"].as_array().unwrap().iter().map(|e| e["pointer"].clone()).collect();
        assert!(
            refused.status == 422 && pointers.iter().any(|at| at.as_str().unwrap().starts_with(pointer)),
            "{}",
            refused.text()
        );
    }
    let etag = first.header("etag").to_owned();
    let stale = own(&harness, &person, "partner_profile_update").header("if-match", &etag);
    stale.json(&json!({ "languages": [] })).expect(412).await;
}

#[tokio::test]
async fn readers_see_published_snapshot_until_next_publication() {
    let (harness, person) = harness().await;
    written(&harness, &person).await;
    let published = own(&harness, &person, "partner_profile_publish").expect(200).await;
    assert_eq!((published.str("state"), &published.json["has_changes"]), ("PUBLISHED", &json!(false)));
    let shown = published.json["published"].clone();
    assert_eq!(shown["texts"], published.json["texts"]);
    let logo = published.json["logo"]["uuid"].clone();
    assert_eq!(shown["logo"]["uuid"], logo);
    // The draft changes; readers do not see it.
    patch(&harness, &person, json!({ "texts": { "de": { "tagline": "Neu" } } })).await;
    put(&harness, &person, "LOGO", png(300, 300, 9)).await;
    let edited = get(&harness, &person).await;
    assert_eq!((&edited.json["published"], &edited.json["has_changes"]), (&shown, &json!(true)));
    assert_ne!(edited.json["logo"]["uuid"], logo);
    let list = own(&harness, &person, "partner_imagery_list").expect(200).await;
    let marks: Vec<_> = list.json["data"]
        .as_array()
        .unwrap()
        .iter()
        .map(|i| (i["in_draft"].clone(), i["is_published"].clone()))
        .collect();
    assert_eq!(marks, [(json!(false), json!(true)), (json!(true), json!(false))]);
    let again = own(&harness, &person, "partner_profile_publish").expect(200).await;
    assert_eq!(again.json["published"]["texts"]["de"]["tagline"], "Neu");
    assert_eq!(harness.number("select count(*) from partner_image").await, 1, "what nobody sees any more is gone");
    let off = own(&harness, &person, "partner_profile_unpublish").expect(200).await;
    assert_eq!((off.str("state"), &off.json["published"]), ("UNPUBLISHED", &Value::Null));
    assert_eq!(off.json["texts"]["de"]["tagline"], "Neu", "what is written stays");
    let kinds = "select count(*) from partner_event where kind in ('PROFILE_UPDATED', 'PROFILE_PUBLISHED', 'PROFILE_UNPUBLISHED')";
    assert_eq!(harness.number(kinds).await, 5);
    own(&harness, &person, "partner_profile_unpublish").expect(409).await;
}

#[tokio::test]
async fn image_only_in_published_profile_is_deleted_with_it() {
    let (harness, person) = harness().await;
    let delete = || own(&harness, &person, "partner_imagery_delete").path("kind", "LOGO");
    let pictures = async || harness.number("select count(*) from partner_image").await;
    written(&harness, &person).await;
    own(&harness, &person, "partner_profile_publish").expect(200).await;
    delete().expect(204).await;
    assert_eq!(pictures().await, 1, "readers still see it");
    own(&harness, &person, "partner_profile_unpublish").expect(200).await;
    assert_eq!(pictures().await, 0, "nobody sees it any more");
    put(&harness, &person, "LOGO", png(300, 300, 9)).await;
    own(&harness, &person, "partner_profile_publish").expect(200).await;
    own(&harness, &person, "partner_profile_unpublish").expect(200).await;
    assert_eq!(pictures().await, 1, "the draft has it");
    delete().expect(204).await;
    assert_eq!(pictures().await, 0, "what was published once holds nothing");
}

#[tokio::test]
async fn repeated_publication_with_idempotency_key_happens_once() {
    let (harness, person) = harness().await;
    written(&harness, &person).await;
    let publish = || own(&harness, &person, "partner_profile_publish").header("idempotency-key", "publish-1");
    let first = publish().expect(200).await;
    let again = publish().expect(200).await;
    assert_eq!((again.header("idempotency-replayed"), &again.bytes), ("true", &first.bytes));
    assert_eq!(harness.number("select count(*) from partner_event where kind = 'PROFILE_PUBLISHED'").await, 1);
}
