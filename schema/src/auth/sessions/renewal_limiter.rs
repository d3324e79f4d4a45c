//! How often a person's sessions may be renewed, however many networks that comes from (docs/decisions.md#budgets).

use std::num::NonZeroU32;

use governor::clock::{Clock as _, DefaultClock};
use governor::{DefaultKeyedRateLimiter, Quota, RateLimiter};
use uuid::Uuid;

use crate::core::fault::{Fault, SpentBudget};

/// Renewals a minute. An access token lives ten, so that a dozen windows in a hurry stay far below it.
const EACH_MINUTE: u32 = 60;
/// People that are remembered before those who have not come for a minute are forgotten.
const MANY: usize = 10_000;

/// The renewals of each person on this replica, in memory: what is refused costs nothing.
pub(crate) struct RenewalLimiter(DefaultKeyedRateLimiter<Uuid>);

impl Default for RenewalLimiter {
    fn default() -> Self {
        let many = NonZeroU32::new(EACH_MINUTE).unwrap_or(NonZeroU32::MIN);
        Self(RateLimiter::keyed(Quota::per_minute(many)))
    }
}

impl RenewalLimiter {
    /// Counts a renewal.
    ///
    /// # Errors
    /// [`crate::Code::RateLimited`] with the seconds to wait.
    pub(super) fn spend(&self, person_uuid: Uuid) -> Result<(), Fault> {
        if self.0.len() > MANY {
            self.0.retain_recent();
        }
        self.0.check_key(&person_uuid).map_err(|refused| {
            let wait = refused.wait_time_from(DefaultClock::default().now()).as_secs() + 1;
            let detail = format!(
                "The limit of {EACH_MINUTE} refreshes of your sessions per minute is exceeded. Wait {wait} s, and \
                 reuse the access token until `expires_in` has almost elapsed."
            );
            Fault::rate_limited(SpentBudget::Burst, wait, detail)
        })
    }
}
