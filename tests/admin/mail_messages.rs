//! Tests of the outbox for operators: delivery state of a mail message, never its content, and retry.

use labs_schema::crypto::secret::SecretText;
use labs_schema::mail::message::{Asking, MailContent, Notice};
use serde_json::{Value, json};
use sqlx::PgPool;
use uuid::Uuid;

use crate::harness::people::Person;
use crate::harness::{Answer, Call, Harness};

const TOKEN: &str = "labs_ot_AAAABBBBCCCCDDDDEEEEFFFFGGGG";

struct Office {
    harness: Harness,
    operator: Person,
}

impl Office {
    async fn new() -> Self {
        let harness = Harness::new().await;
        let operator = harness.staff("Olga Operator", &["labs.admin.operations:write", "labs.admin.audit"]).await;
        Self { harness, operator }
    }

    fn call(&self, operation: &str) -> Call<'_> {
        self.harness.call(operation).token(&self.operator.token)
    }

    /// Queues a mail message that is due in an hour, then brings it into the state that a test needs.
    async fn mail(&self, number: u128, letter: &MailContent, then: &str) -> Uuid {
        let message_uuid = Uuid::from_u128(number);
        let sealed = letter.seal(&self.harness.engine.services().key, message_uuid);
        let pool = PgPool::connect(&self.harness.database_url).await.unwrap();
        sqlx::query(
            "insert into mail_message (message_uuid, kind, recipient, subject, content_sealed, next_attempt_at, attempts)
             values ($1, $2, $3, 'Hello', $4, labs_now() + interval '1 hour', 3)",
        )
        .bind(message_uuid)
        .bind(letter.kind())
        .bind(format!("Ada{number}@weser.example"))
        .bind(sealed)
        .execute(&pool)
        .await
        .unwrap();
        if !then.is_empty() {
            self.harness.sql(&format!("update mail_message set {then} where message_uuid = '{message_uuid}'")).await;
        }
        message_uuid
    }

    async fn retry(&self, message: Uuid) -> Answer {
        let call = self.call("admin_mail_messages_retry").path("message_uuid", message);
        call.json(&json!({ "reason": "The server is back." })).send().await
    }

    async fn list(&self, filters: &[(&str, &str)]) -> Vec<Value> {
        let list =
            filters.iter().fold(self.call("admin_mail_messages_list"), |call, (name, value)| call.query(name, value));
        list.expect(200).await.json["data"].as_array().unwrap().clone()
    }
}

fn notice() -> MailContent {
    MailContent::Telling(Notice::AlreadyRegistered { name: "Ada".to_owned() })
}

/// A message whose link expires in this many seconds.
fn asking(harness: &Harness, seconds: i64) -> MailContent {
    let (about, token) = (Asking::ResetPassword { name: "Ada".to_owned() }, SecretText::new(TOKEN));
    MailContent::Asking { about, token, expires_at: harness.clock.now().plus_seconds(seconds).0 }
}

#[tokio::test]
async fn failed_or_queued_mail_is_retried_at_once_and_once() {
    let office = Office::new().await;
    let failed = office.mail(1, &asking(&office.harness, 3600), "state = 'FAILED', last_error = 'away'").await;
    let waiting = office.mail(2, &notice(), "").await;
    for message in [failed, waiting] {
        let again = office.retry(message).await;
        assert_eq!((again.status, &again.json["state"], &again.json["attempts"]), (200, &json!("QUEUED"), &json!(0)));
    }
    office.harness.until("select count(*) from mail_message where state = 'SENT'", 2).await;
    for (number, message) in [(1, failed), (2, waiting)] {
        assert_eq!(office.harness.mails_to(&format!("Ada{number}@weser.example")).await.len(), 1);
        let sent = office.retry(message).await;
        assert_eq!((sent.status, sent.code(), &sent.json["allowed_actions"]), (409, "ILLEGAL_TRANSITION", &json!([])));
    }
    let log = office.call("admin_audit_records_list").query("operation", "admin_mail_messages_retry");
    let log = log.query("outcome", "SUCCEEDED").expect(200).await;
    let record = &log.json["data"][0];
    assert_eq!((&record["reason"], &record["target"]["kind"]), (&json!("The server is back."), &json!("MAIL_MESSAGE")));
    assert!(!log.text().contains(TOKEN) && !log.text().contains("sealed\":\""), "{}", log.text());
    assert_eq!(office.retry(Uuid::from_u128(9)).await.status, 404);
}

