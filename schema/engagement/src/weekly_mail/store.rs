//! SQL statements about the weekly mail. A week begins on Monday, in UTC.

use labs_core::db::Db;
use labs_core::fault::Fault;
use uuid::Uuid;

/// Activity on the board in the previous week.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Week {
    /// Status changes.
    pub(super) status_changes: i64,
    /// Answers by staff.
    pub(super) answers: i64,
}

/// Returns the activity of the previous week, except on suspended feature requests.
pub(super) async fn week(db: &Db) -> Result<Week, Fault> {
    Ok(sqlx::query_as!(
        Week,
        r#"with monday as (select date_trunc('week', labs_now() at time zone 'UTC') as day)
           select count(*) filter (where e.kind = 'STATUS') as "status_changes!",
                  count(*) filter (where e.kind = 'ANSWER') as "answers!"
             from monday cross join feature_event as e join feature_request as r on r.request_uuid = e.request_uuid
             join feature_request as root on root.request_uuid = r.root_uuid
             left join feature_comment as c on c.comment_uuid = e.comment_uuid
            where e.occurred_at >= (monday.day - interval '7 days') at time zone 'UTC'
              and e.occurred_at < monday.day at time zone 'UTC'
              and r.suspended_at is null and root.suspended_at is null and c.suspended_at is null"#
    )
    .fetch_one(&mut *db.conn().await?)
    .await?)
}

/// Returns the next page of subscribed users who have not received this week's mail, after this user.
pub(super) async fn due_page(db: &Db, behind: Uuid, most: i64) -> Result<Vec<Uuid>, Fault> {
    Ok(sqlx::query_scalar!(
        "select h.person_uuid from person as h join partner as p using (partner_uuid)
          where h.board_mail and h.person_uuid > $1 and h.state = 'ACTIVE' and p.state in ('ACTIVE', 'CLOSING')
            and not exists (
                select from mail_message as m
                 where m.person_uuid = h.person_uuid and m.kind = 'BOARD_WEEK'
                   and m.created_at >= date_trunc('week', labs_now() at time zone 'UTC') at time zone 'UTC')
          order by h.person_uuid limit $2",
        behind,
        most,
    )
    .fetch_all(&mut *db.conn().await?)
    .await?)
}

/// Locks a user until the transaction ends, if they are subscribed and have not received this week's mail.
pub(super) async fn lock_due(db: &Db, person_uuid: Uuid) -> Result<bool, Fault> {
    let locked = sqlx::query!(
        "select from person where person_uuid = $1 and board_mail and state = 'ACTIVE' for no key update",
        person_uuid
    )
    .fetch_optional(&mut *db.conn().await?)
    .await?;
    if locked.is_none() {
        return Ok(false);
    }
    // The previous holder of the lock has committed, so its mail is visible now.
    let written = sqlx::query_scalar!(
        r#"select exists (
               select from mail_message where person_uuid = $1 and kind = 'BOARD_WEEK'
                  and created_at >= date_trunc('week', labs_now() at time zone 'UTC') at time zone 'UTC') as "written!""#,
        person_uuid
    )
    .fetch_one(&mut *db.conn().await?)
    .await?;
    Ok(!written)
}

/// Unsubscribes a user from the mail. If the user is already unsubscribed, nothing is written.
pub(super) async fn set_off(db: &Db, person_uuid: Uuid) -> Result<(), Fault> {
    sqlx::query!(
        "update person set board_mail = false, updated_at = labs_now() where person_uuid = $1 and board_mail",
        person_uuid
    )
    .execute(&mut *db.conn().await?)
    .await?;
    Ok(())
}
