//! Resolvers of notifications.

use labs_core::context::RequestContext;
use labs_core::describe::{InputType, OutputType};
use labs_core::fault::Fault;
use labs_core::list::{PageRequest, Rows};
use labs_core::operation::{Operation, operation, operations};
use labs_core::page::Page;
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

/// A page of notifications, with the number of unread ones.
#[derive(Serialize, OutputType)]
#[describe(paged)]
pub(super) struct BoardNotificationList {
    /// Notifications of this page.
    data: Vec<BoardNotification>,
    /// Cursor of the next page.
    page: Page,
    /// Number of notifications of the last year that the caller has not read. Filters do not change it.
    unread: i64,
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
) -> Result<BoardNotificationList, Fault> {
    let person = Person::require_caller(cx)?;
    let naming = pseudonym::notification_key(&cx.services.key, person.uuid);
    let reading = store::get_read_state(cx, &person).await?;
    let unread = store::count_unread(cx, &person, &reading).await?;
    let news = PersonNotifications::of(person, filter.unwrap_or_default(), naming, reading);
    let Rows { rows, page } = NEWS.page(cx, &news, &PageRequest::new(None, limit, cursor)).await?;
    let data = rows.into_iter().map(BoardNotification::with_plain_excerpt).collect();
    Ok(BoardNotificationList { data, page, unread })
}

/// Mark notifications as read.
#[operation(mutation, access = "engagement.feature-requests:write")]
async fn engagement_notifications_mark_read(
    cx: &RequestContext,
    body: BoardNotificationsMarkRead,
) -> Result<BoardNotificationsUnread, Fault> {
    let person = Person::require_caller(cx)?;
    if body.all == Some(false) {
        return Err(Fault::field("/all", "NOT_ALLOWED", "Send true, or the ids of the notifications instead."));
    }
    let some = body.notification_uuids.unwrap_or_default();
    let marked = if body.all == Some(true) { MarkedRead::All } else { MarkedRead::Some(&some) };
    let before = store::lock_reading(cx, &person).await?;
    let (reading, unread) = before.after(marked, &store::list_all(cx, &person).await?);
    store::set_reading(cx, &person, &reading).await?;
    Ok(BoardNotificationsUnread { unread })
}
