//! Submissions as the queue shows them.

use serde_json::json;
use uuid::Uuid;

use crate::db::Db;
use crate::fault::Fault;
use crate::page::{Keys, Page, Window};
use crate::time::Time;

/// A submission as the queue shows it.
#[derive(Clone, Debug)]
pub(in crate::marketplace::submissions) struct SubmissionRow {
    pub(in crate::marketplace::submissions) submission_uuid: Uuid,
    pub(in crate::marketplace::submissions) app_uuid: Uuid,
    pub(in crate::marketplace::submissions) app_name: String,
    pub(in crate::marketplace::submissions) partner_uuid: Uuid,
    pub(in crate::marketplace::submissions) partner_name: String,
    pub(in crate::marketplace::submissions) version_uuid: Uuid,
    pub(in crate::marketplace::submissions) version_number: String,
    pub(in crate::marketplace::submissions) state: String,
    pub(in crate::marketplace::submissions) appeal: bool,
    pub(in crate::marketplace::submissions) submitted_at: Time,
    pub(in crate::marketplace::submissions) submitted_by: Option<Uuid>,
    pub(in crate::marketplace::submissions) reviewer_uuid: Option<Uuid>,
    pub(in crate::marketplace::submissions) reviewer_name: Option<String>,
    pub(in crate::marketplace::submissions) claimed_at: Option<Time>,
    pub(in crate::marketplace::submissions) decided_at: Option<Time>,
    pub(in crate::marketplace::submissions) age_seconds: i32,
}

/// What a list is narrowed to.
#[derive(Clone, Debug)]
pub(in crate::marketplace::submissions) struct Filter {
    /// In one of these states, each named once.
    pub(in crate::marketplace::submissions) states: Vec<String>,
    pub(in crate::marketplace::submissions) app_uuid: Option<Uuid>,
    pub(in crate::marketplace::submissions) partner_uuid: Option<Uuid>,
    pub(in crate::marketplace::submissions) reviewer_uuid: Option<Uuid>,
    /// Only those of this reviewer, besides.
    pub(in crate::marketplace::submissions) mine: Option<Uuid>,
    /// Only those that are not of this reviewer.
    pub(in crate::marketplace::submissions) not_mine: Option<Uuid>,
    pub(in crate::marketplace::submissions) appeal: Option<bool>,
    pub(in crate::marketplace::submissions) submitted_at_from: Option<Time>,
    pub(in crate::marketplace::submissions) submitted_at_until: Option<Time>,
    pub(in crate::marketplace::submissions) order: Order,
}

/// The orders a list can have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::marketplace::submissions) enum Order {
    OldestFirst,
    NewestFirst,
}

impl Filter {
    /// Whether an app, a partner or a reviewer is named, of which there are few rows.
    fn is_narrow(&self) -> bool {
        self.app_uuid.is_some() || self.partner_uuid.is_some() || self.reviewer_uuid.is_some() || self.mine.is_some()
    }
}

impl SubmissionRow {
    /// Whether its decision is still to come.
    pub(in crate::marketplace::submissions) fn is_waiting(&self) -> bool {
        matches!(self.state.as_str(), "SUBMITTED" | "IN_REVIEW")
    }

    fn keys(&self) -> Keys {
        vec![json!(self.submitted_at), json!(self.submission_uuid)]
    }
}

/// Submissions out of a table expression that picks them as `s`.
macro_rules! submissions {
    ([$($picked:literal)+] [$($tail:literal)+] $(, $argument:expr)* $(,)?) => {
        sqlx::query_as!(
            SubmissionRow,
            r#"select s.submission_uuid, s.app_uuid, coalesce(s.snapshot #>> '{texts,0,name}', '') as "app_name!",
                s.partner_uuid, p.company_name as partner_name, s.version_uuid, v.number as version_number, s.state,
                s.appeal, s.submitted_at, s.submitted_by, s.reviewer_uuid,
                r.name as "reviewer_name?", s.claimed_at, s.decided_at,
                least(greatest(extract(epoch from coalesce(s.decided_at, labs_now()) - s.submitted_at), 0), 2147483647)
                    ::integer as "age_seconds!"
            from "# $(+ $picked)+ + r#" as s
            join app_version as v on v.version_uuid = s.version_uuid
            join partner as p on p.partner_uuid = s.partner_uuid
            left join person as r on r.person_uuid = s.reviewer_uuid "# $(+ $tail)+ $(, $argument)*
        )
    };
}

