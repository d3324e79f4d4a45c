//! The statements of the list of internal people.

use uuid::Uuid;

use super::MemberRow;
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
    pub(in super::super) role: Option<Vec<String>>,
    /// Any scope of these is in a role of theirs.
    pub(in super::super) scopes: Option<Vec<String>>,
    pub(in super::super) second_factor: Option<bool>,
    pub(in super::super) q: Option<String>,
    pub(in super::super) last_sign_in_at_from: Option<Time>,
    pub(in super::super) last_sign_in_at_until: Option<Time>,
}

impl MemberRow {
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
            MemberRow,
            r#"select person_uuid as "person_uuid!", p.name as "name!", place.name as "name_sorted!", email as "email!",
                   state as "state!", p.created_at as "created_at!", updated_at as "updated_at!", last_sign_in_at,
                   second_factor_confirmed_at, roles as "roles!: _", sessions_count as "sessions_count!",
                   invitation_expires_at
              from staff_member_shown as p
             cross join lateral (select p.created_at, lower(p.name) as name, p.person_uuid as uuid,
                   coalesce(p.last_sign_in_at, '1970-01-01 00:00:00+00'::timestamptz) as seen_at) as place
             where ($3::text[] is null or state = any($3))
               and ($4::text[] is null or exists (select from staff_role_grant as g
                        where g.person_uuid = p.person_uuid and g.role_code = any($4)))
               and ($5::text[] is null or exists (select from staff_role_grant as g join staff_role as r using (role_code)
                        where g.person_uuid = p.person_uuid and r.scopes && $5))
               and ($6::boolean is null or (second_factor_confirmed_at is not null) = $6)
               and ($7::text is null or strpos(lower(p.name), lower($7)) > 0 or strpos(lower(email), lower($7)) > 0)
               and ($8::timestamptz is null or last_sign_in_at >= $8)
               and ($9::timestamptz is null or last_sign_in_at < $9)"#
                + $tail,
            $after,
            $window.key::<Uuid>(1)?,
            $filter.state.as_deref(),
            $filter.role.as_deref(),
            $filter.scopes.as_deref(),
            $filter.second_factor,
            $filter.q,
            $filter.last_sign_in_at_from as Option<Time>,
            $filter.last_sign_in_at_until as Option<Time>,
        )
    };
}

/// A page of internal people.
pub(in super::super) async fn page(
    db: &Db,
    filter: &Filter,
    order: Order,
    window: &Window,
) -> Result<Vec<MemberRow>, Fault> {
    Ok(in_order!(order, filtered, window, db, filter)?)
}

/// How many internal people the filter finds.
pub(in super::super) async fn count(db: &Db, filter: &Filter) -> Result<i64, Fault> {
    Ok(sqlx::query_scalar!(
        r#"select count(*) as "count!" from staff_member_shown as p
            where ($1::text[] is null or state = any($1))
              and ($2::text[] is null or exists (select from staff_role_grant as g
                       where g.person_uuid = p.person_uuid and g.role_code = any($2)))
              and ($3::text[] is null or exists (select from staff_role_grant as g join staff_role as r using (role_code)
                       where g.person_uuid = p.person_uuid and r.scopes && $3))
              and ($4::boolean is null or (second_factor_confirmed_at is not null) = $4)
              and ($5::text is null or strpos(lower(name), lower($5)) > 0 or strpos(lower(email), lower($5)) > 0)
              and ($6::timestamptz is null or last_sign_in_at >= $6)
              and ($7::timestamptz is null or last_sign_in_at < $7)"#,
        filter.state.as_deref(),
        filter.role.as_deref(),
        filter.scopes.as_deref(),
        filter.second_factor,
        filter.q,
        filter.last_sign_in_at_from as Option<Time>,
        filter.last_sign_in_at_until as Option<Time>,
    )
    .fetch_one(&mut *db.conn().await?)
    .await?)
}
