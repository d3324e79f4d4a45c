//! An independent model of rights and states, and a generator that compares it with the service.
//!
//! The model is written from the specification, the contract, `docs/` and `schema/states.md`, not from the code of the
//! service. For principal × role × tier × scopes × ownership × state of the object × operation, it says which status
//! and code the service must return. `LABS_SEED` repeats a run, `LABS_TEST_MODEL_CASE` a single case of it.

pub(crate) mod case;
pub(crate) mod machines;
pub(crate) mod roster;
mod rules;

use std::collections::{BTreeMap, BTreeSet};
use std::panic::AssertUnwindSafe;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use futures_util::FutureExt as _;
use futures_util::future::join_all;

use case::Case;
use machines::{action_of, drawn_machines, states};
use roster::{Profile, Standing, roster};
use rules::{Outcome, expect, never_succeeds, reaches_state};

use crate::harness::contract;
use crate::harness::random::seed;
use crate::world::{Snapshot, World, build};

/// Cases of a short run, and of `make soak`.
const SHORT: u64 = 20_000;
const WHOLE: u64 = 1_000_000;
/// Times that a case is sent while its response is 503.
const ATTEMPTS: u32 = 5;
/// Services that run cases at the same time.
const WORKERS: usize = 3;
/// Seconds after the sign-ins at which a worker builds another service: access tokens of users are valid for ten minutes.
const LIFETIME_SECONDS: i64 = 560;

/// States that no operation of the contract meets, and why.
const UNREACHED: &[(&str, &str, &str)] = &[];

/// What the cases of a run did.
#[derive(Default)]
struct Report {
    cases: u64,
    /// Responses by operation.
    outcomes: BTreeMap<String, BTreeMap<String, u64>>,
    /// States of objects that authorized callers met.
    states: BTreeSet<(&'static str, &'static str)>,
    /// Differences by operation, expected and received response: their number and the first.
    differences: BTreeMap<(String, String), (u64, String)>,
}

impl Report {
    fn note(&mut self, case: &Case, profile: &Profile, seed: u64, expected: Outcome, got: (u16, String), detail: &str) {
        let (status, code) = got;
        let received = format!("{status} {code}").trim_end().to_owned();
        self.cases += 1;
        *self.outcomes.entry(case.operation.id.clone()).or_default().entry(received.clone()).or_default() += 1;
        if let (Some((machine, _)), Some(state), true) =
            (action_of(&case.operation.id), case.state, reaches_state(case, profile))
        {
            self.states.insert((machine, state));
        }
        let is_met = match expected {
            Outcome::Success => (200..300).contains(&status),
            Outcome::Refused(wanted, name) => status == wanted && code == name,
        };
        if is_met {
            return;
        }
        let key = (case.operation.id.clone(), format!("expected {expected:?}, got {received}"));
        let (count, _) = self.differences.entry(key).or_insert_with(|| (0, described(case, profile, seed, detail)));
        *count += 1;
    }

    /// Returns the operations that no case called with success, without those that never succeed here.
    fn unsuccessful(&self) -> Vec<&str> {
        let succeeds = |id: &str| self.outcomes.get(id).is_some_and(|all| all.keys().any(|key| key.starts_with('2')));
        let all = contract().operations().iter().map(|operation| operation.id.as_str());
        all.filter(|id| !succeeds(id) && never_succeeds(id).is_none()).collect()
    }

    /// Returns the states that no authorized caller met.
    fn unmet(&self) -> Vec<(&'static str, &'static str)> {
        let all = drawn_machines().flat_map(|machine| states(machine).into_iter().map(move |state| (machine, state)));
        let is_known = |place: &(&str, &str)| UNREACHED.iter().any(|(machine, state, _)| (*machine, *state) == *place);
        all.filter(|place| !self.states.contains(place) && !is_known(place)).collect()
    }
}

/// Describes a difference: the case, the response, and how to repeat it.
fn described(case: &Case, profile: &Profile, seed: u64, detail: &str) -> String {
    let Case { number, target, replaced, state, is_flawed, .. } = case;
    let state = state.unwrap_or("none");
    format!(
        "{} as {}: target {target:?} {replaced:?}, state {state}, flawed {is_flawed}\n    {detail}\n    \
         LABS_SEED={seed} LABS_TEST_MODEL_CASE={number} cargo test --test tests -- model::",
        case.operation.id, profile.name
    )
}