/// A page of the queue. Each state is read from the index in the order asked for, so that the many that were decided
/// long ago cost nothing; who names an app, a partner or a reviewer is led there by theirs.
macro_rules! page_of {
    ($filter:expr, $window:expr, $db:expr, [$($narrow:literal)+], $after:literal, $order:literal, $limit:literal) => {
        submissions!(
            ["(select o.* from unnest($1::text[]) as wanted (state)
               cross join lateral (
                   select * from submission as s
                   where s.state = wanted.state " $($narrow)+
                      "and ($2::uuid is null or s.app_uuid = $2) and ($3::uuid is null or s.partner_uuid = $3)
                       and ($4::uuid is null or s.reviewer_uuid = $4) and ($5::uuid is null or s.reviewer_uuid = $5)
                       and ($6::uuid is null or s.reviewer_uuid is distinct from $6)
                       and ($7::boolean is null or s.appeal = $7)
                       and ($8::timestamptz is null or s.submitted_at >= $8)
                       and ($9::timestamptz is null or s.submitted_at < $9)
                       and ($10::timestamptz is null or (s.submitted_at, s.submission_uuid) " $after " ($10, $11)) "
             "order by " $order $limit ") as o order by " $order $limit ")"]
            ["order by " $order],
            &$filter.states,
            $filter.app_uuid,
            $filter.partner_uuid,
            $filter.reviewer_uuid,
            $filter.mine,
            $filter.not_mine,
            $filter.appeal,
            $filter.submitted_at_from as Option<Time>,
            $filter.submitted_at_until as Option<Time>,
            $window.key::<Time>(0)? as Option<Time>,
            $window.key::<Uuid>(1)?,
        )
        .fetch_all(&mut *$db.conn().await?)
        .await
    };
}

/// The same in either width.
macro_rules! page_in {
    ($filter:expr, $window:expr, $db:expr, $after:literal, $order:literal, $limit:literal) => {
        if $filter.is_narrow() {
            page_of!(
                $filter,
                $window,
                $db,
                ["and (s.app_uuid = $2 or s.partner_uuid = $3 or s.reviewer_uuid = $4 or s.reviewer_uuid = $5) "],
                $after,
                $order,
                $limit
            )
        } else {
            page_of!($filter, $window, $db, [" "], $after, $order, $limit)
        }
    };
}

/// A page of the queue.
pub(in crate::marketplace::submissions) async fn page(
    db: &Db,
    filter: &Filter,
    window: &Window,
) -> Result<(Vec<SubmissionRow>, Page), Fault> {
    let rows = match (filter.order, window.limit <= 20) {
        (Order::OldestFirst, true) => page_in!(filter, window, db, ">", "submitted_at, submission_uuid", " limit 21"),
        (Order::OldestFirst, false) => page_in!(filter, window, db, ">", "submitted_at, submission_uuid", " limit 101"),
        (Order::NewestFirst, true) => {
            page_in!(filter, window, db, "<", "submitted_at desc, submission_uuid desc", " limit 21")
        }
        (Order::NewestFirst, false) => {
            page_in!(filter, window, db, "<", "submitted_at desc, submission_uuid desc", " limit 101")
        }
    }?;
    Ok(window.cut(rows, SubmissionRow::keys))
}

/// How many there are in all.
pub(in crate::marketplace::submissions) async fn count(db: &Db, filter: &Filter) -> Result<i64, Fault> {
    Ok(sqlx::query_scalar!(
        r#"select count(*) as "count!"
         from submission as s
         where s.state = any($1)
             and ($2::uuid is null or s.app_uuid = $2) and ($3::uuid is null or s.partner_uuid = $3)
             and ($4::uuid is null or s.reviewer_uuid = $4) and ($5::uuid is null or s.reviewer_uuid = $5)
             and ($6::uuid is null or s.reviewer_uuid is distinct from $6)
             and ($7::boolean is null or s.appeal = $7)
             and ($8::timestamptz is null or s.submitted_at >= $8)
             and ($9::timestamptz is null or s.submitted_at < $9)"#,
        &filter.states,
        filter.app_uuid,
        filter.partner_uuid,
        filter.reviewer_uuid,
        filter.mine,
        filter.not_mine,
        filter.appeal,
        filter.submitted_at_from as Option<Time>,
        filter.submitted_at_until as Option<Time>,
    )
    .fetch_one(&mut *db.conn().await?)
    .await?)
}

/// One submission.
pub(in crate::marketplace::submissions) async fn get(
    db: &Db,
    submission_uuid: Uuid,
) -> Result<Option<SubmissionRow>, Fault> {
    Ok(submissions!(["submission"]["where s.submission_uuid = $1"], submission_uuid)
        .fetch_optional(&mut *db.conn().await?)
        .await?)
}
