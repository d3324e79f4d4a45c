//! The outbox: mail is queued in the transaction that causes it and sent afterwards, once a message.
//!
//! ```text
//!  queue ──▶ QUEUED ──handed over──▶ SENT (its content is wiped)
//!             │  ▲
//!             │  └── later again, each time after a longer wait
//!             └──tried too often, or pointless to try──▶ FAILED
//! ```
//!
//! A mail server that hangs changes no answer's time, and a mail whose transaction is rolled back never was
//! (docs/decisions.md#mail).

mod addressee;
mod deliver;
mod rules;
mod store;

use ipnet::IpNet;
use uuid::Uuid;

pub(crate) use addressee::{Addressee, list_administrators, load_addressee};
pub use deliver::{Round, deliver_due};

use crate::core::context::RequestContext;
use crate::core::crypto;
use crate::core::db::Db;
use crate::core::fault::Fault;
use crate::core::mail::deliver::Letterhead;
use crate::core::mail::message::{Letter, Locale, Notice, SecurityEvent};
use crate::core::services::Services;

/// Queues a letter in the request's transaction.
///
/// # Errors
/// What the database answered.
pub(crate) async fn queue(cx: &RequestContext, to: &Addressee, letter: &Letter) -> Result<(), Fault> {
    post(cx, to, &Post::of(letter)).await
}

/// Queues a letter that tells somebody else of a partner: it is made anonymous with that partner.
///
/// # Errors
/// What the database answered.
pub(crate) async fn queue_about(
    cx: &RequestContext,
    partner_uuid: Uuid,
    to: &Addressee,
    letter: &Letter,
) -> Result<(), Fault> {
    post(cx, to, &Post { about_partner_uuid: Some(partner_uuid), ..Post::of(letter) }).await
}

/// Queues a letter if there is somebody to write to, and does the same work if there is nobody: what a stranger asks
/// about an address must not be answered by the time that it takes.
///
/// # Errors
/// What the database answered.
pub(crate) async fn queue_perhaps(
    cx: &RequestContext,
    to: Option<&Addressee>,
    write: impl FnOnce(String) -> Letter,
) -> Result<(), Fault> {
    let nobody = Addressee {
        person_uuid: None,
        partner_uuid: None,
        email: "nobody@localhost".to_owned(),
        name: "Nobody".to_owned(),
        locale: "en".to_owned(),
    };
    let someone = to.unwrap_or(&nobody);
    let letter = write(someone.name.clone());
    post(cx, someone, &Post { is_meant: to.is_some(), ..Post::of(&letter) }).await
}

/// Queues a letter where there is no request, with the id that it is to have.
///
/// # Errors
/// What the database answered.
pub(crate) async fn queue_by(
    db: &Db,
    services: &Services,
    message_uuid: Uuid,
    to: &Addressee,
    letter: &Letter,
) -> Result<(), Fault> {
    post_by(db, services, (message_uuid, None), to, &Post::of(letter)).await
}

/// Queues a letter to each administrator of a partner's team who can be written to, written by their name. There need be
/// no request.
///
/// # Errors
/// What the database answered.
pub(crate) async fn queue_to_administrators(
    db: &Db,
    services: &Services,
    partner_uuid: Uuid,
    write: impl Fn(String) -> Letter,
) -> Result<(), Fault> {
    for to in list_administrators(db, partner_uuid).await? {
        let message_uuid = crypto::uuid_at(services.clock.now().0);
        post_by(db, services, (message_uuid, None), &to, &Post::of(&write(to.name.clone()))).await?;
    }
    Ok(())
}

/// What is posted.
struct Post<'a> {
    letter: &'a Letter,
    about_partner_uuid: Option<Uuid>,
    is_meant: bool,
}

impl<'a> Post<'a> {
    fn of(letter: &'a Letter) -> Self {
        Self { letter, about_partner_uuid: None, is_meant: true }
    }
}

async fn post(cx: &RequestContext, to: &Addressee, post: &Post<'_>) -> Result<(), Fault> {
    post_by(&cx.db, &cx.services, (cx.new_uuid(), Some(cx.caller.network())), to, post).await
}

