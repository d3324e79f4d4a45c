//! The statements about invitations as whoever sends them sees them.

use serde_json::json;
use uuid::Uuid;

use crate::auth::invitations::rules;
use crate::db::Db;
use crate::fault::{Fault, constraint_of};
use crate::page::{Keys, Window};
use crate::paged;
use crate::partner::team::Team;
use crate::time::Time;

/// An invitation that a team sent.
pub(crate) struct SentRow {
    pub(in crate::auth::invitations) invitation_uuid: Uuid,
    pub(in crate::auth::invitations) email: String,
    pub(in crate::auth::invitations) role: String,
    pub(in crate::auth::invitations) locale: String,
    /// EXPIRED as soon as its time is over.
    pub(in crate::auth::invitations) state: String,
    pub(in crate::auth::invitations) state_changed_at: Time,
    pub(in crate::auth::invitations) invited_by: Option<Uuid>,
    pub(in crate::auth::invitations) inviter_name: Option<String>,
    /// Who came of it.
    pub(in crate::auth::invitations) person_uuid: Option<Uuid>,
    pub(in crate::auth::invitations) created_at: Time,
    pub(in crate::auth::invitations) sent_at: Time,
    pub(in crate::auth::invitations) expires_at: Time,
}

/// What the list is narrowed to, and in which order it comes.
#[derive(Debug)]
pub(crate) struct Filter {
    pub(crate) state: Option<Vec<String>>,
    pub(crate) role: Option<Vec<String>>,
    pub(crate) q: Option<String>,
    pub(crate) oldest_first: bool,
}

impl SentRow {
    /// The cursor's keys.
    pub(crate) fn keys(&self) -> Keys {
        vec![json!(self.created_at), json!(self.invitation_uuid)]
    }
}

macro_rules! sent {
    ($window:ident, $db:ident, $team:ident, $filter:ident, $tail:literal) => {
        paged!(
            $window,
            $db,
            SentRow,
            r#"select invitation_uuid as "invitation_uuid!", email as "email!", role as "role!", locale as "locale!",
                   state as "state!", state_changed_at as "state_changed_at!", invited_by, inviter_name, person_uuid,
                   created_at as "created_at!", sent_at as "sent_at!", expires_at as "expires_at!"
              from invitation_shown
             where partner_uuid = $1 and ($2::text[] is null or state = any($2)) and ($3::text[] is null or role = any($3))
               and ($4::text is null or strpos(lower(email), lower($4)) > 0)"#
                + $tail,
            $team.uuid(),
            $filter.state.as_deref(),
            $filter.role.as_deref(),
            $filter.q,
            $window.key::<Time>(0)? as Option<Time>,
            $window.key::<Uuid>(1)?,
        )
    };
}

