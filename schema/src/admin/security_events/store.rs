//! Every statement that reads the whole ledger.

use ipnet::IpNet;
use serde_json::json;
use uuid::Uuid;

use crate::db::Db;
use crate::fault::Fault;
use crate::page::{Keys, Window};
use crate::paged;
use crate::time::Time;

/// An entry of the ledger with the names of those whom it concerns, as far as they are there.
pub(super) struct EventRow {
    pub(super) event_uuid: Uuid,
    pub(super) occurred_at: Time,
    pub(super) kind: String,
    pub(super) outcome: String,
    pub(super) person_uuid: Option<Uuid>,
    pub(super) person_name: Option<String>,
    pub(super) client_uuid: Option<Uuid>,
    pub(super) client_name: Option<String>,
    pub(super) partner_uuid: Option<Uuid>,
    pub(super) company_name: Option<String>,
    pub(super) session_uuid: Option<Uuid>,
    pub(super) address: Option<String>,
    pub(super) user_agent: Option<String>,
}

/// What the ledger is narrowed to, and in which order it comes.
#[derive(Debug)]
pub(super) struct Filter {
    pub(super) person_uuid: Option<Vec<Uuid>>,
    pub(super) client_uuid: Option<Vec<Uuid>>,
    pub(super) partner_uuid: Option<Vec<Uuid>>,
    pub(super) session_uuid: Option<Vec<Uuid>>,
    pub(super) kind: Option<Vec<String>>,
    pub(super) outcome: Option<Vec<String>>,
    /// From an address in any of these networks.
    pub(super) address: Option<Vec<IpNet>>,
    pub(super) occurred_at_from: Option<Time>,
    pub(super) occurred_at_until: Option<Time>,
    pub(super) earliest_first: bool,
}

/// The filter whose index finds the entries; the others are checked on what it finds.
enum Lead {
    Session,
    Person,
    Client,
    Partner,
    Kind,
    Time,
}

impl Filter {
    /// The filter that is likely to leave the fewest entries.
    fn lead(&self) -> Lead {
        let leads = [
            (self.session_uuid.is_some(), Lead::Session),
            (self.person_uuid.is_some(), Lead::Person),
            (self.client_uuid.is_some(), Lead::Client),
            (self.partner_uuid.is_some(), Lead::Partner),
            (self.kind.is_some(), Lead::Kind),
        ];
        leads.into_iter().find(|(is_set, _)| *is_set).map_or(Lead::Time, |(_, lead)| lead)
    }
}

impl EventRow {
    /// The cursor's keys.
    pub(super) fn keys(&self) -> Keys {
        vec![json!(self.occurred_at), json!(self.event_uuid)]
    }
}

/// The one text of the statements that read a page. `$from` begins the stretch of an index that is read in the list's
/// order. The filters stand in one `coalesce`, because the planner takes each of them for a narrow one, and would
/// rather fetch and sort all that it expects than follow the order of an index.
macro_rules! read {
    ($window:ident, $db:ident, $filter:ident, $from:expr, $within:literal, $order:literal) => {
        paged!(
            $window,
            $db,
            EventRow,
            r#"select event_uuid as "event_uuid!", occurred_at as "occurred_at!", e.kind as "kind!",
                      outcome as "outcome!", e.person_uuid as "person_uuid?", p.name as "person_name?",
                      e.client_uuid as "client_uuid?", c.name as "client_name?", e.partner_uuid as "partner_uuid?",
                      company_name as "company_name?", session_uuid as "session_uuid?", host(address) as "address?",
                      user_agent as "user_agent?"
                 from "#
                + $from
                + " and coalesce(
                    ($3::uuid[] is null or person_uuid = any($3)) and ($4::uuid[] is null or client_uuid = any($4))
                    and ($5::uuid[] is null or partner_uuid = any($5))
                    and ($6::text[] is null or kind = any($6)) and ($7::text[] is null or outcome = any($7))
                    and ($8::uuid[] is null or session_uuid = any($8))
                    and ($9::inet[] is null or address <<= any($9)), false)
                    and occurred_at >= coalesce($10, '-infinity'::timestamptz)
                    and occurred_at < coalesce($11, 'infinity'::timestamptz) and "
                + $within
                + " order by "
                + $order
                + " limit 101) as e
                 left join person as p on p.person_uuid = e.person_uuid
                 left join machine_client as c on c.client_uuid = e.client_uuid
                 left join (select partner_uuid as of_uuid, company_name from partner) as o on o.of_uuid = e.partner_uuid
                order by "
                + $order,
            $window.key::<Time>(0)? as Option<Time>,
            $window.key::<Uuid>(1)?,
            $filter.person_uuid.as_deref(),
            $filter.client_uuid.as_deref(),
            $filter.partner_uuid.as_deref(),
            $filter.kind.as_deref(),
            $filter.outcome.as_deref(),
            $filter.session_uuid.as_deref(),
            $filter.address.as_deref() as Option<&[IpNet]>,
            $filter.occurred_at_from as Option<Time>,
            $filter.occurred_at_until as Option<Time>,
        )
    };
}

