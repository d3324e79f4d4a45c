//! Every statement about failed tries.

use ipnet::IpNet;
use uuid::Uuid;

use crate::core::db::Db;
use crate::core::fault::Fault;
use crate::core::time::Time;

/// How often a subject failed in a row.
pub(super) struct CountRow {
    pub(super) subject: String,
    pub(super) failures: i32,
}

/// Until when the next try of any of these subjects is held back. What is held back for an account as a whole is not
/// for a network from which its owner signed in during the last thirty days: strangers elsewhere cannot keep them out.
pub(super) async fn held_until_get(
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

/// Counts one more failure of each and answers how many there are in a row. A day without any starts anew. What a
/// network is charged with melts by one every six seconds: many people may share it, and no success of one of them
/// ends the count.
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

/// Holds the next try of each subject back.
pub(super) async fn held_until_set(db: &Db, held: Vec<(String, Time)>) -> Result<(), Fault> {
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

/// Forgets the failures of these subjects.
pub(super) async fn failures_delete(db: &Db, subjects: &[String]) -> Result<(), Fault> {
    sqlx::query!("delete from sign_in_failure where subject = any($1)", subjects)
        .execute(&mut *db.conn().await?)
        .await?;
    Ok(())
}

/// Forgets the failures of an account and of its codes, from all networks; false when there were none.
pub(super) async fn failures_forget(db: &Db, email_normalised: &str, person_uuid: Uuid) -> Result<bool, Fault> {
    let done = sqlx::query!(
        "delete from sign_in_failure where account = $1 or person_uuid = $2",
        email_normalised,
        person_uuid
    )
    .execute(&mut *db.conn().await?)
    .await?;
    Ok(done.rows_affected() > 0)
}

/// Forgets the failures of an account's password, from all networks.
pub(super) async fn password_failures_forget(db: &Db, email_normalised: &str) -> Result<(), Fault> {
    sqlx::query!("delete from sign_in_failure where account = $1", email_normalised)
        .execute(&mut *db.conn().await?)
        .await?;
    Ok(())
}
