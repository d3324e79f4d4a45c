//! Tests of the lists of customer reviews: order, filters, and ratings over time.

use serde_json::{Value, json};

use super::market::{column, errors};
use super::reviews::Desk;

#[tokio::test]
async fn readers_see_customer_reviews_with_a_text_first() {
    let desk = Desk::new().await;
    let mut uuids = Vec::new();
    for (customer, body) in [("venue-1", "Quick."), ("venue-2", ""), ("venue-3", "Calm."), ("venue-4", "")] {
        uuids.push(desk.shown(customer, 4, body).await.0);
    }
    let [quick, stars, calm, later_stars] = [0, 1, 2, 3].map(|place: usize| uuids[place].as_str());
    let mut call = desk.shop("marketplace_listings_list_reviews", &desk.slug).query("limit", "3");
    let first = call.expect(200).await;
    assert_eq!(column(&first, "uuid"), [calm, quick, later_stars]);
    let cursor = first.json["page"]["next_cursor"].as_str().unwrap();
    call = desk.shop("marketplace_listings_list_reviews", &desk.slug).query("limit", "3").query("cursor", cursor);
    assert_eq!(column(&call.expect(200).await, "uuid"), [stars]);
    let bare = desk.shop("marketplace_listings_list_reviews", &desk.slug).query("has_text", "false").expect(200).await;
    assert_eq!(column(&bare, "uuid"), [later_stars, stars]);
    assert_eq!(column(&desk.list(&[("has_text", "true")]).await, "uuid"), [calm, quick]);
    let newest = desk.shop("marketplace_listings_list_reviews", &desk.slug).query("sort", "-written_at");
    assert_eq!(column(&newest.expect(200).await, "uuid"), [later_stars, calm, stars, quick]);
}

#[tokio::test]
async fn customer_reviews_are_filtered_and_sorted_for_readers_and_partner() {
    let desk = Desk::new().await;
    let mut uuids = Vec::new();
    for (customer, rating, body) in [("venue-1", 3, "Küche ruhig."), ("venue-2", 5, "Good."), ("venue-3", 1, "Bad.")] {
        uuids.push(desk.shown(customer, rating, body).await.0);
    }
    let [three, five, one] = [0, 1, 2].map(|place: usize| uuids[place].as_str());
    desk.market
        .harness
        .sql(&format!("update customer_review set locale = 'de-AT' where review_uuid = '{three}'"))
        .await;
    for (name, value, found) in [
        ("sort", "-rating", vec![five, three, one]),
        ("sort", "rating", vec![one, three, five]),
        ("sort", "-written_at", vec![one, five, three]),
        ("rating", "1,3", vec![one, three]),
        ("locale", "de", vec![]),
        ("language", "de", vec![three]),
        ("language", "de-AT", vec![three]),
        ("language", "de-CH", vec![]),
        ("language", "en,de", vec![one, five, three]),
        ("has_text", "true", vec![one, five, three]),
        ("has_text", "false", vec![]),
        ("version_number", "1.0.0", vec![]),
    ] {
        let read = desk.shop("marketplace_listings_list_reviews", &desk.slug).query(name, value).expect(200).await;
        assert_eq!(column(&read, "uuid"), found, "{name}={value}");
        assert_eq!((&read.json["ratings"]["average"], &read.json["ratings"]["count"]), (&json!(3.0), &json!(3)));
        assert_eq!(column(&desk.list(&[(name, value)]).await, "uuid"), found, "{name}={value}");
    }
    assert_eq!(column(&desk.list(&[("q", "KÜCHE")]).await, "uuid"), [three]);
    let moment = desk.list(&[]).await.json["data"][1]["written_at"].as_str().unwrap().to_owned();
    assert_eq!(column(&desk.list(&[("written_at_until", &moment)]).await, "uuid"), [three]);
    assert_eq!(column(&desk.list(&[("written_at_from", &moment), ("sort", "written_at")]).await, "uuid"), [five, one]);
}

#[tokio::test]
async fn ratings_are_reported_over_time_and_by_version() {
    let desk = Desk::new().await;
    let (early, _) = desk.shown("venue-1", 2, "Slow.").await;
    let (late, _) = desk.shown("venue-2", 5, "Fast.").await;
    let harness = &desk.market.harness;
    harness
        .sql(&format!(
            "update customer_review set written_at = '2026-01-31T23:59:59Z' where review_uuid = '{early}';
             update customer_review set written_at = '2026-03-01T00:00:00Z', version_number = '1.0.0'
              where review_uuid = '{late}'"
        ))
        .await;
    let call = || {
        let call = harness.call("marketplace_reviews_get_ratings").path("app_uuid", &desk.app);
        call.token(&desk.market.owner.token)
    };
    let span = [("written_at_from", "2026-01-15T12:00:00Z"), ("written_at_until", "2026-03-01T00:00:01Z")];
    let told = span.iter().fold(call(), |call, (name, value)| call.query(name, value)).expect(200).await;
    assert_eq!((&told.json["now"]["average"], &told.json["now"]["stars"][3]["count"]), (&json!(3.5), &json!(1)));
    let periods = told.json["periods"].as_array().unwrap().iter();
    let periods: Vec<_> =
        periods.map(|period| (period["starts_at"].as_str().unwrap(), period["ratings"]["count"].clone())).collect();
    assert_eq!(
        periods,
        [("2026-01-01T00:00:00Z", json!(1)), ("2026-02-01T00:00:00Z", json!(0)), ("2026-03-01T00:00:00Z", json!(1))]
    );
    let versions = told.json["versions"].as_array().unwrap().iter();
    let versions: Vec<_> = versions.map(|of| (&of["version_number"], &of["is_current_version"])).collect();
    assert_eq!(versions, [(&json!("1.0.0"), &json!(true)), (&Value::Null, &json!(false))]);
    assert_eq!(call().expect(200).await.json["periods"].as_array().unwrap().len(), 12);
    let weeks = span.iter().fold(call().query("interval", "WEEK"), |call, (name, value)| call.query(name, value));
    assert_eq!(weeks.expect(200).await.json["periods"][0]["starts_at"], "2026-01-12T00:00:00Z", "a Monday");
    let days = call().query("interval", "DAY").query("written_at_from", "2020-01-01T00:00:00Z").expect(422).await;
    assert_eq!(errors(&days), [("TOO_MANY", "written_at_until")]);
}
