//! Tests of curated collections: management by staff, and the public view.

use futures_util::future::join_all;
use serde_json::{Value, json};

use super::market::{Market, column, errors, finds};
use crate::harness::people::{Person, Program};
use crate::harness::{Answer, Call};

/// A marketplace, a staff member who manages its collections, and a storefront client.
struct Window {
    market: Market,
    curator: Person,
    shop: Program,
}

impl Window {
    async fn new() -> Self {
        let market = Market::new().await;
        let curator = market.harness.staff("Cora Kuratorin", &["labs.admin.storefront:write"]).await;
        let shop = market.harness.program("storefront", &["storefront"], None).await;
        Self { market, curator, shop }
    }

    async fn create(&self, body: Value) -> Answer {
        self.market.harness.call("marketplace_collections_create").token(&self.curator.token).json(&body).send().await
    }

    /// Creates a published collection with this title and these listings.
    async fn shown(&self, title: &str, listings: &[&str]) -> String {
        let body = json!({ "titles": { "en": title }, "listings": listings, "shown_from": "2020-01-01T00:00:00Z" });
        let made = self.create(body).await;
        assert_eq!(made.status, 201, "{}", made.text());
        made.str("uuid").to_owned()
    }

    fn list(&self) -> Call<'_> {
        self.market.harness.call("marketplace_collections_list").token(&self.curator.token)
    }

    fn about(&self, operation: &str, collection: &str) -> Call<'_> {
        self.market.harness.call(operation).path("collection_uuid", collection).token(&self.curator.token)
    }

    async fn update(&self, collection: &str, body: Value) -> Answer {
        self.about("marketplace_collections_update", collection).json(&body).send().await
    }

    async fn delete(&self, collection: &str) {
        self.about("marketplace_collections_delete", collection).expect(204).await;
    }

    /// A call that lists the public collections.
    fn public(&self) -> Call<'_> {
        self.market.harness.call("marketplace_public_collections_list").token(&self.shop.token)
    }

    /// A call that returns one public collection.
    fn one(&self, slug: &str) -> Call<'_> {
        let call = self.market.harness.call("marketplace_public_collections_get");
        call.path("collection_slug", slug).token(&self.shop.token)
    }

    /// Performs an action on a listed app as its owner.
    async fn owner(&self, operation: &str, app: &str) {
        self.market.harness.call(operation).path("app_uuid", app).token(&self.market.owner.token).expect(200).await;
    }
}

/// Returns the slugs of a collection's listings.
fn held(collection: &Value) -> Vec<&str> {
    let listings = collection["listings"].as_array().unwrap().iter();
    listings.map(|listing| listing["slug"].as_str().unwrap()).collect()
}

#[tokio::test]
async fn collection_shows_visible_listings_in_order() {
    let window = Window::new().await;
    let (till, till_slug) = window.market.listed("Till").await;
    let (_, menu) = window.market.listed("Menu").await;
    let (table, table_slug) = window.market.listed("Table").await;
    let garden = window.shown("Beer garden", &[&menu, &table, &till_slug]).await;
    let all = [menu.as_str(), table_slug.as_str(), till_slug.as_str()];
    finds(|| window.one("beer-garden"), ("slug", 1), &[], &all).await;

    window.owner("marketplace_apps_unlist", &table).await;
    finds(|| window.one("beer-garden"), ("slug", 1), &[], &[&menu, &till_slug]).await;
    let (list, one) = (window.public().expect(200).await, window.one("beer-garden").expect(200).await);
    let first = &list.json["data"][0];
    assert_eq!((held(first), &first["listings_count"]), (vec![menu.as_str(), &till_slug], &json!(2)));
    assert_eq!((&first["listings"], &one.json["listings_count"]), (&one.json["data"], &json!(2)));
    let found = window.market.harness.call("marketplace_listings_search").token(&window.shop.token).expect(200).await;
    let found = found.json["data"].as_array().unwrap();
    for listing in one.json["data"].as_array().unwrap() {
        assert!(found.contains(listing), "a listing here is what the search shows of it: {listing}");
    }
    let staff = window.list().expect(200).await;
    assert_eq!(held(&staff.json["data"][0]), all, "a hidden listing keeps its place");
    assert_eq!(staff.json["data"][0]["listings"][1]["visible"], json!(false));

    let changed = window.update(&garden, json!({ "listings": [till, menu] })).await;
    assert_eq!(held(&changed.json), [till_slug.as_str(), &menu]);
    window.owner("marketplace_apps_relist", &table).await;
    finds(|| window.one("beer-garden"), ("slug", 1), &[], &[&till_slug, &menu]).await;
}

