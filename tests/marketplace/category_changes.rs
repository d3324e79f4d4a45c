//! Tests of changes to the category tree: texts and slugs, moves, activation and deletion.

use futures_util::future::join_all;
use serde_json::{Value, json};

use super::categories::Tree;
use super::market::{Market, allowed, errors};
use crate::harness::{Answer, Call};

impl Tree {
    /// Starts a staff member's call about a category.
    fn about(&self, operation: &str, category: &str) -> Call<'_> {
        self.harness.call(operation).path("category_uuid", category).token(&self.staff.token)
    }

    async fn see(&self, category: &str) -> Answer {
        self.about("marketplace_categories_get", category).expect(200).await
    }

    async fn update(&self, category: &str, body: Value) -> Answer {
        self.about("marketplace_categories_update", category).json(&body).send().await
    }

    async fn relocate(&self, category: &str, parent: Option<&str>, position: Option<i32>) -> Answer {
        let body = json!({ "parent_uuid": parent, "position": position });
        self.about("marketplace_categories_move", category).json(&body).send().await
    }

    async fn delete(&self, category: &str) -> Answer {
        self.about("marketplace_categories_delete", category).send().await
    }

    /// Requests a category from the public operation.
    fn public(&self, slug: &str) -> Call<'_> {
        let call = self.harness.call("marketplace_public_categories_get");
        call.path("category_slug", slug).token(&self.shop.token)
    }
}

#[tokio::test]
async fn patch_updates_texts_by_locale() {
    let tree = Tree::new().await;
    let made = tree.create(json!({ "names": { "en": "Tables", "de": "Tische", "fr": "Tables" }, "icon": "table",
                                   "descriptions": { "en": "Floor plans.", "de": "Pläne." } }));
    let tables = made.await.str("uuid").to_owned();
    let before = tree.see(&tables).await;
    let patch =
        json!({ "names": { "de": "Tischverwaltung", "fr": null, "nl": "Tafels" }, "descriptions": { "de": null } });
    let after = tree.update(&tables, patch.clone()).await;
    assert_eq!(after.json["names"], json!({ "en": "Tables", "de": "Tischverwaltung", "nl": "Tafels" }));
    assert_eq!(after.json["descriptions"], json!({ "en": "Floor plans." }));
    assert_eq!((after.str("slug"), after.str("icon")), ("tables", "table"), "what was left out stays");
    let stale = tree.about("marketplace_categories_update", &tables).header("if-match", before.header("etag"));
    stale.json(&json!({ "icon": null })).expect(412).await;
    let again = tree.update(&tables, patch).await;
    assert_eq!(again.json["updated_at"], after.json["updated_at"], "nothing was changed");
    let emptied = tree.update(&tables, json!({ "icon": null, "descriptions": null })).await;
    assert_eq!((&emptied.json["icon"], &emptied.json["descriptions"]), (&Value::Null, &json!({})));
    for (bad, place) in [
        (json!({ "names": { "en": null } }), "/names/en"),
        (json!({ "names": { "de": "  " } }), "/names/de"),
        (json!({ "slug": null }), "/slug"),
        (json!({ "position": 2 }), "/position"),
    ] {
        let refused = tree.update(&tables, bad.clone()).await;
        assert_eq!((refused.status, errors(&refused)[0].1), (422, place), "{bad}: {}", refused.text());
    }
}

#[tokio::test]
async fn former_slug_redirects_and_stays_reserved() {
    let tree = Tree::new().await;
    let (bars, other) = (tree.add("Bars", None).await, tree.add("Other", None).await);
    for slug in ["pubs", "taverns"] {
        assert_eq!(tree.update(&bars, json!({ "slug": slug })).await.status, 200);
    }
    assert_eq!(tree.see(&bars).await.json["former_slugs"], json!(["pubs", "bars"]));
    for former in ["bars", "pubs"] {
        let moved = tree.public(former).query("locale", "de-AT").expect(308).await;
        assert_eq!(moved.header("location"), "/v1/marketplace/public/categories/taverns?locale=de-AT");
    }
    tree.public("taverns").expect(200).await;
    for taken in [
        tree.create(json!({ "names": { "en": "Bars" }, "slug": "bars" })).await,
        tree.update(&other, json!({ "slug": "pubs" })).await,
        tree.update(&other, json!({ "slug": "taverns" })).await,
    ] {
        assert_eq!((taken.status, errors(&taken)), (409, vec![("TAKEN", "/slug")]), "{}", taken.text());
    }
    assert_eq!(tree.update(&bars, json!({ "slug": "bars" })).await.str("slug"), "bars", "its own it may take back");
    assert_eq!(tree.public("taverns").expect(308).await.header("location"), "/v1/marketplace/public/categories/bars");
    // If two callers rename categories to the same slug at once, only one succeeds, even if both saw it free
    // (If-Match).
    let rename = async |category: &str| {
        let tag = tree.see(category).await.header("etag").to_owned();
        let call = tree.about("marketplace_categories_update", category).header("if-match", &tag);
        call.json(&json!({ "slug": "inns" })).send().await.status
    };
    let (one, two) = tokio::join!(rename(&bars), rename(&other));
    let mut statuses = [one, two];
    statuses.sort_unstable();
    assert_eq!(statuses, [200, 409]);
    tree.deactivate(&bars, json!({})).await;
    let hidden = tree.public("pubs").send().await;
    assert_eq!((hidden.status, hidden.code()), (404, "NOT_FOUND"), "an address leads to nothing that is hidden");
}

