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
pub(crate) mod rules;
mod store;
mod texts;
mod writing;

pub(in crate::publication) use content::PublicationArtefact;
pub(crate) use deprecation::{DeprecationEntry, draft_entry, drop_unreleased};
pub(crate) use due::release_due;
pub(in crate::publication) use input::{
    ChangelogEntryFields, ChangelogEntryRelease, PublicationDetails, PublicationPatch, PublicationTexts,
};
pub(in crate::publication) use list::{BY_PROGRAM, PublicationItem, STATEMENTS};
pub(in crate::publication) use resolvers::OPERATIONS;
pub(in crate::publication) use store::{lock, lock_release};
pub(in crate::publication) use writing::{Beginning, begin, change};
