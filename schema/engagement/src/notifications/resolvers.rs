//! Resolvers of notifications.

use labs_core::context::RequestContext;
use labs_core::describe::{InputType, OutputType};
use labs_core::fault::Fault;
use labs_core::list::PageRequest;
use labs_core::operation::{Operation, operation, operations};
use labs_core::page::List;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::list::{BoardNotification, BoardNotificationFilter, NEWS, PersonNotifications};
use super::read_state::MarkedRead;
use super::store;
use crate::people::Person;
use crate::pseudonym;

/// Notifications to mark as read: `all`, or some by their ids.
#[derive(Deserialize, InputType)]
pub(super) struct BoardNotificationsMarkRead {
    /// Marks all current notifications.
    all: Option<bool>,
    /// Ids of the notifications to mark.
    notification_uuids: Option<Vec<Uuid>>,
}

/// Number of unread notifications.
#[derive(Clone, Copy, Debug, Serialize, OutputType)]
pub(super) struct BoardNotificationsUnread {
    /// Number of notifications that the caller has not read.
    unread: usize,
}

/// Operations of this file.
pub(crate) const OPERATIONS: &[Operation] =
    operations![engagement_notifications_list, engagement_notifications_mark_read];

/// List notifications.
#[operation(query, access = "engagement.feature-requests")]
async fn engagement_notifications_list(
    cx: &RequestContext,
    filter: Option<BoardNotificationFilter>,
    limit: Option<i32>,
    cursor: Option<String>,
) -> Result<List<BoardNotification>, Fault> {
    let person = Person::require_caller(cx)?;
    let naming = pseudonym::notification_key(&cx.services.key, person.uuid);
    let news =
        PersonNotifications::of(person, filter.unwrap_or_default(), naming, store::get_read_state(cx, &person).await?);
    Ok(NEWS.page(cx, &news, &PageRequest::new(None, limit, cursor)).await?.list())
}

/// Mark notifications as read.
#[operation(mutation, access = "engagement.feature-requests:write")]
async fn engagement_notifications_mark_read(
    cx: &RequestContext,
    body: BoardNotificationsMarkRead,
) -> Result<BoardNotificationsUnread, Fault> {
    let person = Person::require_caller(cx)?;
    let some = body.notification_uuids.unwrap_or_default();
    let marked = if body.all == Some(true) { MarkedRead::All } else { MarkedRead::Some(&some) };
    let before = store::lock_reading(cx, &person).await?;
    let (reading, unread) = before.after(marked, &store::list_all(cx, &person).await?);
    store::set_reading(cx, &person, &reading).await?;
    Ok(BoardNotificationsUnread { unread })
}
