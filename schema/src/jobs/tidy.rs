//! Deletion of expired rows, in small batches, without waiting for locked rows.

use labs_core::fault::Fault;
use sqlx::PgPool;

use labs_identity::partner::company;

/// Rows deleted by one statement.
const BATCH: u64 = 1000;
/// Statements per table and run. The next run deletes the remaining rows.
const BATCHES: usize = 20;

/// Runs the statement of one table until no row is left or the limit of the run is reached.
macro_rules! swept {
    ($pool:expr, $sql:literal) => {{
        let mut deleted = 0;
        for _ in 0..BATCHES {
            let batch = sqlx::query!($sql).execute($pool).await?.rows_affected();
            deleted += batch;
            if batch < BATCH {
                break;
            }
        }
        deleted
    }};
}

/// Deletes expired rows of every table that only grows. Returns the number of deleted rows.
pub(super) async fn tidy(pool: &PgPool) -> Result<u64, Fault> {
    // An idempotency key is valid for 24 hours (docs/decisions/api.md#idempotency-keys).
    let keys = swept!(
        pool,
        "delete from idempotency_key where ctid = any (array (
             select ctid from idempotency_key where created_at < labs_now() - interval '24 hours'
              order by created_at limit 1000 for update skip locked))"
    );
    // For a week, a user who opens a link too late gets a specific error.
    let tokens = swept!(
        pool,
        "delete from one_time_token where ctid = any (array (
             select ctid from one_time_token where expires_at < labs_now() - interval '7 days'
              order by expires_at limit 1000 for update skip locked))"
    );
    // The revoked tokens have expired.
    let revocations = swept!(
        pool,
        "delete from access_token_revocation where ctid = any (array (
             select ctid from access_token_revocation where expires_at < labs_now() - interval '1 hour'
              order by expires_at limit 1000 for update skip locked))"
    );
    // The used assertions have expired.
    let assertions = swept!(
        pool,
        "delete from used_assertion where ctid = any (array (
             select ctid from used_assertion where expires_at < labs_now() - interval '1 hour'
              order by expires_at limit 1000 for update skip locked))"
    );
    let days = swept!(
        pool,
        "delete from daily_budget where ctid = any (array (
             select ctid from daily_budget where day < (labs_now() at time zone 'UTC')::date - 30
              order by day limit 1000 for update skip locked))"
    );
    // Failures count for a day; staff see them for a week.
    let failures = swept!(
        pool,
        "delete from sign_in_failure where ctid = any (array (
             select ctid from sign_in_failure
              where last_failed_at < labs_now() - interval '7 days' and coalesce(held_until < labs_now(), true)
              order by last_failed_at limit 1000 for update skip locked))"
    );
    // The invitee did not answer in time. From the expiry on, the invitation no longer counts against the team's limit.
    let invitations = swept!(
        pool,
        "update invitation set state = 'EXPIRED', state_changed_at = expires_at where ctid = any (array (
             select ctid from invitation where state = 'PENDING' and expires_at <= labs_now()
              order by expires_at limit 1000 for update skip locked))"
    );
    // Long after the old address can undo a change, the service no longer keeps that address.
    let changes = swept!(
        pool,
        "delete from email_change where ctid = any (array (
             select ctid from email_change where requested_at < labs_now() - interval '30 days'
              order by requested_at limit 1000 for update skip locked))"
    );
    let rest = counts_tidy(pool).await?
        + board_tidy(pool).await?
        + pictures_tidy(pool).await?
        + super::event_positions::tidy(pool).await?
        + super::listing_feed::tidy(pool).await?
        + merge_revisions(pool).await?
        + company::fill_skeletons(pool).await?;
    Ok(keys + tokens + revocations + assertions + days + failures + invitations + changes + rest)
}

/// Merges the counters of a topic if it has many. The sum, which is the topic's revision, stays the same.
async fn merge_revisions(pool: &PgPool) -> Result<u64, Fault> {
    let merged = sqlx::query!(
        "with crowded as (
             select revision_id from public_revision
              where topic in (select topic from public_revision group by topic having count(*) > 16)
                for update skip locked),
         merged as (
             delete from public_revision where revision_id in (select revision_id from crowded)
             returning topic, changes)
         insert into public_revision (topic, changes) select topic, sum(changes)::bigint from merged group by topic"
    );
    Ok(merged.execute(pool).await?.rows_affected())
}

/// Deletes counts after their retention period: traffic after 400 days, daily use after a day, rejected requests after
/// 90 days, job runs after 30 days.
async fn counts_tidy(pool: &PgPool) -> Result<u64, Fault> {
    let traffic = swept!(
        pool,
        "delete from operation_day where ctid = any (array (
             select ctid from operation_day where day < (labs_now() at time zone 'UTC')::date - 400
              order by day limit 1000 for update skip locked))"
    );
    let uses = swept!(
        pool,
        "delete from partner_daily_use where ctid = any (array (
             select ctid from partner_daily_use where day < (labs_now() at time zone 'UTC')::date - 1
              order by day limit 1000 for update skip locked))"
    );
    let refusals = swept!(
        pool,
        "delete from rate_limit_refusal where ctid = any (array (
             select ctid from rate_limit_refusal where hour < labs_now() - interval '90 days'
              order by hour limit 1000 for update skip locked))"
    );
    let runs = swept!(
        pool,
        "delete from job_run where ctid = any (array (
             select ctid from job_run where created_at < labs_now() - interval '30 days'
                and state in ('SUCCEEDED', 'FAILED')
              order by created_at limit 1000 for update skip locked))"
    );
    Ok(traffic + uses + refusals + runs)
}

/// Deletes temporary data of the board's users: vote budgets and daily use of past days, and the read positions of
/// notifications once all of these are older than a year.
async fn board_tidy(pool: &PgPool) -> Result<u64, Fault> {
    let votes = swept!(
        pool,
        "delete from board_vote_budget where ctid = any (array (
             select ctid from board_vote_budget where day < (labs_now() at time zone 'UTC')::date
              order by day limit 1000 for update skip locked))"
    );
    let uses = swept!(
        pool,
        "delete from board_daily_use where ctid = any (array (
             select ctid from board_daily_use where day < (labs_now() at time zone 'UTC')::date
              order by day limit 1000 for update skip locked))"
    );
    let readings = swept!(
        pool,
        "delete from board_read where ctid = any (array (
             select ctid from board_read where read_on < (labs_now() at time zone 'UTC')::date - 367
              order by read_on limit 1000 for update skip locked))"
    );
    Ok(votes + uses + readings)
}

/// Deletes media that were removed from their draft, once no listing and no submission needs them. The sweep deletes
/// their objects.
async fn pictures_tidy(pool: &PgPool) -> Result<u64, Fault> {
    Ok(swept!(
        pool,
        "delete from media where ctid = any (array (
             select m.ctid from media as m
              where m.removed_at < labs_now() - interval '10 minutes'
                and not media_is_needed(m.media_uuid, m.app_uuid)
              order by m.removed_at limit 1000 for update of m skip locked))"
    ))
}