/// Runs the cases whose numbers `next` gives until none is left, in services that it replaces in time.
async fn work(seed: u64, next: &AtomicU64, end: u64, report: &Mutex<Report>) {
    let roster = roster();
    while next.load(Ordering::Relaxed) < end {
        let (world, mut snapshot) = build(&roster).await;
        let end_of_life = world.signed_in_at + LIFETIME_SECONDS;
        assert!(world.harness.clock.now().unix() < end_of_life, "the tokens expire before the first case");
        while world.harness.clock.now().unix() < end_of_life {
            let number = next.fetch_add(1, Ordering::Relaxed);
            if number >= end {
                return;
            }
            run(&world, &mut snapshot, seed, number, &roster, report).await;
        }
    }
}

/// Runs a case and notes its response.
async fn run(
    world: &World,
    snapshot: &mut Snapshot,
    seed: u64,
    number: u64,
    roster: &[Profile],
    report: &Mutex<Report>,
) {
    let case = Case::generate(seed, number, roster);
    let profile = &roster[case.principal];
    let mut attempt = 0;
    let sent = loop {
        world.prepare(snapshot, &case, profile).await;
        let sent = AssertUnwindSafe(world.send(&case, profile)).catch_unwind().await;
        attempt += 1;
        // A service on a machine that stands still for seconds may reject a request. It does so each time only by a rule.
        if attempt == ATTEMPTS || !sent.as_ref().is_ok_and(|answer| answer.status == 503) {
            break sent;
        }
    };
    let (got, detail) = match sent {
        Ok(answer) => {
            let request = answer.header("x-request-id").to_owned();
            let text: String = answer.text().chars().take(1500).collect();
            ((answer.status, answer.code().to_owned()), format!("request {request}: {text}"))
        }
        Err(problem) => ((0, "BROKEN_PROMISE".to_owned()), format!("{:?}", problem.downcast_ref::<String>())),
    };
    report.lock().unwrap().note(&case, profile, seed, expect(&case, profile), got, &detail);
}

/// Prints what a run reached.
#[expect(clippy::print_stdout, reason = "the coverage is what a run reports")]
fn print(report: &Report, seed: u64) {
    let mut codes = BTreeMap::<&str, u64>::new();
    for (received, count) in report.outcomes.values().flatten() {
        *codes.entry(received).or_default() += count;
    }
    println!("model: seed {seed}, {} cases, {} operations", report.cases, report.outcomes.len());
    println!("model: responses {codes:?}");
    println!("model: {} states met; not met: {:?}", report.states.len(), report.unmet());
    println!("model: operations without success: {:?}", report.unsuccessful());
    for ((operation, difference), (count, first)) in &report.differences {
        println!("model: DIFFERENCE {operation}: {difference}, {count} times\n    {first}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn service_grants_rights_and_transitions_as_model() {
    let seed = seed();
    let single = std::env::var("LABS_TEST_MODEL_CASE").ok().map(|number| number.parse::<u64>().unwrap());
    let is_whole = std::env::var("LABS_TEST_SOAK").is_ok_and(|form| form == "whole");
    let asked = std::env::var("LABS_TEST_MODEL_CASES").ok().and_then(|count| count.parse().ok());
    let count = asked.unwrap_or(if is_whole { WHOLE } else { SHORT });
    let (first, end) = single.map_or((0, count), |number| (number, number + 1));
    let (next, report) = (AtomicU64::new(first), Mutex::new(Report::default()));
    let workers = if single.is_some() { 1 } else { WORKERS };
    join_all((0..workers).map(|_| work(seed, &next, end, &report))).await;
    let report = report.into_inner().unwrap();
    print(&report, seed);
    assert!(report.differences.is_empty(), "{} kinds of difference, listed above", report.differences.len());
    if single.is_none() {
        assert_eq!(report.unsuccessful(), Vec::<&str>::new(), "no case called these with success");
        assert!(report.unmet().is_empty(), "no case met {:?}", report.unmet());
    }
}

#[test]
fn roster_has_every_standing_and_unique_names() {
    let roster = roster();
    let names: BTreeSet<&str> = roster.iter().map(|profile| profile.name.as_str()).collect();
    assert_eq!(names.len(), roster.len());
    assert!(roster.iter().any(|profile| profile.standing == Standing::Expired));
    assert_eq!(drawn_machines().count(), 17);
}
