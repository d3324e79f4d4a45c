//! Rate limit for renewals of a user's sessions, across all networks (docs/decisions/edge.md#attempts).

use std::num::NonZeroU32;

use governor::clock::{Clock as _, DefaultClock};
use governor::{DefaultKeyedRateLimiter, Quota, RateLimiter};
use labs_core::fault::{Fault, SpentBudget};
use uuid::Uuid;

/// Renewals a minute. An access token is valid for ten minutes, so even a dozen windows stay far below the limit.
const EACH_MINUTE: u32 = 60;
/// Number of users in memory above which users without a renewal in the last minute are evicted.
const MANY: usize = 10_000;

/// Renewals of each user on this replica, in memory: a rejected renewal costs almost nothing.
pub struct RenewalLimiter(DefaultKeyedRateLimiter<Uuid>);

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
    /// [`labs_core::Code::RateLimited`] with the seconds to wait.
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
