//! The statements of the list of internal people.

use serde_json::json;
use uuid::Uuid;

use super::MemberRow;
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

/// The orders of the list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in super::super) enum Order {
    NewestFirst,
    OldestFirst,
    ByName,
    LastSignedInFirst,
}

impl MemberRow {
    /// The cursor's keys under this order.
    pub(in super::super) fn keys(&self, order: Order) -> Keys {
        let first = match order {
            Order::NewestFirst | Order::OldestFirst => json!(self.created_at),
            Order::ByName => json!(self.name_sorted),
            Order::LastSignedInFirst => json!(self.last_sign_in_at.unwrap_or(Time(jiff::Timestamp::UNIX_EPOCH))),
        };
        vec![first, json!(self.person_uuid)]
    }
}

/// A page under the filter; `$after` is the cursor's first key and `$tail` places the page.
macro_rules! filtered {
    ($window:ident, $db:ident, $filter:ident, $after:expr, $tail:literal) => {
        paged!(
            $window,
            $db,
            MemberRow,
            r#"select person_uuid as "person_uuid!", name as "name!", lower(name) as "name_sorted!", email as "email!",
                   state as "state!", created_at as "created_at!", updated_at as "updated_at!", last_sign_in_at,
                   second_factor_confirmed_at, roles as "roles!: _", sessions_count as "sessions_count!",
                   invitation_expires_at
              from staff_member_shown as p
             where ($1::text[] is null or state = any($1))
               and ($2::text[] is null or exists (select from staff_role_grant as g
                        where g.person_uuid = p.person_uuid and g.role_code = any($2)))
               and ($3::text[] is null or exists (select from staff_role_grant as g join staff_role as r using (role_code)
                        where g.person_uuid = p.person_uuid and r.scopes && $3))
               and ($4::boolean is null or (second_factor_confirmed_at is not null) = $4)
               and ($5::text is null or strpos(lower(name), lower($5)) > 0 or strpos(lower(email), lower($5)) > 0)
               and ($6::timestamptz is null or last_sign_in_at >= $6)
               and ($7::timestamptz is null or last_sign_in_at < $7)"#
                + $tail,
            $filter.state.as_deref(),
            $filter.role.as_deref(),
            $filter.scopes.as_deref(),
            $filter.second_factor,
            $filter.q,
            $filter.last_sign_in_at_from as Option<Time>,
            $filter.last_sign_in_at_until as Option<Time>,
            $after,
            $window.key::<Uuid>(1)?,
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
    Ok(match order {
        Order::NewestFirst => filtered!(window, db, filter, window.key::<Time>(0)? as Option<Time>, "
            and (created_at, person_uuid) < (coalesce($8, 'infinity'::timestamptz), coalesce($9, 'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid))
          order by created_at desc, person_uuid desc"),
        Order::OldestFirst => filtered!(window, db, filter, window.key::<Time>(0)? as Option<Time>, "
            and (created_at, person_uuid) > (coalesce($8, '-infinity'::timestamptz), coalesce($9, '00000000-0000-0000-0000-000000000000'::uuid))
          order by created_at, person_uuid"),
        Order::ByName => filtered!(window, db, filter, window.key::<String>(0)?, "
            and (lower(name), person_uuid) > (coalesce($8, ''), coalesce($9, '00000000-0000-0000-0000-000000000000'::uuid))
          order by lower(name), person_uuid"),
        Order::LastSignedInFirst => filtered!(window, db, filter, window.key::<Time>(0)? as Option<Time>, "
            and (coalesce(last_sign_in_at, '1970-01-01 00:00:00+00'::timestamptz), person_uuid)
                < (coalesce($8, 'infinity'::timestamptz), coalesce($9, 'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid))
          order by coalesce(last_sign_in_at, '1970-01-01 00:00:00+00'::timestamptz) desc, person_uuid desc"),
    }?)
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
