//! Business time, in which deadlines are counted: all hours of Monday to Friday, in UTC
//! (docs/decisions/review.md#due-date-of-a-decision).

use crate::time::Time;

/// Seconds in a business day.
pub const DAY: i64 = 86_400;
const WEEK: i64 = 7 * DAY;
const BUSINESS_WEEK: i64 = 5 * DAY;
/// Weeks are counted from a Monday; 1970 began on a Thursday, three days after it.
const SINCE_MONDAY: i64 = 3 * DAY;

/// Returns the moment this many business seconds later. From a weekend, counting starts on Monday.
pub fn add_seconds(from: Time, seconds: i64) -> Time {
    let business = seconds_from_epoch(from).saturating_add(seconds);
    let (week, rest) = (business.div_euclid(BUSINESS_WEEK), business.rem_euclid(BUSINESS_WEEK));
    let target = week.saturating_mul(WEEK).saturating_add(rest).saturating_sub(SINCE_MONDAY);
    from.whole_seconds().plus_seconds(target.saturating_sub(from.unix()))
}

/// Counts the business seconds between two moments; 0 if the second is earlier.
pub fn seconds_between(from: Time, until: Time) -> i64 {
    seconds_from_epoch(until).saturating_sub(seconds_from_epoch(from)).max(0)
}

/// Counts the business seconds from the Monday before 1970 to a moment.
fn seconds_from_epoch(moment: Time) -> i64 {
    let since = moment.unix().saturating_add(SINCE_MONDAY);
    let (week, rest) = (since.div_euclid(WEEK), since.rem_euclid(WEEK));
    week.saturating_mul(BUSINESS_WEEK).saturating_add(rest.min(BUSINESS_WEEK))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> Time {
        text.parse().unwrap()
    }

    #[test]
    fn three_business_days_skip_the_weekend() {
        for (from, until) in [
            ("2026-11-23T09:30:00Z", "2026-11-26T09:30:00Z"),
            ("2026-11-25T09:30:00Z", "2026-11-30T09:30:00Z"),
            ("2026-11-27T23:59:59Z", "2026-12-02T23:59:59Z"),
            ("2026-11-28T10:00:00Z", "2026-12-03T00:00:00Z"),
            ("2026-11-29T10:00:00Z", "2026-12-03T00:00:00Z"),
            ("1969-12-31T10:00:00Z", "1970-01-05T10:00:00Z"),
        ] {
            assert_eq!(add_seconds(at(from), 3 * DAY), at(until), "{from}");
        }
    }

    #[test]
    fn remaining_business_time_survives_a_pause() {
        let due = add_seconds(at("2026-11-26T12:00:00Z"), 3 * DAY);
        let left = seconds_between(at("2026-11-27T12:00:00Z"), due);
        assert_eq!(left, 2 * DAY);
        assert_eq!(add_seconds(at("2026-12-12T08:00:00Z"), left), at("2026-12-16T00:00:00Z"));
        assert_eq!(seconds_between(at("2026-12-20T00:00:00Z"), due), 0, "nothing is owed to the past");
    }

    #[test]
    fn after_and_between_are_inverse() {
        let from = at("2026-11-23T00:00:01Z");
        for hours in 0..400 {
            let begun = from.plus_seconds(hours * 3_600);
            for seconds in [0, 1, 3_599, DAY, 3 * DAY + 17, 12 * DAY] {
                assert_eq!(seconds_between(begun, add_seconds(begun, seconds)), seconds, "{begun} {seconds}");
            }
        }
    }
}
