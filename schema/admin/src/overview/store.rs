//! Statements for the overview of the platform.

use labs_core::day::Day;
use labs_core::db::Db;
use labs_core::fault::Fault;
use labs_core::time::Time;
use labs_core::words::Word as _;

use super::attention::{AttentionKind, WaitingRow};
use super::growth::{GrowthGranularity, GrowthPeriod, Span};
use super::search::{FoundRow, SearchKind, SearchMatch, SearchTerms};
use super::traffic::{GroupBy, TrafficCounts, TrafficRow, TrafficSort};

/// Number of objects of one kind and state.
pub(super) struct CountRow {
    pub(super) what: String,
    pub(super) key: String,
    pub(super) number: i64,
}

/// Counts partners, users, apps and listings by state.
pub(super) async fn counts(db: &Db) -> Result<Vec<CountRow>, Fault> {
    Ok(sqlx::query_as!(
        CountRow,
        r#"select what as "what!", key as "key!", sum(number)::bigint as "number!"
             from (select what, key, number from platform_count where what in ('PARTNER', 'PERSON', 'APP', 'LISTING')
                   union all
                   select what, key, number from platform_change where what in ('PARTNER', 'PERSON', 'APP', 'LISTING'))
                  as counted
            group by what, key"#
    )
    .fetch_all(&mut *db.conn().await?)
    .await?)
}

/// Number of partners on a tier.
pub(super) struct TierCountRow {
    pub(super) tier_code: String,
    pub(super) tier_name: String,
    pub(super) subscriptions: i64,
}

/// Counts the partners on each tier that is not a draft, in the order of the pricing page.
pub(super) async fn tiers(db: &Db) -> Result<Vec<TierCountRow>, Fault> {
    Ok(sqlx::query_as!(
        TierCountRow,
        r#"select t.code as tier_code, t.name as tier_name, coalesce(sum(c.number), 0)::bigint as "subscriptions!"
             from tier as t
             left join (select what, key, number from platform_count union all
                        select what, key, number from platform_change) as c
                    on c.what = 'SUBSCRIPTION' and c.key = t.tier_uuid::text
            where t.state <> 'DRAFT'
            group by t.tier_uuid order by t.position, t.code"#
    )
    .fetch_all(&mut *db.conn().await?)
    .await?)
}

/// Counts registrations, apps and publications in each period of a range.
pub(super) async fn growth(db: &Db, granularity: GrowthGranularity, span: Span) -> Result<Vec<GrowthPeriod>, Fault> {
    Ok(sqlx::query_as!(
        GrowthPeriod,
        r#"with counted as materialized (
               select what, date_trunc($1, key::timestamp) as period, number
                 from (select what, key, number from platform_count
                        where what in ('REGISTRATION', 'CREATION', 'PUBLICATION') and key >= $4 and key < $5
                       union all
                       select what, key, number from platform_change
                        where what in ('REGISTRATION', 'CREATION', 'PUBLICATION') and key >= $4 and key < $5) as happened
           )
           select greatest(p.period::date, $2) as "day!: Day",
                  least((p.period + ('1 ' || $1)::interval)::date, $3) - 1 as "last_day!: Day",
                  coalesce(sum(number) filter (where what = 'REGISTRATION'), 0)::bigint as "registrations!",
                  coalesce(sum(number) filter (where what = 'CREATION'), 0)::bigint as "apps!",
                  coalesce(sum(number) filter (where what = 'PUBLICATION'), 0)::bigint as "publications!"
             from generate_series(date_trunc($1, $2::date::timestamp), $3::date::timestamp - interval '1 day',
                                  ('1 ' || $1)::interval) as p (period)
             left join counted using (period)
            group by p.period order by p.period"#,
        granularity.unit(),
        span.from as Day,
        span.until as Day,
        span.from.to_string(),
        span.until.to_string(),
    )
    .fetch_all(&mut *db.conn().await?)
    .await?)
}

/// Requested traffic: range and dimensions.
pub(super) struct TrafficFilter<'a> {
    pub(super) span: Span,
    pub(super) group_by: GroupBy,
    pub(super) operations: Option<&'a [String]>,
    pub(super) groups: Option<&'a [String]>,
    pub(super) sort: TrafficSort,
}

