//! Tests of the categories that an app can choose.

use serde_json::{Value, json};

use super::market::{Market, column, errors};

#[tokio::test]
async fn app_chooses_up_to_three_leaf_categories() {
    let market = Market::new().await;
    let app = market.app("Table Pilot").await;
    let make = |name: &str, parent: Value| {
        let body = json!({ "names": { "en": name }, "parent_uuid": parent });
        let call = market.harness.call("marketplace_categories_create").token(&market.staff.token).json(&body);
        async move { call.expect(201).await.str("uuid").to_owned() }
    };
    let group = make("Front of house", Value::Null).await;
    let (tables, lists) = (make("Tables", json!(group)).await, make("Waiting lists", json!(group)).await);
    let gone = make("Gone", Value::Null).await;
    let call = market.harness.call("marketplace_categories_deactivate").path("category_uuid", &gone);
    call.token(&market.staff.token).expect(200).await;
    let put = |primary: &str, further: &[&str]| {
        let body = json!({ "primary_category_uuid": primary, "further_category_uuids": further });
        let call =
            market.harness.call("marketplace_apps_put_categories").path("app_uuid", &app).token(&market.owner.token);
        let call = call.json(&body);
        async move { call.send().await }
    };
    let chosen = put(&lists, &[&tables]).await;
    let names: Vec<_> = chosen.json["categories"].as_array().unwrap().iter().map(|entry| &entry["slug"]).collect();
    assert_eq!((chosen.status, names), (200, vec![&json!("waiting-lists"), &json!("tables")]));
    let turned = put(&tables, &[&lists]).await;
    assert_eq!(turned.json["categories"][0]["primary"], true, "the two may change places");
    let unknown = "0198d000-0000-7000-8000-000000000001";
    for (primary, further, expected) in [
        (group.as_str(), vec![], vec![("NOT_SELECTABLE", "/primary_category_uuid")]),
        (
            &tables,
            vec![&*gone, unknown],
            vec![("NOT_SELECTABLE", "/further_category_uuids/0"), ("NOT_SELECTABLE", "/further_category_uuids/1")],
        ),
        (&tables, vec![&*lists, &*tables], vec![("DUPLICATE", "/further_category_uuids/1")]),
    ] {
        let refused = put(primary, &further).await;
        assert_eq!((refused.status, errors(&refused)), (422, expected));
    }
    assert_eq!(put(&tables, &[&lists, &gone, unknown]).await.status, 422, "three at most");
    let now = market.harness.call("marketplace_apps_get").path("app_uuid", &app).token(&market.owner.token);
    let now = now.expect(200).await;
    assert_eq!(now.json["categories"], turned.json["categories"], "refusals changed nothing");
}

#[tokio::test]
async fn category_picker_shows_ordered_tree_with_selectable_flags() {
    let market = Market::new().await;
    let make = |body: Value| {
        let call = market.harness.call("marketplace_categories_create").token(&market.staff.token).json(&body);
        async move { call.expect(201).await.str("uuid").to_owned() }
    };
    let group = make(json!({ "names": { "en": "Front of house", "de": "Gastraum" } })).await;
    make(json!({ "names": { "en": "Tables", "de": "Tische" }, "parent_uuid": group })).await;
    make(json!({ "names": { "en": "Lists" }, "parent_uuid": group, "position": 1 })).await;
    let pick = |limit: i32, cursor: Option<String>| {
        let call = market.harness.call("marketplace_apps_list_selectable_categories").token(&market.owner.token);
        let call = call.query("locale", "de-AT").query("limit", limit);
        let call = cursor.iter().fold(call, |call, cursor| call.query("cursor", cursor));
        async move { call.expect(200).await }
    };
    let tree = pick(100, None).await;
    assert_eq!(column(&tree, "name"), ["Ordering", "Gastraum", "Lists", "Tische"]);
    let selectable: Vec<_> =
        tree.json["data"].as_array().unwrap().iter().map(|entry| entry["selectable"].as_bool().unwrap()).collect();
    assert_eq!(selectable, [true, false, true, true]);
    assert_eq!(tree.json["data"][3]["path"], json!(["Gastraum", "Tische"]));
    let first = pick(3, None).await;
    let cursor = first.json["page"]["next_cursor"].as_str().unwrap().to_owned();
    assert_eq!(column(&pick(3, Some(cursor)).await, "name"), ["Tische"]);
}
