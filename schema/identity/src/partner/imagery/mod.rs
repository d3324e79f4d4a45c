//! The two images of a partner's profile: a square logo and a wide banner.
//!
//! ```text
//!   put ──▶ re-encoded, in four sizes ──▶ objects stored ──▶ row written ──▶ in the draft
//!                                                                              │ replaced or deleted
//!                                                                              ▼
//!                                            row kept while the published profile uses it, then deleted
//! ```
//!
//! As with the media of an app, the service never serves the uploaded bytes, and the bytes of an image never change
//! (docs/decisions/files.md#images-are-re-encoded).

mod list;
mod resolvers;
mod store;

pub use list::IMAGES_FOR_STAFF;
pub(in crate::partner) use list::STATEMENTS;
pub(in crate::partner) use resolvers::OPERATIONS;
pub use resolvers::{PartnerImage, delete_by_staff};
pub use store::{ImageRow, images, sweep};
