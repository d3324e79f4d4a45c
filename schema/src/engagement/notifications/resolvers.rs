//! Resolvers of notifications.

use async_graphql::{Context, InputObject, Object, SimpleObject};
use labs_core::access::access;
use labs_core::context::RequestContextExt;
use labs_core::fault::Fault;
use labs_core::list::PageRequest;
use labs_core::page::List;
use serde::Serialize;
use uuid::Uuid;

use super::list::{BoardNotification, BoardNotificationFilter, NEWS, PersonNotifications};
use super::read_state::MarkedRead;
use super::store;
use crate::engagement::people::Person;
use crate::engagement::pseudonym;

/// Notifications that the caller has read: all, or some.
#[derive(InputObject)]
#[graphql(rename_fields = "snake_case")]
pub(crate) struct BoardNotificationsMarkRead {
    /// Marks all current notifications.
    all: Option<bool>,
    /// Ids of the notifications to mark.
    notification_uuids: Option<Vec<Uuid>>,
}

/// Number of unread notifications.
#[derive(Clone, Copy, Debug, Serialize, SimpleObject)]
#[graphql(rename_fields = "snake_case")]
pub(crate) struct BoardNotificationsUnread {
    /// Number of the caller's unread notifications.
    unread: usize,
}

/// Queries of the caller's notifications.
#[derive(Default)]
pub(in crate::engagement) struct NotificationsQuery;

#[Object(rename_fields = "snake_case", rename_args = "snake_case")]
impl NotificationsQuery {
    /// List notifications.
    #[graphql(directive = access::apply("engagement.feature-requests".into()))]
    async fn engagement_notifications_list(
        &self,
        ctx: &Context<'_>,
        filter: Option<BoardNotificationFilter>,
        limit: Option<i32>,
        cursor: Option<String>,
    ) -> Result<Option<List<BoardNotification>>, Fault> {
        let cx = ctx.cx();
        let person = Person::require_caller(cx)?;
        let naming = pseudonym::notification_key(&cx.services.key, person.uuid);
        let news = PersonNotifications::of(
            person,
            filter.unwrap_or_default(),
            naming,
            store::get_read_state(cx, &person).await?,
        );
        cx.answer_list(NEWS.page(cx, &news, &PageRequest::new(None, limit, cursor)).await?.list())
    }
}

/// Mutations of the caller's read state.
#[derive(Default)]
pub(in crate::engagement) struct NotificationsMutation;

#[Object(rename_fields = "snake_case", rename_args = "snake_case")]
impl NotificationsMutation {
    /// Mark notifications as read.
    #[graphql(directive = access::apply("engagement.feature-requests:write".into()))]
    async fn engagement_notifications_mark_read(
        &self,
        ctx: &Context<'_>,
        body: BoardNotificationsMarkRead,
    ) -> Result<Option<BoardNotificationsUnread>, Fault> {
        let cx = ctx.cx();
        let person = Person::require_caller(cx)?;
        let some = body.notification_uuids.unwrap_or_default();
        let marked = if body.all == Some(true) { MarkedRead::All } else { MarkedRead::Some(&some) };
        let before = store::lock_reading(cx, &person).await?;
        let (reading, unread) = before.after(marked, &store::list_all(cx, &person).await?);
        store::set_reading(cx, &person, &reading).await?;
        cx.answer(BoardNotificationsUnread { unread })
    }
}
