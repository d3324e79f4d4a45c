//! SQL statements about failed attempts.

use ipnet::IpNet;
use labs_core::db::Db;
use labs_core::fault::Fault;
use labs_core::time::Time;
use uuid::Uuid;

/// Consecutive failures of a subject.
pub(super) struct CountRow {
    pub(super) subject: String,
    pub(super) failures: i32,
}

/// Returns the time until which the next attempt of any of these subjects is blocked. A block of the whole account does
/// not apply to a network from which its owner signed in during the last thirty days, so that attackers elsewhere
/// cannot block the owner.
pub(super) async fn get_blocked_until(
    db: &Db,
    subjects: &[String],
    account: Option<(&str, IpNet)>,
) -> Result<Option<Time>, Fault> {
    let (email_normalised, network) = account.unzip();
    Ok(sqlx::query_scalar!(
        r#"select max(held_until) as "held_until: Time" from sign_in_failure as held
            where held.subject = any($1) and held.held_until > labs_now()
              and not (held.subject = 'account:' || coalesce($2, '') and exists (
                    select from session join person using (person_uuid)
                     where person.email_normalised = $2 and person.state <> 'REMOVED'
                       and session.address <<= $3 and session.created_at > labs_now() - interval '30 days'))"#,
        subjects,
        email_normalised,
        network as Option<IpNet>,
    )
    .fetch_one(&mut *db.conn().await?)
    .await?)
}

/// Counts one more failure of each subject and returns the consecutive failures. A day without failures resets the
/// count. The count of a network decreases by one every six seconds: many users may share it, and a success of one of
/// them does not reset it.
pub(super) async fn failures_add(db: &Db, subjects: &[String]) -> Result<Vec<CountRow>, Fault> {
    Ok(sqlx::query_as!(
        CountRow,
        "insert into sign_in_failure as known (subject, failures, last_failed_at)
         select subject, 1, labs_now() from unnest($1::text[]) as tried (subject) order by subject
         on conflict (subject) do update
            set failures = case
                  when known.last_failed_at < labs_now() - interval '1 day' then 1
                  when known.subject like 'network:%' then 1 + greatest(0,
                       known.failures - floor(extract(epoch from labs_now() - known.last_failed_at) / 6)::integer)
                  else known.failures + 1 end,
                last_failed_at = labs_now()
         returning subject, failures",
        subjects
    )
    .fetch_all(&mut *db.conn().await?)
    .await?)
}

/// Blocks the next attempt of each subject until the given time.
pub(super) async fn set_blocked_until(db: &Db, held: Vec<(String, Time)>) -> Result<(), Fault> {
    let (subjects, untils): (Vec<String>, Vec<Time>) = held.into_iter().unzip();
    sqlx::query!(
        "update sign_in_failure as known set held_until = held.until
           from unnest($1::text[], $2::timestamptz[]) as held (subject, until)
          where known.subject = held.subject",
        &subjects,
        &untils as &[Time],
    )
    .execute(&mut *db.conn().await?)
    .await?;
    Ok(())
}

/// Deletes the failures of these subjects.
pub(super) async fn delete_failures(db: &Db, subjects: &[String]) -> Result<(), Fault> {
    sqlx::query!("delete from sign_in_failure where subject = any($1)", subjects)
        .execute(&mut *db.conn().await?)
        .await?;
    Ok(())
}

/// Deletes the failures of an account and of its codes, from all networks; false if there were none.
pub(super) async fn forget_failures(db: &Db, email_normalised: &str, person_uuid: Uuid) -> Result<bool, Fault> {
    let done = sqlx::query!(
        "delete from sign_in_failure where account = $1 or person_uuid = $2",
        email_normalised,
        person_uuid
    )
    .execute(&mut *db.conn().await?)
    .await?;
    Ok(done.rows_affected() > 0)
}

/// Deletes the failures of an account's password, from all networks.
pub(super) async fn forget_password_failures(db: &Db, email_normalised: &str) -> Result<(), Fault> {
    sqlx::query!("delete from sign_in_failure where account = $1", email_normalised)
        .execute(&mut *db.conn().await?)
        .await?;
    Ok(())
}
