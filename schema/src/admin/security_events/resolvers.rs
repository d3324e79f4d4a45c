//! What may be asked of the whole ledger, and by whom.

use async_graphql::{Context, Object, SimpleObject};
use uuid::Uuid;

use super::store::{self, EventRow, Filter};
use crate::access::{access, audit_partner, audit_target};
use crate::admin::networks;
use crate::ask::Asking;
use crate::auth::devices::device;
use crate::auth::security_events::SecurityEventOutcome;
use crate::fault::Fault;
use crate::page::{CountedList, CountedPage, Window, names};
use crate::time::Time;

/// Something that happened to an account or a program.
#[derive(serde::Serialize, SimpleObject)]
#[graphql(rename_fields = "snake_case")]
pub(crate) struct LedgerEvent {
    /// The entry.
    uuid: Uuid,
    /// When it happened.
    occurred_at: Time,
    /// What: `SIGN_IN`, `TOKEN_REFUSED` and so on.
    kind: String,
    /// How it ended.
    outcome: SecurityEventOutcome,
    /// The person concerned.
    person_uuid: Option<Uuid>,
    /// Their name.
    person_name: Option<String>,
    /// The program concerned.
    client_uuid: Option<Uuid>,
    /// Its name.
    client_name: Option<String>,
    /// The partner concerned.
    partner_uuid: Option<Uuid>,
    /// Its name.
    company_name: Option<String>,
    /// The session concerned.
    session_uuid: Option<Uuid>,
    /// From which network address.
    address: Option<String>,
    /// With what, in a few words.
    device: Option<String>,
    /// With what, in its own words.
    user_agent: Option<String>,
}

/// Reads of the ledger.
#[derive(Default)]
pub(crate) struct SecurityEventsQuery;

#[Object(rename_fields = "snake_case", rename_args = "snake_case")]
impl SecurityEventsQuery {
    /// Sign-ins, failures and changes of accounts, across people and programs.
    #[graphql(
        directive = access::apply("labs.admin.security".into()),
        directive = audit_target::apply("person".into(), "person_uuid".into()),
        directive = audit_partner::apply("partner_uuid".into())
    )]
    #[expect(clippy::too_many_arguments, reason = "one argument per query parameter of the contract")]
    async fn admin_security_events_list(
        &self,
        ctx: &Context<'_>,
        kind: Option<Vec<String>>,
        outcome: Option<Vec<SecurityEventOutcome>>,
        person_uuid: Option<Vec<Uuid>>,
        client_uuid: Option<Vec<Uuid>>,
        partner_uuid: Option<Vec<Uuid>>,
        session_uuid: Option<Vec<Uuid>>,
        address: Option<Vec<String>>,
        occurred_at_from: Option<Time>,
        occurred_at_until: Option<Time>,
        sort: Option<String>,
        limit: Option<i32>,
        cursor: Option<String>,
        include_total: Option<bool>,
    ) -> Result<Option<CountedList<LedgerEvent>>, Fault> {
        let (ask, list) = (ctx.ask(), "admin_security_events_list");
        let filter = Filter {
            person_uuid: once(person_uuid),
            client_uuid: once(client_uuid),
            partner_uuid: once(partner_uuid),
            session_uuid: once(session_uuid),
            kind: names(kind),
            outcome: names(outcome),
            address: networks::named("address", address)?,
            occurred_at_from,
            occurred_at_until,
            earliest_first: sort.as_deref() == Some("occurred_at"),
        };
        let window = Window::read(&ask.services.cursors, list, &filter, limit, cursor.as_deref())?;
        let rows = store::page(&ask.db, &filter, &window).await?;
        let total = if include_total == Some(true) { Some(store::count(&ask.db, &filter).await?) } else { None };
        let (rows, page) = window.cut(rows, EventRow::keys);
        ask.answer_list(CountedList {
            data: rows.into_iter().map(LedgerEvent::from).collect(),
            page: CountedPage::of(page, total),
        })
    }
}

/// Each value once and in order, so that the same question always makes the same cursor; none at all is no filter.
fn once(values: Option<Vec<Uuid>>) -> Option<Vec<Uuid>> {
    let mut values = values.filter(|values| !values.is_empty())?;
    values.sort_unstable();
    values.dedup();
    Some(values)
}

impl From<EventRow> for LedgerEvent {
    fn from(row: EventRow) -> Self {
        Self {
            uuid: row.event_uuid,
            occurred_at: row.occurred_at,
            kind: row.kind,
            outcome: SecurityEventOutcome::parse(&row.outcome),
            person_uuid: row.person_uuid,
            person_name: row.person_name,
            client_uuid: row.client_uuid,
            client_name: row.client_name,
            partner_uuid: row.partner_uuid,
            company_name: row.company_name,
            session_uuid: row.session_uuid,
            address: row.address,
            device: row.user_agent.as_deref().and_then(device),
            user_agent: row.user_agent,
        }
    }
}
