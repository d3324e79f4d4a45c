//! Table of all reads with their limits.

use crate::costs::Cost;
use crate::load::Turn;
use crate::report::line;
use crate::spread::{Spread, median, rate};

/// Minimum ratio of the median over all reads with a statement.
const MIDDLE: f64 = 0.85;
/// Minimum ratio of each read.
const LEAST: f64 = 0.70;
/// Number of the slowest reads in the summary.
const WORST: usize = 10;

/// A read with the rates of both forms for each round.
#[derive(Debug)]
pub(crate) struct Measured {
    operation: String,
    statements: usize,
    size: usize,
    notes: String,
    labs: Vec<Turn>,
    replay: Vec<Turn>,
}

impl Measured {
    /// Creates a read without rounds, with this number of statements and this response size in bytes.
    pub(crate) fn new(operation: &str, statements: usize, size: usize, notes: &[&str]) -> Self {
        Self {
            operation: operation.to_owned(),
            statements,
            size,
            notes: notes.join(", "),
            labs: Vec::new(),
            replay: Vec::new(),
        }
    }

    /// Adds a round.
    pub(crate) fn round(&mut self, labs: Turn, replay: Turn) {
        self.labs.push(labs);
        self.replay.push(replay);
    }

    fn ratio(&self) -> Spread {
        Spread::of(self.labs.iter().zip(&self.replay).map(|(labs, replay)| rate(labs) / rate(replay)))
    }

    /// Returns the read's row: the ratio and the cost if it has a statement, otherwise the time per request.
    pub(crate) fn format_line(&self) -> String {
        let (labs, replay) = (median(self.labs.iter().map(rate)), median(self.replay.iter().map(rate)));
        let cost =
            Cost::of(&self.labs).map_or(String::new(), |cost| format!("{:.0}+{:.0}", cost.service, cost.database));
        let Self { operation, statements, size, notes, .. } = self;
        if self.statements == 0 {
            return format!("  {operation:<44} {:>8.1} µs  {size:>9}  {notes}", 1e6 / labs).trim_end().to_owned();
        }
        let ratio = self.ratio().to_string();
        let told = format!(
            "  {operation:<44} {ratio:<20} {labs:>8.0} {replay:>8.0} {cost:>11} {statements:>5} {size:>9}  {notes}"
        );
        told.trim_end().to_owned()
    }
}

/// Returns the column headings of reads with a statement. The cost is the processor time of the service and of the
/// database for a request.
pub(crate) fn head() -> String {
    let [operation, ratio, labs, replay] = ["read", "labs to replay", "labs /s", "replay/s"];
    format!("  {operation:<44} {ratio:<20} {labs:>8} {replay:>8} {:>11} {:>5} {:>9}", "cost, µs", "stmts", "bytes")
}

/// All measured reads, and the reads that could not be measured.
#[derive(Debug, Default)]
pub(crate) struct Table {
    reads: Vec<Measured>,
    missing: Vec<String>,
}

impl Table {
    /// Adds a read and prints it immediately.
    pub(crate) fn add(&mut self, read: Measured) -> anyhow::Result<()> {
        line(&read.format_line())?;
        self.reads.push(read);
        Ok(())
    }

    /// Adds a read that could not be measured, with the reason.
    pub(crate) fn lacks(&mut self, why: String) -> anyhow::Result<()> {
        line(&format!("  NOT MEASURED: {why}"))?;
        self.missing.push(why);
        Ok(())
    }

    /// Prints the whole table.
    pub(crate) fn print(&self) -> anyhow::Result<()> {
        line("")?;
        self.lines().iter().try_for_each(|text| line(text))
    }

    fn lines(&self) -> Vec<String> {
        let mut with: Vec<&Measured> = self.reads.iter().filter(|read| read.statements > 0).collect();
        with.sort_by(|one, other| one.ratio().median.total_cmp(&other.ratio().median));
        let mut lines =
            vec![format!("== the worst {} of {} reads with a statement ==", WORST.min(with.len()), with.len()), head()];
        lines.extend(with.iter().take(WORST).map(|read| read.format_line()));
        lines.push("== all of them ==".into());
        lines.extend(self.reads.iter().filter(|read| read.statements > 0).map(Measured::format_line));
        lines.push("== reads without a statement: time of a request, no bar ==".into());
        lines.extend(self.reads.iter().filter(|read| read.statements == 0).map(Measured::format_line));
        lines.extend(self.missing.iter().map(|why| format!("NOT MEASURED: {why}")));
        let middle = median(with.iter().map(|read| read.ratio().median));
        let least = with.first().map_or(f64::NAN, |read| read.ratio().median);
        let below = with.iter().filter(|read| read.ratio().median < LEAST).count();
        lines.push(format!("median of all reads with a statement  {middle:.2} ({})", verdict(middle, MIDDLE)));
        lines.push(format!(
            "worst of them                         {least:.2} ({}; {below} below)",
            verdict(least, LEAST)
        ));
        lines
    }
}

fn verdict(value: f64, bar: f64) -> String {
    let word = if value >= bar { "passes" } else { "BELOW THE BAR" };
    format!("bar {bar:.2}: {word}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(operation: &str, statements: usize, labs: f64, replay: f64) -> Measured {
        let turns = |rate: f64| vec![Turn { answers: rate as usize, seconds: 1.0, ..Turn::default() }];
        Measured { labs: turns(labs), replay: turns(replay), ..Measured::new(operation, statements, 512, &["audited"]) }
    }

    #[test]
    fn slowest_reads_come_first_and_idle_reads_are_separate() {
        let reads =
            vec![read("quick", 1, 90.0, 100.0), read("slow", 4, 60.0, 100.0), read("still", 0, 50_000.0, 90_000.0)];
        let lines = Table { reads, missing: vec!["lost: why".into()] }.lines();
        let starts: Vec<&str> = lines.iter().map(|line| line.split_whitespace().next().unwrap()).collect();
        let expected = ["==", "read", "slow", "quick", "==", "quick", "slow", "==", "still", "NOT", "median", "worst"];
        assert_eq!(starts, expected);
        assert!(lines[2].contains("0.60") && lines[2].ends_with("4       512  audited"), "{}", lines[2]);
        assert!(lines[8].contains("20.0 µs"), "{}", lines[8]);
        assert!(lines[10].ends_with("0.75 (bar 0.85: BELOW THE BAR)"), "{}", lines[10]);
        assert!(lines[11].ends_with("0.60 (bar 0.70: BELOW THE BAR; 1 below)"), "{}", lines[11]);
    }
}
