//! Tests of public reads on a read replica: permitted reads use it, all others do not, and no caller sees data older
//! than before.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use clap::Parser as _;
use futures_util::{StreamExt as _, stream};
use http::Method;
use labs::cli::{Cli, Command};
use labs::wiring;
use labs_schema::time::Clock;
use sqlx::{Connection as _, PgConnection};

use super::operations;
use super::stock::Stock;
use crate::harness::proxy::StallableProxy;
use crate::harness::{Followed, Harness, LONGEST_WAIT, ROOMY, database_at};
use crate::soak;

/// Reads below `/public/` that still use the primary: the contract itself, and the change feed, which states the time
/// up to which it is complete.
const PRESENT: [&str; 2] = ["publication_api_reference_get", "marketplace_listings_list_changes"];

/// Number of reads whose statements are counted.
const READS: i64 = 1_500;

struct ReplicatedService {
    servers: Followed,
    stock: Stock,
}

impl ReplicatedService {
    async fn new() -> Self {
        let servers = Followed::start(1).await;
        let harness = Harness::over(servers.leader.url(), &flags(&servers.followers[0].url())).await;
        let house = Self { servers, stock: Stock::within(harness).await };
        house.becomes_fresh().await;
        house
    }

    fn harness(&self) -> &Harness {
        &self.stock.cast.harness
    }

    /// Returns the number of queries that the follower received, and the number that it failed to answer.
    fn asked(&self) -> (u64, u64) {
        let counts = self.harness().engine.services().read_replicas.as_ref().unwrap().counts();
        (counts.answered, counts.failed)
    }

    fn is_fresh(&self) -> bool {
        self.is_behind_by_less_than(Duration::from_secs(1))
    }

    fn is_behind_by_less_than(&self, most: Duration) -> bool {
        let delays = self.harness().engine.services().read_replicas.as_ref().unwrap().delays();
        delays.iter().all(|delay| delay.is_some_and(|delay| delay < most))
    }

    /// Waits until the follower shows everything that was committed before this call.
    async fn becomes_fresh(&self) {
        let since = Instant::now();
        let shows = || async { self.is_behind_by_less_than(since.elapsed().min(Duration::from_secs(1))) };
        self.harness().soon("the follower is fresh", shows).await;
    }

    async fn at_follower(&self, statement: &str) {
        self.servers.at_follower(0, statement).await;
    }

    /// Reads with the storefront's token in the locale with this number, so that no stored answer is sent.
    /// Returns whether it was answered.
    async fn read_in_other_locale(&self, harness: &Harness, number: i64) -> bool {
        let letter = |place: u32| char::from(b'a' + u8::try_from(number / 26_i64.pow(place) % 26).unwrap());
        let locale = format!("{}{}-{}A", letter(0), letter(1), letter(2).to_ascii_uppercase());
        let path = format!("/v1/marketplace/public/listings/till-pilot/versions?locale={locale}");
        let url = format!("{}{path}", harness.base_url);
        let request = harness.http().get(url).bearer_auth(&self.stock.cast.storefront.token);
        request.send().await.unwrap().status() == 200
    }

    /// Changes published data on the primary.
    async fn change(&self, headline: &str) {
        let statement = format!("update publication_item set title = '{headline}' where kind = 'BLOG_POST'");
        self.harness().sql(&statement).await;
    }
}

fn flags(follower: &str) -> Vec<&str> {
    [&["--read-database-urls", follower], ROOMY].concat()
}

