//! Tests of the outbox: the service sends each mail message once, later rather than never, and deletes its content.

use futures_util::future::join_all;
use labs_schema::mail::deliver::{MailSender, Mailer};
use labs_schema::outbox::{DeliveryRound, deliver_due};
use serde_json::json;
use sqlx::PgPool;

use crate::harness::Harness;
use crate::harness::people::PASSWORD;

/// A connection that may deliver while the service's own job may not: the mails wait for the test.
async fn ours(harness: &Harness) -> PgPool {
    harness.sql("revoke update on mail_message from labs_service").await;
    PgPool::connect(&harness.database_url).await.unwrap()
}

fn letterhead() -> MailSender {
    MailSender::new("Labs <labs@localhost>", "http://127.0.0.1").unwrap()
}

/// A mailer whose SMTP server is unreachable.
fn stranded() -> Mailer {
    Mailer::smtp("smtp://127.0.0.1:1", letterhead()).unwrap()
}

async fn register(harness: &Harness, number: usize) {
    let body = json!({ "company_name": "Weser Software", "country": "DE", "accept_terms": true, "administrator":
        { "name": "Ada Weser", "email": format!("ada{number}@weser-software.example"), "password": PASSWORD } });
    harness.call("auth_registrations_create").json(&body).expect(202).await;
}

fn sent(number: usize) -> DeliveryRound {
    DeliveryRound { sent: number, ..DeliveryRound::default() }
}

#[tokio::test]
async fn each_mail_is_sent_once_by_concurrent_mailers() {
    let harness = Harness::new().await;
    let pool = ours(&harness).await;
    for number in 0..20 {
        register(&harness, number).await;
    }
    let folder = tempfile::tempdir().unwrap();
    let postmen: Vec<Mailer> = (0..4).map(|_| Mailer::folder(folder.path(), letterhead()).unwrap()).collect();
    let rounds = join_all(postmen.iter().map(|postman| deliver_due(&pool, harness.engine.services(), postman))).await;
    let total: usize = rounds.iter().map(|round| round.as_ref().unwrap().sent).sum();
    assert_eq!(total, 20);
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 20);
    let gone = "select count(*) from mail_message where state = 'SENT' and content_sealed is null and attempts = 1";
    assert_eq!(harness.number(gone).await, 20);
    assert_eq!(deliver_due(&pool, harness.engine.services(), &postmen[0]).await.unwrap(), sent(0));
}

#[tokio::test]
async fn mail_server_outage_delays_but_loses_no_mail() {
    let harness = Harness::new().await;
    let pool = ours(&harness).await;
    register(&harness, 1).await;
    let services = harness.engine.services();
    let away = deliver_due(&pool, services, &stranded()).await.unwrap();
    assert_eq!(away, DeliveryRound { postponed: 1, ..DeliveryRound::default() });
    assert_eq!(deliver_due(&pool, services, &stranded()).await.unwrap(), DeliveryRound::default(), "it waits");
    harness.advance(31).await;
    assert_eq!(deliver_due(&pool, services, &stranded()).await.unwrap().postponed, 1);
    let told = "select count(*) from mail_message where attempts = 2 and last_error is not null and last_error !~ '@'";
    assert_eq!(harness.number(told).await, 1);
    harness.advance(121).await;
    let folder = tempfile::tempdir().unwrap();
    let back = Mailer::folder(folder.path(), letterhead()).unwrap();
    assert_eq!(deliver_due(&pool, services, &back).await.unwrap(), sent(1));
}

#[tokio::test]
async fn mail_fails_after_eight_attempts_or_with_expired_token() {
    let harness = Harness::new().await;
    let pool = ours(&harness).await;
    let services = harness.engine.services();
    harness.partner_notice().await;
    let mut rounds = Vec::new();
    for _ in 0..8 {
        rounds.push(deliver_due(&pool, services, &stranded()).await.unwrap());
        harness.advance(21_601).await;
    }
    assert!(rounds[..7].iter().all(|round| round.postponed == 1), "{rounds:?}");
    assert_eq!(rounds[7], DeliveryRound { failed: 1, ..DeliveryRound::default() });
    register(&harness, 1).await;
    harness.advance(86_401).await;
    let late = deliver_due(&pool, services, &stranded()).await.unwrap();
    assert_eq!(late, DeliveryRound { failed: 1, ..DeliveryRound::default() });
    assert_eq!(harness.number("select count(*) from mail_message where state = 'FAILED'").await, 2);
}

#[tokio::test]
async fn mail_of_rolled_back_transaction_is_not_queued() {
    let harness = Harness::new().await;
    harness.sql("alter table security_event rename to security_lost").await;
    let body = json!({ "company_name": "Weser Software", "country": "DE", "accept_terms": true, "administrator":
        { "name": "Ada Weser", "email": "ada@weser-software.example", "password": PASSWORD } });
    harness.call("auth_registrations_create").json(&body).expect(500).await;
    assert_eq!(harness.number("select (select count(*) from mail_message) + (select count(*) from partner)").await, 0);
}

impl Harness {
    /// Inserts a mail message without a token directly into the outbox.
    async fn partner_notice(&self) {
        use labs_schema::mail::message::{MailContent, Notice};
        let message_uuid = uuid::Uuid::from_u128(7);
        let letter = MailContent::Telling(Notice::AlreadyRegistered { name: "Ada".to_owned() });
        let sealed = letter.seal(&self.engine.services().key, message_uuid);
        let pool = PgPool::connect(&self.database_url).await.unwrap();
        sqlx::query("insert into mail_message (message_uuid, kind, recipient, subject, content_sealed) values ($1, 'ALREADY_REGISTERED', 'ada@weser-software.example', 'Hello', $2)")
            .bind(message_uuid)
            .bind(sealed)
            .execute(&pool)
            .await
            .unwrap();
    }
}
