//! The pages of the changelog and the blog: what the API answers, as far as they show it, and their templates in
//! `rest/templates`.

use askama::Template;
use serde::Deserialize;

use super::readable::Asked;

/// A page of a list.
#[derive(Deserialize)]
pub(super) struct ListOf<T> {
    pub(super) data: Vec<T>,
    pub(super) page: Cursor,
}

/// Where a page of a list ends.
#[derive(Deserialize)]
pub(super) struct Cursor {
    pub(super) next_cursor: Option<String>,
}

/// An entry of the changelog in a list.
#[derive(Deserialize)]
pub(super) struct EntrySummary {
    slug: String,
    title: String,
    summary: String,
    released_at: String,
    version: String,
    change: String,
    action_required: bool,
}

/// The list of the changelog.
#[derive(Template)]
#[template(path = "changelog.html")]
pub(super) struct Changelog<'a> {
    pub(super) asked: &'a Asked,
    pub(super) list: ListOf<EntrySummary>,
}

impl Changelog<'_> {
    /// The kinds of change, for choosing one.
    const CHANGES: [&'static str; 5] = ["ADDED", "CHANGED", "DEPRECATED", "FIXED", "SECURITY"];
}

/// An entry of the changelog.
#[derive(Deserialize, Template)]
#[template(path = "entry.html")]
pub(super) struct Entry {
    title: String,
    summary: String,
    released_at: String,
    version: String,
    change: String,
    action_required: bool,
    effective_at: Option<String>,
    sunset_at: Option<String>,
    operations: Vec<String>,
    body_html: String,
    migration_html: Option<String>,
}

/// Who wrote a post.
#[derive(Deserialize)]
pub(super) struct Author {
    name: String,
}

/// A post of the blog in a list.
#[derive(Deserialize)]
pub(super) struct PostSummary {
    slug: String,
    title: String,
    summary: String,
    released_at: String,
    author: Option<Author>,
    reading_minutes: u32,
    tags: Vec<String>,
}

/// The list of the blog.
#[derive(Template)]
#[template(path = "blog.html")]
pub(super) struct Blog<'a> {
    pub(super) asked: &'a Asked,
    pub(super) list: ListOf<PostSummary>,
}

/// The post before or after another.
#[derive(Deserialize)]
pub(super) struct Neighbour {
    slug: String,
    title: String,
}

/// A post of the blog.
#[derive(Deserialize, Template)]
#[template(path = "post.html")]
pub(super) struct Post {
    title: String,
    summary: String,
    released_at: String,
    author: Option<Author>,
    reading_minutes: u32,
    tags: Vec<String>,
    body_html: String,
    next: Option<Neighbour>,
    former: Option<Neighbour>,
}

/// Why there is no page.
#[derive(Deserialize, Template)]
#[template(path = "notice.html")]
pub(super) struct Notice {
    pub(super) title: String,
    pub(super) detail: String,
}

/// The day of a moment, as answers tell it.
fn day(moment: &str) -> &str {
    moment.get(..10).unwrap_or(moment)
}

/// A kind of change, for people.
fn change_name(change: &str) -> &'static str {
    match change {
        "ADDED" => "Added",
        "CHANGED" => "Changed",
        "DEPRECATED" => "Deprecated",
        "FIXED" => "Fixed",
        "SECURITY" => "Security",
        _ => "Other",
    }
}
