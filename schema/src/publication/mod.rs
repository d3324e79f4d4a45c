//! What the service tells: changelog entries, blog posts and developer resources.

mod changelog_entries;
pub(crate) mod items;
pub(crate) mod markdown;

use crate::core::engine::roots;
use crate::core::list::Statements;

/// What is asked in the group in words that the compiler has not checked.
pub(crate) fn statements() -> impl Iterator<Item = &'static dyn Statements> {
    let of_resources: [&[&dyn Statements]; _] = [&items::STATEMENTS];
    of_resources.into_iter().flatten().copied()
}

roots! {
    /// What can be read in the group.
    pub(crate) struct PublicationQuery(
        changelog_entries::ChangelogEntriesQuery,
        items::PublicationItemsQuery,
    );
}

roots! {
    /// What can be written in the group.
    pub(crate) struct PublicationMutation(
        changelog_entries::ChangelogEntriesMutation,
        items::PublicationItemsMutation,
        items::PublicationStepsMutation,
    );
}