/// Loads requests and their outcomes by the requested dimensions, and their total.
pub(super) async fn traffic(db: &Db, wanted: &TrafficFilter<'_>) -> Result<Vec<TrafficRow>, Fault> {
    let rows = sqlx::query!(
        r#"with apart as materialized (
               select case when $3 then operation end as operation, case when $4 then split_part(operation, '_', 1) end as word,
                      case when $5 then day end as day, sum(requests)::bigint as requests,
                      sum(client_errors)::bigint as client_errors, sum(server_errors)::bigint as server_errors,
                      sum(refusals)::bigint as refusals, sum(microseconds)::bigint as microseconds,
                      array[sum(up_to_5), sum(up_to_10), sum(up_to_25), sum(up_to_50), sum(up_to_100), sum(up_to_250),
                            sum(up_to_500), sum(up_to_1000), sum(up_to_5000), sum(longer)]::bigint[] as classes
                 from operation_day
                where day >= $1 and day < $2 and ($6::text[] is null or operation = any($6))
                  and ($7::text[] is null or split_part(operation, '_', 1) = any($7))
                group by 1, 2, 3
           )
           select operation, word, day as "day: Day", false as "is_total!", requests as "requests!",
                  client_errors as "client_errors!", server_errors as "server_errors!", refusals as "refusals!",
                  microseconds as "microseconds!", classes as "classes!: Vec<Option<i64>>"
             from (select * from apart
                    order by case $8 when 'REQUESTS_DESC' then requests when 'ERRORS_DESC' then client_errors + server_errors
                                     when 'REFUSALS_DESC' then refusals
                                     when 'LATENCY_DESC' then microseconds / greatest(requests, 1) end desc,
                             day, operation, word
                    limit 1001) as told
           union all
           select null, null, null, true, coalesce(sum(requests), 0)::bigint, coalesce(sum(client_errors), 0)::bigint,
                  coalesce(sum(server_errors), 0)::bigint, coalesce(sum(refusals), 0)::bigint,
                  coalesce(sum(microseconds), 0)::bigint,
                  array[sum(classes[1]), sum(classes[2]), sum(classes[3]), sum(classes[4]), sum(classes[5]), sum(classes[6]),
                        sum(classes[7]), sum(classes[8]), sum(classes[9]), sum(classes[10])]::bigint[]
             from apart"#,
        wanted.span.from as Day,
        wanted.span.until as Day,
        wanted.group_by.operation,
        wanted.group_by.group,
        wanted.group_by.day,
        wanted.operations,
        wanted.groups,
        wanted.sort.word(),
    )
    .fetch_all(&mut *db.conn().await?)
    .await?;
    let row = rows.into_iter().map(|row| TrafficRow {
        is_total: row.is_total,
        operation: row.operation,
        group: row.word,
        day: row.day,
        counts: TrafficCounts {
            requests: row.requests,
            client_errors: row.client_errors,
            server_errors: row.server_errors,
            refusals: row.refusals,
            microseconds: row.microseconds,
            classes: row.classes.into_iter().map(Option::unwrap_or_default).collect(),
        },
    });
    Ok(row.collect())
}

