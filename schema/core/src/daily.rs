//! Daily limits of a partner (UTC), counted in the transaction of the counted action: parallel requests never exceed
//! the limit, and rejected requests do not count. If the action is undone later, the count stays.

use uuid::Uuid;

use crate::context::RequestContext;
use crate::db::Db;
use crate::fault::{Fault, SpentBudget};

const DAY: i64 = 86_400;

/// Action with a daily limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Daily {
    /// Bytes uploaded to the object storage.
    Uploads,
    /// Invitation mails that the team sends.
    Invitations,
    /// Invitation mails that staff send on behalf of the team.
    InvitationsByStaff,
}

impl Daily {
    /// Returns the value of the column.
    const fn name(self) -> &'static str {
        match self {
            Self::Uploads => "UPLOADS",
            Self::Invitations => "INVITATIONS",
            Self::InvitationsByStaff => "INVITATIONS_BY_STAFF",
        }
    }

    fn refusal(self, now: i64, most: i64) -> Fault {
        let what = match self {
            Self::Uploads => {
                format!("At most {most} bytes can be uploaded per day, including replaced and deleted files")
            }
            Self::Invitations | Self::InvitationsByStaff => {
                format!(
                    "At most {most} invitations can be sent for a company per day, including resent and revoked ones"
                )
            }
        };
        let seconds = DAY - now.rem_euclid(DAY);
        let detail = format!("{what}. The limit is reached. Try again after midnight (UTC), in {seconds} seconds.");
        Fault::rate_limited(SpentBudget::Daily, seconds.unsigned_abs(), detail)
    }
}

/// Rejects an amount above the daily limit without counting it: an early check before expensive work.
///
/// # Errors
/// [`crate::Code::RateLimited`] until the end of the day.
pub async fn check(
    cx: &RequestContext,
    db: &Db,
    partner_uuid: Uuid,
    daily: Daily,
    (more, most): (i64, i64),
) -> Result<(), Fault> {
    let used = sqlx::query_scalar!(
        "select used from partner_daily_use
          where partner_uuid = $1 and day = (labs_now() at time zone 'UTC')::date and what = $2",
        partner_uuid,
        daily.name(),
    )
    .fetch_optional(&mut *db.conn().await?)
    .await?;
    let fits = used.unwrap_or_default().saturating_add(more) <= most;
    if fits { Ok(()) } else { Err(daily.refusal(cx.now.unix(), most)) }
}

/// Counts an amount against the daily limit. Concurrent calls wait for each other.
///
/// # Errors
/// [`crate::Code::RateLimited`] until the end of the day.
pub async fn spend(
    cx: &RequestContext,
    partner_uuid: Uuid,
    daily: Daily,
    (more, most): (i64, i64),
) -> Result<(), Fault> {
    let done = sqlx::query!(
        "insert into partner_daily_use as u (partner_uuid, day, what, used)
         select $1, (labs_now() at time zone 'UTC')::date, $2, $3::bigint where $3::bigint <= $4
             on conflict on constraint partner_daily_use_pkey
             do update set used = u.used + excluded.used where u.used + excluded.used <= $4",
        partner_uuid,
        daily.name(),
        more,
        most,
    )
    .execute(&mut *cx.db.conn().await?)
    .await?;
    if done.rows_affected() > 0 { Ok(()) } else { Err(daily.refusal(cx.now.unix(), most)) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fault::Code;

    #[test]
    fn daily_limit_error_waits_until_midnight() {
        for (now, seconds) in [(0, 86_400), (1, 86_399), (86_399, 1), (86_400, 86_400)] {
            let fault = Daily::Uploads.refusal(now, 5);
            assert_eq!((fault.code(), fault.seconds_to_wait()), (Code::RateLimited, Some(seconds)));
            assert_eq!(fault.spent_budget(), Some(SpentBudget::Daily));
        }
    }
}