#[tokio::test]
async fn home_page_shows_twelve_listings_per_collection() {
    let window = Window::new().await;
    let mut slugs = Vec::new();
    for number in 0..13 {
        slugs.push(window.market.listed(&format!("App {number}")).await.1);
    }
    let slugs: Vec<&str> = slugs.iter().map(String::as_str).collect();
    window.shown("Everything", &slugs).await;
    let list = window.public().expect(200).await;
    let everything = &list.json["data"][0];
    assert_eq!((held(everything).as_slice(), &everything["listings_count"]), (&slugs[..12], &json!(13)));
}

#[tokio::test]
async fn unknown_and_duplicate_listings_are_rejected() {
    let window = Window::new().await;
    let (till, slug) = window.market.listed("Till").await;
    let draft = window.market.app("Never listed").await;
    let refused = window.create(json!({
        "titles": { "en": "Tills" },
        "listings": [slug, till, draft, "nothing"],
        "shown_from": "2026-04-01T00:00:00Z",
        "shown_until": "2026-04-01T00:00:00Z",
    }));
    let refused = refused.await;
    assert_eq!(
        (refused.status, errors(&refused)),
        (
            422,
            vec![
                ("NOT_LATER", "/shown_until"),
                ("DUPLICATE", "/listings/1"),
                ("UNKNOWN_LISTING", "/listings/2"),
                ("UNKNOWN_LISTING", "/listings/3"),
            ]
        )
    );
    let blank = window.create(json!({ "titles": { "en": "Tills", "de": "  " } })).await;
    assert_eq!((blank.status, errors(&blank)), (422, vec![("BLANK", "/titles/de")]));
    let many = vec![slug.as_str(); 101];
    let refused = window.create(json!({ "titles": { "en": "Tills" }, "listings": many })).await;
    assert_eq!((refused.status, errors(&refused)[0].1), (422, "/listings"));
    let tills = window.shown("Tills", &[&slug]).await;
    let refused = window.update(&tills, json!({ "titles": { "de": "Kassen" }, "listings": ["nothing"] })).await;
    assert_eq!((refused.status, errors(&refused)), (422, vec![("UNKNOWN_LISTING", "/listings/0")]));
    assert_eq!(window.list().expect(200).await.json["data"][0]["titles"], json!({ "en": "Tills" }), "nothing was done");
}

#[tokio::test]
async fn collection_is_visible_only_in_its_time_window() {
    let window = Window::new().await;
    let harness = &window.market.harness;
    let until = |seconds: i64| json!(harness.clock.now().plus_seconds(seconds).to_string());
    let made = window.create(json!({ "titles": { "en": "Easter" } })).await;
    let easter = made.str("uuid").to_owned();
    assert_eq!(
        (&made.json["shown_from"], &made.json["on_show"]),
        (&Value::Null, &json!(false)),
        "it is prepared first"
    );
    let is_seen = async |expected: bool| {
        let status = if expected { 200 } else { 404 };
        window.one("easter").expect(status).await;
        let seen = window.public().expect(200).await;
        assert_eq!(column(&seen, "slug").len(), usize::from(expected));
        let on_show = window.list().query("on_show", expected).expect(200).await;
        assert_eq!(column(&on_show, "slug"), ["easter"]);
        assert_eq!(on_show.json["data"][0]["on_show"], json!(expected));
    };
    is_seen(false).await;
    window.update(&easter, json!({ "shown_from": until(60), "shown_until": until(120) })).await;
    is_seen(false).await;
    harness.advance(90).await;
    is_seen(true).await;
    harness.advance(60).await;
    is_seen(false).await;
    window.update(&easter, json!({ "shown_until": null })).await;
    is_seen(true).await;
    window.update(&easter, json!({ "shown_from": null })).await;
    is_seen(false).await;
}

