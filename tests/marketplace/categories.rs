//! Tests of the category tree: how it grows, and its public view.

use futures_util::future::join_all;
use serde_json::{Value, json};

use super::market::{allowed, column, errors, fast_harness, finds};
use crate::harness::people::{Person, Program};
use crate::harness::{Answer, Harness};

/// A service without categories, a staff member who manages them, and a storefront client.
pub(super) struct Tree {
    pub(super) harness: Harness,
    pub(super) staff: Person,
    pub(super) shop: Program,
}

impl Tree {
    pub(super) async fn new() -> Self {
        let harness = fast_harness().await;
        let staff = harness.staff("Carla Kategorie", &["labs.admin.categories:write", "labs.admin.audit"]).await;
        let shop = harness.program("storefront", &["storefront"], None).await;
        Self { harness, staff, shop }
    }

    pub(super) async fn create(&self, body: Value) -> Answer {
        self.harness.call("marketplace_categories_create").token(&self.staff.token).json(&body).send().await
    }

    /// Creates a category with this name below a parent.
    pub(super) async fn add(&self, name: &str, parent: Option<&str>) -> String {
        let made = self.create(json!({ "names": { "en": name }, "parent_uuid": parent })).await;
        assert_eq!(made.status, 201, "{}", made.text());
        made.str("uuid").to_owned()
    }

    pub(super) async fn deactivate(&self, category: &str, body: Value) -> Answer {
        let call = self.harness.call("marketplace_categories_deactivate").path("category_uuid", category);
        call.token(&self.staff.token).json(&body).send().await
    }

    /// Lists the whole tree as staff see it.
    pub(super) async fn list(&self) -> Answer {
        self.harness.call("marketplace_categories_list").token(&self.staff.token).expect(200).await
    }

    /// Returns the tree as a storefront sees it, each category followed by its subcategories in parentheses.
    pub(super) async fn shown(&self) -> String {
        fn words(nodes: &Value) -> String {
            let nodes = nodes.as_array().map(Vec::as_slice).unwrap_or_default().iter();
            let words: Vec<String> = nodes
                .map(|node| match words(&node["children"]) {
                    beneath if beneath.is_empty() => node["slug"].as_str().unwrap().to_owned(),
                    beneath => format!("{}({beneath})", node["slug"].as_str().unwrap()),
                })
                .collect();
            words.join(" ")
        }
        let call = self.harness.call("marketplace_public_categories_list").token(&self.shop.token);
        words(&call.expect(200).await.json["data"])
    }
}

#[tokio::test]
async fn category_tree_has_four_levels_and_unique_slugs() {
    let tree = Tree::new().await;
    let mut parent = tree.add("Level one", None).await;
    for name in ["Level two", "Level three", "Level four"] {
        parent = tree.add(name, Some(&parent)).await;
    }
    let deep = tree.create(json!({ "names": { "en": "Level five" }, "parent_uuid": parent })).await;
    assert_eq!((deep.status, errors(&deep)), (422, vec![("TOO_DEEP", "/parent_uuid")]));
    assert_eq!(tree.shown().await, "level-one(level-two(level-three(level-four)))");
    let nowhere = "0198d000-0000-7000-8000-000000000001";
    let lost = tree.create(json!({ "names": { "en": "Lost" }, "parent_uuid": nowhere })).await;
    assert_eq!((lost.status, errors(&lost)[0].1), (422, "/parent_uuid"));
    let refused = tree.create(json!({ "names": { "en": "Other" }, "slug": "level-one" })).await;
    assert_eq!((refused.status, errors(&refused)), (409, vec![("TAKEN", "/slug")]));
    let derived = tree.create(json!({ "names": { "en": "Level, one!" } })).await;
    let slug = derived.str("slug");
    assert!(derived.status == 201 && slug.starts_with("level-one-") && slug.len() == 18, "{}", derived.text());
    for (bad, place) in [
        (json!({ "names": { "de": "Nur deutsch" } }), "/names"),
        (json!({ "names": { "en": "   " } }), "/names/en"),
        (json!({ "names": { "en": "Bars" }, "descriptions": { "de": " \n" } }), "/descriptions/de"),
        (json!({ "names": { "en": "Bars" }, "position": 0 }), "/position"),
        (json!({ "names": { "en": "Bars" }, "slug": "Bars" }), "/slug"),
    ] {
        let refused = tree.create(bad.clone()).await;
        assert_eq!((refused.status, errors(&refused).len()), (422, 1), "{bad}: {}", refused.text());
        assert!(errors(&refused)[0].1.starts_with(place), "{bad}: {}", refused.text());
    }
}

#[tokio::test]
async fn insert_position_shifts_following_siblings() {
    let tree = Tree::new().await;
    for name in ["One", "Two", "Three"] {
        tree.add(name, None).await;
    }
    let between = tree.create(json!({ "names": { "en": "Between" }, "position": 2 })).await;
    assert_eq!(between.json["position"], 2);
    let beyond = tree.create(json!({ "names": { "en": "Beyond" }, "position": 99 })).await;
    assert_eq!(beyond.json["position"], 5, "beyond the last is the last");
    assert_eq!(tree.shown().await, "one between two three beyond");
    let calls = (0..6).map(|n| tree.create(json!({ "names": { "en": format!("Rival {n}") }, "position": 1 })));
    assert!(join_all(calls).await.iter().all(|made| made.status == 201));
    let doubled =
        "select count(*) from (select position from category group by position having count(*) > 1) as doubled";
    assert_eq!(tree.harness.number(doubled).await, 0, "of several at once each has its own place");
}

