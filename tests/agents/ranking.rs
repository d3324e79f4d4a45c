//! Ranking: 100 tasks in a partner's words. 47 of them were written before their author had seen the contract.

use labs_rest::agents::OperationIndex;
use serde::Deserialize;

use crate::harness::contract;

/// Tasks of which the right operation must be among the first three, of 100.
const LEAST: usize = 95;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Tasks {
    /// Written before the contract was read.
    blind: Vec<Task>,
    /// Written afterwards.
    informed: Vec<Task>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Task {
    task: String,
    /// Operations that do it; empty if no operation does, which is not counted.
    operations: Vec<String>,
}

#[test]
#[expect(clippy::print_stdout, reason = "the misses are useful also if the test passes")]
fn right_operation_is_among_first_three_for_95_of_100_tasks() {
    let (contract, index) = (contract(), OperationIndex::new(contract()));
    let Tasks { blind, informed } = yaml_serde::from_str(include_str!("tasks.yaml")).unwrap();
    let (mut counted, mut missed) = (0, Vec::new());
    for (kind, tasks) in [("blind", &blind), ("informed", &informed)] {
        for Task { task, operations } in tasks.iter().filter(|task| !task.operations.is_empty()) {
            for id in operations {
                assert!(contract.operation(id).is_some(), "{task}: {id}");
            }
            counted += 1;
            let partner_can_see = |place: usize| contract.operations().get(place).is_some_and(|found| !found.audited);
            let found = index.find(task, 3, partner_can_see);
            let ids: Vec<&str> = found.iter().map(|place| contract.operations()[*place].id.as_str()).collect();
            if !operations.iter().any(|id| ids.contains(&id.as_str())) {
                missed.push(format!("{kind}: {task:?} found {ids:?}, not {operations:?}"));
            }
        }
    }
    assert_eq!(counted, 100);
    println!("{} of 100 tasks; missed:\n{}", counted - missed.len(), missed.join("\n"));
    assert!(counted - missed.len() >= LEAST, "{missed:#?}");
}

#[test]
fn operation_id_finds_its_operation_alone() {
    let (contract, index) = (contract(), OperationIndex::new(contract()));
    let id = "marketplace_apps_archive";
    let place = contract.operation(id).unwrap().index;
    assert_eq!(index.find(id, 3, |_| true), [place]);
    assert_ne!(index.find(id, 3, |found| found != place).first(), Some(&place), "hidden from this caller");
}

#[test]
fn words_outside_the_contract_find_nothing() {
    assert!(OperationIndex::new(contract()).find("xyzzy plugh", 3, |_| true).is_empty());
}
