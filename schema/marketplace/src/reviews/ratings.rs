//! Distribution of an app's ratings: current, over time, and by version.

mod store;

use labs_core::db::Db;
use labs_core::describe::OutputType;
use labs_core::fault::{Fault, FieldError};
use labs_core::time::Time;
use labs_core::words::words;
use serde::Serialize;
use uuid::Uuid;

use super::types::RatingSpread;

/// Maximum number of periods in an answer.
const MOST_PERIODS: i64 = 400;

words! {
    /// Length of a period. Weeks begin on Monday. All periods begin at midnight UTC.
    pub enum AppRatingsInterval {
        /// A calendar month.
        Month = "MONTH",
        /// From Monday to Sunday.
        Week = "WEEK",
        /// A day.
        Day = "DAY",
    }
}

impl AppRatingsInterval {
    /// Length of the longest period of this kind, in seconds.
    const fn seconds(self) -> i64 {
        match self {
            Self::Month => 31 * 24 * 3_600,
            Self::Week => 7 * 24 * 3_600,
            Self::Day => 24 * 3_600,
        }
    }

    /// Name of the unit in PostgreSQL.
    const fn unit(self) -> &'static str {
        match self {
            Self::Month => "month",
            Self::Week => "week",
            Self::Day => "day",
        }
    }
}

/// Ratings of an app, from currently published customer reviews.
#[derive(Serialize, OutputType)]
pub(super) struct AppRatings {
    /// Ratings of all published customer reviews.
    now: RatingSpread,
    /// Length of each period.
    interval: AppRatingsInterval,
    /// Ratings by period of writing, earliest first, including periods without customer reviews.
    periods: Vec<RatingPeriod>,
    /// Ratings by the version used, ordered by the most recent customer review, newest first.
    versions: Vec<VersionRatings>,
}

/// Ratings of one period.
#[derive(Serialize, OutputType)]
pub(super) struct RatingPeriod {
    /// Start of the period.
    starts_at: Time,
    /// End of the period, exclusive.
    ends_at: Time,
    /// Ratings of the texts that were written in this period and are currently published.
    ratings: RatingSpread,
}

/// Ratings of one version.
#[derive(Serialize, OutputType)]
pub(super) struct VersionRatings {
    /// Number of the version. Null for customer reviews that name no version.
    version_number: Option<String>,
    /// Whether customers currently use this version.
    is_current_version: bool,
    /// Ratings of the customer reviews that name this version.
    ratings: RatingSpread,
}

/// Requested periods.
#[derive(Debug)]
pub(super) struct PeriodFilter {
    interval: AppRatingsInterval,
    /// Start of the first period; `None` for the default of twelve periods.
    from: Option<Time>,
    until: Time,
}

impl PeriodFilter {
    /// Validates the requested periods. The default is the last twelve periods.
    ///
    /// # Errors
    /// [`labs_core::Code::ValidationFailed`] if the end is not after the beginning, or for too many periods.
    pub(super) fn new(
        interval: Option<AppRatingsInterval>,
        (from, until): (Option<Time>, Option<Time>),
        now: Time,
    ) -> Result<Self, Fault> {
        let interval = interval.unwrap_or(AppRatingsInterval::Month);
        let until = until.unwrap_or(now);
        let invalid =
            |code: &str, message: String| Fault::invalid(vec![FieldError::of("written_at_until", code, message)]);
        if from.is_some_and(|from| from >= until) {
            return Err(invalid("ORDER", "The end must be later than the start, written_at_from.".to_owned()));
        }
        if from.is_some_and(|from| until.seconds_since(from) / interval.seconds() >= MOST_PERIODS) {
            let message = format!("The range has more than {MOST_PERIODS} periods. Request fewer or longer periods.");
            return Err(invalid("TOO_MANY", message));
        }
        Ok(Self { interval, from, until })
    }
}

/// Loads the ratings of an app. It lists the hundred versions with the most recent customer reviews.
pub(super) async fn get(db: &Db, app_uuid: Uuid, filter: &PeriodFilter) -> Result<AppRatings, Fault> {
    Ok(AppRatings {
        now: RatingSpread::new(&super::store::get_spread(db, app_uuid).await?),
        interval: filter.interval,
        periods: store::list_periods(db, app_uuid, filter).await?,
        versions: store::list_versions(db, app_uuid).await?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rating_period_is_bounded_and_ordered() {
        let at = |text: &str| -> Time { text.parse().unwrap() };
        let now = at("2026-03-02T09:00:00Z");
        let judged = |interval, from: Option<&str>, until: Option<&str>| {
            let refused = PeriodFilter::new(interval, (from.map(at), until.map(at)), now).err();
            refused.map(|fault| fault.errors()[0].code.clone())
        };
        assert_eq!(judged(None, None, None), None);
        assert_eq!(judged(None, Some("2026-03-02T09:00:00Z"), None).as_deref(), Some("ORDER"));
        let day = Some(AppRatingsInterval::Day);
        assert_eq!(judged(day, Some("2024-01-01T00:00:00Z"), None).as_deref(), Some("TOO_MANY"));
        assert_eq!(judged(day, Some("2025-03-02T09:00:00Z"), None), None);
        assert_eq!(judged(Some(AppRatingsInterval::Month), Some("2000-01-01T00:00:00Z"), None), None);
    }
}