#[tokio::test]
async fn former_slug_redirects_and_stays_reserved() {
    let window = Window::new().await;
    let (garden, other) = (window.shown("Summer", &[]).await, window.shown("Other", &[]).await);
    let renamed = window.update(&garden, json!({ "slug": "beer-garden" })).await;
    assert_eq!(renamed.json["former_slugs"], json!(["summer"]));
    let moved = window.one("summer").query("locale", "de").expect(308).await;
    assert_eq!(moved.header("location"), "/v1/marketplace/public/collections/beer-garden?locale=de");
    // If two callers take the same slug at once, only one succeeds.
    let [one, two] = [&garden, &other].map(|collection| window.update(collection, json!({ "slug": "inns" })));
    let (one, two) = tokio::join!(one, two);
    let mut statuses = [one.status, two.status];
    statuses.sort_unstable();
    assert_eq!(statuses, [200, 409]);
    window.update(&garden, json!({ "shown_from": null })).await;
    window.one("summer").expect(404).await;

    window.delete(&garden).await;
    for taken in ["summer", "beer-garden"] {
        let refused = window.create(json!({ "titles": { "en": "Another" }, "slug": taken })).await;
        assert_eq!((refused.status, errors(&refused)), (409, vec![("TAKEN", "/slug")]), "{}", refused.text());
        window.one(taken).expect(404).await;
    }
    let derived = window.create(json!({ "titles": { "en": "Summer" } })).await;
    assert!(derived.status == 201 && derived.str("slug").starts_with("summer-"), "{}", derived.text());
    window.about("marketplace_collections_delete", &garden).expect(404).await;
    let recorded = "select count(*) from audit_log where operation = 'marketplace_collections_delete'
                       and outcome = 'SUCCEEDED' and target_kind = 'COLLECTION' and target_uuid is not null";
    assert_eq!(window.market.harness.number(recorded).await, 1);
}

#[tokio::test]
async fn staff_reorder_filter_and_edit_collections() {
    let window = Window::new().await;
    let (till, slug) = window.market.listed("Till").await;
    let mut collections = Vec::new();
    for (title, listings) in [("Alpha", vec![]), ("Beta", vec![slug.as_str()]), ("Gamma", vec![])] {
        collections.push(window.shown(title, &listings).await);
    }
    let orders = async || column(&window.public().expect(200).await, "slug").join(" ");
    assert_eq!(orders().await, "alpha beta gamma", "without a place it comes last");
    window.update(&collections[2], json!({ "position": 1 })).await;
    assert_eq!(orders().await, "gamma alpha beta");
    let moved = window.update(&collections[2], json!({ "position": 9_999 })).await;
    assert_eq!((orders().await.as_str(), &moved.json["position"]), ("alpha beta gamma", &json!(3)));
    let body = json!({ "titles": { "en": "Delta" }, "position": 2, "shown_from": "2020-01-01T00:00:00Z" });
    assert_eq!(window.create(body).await.status, 201);
    assert_eq!(orders().await, "alpha delta beta gamma");
    window.delete(&collections[0]).await;
    let list = window.list().expect(200).await;
    let positions: Vec<&Value> = list.json["data"].as_array().unwrap().iter().map(|one| &one["position"]).collect();
    assert_eq!(positions, [1, 2, 3], "those behind it move up");
    let find = || window.list().query("include_total", true);
    finds(find, ("slug", 1), &[("q", "ELT")], &["delta"]).await;
    finds(find, ("slug", 1), &[("app_uuid", &till)], &["beta"]).await;

    let beta = &collections[1];
    let said = json!({ "titles": { "de": "Zweite", "en": "Second" }, "descriptions": { "de": "Worte." } });
    let changed = window.update(beta, said.clone()).await;
    let again = window.update(beta, said).await;
    assert_eq!(again.json["updated_at"], changed.json["updated_at"], "nothing was changed");
    let read = window.one("beta").query("locale", "de-AT").expect(200).await;
    assert_eq!((read.str("title"), read.str("description")), ("Zweite", "Worte."));
    let read = window.one("beta").query("locale", "fr").expect(200).await;
    assert_eq!((read.str("title"), &read.json["description"]), ("Second", &Value::Null));
    for (bad, place) in [(json!({ "titles": { "en": null } }), "/titles/en"), (json!({ "slug": null }), "/slug")] {
        let refused = window.update(beta, bad).await;
        assert_eq!((refused.status, errors(&refused)[0].1), (422, place), "{}", refused.text());
    }
}