#[tokio::test]
async fn category_moves_with_its_subtree() {
    let tree = Tree::new().await;
    let front = tree.add("Front", None).await;
    let tables = tree.add("Tables", Some(&front)).await;
    let plans = tree.add("Plans", Some(&tables)).await;
    let lists = tree.add("Lists", Some(&front)).await;
    let kitchen = tree.add("Kitchen", None).await;
    let stock = tree.add("Stock", Some(&kitchen)).await;
    let moved = tree.relocate(&tables, Some(&kitchen), Some(1)).await;
    assert_eq!((moved.status, &moved.json["position"], &moved.json["depth"]), (200, &json!(1), &json!(1)));
    assert_eq!(tree.shown().await, "front(lists) kitchen(tables(plans) stock)");
    let places = [tree.see(&lists).await.json["position"].clone(), tree.see(&stock).await.json["position"].clone()];
    assert_eq!(places, [1, 2], "those it left and those it joined are numbered anew");
    tree.relocate(&front, None, None).await;
    assert_eq!(tree.shown().await, "kitchen(tables(plans) stock) front(lists)", "without a place it comes last");
    tree.relocate(&stock, Some(&kitchen), Some(1)).await;
    assert_eq!(tree.shown().await, "kitchen(stock tables(plans)) front(lists)");

    let shelf = tree.add("Shelf", Some(&plans)).await;
    let hidden = tree.add("Hidden", None).await;
    tree.deactivate(&hidden, json!({})).await;
    let nowhere = "0198d000-0000-7000-8000-000000000001";
    for (category, parent, code) in [
        (&tables, tables.as_str(), "CYCLE"),
        (&kitchen, &shelf, "CYCLE"),
        (&tables, &lists, "TOO_DEEP"),
        (&front, &shelf, "TOO_DEEP"),
        (&front, &hidden, "DEACTIVATED"),
        (&front, nowhere, "UNKNOWN_CATEGORY"),
    ] {
        let refused = tree.relocate(category, Some(parent), None).await;
        assert_eq!((refused.status, errors(&refused)), (422, vec![(code, "/parent_uuid")]), "{}", refused.text());
    }
    let gone = tree.relocate(&hidden, Some(&kitchen), None).await;
    assert_eq!((gone.status, gone.str("state")), (200, "DEACTIVATED"), "what is hidden moves and stays hidden");
}

#[tokio::test]
async fn random_concurrent_moves_keep_a_valid_tree() {
    let tree = Tree::new().await;
    let mut categories: Vec<String> = Vec::new();
    for number in 0..24_usize {
        let parent = (number % 4 > 0).then(|| categories[number - 1].clone());
        categories.push(tree.add(&format!("Category {number}"), parent.as_deref()).await);
    }
    let writer = async |mut seed: u64| {
        // Numbers of a linear congruential generator: a different sequence for each writer, the same in every run.
        let mut below = |most: u64| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            usize::try_from((seed >> 33) % most).unwrap()
        };
        let mut moved = 0;
        for _ in 0..25 {
            let (category, parent) = (&categories[below(24)], categories.get(below(30)));
            let position = i32::try_from(below(6)).ok().filter(|position| *position > 0);
            let answer = tree.relocate(category, parent.map(String::as_str), position).await;
            match answer.status {
                200 => moved += 1,
                422 => assert!(["CYCLE", "TOO_DEEP"].contains(&errors(&answer)[0].0), "{}", answer.text()),
                _ => panic!("{}: {}", answer.status, answer.text()),
            }
        }
        moved
    };
    let moved: i32 = join_all((1..=8).map(writer)).await.into_iter().sum();
    assert!(moved > 60, "only {moved} of 200 moves were possible");
    let number = async |query: &str| tree.harness.number(query).await;
    assert_eq!(number("select count(*) from category_place").await, 24, "each hangs on the root");
    assert!(number("select max(depth)::bigint from category_place").await <= 3);
    let misnumbered = "select count(*) from (
            select position, row_number() over (partition by parent_uuid order by position) as place from category) as c
        where position <> place";
    assert_eq!(number(misnumbered).await, 0, "siblings are numbered from 1");
}

