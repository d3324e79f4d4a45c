//! Items of a feed, and the stamp that identifies its current content.

use labs_core::list::{Lookup, Select, Statements};
use serde::Deserialize;

use crate::items::rules::ChangeKind;
use crate::readers::{ReleasedItem, author, released_item};

/// An item as shown in a feed.
#[derive(Clone, Debug, sqlx::FromRow)]
pub(super) struct FeedItem {
    #[sqlx(flatten)]
    pub(super) item: ReleasedItem,
    pub(super) body: String,
    pub(super) migration: Option<String>,
    pub(super) change: Option<ChangeKind>,
    pub(super) action_required: bool,
    #[sqlx(json(nullable))]
    pub(super) author: Option<FeedAuthor>,
}

/// Author of a post, if shown.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct FeedAuthor {
    pub(super) name: String,
}

static ITEM: Select<FeedItem> = Select::around(
    concat!(released_item!(), ", ", author!(), ", i.body, i.migration, i.change, i.action_required"),
    "publication_item as i",
    " order by i.released_at desc, i.item_uuid desc limit 50",
);

/// Latest items of a kind.
pub(super) static LATEST: Lookup<FeedItem> = Lookup::new(&ITEM, &["i.state = 'RELEASED' and i.kind = {}"]);

static STAMP: Select<(String,)> =
    Select::new("concat_ws('.', count(*), sum(i.xmin::text::bigint))", "publication_item as i");

/// Stamp of the released items of a kind: their number, and the transaction that last wrote each.
pub(super) static STAMP_OF: Lookup<(String,)> = Lookup::new(&STAMP, &["i.state = 'RELEASED' and i.kind = {}"]);

/// SQL that this module assembles at run time, so the compiler does not check it.
pub(crate) static STATEMENTS: [&dyn Statements; 2] = [&LATEST, &STAMP_OF];
