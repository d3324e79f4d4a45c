//! Estimate of the decision date.

use labs_core::business_time::{add_seconds, seconds_between};
use labs_core::time::Time;

/// Minimum number of recent decisions for an estimate.
const FEWEST: usize = 3;
/// Percentage of submissions that should be decided by the estimated date, if future decisions take as long as past
/// ones. A higher value would give almost every partner the date of the slowest decision.
const OF_A_HUNDRED: usize = 90;
const HOUR: i64 = 3_600;

/// Times of a submission and of its decision.
#[derive(Clone, Copy, Debug)]
pub(in crate::submissions) struct DecidedSubmission {
    pub(in crate::submissions) submitted_at: Time,
    pub(in crate::submissions) decided_at: Time,
}

/// Estimates the decision date of a submission, rounded to the full hour. The estimate uses the business time of the
/// recent decisions that took longer than this submission has already waited, so that it is never in the past. Returns
/// `None` if there are too few decisions.
pub(in crate::submissions) fn expected_at(submitted_at: Time, now: Time, recent: &[DecidedSubmission]) -> Option<Time> {
    if recent.len() < FEWEST {
        return None;
    }
    let waited = seconds_between(submitted_at, now);
    let took = recent.iter().map(|of| seconds_between(of.submitted_at, of.decided_at));
    let mut took: Vec<i64> = took.filter(|took| *took > waited).collect();
    took.sort_unstable();
    let place = (took.len() * OF_A_HUNDRED).div_ceil(100);
    let expected = add_seconds(submitted_at, *took.get(place.checked_sub(1)?)?);
    Some(expected.plus_seconds(HOUR - expected.unix().rem_euclid(HOUR)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> Time {
        text.parse().unwrap()
    }

    #[test]
    fn estimate_needs_enough_decisions_and_is_never_past() {
        let took = |days: i64| {
            let submitted_at = at("2026-11-02T09:00:00Z");
            DecidedSubmission { submitted_at, decided_at: submitted_at.plus_seconds(days * 86_400) }
        };
        let submitted = at("2026-11-23T09:00:00Z");
        assert_eq!(expected_at(submitted, submitted, &[took(1), took(1)]), None);
        let three = [took(1), took(1), took(2)];
        assert_eq!(expected_at(submitted, submitted, &three), Some(at("2026-11-25T10:00:00Z")));
        assert_eq!(expected_at(submitted, at("2026-11-25T08:00:00Z"), &three), Some(at("2026-11-25T10:00:00Z")));
        assert_eq!(expected_at(submitted, at("2026-11-25T09:00:01Z"), &three), None, "longer than any of them");
        let friday = at("2026-11-27T18:00:00Z");
        assert_eq!(expected_at(friday, friday, &[took(1); 3]), Some(at("2026-11-30T19:00:00Z")), "not on a weekend");
    }

    /// Deterministic pseudo-random numbers.
    struct Random(u64);

    impl Random {
        fn unit(&mut self) -> f64 {
            self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            f64::from(u32::try_from(self.0 >> 32).unwrap()) / f64::from(u32::MAX)
        }

        /// Returns the seconds of work on a submission: an hour and a half on average, less for most submissions.
        fn work(&mut self) -> i64 {
            let normal: f64 = (0..12).map(|_| self.unit()).sum::<f64>() - 6.0;
            #[expect(clippy::cast_possible_truncation, reason = "some hours")]
            let seconds = (5_400.0 * (0.8 * normal - 0.32).exp()) as i64;
            seconds
        }
    }

    const DAY: i64 = 86_400;

    /// Returns whether reviewers work at a second, counted from a Monday's midnight: nine to five, Monday to Friday.
    fn is_worked(second: i64) -> bool {
        second.div_euclid(DAY).rem_euclid(7) < 5 && (9 * HOUR..17 * HOUR).contains(&second.rem_euclid(DAY))
    }

    /// Returns the time at which work of `work` seconds that starts at `second` is complete.
    fn finished_at(mut second: i64, mut work: i64) -> i64 {
        while work > 0 {
            if is_worked(second) {
                let step = work.min(17 * HOUR - second.rem_euclid(DAY));
                (second, work) = (second + step, work - step);
            } else {
                second += HOUR - second.rem_euclid(HOUR);
            }
        }
        second
    }

    /// Simulates a thousand submissions and two reviewers who are busy four fifths of their time. Returns how many
    /// submissions are decided by the first estimate, and the ratio of the median estimate to the median duration.
    fn simulate(seed: u64) -> (usize, f64) {
        let (mut random, monday) = (Random(seed), at("2026-01-05T00:00:00Z"));
        let (mut free, mut clock, mut all) = ([0_i64; 2], 0_i64, Vec::<DecidedSubmission>::new());
        let (mut kept, mut told, mut taken) = (0, Vec::new(), Vec::new());
        while told.len() < 1_000 {
            // Developers submit in the daytime, rarely on weekends.
            clock += 60;
            let is_day = (8 * HOUR..20 * HOUR).contains(&clock.rem_euclid(DAY));
            let likely = if clock.div_euclid(DAY).rem_euclid(7) < 5 { 1.0 } else { 0.3 };
            if !is_day || random.unit() > likely * 42.7 / (67.2 * 60.0) {
                continue;
            }
            let reviewer = usize::from(free[1] < free[0]);
            free[reviewer] = finished_at(clock.max(free[reviewer]), random.work());
            let submitted_at = monday.plus_seconds(clock);
            let decided_at = monday.plus_seconds(free[reviewer]);
            let mut recent: Vec<DecidedSubmission> =
                all.iter().filter(|of| of.decided_at < submitted_at).copied().collect();
            recent.sort_by_key(|of| std::cmp::Reverse(of.decided_at));
            recent.truncate(50);
            if let (50, Some(expected)) = (recent.len(), expected_at(submitted_at, submitted_at, &recent)) {
                kept += usize::from(decided_at <= expected);
                told.push(expected.unix() - submitted_at.unix());
                taken.push(decided_at.unix() - submitted_at.unix());
            }
            all.push(DecidedSubmission { submitted_at, decided_at });
        }
        told.sort_unstable();
        taken.sort_unstable();
        #[expect(clippy::cast_precision_loss, reason = "seconds of some days")]
        let ratio = told[500] as f64 / taken[500] as f64;
        (kept, ratio)
    }

    #[test]
    fn four_of_five_decisions_meet_first_estimate() {
        // The deviation differs between thousands, so the test combines five of them.
        let (kept, ratios): (Vec<usize>, Vec<f64>) = (1..=5).map(simulate).unzip();
        assert!(kept.iter().sum::<usize>() >= 5 * 800, "only {kept:?} of 1000 each");
        assert!(ratios.iter().sum::<f64>() <= 5.0 * 1.5, "told {ratios:?} times what it takes");
    }
}