/// Loads the pending items of these kinds, oldest first. Other kinds are not read.
pub(super) async fn list_waiting(db: &Db, kinds: &[AttentionKind]) -> Result<Vec<WaitingRow>, Fault> {
    Ok(sqlx::query_as!(
        WaitingRow,
        r#"select kind as "kind!: AttentionKind", number as "number!", oldest_at as "oldest_at!: Time"
             from (
               select 'SUBMISSION_WAITING' as kind, count(*) as number, min(waiting_since) as oldest_at from submission
                where waiting_on = 'REVIEWERS' and not appeal and 'SUBMISSION_WAITING' = any($1)
               union all
               select 'APPEAL_WAITING', count(*), min(waiting_since) from submission
                where waiting_on = 'REVIEWERS' and appeal and 'APPEAL_WAITING' = any($1)
               union all
               select 'SUBMISSION_OVERDUE', count(*), min(due_at) from submission
                where waiting_on = 'REVIEWERS' and due_at < labs_now() and 'SUBMISSION_OVERDUE' = any($1)
               union all
               select 'TICKET_WAITING', count(*), min(waiting_since) from support_ticket
                where waiting_since is not null and 'TICKET_WAITING' = any($1)
               union all
               select case priority when 1 then 'REVIEW_WAITING' when 2 then 'REVIEW_FLAGGED' else 'REVIEW_REPORTED' end,
                      count(*), min(queued_at) from customer_review
                where priority = any (array_remove(array[case when 'REVIEW_WAITING' = any($1) then 1 end,
                          case when 'REVIEW_FLAGGED' = any($1) then 2 end,
                          case when 'REVIEW_REPORTED' = any($1) then 3 end], null)) group by priority
               union all
               select 'TIER_REQUEST_WAITING', count(*), min(created_at) from tier_change_request
                where state = 'PENDING' and 'TIER_REQUEST_WAITING' = any($1)
               union all
               select kind, number, oldest_at from board_waiting where kind = any($1)
               union all
               select 'MAIL_FAILED', count(*), min(created_at) from mail_message
                where state = 'FAILED' and created_at >= labs_now() - interval '30 days' and 'MAIL_FAILED' = any($1)
               union all
               select 'JOB_FAILING', count(*), min(failing_since) from job where failures > 0 and 'JOB_FAILING' = any($1)
               union all
               select 'JOB_PAUSED', count(*), min(paused_at) from job
                where paused_at is not null and 'JOB_PAUSED' = any($1)
               union all
               select 'JOB_OVERRUN', count(*), min(created_at) from job_run
                where state = 'RUNNING' and deadline_on_clock < clock_timestamp() and 'JOB_OVERRUN' = any($1)
               union all
               select 'JOB_BROKEN_OFF', count(*), min(ended_at) from job_run
                where created_at >= labs_now() - interval '1 day' and error_code = 'BROKEN_OFF'
                  and 'JOB_BROKEN_OFF' = any($1)
               union all
               select 'STATISTICS_MISSING', count(*), min(missing_since) from statistic_missing_day
                where 'STATISTICS_MISSING' = any($1)
               union all
               select 'PARTNER_CLOSING', count(*), min(state_changed_at) from partner
                where state = 'CLOSING' and closes_at < labs_now() + interval '7 days' and 'PARTNER_CLOSING' = any($1)
               union all select 'PARTNER_RENAMING', count(*), min(pending_name_since) from partner
                where pending_name_since is not null and 'PARTNER_RENAMING' = any($1)
               union all
               select 'SECRET_EXPIRING', count(*), min(s.expires_at) - interval '14 days'
                 from machine_client_secret as s join machine_client as c using (client_uuid)
                where s.revoked_at is null and s.expires_at > labs_now()
                  and s.expires_at < labs_now() + interval '14 days' and c.state = 'ACTIVE'
                  and 'SECRET_EXPIRING' = any($1)
             ) as waits
            where number > 0 order by oldest_at, kind"#,
        kinds as &[AttentionKind],
    )
    .fetch_all(&mut *db.conn().await?)
    .await?)
}

/// Searches these kinds and returns the distinguishing texts. Erased users and partners are not found.
pub(super) async fn search(db: &Db, kinds: &[SearchKind], sought: &SearchTerms) -> Result<Vec<FoundRow>, Fault> {
    Ok(sqlx::query_as!(
        FoundRow,
        r#"select f.kind as "kind!: SearchKind", f.uuid as "uuid!", f.matched as "matched!: SearchMatch",
                  shown.title as "title!", shown.subtitle, shown.state as "state!"
             from find_named($1, $2, $3, $4) with ordinality as f (kind, uuid, matched, place)
             cross join lateral (
                 select p.company_name as title, p.slug as subtitle, p.state, p.state as owner_state
                   from partner as p where f.kind = 'PARTNER' and p.partner_uuid = f.uuid
                 union all
                 select h.name, h.email, h.state, p.state
                   from person as h join partner as p using (partner_uuid) where f.kind = 'USER' and h.person_uuid = f.uuid
                 union all
                 select t.name, p.company_name, a.state, p.state
                   from app as a join app_translation as t on t.app_uuid = a.app_uuid and t.locale = a.default_locale
                   join partner as p on p.partner_uuid = a.partner_uuid where f.kind = 'APP' and a.app_uuid = f.uuid
                 union all
                 select c.name, c.client_id, c.state, p.state
                   from machine_client as c left join partner as p using (partner_uuid)
                  where f.kind = 'PROGRAM' and c.client_uuid = f.uuid
                 union all
                 select k.subject, p.company_name, k.state, p.state
                   from support_ticket as k join partner as p using (partner_uuid)
                  where f.kind = 'TICKET' and k.ticket_uuid = f.uuid) as shown
            where shown.owner_state is distinct from 'ERASED' order by f.place"#,
        kinds as &[SearchKind],
        sought.text,
        sought.email,
        sought.uuid,
    )
    .fetch_all(&mut *db.conn().await?)
    .await?)
}
