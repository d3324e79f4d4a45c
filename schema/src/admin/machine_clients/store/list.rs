//! The statements of the staff's list of programs.

use serde_json::json;
use uuid::Uuid;

use super::ClientRow;
use crate::db::Db;
use crate::fault::Fault;
use crate::page::{Keys, Window};
use crate::paged;
use crate::time::Time;

/// What the list is narrowed to.
#[derive(Debug)]
pub(in super::super) struct Filter {
    pub(in super::super) state: Option<Vec<String>>,
    pub(in super::super) partner_uuid: Option<Vec<Uuid>>,
    pub(in super::super) bound: Option<bool>,
    /// Any scope of these is allowed.
    pub(in super::super) scopes: Option<Vec<String>>,
    pub(in super::super) q: Option<String>,
    pub(in super::super) last_used_at_from: Option<Time>,
    pub(in super::super) last_used_at_until: Option<Time>,
}

/// The orders of the list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in super::super) enum Order {
    NewestFirst,
    OldestFirst,
    ByName,
    LastUsedFirst,
}

impl ClientRow {
    /// The cursor's keys under this order.
    pub(in super::super) fn keys(&self, order: Order) -> Keys {
        let first = match order {
            Order::NewestFirst | Order::OldestFirst => json!(self.created_at),
            Order::ByName => json!(self.name_sorted),
            Order::LastUsedFirst => json!(self.last_used_at.unwrap_or(Time(jiff::Timestamp::UNIX_EPOCH))),
        };
        vec![first, json!(self.client_uuid)]
    }
}

/// A page under the filter; `$after` is the cursor's first key and `$tail` places the page.
macro_rules! filtered {
    ($window:ident, $db:ident, $filter:ident, $after:expr, $tail:literal) => {
        paged!(
            $window,
            $db,
            ClientRow,
            r#"select client_uuid as "client_uuid!", client_id as "client_id!", partner_uuid, company_name,
                   name as "name!", lower(name) as "name_sorted!", contact_email, allowed_scopes as "allowed_scopes!",
                   allowed_networks as "allowed_networks!", state as "state!", created_at as "created_at!",
                   updated_at as "updated_at!", last_used_at, secrets as "secrets!: _", used_scopes as "used_scopes!: _"
              from machine_client_shown
             where ($1::text[] is null or state = any($1)) and ($2::uuid[] is null or partner_uuid = any($2))
               and ($3::boolean is null or (partner_uuid is not null) = $3)
               and ($4::text[] is null or allowed_scopes && $4)
               and ($5::text is null or strpos(lower(name), lower($5)) > 0 or strpos(client_id, lower($5)) > 0
                    or strpos(lower(contact_email), lower($5)) > 0 or strpos(lower(company_name), lower($5)) > 0)
               and ($6::timestamptz is null or last_used_at >= $6) and ($7::timestamptz is null or last_used_at < $7)"#
                + $tail,
            $filter.state.as_deref(),
            $filter.partner_uuid.as_deref(),
            $filter.bound,
            $filter.scopes.as_deref(),
            $filter.q,
            $filter.last_used_at_from as Option<Time>,
            $filter.last_used_at_until as Option<Time>,
            $after,
            $window.key::<Uuid>(1)?,
        )
    };
}

/// A page of programs.
pub(in super::super) async fn page(
    db: &Db,
    filter: &Filter,
    order: Order,
    window: &Window,
) -> Result<Vec<ClientRow>, Fault> {
    Ok(match order {
        Order::NewestFirst => filtered!(window, db, filter, window.key::<Time>(0)? as Option<Time>, "
            and (created_at, client_uuid) < (coalesce($8, 'infinity'::timestamptz), coalesce($9, 'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid))
          order by created_at desc, client_uuid desc"),
        Order::OldestFirst => filtered!(window, db, filter, window.key::<Time>(0)? as Option<Time>, "
            and (created_at, client_uuid) > (coalesce($8, '-infinity'::timestamptz), coalesce($9, '00000000-0000-0000-0000-000000000000'::uuid))
          order by created_at, client_uuid"),
        Order::ByName => filtered!(window, db, filter, window.key::<String>(0)?, "
            and (lower(name), client_uuid) > (coalesce($8, ''), coalesce($9, '00000000-0000-0000-0000-000000000000'::uuid))
          order by lower(name), client_uuid"),
        Order::LastUsedFirst => filtered!(window, db, filter, window.key::<Time>(0)? as Option<Time>, "
            and (coalesce(last_used_at, '1970-01-01 00:00:00+00'::timestamptz), client_uuid)
                < (coalesce($8, 'infinity'::timestamptz), coalesce($9, 'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid))
          order by coalesce(last_used_at, '1970-01-01 00:00:00+00'::timestamptz) desc, client_uuid desc"),
    }?)
}

/// How many programs the filter finds.
pub(in super::super) async fn count(db: &Db, filter: &Filter) -> Result<i64, Fault> {
    Ok(sqlx::query_scalar!(
        r#"select count(*) as "count!" from machine_client as c left join partner as p using (partner_uuid)
            where ($1::text[] is null or c.state = any($1)) and ($2::uuid[] is null or partner_uuid = any($2))
              and ($3::boolean is null or (partner_uuid is not null) = $3)
              and ($4::text[] is null or allowed_scopes && $4)
              and ($5::text is null or strpos(lower(name), lower($5)) > 0 or strpos(client_id, lower($5)) > 0
                   or strpos(lower(contact_email), lower($5)) > 0 or strpos(lower(company_name), lower($5)) > 0)
              and ($6::timestamptz is null or last_used_at >= $6) and ($7::timestamptz is null or last_used_at < $7)"#,
        filter.state.as_deref(),
        filter.partner_uuid.as_deref(),
        filter.bound,
        filter.scopes.as_deref(),
        filter.q,
        filter.last_used_at_from as Option<Time>,
        filter.last_used_at_until as Option<Time>,
    )
    .fetch_one(&mut *db.conn().await?)
    .await?)
}
