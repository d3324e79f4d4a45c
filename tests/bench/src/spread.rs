//! Medians, quantiles and confidence intervals of rounds.

use std::fmt;

use crate::load::Turn;

/// Median of the rounds and its confidence interval of at least 95 % (the interval of the sign test, which assumes no
/// distribution). Fewer than six rounds have no interval.
pub(crate) struct Spread {
    /// Median of the rounds.
    pub(crate) median: f64,
    between: Option<(f64, f64)>,
}

impl Spread {
    /// Computes the median and the interval of these rounds.
    pub(crate) fn of(rounds: impl Iterator<Item = f64>) -> Self {
        let mut rounds: Vec<f64> = rounds.collect();
        rounds.sort_by(f64::total_cmp);
        // Number of rounds that may be outside on each side: in this many coin tosses, fewer heads occur with a
        // probability of at most one in forty.
        let (mut beyond, mut chance, mut all) = (0, 0.5_f64.powi(i32::try_from(rounds.len()).unwrap_or(i32::MAX)), 0.0);
        while beyond < rounds.len() / 2 && all + chance <= 0.025 {
            all += chance;
            chance *= (rounds.len() - beyond) as f64 / (beyond + 1) as f64;
            beyond += 1;
        }
        let low = beyond.checked_sub(1).and_then(|place| rounds.get(place));
        let high = rounds.len().checked_sub(beyond).and_then(|place| rounds.get(place));
        Self { median: median(rounds.iter().copied()), between: low.copied().zip(high.copied()) }
    }

    /// Returns the verdict for an upper limit of the true value.
    pub(crate) fn at_most(&self, bar: f64) -> &'static str {
        let (low, high) = self.between.unwrap_or((self.median, self.median));
        verdict(high <= bar, low <= bar, "ABOVE THE BAR")
    }

    /// Returns the verdict for a lower limit of the true value.
    pub(crate) fn at_least(&self, bar: f64) -> &'static str {
        let (low, high) = self.between.unwrap_or((self.median, self.median));
        verdict(low >= bar, high >= bar, "BELOW THE BAR")
    }
}

fn verdict(passes: bool, may_pass: bool, failure: &'static str) -> &'static str {
    match (passes, may_pass) {
        (true, _) => "passes",
        (false, true) => "inconclusive",
        (false, false) => failure,
    }
}

impl fmt::Display for Spread {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{:.2}", self.median)?;
        self.between.map_or(Ok(()), |(low, high)| write!(out, " ({low:.2} to {high:.2})"))
    }
}

/// Returns the responses per second.
pub(crate) fn rate(turn: &Turn) -> f64 {
    turn.answers as f64 / turn.seconds
}

/// Returns the median of these values.
pub(crate) fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    let of = |place: usize| values.get(place).copied().unwrap_or(f64::NAN);
    (of(values.len().saturating_sub(1) / 2) + of(values.len() / 2)) / 2.0
}

/// Returns the latency quantile over all turns, in milliseconds.
pub(crate) fn quantile(turns: &[Turn], part: f64) -> f64 {
    let mut all: Vec<u32> = turns.iter().flat_map(|turn| turn.latencies.iter().copied()).collect();
    all.sort_unstable();
    let place = (all.len() as f64 * part) as usize;
    all.get(place.min(all.len().saturating_sub(1))).map_or(f64::NAN, |micros| f64::from(*micros) / 1000.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounds_report_median_and_confidence_interval() {
        let of = |rounds: i32| Spread::of((1..=rounds).rev().map(|round| f64::from(round) / 100.0)).to_string();
        assert_eq!(of(5), "0.03");
        assert_eq!(of(6), "0.04 (0.01 to 0.06)");
        assert_eq!(of(10), "0.06 (0.02 to 0.09)");
        assert_eq!(of(60), "0.30 (0.22 to 0.39)");
    }

    #[test]
    fn difference_within_spread_is_inconclusive() {
        let said = |rounds: [f64; 6]| Spread::of(rounds.into_iter()).at_most(1.0);
        assert_eq!(said([0.8, 0.9, 0.9, 0.9, 0.9, 1.0]), "passes");
        assert_eq!(said([0.9, 1.1, 1.1, 1.1, 1.1, 1.2]), "inconclusive");
        assert_eq!(said([1.1, 1.1, 1.1, 1.1, 1.1, 1.2]), "ABOVE THE BAR");
    }
}