#[tokio::test]
async fn concurrent_reorders_leave_one_order() {
    let window = Window::new().await;
    let titles: Vec<String> = (0..6).map(|number| format!("Collection {number}")).collect();
    let collections = join_all(titles.iter().map(|title| window.shown(title, &[]))).await;
    let places = (0..24_usize).map(|number| (&collections[number % 6], 1 + number * 5 % 7));
    let moves = places.map(|(collection, place)| window.update(collection, json!({ "position": place })));
    for moved in join_all(moves).await {
        assert_eq!(moved.status, 200, "{}", moved.text());
    }
    let misnumbered = "select count(*) from (
            select position, row_number() over (order by position) as place from collection) as c where position <> place";
    assert_eq!(window.market.harness.number(misnumbered).await, 0, "they are numbered from 1");
}

#[tokio::test]
async fn concurrent_update_with_stale_revision_is_rejected() {
    let window = Window::new().await;
    let (_, till) = window.market.listed("Till").await;
    let (_, menu) = window.market.listed("Menu").await;
    let season = window.shown("Season", &[&till, &menu]).await;
    let present = || async { window.list().expect(200).await.json["data"][0].clone() };
    let revision = |collection: &Value| format!("\"{}\"", collection["revision"].as_str().unwrap());
    let update = |tag: &str, body: Value| {
        window.about("marketplace_collections_update", &season).header("if-match", tag).json(&body)
    };

    let read = revision(&present().await);
    let same = update(&read, json!({ "titles": { "en": "Season" } })).expect(200).await;
    assert!(same.header("etag").starts_with(read.trim_end_matches('"')), "nothing is other: {}", same.header("etag"));
    let first = update(&read, json!({ "listings": [&menu, &till] })).expect(200).await;
    let late = [
        update(&read, json!({ "titles": { "en": "Summer" } })),
        window.about("marketplace_collections_delete", &season).header("if-match", read.as_str()),
    ];
    for call in late {
        let refused = call.send().await;
        assert_eq!((refused.status, refused.code()), (412, "PRECONDITION_FAILED"));
    }
    let now = present().await;
    assert_eq!((held(&now), &now["titles"]["en"]), (vec![menu.as_str(), till.as_str()], &json!("Season")));

    // A listing that its owner hides does not change the collection's ETag. If several callers write concurrently with
    // the same ETag, only one succeeds.
    window.owner("marketplace_apps_unlist", now["listings"][0]["app_uuid"].as_str().unwrap()).await;
    let tag = first.header("etag").to_owned();
    let writers = (0..6).map(|n| update(&tag, json!({ "titles": { "en": format!("Summer {n}") } })).send());
    let statuses: Vec<u16> = join_all(writers).await.iter().map(|answer| answer.status).collect();
    let count = |wanted: u16| statuses.iter().filter(|status| **status == wanted).count();
    assert_eq!((count(200), count(412)), (1, 5), "{statuses:?}");

    let read = revision(&present().await);
    assert_eq!(window.create(json!({ "titles": { "en": "Winter" }, "position": 1 })).await.status, 201);
    let moved = update(&read, json!({ "position": 1 })).send().await;
    assert_eq!(moved.status, 412, "whoever puts one before it moves it: {}", moved.text());
}