#[tokio::test]
async fn deactivated_category_hides_its_subtree_from_public_reads() {
    let tree = Tree::new().await;
    let front = tree.add("Front", None).await;
    let tables = tree.add("Tables", Some(&front)).await;
    tree.add("Plans", Some(&tables)).await;
    tree.add("Kitchen", None).await;
    assert_eq!(tree.shown().await, "front(tables(plans)) kitchen");
    let gone = tree.deactivate(&tables, json!({ "reason": "Merged into plans." })).await;
    assert_eq!((gone.status, gone.str("state")), (200, "DEACTIVATED"));
    assert_eq!(tree.shown().await, "front kitchen");
    let owner = tree.harness.partner("Nordsee Kassen").await;
    let pick = tree.harness.call("marketplace_apps_list_selectable_categories").token(&owner.token).expect(200).await;
    assert_eq!(column(&pick, "slug"), ["front", "kitchen"]);
    assert_eq!(pick.json["data"][0]["selectable"], true, "nothing active is beneath it any more");

    let all = tree.list().await;
    assert_eq!(column(&all, "slug"), ["front", "kitchen", "tables", "plans"], "staff see them, level by level");
    assert_eq!(column(&all, "state"), ["ACTIVE", "ACTIVE", "DEACTIVATED", "ACTIVE"], "what is beneath keeps its state");
    let under = tree.create(json!({ "names": { "en": "Under" }, "parent_uuid": tables })).await;
    assert_eq!((under.status, errors(&under)), (422, vec![("DEACTIVATED", "/parent_uuid")]));

    let records = tree.harness.call("admin_audit_records_list").token(&tree.staff.token);
    let records = records.query("operation", "marketplace_categories_deactivate").expect(200).await;
    let record = &records.json["data"][0];
    assert_eq!((&record["reason"], &record["target"]["uuid"]), (&json!("Merged into plans."), &json!(tables)));
    assert_eq!(record["changes"][0]["after"]["state"], "DEACTIVATED");
}

#[tokio::test]
async fn concurrent_deactivations_succeed_once() {
    let tree = Tree::new().await;
    let front = tree.add("Front", None).await;
    let answers = join_all((0..4).map(|_| tree.deactivate(&front, json!({})))).await;
    assert_eq!(answers.iter().filter(|answer| answer.status == 200).count(), 1);
    for refused in answers.iter().filter(|answer| answer.status != 200) {
        assert_eq!((refused.status, refused.code()), (409, "ILLEGAL_TRANSITION"));
        assert_eq!(allowed(refused), ["activate", "move"]);
    }
    let nothing = tree.deactivate("0198d000-0000-7000-8000-000000000001", json!({})).await;
    assert_eq!((nothing.status, nothing.code()), (404, "NOT_FOUND"));
}

#[tokio::test]
async fn cycle_in_table_does_not_hang_reads() {
    let tree = Tree::new().await;
    let one = tree.add("One", None).await;
    let two = tree.add("Two", Some(&one)).await;
    tree.add("Three", Some(&two)).await;
    tree.add("Aside", None).await;
    tree.harness.sql(&format!("update category set parent_uuid = '{two}' where category_uuid = '{one}'")).await;
    assert_eq!(tree.shown().await, "aside");
    tree.list().await;
    let owner = tree.harness.partner("Nordsee Kassen").await;
    let pick = tree.harness.call("marketplace_apps_list_selectable_categories").token(&owner.token).expect(200).await;
    assert_eq!(column(&pick, "slug"), ["aside"]);
    let under = tree.create(json!({ "names": { "en": "Four" }, "parent_uuid": two })).await;
    assert_eq!((under.status, errors(&under)[0].1), (422, "/parent_uuid"));
}

#[tokio::test]
async fn staff_filter_categories_by_state_parent_and_text() {
    let tree = Tree::new().await;
    let front = tree.add("Front", None).await;
    tree.create(json!({ "names": { "en": "Tables", "de": "Tischverwaltung" }, "parent_uuid": front })).await;
    tree.add("Lists", Some(&front)).await;
    let kitchen = tree.add("Kitchen", None).await;
    tree.deactivate(&kitchen, json!({})).await;
    let list =
        || tree.harness.call("marketplace_categories_list").token(&tree.staff.token).query("include_total", true);
    let find = async |filters: &[(&str, &str)], expected: &[&str]| finds(list, ("slug", 1), filters, expected).await;
    find(&[("state", "DEACTIVATED")], &["kitchen"]).await;
    find(&[("state", "ACTIVE,DEACTIVATED"), ("sort", "slug")], &["front", "kitchen", "lists", "tables"]).await;
    find(&[("parent_uuid", &front)], &["tables", "lists"]).await;
    find(&[("q", "TISCH")], &["tables"]).await;
    find(&[("q", "kit")], &["kitchen"]).await;
    find(&[("q", "%")], &[]).await;
    find(&[("q", "' or 1=1 --")], &[]).await;
    find(&[("sort", "-created_at")], &["kitchen", "lists", "tables", "front"]).await;
}
