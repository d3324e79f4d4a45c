//! Ranking of the search: tasks in a partner's words, and the operations that do them.

use std::collections::BTreeMap;

use labs_rest::agents::OperationIndex;
use serde::Deserialize;

use crate::harness::contract;

/// Sets of tasks, and the number of those of which the right operation must be among the first three. `tasks.yaml` says
/// who wrote them. Only `company` shows how the search does with unknown tasks, because weights and phrases did not change
/// afterwards.
const SETS: [(&str, usize); 8] = [
    ("blind", 46),
    ("informed", 53),
    ("independent", 50),
    ("unseen", 55),
    ("colloquial", 37),
    ("developer", 50),
    ("employee", 60),
    ("company", 66),
];

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Task {
    task: String,
    /// Operations that do it; empty if no operation does, which is not counted.
    operations: Vec<String>,
}

/// Returns the tasks of which the right operation is not among the first three that a partner can see, and the number of
/// tasks for which there is an operation.
fn find_misses(tasks: &[Task]) -> (Vec<String>, usize) {
    let (contract, index) = (contract(), OperationIndex::new(contract()));
    let partner_can_see = |place: usize| contract.operations().get(place).is_some_and(|found| !found.audited);
    let (mut missed, mut counted) = (Vec::new(), 0);
    for Task { task, operations } in tasks.iter().filter(|task| !task.operations.is_empty()) {
        for id in operations {
            assert!(contract.operation(id).is_some(), "{task}: {id}");
        }
        counted += 1;
        let found = index.find(task, 3, partner_can_see);
        let ids: Vec<&str> = found.iter().map(|place| contract.operations()[*place].id.as_str()).collect();
        if !operations.iter().any(|id| ids.contains(&id.as_str())) {
            missed.push(format!("{task:?} found {ids:?}, not {operations:?}"));
        }
    }
    (missed, counted)
}

#[test]
#[expect(clippy::print_stdout, reason = "the misses are useful also if the test passes")]
fn right_operation_is_among_first_three() {
    let mut sets: BTreeMap<String, Vec<Task>> = yaml_serde::from_str(include_str!("tasks.yaml")).unwrap();
    for (name, least) in SETS {
        let tasks = sets.remove(name).unwrap();
        let (missed, counted) = find_misses(&tasks);
        println!("{name}: {} of {counted} tasks; missed:\n{}", counted - missed.len(), missed.join("\n"));
        assert!(counted - missed.len() >= least, "{name}: {missed:#?}");
    }
    assert!(sets.is_empty(), "{:?} have no number", sets.keys());
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
    let index = OperationIndex::new(contract());
    for task in ["xyzzy plugh", "what is the", "how do I do this", ""] {
        assert_eq!(index.find(task, 3, |_| true), Vec::<usize>::new(), "{task}");
    }
}
