//! SQL statements that insert the rows of the daily work of staff.

use labs_core::fault::Fault;
use sqlx::postgres::PgConnection;
use sqlx::types::Json;

use super::put;
use crate::sample::desk::DeskRows;

/// Days with invented figures. The last one is yesterday.
const DAYS_WITH_FIGURES: i32 = 120;

/// Inserts the rows of the daily work, and figures of the apps.
pub(super) async fn insert(connection: &mut PgConnection, rows: &DeskRows) -> Result<(), Fault> {
    insert_conversations(connection, rows).await?;
    insert_partners(connection, rows).await?;
    insert_security(connection, rows).await?;
    insert_traffic(connection, rows).await?;
    insert_rest(connection, rows).await?;
    insert_figures(connection).await
}

async fn insert_conversations(connection: &mut PgConnection, rows: &DeskRows) -> Result<(), Fault> {
    put!(
        connection,
        rows.tickets,
        "insert into support_ticket (ticket_uuid, partner_uuid, subject, topic, state, state_changed_at, priority,
              opened_by_kind, opened_by, assignee_uuid, waiting_since, messages_count, last_message_at, created_at,
              updated_at)
         select ticket_uuid, partner_uuid, subject, topic, state, state_changed_at, priority, 'PARTNER_USER',
              opened_by, assignee_uuid, waiting_since, messages_count, last_message_at, created_at, last_message_at
         from jsonb_populate_recordset(null::support_ticket, $1)"
    );
    put!(
        connection,
        rows.messages,
        "insert into support_message (message_uuid, ticket_uuid, side, author_uuid, body, created_at)
         select message_uuid, ticket_uuid, side, author_uuid, body, created_at
         from jsonb_populate_recordset(null::support_message, $1)"
    );
    put!(
        connection,
        rows.ticket_notes,
        "insert into support_note (note_uuid, ticket_uuid, author_uuid, body, created_at)
         select note_uuid, ticket_uuid, author_uuid, body, created_at
         from jsonb_populate_recordset(null::support_note, $1)"
    );
    Ok(())
}

async fn insert_partners(connection: &mut PgConnection, rows: &DeskRows) -> Result<(), Fault> {
    put!(
        connection,
        rows.notes,
        "insert into partner_note (note_uuid, partner_uuid, author_uuid, body, created_at, updated_at)
         select note_uuid, partner_uuid, author_uuid, body, created_at, created_at
         from jsonb_populate_recordset(null::partner_note, $1)"
    );
    put!(
        connection,
        rows.contacts,
        "insert into partner_contact (contact_uuid, partner_uuid, kind, name, email, email_normalised, created_at,
              updated_at)
         select contact_uuid, partner_uuid, kind, name, email, email, created_at, created_at
         from jsonb_populate_recordset(null::partner_contact, $1)"
    );
    put!(
        connection,
        rows.invitations,
        "insert into invitation (invitation_uuid, partner_uuid, email, email_normalised, role, invited_by,
              created_at, sent_at, expires_at, state_changed_at)
         select invitation_uuid, partner_uuid, email, email, role, invited_by, created_at, created_at, expires_at,
              created_at
         from jsonb_populate_recordset(null::invitation, $1)"
    );
    put!(
        connection,
        rows.exports,
        "insert into data_export (export_uuid, partner_uuid, state, requested_by_kind, requested_by, created_at,
              ended_at, error)
         select export_uuid, partner_uuid, state, requested_by_kind, requested_by, created_at, ended_at, error
         from jsonb_populate_recordset(null::data_export, $1)"
    );
    put!(
        connection,
        rows.tier_requests,
        "insert into tier_change_request (request_uuid, partner_uuid, from_tier_uuid, to_tier_uuid, message, state,
              actor_kind, actor_uuid, created_at, decided_at, decision_reason)
         select r.request_uuid, r.partner_uuid, f.tier_uuid, t.tier_uuid, r.message, r.state, 'PARTNER_USER',
              r.actor_uuid, r.created_at, r.decided_at, r.decision_reason
         from jsonb_to_recordset($1) as r (request_uuid uuid, partner_uuid uuid, from_tier text, to_tier text,
              message text, state text, actor_uuid uuid, created_at timestamptz, decided_at timestamptz,
              decision_reason text)
         join tier as f on f.code = r.from_tier
         join tier as t on t.code = r.to_tier"
    );
    Ok(())
}

async fn insert_security(connection: &mut PgConnection, rows: &DeskRows) -> Result<(), Fault> {
    put!(
        connection,
        rows.mails,
        "insert into mail_message (message_uuid, kind, recipient, locale, subject, state, attempts, next_attempt_at,
              last_error, created_at, person_uuid, partner_uuid)
         select message_uuid, kind, recipient, locale, subject, state, attempts, next_attempt_at, last_error,
              created_at, person_uuid, partner_uuid
         from jsonb_populate_recordset(null::mail_message, $1)"
    );
    put!(
        connection,
        rows.security_events,
        "insert into security_event (event_uuid, occurred_at, kind, outcome, person_uuid, partner_uuid, session_uuid,
              address, user_agent)
         select event_uuid, occurred_at, kind, outcome, person_uuid, partner_uuid, session_uuid, address, user_agent
         from jsonb_populate_recordset(null::security_event, $1)"
    );
    put!(
        connection,
        rows.sessions,
        "insert into session (session_uuid, person_uuid, created_at, last_used_at, idle_expires_at, expires_at,
              address, user_agent, second_factor)
         select session_uuid, person_uuid, created_at, created_at, idle_expires_at, expires_at, address, user_agent,
              second_factor
         from jsonb_populate_recordset(null::session, $1)"
    );
    put!(
        connection,
        rows.sign_in_failures,
        "insert into sign_in_failure (subject, failures, last_failed_at, held_until)
         select subject, failures, last_failed_at, held_until
         from jsonb_populate_recordset(null::sign_in_failure, $1)"
    );
    put!(
        connection,
        rows.denials,
        "insert into network_denial (denial_uuid, network, reason, created_by, created_at, expires_at)
         select denial_uuid, network, reason, created_by, created_at, expires_at
         from jsonb_populate_recordset(null::network_denial, $1)"
    );
    put!(
        connection,
        rows.grants,
        "insert into token_grant (grant_uuid, client_uuid, granted_at, expires_at, outcome, scopes, address)
         select grant_uuid, client_uuid, granted_at, expires_at, outcome, scopes, address
         from jsonb_populate_recordset(null::token_grant, $1)"
    );
    Ok(())
}

