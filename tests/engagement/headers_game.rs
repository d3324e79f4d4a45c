//! Privacy of votes as a game about response headers: one user acts on the board, then a colleague and a machine client
//! of each partner read their remaining budgets, and a player guesses the actor's partner.

use std::collections::BTreeMap;
use std::time::Duration;

use futures_util::future::join_all;
use serde_json::json;

use super::board::Board;
use super::game::Evidence;
use crate::harness::Answer;
use crate::harness::people::{Person, Program};
use crate::harness::random::{Random, seed};
use crate::partner::team::colleague;
use crate::soak;

/// Number of partners; the actor belongs to one of them.
const COMPANIES: usize = 6;
/// Requests per second of each partner. A cell of the rate limiter refills after 50 ms, so a used cell is still missing
/// when the budget is read.
const PER_SECOND: u32 = 20;
/// Time until the cells that a round may use are refilled: the action and two reads.
const REFILLED: Duration = Duration::from_millis(200);
/// Number of rounds after which users sign in again, because access tokens are valid for ten minutes.
const SIGNED_IN: usize = 500;

/// Actions of a user that must stay private; the service rejects some of them.
const ACTS: &[&str] = &["cast", "withdraw", "follow", "unfollow", "cast nothing", "read all", "read nothing"];

struct Company {
    voter: Person,
    colleague: Person,
    program: Program,
}

struct HeadersGame {
    board: Board,
    companies: Vec<Company>,
    target: String,
}

impl HeadersGame {
    async fn new() -> Self {
        let board = Board::new().await;
        let author = board.partner("Anker Kassen").await;
        let target = board.propose(&author, "Split the bill").await;
        let mut companies = Vec::new();
        for number in 0..COMPANIES {
            let voter = board.partner(&format!("Company {number}")).await;
            let colleague = colleague(&board.harness, &voter, &format!("Cleo{number}"), "DEVELOPER").await;
            let program = board.harness.program(&format!("till {number}"), &["partner"], voter.partner_uuid).await;
            companies.push(Company { voter, colleague, program });
        }
        let budgets = format!("update tier set burst_per_second = {PER_SECOND}, daily_requests = 1000000");
        board.harness.sql(&budgets).await;
        let game = Self { board, companies, target };
        let limit = PER_SECOND.to_string();
        for company in &game.companies {
            let is_known = async || game.me(&company.program.token).await.header("x-ratelimit-limit") == limit;
            game.board.harness.soon("the tier's budgets are known", is_known).await;
        }
        game
    }

    async fn sign_in(&mut self) {
        for company in &mut self.companies {
            company.voter = self.board.harness.sign_in(&company.voter.email).await;
            company.colleague = self.board.harness.sign_in(&company.colleague.email).await;
        }
    }

    async fn me(&self, token: &str) -> Answer {
        self.board.harness.call("system_me_get").token(token).send().await
    }

    async fn act(&self, voter: &Person, act: &str) {
        let (board, nothing) = (&self.board, "0198d000-0000-7000-8000-00000000dead");
        let read = || board.harness.call("engagement_notifications_mark_read").token(&voter.token);
        let answer = match act {
            "cast" => board.vote(voter, &self.target).await,
            "withdraw" => board.withdraw(voter, &self.target).await,
            "follow" => board.call(voter, "engagement_feature_requests_follow", &self.target).send().await,
            "unfollow" => board.call(voter, "engagement_feature_requests_unfollow", &self.target).send().await,
            "cast nothing" => board.vote(voter, nothing).await,
            "read all" => read().json(&json!({ "all": true })).send().await,
            _ => read().json(&json!({ "unknown": true })).send().await,
        };
        assert!([200, 404, 422].contains(&answer.status), "{act}: {}", answer.text());
    }

    /// Reads the headers as the colleague and the machine client of each partner at the same moment.
    async fn read(&self) -> Vec<BTreeMap<String, f64>> {
        let readers = self
            .companies
            .iter()
            .flat_map(|company| [("colleague", &company.colleague.token), ("program", &company.program.token)]);
        let read = join_all(readers.map(async |(reader, token)| (reader, self.me(token).await))).await;
        read.chunks(2)
            .map(|pair| pair.iter().flat_map(|(reader, answer)| header_numbers(reader, answer)).collect())
            .collect()
    }
}

/// Returns the numeric headers and the status of a response.
fn header_numbers(reader: &str, answer: &Answer) -> Vec<(String, f64)> {
    let header = |name: &str| (format!("{reader} {name}"), answer.header(name).parse::<f64>().unwrap());
    let names =
        ["x-ratelimit-limit", "x-ratelimit-remaining", "x-ratelimit-daily-limit", "x-ratelimit-daily-remaining"];
    let status = (format!("{reader} status"), f64::from(answer.status));
    names.map(header).into_iter().chain([status]).collect()
}

/// Replaces the remaining daily budget with the amount spent since the previous round.
fn since(before: &BTreeMap<String, f64>, seen: &BTreeMap<String, f64>) -> BTreeMap<String, f64> {
    let of = |(name, value): (&String, &f64)| {
        let is_of_day = name.ends_with("daily-remaining");
        (name.clone(), if is_of_day { before.get(name).unwrap_or(value) - value } else { *value })
    };
    seen.iter().map(of).collect()
}

#[tokio::test]
async fn colleague_who_reads_headers_guesses_voter_by_chance_only() {
    let (mut random, rounds) = (Random(seed()), soak::count(24, 2_000));
    let mut game = HeadersGame::new().await;
    let (mut learned, mut right, mut guesses) = (Evidence::default(), 0, 0);
    let mut before = game.read().await;
    for round in 0..rounds {
        if round % SIGNED_IN == SIGNED_IN - 1 {
            game.sign_in().await;
            before = game.read().await;
        }
        let voter = usize::try_from(random.below(COMPANIES as u64)).unwrap();
        let act = ACTS[usize::try_from(random.below(ACTS.len() as u64)).unwrap()];
        // The rate limiter uses the machine's real clock, and a check of its state would itself use a cell.
        tokio::time::sleep(REFILLED).await;
        game.act(&game.companies[voter].voter, act).await;
        let read = game.read().await;
        let seen: Vec<_> = before.iter().zip(&read).map(|(before, read)| since(before, read)).collect();
        if round >= rounds / 2 {
            guesses += 1;
            right += usize::from(learned.guess(&seen, &mut random) == voter);
        }
        learned.learn(&seen, voter);
        before = read;
    }
    let (mean, share) = (guesses as f64 / COMPANIES as f64, 1.0 / COMPANIES as f64);
    let bound = mean + 3.0 * (guesses as f64 * share * (1.0 - share)).sqrt();
    soak::figure(&format!(
        "who voted, by headers: {right} of {guesses} guesses right, {mean:.1} by chance, {bound:.1} at three sigma"
    ));
    assert!((right as f64) <= bound, "{right} of {guesses} guesses are right");
}
