//! Tests of customer reviews: submit, moderate, replace, reply, flag, report and erase.

use serde_json::{Value, json};

use super::market::{Market, column, errors};
use crate::harness::people::Person;
use crate::harness::{Answer, Call};

/// A market with a published app, a storefront client that vouches for customers, and a moderator.
pub(super) struct Desk {
    pub(super) market: Market,
    pub(super) app: String,
    pub(super) slug: String,
    pub(super) storefront: String,
    moderator: Person,
}

impl Desk {
    pub(super) async fn new() -> Self {
        let market = Market::new().await;
        let (app, slug) = market.listed("Table Pilot").await;
        let storefront = market.harness.program("storefront", &["storefront:write"], None).await.token;
        let moderator = market.harness.staff("Mo Moderator", &["labs.admin.reviews:write"]).await;
        Self { market, app, slug, storefront, moderator }
    }

    /// A storefront call about a listing.
    pub(super) fn shop(&self, operation: &str, slug: &str) -> Call<'_> {
        self.market.harness.call(operation).path("listing_slug", slug).token(&self.storefront)
    }

    pub(super) async fn submit_to(&self, slug: &str, customer: &str, rating: i64, body: &str) -> Answer {
        let body = Some(body).filter(|body| !body.is_empty());
        let body = json!({ "customer_reference": customer, "rating": rating, "body": body, "locale": "en" });
        self.shop("marketplace_listings_submit_review", slug).json(&body).send().await
    }

    async fn submit(&self, customer: &str, rating: i64, body: &str) -> Answer {
        self.submit_to(&self.slug, customer, rating, body).await
    }

    pub(super) async fn approve(&self, review: &str, text: &str) -> Answer {
        let call = self.market.harness.call("marketplace_moderation_approve_review").path("review_uuid", review);
        call.token(&self.moderator.token).json(&json!({ "text_uuid": text })).send().await
    }

    pub(super) async fn reject(&self, review: &str, text: &str, reason: &str) -> Answer {
        let call = self.market.harness.call("marketplace_moderation_reject_review").path("review_uuid", review);
        call.token(&self.moderator.token).json(&json!({ "text_uuid": text, "reason": reason })).send().await
    }

    /// Submits a customer review and approves it; returns the ids of the review and its text.
    pub(super) async fn shown(&self, customer: &str, rating: i64, body: &str) -> (String, String) {
        let handed = self.submit(customer, rating, body).await;
        let (review, text) = (handed.str("uuid").to_owned(), text(&handed, "waiting"));
        assert_eq!(self.approve(&review, &text).await.status, 200);
        (review, text)
    }

    async fn report(&self, review: &str, customer: &str) -> Answer {
        let body = json!({ "customer_reference": customer, "reason": "ABUSIVE" });
        let call = self.market.harness.call("marketplace_listings_report_review").path("review_uuid", review);
        call.token(&self.storefront).json(&body).send().await
    }

    /// A partner's call about a customer review.
    fn own(&self, operation: &str, review: &str) -> Call<'_> {
        let call = self.market.harness.call(operation).path("app_uuid", &self.app).path("review_uuid", review);
        call.token(&self.market.owner.token)
    }

    async fn reply(&self, review: &str, body: &str) -> Answer {
        self.own("marketplace_reviews_put_reply", review).json(&json!({ "body": body })).send().await
    }

    async fn flag(&self, review: &str) -> Answer {
        self.own("marketplace_reviews_flag", review).json(&json!({ "reason": "OFF_TOPIC" })).send().await
    }

    /// Returns the public customer reviews.
    async fn read(&self) -> Answer {
        self.shop("marketplace_listings_list_reviews", &self.slug).expect(200).await
    }

    /// Returns the customer reviews that the partner sees with a filter.
    pub(super) async fn list(&self, filter: &[(&str, &str)]) -> Answer {
        let call = self.market.harness.call("marketplace_reviews_list").path("app_uuid", &self.app);
        let call = filter.iter().fold(call, |call, (name, value)| call.query(name, value));
        call.token(&self.market.owner.token).expect(200).await
    }

    /// Returns the customer reviews that moderators see with a filter.
    async fn queue(&self, filter: &[(&str, &str)]) -> Answer {
        let call = self.market.harness.call("marketplace_moderation_list_reviews").token(&self.moderator.token);
        filter.iter().fold(call, |call, (name, value)| call.query(name, value)).expect(200).await
    }

    /// Returns the rating on the listing: mean and count.
    async fn rating(&self) -> (Value, Value) {
        let seen = self.shop("marketplace_listings_get", &self.slug).expect(200).await;
        (seen.json["rating"]["average"].clone(), seen.json["rating"]["count"].clone())
    }
}

