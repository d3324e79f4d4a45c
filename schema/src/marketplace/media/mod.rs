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
mod content;
mod list;
mod resolvers;
mod rules;
mod store;

pub(in crate::marketplace) use changes::OPERATIONS as CHANGES_OPERATIONS;
pub(in crate::marketplace) use content::sizes;
pub(crate) use content::{MediaVariantName, Size, StoredObject, StoredRow, deliver, keep, keep_renditions};
pub(in crate::marketplace) use list::STATEMENTS;
pub(crate) use resolvers::MediaVariant;
pub(in crate::marketplace) use resolvers::OPERATIONS;
pub(in crate::marketplace) use rules::MediaKind;
pub(crate) use rules::{LIMIT, daily_upload_limit, ensure_quota, err_invalid_file, text};
