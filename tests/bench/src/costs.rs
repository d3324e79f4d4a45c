//! Cost of a request: processor time of the service and of PostgreSQL, compared with the committed figures.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::Context as _;
use serde::{Deserialize, Serialize};

use crate::forms::Running;
use crate::ground::PreparedData;
use crate::load::Turn;

/// Unit of the times in `/proc/<pid>/stat`, in microseconds.
const TICK: f64 = 10_000.0;
/// File with the last figures.
const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/costs.json");

/// Processor time in microseconds. Systems without `/proc` report 0.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Used {
    service: f64,
    database: f64,
}

impl Used {
    /// Returns the time since an earlier reading.
    pub(crate) fn since(self, earlier: Self) -> Self {
        Self { service: self.service - earlier.service, database: self.database - earlier.database }
    }
}

/// Processor time of one request, in microseconds.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Cost {
    pub(crate) service: f64,
    pub(crate) database: f64,
}

impl Cost {
    /// Returns the mean of all requests of these turns; `None` if they were not metered.
    pub(crate) fn of(turns: &[Turn]) -> Option<Self> {
        let answers: usize = turns.iter().map(|turn| turn.answers).sum();
        let each = |part: fn(&Used) -> f64| {
            let sum: f64 = turns.iter().map(|turn| part(&turn.used)).sum();
            (sum / answers.max(1) as f64).round()
        };
        let cost = Self { service: each(|used| used.service), database: each(|used| used.database) };
        (cost.service > 0.0 || cost.database > 0.0).then_some(cost)
    }
}

/// Reads the processor time of a service and of all processes of its PostgreSQL.
pub(crate) struct Meter {
    service: u32,
    postmaster: u32,
}

impl Meter {
    /// Finds the processes of a service and of its database.
    pub(crate) async fn of(service: &Running, ground: &PreparedData) -> anyhow::Result<Self> {
        let mut owner = ground.owner().await?;
        let backend: i32 = sqlx::query_scalar("select pg_backend_pid()").fetch_one(&mut owner).await?;
        let postmaster = match Stat::read(u32::try_from(backend)?) {
            Some(stat) => stat.parent,
            None => 0,
        };
        Ok(Self { service: service.id()?, postmaster })
    }

    /// Returns the times so far. The postmaster counts its children that have ended.
    pub(crate) fn read(&self) -> anyhow::Result<Used> {
        if !Path::new("/proc/self/stat").exists() {
            return Ok(Used::default());
        }
        let of = |id: u32| Stat::read(id).with_context(|| format!("process {id} has ended"));
        let mut database = of(self.postmaster)?;
        for entry in std::fs::read_dir("/proc")? {
            let Some(id) = entry?.file_name().to_str().and_then(|name| name.parse().ok()) else { continue };
            if let Some(child) = Stat::read(id).filter(|stat| stat.parent == self.postmaster) {
                database.own += child.own;
            }
        }
        Ok(Used { service: of(self.service)?.own * TICK, database: (database.own + database.ended) * TICK })
    }
}

/// Parts of `/proc/<pid>/stat`, times in ticks.
struct Stat {
    parent: u32,
    own: f64,
    /// Time of children that have ended.
    ended: f64,
}

impl Stat {
    fn read(id: u32) -> Option<Self> {
        let text = std::fs::read_to_string(format!("/proc/{id}/stat")).ok()?;
        // The name of the program may contain spaces and parentheses.
        let fields: Vec<&str> = text.rsplit_once(')')?.1.split_whitespace().collect();
        let number = |place: usize| fields.get(place)?.parse::<f64>().ok();
        let (own, ended) = (number(11)? + number(12)?, number(13)? + number(14)?);
        Some(Self { parent: fields.get(1)?.parse().ok()?, own, ended })
    }
}

/// The committed figures: where and when they were measured, and the cost of each case.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct Costs {
    /// Machine, commit and date.
    pub(crate) measured_on: Vec<String>,
    /// Costs by name of the case, in microseconds.
    pub(crate) costs: BTreeMap<String, Cost>,
}

impl Costs {
    /// Reads the committed figures.
    pub(crate) fn committed() -> anyhow::Result<Self> {
        Ok(serde_json::from_str(include_str!("../costs.json"))?)
    }

    /// Replaces the file with the figures. Cases without new figures keep theirs.
    pub(crate) fn write(mut self) -> anyhow::Result<()> {
        for (name, cost) in Self::committed()?.costs {
            self.costs.entry(name).or_insert(cost);
        }
        Ok(std::fs::write(FILE, serde_json::to_string_pretty(&self)? + "\n")?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cases::{CASES, FIXED};

    #[test]
    fn committed_figures_belong_to_cases() {
        let names: Vec<&str> = CASES.iter().map(|case| case.name).chain(FIXED.iter().map(|read| read.name)).collect();
        let costs = Costs::committed().unwrap().costs;
        let unknown: Vec<&String> = costs.keys().filter(|name| !names.contains(&name.as_str())).collect();
        assert!(unknown.is_empty(), "remove from costs.json: {unknown:?}");
    }

    #[test]
    fn cost_is_mean_of_all_requests() {
        let turn = |answers, service| Turn { answers, used: Used { service, database: 50.0 }, ..Turn::default() };
        let cost = Cost::of(&[turn(1, 300.0), turn(3, 100.0)]).unwrap();
        assert_eq!(cost, Cost { service: 100.0, database: 25.0 });
        assert_eq!(Cost::of(&[Turn { answers: 3, ..Turn::default() }]), None);
    }
}