/// Returns the id of the text at this place of a response.
pub(super) fn text(answer: &Answer, place: &str) -> String {
    answer.json[place]["text_uuid"].as_str().unwrap_or_else(|| panic!("{place}: {}", answer.text())).to_owned()
}

#[tokio::test]
async fn customer_has_one_pseudonymous_review_per_app() {
    let desk = Desk::new().await;
    let first = desk.submit("venue-7f3a9c", 3, "Fine.").await;
    let place = format!("/v1/marketplace/public/listings/{}/reviews", desk.slug);
    assert_eq!((first.status, first.str("state"), first.header("location")), (201, "PENDING", place.as_str()));
    let again = desk.submit("venue-7f3a9c", 3, "  Fine. ").await;
    assert_eq!((again.status, &again.json["waiting"]), (200, &first.json["waiting"]), "the same words change nothing");
    let other = desk.submit("venue-7f3a9c", 4, "Better.").await;
    assert_eq!((other.status, other.str("uuid")), (200, first.str("uuid")));
    assert_ne!(text(&other, "waiting"), text(&first, "waiting"));
    assert_eq!(desk.submit("venue-000001", 5, "Good.").await.status, 201);
    let harness = &desk.market.harness;
    let mut owner = harness.owner().await;
    let tables = "select relname::text from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace";
    for table in sqlx::query_scalar::<_, String>(tables).fetch_all(&mut owner).await.unwrap() {
        let named = format!("select count(*) from {table} as kept where kept::text like '%7f3a9c%'");
        assert_eq!(harness.number(&named).await, 0, "{table} names the customer");
    }
}

#[tokio::test]
async fn unbound_clients_submit_customer_reviews_for_visible_listings() {
    let desk = Desk::new().await;
    let harness = &desk.market.harness;
    let body = json!({ "customer_reference": "venue-1", "rating": 3, "locale": "en", "version_number": "9.9.9" });
    let call = || desk.shop("marketplace_listings_submit_review", &desk.slug);
    let unknown = call().json(&body).expect(422).await;
    assert_eq!(errors(&unknown), [("UNKNOWN_VERSION", "/version_number")]);
    let bound = harness.program("till", &["storefront:write"], desk.market.owner.partner_uuid).await;
    let body = json!({ "customer_reference": "venue-1", "rating": 5, "locale": "en", "version_number": "1.0.0" });
    let submit = harness.call("marketplace_listings_submit_review").path("listing_slug", &desk.slug);
    assert_eq!(submit.token(&bound.token).json(&body).expect(403).await.code(), "SCOPE_MISSING");
    let handed = call().json(&body).expect(201).await;
    assert_eq!(desk.report(handed.str("uuid"), "venue-2").await.status, 404, "it is not shown yet");
    desk.approve(handed.str("uuid"), &text(&handed, "waiting")).await;
    assert_eq!(desk.read().await.json["data"][0]["is_current_version"], json!(true));
    harness.sql("update listing set visible = false").await;
    assert_eq!(call().json(&body).send().await.status, 404);
    assert_eq!(desk.report(handed.str("uuid"), "venue-2").await.status, 404);
}

#[tokio::test]
async fn concurrent_first_texts_create_one_customer_review() {
    let desk = Desk::new().await;
    let (one, other) = tokio::join!(desk.submit("venue-1", 1, "One."), desk.submit("venue-1", 2, "Other."));
    let mut statuses = [one.status, other.status];
    statuses.sort_unstable();
    assert_eq!(statuses, [200, 201], "{} {}", one.text(), other.text());
    assert_eq!(desk.market.harness.number("select count(*) from customer_review").await, 1);
}

