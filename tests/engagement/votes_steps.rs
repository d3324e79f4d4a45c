//! Random steps of voting, withdrawing, merging, unmerging, suspending and leaving, compared with a simple model of the
//! votes.

use std::collections::BTreeSet;

use serde_json::json;

use super::board::Board;
use crate::harness::people::Person;
use crate::harness::random::{Random, seed};
use crate::soak;

/// Number of users who act.
const PEOPLE: usize = 4;
/// Number of feature requests; each is proposed by the user with its number, the last by the first user.
const REQUESTS: usize = 5;

/// A feature request in the model.
#[derive(Clone, Debug, Default)]
struct Plain {
    author: usize,
    author_votes: bool,
    voters: BTreeSet<usize>,
    merged_into: Option<usize>,
    is_suspended: bool,
}

/// The model of the board.
struct Account(Vec<Plain>);

impl Account {
    fn new() -> Self {
        let one = |number| Plain { author: number % PEOPLE, author_votes: true, ..Plain::default() };
        Self((0..REQUESTS).map(one).collect())
    }

    fn root(&self, request: usize) -> usize {
        self.0[request].merged_into.map_or(request, |into| self.root(into))
    }

    /// Returns all users who want a feature request or a request merged into it.
    fn wanted_by(&self, root: usize) -> BTreeSet<usize> {
        let parts = (0..REQUESTS).filter(|request| self.root(*request) == root).map(|request| &self.0[request]);
        parts.flat_map(|part| part.voters.iter().copied().chain(part.author_votes.then_some(part.author))).collect()
    }

    /// Returns the expected status of a vote or a withdrawal.
    fn status(&self, request: usize) -> u16 {
        if self.0[request].is_suspended || self.0[self.root(request)].is_suspended {
            404
        } else if self.0[request].merged_into.is_some() {
            409
        } else {
            200
        }
    }

    fn vote(&mut self, person: usize, request: usize) {
        if self.wanted_by(request).contains(&person) {
            return;
        }
        let plain = &mut self.0[request];
        if plain.author == person {
            plain.author_votes = true;
        } else {
            plain.voters.insert(person);
        }
    }

    fn withdraw(&mut self, person: usize, root: usize) {
        for request in 0..REQUESTS {
            if self.root(request) == root {
                let plain = &mut self.0[request];
                plain.voters.remove(&person);
                plain.author_votes &= plain.author != person;
            }
        }
    }
}

#[tokio::test]
async fn vote_counts_are_exact_after_every_random_step() {
    let (seed, board) = (seed(), Board::new().await);
    let mut people = Vec::new();
    for name in ["Anker Kassen", "Bergblick Systems", "Cafe Conrad", "Deichkind Bistro"] {
        people.push(board.partner(name).await);
    }
    let mut requests = Vec::new();
    for number in 0..REQUESTS {
        requests.push(board.propose(&people[number % PEOPLE], &format!("Proposal number {number}")).await);
    }
    let (mut account, mut random) = (Account::new(), Random(seed));
    let mut below = |bound: usize| usize::try_from(random.below(bound as u64)).unwrap();
    for step in 0..soak::count(120, 10_000) {
        let (what, request, other, person) = (below(20), below(REQUESTS), below(REQUESTS), below(PEOPLE));
        let told = format!("step {step} of seed {seed}: {what} at {request} and {other} by {person}");
        take(&board, &mut account, (&people, &requests), (what, request, other, person), &told).await;
        check(&board, &account, (&people, &requests), &told).await;
        if step % 100 == 99 {
            board.harness.sql("delete from board_vote_budget").await;
        }
    }
    // Votes of users who left still count, even when an unmerge recounts them.
    let (gone, partner) = (people[3].uuid, people[3].partner_uuid.unwrap());
    let erased = format!(
        "update partner set state = 'ERASED' where partner_uuid = '{partner}';
         update person set state = 'REMOVED' where person_uuid = '{gone}'"
    );
    board.harness.sql(&erased).await;
    for (request, id) in requests.iter().enumerate() {
        if account.0[request].merged_into.is_some() {
            assert_eq!(board.moderate("unmerge", id, None).await.status, 200);
            account.0[request].merged_into = None;
        }
    }
    check(&board, &account, (&people[..3], &requests), "after the last step").await;
}

/// Performs a step on the service and in the model, and compares the results.
async fn take(
    board: &Board,
    account: &mut Account,
    (people, requests): (&[Person], &[String]),
    (what, request, other, person): (usize, usize, usize, usize),
    told: &str,
) {
    let (id, marks) = (&requests[request], account.0[request].clone());
    match what {
        0..=8 => {
            let expected = account.status(request);
            assert_eq!(board.vote(&people[person], id).await.status, expected, "{told}");
            if expected == 200 {
                account.vote(person, request);
            }
        }
        9..=12 => {
            let expected = account.status(request);
            assert_eq!(board.withdraw(&people[person], id).await.status, expected, "{told}");
            if expected == 200 {
                account.withdraw(person, request);
            }
        }
        13..=15 => {
            let is_possible = marks.merged_into.is_none() && !marks.is_suspended;
            let target = &account.0[other];
            let expected = match (is_possible, other == request || target.is_suspended, target.merged_into) {
                (false, ..) => 409,
                (true, true, _) => 422,
                (true, false, Some(_)) => 409,
                (true, false, None) => 200,
            };
            let answer = board.merge(id, &requests[other]).await;
            assert_eq!(answer.status, expected, "{told}: {}", answer.text());
            if expected == 200 {
                account.0[request].merged_into = Some(other);
            }
        }
        16 | 17 => {
            let expected = if marks.merged_into.is_some() { 200 } else { 409 };
            assert_eq!(board.moderate("unmerge", id, None).await.status, expected, "{told}");
            account.0[request].merged_into = None;
        }
        18 => {
            let reason = json!({ "reason": "For the story." });
            let answer = board.moderate("suspend_feature_request", id, Some(reason)).await;
            assert_eq!(answer.status, if marks.is_suspended { 409 } else { 200 }, "{told}");
            account.0[request].is_suspended = true;
        }
        _ => {
            let answer = board.moderate("reinstate_feature_request", id, None).await;
            assert_eq!(answer.status, if marks.is_suspended { 200 } else { 409 }, "{told}");
            account.0[request].is_suspended = false;
        }
    }
}

/// Compares the board as all users see it with the model.
async fn check(board: &Board, account: &Account, (people, requests): (&[Person], &[String]), told: &str) {
    for (request, id) in requests.iter().enumerate() {
        let (root, expected) = (account.root(request), account.status(request));
        let wanted = account.wanted_by(root);
        let person = (request + wanted.len()) % people.len();
        let seen = board.get(&people[person], id).await;
        if expected == 404 {
            assert_eq!(seen.status, 404, "{told}: {id}");
            continue;
        }
        let answer = (seen.json["votes"].as_u64(), seen.json["voted"].as_bool());
        assert_eq!(answer, (Some(wanted.len() as u64), Some(wanted.contains(&person))), "{told}: {request}");
    }
}
