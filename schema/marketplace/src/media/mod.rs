//! Media of an app: one icon, one banner, up to ten screenshots.
//!
//! ```text
//!   upload ──▶ re-encoded in four sizes ──▶ objects stored ──▶ row inserted ──▶ in the draft
//!                                                                               │ replaced or deleted
//!                                                                               ▼
//!                                                              removed (kept while a listing shows it)
//! ```
//!
//! The service never delivers an uploaded file: it decodes and re-encodes every image ([`labs_media::image`]).
//! The content of a media item never changes; a new upload creates a new media item
//! (docs/decisions/files.md#images-are-re-encoded).

mod changes;
mod list;
mod resolvers;
mod rules;
mod store;

pub(crate) use changes::OPERATIONS as CHANGES_OPERATIONS;
pub(crate) use list::STATEMENTS;
pub(crate) use resolvers::OPERATIONS;
pub(crate) use rules::MediaKind;
