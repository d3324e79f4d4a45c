//! Report of the results with the limits of the design.

use std::collections::BTreeMap;
use std::fmt;
use std::io::Write as _;
use std::time::Duration;

use crate::load::Turn;

/// Minimum rate of a read with metrics and traces, as a fraction of its rate without them.
const LEAST_WATCHED: f64 = 0.97;

/// Limits of a case, as ratios.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bars {
    /// Minimum rate compared with the hand-written handlers.
    pub(crate) rate: f64,
    /// Desired rate compared with the hand-written handlers.
    pub(crate) aim: f64,
    /// Maximum p99 compared with the hand-written handlers. `None`: the two forms do different work.
    pub(crate) p99: Option<f64>,
    /// Minimum rate compared with pgbench. `None`: reported without a verdict.
    pub(crate) limit: Option<f64>,
}

/// One case with the turns of each form.
#[derive(Debug)]
pub(crate) struct Case {
    name: &'static str,
    bars: Bars,
    /// Turns of the service.
    pub(crate) labs: Vec<Turn>,
    /// Turns of the hand-written handlers.
    pub(crate) hand: Vec<Turn>,
    /// Transactions per second of pgbench. Empty: it had no turn.
    pub(crate) limit: Vec<f64>,
}

impl Case {
    /// Creates a case without turns.
    pub(crate) fn new(name: &'static str, bars: Bars) -> Self {
        Self { name, bars, labs: Vec::new(), hand: Vec::new(), limit: Vec::new() }
    }
}

/// All results.
#[derive(Debug, Default)]
pub(crate) struct Report {
    lines: Vec<String>,
    lists: BTreeMap<&'static str, Vec<(u32, f64)>>,
}

impl Report {
    /// Adds a case: rates, latencies and the medians of the rounds' ratios. The forms of a round run in direct
    /// succession, so that variations of the machine cancel out.
    pub(crate) fn case(&mut self, case: Case) -> anyhow::Result<()> {
        self.add(format!("\n{}", case.name))?;
        let mut worst = [0.0; 2];
        for (place, (form, turns)) in [("labs", &case.labs), ("hand-written", &case.hand)].into_iter().enumerate() {
            let p99 = quantile(turns, 0.99);
            if let Some(slot) = worst.get_mut(place) {
                *slot = p99;
            }
            let per_second = median(turns.iter().map(rate));
            let p50 = quantile(turns, 0.5);
            self.add(format!("  {form:<14}{per_second:>8.0} /s   p50 {p50:>7.2} ms   p99 {p99:>7.2} ms"))?;
        }
        let rates = Spread::of(case.labs.iter().zip(&case.hand).map(|(labs, hand)| rate(labs) / rate(hand)));
        self.add(verdict("beside hand-written", &rates, case.bars.rate, case.bars.aim))?;
        let p99 = |turn: &Turn| quantile(std::slice::from_ref(turn), 0.99);
        let slowest = Spread::of(case.labs.iter().zip(&case.hand).map(|(labs, hand)| p99(labs) / p99(hand)));
        let bar = case.bars.p99.map_or("no bar".to_owned(), |bar| slowest.at_most(bar));
        let [labs, hand] = worst;
        self.add(format!("  p99 beside hand-written      {slowest} ({bar}); of all rounds {:.2}", labs / hand))?;
        if case.limit.is_empty() {
            return Ok(());
        }
        self.add(format!("  pgbench       {:>8.0} /s", median(case.limit.iter().copied())))?;
        let rates = Spread::of(case.labs.iter().zip(&case.limit).map(|(labs, limit)| rate(labs) / limit));
        self.add(match case.bars.limit {
            Some(bar) => verdict("beside pgbench", &rates, bar, 0.75),
            None => format!("  {:<28} {rates} (no bar)", "beside pgbench"),
        })
    }

    /// Adds the latency of a list over this many rows.
    pub(crate) fn list(&mut self, path: &'static str, (many, things): (u32, &str), turn: Turn) -> anyhow::Result<()> {
        let p50 = quantile(&[turn], 0.5);
        let sizes = self.lists.entry(path).or_default();
        sizes.push((many, p50));
        if let [(fewer, before), (more, after)] = sizes.as_slice() {
            let ratio = after / before;
            let word = if ratio <= 1.3 { "" } else { ": ABOVE THE BAR" };
            let p50 = format!("p50 {before:.2} ms over {fewer} {things}, {after:.2} ms over {more}");
            self.add(format!("{path}: {p50}: {ratio:.2} times (bar 1.30, aim 1.10){word}"))?;
        }
        Ok(())
    }

    /// Adds a read of the storefront: its rate and its latencies, with their limits in milliseconds.
    pub(crate) fn read(&mut self, name: &str, most: Option<(f64, f64)>, turn: &Turn) -> anyhow::Result<()> {
        let turns = std::slice::from_ref(turn);
        let (p50, p99) = (quantile(turns, 0.5), quantile(turns, 0.99));
        let bar = most.map_or(String::new(), |(of_p50, of_p99)| {
            let word = if p50 <= of_p50 && p99 <= of_p99 { "passes" } else { "ABOVE THE BAR" };
            format!(" (bars {of_p50:.0} and {of_p99:.0}): {word}")
        });
        self.add(format!("{name:<36}{:>8.0} /s   p50 {p50:>7.2} ms   p99 {p99:>7.2} ms{bar}", rate(turn)))
    }

