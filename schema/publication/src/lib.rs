//! Publications: changelog entries, blog posts and developer resources.

mod changelog_entries;
mod developer_resources;
mod feeds;
mod generated;
pub mod items;
mod public_blog_posts;
mod public_changelog;
mod public_developer_resources;
mod readers;

use labs_core::list::Statements;
use labs_core::operation::Operation;

/// SQL of the module that is assembled at run time, so the compiler does not check it.
pub fn statements() -> impl Iterator<Item = &'static dyn Statements> {
    let of_resources: [&[&dyn Statements]; _] = [
        &items::STATEMENTS,
        &public_changelog::STATEMENTS,
        &public_blog_posts::STATEMENTS,
        &feeds::STATEMENTS,
        &developer_resources::STATEMENTS,
    ];
    of_resources.into_iter().flatten().copied()
}

/// Operations of the group.
pub const OPERATIONS: &[&[Operation]] = &[
    changelog_entries::OPERATIONS,
    developer_resources::OPERATIONS,
    feeds::OPERATIONS,
    items::OPERATIONS,
    public_blog_posts::OPERATIONS,
    public_changelog::OPERATIONS,
    public_developer_resources::OPERATIONS,
];