/// A page of a team's invitations.
pub(crate) async fn page(db: &Db, team: Team, filter: &Filter, window: &Window) -> Result<Vec<SentRow>, Fault> {
    Ok(if filter.oldest_first {
        sent!(window, db, team, filter, "
            and (created_at, invitation_uuid) > (coalesce($5, '-infinity'::timestamptz), coalesce($6, '00000000-0000-0000-0000-000000000000'::uuid))
          order by created_at, invitation_uuid")
    } else {
        sent!(window, db, team, filter, "
            and (created_at, invitation_uuid) < (coalesce($5, 'infinity'::timestamptz), coalesce($6, 'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid))
          order by created_at desc, invitation_uuid desc")
    }?)
}

/// How many of a team's invitations the filter finds.
pub(crate) async fn count(db: &Db, team: Team, filter: &Filter) -> Result<i64, Fault> {
    Ok(sqlx::query_scalar!(
        r#"select count(*) as "count!" from invitation_shown
            where partner_uuid = $1 and ($2::text[] is null or state = any($2)) and ($3::text[] is null or role = any($3))
              and ($4::text is null or strpos(lower(email), lower($4)) > 0)"#,
        team.uuid(),
        filter.state.as_deref(),
        filter.role.as_deref(),
        filter.q,
    )
    .fetch_one(&mut *db.conn().await?)
    .await?)
}

/// One of a team's invitations.
pub(in crate::auth::invitations) async fn sent_get(
    db: &Db,
    team: Team,
    invitation_uuid: Uuid,
) -> Result<Option<SentRow>, Fault> {
    Ok(sqlx::query_as!(
        SentRow,
        r#"select invitation_uuid as "invitation_uuid!", email as "email!", role as "role!", locale as "locale!",
                  state as "state!", state_changed_at as "state_changed_at!", invited_by, inviter_name, person_uuid,
                  created_at as "created_at!", sent_at as "sent_at!", expires_at as "expires_at!"
             from invitation_shown
            where partner_uuid = $1 and invitation_uuid = $2"#,
        team.uuid(),
        invitation_uuid
    )
    .fetch_optional(&mut *db.conn().await?)
    .await?)
}

/// An invitation held for a change.
pub(in crate::auth::invitations) struct HeldRow {
    pub(in crate::auth::invitations) email: String,
    pub(in crate::auth::invitations) email_normalised: String,
    pub(in crate::auth::invitations) role: String,
    pub(in crate::auth::invitations) locale: String,
    /// EXPIRED as soon as its time is over.
    pub(in crate::auth::invitations) state: String,
    pub(in crate::auth::invitations) company_name: String,
    pub(in crate::auth::invitations) partner_state: String,
}

/// Holds one of a team's invitations until the transaction ends.
pub(in crate::auth::invitations) async fn sent_lock(
    db: &Db,
    team: Team,
    invitation_uuid: Uuid,
) -> Result<Option<HeldRow>, Fault> {
    Ok(sqlx::query_as!(
        HeldRow,
        r#"select i.email, i.email_normalised, i.role, i.locale,
                  case when i.state = 'PENDING' and i.expires_at <= labs_now() then 'EXPIRED' else i.state end as "state!",
                  partner.company_name, partner.state as partner_state
             from invitation as i join partner using (partner_uuid)
            where partner_uuid = $1 and i.invitation_uuid = $2
              for no key update of i"#,
        team.uuid(),
        invitation_uuid
    )
    .fetch_optional(&mut *db.conn().await?)
    .await?)
}

/// The invitations that somebody of a team sent and nobody has answered, with the role of each; held until the
/// transaction ends.
pub(in crate::auth::invitations) async fn pending_lock(
    db: &Db,
    team: Team,
    inviter_uuid: Uuid,
) -> Result<Vec<(Uuid, String)>, Fault> {
    let rows = sqlx::query!(
        "select invitation_uuid, role from invitation
          where partner_uuid = $1 and invited_by = $2 and state = 'PENDING' and expires_at > labs_now()
          order by invitation_uuid
            for no key update",
        team.uuid(),
        inviter_uuid
    )
    .fetch_all(&mut *db.conn().await?)
    .await?;
    Ok(rows.into_iter().map(|row| (row.invitation_uuid, row.role)).collect())
}

/// An invitation whose sender goes to another team.
pub(in crate::auth::invitations) struct LeftRow {
    pub(in crate::auth::invitations) invitation_uuid: Uuid,
    pub(in crate::auth::invitations) partner_uuid: Uuid,
    pub(in crate::auth::invitations) role: String,
}

/// What a person sent for their present team and nobody has answered, held until the transaction ends.
pub(in crate::auth::invitations) async fn left_behind_lock(db: &Db, person_uuid: Uuid) -> Result<Vec<LeftRow>, Fault> {
    Ok(sqlx::query_as!(
        LeftRow,
        "select i.invitation_uuid, i.partner_uuid, i.role
           from person as p join invitation as i on i.partner_uuid = p.partner_uuid and i.invited_by = p.person_uuid
          where p.person_uuid = $1 and i.state = 'PENDING' and i.expires_at > labs_now()
          order by i.invitation_uuid
            for no key update of i",
        person_uuid
    )
    .fetch_all(&mut *db.conn().await?)
    .await?)
}

/// Gives an invitation a new token, and time to answer. The old one is void.
pub(in crate::auth::invitations) async fn set_renewed(
    db: &Db,
    invitation_uuid: Uuid,
    token_sha256: &[u8],
    expires_at: Time,
    state: &str,
) -> Result<(), Fault> {
    let done = sqlx::query!(
        "with void as (
           update one_time_token set used_at = labs_now()
            where subject_uuid = $1 and purpose = 'INVITATION' and used_at is null
         ), token as (
           insert into one_time_token (token_sha256, purpose, subject_uuid, expires_at) values ($2, 'INVITATION', $1, $3)
         )
         update invitation
            set state = $4, sent_at = labs_now(), expires_at = $3,
                state_changed_at = case when state = $4 and expires_at > labs_now() then state_changed_at else labs_now() end
          where invitation_uuid = $1",
        invitation_uuid,
        token_sha256,
        expires_at as Time,
        state
    )
    .execute(&mut *db.conn().await?)
    .await;
    match done {
        Err(error) if constraint_of(&error) == Some("invitation_pending_key") => Err(rules::waits_already()),
        done => Ok(done.map(|_| ())?),
    }
}

/// An invitation is taken back, and its token is void.
pub(in crate::auth::invitations) async fn set_revoked(
    db: &Db,
    invitation_uuid: Uuid,
    state: &str,
) -> Result<(), Fault> {
    sqlx::query!(
        "with void as (
           update one_time_token set used_at = labs_now()
            where subject_uuid = $1 and purpose = 'INVITATION' and used_at is null
         )
         update invitation set state = $2, state_changed_at = labs_now() where invitation_uuid = $1",
        invitation_uuid,
        state
    )
    .execute(&mut *db.conn().await?)
    .await?;
    Ok(())
}
