//! The pages of the changelog and the blog: the fields of API responses that they show, and their templates in
//! `rest/templates`.

use askama::Template;
use serde::Deserialize;

use super::readable::PageQuery;

/// A page of a list.
#[derive(Deserialize)]
pub(super) struct ListOf<T> {
    pub(super) data: Vec<T>,
    pub(super) page: Cursor,
}

/// The end of a page of a list.
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
    pub(super) asked: &'a PageQuery,
    pub(super) list: ListOf<EntrySummary>,
}

impl Changelog<'_> {
    /// Kinds of change, for the filter.
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

/// An entry of the changelog, in Markdown.
#[derive(Deserialize, Template)]
#[template(path = "entry.md", escape = "none")]
pub(super) struct EntryText {
    title: String,
    summary: String,
    released_at: String,
    version: String,
    change: String,
    action_required: bool,
    effective_at: Option<String>,
    sunset_at: Option<String>,
    operations: Vec<String>,
    body: String,
    migration: Option<String>,
}

/// The author of a post.
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
    pub(super) asked: &'a PageQuery,
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

/// A post of the blog, in Markdown.
#[derive(Deserialize, Template)]
#[template(path = "post.md", escape = "none")]
pub(super) struct PostText {
    title: String,
    summary: String,
    released_at: String,
    author: Option<Author>,
    body: String,
}

/// Explanation of a missing page.
#[derive(Deserialize, Template)]
#[template(path = "notice.html")]
pub(super) struct Notice {
    pub(super) title: String,
    pub(super) detail: String,
}

/// Replaces links to operations (`op:<id>`) in a text with links to their Markdown in the reference.
fn linked(text: &str) -> String {
    let mut whole = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, behind)) = rest.split_once("op:") {
        let length = behind.find(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_');
        let (id, after) = behind.split_at(length.unwrap_or(behind.len()));
        whole += before;
        // An inline link, an autolink or a link definition. Anything else is text.
        if !id.is_empty() && ["](", "<", "]: "].iter().any(|opening| before.ends_with(opening)) {
            whole += &format!("/reference/operations/{id}.md");
        } else {
            whole += &format!("op:{id}");
        }
        rest = after;
    }
    whole + rest
}

/// Returns the day of a time in a response.
fn day(moment: &str) -> &str {
    moment.get(..10).unwrap_or(moment)
}

/// Returns a time for `<time datetime>`: HTML allows three digits of a second, responses have six.
fn second(moment: &str) -> String {
    moment.get(..19).map_or_else(|| moment.to_owned(), |second| format!("{second}Z"))
}

/// Returns the label of a kind of change.
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

#[cfg(test)]
mod tests {
    use super::{linked, second};

    #[test]
    fn moment_has_no_more_digits_than_html_allows() {
        assert_eq!(second("2026-11-28T09:30:00.123456Z"), "2026-11-28T09:30:00Z");
        assert_eq!(second("2026-11-28T09:30:00Z"), "2026-11-28T09:30:00Z");
    }

    #[test]
    fn operation_links_point_to_reference_and_other_text_stays() {
        let text = "[a](op:a_get 'x') [b]\n\n[b]: op:b_get\n\n`op:c_get` op: desktop:left";
        let to = |id: &str| format!("/reference/operations/{id}.md");
        let expected = format!("[a]({} 'x') [b]\n\n[b]: {}\n\n`op:c_get` op: desktop:left", to("a_get"), to("b_get"));
        assert_eq!(linked(text), expected);
    }
}
