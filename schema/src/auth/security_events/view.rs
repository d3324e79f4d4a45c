//! The ledger of one person, as it is read.

use async_graphql::{Enum, SimpleObject};
use serde::{Deserialize, Serialize};
use serde_json::json;
use uuid::Uuid;

use super::store::{self, EventRow, Filter};
use crate::ask::Ask;
use crate::auth::devices::device;
use crate::fault::Fault;
use crate::page::{Page, Window, names};
use crate::time::Time;

/// How something in the ledger ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Enum, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub(crate) enum SecurityEventOutcome {
    /// It was done.
    Succeeded,
    /// It was not allowed.
    Refused,
    /// It did not work: a wrong password, a wrong code.
    Failed,
}

/// Something that happened to a person's account.
#[derive(serde::Serialize, SimpleObject)]
#[graphql(name = "SecurityEvent", rename_fields = "snake_case")]
pub(crate) struct SecurityEventView {
    /// The entry.
    uuid: Uuid,
    /// When it happened.
    occurred_at: Time,
    /// What: `SIGN_IN`, `PASSWORD_CHANGED` and so on.
    kind: String,
    /// How it ended.
    outcome: SecurityEventOutcome,
    /// The session concerned.
    session_uuid: Option<Uuid>,
    /// From which network address.
    address: Option<String>,
    /// With what, in a few words.
    device: Option<String>,
    /// With what, in its own words.
    user_agent: Option<String>,
}

/// Which entries are asked for.
#[derive(Debug)]
pub(crate) struct Events {
    /// The list's name, for cursors.
    pub(crate) list: &'static str,
    /// Whose.
    pub(crate) person_uuid: Uuid,
    /// Only of these kinds.
    pub(crate) kind: Option<Vec<String>>,
    /// Only those that ended so.
    pub(crate) outcome: Option<Vec<SecurityEventOutcome>>,
    /// Only from this moment on.
    pub(crate) occurred_at_from: Option<Time>,
    /// Only before this moment.
    pub(crate) occurred_at_until: Option<Time>,
}

impl Events {
    /// A page of a person's ledger.
    pub(crate) async fn page(
        &self,
        ask: &Ask,
        limit: Option<i32>,
        cursor: Option<&str>,
    ) -> Result<(Vec<SecurityEventView>, Page), Fault> {
        let filter = self.filter();
        let bound = (self.person_uuid, &filter);
        let window = Window::read(&ask.services.cursors, self.list, &bound, limit, cursor)?;
        let rows = store::page(&ask.db, self.person_uuid, &filter, &window).await?;
        let (rows, page) = window.cut(rows, |row| vec![json!(row.occurred_at), json!(row.event_uuid)]);
        Ok((rows.into_iter().map(SecurityEventView::from).collect(), page))
    }

    /// How many entries are asked for in all.
    pub(crate) async fn count(&self, ask: &Ask) -> Result<i64, Fault> {
        store::count(&ask.db, self.person_uuid, &self.filter()).await
    }

    fn filter(&self) -> Filter {
        Filter {
            kind: self.kind.clone(),
            outcome: names(self.outcome.clone()),
            occurred_at_from: self.occurred_at_from,
            occurred_at_until: self.occurred_at_until,
        }
    }
}

impl SecurityEventOutcome {
    /// Reads the column's value.
    pub(crate) fn parse(text: &str) -> Self {
        match text {
            "SUCCEEDED" => Self::Succeeded,
            "REFUSED" => Self::Refused,
            _ => Self::Failed,
        }
    }
}

impl From<EventRow> for SecurityEventView {
    fn from(row: EventRow) -> Self {
        Self {
            uuid: row.event_uuid,
            occurred_at: row.occurred_at,
            kind: row.kind,
            outcome: SecurityEventOutcome::parse(&row.outcome),
            session_uuid: row.session_uuid,
            address: row.address,
            device: row.user_agent.as_deref().and_then(device),
            user_agent: row.user_agent,
        }
    }
}
