//! Statements that write deprecations and statements that read the data for reminders.

use labs_core::db::Db;
use labs_core::deprecation::DeprecationTarget;
use labs_core::fault::{Fault, constraint_of};
use labs_core::time::Time;
use uuid::Uuid;

/// A deprecation to create.
pub(super) struct NewDeprecation<'a> {
    pub(super) deprecation_uuid: Uuid,
    pub(super) target: &'a DeprecationTarget,
    pub(super) reason: &'a str,
    pub(super) replacement: &'a str,
    pub(super) replacement_operation_id: Option<&'a str>,
    pub(super) sunset_at: Time,
    /// UUID of the changelog entry that announces it.
    pub(super) entry_uuid: Uuid,
    /// Staff member who created it; `None` if a machine client did.
    pub(super) created_by: Option<Uuid>,
}

/// Inserts a deprecation.
///
/// # Errors
/// [`labs_core::Code::Conflict`] if the element is already deprecated.
pub(super) async fn insert(db: &Db, new: &NewDeprecation<'_>) -> Result<(), Fault> {
    let (mut operation, mut parameter, mut schema, mut field, mut of_value) = (None, None, None, None, None);
    match new.target {
        DeprecationTarget::Operation(id) => operation = Some(id),
        DeprecationTarget::Parameter { operation_id, name, value } => {
            (operation, parameter, of_value) = (Some(operation_id), Some(name), value.as_ref());
        }
        DeprecationTarget::Field { schema: of, name, value } => {
            (schema, field, of_value) = (Some(of), Some(name), value.as_ref());
        }
    }
    let done = sqlx::query!(
        "insert into deprecation (deprecation_uuid, operation_id, parameter, schema_name, field, value, reason, replacement,
                                  replacement_operation_id, sunset_at, entry_uuid, created_by)
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)",
        new.deprecation_uuid,
        operation,
        parameter,
        schema,
        field,
        of_value,
        new.reason,
        new.replacement,
        new.replacement_operation_id,
        new.sunset_at as Time,
        new.entry_uuid,
        new.created_by,
    )
    .execute(&mut *db.conn().await?)
    .await;
    match done {
        Err(error) if constraint_of(&error) == Some("deprecation_target_key") => Err(Fault::conflict(
            "This is already deprecated. To change its sunset, delete that deprecation and create a new one.",
        )),
        done => done.map(drop).map_err(Fault::from),
    }
}

/// Copies the callers of these operations in the last 14 days from the request counts, today included.
pub(super) async fn take_over_calls(db: &Db, deprecation_uuid: Uuid, operations: &[String]) -> Result<(), Fault> {
    sqlx::query!(
        "insert into deprecation_use (deprecation_uuid, day, account, client_uuid, requests, last_at)
         select $1, day, account, case when account like 'client:%' then split_part(account, ':', 2)::uuid end,
                sum(requests)::bigint, max(last_at)
           from request_usage
          where operation = any($2) and day > (labs_now() at time zone 'UTC')::date - 14 and requests > 0
            and account ~ '^(partner|client|staff):'
          group by day, account",
        deprecation_uuid,
        operations,
    )
    .execute(&mut *db.conn().await?)
    .await?;
    Ok(())
}

/// Deletes a deprecation. Returns whether it existed.
pub(super) async fn delete(db: &Db, deprecation_uuid: Uuid) -> Result<bool, Fault> {
    let done = sqlx::query!("delete from deprecation where deprecation_uuid = $1", deprecation_uuid)
        .execute(&mut *db.conn().await?)
        .await?;
    Ok(done.rows_affected() == 1)
}

/// A partner that is due for a reminder about an element that it still calls.
pub(super) struct Due {
    pub(super) deprecation_uuid: Uuid,
    pub(super) partner_uuid: Uuid,
    pub(super) days_before: i32,
}

/// Loads partners that in the last 14 days called an element with at most 60, 30 or 7 days until its sunset, and that
/// have not received this reminder. If several steps are due at once, only the last one counts.
pub(super) async fn due_page(db: &Db) -> Result<Vec<Due>, Fault> {
    Ok(sqlx::query_as!(
        Due,
        r#"select ending.deprecation_uuid, partner.partner_uuid, ending.days_before as "days_before!"
             from (select deprecation_uuid,
                          (select min(step) from unnest(array[60, 30, 7]) as step
                            where sunset_at <= labs_now() + make_interval(days => step)) as days_before
                     from deprecation
                    where sunset_at > labs_now() and sunset_at <= labs_now() + interval '60 days') as ending
             join lateral (select distinct split_part(account, ':', 2)::uuid as partner_uuid
                             from deprecation_use as used
                            where used.deprecation_uuid = ending.deprecation_uuid and account like 'partner:%'
                              and day > (labs_now() at time zone 'UTC')::date - 14) as caller on true
             join partner on partner.partner_uuid = caller.partner_uuid and partner.state in ('ACTIVE', 'CLOSING')
            where not exists (select from deprecation_reminder as told
                               where told.deprecation_uuid = ending.deprecation_uuid
                                 and told.partner_uuid = partner.partner_uuid
                                 and told.days_before <= ending.days_before)
            order by partner.partner_uuid, ending.deprecation_uuid
            limit 1000"#
    )
    .fetch_all(&mut *db.conn().await?)
    .await?)
}

/// Records that a partner was reminded. Returns whether this is the first record of the reminder.
pub(super) async fn insert_reminder(db: &Db, due: &Due) -> Result<bool, Fault> {
    let done = sqlx::query!(
        "insert into deprecation_reminder (deprecation_uuid, partner_uuid, days_before)
         select $1, $2, $3 where exists (select from deprecation where deprecation_uuid = $1)
         on conflict do nothing",
        due.deprecation_uuid,
        due.partner_uuid,
        due.days_before,
    )
    .execute(&mut *db.conn().await?)
    .await?;
    Ok(done.rows_affected() == 1)
}

/// A deprecated element that a partner still calls, as the reminder lists it.
pub(super) struct StillCalledRow {
    pub(super) columns: [Option<String>; 5],
    pub(super) sunset_at: Time,
    pub(super) requests: i64,
    pub(super) program: Option<String>,
}

/// Loads the deprecated elements that a partner called in the last 14 days, by machine client, earliest sunset first:
/// at most 20.
pub(super) async fn still_called_page(db: &Db, partner_uuid: Uuid) -> Result<Vec<StillCalledRow>, Fault> {
    let rows = sqlx::query!(
        r#"select d.operation_id, d.parameter, d.schema_name, d.field, d.value, d.sunset_at as "sunset_at: Time",
                  program.name as "program?", used.requests as "requests!"
             from (select deprecation_uuid, client_uuid, sum(requests)::bigint as requests
                     from deprecation_use
                    where account = 'partner:' || $1::uuid::text
                      and day > (labs_now() at time zone 'UTC')::date - 14
                    group by deprecation_uuid, client_uuid) as used
             join deprecation as d using (deprecation_uuid)
             left join machine_client as program on program.client_uuid = used.client_uuid
            order by d.sunset_at, d.deprecation_uuid, program.name
            limit 20"#,
        partner_uuid
    )
    .fetch_all(&mut *db.conn().await?)
    .await?;
    let told = rows.into_iter().map(|row| StillCalledRow {
        columns: [row.operation_id, row.parameter, row.schema_name, row.field, row.value],
        sunset_at: row.sunset_at,
        requests: row.requests,
        program: row.program,
    });
    Ok(told.collect())
}
