//! Every statement about the people of a team.

use uuid::Uuid;

use crate::admin::order::{Order, Place, in_order};
use crate::db::Db;
use crate::fault::Fault;
use crate::page::{Keys, Window};
use crate::paged;
use crate::partner::team::Team;
use crate::time::Time;

/// Somebody of a team.
pub(crate) struct MemberRow {
    pub(super) person_uuid: Uuid,
    pub(super) name: String,
    /// As the list by name compares it.
    pub(super) name_sorted: String,
    pub(super) email: String,
    pub(super) role: String,
    pub(super) state: String,
    pub(super) second_factor_confirmed_at: Option<Time>,
    pub(super) last_sign_in_at: Option<Time>,
    pub(super) created_at: Time,
    pub(super) updated_at: Time,
}

/// What the list is narrowed to.
#[derive(Debug)]
pub(crate) struct Filter {
    pub(crate) state: Option<Vec<String>>,
    pub(crate) role: Option<Vec<String>>,
    pub(crate) second_factor: Option<bool>,
    pub(crate) q: Option<String>,
}

impl MemberRow {
    /// The cursor's keys under this order.
    pub(crate) fn keys(&self, order: Order) -> Keys {
        let (created_at, name, uuid) = (self.created_at, self.name_sorted.as_str(), self.person_uuid);
        order.keys(&Place { created_at, name, seen_at: self.last_sign_in_at, uuid })
    }
}

macro_rules! filtered {
    ($window:ident, $db:ident, $asked:ident, $after:expr, $tail:literal) => {
        paged!(
            $window,
            $db,
            MemberRow,
            r#"select person_uuid as "person_uuid!", u.name as "name!", place.name as "name_sorted!", email as "email!",
                   role as "role!", state as "state!", second_factor_confirmed_at, last_sign_in_at,
                   u.created_at as "created_at!", updated_at as "updated_at!"
              from user_shown as u
             cross join lateral (select u.created_at, lower(u.name) as name, u.person_uuid as uuid,
                   coalesce(u.last_sign_in_at, '1970-01-01 00:00:00+00'::timestamptz) as seen_at) as place
             where partner_uuid = $3 and ($4::text[] is null or state = any($4)) and ($5::text[] is null or role = any($5))
               and ($6::boolean is null or (second_factor_confirmed_at is not null) = $6)
               and ($7::text is null or strpos(lower(u.name), lower($7)) > 0 or strpos(lower(email), lower($7)) > 0)"#
                + $tail,
            $after,
            $window.key::<Uuid>(1)?,
            $asked.0.uuid(),
            $asked.1.state.as_deref(),
            $asked.1.role.as_deref(),
            $asked.1.second_factor,
            $asked.1.q,
        )
    };
}

/// A page of a team.
pub(crate) async fn page(
    db: &Db,
    team: Team,
    filter: &Filter,
    order: Order,
    window: &Window,
) -> Result<Vec<MemberRow>, Fault> {
    let asked = (team, filter);
    Ok(in_order!(order, filtered, window, db, asked)?)
}

/// How many of a team the filter finds.
pub(crate) async fn count(db: &Db, team: Team, filter: &Filter) -> Result<i64, Fault> {
    Ok(sqlx::query_scalar!(
        r#"select count(*) as "count!" from user_shown
            where partner_uuid = $1 and ($2::text[] is null or state = any($2)) and ($3::text[] is null or role = any($3))
              and ($4::boolean is null or (second_factor_confirmed_at is not null) = $4)
              and ($5::text is null or strpos(lower(name), lower($5)) > 0 or strpos(lower(email), lower($5)) > 0)"#,
        team.uuid(),
        filter.state.as_deref(),
        filter.role.as_deref(),
        filter.second_factor,
        filter.q,
    )
    .fetch_one(&mut *db.conn().await?)
    .await?)
}