/// A statement that takes the values of the leading filter one by one, so that each reads its own stretch of that
/// filter's index, however many they are.
macro_rules! led {
    ($window:ident, $db:ident, $filter:ident, $values:literal, $column:literal, $within:literal, $order:literal) => {
        read!(
            $window,
            $db,
            $filter,
            "unnest("
                + $values
                + ") as wanted (value) cross join lateral (select * from security_event where "
                + $column
                + " = wanted.value",
            $within,
            $order
        )
    };
}

/// The statements of one direction: the index of the leading filter serves each.
macro_rules! read_in {
    ($window:ident, $db:ident, $filter:ident, $within:literal, $order:literal) => {
        match $filter.lead() {
            Lead::Session => led!($window, $db, $filter, "$8::uuid[]", "session_uuid", $within, $order),
            Lead::Person => led!($window, $db, $filter, "$3::uuid[]", "person_uuid", $within, $order),
            Lead::Client => led!($window, $db, $filter, "$4::uuid[]", "client_uuid", $within, $order),
            Lead::Partner => led!($window, $db, $filter, "$5::uuid[]", "partner_uuid", $within, $order),
            Lead::Kind => led!($window, $db, $filter, "$6::text[]", "kind", $within, $order),
            Lead::Time => {
                read!($window, $db, $filter, "(select * from security_event where true", $within, $order)
            }
        }
    };
}

/// A page of the ledger.
pub(super) async fn page(db: &Db, filter: &Filter, window: &Window) -> Result<Vec<EventRow>, Fault> {
    Ok(if filter.earliest_first {
        read_in!(
            window,
            db,
            filter,
            "(occurred_at, event_uuid) > (coalesce($1, '-infinity'::timestamptz),
                                          coalesce($2, '00000000-0000-0000-0000-000000000000'::uuid))",
            "occurred_at, event_uuid"
        )
    } else {
        read_in!(
            window,
            db,
            filter,
            "(occurred_at, event_uuid) < (coalesce($1, 'infinity'::timestamptz),
                                          coalesce($2, 'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid))",
            "occurred_at desc, event_uuid desc"
        )
    }?)
}

/// How many entries the filter finds.
pub(super) async fn count(db: &Db, filter: &Filter) -> Result<i64, Fault> {
    Ok(sqlx::query_scalar!(
        r#"select count(*) as "count!" from security_event
            where ($1::uuid[] is null or person_uuid = any($1)) and ($2::uuid[] is null or client_uuid = any($2))
              and ($3::uuid[] is null or partner_uuid = any($3))
              and ($4::text[] is null or kind = any($4)) and ($5::text[] is null or outcome = any($5))
              and ($6::uuid[] is null or session_uuid = any($6)) and ($7::inet[] is null or address <<= any($7))
              and occurred_at >= coalesce($8, '-infinity'::timestamptz)
              and occurred_at < coalesce($9, 'infinity'::timestamptz)"#,
        filter.person_uuid.as_deref(),
        filter.client_uuid.as_deref(),
        filter.partner_uuid.as_deref(),
        filter.kind.as_deref(),
        filter.outcome.as_deref(),
        filter.session_uuid.as_deref(),
        filter.address.as_deref() as Option<&[IpNet]>,
        filter.occurred_at_from as Option<Time>,
        filter.occurred_at_until as Option<Time>,
    )
    .fetch_one(&mut *db.conn().await?)
    .await?)
}
