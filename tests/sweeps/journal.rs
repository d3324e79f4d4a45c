//! Durability sweep: an acknowledged write is present, a rejected write is absent, a write with unknown outcome is
//! present at most once (docs/decisions/api.md#unknown-outcome-of-commit).

use futures_util::future::join_all;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use crate::harness::people::Person;
use crate::harness::{Answer, Call, Harness, WAITING};

/// SQL that counts connections left inside a transaction, or holding a lock of a finished request.
const LEFT_OPEN: &str = "select (select count(*) from pg_stat_activity where datname = current_database()
        and pid <> pg_backend_pid() and state like 'idle in transaction%')
    + (select count(*) from pg_locks as l join pg_stat_activity as a using (pid)
        where a.datname = current_database() and l.locktype = 'advisory' and a.state = 'idle'
            and l.mode = 'ExclusiveLock')";

struct Ledger {
    harness: Harness,
    owner: Person,
}

impl Ledger {
    async fn new() -> Self {
        let harness = Harness::new().await;
        harness.sql("update tier set burst_per_second = 100000; update tier_feature set value = '\"unlimited\"' where feature_code = 'apps'").await;
        let owner = harness.partner("Nordsee Kassen").await;
        Self { harness, owner }
    }

    fn create(&self, slug: &str) -> Call<'_> {
        let body = json!({ "name": "Table Pilot", "slug": slug });
        self.harness.call("marketplace_apps_create").token(&self.owner.token).json(&body)
    }

    fn keyed(&self, key: &str, slug: &str) -> Call<'_> {
        self.create(slug).header("idempotency-key", key)
    }

    async fn apps(&self, slug: &str) -> i64 {
        self.harness.number(&format!("select count(*) from app where slug = '{slug}'")).await
    }

    /// Opens a connection to the service.
    async fn connect(&self) -> TcpStream {
        TcpStream::connect(self.harness.base_url.trim_start_matches("http://")).await.unwrap()
    }

    /// Serialises a request into head and body.
    fn bytes(&self, method: &str, path: &str, body: &Value) -> (Vec<u8>, Vec<u8>) {
        let body = if body.is_null() { Vec::new() } else { body.to_string().into_bytes() };
        let head = format!(
            "{method} {path} HTTP/1.1\r\nHost: labs\r\nAuthorization: Bearer {}\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n",
            self.owner.token,
            body.len()
        );
        (head.into_bytes(), body)
    }

    fn creation(&self, slug: &str) -> (Vec<u8>, Vec<u8>) {
        self.bytes("POST", "/v1/marketplace/apps", &json!({ "name": "Table Pilot", "slug": slug }))
    }

    /// Asserts that later writes are committed on every pooled connection, and that no transaction or lock remains.
    async fn is_sound(&self, word: &str) {
        self.harness.until(LEFT_OPEN, 0).await;
        for number in 0..18 {
            let slug = format!("{word}-after-{number}");
            self.create(&slug).expect(201).await;
            assert_eq!(self.apps(&slug).await, 1, "acknowledged and not there");
        }
        let both = join_all((0..12).map(|number| self.create(&format!("{word}-beside-{number}")).send())).await;
        assert!(both.iter().all(|answer| answer.status == 201));
        let beside = format!("select count(*) from app where slug like '{word}-beside-%'");
        assert_eq!(self.harness.number(&beside).await, 12);
        self.harness.until(LEFT_OPEN, 0).await;
    }
}

/// Sends the request of a client that disconnects in one of eight ways, each later in the request than the previous
/// one. Returns the status if the client waited for the response.
async fn go_away(ledger: &Ledger, number: usize) -> Option<u16> {
    let (head, body) = ledger.creation(&format!("gone-{number}"));
    let mut stream = ledger.connect().await;
    let whole = [head.as_slice(), body.as_slice()].concat();
    let sent = match number % 8 {
        0 => &whole[..head.len() / 2],
        1 => &whole[..head.len()],
        2 => &whole[..whole.len() - 1],
        _ => &whole,
    };
    stream.write_all(sent).await.unwrap();
    match number % 8 {
        // Disconnects at once: by a normal close, by a reset or by a shutdown of the sending side.
        0..=3 => {}
        4 => stream.set_zero_linger().unwrap(),
        5 => stream.shutdown().await.unwrap(),
        // Disconnects when the response starts, or after it.
        6 => {
            let _ = stream.read(&mut [0; 1]).await.unwrap();
        }
        _ => {
            let mut answer = [0; 12];
            stream.read_exact(&mut answer).await.unwrap();
            return Some(String::from_utf8_lossy(&answer[9..]).parse().unwrap());
        }
    }
    None
}

