//! Histories of concurrent clients over HTTP, while the processes of the service are killed: a checker decides whether
//! some order of the operations explains every response. Authenticated reads and writes are linearizable: no client reads
//! an older state than another client read or wrote before, through either process.

mod check;
mod replicas;

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use futures_util::future::join_all;
use serde_json::{Value, json};

use crate::harness::Harness;
use crate::harness::people::Person;
use crate::harness::random::{Random, seed};
use crate::soak::killed::{KilledService, Request};
use crate::soak::{count, figure};
use check::{Action, CountRead, Moment, Operation, Vote, find_count_anomaly, find_register_anomaly, find_set_anomaly};

/// Clients of each register and of each set. Each person also votes as one more client.
const CLIENTS: usize = 4;
/// Elements that a set can have, so that one page shows it.
const LARGEST_SET: u64 = 90;

/// What the clients share: the service, the clock and the source of unique values.
struct Course<'h> {
    service: KilledService<'h>,
    started: Instant,
    values: AtomicU64,
}

impl Course<'_> {
    fn now(&self) -> Moment {
        u64::try_from(self.started.elapsed().as_nanos()).unwrap()
    }

    fn new_value(&self) -> u64 {
        self.values.fetch_add(1, Ordering::Relaxed)
    }

    /// Sends a request to a random process. Returns the time before it, the time after it, and the response with one of
    /// these statuses. Without such a response, the outcome is unknown.
    async fn ask(
        &self,
        random: &mut Random,
        request: &Request<'_>,
        statuses: &[u16],
    ) -> (Moment, Option<(Moment, Value)>) {
        let start = self.now();
        let answered = self.service.ask(random.below(2), request).await;
        let end = self.now();
        match answered {
            Some((status, body)) if statuses.contains(&status) => (start, Some((end, body))),
            Some((503 | 409, _)) | None => (start, None),
            Some((status, body)) => panic!("{} {} answered {status}: {body}", request.method, request.path),
        }
    }
}

/// Writes and reads the name of the user's account as a register.
async fn use_register(course: &Course<'_>, person: &Person, client: usize) -> Vec<Operation<u64>> {
    let (mut random, mut history) = (Random(seed() ^ (client as u64 + 1)), Vec::new());
    let request = |method, body| Request { method, path: "/v1/auth/account".to_owned(), token: &person.token, body };
    while !course.service.has_ended() {
        if random.below(3) == 0 {
            let value = course.new_value();
            let write = request("PATCH", Some(json!({ "name": format!("Name {value}") })));
            let (start, answered) = course.ask(&mut random, &write, &[200]).await;
            let end = answered.map(|(end, _)| end);
            history.push(Operation { client, start, end, action: Action::Write(value) });
            continue;
        }
        let (start, answered) = course.ask(&mut random, &request("GET", None), &[200]).await;
        let Some((end, body)) = answered else { continue };
        let value = body["name"].as_str().unwrap().strip_prefix("Name ").map_or(0, |value| value.parse().unwrap());
        history.push(Operation { client, start, end: Some(end), action: Action::Read(value) });
    }
    history
}

/// Adds apps to the partner's list and reads it as a set.
async fn use_set(course: &Course<'_>, person: &Person, client: usize) -> Vec<Operation<BTreeSet<u64>>> {
    let (mut random, mut history) = (Random(seed() ^ (client as u64 + 1000)), Vec::new());
    let mut added = 0;
    while !course.service.has_ended() {
        if random.below(4) == 0 && added < LARGEST_SET / CLIENTS as u64 {
            added += 1;
            let value = course.new_value();
            let body = Some(json!({ "name": format!("App {value}") }));
            let path = "/v1/marketplace/apps".to_owned();
            let add = Request { method: "POST", path, token: &person.token, body };
            let (start, answered) = course.ask(&mut random, &add, &[201]).await;
            let end = answered.map(|(end, _)| end);
            history.push(Operation { client, start, end, action: Action::Write(value) });
            continue;
        }
        let path = "/v1/marketplace/apps?limit=100".to_owned();
        let read = Request { method: "GET", path, token: &person.token, body: None };
        let (start, answered) = course.ask(&mut random, &read, &[200]).await;
        let Some((end, body)) = answered else { continue };
        let names = body["data"].as_array().unwrap().iter().map(|app| app["name"].as_str().unwrap());
        let elements = names.map(|name| name.trim_start_matches("App ").parse().unwrap()).collect();
        history.push(Operation { client, start, end: Some(end), action: Action::Read(elements) });
    }
    history
}

