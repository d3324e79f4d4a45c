//! Mail: content and delivery of messages to users, and the outbox from which they are sent.
//!
//! A [`message::MailContent`] is the typed content; it is sealed into the outbox in the transaction that causes it.
//! Later a
//! [`message::Message`] is created from the row, rendered in the user's language by `words`, and sent by the
//! [`deliver::Mailer`], to a mail server or to a folder.
mod closing;
pub mod deliver;
pub mod message;
pub mod outbox;
pub mod subscription;
mod words;