async fn insert_traffic(connection: &mut PgConnection, rows: &DeskRows) -> Result<(), Fault> {
    put!(
        connection,
        rows.budgets,
        "insert into daily_budget (account, day, granted)
         select account, day, granted
         from jsonb_populate_recordset(null::daily_budget, $1)"
    );
    put!(
        connection,
        rows.requests,
        "insert into request_usage (day, account, operation, requests)
         select day, account, operation, requests
         from jsonb_populate_recordset(null::request_usage, $1)"
    );
    put!(
        connection,
        rows.operation_days,
        "insert into operation_day (day, operation, requests, client_errors, server_errors, refusals, microseconds,
              up_to_10)
         select day, operation, requests, client_errors, server_errors, refusals, microseconds, up_to_10
         from jsonb_populate_recordset(null::operation_day, $1)"
    );
    put!(
        connection,
        rows.refusals,
        "insert into rate_limit_refusal (hour, account, operation, code, budget, required_scope, refusals, last_at,
              request_ids)
         select date_trunc('hour', hour, 'UTC'), account, operation, code, budget, required_scope, refusals, last_at,
              request_ids
         from jsonb_populate_recordset(null::rate_limit_refusal, $1)"
    );
    Ok(())
}

async fn insert_rest(connection: &mut PgConnection, rows: &DeskRows) -> Result<(), Fault> {
    put!(
        connection,
        rows.deprecations,
        "insert into deprecation (deprecation_uuid, operation_id, reason, replacement, replacement_operation_id,
              sunset_at, created_by, created_at)
         select deprecation_uuid, operation_id, reason, replacement, replacement_operation_id, sunset_at, created_by,
              created_at
         from jsonb_populate_recordset(null::deprecation, $1)"
    );
    put!(
        connection,
        rows.deprecation_uses,
        "insert into deprecation_use (deprecation_uuid, day, account, client_uuid, requests)
         select deprecation_uuid, day, account, client_uuid, requests
         from jsonb_populate_recordset(null::deprecation_use, $1)"
    );
    put!(
        connection,
        rows.reports,
        "insert into board_report (report_uuid, comment_uuid, reporter_uuid, partner_uuid, reason, note, reported_at)
         select report_uuid, comment_uuid, reporter_uuid, partner_uuid, reason, note, reported_at
         from jsonb_populate_recordset(null::board_report, $1)"
    );
    sqlx::query!(
        "update feature_comment as c set open_reports = 1, reported_at = r.reported_at
           from board_report as r where r.comment_uuid = c.comment_uuid"
    )
    .execute(&mut *connection)
    .await?;
    Ok(())
}

/// Inserts invented figures of the published apps, marked as sample data, and the run of their import. They depend on
/// the slug and the day only.
async fn insert_figures(connection: &mut PgConnection) -> Result<(), Fault> {
    sqlx::query!(
        "with yesterday as (
             select (labs_now() at time zone 'UTC')::date - 1 as day
         ), imported as (
             insert into statistic_day (day, imported_at, is_sample)
             select day - n, labs_now(), true from yesterday cross join generate_series(0, $1 - 1) as n
             returning day
         ), every as (
             insert into statistic_import (import_uuid, trigger, state, days, started_at, ended_at)
             select labs_uuid(), 'SCHEDULE', 'SUCCEEDED', array[day], labs_now(), labs_now() from yesterday
             returning import_uuid, days[1] as day
         ), run as (
             insert into statistic_import_run (run_uuid, import_uuid, day, state, ended_at, pages)
             select labs_uuid(), import_uuid, day, 'SUCCEEDED', labs_now(), 1 from every
         ), figure as (
             insert into app_statistic (app_uuid, day, customers)
             select l.app_uuid, i.day,
                    40 + base.size + (i.day - yesterday.day + $1) * (1 + base.size % 5) / 10
                       + extract(isodow from i.day)::integer
               from listing as l
              cross join lateral (select ('x' || left(md5(l.slug), 2))::bit(8)::integer as size) as base
              cross join imported as i
              cross join yesterday
             returning app_uuid, day, customers
         )
         insert into partner_statistic (partner_uuid, day, customers)
         select a.partner_uuid, f.day, sum(f.customers) * 9 / 10
           from figure as f join app as a using (app_uuid) group by a.partner_uuid, f.day",
        DAYS_WITH_FIGURES
    )
    .execute(&mut *connection)
    .await?;
    Ok(())
}