#[tokio::test]
async fn only_public_reads_use_read_replica() {
    let house = ReplicatedService::new().await;
    let (mut wrong, mut seen) = (Vec::new(), BTreeSet::new());
    for operation in operations().filter(|operation| operation.method == Method::GET) {
        let may_lag = operation.path.contains("/public/") && !PRESENT.contains(&operation.id.as_str());
        house.becomes_fresh().await;
        let before = house.asked();
        let call = house.stock.call(&operation.id);
        let call = if operation.id == "marketplace_listings_suggest" { call.query("q", "till") } else { call };
        let answer = call.send().await;
        let after = house.asked();
        if (after.0 > before.0) != may_lag || after.1 > before.1 || answer.status >= 500 {
            wrong.push(format!("{} {}: {before:?} {after:?}", operation.id, answer.status));
        }
        if may_lag && answer.status == 200 {
            seen.insert(&operation.id);
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert!(seen.len() > 20, "too little of this was there: {seen:?}");
}

#[tokio::test]
async fn writes_are_visible_within_a_second_despite_stalled_read_replica() {
    let house = ReplicatedService::new().await;
    let titles = async || {
        let answer = house.stock.call("publication_public_blog_posts_list").expect(200).await;
        answer.json["data"].as_array().unwrap().iter().map(|post| post["title"].to_string()).collect::<Vec<_>>()
    };
    house.at_follower("select pg_wal_replay_pause()").await;
    let (changed_at, before) = (Instant::now(), house.asked());
    house.change("Second thoughts").await;
    let is_new = || async { titles().await.iter().all(|title| title.contains("Second thoughts")) };
    house.harness().soon("the change shows", is_new).await;
    // A busy machine may send its request late. The assertion is about the replica, which is at most a second behind
    // when it is queried.
    let took = changed_at.elapsed();
    assert!(!house.is_fresh() || house.asked().0 == before.0, "after {took:?}");
    house.at_follower("select pg_wal_replay_resume()").await;
    house.becomes_fresh().await;
    let before = house.asked();
    assert!(is_new().await);
    assert!(house.asked().0 > before.0, "the follower is asked again");
}

#[tokio::test]
async fn reader_never_sees_older_data_than_before() {
    let house = ReplicatedService::new().await;
    let at_leader = house.harness().twin(ROOMY).await;
    let (operation, slug) = ("publication_public_blog_posts_get", "first-steps");
    let tag = async |harness: &Harness| {
        let answer = harness.call(operation).path("slug", slug).expect(200).await;
        answer.header("etag").to_owned()
    };
    let mut round = 0;
    let seen = || {
        round += 1;
        let title = format!("Thought {round}");
        let (house, at_leader) = (&house, &at_leader);
        async move {
            house.at_follower("select pg_wal_replay_pause()").await;
            house.change(&title).await;
            let (newest, before) = (tag(at_leader).await, house.asked());
            let known =
                house.harness().call(operation).path("slug", slug).header("if-none-match", &newest).send().await;
            let was_asked = house.asked().0 > before.0;
            house.at_follower("select pg_wal_replay_resume()").await;
            house.becomes_fresh().await;
            assert_eq!(known.status, 304, "an older one was shown");
            was_asked
        }
    };
    // If the machine was too slow, the follower was already stale and was not queried.
    let mut seen = seen;
    let asked = async { while !seen().await {} };
    tokio::time::timeout(LONGEST_WAIT, asked).await.expect("the follower is asked first");

    let page = async |harness: &Harness, cursor: Option<&str>| {
        let call = harness.call("publication_public_blog_posts_list").query("limit", "1");
        let call = cursor.into_iter().fold(call, |call, cursor| call.query("cursor", cursor));
        call.expect(200).await.json["page"]["next_cursor"].as_str().map(str::to_owned)
    };
    let (of_leader, of_follower) = (page(&at_leader, None).await, page(house.harness(), None).await);
    let before = house.asked();
    page(house.harness(), of_leader.as_deref()).await;
    assert_eq!(house.asked(), before, "a cursor of the leader leads back to it");
    house.becomes_fresh().await;
    page(house.harness(), of_follower.as_deref()).await;
    assert!(house.asked().0 > before.0, "a cursor of the follower leads back to it");
    page(&at_leader, of_follower.as_deref()).await;
}

#[tokio::test]
async fn failed_read_replica_is_noticed_only_by_operator() {
    let ReplicatedService { servers, stock } = ReplicatedService::new().await;
    let Followed { followers, .. } = servers;
    let read = async || stock.call("marketplace_listings_get").expect(200).await;
    read().await;
    drop(followers);
    for _ in 0..20 {
        read().await;
        stock.call("marketplace_listings_search").expect(200).await;
    }
}

#[tokio::test]
async fn silent_read_replica_delays_readers_only_briefly() {
    let servers = Followed::start(1).await;
    let way = StallableProxy::to(servers.followers[0].address()).await;
    let harness = Harness::over(servers.leader.url(), &flags(&database_at(way.address))).await;
    let house = ReplicatedService { servers, stock: Stock::within(harness).await };
    house.becomes_fresh().await;
    for operation in ["marketplace_listings_get", "marketplace_listings_list_versions"] {
        let read = async || house.stock.call(operation).expect(200).await;
        read().await;
        let before = house.asked();
        // On a busy machine, the service may have detected before the first read that the follower does not progress.
        let asked = async {
            while house.asked().1 == before.1 {
                house.becomes_fresh().await;
                way.stand(true);
                for _ in 0..5 {
                    read().await;
                }
                way.stand(false);
            }
        };
        tokio::time::timeout(LONGEST_WAIT, asked).await.expect("the leader answers in time");
        house.becomes_fresh().await;
    }
}

#[tokio::test]
async fn read_replicas_relieve_primary() {
    let house = ReplicatedService::new().await;
    let alone = house.harness().twin(ROOMY).await;
    // The server updates a connection's statistics with a delay, at the latest when the connection closes.
    let statements = async || {
        let mut leader = PgConnection::connect(&house.servers.leader.url()).await.unwrap();
        let others = "select pg_terminate_backend(pid, 60000) from pg_stat_activity
                       where datname = 'labs' and pid <> pg_backend_pid() and backend_type = 'client backend'";
        sqlx::query(others).execute(&mut leader).await.unwrap();
        let counted = "select xact_commit from pg_stat_database where datname = 'labs'";
        sqlx::query_scalar::<_, i64>(counted).fetch_one(&mut leader).await.unwrap()
    };
    let spent = async |harness: &Harness| {
        let read = async |number: i64| house.read_in_other_locale(harness, number).await;
        let before = statements().await;
        house.becomes_fresh().await;
        // The first reads may use connections that were closed.
        let answered = async |number| harness.soon("each read is answered", || read(number)).await;
        stream::iter(0..READS).map(answered).buffer_unordered(16).collect::<()>().await;
        statements().await - before
    };
    let (without, mut with) = (spent(&alone).await, READS);
    // Both counts include the services' own queries, several per second. On a busy machine, a replica may also be
    // behind.
    for _ in 0..5 {
        with = with.min(spent(house.harness()).await);
        if with * 2 < without {
            break;
        }
    }
    soak::figure(&format!("{READS} reads took the leader {without} statements without a follower and {with} with one"));
    assert!(with * 2 < without && READS <= without, "{with} and {without}");
    let counts = house.harness().engine.services().read_replicas.as_ref().unwrap().counts();
    assert!(counts.answered * 2 > READS.unsigned_abs(), "{counts:?}");
}

#[tokio::test]
async fn reader_that_never_pauses_returns_to_read_replica() {
    let house = ReplicatedService::new().await;
    let counts = || house.harness().engine.services().read_replicas.as_ref().unwrap().counts();
    let reads = stream::iter(0..).map(|number| house.read_in_other_locale(house.harness(), number)).buffer_unordered(8);
    let load = reads.for_each(async |_| ());
    let story = async {
        house.at_follower("select pg_wal_replay_pause()").await;
        house.change("Newer thoughts").await;
        let before = counts();
        house.harness().soon("the primary answers", async || counts().passed_on > before.passed_on + 20).await;
        house.at_follower("select pg_wal_replay_resume()").await;
        let before = counts();
        house.harness().soon("the replica answers again", async || counts().answered > before.answered + 200).await;
    };
    tokio::select! {
        () = load => unreachable!("the reads never end"),
        () = story => {}
    }
}

#[tokio::test]
async fn read_replica_of_another_primary_is_rejected() {
    let (servers, strange) = (Followed::start(1).await, Followed::start(1).await);
    let error = opened(&servers.leader.url(), &strange.followers[0].url()).await.unwrap_err();
    assert!(error.contains("is not a replica of the database in DATABASE_URL"), "{error}");
    let away = opened(&servers.leader.url(), "postgres://labs@127.0.0.1:1/labs?sslmode=disable").await;
    assert!(away.is_ok(), "{away:?}: one that is away does not keep a service from starting");
}

/// Starts a service with this replica and returns the result.
async fn opened(leader: &str, replica: &str) -> Result<(), String> {
    let folder = tempfile::tempdir().unwrap();
    let words = ["labs", "serve", "--folder", folder.path().to_str().unwrap(), "--database-url", leader];
    let words = words.into_iter().chain(["--read-database-urls", replica]);
    let Command::Serve(serve) = Cli::try_parse_from(words).unwrap().command else { panic!("`serve` is a command") };
    let config = serve.settle().unwrap();
    let (media, database) = (wiring::media(&config).await.unwrap(), config.database.as_ref().unwrap());
    let application = wiring::application(&config, media, database, "http://127.0.0.1", Clock::default()).await;
    application.map(drop).map_err(|error| format!("{error:#}"))
}