/// Votes for a feature request and withdraws the vote in turns, and reads the number of votes.
async fn use_count(course: &Course<'_>, voter: &Person, client: usize, path: &str) -> (Vec<Vote>, Vec<CountRead>) {
    let (mut random, mut votes, mut reads) = (Random(seed() ^ (client as u64 + 2000)), Vec::new(), Vec::new());
    let request = |method, path: String| Request { method, path, token: &voter.token, body: None };
    while !course.service.has_ended() {
        if random.below(3) == 0 {
            let counts = votes.last().is_none_or(|vote: &Vote| !vote.counts);
            let method = if counts { "PUT" } else { "DELETE" };
            let mut vote = Vote { start: course.now(), end: None, counts };
            // Repeated until its outcome is known: again changes nothing.
            while vote.end.is_none() && !course.service.has_ended() {
                let (_, answered) = course.ask(&mut random, &request(method, format!("{path}/vote")), &[200]).await;
                vote.end = answered.map(|(end, _)| end);
            }
            votes.push(vote);
            continue;
        }
        let (start, answered) = course.ask(&mut random, &request("GET", path.to_owned()), &[200]).await;
        let Some((end, body)) = answered else { continue };
        reads.push(CountRead { start, end, count: body["votes"].as_i64().unwrap() });
    }
    (votes, reads)
}

#[tokio::test]
async fn histories_of_killed_service_are_linearizable() {
    let harness = Harness::new().await;
    harness.sql("update tier set burst_per_second = 1000000, daily_requests = 1000000000").await;
    harness.sql("update tier_feature set value = '\"unlimited\"' where feature_code = 'apps'").await;
    let mut people = Vec::new();
    for company in ["Nordsee Kassen", "Alpenglut"] {
        people.push(harness.partner(company).await);
    }
    // Its author's vote counts until it is withdrawn, so the author does not vote.
    let author = harness.partner("Kiosk Kunze").await;
    let body = json!({ "title": "Split the bill", "body": "We want to split a bill by guest." });
    let call = harness.call("engagement_feature_requests_propose").token(&author.token);
    let uuid = call.json(&body).expect(201).await.str("uuid").to_owned();
    let proposal = format!("/v1/engagement/feature-requests/{uuid}");
    harness.call("engagement_votes_withdraw").token(&author.token).path("request_uuid", &uuid).expect(200).await;
    let (service, processes) = KilledService::start(&harness).await;
    let course = Course { service, started: Instant::now(), values: AtomicU64::new(1) };
    let each = || people.iter().map(|person| (0..CLIENTS).map(move |client| (person, client)));
    let registers =
        each().map(|clients| join_all(clients.map(|(person, client)| use_register(&course, person, client))));
    let sets = each().map(|clients| join_all(clients.map(|(person, client)| use_set(&course, person, client))));
    let counts = people.iter().enumerate().map(|(client, voter)| use_count(&course, voter, client, &proposal));
    let (registers, sets, counts, ()) = tokio::join!(
        join_all(registers),
        join_all(sets),
        join_all(counts),
        course.service.kill_repeatedly(processes, count(4, 60)),
    );
    let [kills, cut] = course.service.figures();
    let mut operations = 0;
    for history in registers.into_iter().map(|clients| clients.concat()) {
        operations += history.len();
        assert_eq!(find_register_anomaly(&history), None, "LABS_SEED={}", seed());
    }
    for history in sets.into_iter().map(|clients| clients.concat()) {
        operations += history.len();
        assert_eq!(find_set_anomaly(&history), None, "LABS_SEED={}", seed());
    }
    let (votes, reads): (Vec<Vec<Vote>>, Vec<Vec<CountRead>>) = counts.into_iter().unzip();
    let reads = reads.concat();
    operations += votes.iter().map(Vec::len).sum::<usize>() + reads.len();
    assert_eq!(find_count_anomaly(&votes, &reads), None, "LABS_SEED={}", seed());
    assert!(operations > 200, "{operations}");
    figure(&format!(
        "{operations} operations on 2 registers, 2 sets and a count of votes, {kills} kills, {cut} requests cut: linearizable"
    ));
}