/// Posts under this id what somebody of this network asked for, or nobody.
async fn post_by(
    db: &Db,
    services: &Services,
    (message_uuid, network): (Uuid, Option<IpNet>),
    to: &Addressee,
    &Post { letter, about_partner_uuid, is_meant }: &Post<'_>,
) -> Result<(), Fault> {
    let subject = letter.subject(Locale::of(&to.locale), &platform(services));
    let content_sealed = letter.seal(&services.key, message_uuid);
    let (kind, subject, content_sealed) = (letter.kind(), subject.as_str(), content_sealed.as_slice());
    let message =
        store::NewMessage { message_uuid, kind, subject, content_sealed, about_partner_uuid, network, is_meant };
    store::insert(db, to, &message).await
}

/// Queues a letter to a person, written by their name, to the address they have now. Whoever is gone gets none.
///
/// # Errors
/// What the database answered.
pub(crate) async fn queue_to_person(
    cx: &RequestContext,
    person_uuid: Uuid,
    write: impl FnOnce(String) -> Letter,
) -> Result<(), Fault> {
    let Some(to) = load_addressee(&cx.db, person_uuid).await? else { return Ok(()) };
    let letter = write(to.name.clone());
    queue(cx, &to, &letter).await
}

/// Queues the notice of something that happened to a person's account and that only they should have done.
///
/// # Errors
/// What the database answered.
pub(crate) async fn queue_notice(cx: &RequestContext, person_uuid: Uuid, event: SecurityEvent) -> Result<(), Fault> {
    let occurred_at = cx.now.0;
    queue_to_person(cx, person_uuid, |name| Letter::Telling(Notice::Security { name, event, occurred_at })).await
}

/// The same for what may happen again and again: a person gets one notice of it a day. Others about the same person wait
/// already, for whatever was counted before.
///
/// # Errors
/// What the database answered.
pub(crate) async fn queue_daily_notice(
    cx: &RequestContext,
    person_uuid: Uuid,
    (event, kind): (SecurityEvent, &str),
) -> Result<(), Fault> {
    let occurred_at = cx.now.0;
    let letter = |name| Letter::Telling(Notice::Security { name, event, occurred_at });
    queue_daily(cx, person_uuid, kind, letter).await
}

/// Queues a letter to a person, unless they got one of this kind in the last day.
///
/// # Errors
/// What the database answered.
pub(crate) async fn queue_daily(
    cx: &RequestContext,
    person_uuid: Uuid,
    kind: &str,
    write: impl FnOnce(String) -> Letter,
) -> Result<(), Fault> {
    if store::was_told_today(&cx.db, person_uuid, kind).await? {
        return Ok(());
    }
    queue_to_person(cx, person_uuid, write).await
}

/// How many mails of these kinds an address was sent or is to be sent in the last hour. Others who ask the same of it
/// wait until the transaction ends, so that of many at once no more are sent than of as many one after the other.
///
/// # Errors
/// What the database answered.
pub(crate) async fn recent_count(cx: &RequestContext, email: &str, kinds: &[&str]) -> Result<i64, Fault> {
    store::recipient_lock(&cx.db, email).await?;
    let kinds: Vec<String> = kinds.iter().map(|kind| (*kind).to_owned()).collect();
    store::count_recent(&cx.db, email, &kinds).await
}

/// How many more mails of these kinds an address may get on the wish of whoever asks without being known: a few an hour
/// from one network, so that a stranger's wishes elsewhere do not use up the owner's, and some a day in all. Others who
/// ask the same of it wait until the transaction ends, as in [`recent_count`].
///
/// # Errors
/// What the database answered.
pub(crate) async fn room_for(cx: &RequestContext, email: &str, kinds: &[&str]) -> Result<usize, Fault> {
    store::recipient_lock(&cx.db, email).await?;
    let kinds: Vec<String> = kinds.iter().map(|kind| (*kind).to_owned()).collect();
    let asked = store::count_asked(&cx.db, email, &kinds, cx.caller.network()).await?;
    Ok(rules::room(asked.from_network, asked.today))
}

/// What the platform calls itself in subjects: the sender's name.
fn platform(services: &Services) -> String {
    let settings = &services.settings;
    Letterhead::new(&settings.mail_from, &settings.base_url)
        .map_or_else(|_| "Labs".to_owned(), |letterhead| letterhead.platform().to_owned())
}
