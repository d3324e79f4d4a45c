//! Report of the results with their bars, as Markdown tables for `docs/performance.md`.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::time::{Duration, Instant};

use crate::cases::Case;
use crate::costs::{Cost, Costs};
use crate::ground::PreparedData;
use crate::load::Turn;
use crate::machine;
use crate::spread::{Spread, median, quantile, rate};

/// Minimum median of the rates of all cases, compared with the hand-written handlers.
const MEDIAN: f64 = 0.95;
/// Maximum p99 of a case, compared with the hand-written handler.
const P99: f64 = 1.1;
/// Maximum ratio of the p50 of a list over ten times the rows.
const TENFOLD: f64 = 1.3;
/// Maximum processor time of a request of a list, in microseconds.
const MOST_TIME: f64 = 25_000.0;

/// Turns of a case.
#[derive(Debug, Default)]
pub(crate) struct Measured {
    /// Turns of the service.
    pub(crate) labs: Vec<Turn>,
    /// Turns of the hand-written handlers.
    pub(crate) hand: Vec<Turn>,
}

/// A Markdown table: its head, and the rows so far.
struct Table {
    head: &'static str,
    rows: Vec<String>,
}

impl Table {
    const fn new(head: &'static str) -> Self {
        Self { head, rows: Vec::new() }
    }

    /// Adds a row and prints it immediately.
    fn add(&mut self, row: String) -> anyhow::Result<()> {
        line(&row)?;
        self.rows.push(row);
        Ok(())
    }

    fn text(&self) -> String {
        let columns = self.head.matches('|').count().saturating_sub(1);
        format!("{}\n|{}\n{}\n", self.head, "---|".repeat(columns), self.rows.join("\n"))
    }
}

/// All results.
pub(crate) struct Report {
    begun: Instant,
    machine: Vec<String>,
    committed: Costs,
    fresh: Costs,
    rates: Vec<f64>,
    cases: Table,
    reads: Table,
    watched: Table,
    lists: Table,
    /// Turns of each list, by number of rows.
    sizes: BTreeMap<&'static str, Vec<(u32, Turn)>>,
    lines: Vec<String>,
}

impl Report {
    /// Begins a report, which also tells how long the measurement took.
    pub(crate) fn begin() -> anyhow::Result<Self> {
        Ok(Self {
            begun: Instant::now(),
            machine: Vec::new(),
            committed: Costs::committed()?,
            fresh: Costs::default(),
            rates: Vec::new(),
            cases: Table::new(
                "| case | rate, service to hand-written | bar | p99, service to hand-written | service, µs | database, µs |",
            ),
            reads: Table::new("| read | requests per second | p50, ms | p99, ms | bars |"),
            watched: Table::new("| read | setting | rate, to neither metrics nor traces | bar |"),
            lists: Table::new("| list | rows | p50, ms | ratio | bar | service and database, µs |"),
            sizes: BTreeMap::new(),
            lines: Vec::new(),
        })
    }

    /// Notes the machine and the versions.
    pub(crate) async fn describe(&mut self, ground: &PreparedData) -> anyhow::Result<()> {
        if self.machine.is_empty() {
            self.machine = machine::describe(&mut ground.owner().await?).await?;
            self.fresh.measured_on.clone_from(&self.machine);
        }
        Ok(())
    }

    /// Adds a case. The forms of a round run in direct succession, so that variations of the machine cancel out in the
    /// ratios.
    pub(crate) fn case(&mut self, case: &Case, measured: &Measured) -> anyhow::Result<()> {
        let rounds = || measured.labs.iter().zip(&measured.hand);
        let rates = Spread::of(rounds().map(|(labs, hand)| rate(labs) / rate(hand)));
        let p99 = |turn: &Turn| quantile(std::slice::from_ref(turn), 0.99);
        let slowest = Spread::of(rounds().map(|(labs, hand)| p99(labs) / p99(hand)));
        self.rates.push(rates.median);
        let [service, database] = self.cost(case.name, Cost::of(&measured.labs));
        self.cases.add(format!(
            "| `{}` | {rates} | {:.2}: {} | {slowest}: {} | {service} | {database} |",
            case.name,
            case.bar,
            rates.at_least(case.bar),
            slowest.at_most(P99)
        ))
    }

    /// Adds a read that has no hand-written form, so that only its cost is known.
    pub(crate) fn fixed(&mut self, name: &str, turns: &[Turn]) -> anyhow::Result<()> {
        let [service, database] = self.cost(name, Cost::of(turns));
        self.cases.add(format!("| `{name}` | | | | {service} | {database} |"))
    }

    /// Notes a cost. Returns the times with their change compared with the committed figures.
    fn cost(&mut self, name: &str, cost: Option<Cost>) -> [String; 2] {
        let Some(cost) = cost else { return ["unknown".into(), "unknown".into()] };
        let earlier = self.committed.costs.get(name).copied();
        self.fresh.costs.insert(name.to_owned(), cost);
        let told = |part: fn(&Cost) -> f64| {
            let now = part(&cost);
            earlier.as_ref().map(part).filter(|before| *before > 0.0).map_or_else(
                || format!("{now:.0}"),
                |before| format!("{now:.0} ({:+.0} %)", (now / before - 1.0) * 100.0),
            )
        };
        [told(|cost| cost.service), told(|cost| cost.database)]
    }