#[tokio::test]
async fn activated_category_is_shown_unless_ancestor_is_hidden() {
    let tree = Tree::new().await;
    let front = tree.add("Front", None).await;
    let tables = tree.add("Tables", Some(&front)).await;
    for category in [&tables, &front] {
        assert_eq!(tree.deactivate(category, json!({})).await.status, 200);
    }
    let shown = tree.about("marketplace_categories_activate", &tables).expect(200).await;
    assert_eq!((shown.str("state"), tree.shown().await.as_str()), ("ACTIVE", ""));
    tree.about("marketplace_categories_activate", &front).expect(200).await;
    assert_eq!(tree.shown().await, "front(tables)");
    let refused = tree.about("marketplace_categories_activate", &front).expect(409).await;
    assert_eq!((refused.code(), allowed(&refused)), ("ILLEGAL_TRANSITION", vec!["deactivate", "move"]));
}

#[tokio::test]
async fn only_unused_category_can_be_deleted() {
    let tree = Tree::new().await;
    let front = tree.add("Front", None).await;
    let tables = tree.add("Tables", Some(&front)).await;
    let kitchen = tree.add("Kitchen", None).await;
    tree.deactivate(&tables, json!({})).await;
    let refused = tree.delete(&front).await;
    assert_eq!((refused.status, refused.code()), (409, "CONFLICT"), "a deactivated one is beneath it");
    assert_eq!(tree.delete(&tables).await.status, 204);
    assert_eq!(tree.update(&front, json!({ "slug": "lobby" })).await.status, 200);
    assert_eq!(tree.delete(&front).await.status, 204);
    assert_eq!(tree.see(&kitchen).await.json["position"], 1, "those behind it move up");
    for slug in ["front", "lobby"] {
        tree.public(slug).expect(404).await;
    }
    tree.add("Front", None).await;
    tree.about("marketplace_categories_get", &front).expect(404).await;
    let recorded = "select count(*) from audit_log where operation = 'marketplace_categories_delete'
                       and outcome = 'SUCCEEDED' and target_label = 'lobby'";
    assert_eq!(tree.harness.number(recorded).await, 1);
}

#[tokio::test]
async fn category_cannot_be_deleted_while_an_app_chooses_it() {
    let market = Market::new().await;
    let app = market.app("Table Pilot").await;
    for round in 0..6 {
        let body = json!({ "names": { "en": format!("Round {round}") } });
        let call = market.harness.call("marketplace_categories_create").token(&market.staff.token);
        let category = call.json(&body).expect(201).await.str("uuid").to_owned();
        let delete = market.harness.call("marketplace_categories_delete").path("category_uuid", &category);
        let choose = market.harness.call("marketplace_apps_put_categories").path("app_uuid", &app);
        let choice = json!({ "primary_category_uuid": category });
        let (deleted, chosen) = tokio::join!(
            delete.token(&market.staff.token).send(),
            choose.token(&market.owner.token).json(&choice).send()
        );
        let both = (deleted.status, chosen.status);
        assert!([(204, 422), (409, 200)].contains(&both), "{both:?}: {} {}", deleted.text(), chosen.text());
    }
}

#[tokio::test]
async fn category_page_shows_its_path_and_subtree() {
    let tree = Tree::new().await;
    let mut parent = tree.add("Level one", None).await;
    for name in ["Level two", "Level three", "Level four"] {
        parent = tree.add(name, Some(&parent)).await;
    }
    tree.update(&parent, json!({ "names": { "de": "Ebene vier" } })).await;
    let second = tree.public("level-two").query("locale", "de").expect(200).await;
    assert_eq!(
        second.json["path"],
        json!([{ "slug": "level-one", "name": "Level one" }, { "slug": "level-two", "name": "Level two" }])
    );
    let third = &second.json["children"][0];
    assert_eq!((&third["slug"], &third["children"][0]["name"]), (&json!("level-three"), &json!("Ebene vier")));
    assert_eq!(third["children"][0]["children"], json!([]), "children are there at every depth");
    let fourth = tree.public("level-four").expect(200).await;
    assert_eq!((&fourth.json["children"], fourth.json["path"].as_array().unwrap().len()), (&json!([]), 4));
    let whole = tree.harness.call("marketplace_public_categories_list").token(&tree.shop.token).expect(200).await;
    let lowest = &whole.json["data"][0]["children"][0]["children"][0]["children"][0];
    assert_eq!((&lowest["slug"], &lowest["children"]), (&json!("level-four"), &json!([])));
    tree.public("nowhere").expect(404).await;
}

#[tokio::test]
async fn changed_count_does_not_fail_precondition() {
    let market = Market::new().await;
    let about = |operation: &str| {
        market.harness.call(operation).path("category_uuid", &market.category).token(&market.staff.token)
    };
    let read = about("marketplace_categories_get").expect(200).await;
    market.app("Table Pilot").await;
    let again = about("marketplace_categories_get").header("if-none-match", read.header("etag")).expect(200).await;
    assert_ne!((&again.json["apps_count"], again.header("etag")), (&read.json["apps_count"], read.header("etag")));
    let update = |icon: &str| {
        let body = json!({ "icon": icon });
        about("marketplace_categories_update").header("if-match", read.header("etag")).json(&body)
    };
    update("table").expect(200).await;
    assert_eq!(update("till").expect(412).await.code(), "PRECONDITION_FAILED", "what somebody wrote since does");
}