#[tokio::test]
async fn published_text_stays_until_newer_text_is_approved() {
    let desk = Desk::new().await;
    let (review, former) = desk.shown("venue-1", 2, "No waiting list.").await;
    assert_eq!(desk.rating().await, (json!(2.0), json!(1)));
    assert_eq!(desk.reply(&review, "It comes in spring.").await.status, 201);
    assert_eq!(desk.flag(&review).await.json["flag"]["outcome"], "OPEN");
    let replaced = desk.submit("venue-1", 5, "Now it has one.").await;
    assert_eq!((text(&replaced, "shown"), replaced.str("state")), (former.clone(), "PUBLISHED"));
    let newer = text(&replaced, "waiting");
    assert_eq!(desk.rating().await, (json!(2.0), json!(1)), "not before it is approved");
    assert_eq!(column(&desk.read().await, "body"), ["No waiting list."]);
    let approved = desk.approve(&review, &newer).await;
    assert_eq!((approved.status, text(&approved, "shown")), (200, newer.clone()));
    assert_eq!(desk.rating().await, (json!(5.0), json!(1)));
    let seen = desk.list(&[]).await.json["data"][0].clone();
    assert_eq!(seen["reply"]["to_earlier_text"], json!(true));
    assert_eq!(seen["flag"]["outcome"], "OPEN", "it is asked again of the new text");
    let stale = desk.reject(&review, &former, "SPAM").await;
    assert_eq!((stale.status, stale.code(), errors(&stale)), (409, "CONFLICT", vec![("SUPERSEDED", "/text_uuid")]));
    let outcomes = desk.queue(&[("review_uuid", &review)]).await.json["data"][0]["texts"].clone();
    let outcomes: Vec<&Value> = outcomes.as_array().unwrap().iter().map(|text| &text["outcome"]).collect();
    assert_eq!(outcomes, ["SHOWN", "FORMER"]);
    let third = desk.submit("venue-1", 1, "Broken again.").await;
    assert_eq!(desk.reject(&review, &text(&third, "waiting"), "ABUSIVE").await.str("state"), "PUBLISHED");
    assert_eq!(column(&desk.read().await, "body"), ["Now it has one."]);
    let back = desk.submit("venue-1", 1, "Broken again.").await;
    assert_eq!(back.json["waiting"], Value::Null, "what was refused is not judged twice");
    desk.submit("venue-1", 4, "Slow.").await;
    let back = desk.submit("venue-1", 5, "Now it has one.").await;
    assert_eq!(back.json["waiting"], Value::Null, "what is shown takes back what waits");
}

#[tokio::test]
async fn reply_can_be_replaced_and_deleted_with_history_for_staff() {
    let desk = Desk::new().await;
    let (review, _) = desk.shown("venue-1", 2, "Slow.").await;
    assert_eq!(column(&desk.list(&[("answered", "false")]).await, "uuid"), [review.as_str()]);
    let first = desk.reply(&review, "We are on it.").await;
    let place = format!("/v1/marketplace/apps/{}/reviews/{review}/reply", desk.app);
    assert_eq!((first.status, first.header("location")), (201, place.as_str()));
    let second = desk.reply(&review, "It is fast now.").await;
    assert_eq!((second.status, &second.json["reply"]["body"]), (200, &json!("It is fast now.")));
    assert_eq!(desk.read().await.json["data"][0]["reply"]["body"], "It is fast now.");
    assert_eq!(errors(&desk.reply(&review, "  ").await), [("LENGTH", "/body")]);
    desk.own("marketplace_reviews_delete_reply", &review).expect(204).await;
    desk.own("marketplace_reviews_delete_reply", &review).expect(404).await;
    assert_eq!(desk.read().await.json["data"][0]["reply"], Value::Null);
    let kept = desk.queue(&[]).await.json["data"][0]["replies"].clone();
    assert_eq!(kept.as_array().unwrap().len(), 2);
    assert!(kept[0]["ended_at"].is_string() && kept[1]["body"] == "We are on it.", "{kept}");
    let events = desk.market.harness.call("marketplace_apps_list_events").path("app_uuid", &desk.app);
    let events = events.query("kind", "REVIEW_REPLIED,REVIEW_REPLY_DELETED").token(&desk.market.owner.token);
    assert_eq!(column(&events.expect(200).await, "kind"), ["REVIEW_REPLY_DELETED", "REVIEW_REPLIED", "REVIEW_REPLIED"]);
    let waiting = desk.submit("venue-2", 1, "Bad.").await;
    assert_eq!(desk.reply(waiting.str("uuid"), "Sorry.").await.status, 404, "it is not published");
}