#[tokio::test]
async fn disconnecting_clients_lose_no_write_and_spoil_no_connection() {
    let ledger = Ledger::new().await;
    for round in 0..3 {
        let numbers = (round * 64)..(round * 64 + 64);
        let told = join_all(numbers.clone().map(|number| go_away(&ledger, number))).await;
        ledger.harness.until(LEFT_OPEN, 0).await;
        for (number, status) in numbers.zip(told) {
            let found = ledger.apps(&format!("gone-{number}")).await;
            match number % 8 {
                0..=2 => assert_eq!(found, 0, "the request never came whole"),
                7 => assert_eq!((status, found), (Some(201), 1), "acknowledged"),
                6 => assert_eq!(found, 1, "its answer had begun"),
                _ => assert!(found <= 1, "at most once"),
            }
        }
    }
    ledger.is_sound("first").await;
}

#[tokio::test]
async fn started_write_completes_without_its_client() {
    let ledger = Ledger::new().await;
    // The inserts wait inside their transactions while the clients disconnect, some by a reset.
    let held = ledger.harness.lock("app", "share").await;
    let mut streams = Vec::new();
    for number in 0..4 {
        let (head, body) = ledger.creation(&format!("left-{number}"));
        let mut stream = ledger.connect().await;
        stream.write_all(&[head, body].concat()).await.unwrap();
        streams.push(stream);
    }
    ledger.harness.until(WAITING, 4).await;
    for (number, stream) in streams.into_iter().enumerate() {
        if number % 2 == 0 {
            stream.set_zero_linger().unwrap();
        }
    }
    held.roll_back().await;
    ledger.harness.until("select count(*) from app where slug like 'left-%'", 4).await;
    ledger.is_sound("left").await;
}

#[tokio::test]
async fn read_of_disconnected_client_spoils_no_connection() {
    let ledger = Ledger::new().await;
    let held = ledger.harness.lock("app", "access exclusive").await;
    let (head, _) = ledger.bytes("GET", "/v1/marketplace/apps", &Value::Null);
    let mut streams = Vec::new();
    // The reads of one account use at most two connections.
    for _ in 0..2 {
        let mut stream = ledger.connect().await;
        stream.write_all(&head).await.unwrap();
        streams.push(stream);
    }
    ledger.harness.until(WAITING, 2).await;
    drop(streams);
    held.roll_back().await;
    ledger.harness.until(WAITING, 0).await;
    let list = ledger.harness.call("marketplace_apps_list").token(&ledger.owner.token).expect(200).await;
    assert_eq!(list.json["data"], json!([]));
    ledger.is_sound("read").await;
}

#[tokio::test]
async fn repeat_after_lost_response_has_no_second_effect() {
    let ledger = Ledger::new().await;
    for number in 0..12 {
        let (slug, key) = (format!("lost-{number}"), format!("key-{number}"));
        let (head, body) = ledger.creation(&slug);
        let head = String::from_utf8(head).unwrap().replace("\r\n\r\n", &format!("\r\nIdempotency-Key: {key}\r\n\r\n"));
        let mut stream = ledger.connect().await;
        stream.write_all(&[head.into_bytes(), body].concat()).await.unwrap();
        if number % 2 == 0 {
            stream.set_zero_linger().unwrap();
        }
        drop(stream);
        // Retries as a client does, while the first request is still running.
        let answer = loop {
            let answer = ledger.keyed(&key, &slug).send().await;
            if answer.code() != "IDEMPOTENCY_IN_PROGRESS" {
                break answer;
            }
        };
        assert_eq!(answer.status, 201, "{}", answer.text());
        assert_eq!(ledger.apps(&slug).await, 1);
    }
    ledger.is_sound("repeat").await;
}

