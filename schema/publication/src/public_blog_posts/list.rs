//! Released posts: one with its neighbours, and the filtered list.

use labs_core::describe::{InputType, OutputType};
use labs_core::fault::Fault;
use labs_core::list::{Condition, FixedOrder, Key, ListQuery, Lookup, Select, SqlValue, Statements};
use labs_core::matches_words;
use labs_core::services::Services;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::readers::{PublicationAnchor, ReleasedItem, author, items_by_slug, released_item, show_with_anchors};

/// Author of a blog post.
#[derive(Clone, Debug, Serialize, Deserialize, OutputType)]
pub(super) struct BlogPostAuthor {
    /// Current name of the author.
    name: String,
}

/// A neighbouring blog post.
#[derive(Clone, Debug, Serialize, Deserialize, OutputType)]
pub(super) struct BlogPostNeighbour {
    /// Slug of the post.
    slug: String,
    /// Title of the item.
    title: String,
}

/// A blog post in the list, without its text.
#[derive(Clone, Debug, Serialize, OutputType, sqlx::FromRow)]
pub(super) struct BlogPostSummary {
    /// Fields of every released item.
    #[sqlx(flatten)]
    #[serde(flatten)]
    pub(super) item: ReleasedItem,
    /// Author of the post. Null unless the author has chosen to be shown.
    #[sqlx(json(nullable))]
    author: Option<BlogPostAuthor>,
    /// Reading time at 200 words per minute, in minutes, rounded up.
    reading_minutes: i32,
}

/// A post of the developer blog.
#[derive(Clone, Debug, Serialize, OutputType, sqlx::FromRow)]
pub(super) struct BlogPost {
    /// Fields that are also in the list.
    #[sqlx(flatten)]
    #[serde(flatten)]
    pub(super) post: BlogPostSummary,
    /// Text in Markdown, as written.
    body: String,
    /// `body` as HTML that is safe to display. HTML in the source is shown as text. Links point to the web, to a
    /// mailbox or into the reference of this service. Headings have the ids that `anchors` lists.
    #[sqlx(skip)]
    body_html: String,
    /// Headings of `body` in order, for a table of contents.
    #[sqlx(skip)]
    anchors: Vec<PublicationAnchor>,
    /// Post released after this one. Null for the latest.
    #[sqlx(json(nullable))]
    next: Option<BlogPostNeighbour>,
    /// Post released before this one. Null for the first.
    #[sqlx(json(nullable))]
    former: Option<BlogPostNeighbour>,
}

impl BlogPost {
    /// Returns the post with its text as HTML.
    ///
    /// # Errors
    /// [`labs_core::Code::Unavailable`] if too many texts wait to be rendered.
    pub(super) async fn with_html(self, services: &Services) -> Result<Self, Fault> {
        let (body_html, anchors) = show_with_anchors(services, &self.body).await?;
        Ok(Self { body_html, anchors, ..self })
    }
}

/// Columns of a [`BlogPostSummary`]. The reading time assumes 200 words a minute.
macro_rules! post {
    () => {
        concat!(released_item!(), ", ", author!(), ", greatest(1, (i.words + 199) / 200) as reading_minutes")
    };
}

static WHOLE: Select<BlogPost> = Select::new(
    concat!(
        post!(),
        ", i.body,
         (select json_build_object('slug', n.slug, 'title', n.title) from publication_item as n
           where n.kind = 'BLOG_POST' and n.state = 'RELEASED'
             and (n.released_at, n.item_uuid) > (i.released_at, i.item_uuid)
           order by n.released_at, n.item_uuid limit 1) as next,
         (select json_build_object('slug', n.slug, 'title', n.title) from publication_item as n
           where n.kind = 'BLOG_POST' and n.state = 'RELEASED'
             and (n.released_at, n.item_uuid) < (i.released_at, i.item_uuid)
           order by n.released_at desc, n.item_uuid desc limit 1) as former"
    ),
    items_by_slug!(),
);

/// Finds the post that has or had a slug.
pub(super) static BY_SLUG: Lookup<BlogPost> =
    Lookup::new(&WHOLE, &["address.kind = 'BLOG_POST' and i.state = 'RELEASED' and address.slug = {}"]);

static SHORT: Select<BlogPostSummary> = Select::new(post!(), "publication_item as i");

/// Filter of the list. The contract describes each field.
#[derive(Debug, Default, Deserialize, Serialize, InputType)]
pub(super) struct BlogPostFilter {
    tag: Option<Vec<String>>,
    q: Option<String>,
}

/// List of posts, latest release first.
pub(super) static POSTS: ListQuery<BlogPostFilter, BlogPostSummary, FixedOrder> = ListQuery {
    operation: "publication_public_blog_posts_list",
    select: &SHORT,
    within: &[Condition { sql: "i.kind = 'BLOG_POST' and i.state = 'RELEASED'", value: |_| Some(SqlValue::Nothing) }],
    conditions: &[
        Condition { sql: "i.tags && {}", value: |of| SqlValue::texts(of.tag.as_ref()) },
        Condition { sql: matches_words!("i.title", "i.summary"), value: |of| of.q.as_deref().map(SqlValue::from) },
    ],
    order: |FixedOrder| const { &[RELEASED.descending(), ID.descending()] },
};

const RELEASED: Key<BlogPostSummary> = Key::moment("i.released_at", |post| json!(post.item.released_at));
const ID: Key<BlogPostSummary> = Key::id("i.item_uuid", |post| json!(post.item.uuid));

/// SQL that this module assembles at run time, so the compiler does not check it.
pub(crate) static STATEMENTS: [&dyn Statements; 2] = [&POSTS, &BY_SLUG];
