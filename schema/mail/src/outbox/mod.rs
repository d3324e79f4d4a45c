//! Outbox: mail is queued in the transaction that causes it and sent afterwards, once per message.
//!
//! ```text
//!  queue ──▶ QUEUED ──sent──▶ SENT (its content is deleted)
//!             │  ▲
//!             │  └── retried, each time after a longer wait
//!             └──too many attempts, or no use in retrying──▶ FAILED
//! ```
//!
//! A slow mail server does not delay any answer, and a message whose transaction is rolled back never existed
//! (docs/decisions/mail.md#outbox).

mod deliver;
mod rules;
mod store;

use ipnet::IpNet;
use labs_core::context::RequestContext;
use labs_core::db::Db;
use labs_core::fault::Fault;
use labs_core::services::Services;
use uuid::Uuid;

use crate::deliver::MailSender;
use crate::message::{Locale, MailContent, Notice, SecurityEvent};
pub use deliver::{DeliveryRound, deliver_due};
pub use rules::RemainingMails;
pub use store::addressee::{Recipient, list_administrators, load_addressee};

/// Queues a message in the request's transaction.
///
/// # Errors
/// The fault of the database.
pub async fn queue(cx: &RequestContext, to: &Recipient, content: &MailContent) -> Result<(), Fault> {
    post(cx, to, &OutboxEntry::of(content)).await
}

/// Queues a message about a partner to another recipient: it is anonymised together with that partner.
///
/// # Errors
/// The fault of the database.
pub async fn queue_about(
    cx: &RequestContext,
    partner_uuid: Uuid,
    to: &Recipient,
    content: &MailContent,
) -> Result<(), Fault> {
    post(cx, to, &OutboxEntry { about_partner_uuid: Some(partner_uuid), ..OutboxEntry::of(content) }).await
}

/// Queues a message if there is a recipient, and does the same work otherwise. So the response time does not reveal to
/// anonymous clients whether an address has an account.
///
/// # Errors
/// The fault of the database.
pub async fn queue_perhaps(
    cx: &RequestContext,
    to: Option<&Recipient>,
    write: impl FnOnce(String) -> MailContent,
) -> Result<(), Fault> {
    let placeholder = Recipient {
        person_uuid: None,
        partner_uuid: None,
        email: "placeholder@localhost".to_owned(),
        name: "Placeholder".to_owned(),
        locale: "en".to_owned(),
    };
    let recipient = to.unwrap_or(&placeholder);
    let content = write(recipient.name.clone());
    post(cx, recipient, &OutboxEntry { is_meant: to.is_some(), ..OutboxEntry::of(&content) }).await
}

/// Queues a message outside a request, under a given id.
///
/// # Errors
/// The fault of the database.
pub async fn queue_by(
    db: &Db,
    services: &Services,
    message_uuid: Uuid,
    to: &Recipient,
    content: &MailContent,
) -> Result<(), Fault> {
    post_by(db, services, (message_uuid, None), to, &OutboxEntry::of(content)).await
}

/// Queues a message to each administrator of a partner's team who can receive mail, with their name in it. Works
/// without a request.
///
/// # Errors
/// The fault of the database.
pub async fn queue_to_administrators(
    db: &Db,
    services: &Services,
    partner_uuid: Uuid,
    write: impl Fn(String) -> MailContent,
) -> Result<(), Fault> {
    queue_to_each(db, services, &list_administrators(db, partner_uuid).await?, write).await
}

/// Queues a message to each of these recipients, with their name in it. Works without a request.
///
/// # Errors
/// The fault of the database.
pub async fn queue_to_each(
    db: &Db,
    services: &Services,
    recipients: &[Recipient],
    write: impl Fn(String) -> MailContent,
) -> Result<(), Fault> {
    for to in recipients {
        let message_uuid = labs_crypto::uuid_at(services.clock.now().0);
        post_by(db, services, (message_uuid, None), to, &OutboxEntry::of(&write(to.name.clone()))).await?;
    }
    Ok(())
}

/// Content and options of a message to queue.
struct OutboxEntry<'a> {
    content: &'a MailContent,
    about_partner_uuid: Option<Uuid>,
    is_meant: bool,
}

impl<'a> OutboxEntry<'a> {
    fn of(content: &'a MailContent) -> Self {
        Self { content, about_partner_uuid: None, is_meant: true }
    }
}