#[tokio::test]
async fn flag_is_decided_once_per_text_and_partner_is_notified() {
    let desk = Desk::new().await;
    let (review, text_uuid) = desk.shown("venue-1", 1, "Nonsense.").await;
    assert_eq!(desk.flag(&review).await.status, 200);
    assert_eq!((desk.flag(&review).await.status, desk.rating().await.1), (409, json!(1)), "one at a time; it stays");
    let seen = desk.approve(&review, &text_uuid).await;
    assert_eq!(seen.json["flags"][0]["outcome"], "DISMISSED");
    let flag = desk.list(&[("flagged", "false")]).await.json["data"][0]["flag"].clone();
    assert!(flag["outcome"] == "DISMISSED" && flag["decided_at"].is_string(), "{flag}");
    let again = desk.flag(&review).await;
    assert_eq!((again.status, again.code()), (409, "CONFLICT"), "the same text is not looked at twice");
    let newer = text(&desk.submit("venue-1", 1, "Worse nonsense.").await, "waiting");
    desk.approve(&review, &newer).await;
    assert_eq!(desk.flag(&review).await.status, 200, "another text may be flagged");
    let gone = desk.reject(&review, &newer, "OFF_TOPIC").await;
    assert_eq!((gone.str("state"), &gone.json["flags"][0]["outcome"]), ("REJECTED", &json!("UPHELD")));
    assert_eq!(desk.rating().await, (Value::Null, json!(0)));
    assert!(column(&desk.list(&[]).await, "uuid").is_empty());
    let back = desk.approve(&review, &newer).await;
    assert_eq!((back.str("state"), desk.rating().await), ("PUBLISHED", (json!(1.0), json!(1))));
    let harness = &desk.market.harness;
    let told = |kind: &str| format!("select count(*) from mail_message where kind = '{kind}'");
    assert_eq!(harness.number(&told("REVIEW_FLAG")).await, 2);
    assert_eq!(harness.number(&told("CUSTOMER_REVIEW")).await, 1, "of new reviews once a day");
    let recorded = "select count(*) from audit_log join audit_change using (record_uuid)
                     where operation = 'marketplace_moderation_reject_review' and target_kind = 'CUSTOMER_REVIEW'
                       and target_label = 'Table Pilot' and reason = 'OFF_TOPIC' and thing = 'customer_review'
                       and after ->> 'state' = 'REJECTED' and partner_uuid is not null";
    assert_eq!(harness.number(recorded).await, 1);
    assert_eq!(harness.number("select count(*) from audit_change where after::text ~ 'onsense|sha256'").await, 0);
}

#[tokio::test]
async fn reports_count_once_per_customer_and_hide_nothing() {
    let desk = Desk::new().await;
    let (review, text_uuid) = desk.shown("venue-1", 1, "Idiots.").await;
    for customer in ["venue-2", "venue-3", "venue-2"] {
        assert_eq!(desk.report(&review, customer).await.status, 200);
    }
    let seen = desk.queue(&[("reported", "true")]).await.json["data"][0].clone();
    assert_eq!((&seen["reports_count"], &seen["state"]), (&json!(2), &json!("PUBLISHED")));
    let seen = desk.approve(&review, &text_uuid).await;
    assert_eq!((&seen.json["reports_count"], &seen.json["reports"][0]["outcome"]), (&json!(0), &json!("DISMISSED")));
    desk.report(&review, "venue-2").await;
    assert!(column(&desk.queue(&[("reported", "true")]).await, "uuid").is_empty(), "it was decided for this text");
    let newer = text(&desk.submit("venue-1", 1, "Utter idiots.").await, "waiting");
    desk.approve(&review, &newer).await;
    desk.report(&review, "venue-2").await;
    assert_eq!(desk.queue(&[("reported", "true")]).await.json["data"][0]["reports_count"], json!(1));
}

