//! Privacy of votes as a game: a player who has every row, every mail and every log line guesses the voter, and guesses
//! no better than chance.

use std::collections::BTreeMap;
use std::io;
use std::sync::{Arc, Mutex};

use serde_json::json;
use sqlx::{AssertSqlSafe, Row as _};

use super::board::Board;
use crate::harness::people::Person;
use crate::harness::random::{Random, seed};
use crate::soak;

/// Number of users, each the only user of a partner.
const PEOPLE: usize = 20;
/// Number of rounds after which all users sign in again, because access tokens are valid for ten minutes.
const SIGNED_IN: usize = 25;

/// All users have proposed a feature request and receive the weekly mail. One user votes, a status changes, the weekly
/// mail runs, and all read their notifications. The player guesses from the differences that distinguished the voter in
/// earlier rounds.
#[tokio::test]
async fn colluding_player_guesses_votes_no_better_than_chance() {
    let (mut random, rounds) = (Random(seed()), soak::count(16, 2_000));
    let log = Log::default();
    let lines = log.clone();
    let reader = tracing_subscriber::fmt().with_max_level(tracing::Level::DEBUG).with_ansi(false);
    let _logged = tracing::subscriber::set_default(reader.with_writer(move || lines.clone()).finish());
    let mut game = Game::new(log).await;
    let (mut told, mut right, mut guesses) = (Evidence::default(), 0, 0);
    for round in 0..rounds {
        if round % SIGNED_IN == 0 {
            game.sign_in(&mut random).await;
        }
        let target = game.board.propose(&game.author, &format!("Wanted in round {round}")).await;
        let voter = usize::try_from(random.below(PEOPLE as u64)).unwrap();
        let before = game.dump().await;
        game.play(&target, voter, &mut random).await;
        let seen = differences(&before, &game.dump().await);
        if round >= rounds / 2 {
            guesses += 1;
            right += usize::from(told.guess(&seen, &mut random) == voter);
        }
        told.learn(&seen, voter);
        game.end_week().await;
    }
    let (mean, share) = (guesses as f64 / PEOPLE as f64, 1.0 / PEOPLE as f64);
    let bound = mean + 3.0 * (guesses as f64 * share * (1.0 - share)).sqrt();
    soak::figure(&format!(
        "who voted: {right} of {guesses} guesses right, {mean:.1} by chance, {bound:.1} at three sigma"
    ));
    assert!((right as f64) <= bound, "{right} of {guesses} guesses are right");
}

/// The board, the users, and a user who proposes. One of the users votes.
struct Game {
    board: Board,
    people: Vec<Person>,
    author: Person,
    log: Log,
}

impl Game {
    async fn new(log: Log) -> Self {
        let board = Board::new().await;
        board.harness.sql("update tier set daily_requests = 1000000").await;
        let mut people = Vec::new();
        for number in 0..PEOPLE {
            let person = board.partner(&format!("Company {number:02}")).await;
            board.propose(&person, &format!("Proposal number {number}")).await;
            let update = board.harness.call("auth_account_update").token(&person.token);
            update.json(&json!({ "board_mail": true })).expect(200).await;
            people.push(person);
        }
        let author = board.partner("Anker Kassen").await;
        Self { board, people, author, log }
    }

    /// Signs all users in again, in random order.
    async fn sign_in(&mut self, random: &mut Random) {
        for person in shuffled(PEOPLE, random) {
            self.people[person] = self.board.harness.sign_in(&self.people[person].email).await;
        }
        self.author = self.board.harness.sign_in(&self.author.email).await;
        let (email, secret) = (self.board.staff.email.clone(), self.board.staff.totp.clone().unwrap());
        self.board.staff = self.board.harness.sign_in_with_factor(&email, &secret).await;
    }

    /// One user votes and all read. Then a status changes, the weekly mail runs, and all read their notifications.
    async fn play(&self, target: &str, voter: usize, random: &mut Random) {
        let Self { board, people, .. } = self;
        for person in shuffled(PEOPLE, random) {
            for _ in 0..random.below(3) {
                assert_eq!(board.get(&people[person], target).await.status, 200);
            }
            if person == voter {
                assert_eq!(board.vote(&people[person], target).await.status, 200);
            }
        }
        let planned = board.moderate("change_status", target, Some(json!({ "status": "PLANNED" }))).await;
        assert_eq!(planned.status, 200, "{}", planned.text());
        board.harness.run_job("BOARD_MAIL").await;
        board.harness.until("select count(*) from mail_message where state = 'QUEUED'", 0).await;
        for person in shuffled(PEOPLE, random) {
            let call = board.harness.call("engagement_notifications_list").token(&people[person].token);
            call.expect(200).await;
            if random.below(2) == 0 {
                let call = board.harness.call("engagement_notifications_mark_read").token(&people[person].token);
                call.json(&json!({ "all": true })).expect(200).await;
            }
        }
    }

    /// Starts a new week: all events move to the previous week, and no user has received this week's mail.
    async fn end_week(&self) {
        let earlier = "update feature_event set occurred_at =
                           (date_trunc('week', labs_now() at time zone 'UTC') - interval '1 second') at time zone 'UTC';
                       delete from mail_message; delete from board_daily_use";
        self.board.harness.sql(earlier).await;
        for entry in std::fs::read_dir(&self.board.harness.mail_folder).unwrap() {
            std::fs::remove_file(entry.unwrap().path()).unwrap();
        }
        self.log.0.lock().unwrap().clear();
    }

