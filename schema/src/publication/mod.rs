//! Publications: changelog entries, blog posts and developer resources.

mod changelog_entries;
mod developer_resources;
mod feeds;
mod generated;
pub(crate) mod items;
mod public_blog_posts;
mod public_changelog;
mod public_developer_resources;
mod readers;

use labs_core::engine::roots;
use labs_core::list::Statements;

/// SQL of the module that is assembled at run time, so the compiler does not check it.
pub(crate) fn statements() -> impl Iterator<Item = &'static dyn Statements> {
    let of_resources: [&[&dyn Statements]; _] = [
        &items::STATEMENTS,
        &public_changelog::STATEMENTS,
        &public_blog_posts::STATEMENTS,
        &feeds::STATEMENTS,
        &developer_resources::STATEMENTS,
    ];
    of_resources.into_iter().flatten().copied()
}

roots! {
    /// Queries of the module.
    pub(crate) struct PublicationQuery(
        changelog_entries::ChangelogEntriesQuery,
        developer_resources::DeveloperResourcesQuery,
        feeds::FeedsQuery,
        items::PublicationItemsQuery,
        public_blog_posts::PublicBlogPostsQuery,
        public_changelog::PublicChangelogQuery,
        public_developer_resources::PublicDeveloperResourcesQuery,
    );
}

roots! {
    /// Mutations of the module.
    pub(crate) struct PublicationMutation(
        changelog_entries::ChangelogEntriesMutation,
        items::PublicationItemsMutation,
        items::PublicationStepsMutation,
    );
}