    /// Adds a list over this many rows, and compares it with the same list over fewer rows.
    pub(crate) fn list(&mut self, path: &'static str, (many, things): (u32, &str), turn: Turn) -> anyhow::Result<()> {
        let sizes = self.sizes.entry(path).or_default();
        sizes.push((many, turn));
        let [(fewer, before), (more, after)] = sizes.as_slice() else { return Ok(()) };
        let p50 = |turn: &Turn| quantile(std::slice::from_ref(turn), 0.5);
        let (before, now) = (p50(before), p50(after));
        let cost = Cost::of(std::slice::from_ref(after)).map_or(0.0, |cost| cost.service + cost.database);
        let is_good = now / before <= TENFOLD && cost <= MOST_TIME;
        let word = if is_good { "passes" } else { "ABOVE THE BAR" };
        self.lists.add(format!(
            "| {path} | {fewer} and {more} {things} | {before:.2} and {now:.2} | {:.2} | {TENFOLD:.2}: {word} | {cost:.0} |",
            now / before
        ))
    }

    /// Adds a read of the storefront with its limits of p50 and p99 in milliseconds.
    pub(crate) fn read(&mut self, name: &str, most: Option<(f64, f64)>, turn: &Turn) -> anyhow::Result<()> {
        let turns = std::slice::from_ref(turn);
        let (p50, p99) = (quantile(turns, 0.5), quantile(turns, 0.99));
        let bars = most.map_or(String::new(), |(of_p50, of_p99)| {
            let word = if p50 <= of_p50 && p99 <= of_p99 { "passes" } else { "ABOVE THE BAR" };
            format!("{of_p50:.0} and {of_p99:.0}: {word}")
        });
        self.reads.add(format!("| {name} | {:.0} | {p50:.2} | {p99:.2} | {bars} |", rate(turn)))
    }

    /// Adds a read of the service with each monitoring setting and its bar, compared with the first, which has none.
    pub(crate) fn watched(&mut self, name: &str, forms: &[(&str, f64, Vec<Turn>)]) -> anyhow::Result<()> {
        let Some(((_, _, nothing), watched)) = forms.split_first() else { return Ok(()) };
        for (form, bar, turns) in watched {
            let rates = Spread::of(turns.iter().zip(nothing).map(|(watched, nothing)| rate(watched) / rate(nothing)));
            self.watched.add(format!("| `{name}` | {form} | {rates} | {bar:.2}: {} |", rates.at_least(*bar)))?;
        }
        Ok(())
    }

    /// Adds the memory of the service after this many seconds of load.
    pub(crate) fn memory(&mut self, megabytes: f64, loaded: f64) {
        self.lines.push(format!("- Memory of the service after {loaded:.0} s of load: {megabytes:.0} MB (bar 110)."));
    }

    /// Adds the duration of a later start.
    pub(crate) fn start(&mut self, took: Duration) {
        self.lines.push(format!("- Start on an existing folder: {:.2} s (bar 0.30).", took.as_secs_f64()));
    }

    /// Prints all tables.
    pub(crate) fn print(&self) -> anyhow::Result<()> {
        line(&format!("\n== The report ==\n\n{}", self.text()))
    }

    fn text(&self) -> String {
        let minutes = self.begun.elapsed().as_secs_f64() / 60.0;
        let machine = self.machine.iter().map(|part| format!("- {part}\n")).collect::<String>();
        let mut text = format!("{machine}- Duration: {minutes:.0} minutes\n");
        for table in [&self.cases, &self.reads, &self.watched, &self.lists] {
            if !table.rows.is_empty() {
                text += &format!("\n{}", table.text());
            }
        }
        if !self.rates.is_empty() {
            let middle = median(self.rates.iter().copied());
            let word = if middle >= MEDIAN { "passes" } else { "BELOW THE BAR" };
            text += &format!("\n- Median rate of all cases: {middle:.2} (bar {MEDIAN:.2}): {word}\n");
        }
        if !self.committed.measured_on.is_empty() {
            text += &format!("- Changes in parentheses: compared with {}\n", self.committed.measured_on.join("; "));
        }
        text + &self.lines.join("\n")
    }

    /// Replaces the committed costs with the costs of this report.
    pub(crate) fn write_costs(self) -> anyhow::Result<()> {
        self.fresh.write()
    }
}

/// Writes a line to standard output.
pub(crate) fn line(text: &str) -> anyhow::Result<()> {
    Ok(writeln!(std::io::stdout().lock(), "{text}")?)
}

/// Logs an error of a form to standard error. A failure to write is ignored.
pub(crate) fn complain(error: &str) {
    let _ = writeln!(std::io::stderr().lock(), "hand-written: {error}");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn table_has_a_column_for_each_heading() {
        let mut table = Table::new("| a | b |");
        table.rows.push("| 1 | 2 |".into());
        assert_eq!(table.text(), "| a | b |\n|---|---|\n| 1 | 2 |\n");
    }

    #[test]
    fn cost_shows_change_against_committed_figure() {
        let mut report = Report::begin().unwrap();
        report.committed.costs.insert("a".into(), Cost { service: 100.0, database: 50.0 });
        assert_eq!(report.cost("a", Some(Cost { service: 110.0, database: 49.0 })), ["110 (+10 %)", "49 (-2 %)"]);
        assert_eq!(report.cost("b", Some(Cost { service: 110.0, database: 49.0 })), ["110", "49"]);
    }
}
