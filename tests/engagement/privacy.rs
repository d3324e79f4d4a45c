//! Nobody learns who voted: not from a ledger, not from a table, not from any of them over many rounds.

use std::collections::BTreeMap;

use sqlx::{AssertSqlSafe, Row as _};

use super::board::Board;
use crate::harness::Harness;
use crate::harness::people::Person;
use crate::harness::random::{Random, seed};
use crate::soak;

#[tokio::test]
async fn no_ledger_of_accounts_names_a_vote_or_a_follow() {
    let board = Board::new().await;
    let (anna, bert) = (board.partner("Anker Kassen").await, board.partner("Bergblick Systems").await);
    let uuid = board.propose(&anna, "Split the bill").await;
    for operation in [
        "engagement_votes_cast",
        "engagement_feature_requests_follow",
        "engagement_votes_withdraw",
        "engagement_feature_requests_unfollow",
    ] {
        board.call(&bert, operation, &uuid).expect(200).await;
    }
    let account = format!("partner:{}", bert.partner_uuid.unwrap());
    assert_eq!(board.get(&bert, &uuid).await.status, 200);
    let own = format!("select coalesce(sum(requests), 0)::bigint from request_usage where account = '{account}'");
    let looks = format!("{own} and operation = 'engagement_feature_requests_get'");
    board.harness.until(&looks, 1).await;
    let quiet = "('engagement_votes_cast', 'engagement_votes_withdraw', 'engagement_feature_requests_follow',
                  'engagement_feature_requests_unfollow')";
    let named = format!("select count(*) from request_usage where operation in {quiet}");
    assert_eq!(board.harness.number(&named).await, 0);
    let in_all = format!("select count(*) from operation_day where operation in {quiet}");
    assert_eq!(board.harness.number(&in_all).await, 4, "the totals name no account");
}

/// No table that holds votes, follows or read marks has a column that names a person, a partner, a session or a moment, and
/// their differences are not captured.
#[tokio::test]
async fn no_path_leads_from_a_request_to_a_person_through_votes() {
    let board = Board::new().await;
    let tables = "('feature_vote', 'feature_follow', 'board_read', 'board_vote_budget')";
    let telling = format!(
        "select count(*) from information_schema.columns where table_name in {tables}
            and (column_name ~ '(person|author|partner|account|session|actor)' or data_type ~ 'time')"
    );
    assert_eq!(board.harness.number(&telling).await, 0);
    let leading = format!(
        "select count(*) from pg_constraint where contype = 'f' and conrelid::regclass::text in {tables}
            and confrelid <> 'feature_request'::regclass"
    );
    assert_eq!(board.harness.number(&leading).await, 0);
    let watched =
        format!("select count(*) from pg_trigger where not tgisinternal and tgrelid::regclass::text in {tables}");
    assert_eq!(board.harness.number(&watched).await, 0);
}

/// People, each alone in a company of their own.
const PEOPLE: usize = 10;

/// Everybody has proposed something; one votes; all read what they read anyhow, more or less of it. A player who holds every
/// row of every table before and after guesses who it was, by whatever distinguished the voter in the rounds before.
#[tokio::test]
async fn a_player_with_all_tables_guesses_no_better_than_chance() {
    let (mut random, rounds) = (Random(seed()), soak::count(40, 2_000));
    let board = Board::new().await;
    let mut people = Vec::new();
    for number in 0..PEOPLE {
        people.push(board.partner(&format!("Company {number}")).await);
    }
    for (number, person) in people.iter().enumerate() {
        board.propose(person, &format!("Proposal number {number}")).await;
    }
    let author = board.partner("Anker Kassen").await;
    let (mut told, mut right, mut guesses) = (Evidence::default(), 0, 0);
    for round in 0..rounds {
        let target = board.propose(&author, &format!("Wanted in round {round}")).await;
        board.harness.sql("delete from board_daily_use").await;
        let voter = usize::try_from(random.below(PEOPLE as u64)).unwrap();
        let before = dump(&board.harness, &people).await;
        play(&board, &people, &target, voter, &mut random).await;
        let after = dump(&board.harness, &people).await;
        let seen = differences(&before, &after);
        if round >= rounds / 2 {
            guesses += 1;
            right += usize::from(told.guess(&seen) == voter);
        }
        told.learn(&seen, voter);
    }
    let (mean, share) = (guesses as f64 / PEOPLE as f64, 1.0 / PEOPLE as f64);
    let bound = mean + 3.0 * (guesses as f64 * share * (1.0 - share)).sqrt();
    soak::figure(&format!(
        "who voted: {right} of {guesses} guesses right, {mean:.1} by chance, {bound:.1} at three sigma"
    ));
    assert!((right as f64) <= bound, "{right} of {guesses} guesses are right");
}

