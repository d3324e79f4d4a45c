//! HTML sweep: the service renders users' Markdown once, and the HTML is never longer than the contract allows.

use labs_markdown::{COMMENT, FEATURE_REQUEST, PUBLICATION, TextFormat};
use serde_json::{Value, json};

use crate::harness::people::Person;
use crate::harness::{Answer, Harness, contract};

/// The schemas with HTML and the format of their text. The contract names each.
const FORMATS: [(&str, TextFormat); 7] = [
    ("BlogPost", PUBLICATION),
    ("ChangelogEntry", PUBLICATION),
    ("DeveloperResource", PUBLICATION),
    ("FeatureComment", COMMENT),
    ("FeatureRequest", FEATURE_REQUEST),
    ("ModeratedFeatureRequestDetails", FEATURE_REQUEST),
    ("PublicationItem", PUBLICATION),
];

/// Returns texts with at most this many characters that expand to long HTML.
fn hostile_texts(longest: usize) -> Vec<String> {
    let filled = |beginning: &str, piece: &str| {
        let room = longest.saturating_sub(beginning.chars().count()) / piece.chars().count();
        format!("{beginning}{}", piece.repeat(room))
    };
    let title = |letter: &str| format!("[a]: https://x.e \"{}\"\n\n", letter.repeat(longest / 10));
    let cells = longest / 20;
    vec![
        filled(&title("\\\""), "[a]"),
        filled(&title("&quot;"), "[a]"),
        filled(&title("<"), "![a]"),
        filled("[a]: https://x.e\n\n", "[a]"),
        filled("", "<http://a>"),
        filled("", "& "),
        filled("", "\""),
        filled("", "<"),
        filled("a", "\u{a0}"),
        filled("", "*a* "),
        filled("", "#\n"),
        filled("", "1)\n2.\n"),
        filled(&format!("{}\n{}\n", "|a".repeat(cells), "|-".repeat(cells)), "|\n"),
    ]
}

/// A service with a partner and staff who write texts.
struct Writers {
    harness: Harness,
    partner: Person,
    staff: Person,
}

impl Writers {
    async fn new() -> Self {
        let harness = Harness::new().await;
        harness.sql("update tier set burst_per_second = 1000, daily_requests = 1000000").await;
        let staff = harness.staff("Edda", &["labs.admin.engagement:write", "labs.admin.publication:write"]).await;
        Self { partner: harness.partner("Anker Kassen").await, harness, staff }
    }

    async fn propose(&self, body: &str) -> Answer {
        self.harness.sql("delete from board_daily_use").await;
        let call = self.harness.call("engagement_feature_requests_propose").token(&self.partner.token);
        call.json(&json!({ "title": "Split the bill", "body": body })).send().await
    }

    /// Calls an operation about a feature request as the partner.
    async fn act(&self, operation: &str, request: &str) -> Answer {
        self.harness.call(operation).path("request_uuid", request).token(&self.partner.token).expect(200).await
    }

    /// Calls an operation about a feature request with a text.
    async fn send(&self, operation: &str, by: &Person, request: &str, body: &str) -> Answer {
        self.harness.sql("delete from board_daily_use").await;
        let call = self.harness.call(operation).path("request_uuid", request).token(&by.token);
        call.json(&json!({ "body": body })).send().await
    }
}

/// Whether a text was accepted. If so, its HTML is within the limit of the contract, which the harness checks too; if
/// not, the field's description names the reason.
fn is_accepted(answer: &Answer, field: &str, format: TextFormat) -> bool {
    if answer.status < 300 {
        let html = answer.json[format!("{field}_html")].as_str();
        assert!(html.is_none_or(|html| html.chars().count() <= format.longest_html), "{field}");
        return true;
    }
    assert_eq!(answer.status, 422, "{}", answer.text());
    let error = &answer.json["errors"][0];
    assert_eq!(error["pointer"], format!("/{field}"));
    let code = error["code"].as_str().unwrap();
    assert!(["HTML_TOO_LONG", "TOO_MANY_AMPERSANDS"].contains(&code), "{code}");
    false
}

#[test]
fn contract_promises_the_limit_of_each_format() {
    let document: Value = yaml_serde::from_str(contract().text()).unwrap();
    let mut found = Vec::new();
    for (name, schema) in document["components"]["schemas"].as_object().unwrap() {
        let properties = schema["properties"].as_object().into_iter().flatten();
        for (field, property) in properties.filter(|(field, _)| field.ends_with("_html")) {
            let format = FORMATS.iter().find(|(known, _)| known == name);
            let (_, format) = format.unwrap_or_else(|| panic!("{name}.{field} has no format here"));
            assert_eq!(property["maxLength"], format.longest_html, "{name}.{field}");
            found.push(name.as_str());
        }
    }
    assert!(FORMATS.iter().all(|(name, _)| found.contains(name)), "the contract has HTML in {found:?}");
}

