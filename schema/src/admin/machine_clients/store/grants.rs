//! The statements that read the ledger of tokens issued and refused.

use serde_json::json;
use uuid::Uuid;

use crate::db::Db;
use crate::fault::Fault;
use crate::page::{Keys, Window};
use crate::paged;
use crate::time::Time;

/// One time that a program asked for a token.
pub(in super::super) struct GrantRow {
    pub(in super::super) grant_uuid: Uuid,
    pub(in super::super) granted_at: Time,
    pub(in super::super) outcome: String,
    pub(in super::super) code: Option<String>,
    pub(in super::super) scopes: Vec<String>,
    pub(in super::super) token_id: Option<Uuid>,
    pub(in super::super) expires_at: Option<Time>,
    pub(in super::super) secret_uuid: Option<Uuid>,
    pub(in super::super) address: Option<String>,
}

/// What the ledger is narrowed to, and in which order it comes.
#[derive(Debug)]
pub(in super::super) struct Filter {
    pub(in super::super) client_uuid: Uuid,
    pub(in super::super) outcome: Option<Vec<String>>,
    pub(in super::super) code: Option<Vec<String>>,
    pub(in super::super) granted_at_from: Option<Time>,
    pub(in super::super) granted_at_until: Option<Time>,
    pub(in super::super) earliest_first: bool,
}

impl GrantRow {
    /// The cursor's keys.
    pub(in super::super) fn keys(&self) -> Keys {
        vec![json!(self.granted_at), json!(self.grant_uuid)]
    }
}

macro_rules! filtered {
    ($window:ident, $db:ident, $filter:ident, $tail:literal) => {
        paged!(
            $window,
            $db,
            GrantRow,
            r#"select grant_uuid, granted_at, outcome, code, scopes, token_id, expires_at, secret_uuid,
                   host(address) as address
              from token_grant
             where client_uuid = $1 and ($2::text[] is null or outcome = any($2))
               and ($3::text[] is null or code = any($3))
               and ($4::timestamptz is null or granted_at >= $4) and ($5::timestamptz is null or granted_at < $5)"#
                + $tail,
            $filter.client_uuid,
            $filter.outcome.as_deref(),
            $filter.code.as_deref(),
            $filter.granted_at_from as Option<Time>,
            $filter.granted_at_until as Option<Time>,
            $window.key::<Time>(0)? as Option<Time>,
            $window.key::<Uuid>(1)?,
        )
    };
}

/// A page of a program's ledger.
pub(in super::super) async fn page(db: &Db, filter: &Filter, window: &Window) -> Result<Vec<GrantRow>, Fault> {
    Ok(if filter.earliest_first {
        filtered!(window, db, filter, "
            and (granted_at, grant_uuid) > (coalesce($6, '-infinity'::timestamptz), coalesce($7, '00000000-0000-0000-0000-000000000000'::uuid))
          order by granted_at, grant_uuid")
    } else {
        filtered!(window, db, filter, "
            and (granted_at, grant_uuid) < (coalesce($6, 'infinity'::timestamptz), coalesce($7, 'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid))
          order by granted_at desc, grant_uuid desc")
    }?)
}

/// How many entries the filter finds.
pub(in super::super) async fn count(db: &Db, filter: &Filter) -> Result<i64, Fault> {
    Ok(sqlx::query_scalar!(
        r#"select count(*) as "count!" from token_grant
            where client_uuid = $1 and ($2::text[] is null or outcome = any($2))
              and ($3::text[] is null or code = any($3))
              and ($4::timestamptz is null or granted_at >= $4) and ($5::timestamptz is null or granted_at < $5)"#,
        filter.client_uuid,
        filter.outcome.as_deref(),
        filter.code.as_deref(),
        filter.granted_at_from as Option<Time>,
        filter.granted_at_until as Option<Time>,
    )
    .fetch_one(&mut *db.conn().await?)
    .await?)
}
