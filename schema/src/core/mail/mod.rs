//! Mail: what is written to people, and how it leaves.
//!
//! A [`message::Letter`] says what happened, typed; it is sealed into the outbox in the transaction that
//! causes it. Later a [`message::Message`] is made of the row, put into words in the person's language by
//! `words`, and handed over by the [`deliver::Postman`], to a mail server or into a folder.
mod closing;
pub mod deliver;
pub mod message;
pub mod subscription;
mod words;
