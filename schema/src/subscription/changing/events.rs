//! The history of a subscription, for its partner and for staff.

use async_graphql::{Enum, SimpleObject};
use serde_json::Value;
use uuid::Uuid;

use super::store::events::{self, EventRow, Filter};
use crate::ask::Ask;
use crate::fault::Fault;
use crate::page::{Page, Window, names};
use crate::time::Time;

/// Something that happened to a subscription.
#[derive(serde::Serialize, SimpleObject)]
#[graphql(rename_fields = "snake_case")]
pub(crate) struct SubscriptionEvent {
    /// The entry.
    uuid: Uuid,
    /// When it happened.
    occurred_at: Time,
    /// What: `CHANGED`, `CANCELLED` and so on.
    kind: String,
    /// The tier before, where it is about one.
    from_tier_code: Option<String>,
    /// The tier after or to come, where it is about one.
    to_tier_code: Option<String>,
    /// Who did it.
    actor: SubscriptionActor,
    /// What staff gave as their reason.
    reason: Option<String>,
    /// When what was settled takes effect, where that is later.
    effective_at: Option<Time>,
    /// The feature whose value was overridden.
    feature_code: Option<String>,
}

/// Who did something to a subscription.
#[derive(serde::Serialize, SimpleObject)]
#[graphql(rename_fields = "snake_case")]
pub(crate) struct SubscriptionActor {
    /// Which kind.
    kind: SubscriptionActorKind,
    /// The person or program; null for time, and for staff where a partner reads.
    uuid: Option<Uuid>,
    /// The name that they have now; null where there is no uuid, or they are gone.
    name: Option<String>,
}

/// The kinds of those who do something to a subscription.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Enum, serde::Serialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub(crate) enum SubscriptionActorKind {
    /// A person of the partner's team.
    PartnerUser,
    /// A program.
    MachineClient,
    /// An internal person.
    StaffUser,
    /// The service itself, because the time had come.
    System,
}

/// The part of a history that is asked for.
pub(crate) struct Events {
    /// The list, as cursors are bound to it.
    pub(crate) list: &'static str,
    /// Whose history.
    pub(crate) partner_uuid: Uuid,
    /// Only of these kinds.
    pub(crate) kind: Option<Vec<String>>,
    /// Only since this moment.
    pub(crate) occurred_at_from: Option<Time>,
    /// Only before this moment.
    pub(crate) occurred_at_until: Option<Time>,
    /// Whether staff read, who see which of them did something.
    pub(crate) names_staff: bool,
}

impl Events {
    /// A page of it, the latest first; and how many there are in all, if that is wanted.
    ///
    /// # Errors
    /// [`crate::Code::InvalidCursor`].
    pub(crate) async fn page(
        self,
        ask: &Ask,
        limit: Option<i32>,
        cursor: Option<&str>,
        with_total: bool,
    ) -> Result<(Vec<SubscriptionEvent>, Page, Option<i64>), Fault> {
        let filter = Filter {
            partner_uuid: self.partner_uuid,
            kind: names(self.kind),
            occurred_at_from: self.occurred_at_from,
            occurred_at_until: self.occurred_at_until,
            names_staff: self.names_staff,
        };
        let window = Window::read(&ask.services.cursors, self.list, &filter, limit, cursor)?;
        let rows = events::page(&ask.db, &filter, &window).await?;
        let total = if with_total { Some(events::count(&ask.db, &filter).await?) } else { None };
        let (rows, page) = window.cut(rows, EventRow::keys);
        Ok((rows.into_iter().map(Into::into).collect(), page, total))
    }
}

impl SubscriptionActorKind {
    /// Reads the column's value.
    pub(crate) fn of(text: &str) -> Self {
        match text {
            "PARTNER_USER" => Self::PartnerUser,
            "MACHINE_CLIENT" => Self::MachineClient,
            "STAFF_USER" => Self::StaffUser,
            _ => Self::System,
        }
    }
}

impl SubscriptionActor {
    /// Whoever stands in the columns.
    pub(crate) fn of(kind: &str, uuid: Option<Uuid>, name: Option<String>) -> Self {
        Self { kind: SubscriptionActorKind::of(kind), uuid, name }
    }
}

impl From<EventRow> for SubscriptionEvent {
    fn from(row: EventRow) -> Self {
        let said = |name: &str| row.detail.get(name).and_then(Value::as_str);
        Self {
            effective_at: said("effective_at").and_then(|text| text.parse().ok()).map(Time),
            feature_code: said("feature_code").map(str::to_owned),
            uuid: row.event_uuid,
            occurred_at: row.occurred_at,
            kind: row.kind,
            from_tier_code: row.from_tier_code,
            to_tier_code: row.to_tier_code,
            actor: SubscriptionActor::of(&row.actor_kind, row.actor_uuid, row.actor_name),
            reason: row.reason,
        }
    }
}