#[tokio::test]
async fn idempotency_key_repeats_only_its_first_response() {
    let ledger = Ledger::new().await;
    let first = ledger.keyed("order-17", "first").expect(201).await;
    assert_eq!(first.header("idempotency-replayed"), "");
    let again = ledger.keyed("order-17", "first").expect(201).await;
    assert_eq!(again.header("idempotency-replayed"), "true");
    let same = |answer: &Answer| {
        (answer.bytes.clone(), answer.header("location").to_owned(), answer.header("etag").to_owned())
    };
    assert_eq!(same(&again), same(&first));
    assert_ne!(again.header("x-request-id"), first.header("x-request-id"));
    let other = ledger.keyed("order-17", "second").send().await;
    assert_eq!((other.status, other.code()), (422, "IDEMPOTENCY_KEY_REUSED"));
    assert_eq!((ledger.apps("first").await, ledger.apps("second").await), (1, 0));

    // The rejected request succeeds when it is sent again.
    let taken = ledger.keyed("order-18", "first").send().await;
    assert_eq!((taken.status, taken.code()), (409, "CONFLICT"));
    let call = ledger.harness.call("marketplace_apps_delete").path("app_uuid", first.str("uuid"));
    call.token(&ledger.owner.token).expect(204).await;
    let anew = ledger.keyed("order-18", "first").expect(201).await;
    assert_eq!(anew.header("idempotency-replayed"), "");
    assert_ne!(anew.str("uuid"), first.str("uuid"));

    for bad in ["", &"k".repeat(256)] {
        assert_eq!(ledger.keyed(bad, "third").send().await.status, 422, "{bad:?}");
    }
}

#[tokio::test]
async fn idempotency_key_is_bound_to_caller_and_operation() {
    let ledger = Ledger::new().await;
    let first = ledger.keyed("order-17", "first").expect(201).await;
    let stranger = Ledger { owner: ledger.harness.partner("Ostsee Kassen").await, harness: ledger.harness };
    let theirs = stranger.keyed("order-17", "theirs").expect(201).await;
    assert_eq!(theirs.header("idempotency-replayed"), "");
    assert_ne!(theirs.str("uuid"), first.str("uuid"));
    let version = stranger.harness.call("marketplace_versions_create").path("app_uuid", theirs.str("uuid"));
    let version = version.token(&stranger.owner.token).header("idempotency-key", "order-17");
    let version = version.json(&json!({ "number": "1.0.0" })).expect(201).await;
    assert_eq!((version.header("idempotency-replayed"), version.str("number")), ("", "1.0.0"));
}

#[tokio::test]
async fn idempotency_key_is_kept_for_one_day() {
    let ledger = Ledger::new().await;
    ledger.keyed("order-17", "first").expect(201).await;
    ledger.harness.advance(23 * 3600).await;
    let ledger = Ledger { owner: ledger.harness.sign_in(&ledger.owner.email).await, harness: ledger.harness };
    assert_eq!(ledger.keyed("order-17", "first").expect(201).await.header("idempotency-replayed"), "true");
    ledger.harness.advance(2 * 3600).await;
    let ledger = Ledger { owner: ledger.harness.sign_in(&ledger.owner.email).await, harness: ledger.harness };
    let new = ledger.keyed("order-17", "second").expect(201).await;
    assert_eq!((new.header("idempotency-replayed"), new.str("slug")), ("", "second"));
}

#[tokio::test]
async fn repeat_during_first_request_must_wait() {
    let ledger = Ledger::new().await;
    let held = ledger.harness.lock("app", "share").await;
    let first = ledger.keyed("order-17", "first").send();
    let others = async {
        ledger.harness.until(WAITING, 1).await;
        let repeat = ledger.keyed("order-17", "first").send().await;
        assert_eq!((repeat.status, repeat.code()), (409, "IDEMPOTENCY_IN_PROGRESS"));
        assert_eq!(repeat.header("retry-after"), "1");
        held.roll_back().await;
    };
    let (first, ()) = tokio::join!(first, others);
    assert_eq!(first.status, 201, "{}", first.text());
    let repeat = ledger.keyed("order-17", "first").expect(201).await;
    assert_eq!((repeat.header("idempotency-replayed"), &repeat.bytes), ("true", &first.bytes));
}

#[tokio::test]
async fn sixteen_concurrent_requests_with_one_key_execute_once() {
    let ledger = Ledger::new().await;
    let answers = join_all((0..16).map(|_| ledger.keyed("order-17", "first").send())).await;
    let good: Vec<&Answer> = answers.iter().filter(|answer| answer.status == 201).collect();
    let first = good.iter().filter(|answer| answer.header("idempotency-replayed").is_empty()).count();
    assert_eq!(first, 1);
    assert!(good.iter().all(|answer| answer.bytes == good[0].bytes));
    assert!(answers.iter().all(|answer| answer.status == 201 || answer.code() == "IDEMPOTENCY_IN_PROGRESS"));
    assert_eq!(ledger.apps("first").await, 1);
    ledger.harness.until(LEFT_OPEN, 0).await;
}
