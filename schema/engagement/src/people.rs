//! Callers of the board: users of partners, and machine clients that read.

mod store;

use labs_core::context::RequestContext;
use labs_core::fault::{Code, Fault, SpentBudget};
use labs_core::principal::PrincipalType;
use uuid::Uuid;

use super::pseudonym;

/// Seconds per day.
const DAY: i64 = 86_400;

/// A user of a partner's team.
#[derive(Clone, Copy, Debug)]
pub(super) struct Person {
    /// UUID of the user.
    pub(super) uuid: Uuid,
    /// UUID of the partner.
    pub(super) partner_uuid: Uuid,
    /// Pseudonym of the user's votes.
    pub(super) voter: [u8; 32],
    /// Pseudonym of the user's follows.
    pub(super) follower: [u8; 32],
}

impl Person {
    /// Returns the calling user.
    ///
    /// # Errors
    /// [`Code::PersonRequired`] for a machine client, [`Code::NotFound`] for a user without a partner.
    pub(super) fn require_caller(cx: &RequestContext) -> Result<Self, Fault> {
        let principal = cx.principal()?;
        if principal.kind != PrincipalType::PartnerUser {
            let detail = "Only users can do this: a machine client can read the board, but cannot propose, vote, \
                          follow, comment, report or receive notifications. Sign in as a user of the team.";
            return Err(Fault::new(Code::PersonRequired, detail));
        }
        let key = &cx.services.key;
        let uuid = principal.uuid;
        Ok(Self {
            uuid,
            partner_uuid: principal.owner()?.uuid(),
            voter: pseudonym::voter(key, uuid),
            follower: pseudonym::follower(key, uuid),
        })
    }

    /// Returns the caller if it is a partner's user.
    pub(super) fn of_caller(cx: &RequestContext) -> Option<Self> {
        Self::require_caller(cx).ok()
    }
}

/// Returns the acting staff member, if the caller is a user.
pub(super) fn staff(cx: &RequestContext) -> Result<Option<Uuid>, Fault> {
    let principal = cx.principal()?;
    Ok((principal.kind == PrincipalType::StaffUser).then_some(principal.uuid))
}

/// Public action with a daily limit per user.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BoardDaily {
    /// Feature requests.
    Proposals,
    /// Comments.
    Comments,
    /// Reports.
    Reports,
}

impl BoardDaily {
    const fn word(self) -> &'static str {
        match self {
            Self::Proposals => "PROPOSALS",
            Self::Comments => "COMMENTS",
            Self::Reports => "REPORTS",
        }
    }

    const fn daily_limit(self) -> i32 {
        match self {
            Self::Proposals => 20,
            Self::Comments => 100,
            Self::Reports => 50,
        }
    }

    fn refusal(self, now: i64) -> Fault {
        let what = match self {
            Self::Proposals => "proposals",
            Self::Comments => "comments",
            Self::Reports => "reports",
        };
        err_spent(now, &format!("At most {} {what} per day are allowed for one user", self.daily_limit()))
    }
}

/// The fault after the daily limit is used up.
pub(super) fn err_spent(now: i64, what: &str) -> Fault {
    let seconds = (DAY - now.rem_euclid(DAY)).unsigned_abs();
    let detail = format!("{what}. The limit is reached. Try again after midnight (UTC), in {seconds} seconds.");
    Fault::rate_limited(SpentBudget::Daily, seconds, detail)
}

/// Uses one of the user's daily actions.
///
/// # Errors
/// [`Code::RateLimited`] until the day ends.
pub(super) async fn spend(cx: &RequestContext, person: &Person, daily: BoardDaily) -> Result<(), Fault> {
    let is_spent = store::spend(&cx.db, person.uuid, daily.word(), daily.daily_limit()).await?;
    if is_spent { Ok(()) } else { Err(daily.refusal(cx.now.unix())) }
}