    /// Collects all data about each user.
    async fn dump(&self) -> Dump {
        let mut dump = Dump::new(&self.people);
        self.tables(&mut dump).await;
        let mails = std::fs::read_dir(&self.board.harness.mail_folder).unwrap();
        let mut mails: Vec<_> = mails.map(|entry| entry.unwrap().path()).collect();
        mails.sort();
        for (place, path) in mails.iter().enumerate() {
            let mail = std::fs::read_to_string(path).unwrap();
            dump.note("mails", place, &mail, |_| mail.len() as f64);
        }
        let log = String::from_utf8_lossy(&self.log.0.lock().unwrap()).into_owned();
        for (place, line) in log.lines().enumerate() {
            dump.note("log", place, line, |line| line.len() as f64);
        }
        dump
    }

    /// Collects the data in the tables.
    async fn tables(&self, dump: &mut Dump) {
        let harness = &self.board.harness;
        // Writes the counts in memory to the database first.
        harness.engine.services().usage.flush(harness.engine.pool()).await.unwrap();
        let mut owner = harness.owner().await;
        let tables = "select relname::text from pg_class
                      where relkind in ('r', 'p') and relnamespace = 'public'::regnamespace order by 1";
        let tables: Vec<String> = sqlx::query_scalar(tables).fetch_all(&mut owner).await.unwrap();
        for table in tables {
            let rows = format!("select to_jsonb(t)::text as line from \"{table}\" as t");
            let rows = sqlx::query(AssertSqlSafe(rows)).fetch_all(&mut owner).await.unwrap();
            for (place, row) in rows.iter().enumerate() {
                dump.note(&table, place, row.get("line"), numbers);
            }
        }
    }
}

/// Returns the numbers below this one in random order.
fn shuffled(many: usize, random: &mut Random) -> Vec<usize> {
    let mut order: Vec<usize> = (0..many).collect();
    for place in (1..many).rev() {
        order.swap(place, usize::try_from(random.below(place as u64 + 1)).unwrap());
    }
    order
}

/// Returns the sum of the numbers in a row.
fn numbers(line: &str) -> f64 {
    let row: BTreeMap<String, serde_json::Value> = serde_json::from_str(line).unwrap();
    row.values().filter_map(serde_json::Value::as_f64).sum()
}

/// The service's log on this test's thread, at a more verbose level than usual.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<u8>>>);

impl io::Write for Log {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// For each user and each place of storage: the number of lines that name the user or their partner, the sum of the
/// numbers in these lines, and the last of these lines.
struct Dump {
    marks: Vec<[String; 3]>,
    found: Vec<BTreeMap<String, f64>>,
}

impl Dump {
    fn new(people: &[Person]) -> Self {
        let marks =
            |person: &Person| [person.uuid.to_string(), person.partner_uuid.unwrap().to_string(), person.email.clone()];
        Self { marks: people.iter().map(marks).collect(), found: vec![BTreeMap::new(); people.len()] }
    }

    fn note(&mut self, kept: &str, place: usize, line: &str, sum: impl Fn(&str) -> f64) {
        for (marks, seen) in self.marks.iter().zip(&mut self.found) {
            if marks.iter().any(|mark| line.contains(mark.as_str())) {
                *seen.entry(format!("{kept} lines")).or_insert(0.0) += 1.0;
                *seen.entry(format!("{kept} numbers")).or_insert(0.0) += sum(line);
                seen.insert(format!("{kept} place"), place as f64);
            }
        }
    }
}

/// Returns the increase of each measure for each user.
fn differences(before: &Dump, after: &Dump) -> Vec<BTreeMap<String, f64>> {
    let more = |(before, after): (&BTreeMap<String, f64>, &BTreeMap<String, f64>)| {
        after.iter().map(|(name, value)| (name.clone(), value - before.get(name).unwrap_or(&0.0))).collect()
    };
    before.found.iter().zip(&after.found).map(more).collect()
}

/// Differences between voters and others so far: for each measure, its mean excess for voters.
#[derive(Default)]
pub(super) struct Evidence(BTreeMap<String, (f64, f64)>);

impl Evidence {
    pub(super) fn learn(&mut self, seen: &[BTreeMap<String, f64>], voter: usize) {
        for name in seen[voter].keys() {
            let of = |person: usize| seen[person].get(name).unwrap_or(&0.0);
            let others: f64 = (0..seen.len()).filter(|person| *person != voter).map(of).sum();
            let more = of(voter) - others / (seen.len() - 1) as f64;
            let (sum, squares) = self.0.entry(name.clone()).or_default();
            *sum += more;
            *squares += more * more;
        }
    }

    /// Returns the user with the highest score over the measures that were higher for voters, each weighted by its
    /// reliability. Ties are broken at random.
    pub(super) fn guess(&self, seen: &[BTreeMap<String, f64>], random: &mut Random) -> usize {
        let score = |person: &BTreeMap<String, f64>| -> f64 {
            let weigh = |(name, value): (&String, &f64)| {
                let (sum, squares) = self.0.get(name).copied().unwrap_or_default();
                if squares > 0.0 { value * sum / squares } else { 0.0 }
            };
            person.iter().map(weigh).sum()
        };
        let scores: Vec<f64> = seen.iter().map(score).collect();
        let order = shuffled(scores.len(), random);
        order.into_iter().max_by(|one, other| scores[*one].total_cmp(&scores[*other])).unwrap_or(0)
    }
}