#[tokio::test]
async fn text_that_expands_is_rejected_in_every_operation() {
    let writers = Writers::new().await;
    let request = writers.propose("At one table.").await.str("uuid").to_owned();
    let mut accepted = [0; 4];
    for text in hostile_texts(FEATURE_REQUEST_LENGTH) {
        accepted[0] += usize::from(is_accepted(&writers.propose(&text).await, "body", FEATURE_REQUEST));
        let edited = writers.send("engagement_feature_requests_edit", &writers.partner, &request, &text).await;
        is_accepted(&edited, "body", FEATURE_REQUEST);
    }
    let added = writers.send("engagement_comments_add", &writers.partner, &request, "Yes.").await;
    for text in hostile_texts(COMMENT_LENGTH) {
        let added = writers.send("engagement_comments_add", &writers.partner, &request, &text).await;
        accepted[1] += usize::from(is_accepted(&added, "body", COMMENT));
        let answered = writers.send("engagement_moderation_answer", &writers.staff, &request, &text).await;
        accepted[2] += usize::from(is_accepted(&answered, "body", COMMENT));
    }
    let call = writers.harness.call("engagement_comments_edit").path("comment_uuid", added.str("uuid"));
    let edited =
        call.token(&writers.partner.token).json(&json!({ "body": hostile_texts(COMMENT_LENGTH)[0] })).send().await;
    assert!(!is_accepted(&edited, "body", COMMENT));
    for text in hostile_texts(PUBLICATION_LENGTH) {
        let body =
            json!({ "kind": "BLOG_POST", "title": "Hello", "slug": format!("post-{}", accepted[3]), "body": text });
        let made =
            writers.harness.call("publication_items_create").token(&writers.staff.token).json(&body).send().await;
        accepted[3] += usize::from(is_accepted(&made, "body", PUBLICATION));
        let body = json!({ "kind": "CHANGELOG_ENTRY", "title": format!("Hello {}", text.len()), "version": "1.4.0",
                           "change": "ADDED", "migration": text });
        let made =
            writers.harness.call("publication_items_create").token(&writers.staff.token).json(&body).send().await;
        if made.status != 409 {
            is_accepted(&made, "migration", PUBLICATION);
        }
    }
    let all = hostile_texts(100).len();
    assert!(accepted.iter().all(|accepted| (1..all).contains(accepted)), "{accepted:?} of {all}");
    let longest = "select coalesce(max(length(body_html)), 0)::bigint from";
    let stored = async |table: &str| writers.harness.number(&format!("{longest} {table}")).await;
    assert!((1..=FEATURE_REQUEST.longest_html as i64).contains(&stored("feature_request").await));
    assert!((1..=COMMENT.longest_html as i64).contains(&stored("feature_comment").await));
    let missing = "select (select count(*) from feature_request where body_renderer = 0)
                        + (select count(*) from feature_comment where body_renderer = 0)";
    assert_eq!(writers.harness.number(missing).await, 0, "each is stored with its HTML");
}

/// Maximum characters of a feature request.
const FEATURE_REQUEST_LENGTH: usize = 10_000;
/// Maximum characters of a comment.
const COMMENT_LENGTH: usize = 5_000;
/// Maximum characters of a publication item's text.
const PUBLICATION_LENGTH: usize = 65_536;

#[tokio::test]
async fn votes_and_reads_show_stored_html() {
    let writers = Writers::new().await;
    let request = writers.propose("At **one** table.").await.str("uuid").to_owned();
    writers.send("engagement_comments_add", &writers.partner, &request, "Yes.").await;
    writers.harness.sql("update feature_request set body_html = '<p>stored</p>'").await;
    writers.harness.sql("update feature_comment set body_html = '<p>kept</p>'").await;
    for operation in [
        "engagement_feature_requests_get",
        "engagement_votes_withdraw",
        "engagement_votes_cast",
        "engagement_feature_requests_follow",
        "engagement_feature_requests_unfollow",
    ] {
        assert_eq!(writers.act(operation, &request).await.str("body_html"), "<p>stored</p>", "{operation}");
    }
    let moderated = writers.harness.call("engagement_moderation_get_feature_request").path("request_uuid", &request);
    assert_eq!(moderated.token(&writers.staff.token).expect(200).await.str("body_html"), "<p>stored</p>");
    let comments = writers.act("engagement_comments_list", &request).await;
    assert_eq!(comments.json["data"][0]["body_html"], "<p>kept</p>");
}

#[tokio::test]
async fn older_texts_are_shown_within_limit_and_rendered_once() {
    let writers = Writers::new().await;
    let request = writers.propose("At **one** table.").await.str("uuid").to_owned();
    writers.send("engagement_comments_add", &writers.partner, &request, "Yes.").await;
    let hostile = hostile_texts(COMMENT_LENGTH).remove(0).replace('\'', "''");
    let old = format!(
        "insert into feature_comment (comment_uuid, request_uuid, partner_uuid, author_uuid, body)
         select labs_uuid(), request_uuid, partner_uuid, author_uuid, '{hostile}'
           from feature_comment cross join generate_series(1, 99);
         update feature_request set body = '{hostile}'"
    );
    writers.harness.sql(&old).await;
    let page = writers.harness.call("engagement_comments_list").path("request_uuid", &request).query("limit", 100);
    let page = page.token(&writers.partner.token).expect(200).await;
    let html = |comment: &Value| comment["body_html"].as_str().unwrap().to_owned();
    let comments: Vec<String> = page.json["data"].as_array().unwrap().iter().map(html).collect();
    assert_eq!((comments.len(), comments[0].as_str()), (100, "<p>Yes.</p>\n"));
    assert!(comments[1..].iter().all(|html| html.starts_with("<p>[a]: https://x.e &quot;") && html.len() < 100_000));
    assert!(writers.act("engagement_votes_withdraw", &request).await.str("body_html").starts_with("<p>[a]: "));

    writers.harness.until("select count(*) from feature_comment where body_renderer = 0", 0).await;
    writers.harness.until("select count(*) from feature_request where body_renderer = 0", 0).await;
    assert_eq!(writers.act("engagement_comments_list", &request).await.status, 200);
    let longest = writers.harness.number("select max(length(body_html))::bigint from feature_comment").await;
    assert!((5_000..100_000).contains(&longest), "{longest}");

    // A change of the text also replaces the stored HTML.
    writers.harness.sql("update feature_comment set body = 'Erased'").await;
    let outdated = "select count(*) from feature_comment where body_html like '%&quot;%'";
    assert_eq!(writers.harness.number(outdated).await, 0);
}
