//! What a partner may do so much of a day (UTC), counted in the transaction of what it counts: parallel requests never get
//! more, and what is refused counts nothing. What is taken back later is not given back.

use uuid::Uuid;

use crate::core::context::RequestContext;
use crate::core::db::Db;
use crate::core::fault::{Fault, SpentBudget};

/// Seconds of a day.
const DAY: i64 = 86_400;

/// Something that is bounded by the day.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Daily {
    /// Bytes that uploads bring into the store.
    Uploads,
    /// Mails of invitations that the team sends.
    Invitations,
    /// Mails of invitations that staff send on behalf of the team.
    InvitationsByStaff,
}

impl Daily {
    /// The column's value.
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

/// Refuses what is beyond the day's most, and uses nothing: a first look, before something is done that costs much.
///
/// # Errors
/// [`crate::Code::RateLimited`] until the day is over.
pub(crate) async fn check(
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

/// Uses so much of the day's most. Two who use at once wait for one another.
///
/// # Errors
/// [`crate::Code::RateLimited`] until the day is over.
pub(crate) async fn spend(
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
    use crate::core::fault::Code;

    #[test]
    fn a_refusal_ends_with_the_day() {
        for (now, seconds) in [(0, 86_400), (1, 86_399), (86_399, 1), (86_400, 86_400)] {
            let fault = Daily::Uploads.refusal(now, 5);
            assert_eq!((fault.code(), fault.seconds_to_wait()), (Code::RateLimited, Some(seconds)));
            assert_eq!(fault.spent_budget(), Some(SpentBudget::Daily));
        }
    }
}
