//! The two pictures of a partner's vendor page: a square logo and a wide banner.
//!
//! ```text
//!   put ──▶ made anew, in four sizes ──▶ objects put ──▶ row written ──▶ in the draft
//!                                                                          │ replaced or deleted
//!                                                                          ▼
//!                                        row kept while the published page shows it, then gone
//! ```
//!
//! As with an app's pictures, what comes in is never what goes out, and the bytes of a picture never change
//! (docs/decisions.md#edge).

mod list;
mod resolvers;
mod rules;
mod store;

pub(crate) use list::IMAGES_FOR_STAFF;
pub(in crate::partner) use list::STATEMENTS;
pub(in crate::partner) use resolvers::{ImageryMutation, ImageryQuery};
pub(crate) use resolvers::{PartnerImage, delete_by_staff};
pub(crate) use rules::PartnerImageKind;
pub(crate) use store::{ImageRow, images, sweep};
