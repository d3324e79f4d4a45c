//! Every statement about sign-ins that are held back, as operators see them.

use ipnet::IpNet;
use serde_json::json;
use uuid::Uuid;

use crate::db::Db;
use crate::fault::Fault;
use crate::page::{Keys, Window};
use crate::paged;
use crate::time::Time;

/// Something held back, with whom it concerns.
pub(super) struct BlockRow {
    pub(super) block_uuid: Uuid,
    pub(super) kind: String,
    pub(super) email: Option<String>,
    pub(super) person_uuid: Option<Uuid>,
    pub(super) person_name: Option<String>,
    pub(super) partner_uuid: Option<Uuid>,
    pub(super) company_name: Option<String>,
    pub(super) network: Option<String>,
    pub(super) failures: i32,
    pub(super) last_failed_at: Time,
    pub(super) held_until: Time,
}

/// What the list is narrowed to, and in which order it comes.
#[derive(Debug)]
pub(super) struct Filter {
    pub(super) kind: Option<Vec<String>>,
    pub(super) person_uuid: Option<Vec<Uuid>>,
    pub(super) partner_uuid: Option<Vec<Uuid>>,
    /// Whose network has something in common with any of these.
    pub(super) network: Option<Vec<IpNet>>,
    pub(super) q: Option<String>,
    pub(super) earliest_first: bool,
}

impl BlockRow {
    /// The cursor's keys.
    pub(super) fn keys(&self) -> Keys {
        vec![json!(self.last_failed_at), json!(self.block_uuid)]
    }
}

macro_rules! filtered {
    ($window:ident, $db:ident, $filter:ident, $tail:literal) => {
        paged!(
            $window,
            $db,
            BlockRow,
            r#"select block_uuid as "block_uuid!", kind as "kind!", email, person_uuid, person_name, partner_uuid,
                      company_name, network::text as network, failures as "failures!",
                      last_failed_at as "last_failed_at!", held_until as "held_until!"
                 from sign_in_block_shown
                where held_until > labs_now() and ($1::text[] is null or kind = any($1))
                  and ($2::uuid[] is null or person_uuid = any($2)) and ($3::uuid[] is null or partner_uuid = any($3))
                  and ($4::inet[] is null or network && any($4))
                  and ($5::text is null or strpos(lower(email), lower($5)) > 0
                       or strpos(lower(person_name), lower($5)) > 0)"#
                + $tail,
            $filter.kind.as_deref(),
            $filter.person_uuid.as_deref(),
            $filter.partner_uuid.as_deref(),
            $filter.network.as_deref() as Option<&[IpNet]>,
            $filter.q,
            $window.key::<Time>(0)? as Option<Time>,
            $window.key::<Uuid>(1)?,
        )
    };
}

/// A page of what is held back now.
pub(super) async fn page(db: &Db, filter: &Filter, window: &Window) -> Result<Vec<BlockRow>, Fault> {
    Ok(if filter.earliest_first {
        filtered!(window, db, filter, "
            and (last_failed_at, block_uuid) > (coalesce($6, '-infinity'::timestamptz), coalesce($7, '00000000-0000-0000-0000-000000000000'::uuid))
          order by last_failed_at, block_uuid")
    } else {
        filtered!(window, db, filter, "
            and (last_failed_at, block_uuid) < (coalesce($6, 'infinity'::timestamptz), coalesce($7, 'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid))
          order by last_failed_at desc, block_uuid desc")
    }?)
}

/// How much is held back now.
pub(super) async fn count(db: &Db, filter: &Filter) -> Result<i64, Fault> {
    Ok(sqlx::query_scalar!(
        r#"select count(*) as "count!" from sign_in_block_shown
            where held_until > labs_now() and ($1::text[] is null or kind = any($1))
              and ($2::uuid[] is null or person_uuid = any($2)) and ($3::uuid[] is null or partner_uuid = any($3))
              and ($4::inet[] is null or network && any($4))
              and ($5::text is null or strpos(lower(email), lower($5)) > 0
                   or strpos(lower(person_name), lower($5)) > 0)"#,
        filter.kind.as_deref(),
        filter.person_uuid.as_deref(),
        filter.partner_uuid.as_deref(),
        filter.network.as_deref() as Option<&[IpNet]>,
        filter.q,
    )
    .fetch_one(&mut *db.conn().await?)
    .await?)
}

/// A block that is gone, with whom it concerned.
pub(super) struct LiftedRow {
    pub(super) email: Option<String>,
    pub(super) network: Option<String>,
    pub(super) person_uuid: Option<Uuid>,
    pub(super) partner_uuid: Option<Uuid>,
}

/// Forgets what failed under a block; `None` when there is none. One that has just run out is lifted as well: its
/// failures would make the next one longer.
pub(super) async fn delete(db: &Db, block_uuid: Uuid) -> Result<Option<LiftedRow>, Fault> {
    Ok(sqlx::query_as!(
        LiftedRow,
        r#"with lifted as (delete from sign_in_failure where block_uuid = $1 returning block_uuid)
           select email, network::text as network, person_uuid, partner_uuid
             from sign_in_block_shown join lifted using (block_uuid)
            where block_uuid = $1"#,
        block_uuid
    )
    .fetch_optional(&mut *db.conn().await?)
    .await?)
}