#[tokio::test]
async fn unsendable_or_claimed_mail_cannot_be_retried() {
    let office = Office::new().await;
    let ended = office.mail(1, &asking(&office.harness, -1), "state = 'FAILED'").await;
    let empty = office.mail(2, &notice(), "state = 'FAILED', content_sealed = null").await;
    let claimed = office.mail(3, &notice(), "claimed_until = labs_now() + interval '1 minute'").await;
    for (message, word) in [(ended, "expired"), (empty, "deleted"), (claimed, "right now")] {
        let refused = office.retry(message).await;
        assert_eq!((refused.status, refused.code()), (409, "CONFLICT"));
        assert!(refused.str("detail").contains(word), "{}", refused.text());
    }
    // The replica that claimed it has died. After its lease has expired, the message can be retried.
    office.harness.advance(61).await;
    assert_eq!(office.retry(claimed).await.status, 200);
    office.harness.until("select count(*) from mail_message where state = 'SENT'", 1).await;
}

#[tokio::test]
async fn outbox_shows_delivery_state_without_content() {
    let office = Office::new().await;
    let quoted = format!("state = 'FAILED', last_error = '550 rejected: #{TOKEN} is no link'");
    office.mail(1, &asking(&office.harness, 3600), &quoted).await;
    office.mail(2, &notice(), "").await;
    office.mail(3, &notice(), "state = 'SENT', sent_at = labs_now(), content_sealed = null").await;
    office
        .harness
        .sql(
            "update mail_message set created_at = created_at + interval '1 second' * right(message_uuid::text, 1)::int",
        )
        .await;
    let all = office.call("admin_mail_messages_list").query("include_total", true).expect(200).await;
    assert_eq!(all.json["page"]["total"], 3);
    assert!(!all.text().contains("labs_ot_") && !all.text().contains("content"), "{}", all.text());
    assert_eq!(all.json["data"][2]["last_error"], "550 rejected: #[token] is no link");
    assert_eq!(
        (&all.json["data"][2]["next_attempt_at"], &all.json["data"][0]["state"]),
        (&Value::Null, &json!("SENT"))
    );
    assert!(all.json["data"][1]["next_attempt_at"].is_string());
    for (filter, expected) in [
        (("state", "FAILED,QUEUED"), 2),
        (("kind", "RESET_PASSWORD"), 1),
        (("recipient", "ADA2@weser.example"), 1),
        (("recipient", "nobody@weser.example"), 0),
        (("person_uuid", &*office.operator.uuid.to_string()), 0),
        (("created_at_until", "2020-01-01T00:00:00Z"), 0),
        (("created_at_from", "2020-01-01T00:00:00Z"), 3),
    ] {
        assert_eq!(office.list(&[filter]).await.len(), expected, "{filter:?}");
    }
    let oldest = office.list(&[("sort", "created_at"), ("limit", "1")]).await;
    assert_eq!(oldest[0]["recipient"], "Ada1@weser.example");
    let first = office.call("admin_mail_messages_list").query("limit", 2).expect(200).await;
    let cursor = first.json["page"]["next_cursor"].as_str().unwrap().to_owned();
    let rest = office.list(&[("limit", "2"), ("cursor", &cursor)]).await;
    assert_eq!((rest.len(), &rest[0]["recipient"]), (1, &json!("Ada1@weser.example")));
}