/// One votes, everybody reads, in an order of chance.
async fn play(board: &Board, people: &[Person], target: &str, voter: usize, random: &mut Random) {
    let mut order: Vec<usize> = (0..people.len()).collect();
    for place in (1..order.len()).rev() {
        order.swap(place, usize::try_from(random.below(place as u64 + 1)).unwrap());
    }
    for person in order {
        for _ in 0..1 + random.below(3) {
            assert_eq!(board.get(&people[person], target).await.status, 200);
        }
        if person == voter {
            assert_eq!(board.vote(&people[person], target).await.status, 200);
        }
    }
}

/// What the tables say of each person: of each table how many rows name them or their company, and the sum of the numbers in
/// these rows; and of each table the last place at which they are named.
type Dump = Vec<BTreeMap<String, f64>>;

async fn dump(harness: &Harness, people: &[Person]) -> Dump {
    // What was counted in memory is written first.
    harness.engine.services().usage.flush(harness.engine.pool()).await.unwrap();
    let mut owner = harness.owner().await;
    let tables =
        "select c.relname::text from pg_class as c where c.relkind = 'r' and c.relnamespace = 'public'::regnamespace
                  order by 1";
    let tables: Vec<String> = sqlx::query_scalar(tables).fetch_all(&mut owner).await.unwrap();
    let mut found = vec![BTreeMap::new(); people.len()];
    for table in tables {
        let rows = format!("select to_jsonb(t)::text as line from \"{table}\" as t");
        let rows = sqlx::query(AssertSqlSafe(rows)).fetch_all(&mut owner).await.unwrap();
        for (place, row) in rows.iter().enumerate() {
            let line: String = row.get("line");
            for (person, seen) in people.iter().zip(&mut found) {
                let (own, company) = (person.uuid.to_string(), person.partner_uuid.unwrap().to_string());
                if !line.contains(&own) && !line.contains(&company) {
                    continue;
                }
                *seen.entry(format!("{table} rows")).or_insert(0.0) += 1.0;
                *seen.entry(format!("{table} numbers")).or_insert(0.0) += numbers(&line);
                seen.insert(format!("{table} place"), place as f64);
            }
        }
    }
    found
}

/// The sum of the numbers of a row.
fn numbers(line: &str) -> f64 {
    let row: BTreeMap<String, serde_json::Value> = serde_json::from_str(line).unwrap();
    row.values().filter_map(serde_json::Value::as_f64).sum()
}

/// How much more of each thing there is of each person than before.
fn differences(before: &Dump, after: &Dump) -> Dump {
    let more = |(before, after): (&BTreeMap<String, f64>, &BTreeMap<String, f64>)| {
        after.iter().map(|(name, value)| (name.clone(), value - before.get(name).unwrap_or(&0.0))).collect()
    };
    before.iter().zip(after).map(more).collect()
}

/// What distinguished voters so far: of each thing how much more of it there was of voters than of others, on the average.
#[derive(Default)]
struct Evidence(BTreeMap<String, (f64, f64)>);

impl Evidence {
    fn learn(&mut self, seen: &Dump, voter: usize) {
        for name in seen[voter].keys() {
            let of = |person: usize| seen[person].get(name).unwrap_or(&0.0);
            let others: f64 = (0..seen.len()).filter(|person| *person != voter).map(of).sum();
            let more = of(voter) - others / (seen.len() - 1) as f64;
            let (sum, squares) = self.0.entry(name.clone()).or_default();
            *sum += more;
            *squares += more * more;
        }
    }

    /// Whoever has most of what voters had more of, each thing weighed by how surely it distinguished them.
    fn guess(&self, seen: &Dump) -> usize {
        let score = |person: &BTreeMap<String, f64>| -> f64 {
            let weigh = |(name, value): (&String, &f64)| {
                let (sum, squares) = self.0.get(name).copied().unwrap_or_default();
                if squares > 0.0 { value * sum / squares } else { 0.0 }
            };
            person.iter().map(weigh).sum()
        };
        let scores: Vec<f64> = seen.iter().map(score).collect();
        (0..scores.len()).max_by(|one, other| scores[*one].total_cmp(&scores[*other])).unwrap_or(0)
    }
}
