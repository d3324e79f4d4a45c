//! The pictures of an app: one icon, one banner, up to ten screenshots.
//!
//! ```text
//!   upload ──▶ made anew, in four sizes ──▶ objects put ──▶ row written ──▶ in the draft
//!                                                                             │ replaced or deleted
//!                                                                             ▼
//!                                                            removed (kept while a listing shows it)
//! ```
//!
//! What comes in is never what goes out: every picture is decoded and encoded anew ([`crate::core::media::image`]). The bytes
//! of a picture never change; a new upload is a new picture (docs/decisions.md#edge).

mod changes;
mod content;
mod list;
mod resolvers;
mod rules;
mod store;

pub(in crate::marketplace) use changes::MediaChangesMutation;
pub(in crate::marketplace) use content::sizes;
pub(crate) use content::{MediaVariantName, Size, Stored, StoredRow, deliver, keep, keep_renditions};
pub(in crate::marketplace) use list::STATEMENTS;
pub(crate) use resolvers::MediaVariant;
pub(in crate::marketplace) use resolvers::{MediaMutation, MediaQuery};
pub(in crate::marketplace) use rules::MediaKind;
pub(crate) use rules::{LIMIT, ensure_room, most_a_day, refusal, text};
