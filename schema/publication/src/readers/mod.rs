//! Fields and conditions that all readers of released items share, regardless of the kind.
//!
//! An item that a reader may not see, for any reason, is treated as missing: the response is always the same.

mod file;
mod texts;

use labs_core::describe::OutputType;
use labs_core::fault::Fault;
use labs_core::time::Time;
use serde::Serialize;
use uuid::Uuid;

pub(crate) use file::deliver;
pub(crate) use texts::{PublicationAnchor, show, show_migration, show_with_anchors};

/// Fields of every released item.
#[derive(Clone, Debug, Serialize, OutputType, sqlx::FromRow)]
pub(crate) struct ReleasedItem {
    /// UUID of the item, which never changes. The feed uses the same id.
    pub(crate) uuid: Uuid,
    /// Slug of the item. It may change; a former slug redirects to the current one.
    pub(crate) slug: String,
    /// Title of the item.
    pub(crate) title: String,
    /// Summary in one or two sentences of plain text. May be empty.
    pub(crate) summary: String,
    /// Tags for finding the item.
    pub(crate) tags: Vec<String>,
    /// Time of the first release.
    pub(crate) first_released_at: Time,
    /// Time of the latest release. Later than the first release if the item was withdrawn in between.
    pub(crate) released_at: Time,
    /// Time of the latest release or edit.
    pub(crate) updated_at: Time,
}

/// The columns of a [`ReleasedItem`].
macro_rules! released_item {
    () => {
        "i.item_uuid as uuid, i.slug, i.title, i.summary, i.tags, i.first_released_at, i.released_at, i.updated_at"
    };
}
pub(crate) use released_item;

/// Columns for the author of a post, if shown.
macro_rules! author {
    () => {
        "(select json_build_object('name', known.name)
           from actor_name('STAFF_USER', i.author_uuid) as known(name)
          where i.show_author and known.name is not null) as author"
    };
}
pub(crate) use author;

/// Column for the feature requests on the board that an entry marks as shipped.
macro_rules! shipped {
    () => {
        "array(select r.request_uuid from feature_request as r
                where r.entry_uuid = i.item_uuid and r.shown
                order by r.status_at desc, r.request_uuid limit 100) as feature_requests"
    };
}
pub(crate) use shipped;

/// Items by their current slug and every slug that they had since their release.
macro_rules! items_by_slug {
    () => {
        "publication_slug as address join publication_item as i using (item_uuid)"
    };
}
pub(crate) use items_by_slug;

/// Returns the item found under a slug, if the slug is the current one.
///
/// # Errors
/// [`labs_core::Code::NotFound`] if nothing was found, [`labs_core::Code::Moved`] for a former slug.
pub(crate) fn ensure_current_slug<T>(
    found: Option<T>,
    (thing, slug): (&str, &str),
    item: impl Fn(&T) -> &ReleasedItem,
) -> Result<T, Fault> {
    let found = found.ok_or_else(|| Fault::not_found(thing))?;
    let present = &item(&found).slug;
    if present == slug { Ok(found) } else { Err(Fault::moved("slug", present.as_str())) }
}