async fn post(cx: &RequestContext, to: &Recipient, post: &OutboxEntry<'_>) -> Result<(), Fault> {
    post_by(&cx.db, &cx.services, (cx.new_uuid(), Some(cx.caller.network())), to, post).await
}

/// Queues a message under this id, with the network that requested it, if any.
async fn post_by(
    db: &Db,
    services: &Services,
    (message_uuid, network): (Uuid, Option<IpNet>),
    to: &Recipient,
    &OutboxEntry { content, about_partner_uuid, is_meant }: &OutboxEntry<'_>,
) -> Result<(), Fault> {
    let subject = content.subject(Locale::of(&to.locale), &platform(services));
    let content_sealed = content.seal(&services.key, message_uuid);
    let (kind, subject, content_sealed) = (content.kind(), subject.as_str(), content_sealed.as_slice());
    let message =
        store::NewMessage { message_uuid, kind, subject, content_sealed, about_partner_uuid, network, is_meant };
    store::insert(db, to, &message).await
}

/// Queues a message to a user's current address, with their name in it. Does nothing if the user no longer exists.
///
/// # Errors
/// The fault of the database.
pub async fn queue_to_person(
    cx: &RequestContext,
    person_uuid: Uuid,
    write: impl FnOnce(String) -> MailContent,
) -> Result<(), Fault> {
    let Some(to) = load_addressee(&cx.db, person_uuid).await? else { return Ok(()) };
    let content = write(to.name.clone());
    queue(cx, &to, &content).await
}

/// Queues the notice of a security event of a user's account.
///
/// # Errors
/// The fault of the database.
pub async fn queue_notice(cx: &RequestContext, person_uuid: Uuid, event: SecurityEvent) -> Result<(), Fault> {
    let occurred_at = cx.now.0;
    queue_to_person(cx, person_uuid, |name| MailContent::Telling(Notice::Security { name, event, occurred_at })).await
}

/// Queues the notice of a security event that can repeat: a user gets one such notice a day. Concurrent requests about
/// the same user already wait for each other, because the caller counted the event first.
///
/// # Errors
/// The fault of the database.
pub async fn queue_daily_notice(
    cx: &RequestContext,
    person_uuid: Uuid,
    (event, kind): (SecurityEvent, &str),
) -> Result<(), Fault> {
    let occurred_at = cx.now.0;
    let content = |name| MailContent::Telling(Notice::Security { name, event, occurred_at });
    queue_daily(cx, person_uuid, kind, content).await
}

/// Queues a message to a user, unless they got one of this kind in the last day.
///
/// # Errors
/// The fault of the database.
pub async fn queue_daily(
    cx: &RequestContext,
    person_uuid: Uuid,
    kind: &str,
    write: impl FnOnce(String) -> MailContent,
) -> Result<(), Fault> {
    if store::was_mailed_today(&cx.db, person_uuid, kind).await? {
        return Ok(());
    }
    queue_to_person(cx, person_uuid, write).await
}

/// Counts the messages of these kinds that were queued for an address in the last hour. Concurrent requests for the
/// same address wait until the transaction ends, so parallel requests cannot exceed a limit.
///
/// # Errors
/// The fault of the database.
pub async fn count_recent(cx: &RequestContext, email: &str, kinds: &[&str]) -> Result<i64, Fault> {
    store::lock_recipient(&cx.db, email).await?;
    let kinds: Vec<String> = kinds.iter().map(|kind| (*kind).to_owned()).collect();
    store::count_recent(&cx.db, email, &kinds).await
}

/// Returns how many more messages of these kinds a request may send to an address: a few per hour from one network, so
/// that requests from other networks do not use up the owner's share, and a limited number per day in total. Concurrent
/// requests for the same address wait until the transaction ends, as in [`count_recent`].
///
/// # Errors
/// The fault of the database.
pub async fn remaining_for(cx: &RequestContext, email: &str, kinds: &[&str]) -> Result<RemainingMails, Fault> {
    store::lock_recipient(&cx.db, email).await?;
    let kinds: Vec<String> = kinds.iter().map(|kind| (*kind).to_owned()).collect();
    let asked = store::count_requested(&cx.db, email, &kinds, cx.caller.network()).await?;
    Ok(rules::remaining_mails(asked.from_network, asked.today))
}

/// Returns the platform's name in subjects: the sender's name.
fn platform(services: &Services) -> String {
    let settings = &services.settings;
    MailSender::new(&settings.mail_from, &settings.base_url)
        .map_or_else(|_| "Labs".to_owned(), |letterhead| letterhead.platform().to_owned())
}
