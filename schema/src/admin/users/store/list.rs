//! The statements of the list of people across partners.

use uuid::Uuid;

use super::UserRow;
use crate::admin::order::{Order, Place, in_order};
use crate::db::Db;
use crate::fault::Fault;
use crate::page::{Keys, Window};
use crate::paged;
use crate::time::Time;

/// What the list is narrowed to.
#[derive(Debug)]
pub(in super::super) struct Filter {
    /// Whether internal people are in the list at all.
    pub(in super::super) with_staff: bool,
    pub(in super::super) kind: Option<Vec<String>>,
    pub(in super::super) partner_uuid: Option<Vec<Uuid>>,
    pub(in super::super) state: Option<Vec<String>>,
    pub(in super::super) role: Option<Vec<String>>,
    pub(in super::super) second_factor: Option<bool>,
    pub(in super::super) q: Option<String>,
    pub(in super::super) last_sign_in_at_from: Option<Time>,
    pub(in super::super) last_sign_in_at_until: Option<Time>,
}

impl UserRow {
    /// The cursor's keys under this order.
    pub(in super::super) fn keys(&self, order: Order) -> Keys {
        let (created_at, name, uuid) = (self.created_at, self.name_sorted.as_str(), self.person_uuid);
        order.keys(&Place { created_at, name, seen_at: self.last_sign_in_at, uuid })
    }
}

macro_rules! filtered {
    ($window:ident, $db:ident, $filter:ident, $after:expr, $tail:literal) => {
        paged!(
            $window,
            $db,
            UserRow,
            r#"select person_uuid as "person_uuid!", kind as "kind!", u.name as "name!", place.name as "name_sorted!",
                   email as "email!", email_verified_at, pending_email, partner_uuid, company_name, role,
                   state as "state!", locale as "locale!", second_factor_confirmed_at,
                   sessions_count as "sessions_count!", sign_in_held_until, last_sign_in_at,
                   u.created_at as "created_at!", updated_at as "updated_at!"
              from user_shown as u
             cross join lateral (select u.created_at, lower(u.name) as name, u.person_uuid as uuid,
                   coalesce(u.last_sign_in_at, '1970-01-01 00:00:00+00'::timestamptz) as seen_at) as place
             where ($3 or kind <> 'STAFF_USER') and ($4::text[] is null or kind = any($4))
               and ($5::uuid[] is null or partner_uuid = any($5)) and ($6::text[] is null or state = any($6))
               and ($7::text[] is null or role = any($7))
               and ($8::boolean is null or (second_factor_confirmed_at is not null) = $8)
               and ($9::text is null or strpos(lower(u.name), lower($9)) > 0 or strpos(lower(email), lower($9)) > 0)
               and ($10::timestamptz is null or last_sign_in_at >= $10)
               and ($11::timestamptz is null or last_sign_in_at < $11)"#
                + $tail,
            $after,
            $window.key::<Uuid>(1)?,
            $filter.with_staff,
            $filter.kind.as_deref(),
            $filter.partner_uuid.as_deref(),
            $filter.state.as_deref(),
            $filter.role.as_deref(),
            $filter.second_factor,
            $filter.q,
            $filter.last_sign_in_at_from as Option<Time>,
            $filter.last_sign_in_at_until as Option<Time>,
        )
    };
}

/// A page of people.
pub(in super::super) async fn page(
    db: &Db,
    filter: &Filter,
    order: Order,
    window: &Window,
) -> Result<Vec<UserRow>, Fault> {
    Ok(in_order!(order, filtered, window, db, filter)?)
}

/// How many people the filter finds.
pub(in super::super) async fn count(db: &Db, filter: &Filter) -> Result<i64, Fault> {
    Ok(sqlx::query_scalar!(
        r#"select count(*) as "count!" from user_shown
            where ($1 or kind <> 'STAFF_USER') and ($2::text[] is null or kind = any($2))
              and ($3::uuid[] is null or partner_uuid = any($3)) and ($4::text[] is null or state = any($4))
              and ($5::text[] is null or role = any($5))
              and ($6::boolean is null or (second_factor_confirmed_at is not null) = $6)
              and ($7::text is null or strpos(lower(name), lower($7)) > 0 or strpos(lower(email), lower($7)) > 0)
              and ($8::timestamptz is null or last_sign_in_at >= $8)
              and ($9::timestamptz is null or last_sign_in_at < $9)"#,
        filter.with_staff,
        filter.kind.as_deref(),
        filter.partner_uuid.as_deref(),
        filter.state.as_deref(),
        filter.role.as_deref(),
        filter.second_factor,
        filter.q,
        filter.last_sign_in_at_from as Option<Time>,
        filter.last_sign_in_at_until as Option<Time>,
    )
    .fetch_one(&mut *db.conn().await?)
    .await?)
}
