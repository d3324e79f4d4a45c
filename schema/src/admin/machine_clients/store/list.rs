//! The statements of the staff's list of programs.

use uuid::Uuid;

use super::ClientRow;
use crate::admin::order::{Order, Place, in_order};
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

impl ClientRow {
    /// The cursor's keys under this order.
    pub(in super::super) fn keys(&self, order: Order) -> Keys {
        let (created_at, name, uuid) = (self.created_at, self.name_sorted.as_str(), self.client_uuid);
        order.keys(&Place { created_at, name, seen_at: self.last_used_at, uuid })
    }
}

macro_rules! filtered {
    ($window:ident, $db:ident, $filter:ident, $after:expr, $tail:literal) => {
        paged!(
            $window,
            $db,
            ClientRow,
            r#"select client_uuid as "client_uuid!", client_id as "client_id!", partner_uuid, company_name,
                   c.name as "name!", place.name as "name_sorted!", contact_email, allowed_scopes as "allowed_scopes!",
                   allowed_networks as "allowed_networks!", state as "state!", c.created_at as "created_at!",
                   updated_at as "updated_at!", last_used_at, secrets as "secrets!: _", used_scopes as "used_scopes!: _"
              from machine_client_shown as c
             cross join lateral (select c.created_at, lower(c.name) as name, c.client_uuid as uuid,
                   coalesce(c.last_used_at, '1970-01-01 00:00:00+00'::timestamptz) as seen_at) as place
             where ($3::text[] is null or state = any($3)) and ($4::uuid[] is null or partner_uuid = any($4))
               and ($5::boolean is null or (partner_uuid is not null) = $5)
               and ($6::text[] is null or allowed_scopes && $6)
               and ($7::text is null or strpos(lower(c.name), lower($7)) > 0 or strpos(client_id, lower($7)) > 0
                    or strpos(lower(contact_email), lower($7)) > 0 or strpos(lower(company_name), lower($7)) > 0)
               and ($8::timestamptz is null or last_used_at >= $8) and ($9::timestamptz is null or last_used_at < $9)"#
                + $tail,
            $after,
            $window.key::<Uuid>(1)?,
            $filter.state.as_deref(),
            $filter.partner_uuid.as_deref(),
            $filter.bound,
            $filter.scopes.as_deref(),
            $filter.q,
            $filter.last_used_at_from as Option<Time>,
            $filter.last_used_at_until as Option<Time>,
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
    Ok(in_order!(order, filtered, window, db, filter)?)
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