#[tokio::test]
async fn pending_customer_reviews_come_first_in_moderation_queue() {
    let desk = Desk::new().await;
    let (plain, _) = desk.shown("venue-1", 5, "Plain.").await;
    let (reported, _) = desk.shown("venue-2", 4, "Reported.").await;
    let (flagged, _) = desk.shown("venue-3", 3, "Flagged.").await;
    desk.report(&reported, "venue-9").await;
    desk.flag(&flagged).await;
    let older = desk.submit("venue-4", 2, "Older.").await.str("uuid").to_owned();
    let newer = desk.submit("venue-5", 2, "Newer.").await.str("uuid").to_owned();
    let all = [&older, &newer, &flagged, &reported, &plain].map(String::as_str);
    assert_eq!(column(&desk.queue(&[]).await, "uuid"), all);
    let partner = desk.market.owner.partner_uuid.unwrap().to_string();
    for (name, value, found) in [
        ("state", "PENDING", &all[..2]),
        ("flagged", "true", &all[2..3]),
        ("reported", "true", &all[3..4]),
        ("app_uuid", &desk.app, &all[..]),
        ("partner_uuid", &partner, &all[..]),
        ("rating", "2,5", &[all[0], all[1], all[4]]),
        ("review_uuid", &plain, &all[4..]),
        ("q", "oLDER", &all[..1]),
    ] {
        assert_eq!(column(&desk.queue(&[(name, value)]).await, "uuid"), found, "{name}={value}");
    }
    // A text that less than two percent of the newest texts contain is found by another statement.
    let former = "insert into customer_review_text (text_uuid, review_uuid, rating, body, locale)
                  select labs_uuid(), review_uuid, 5, 'So_so, 100% fine', 'en'
                    from customer_review cross join generate_series(1, 60)";
    desk.market.harness.sql(former).await;
    for (q, found) in [("oLDER", &all[..1]), ("so_SO, 100%", &all[..]), ("s%so", &[]), ("so.so", &[])] {
        assert_eq!(column(&desk.queue(&[("q", q)]).await, "uuid"), found, "{q}");
    }
}

#[tokio::test]
async fn customer_review_is_erased_on_request() {
    let desk = Desk::new().await;
    let (review, text_uuid) = desk.shown("venue-1", 1, "Ask for Wiebke.").await;
    desk.reply(&review, "Wiebke is out today.").await;
    desk.report(&review, "venue-2").await;
    desk.submit("venue-1", 2, "Ask for Wiebke Petersen.").await;
    let erased = desk.reject(&review, &text_uuid, "CUSTOMER_REQUEST").await;
    assert_eq!((erased.status, erased.str("state"), &erased.json["texts"]), (200, "REJECTED", &json!([])));
    assert_eq!(desk.rating().await, (Value::Null, json!(0)));
    let harness = &desk.market.harness;
    for table in ["customer_review_text", "customer_review_reply", "customer_review_report"] {
        assert_eq!(harness.number(&format!("select count(*) from {table}")).await, 0, "{table}");
    }
    assert_eq!(harness.number("select count(*) from customer_review where customer_sha256 is null").await, 1);
    assert_eq!(
        harness.number("select count(*) from audit_change where coalesce(before::text, '') || coalesce(after::text, '') ~ 'Wiebke'").await,
        0
    );
    let nothing = desk.approve(&review, &text_uuid).await;
    assert_eq!(
        (nothing.status, nothing.code(), &nothing.json["allowed_actions"]),
        (409, "ILLEGAL_TRANSITION", &json!([]))
    );
    assert_eq!(desk.submit("venue-1", 2, "Once more.").await.status, 201, "they may write another");
}