    /// Adds a read of the service with these monitoring settings, compared with the first, which has none.
    pub(crate) fn watched(&mut self, name: &str, forms: Vec<(&'static str, Vec<Turn>)>) -> anyhow::Result<()> {
        self.add(format!("\n{name}"))?;
        let Some((_, nothing)) = forms.first() else { return Ok(()) };
        for (form, turns) in &forms {
            let (per_second, p50, p99) = (median(turns.iter().map(rate)), quantile(turns, 0.5), quantile(turns, 0.99));
            let rates = Spread::of(turns.iter().zip(nothing).map(|(watched, nothing)| rate(watched) / rate(nothing)));
            let told = rates.at_least(LEAST_WATCHED);
            self.add(format!(
                "  {form:<24}{per_second:>8.0} /s   p50 {p50:>6.2} ms   p99 {p99:>6.2} ms   {rates} ({told})"
            ))?;
        }
        Ok(())
    }

    /// Adds the memory of the service after this many seconds of load.
    pub(crate) fn memory(&mut self, megabytes: f64, loaded: f64) {
        self.lines.push(format!(
            "\nmemory of the service after {loaded:.0} s of load: {megabytes:.0} MB (after 600 s: bar 120, aim 80)"
        ));
    }

    /// Adds the duration of a later start.
    pub(crate) fn start(&mut self, took: Duration) {
        self.lines.push(format!("start on an existing folder: {:.2} s (bar 2.00, aim 1.00)", took.as_secs_f64()));
    }

    fn add(&mut self, text: String) -> anyhow::Result<()> {
        line(&text)?;
        self.lines.push(text);
        Ok(())
    }

    /// Prints the whole report.
    pub(crate) fn print(&self) -> anyhow::Result<()> {
        line("\n== all of it, in ratios within this run ==")?;
        self.lines.iter().try_for_each(|text| line(text))
    }
}

fn verdict(beside: &str, ratio: &Spread, bar: f64, aim: f64) -> String {
    let word = if ratio.median >= aim {
        "reaches the aim"
    } else if ratio.median >= bar {
        "passes the bar"
    } else {
        "BELOW THE BAR"
    };
    format!("  {beside:<28} {ratio} (bar {bar:.2}, aim {aim:.2}): {word}")
}

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
    fn at_most(&self, bar: f64) -> String {
        let (low, high) = self.between.unwrap_or((self.median, self.median));
        let word = if high <= bar {
            "passes"
        } else if low <= bar {
            "not told apart from it"
        } else {
            "ABOVE THE BAR"
        };
        format!("bar: at most {bar:.2}: {word}")
    }

    /// Returns the verdict for a lower limit of the true value.
    fn at_least(&self, bar: f64) -> String {
        let (low, high) = self.between.unwrap_or((self.median, self.median));
        let word = if low >= bar {
            "passes"
        } else if high >= bar {
            "not told apart from it"
        } else {
            "BELOW THE BAR"
        };
        format!("bar: at least {bar:.2}: {word}")
    }
}

impl fmt::Display for Spread {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{:.2}", self.median)?;
        self.between.map_or(Ok(()), |(low, high)| write!(out, " [{low:.2} to {high:.2}]"))
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
fn quantile(turns: &[Turn], part: f64) -> f64 {
    let mut all: Vec<u32> = turns.iter().flat_map(|turn| turn.latencies.iter().copied()).collect();
    all.sort_unstable();
    let place = (all.len() as f64 * part) as usize;
    all.get(place.min(all.len().saturating_sub(1))).map_or(f64::NAN, |micros| f64::from(*micros) / 1000.0)
}

/// Writes a line to standard output.
pub(crate) fn line(text: &str) -> anyhow::Result<()> {
    Ok(writeln!(std::io::stdout().lock(), "{text}")?)
}

/// Logs an error of a form to standard error. A failure to write is ignored.
pub(crate) fn complain(error: &dyn std::error::Error) {
    let _ = writeln!(std::io::stderr().lock(), "hand-written: {error}");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounds_report_median_and_confidence_interval() {
        let of = |rounds: i32| Spread::of((1..=rounds).rev().map(|round| f64::from(round) / 100.0)).to_string();
        assert_eq!(of(5), "0.03");
        assert_eq!(of(6), "0.04 [0.01 to 0.06]");
        assert_eq!(of(10), "0.06 [0.02 to 0.09]");
        assert_eq!(of(60), "0.30 [0.22 to 0.39]");
    }

    #[test]
    fn difference_within_spread_is_inconclusive() {
        let said = |rounds: [f64; 6]| Spread::of(rounds.into_iter()).at_most(1.0);
        assert!(said([0.8, 0.9, 0.9, 0.9, 0.9, 1.0]).ends_with("passes"));
        assert!(said([0.9, 1.1, 1.1, 1.1, 1.1, 1.2]).ends_with("not told apart from it"));
        assert!(said([1.1, 1.1, 1.1, 1.1, 1.1, 1.2]).ends_with("ABOVE THE BAR"));
    }
}