/// Somebody of a team.
pub(super) async fn get(db: &Db, team: Team, person_uuid: Uuid) -> Result<Option<MemberRow>, Fault> {
    Ok(sqlx::query_as!(
        MemberRow,
        r#"select person_uuid as "person_uuid!", name as "name!", lower(name) as "name_sorted!", email as "email!",
                  role as "role!", state as "state!", second_factor_confirmed_at, last_sign_in_at,
                  created_at as "created_at!", updated_at as "updated_at!"
             from user_shown
            where partner_uuid = $1 and person_uuid = $2"#,
        team.uuid(),
        person_uuid
    )
    .fetch_optional(&mut *db.conn().await?)
    .await?)
}

/// What the partner's tier lets anybody of a team do at most.
pub(super) async fn tier_scopes(db: &Db, team: Team) -> Result<Vec<String>, Fault> {
    Ok(sqlx::query_scalar!(r#"select partner_scope($1) as "scopes!""#, team.uuid())
        .fetch_one(&mut *db.conn().await?)
        .await?)
}

/// Somebody of a team, held for a change.
pub(super) struct HeldRow {
    pub(super) person_uuid: Uuid,
    pub(super) name: String,
    pub(super) role: String,
    pub(super) state: String,
    pub(super) was_suspended: bool,
    pub(super) company_name: String,
}

/// Makes changes of who is in a team, and as what, wait for one another until the transaction ends: whoever counts the
/// administrators left then counts right.
pub(super) async fn lock_all(db: &Db, team: Team) -> Result<(), Fault> {
    sqlx::query!("select from partner where partner_uuid = $1 for no key update", team.uuid())
        .execute(&mut *db.conn().await?)
        .await?;
    Ok(())
}

/// Holds somebody of a team until the transaction ends.
pub(super) async fn lock(db: &Db, team: Team, person_uuid: Uuid) -> Result<Option<HeldRow>, Fault> {
    Ok(sqlx::query_as!(
        HeldRow,
        r#"select person_uuid, name, role as "role!", person.state, was_suspended, company_name
             from person join partner using (partner_uuid)
            where partner_uuid = $1 and person_uuid = $2 and person.state <> 'REMOVED'
              for no key update of person"#,
        team.uuid(),
        person_uuid
    )
    .fetch_optional(&mut *db.conn().await?)
    .await?)
}

/// How many active administrators a team has besides somebody.
pub(super) async fn other_administrators(db: &Db, team: Team, person_uuid: Uuid) -> Result<i64, Fault> {
    Ok(sqlx::query_scalar!(
        r#"select count(*) as "count!" from person
            where partner_uuid = $1 and person_uuid <> $2 and role = 'ADMINISTRATOR' and state = 'ACTIVE'"#,
        team.uuid(),
        person_uuid
    )
    .fetch_one(&mut *db.conn().await?)
    .await?)
}

/// Gives somebody of a team another role.
pub(super) async fn set_role(db: &Db, team: Team, person_uuid: Uuid, role: &str) -> Result<(), Fault> {
    sqlx::query!(
        "update person set role = $3, updated_at = labs_now() where partner_uuid = $1 and person_uuid = $2",
        team.uuid(),
        person_uuid,
        role
    )
    .execute(&mut *db.conn().await?)
    .await?;
    Ok(())
}

/// Gives somebody of a team another state.
pub(super) async fn set_state(db: &Db, team: Team, person_uuid: Uuid, state: &str) -> Result<(), Fault> {
    sqlx::query!(
        "update person set state = $3, was_suspended = false, updated_at = labs_now()
          where partner_uuid = $1 and person_uuid = $2",
        team.uuid(),
        person_uuid,
        state
    )
    .execute(&mut *db.conn().await?)
    .await?;
    Ok(())
}

/// Nothing that was ever mailed to somebody opens anything any more.
pub(super) async fn tokens_set_void(db: &Db, person_uuid: Uuid) -> Result<(), Fault> {
    sqlx::query!(
        "update one_time_token set used_at = labs_now() where person_uuid = $1 and used_at is null",
        person_uuid
    )
    .execute(&mut *db.conn().await?)
    .await?;
    Ok(())
}
