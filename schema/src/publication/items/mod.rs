//! An item of the publication: a changelog entry, a blog post or a developer resource, written by staff and programs and
//! seen by readers once it is released.
//!
//! Nothing gets to readers, or away from them, without a transition that is kept; an edit of what is released is one too,
//! and keeps what was said before. The schedule is kept by [`release_due`].

mod artefact;
mod content;
mod deprecation;
mod due;
mod input;
mod list;
mod proof;
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
pub(in crate::publication) use resolvers::{PublicationItemsMutation, PublicationItemsQuery, PublicationStepsMutation};
pub(in crate::publication) use store::{lock, of_release};
pub(in crate::publication) use writing::{Beginning, begin, change};
