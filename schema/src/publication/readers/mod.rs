//! What all readers are told of items, whatever their kind: of what is released, and for whom they are.
//!
//! Whatever readers do not see, for whichever reason, is not there: each of them is answered the same.

mod file;
mod texts;

use async_graphql::SimpleObject;
use serde::Serialize;
use uuid::Uuid;

use crate::core::fault::Fault;
use crate::core::time::Time;

pub(in crate::publication) use file::deliver;
pub(in crate::publication) use texts::{PublicationAnchor, show, show_migration, show_with_anchors};

/// What is told of every item, wherever it stands.
#[derive(Clone, Debug, Serialize, SimpleObject, sqlx::FromRow)]
#[graphql(rename_fields = "snake_case")]
pub(crate) struct ReleasedItem {
    /// Its id, which never changes.
    pub(in crate::publication) uuid: Uuid,
    /// Its name in addresses.
    pub(in crate::publication) slug: String,
    /// Its title.
    pub(in crate::publication) title: String,
    /// What it is about, in a sentence or two.
    pub(in crate::publication) summary: String,
    /// Words to find it by.
    pub(in crate::publication) tags: Vec<String>,
    /// Time of the first release.
    pub(in crate::publication) first_released_at: Time,
    /// Time of the latest release.
    pub(in crate::publication) released_at: Time,
    /// When what readers see last changed.
    pub(in crate::publication) updated_at: Time,
}

/// The columns of a [`ReleasedItem`].
macro_rules! released_item {
    () => {
        "i.item_uuid as uuid, i.slug, i.title, i.summary, i.tags, i.first_released_at, i.released_at, i.updated_at"
    };
}
pub(in crate::publication) use released_item;

/// Who wrote a post, where they want it told.
macro_rules! author {
    () => {
        "(select json_build_object('name', known.name)
           from actor_name('STAFF_USER', i.author_uuid) as known(name)
          where i.show_author and known.name is not null) as author"
    };
}
pub(in crate::publication) use author;

/// The feature requests on the board that an entry says are shipped.
macro_rules! shipped {
    () => {
        "array(select r.request_uuid from feature_request as r
                where r.entry_uuid = i.item_uuid and r.shown
                order by r.status_at desc, r.request_uuid limit 100) as feature_requests"
    };
}
pub(in crate::publication) use shipped;

/// Items by every slug that they have or had since they were released.
macro_rules! items_by_slug {
    () => {
        "publication_slug as address join publication_item as i using (item_uuid)"
    };
}
pub(in crate::publication) use items_by_slug;

/// What was found under a slug, once it is the present one.
///
/// # Errors
/// [`crate::Code::NotFound`] where nothing was found, [`crate::Code::Moved`] for a former slug.
pub(in crate::publication) fn at_present<T>(
    found: Option<T>,
    (thing, slug): (&str, &str),
    item: impl Fn(&T) -> &ReleasedItem,
) -> Result<T, Fault> {
    let found = found.ok_or_else(|| Fault::not_found(thing))?;
    let present = &item(&found).slug;
    if present == slug { Ok(found) } else { Err(Fault::moved("slug", present.as_str())) }
}
