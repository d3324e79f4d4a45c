//! A publication item: a changelog entry, a blog post or a developer resource. Staff and machine clients write it;
//! readers see it after its release.
//!
//! Every release and withdrawal is stored as a transition. An edit of a released item is a transition too, and keeps
//! the previous content. [`release_due`] executes the schedule.

mod artefact;
mod content;
mod coverage;
mod deprecation;
mod due;
mod input;
mod list;
mod resolvers;
pub mod rules;
mod store;
mod texts;
mod writing;

pub(crate) use content::PublicationArtefact;
pub use deprecation::{DeprecationEntry, draft_entry, drop_unreleased};
pub use due::release_due;
pub(crate) use input::{
    ChangelogEntryFields, ChangelogEntryRelease, PublicationDetails, PublicationPatch, PublicationTexts,
};
pub(crate) use list::{BY_PROGRAM, PublicationItem, STATEMENTS};
pub(crate) use resolvers::OPERATIONS;
pub(crate) use store::{lock, lock_release};
pub(crate) use writing::{Beginning, begin, change};
