//! The benchmark cases: requests that the service and the hand-written handlers answer in turns.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::routing::MethodRouter;
use bytes::Bytes;
use http::{HeaderValue, Request, header};
use http_body_util::Full;
use labs_schema::Engine;
use serde_json::Value;

use crate::Cli;
use crate::board::{Reader, forget_limits};
use crate::costs::Meter;
use crate::forms::Running;
use crate::ground::{Numbers, PreparedData};
use crate::hand::{apps, board, changelog, clients, comments, listings, reviews, search, suggestions};
use crate::load::{self, At, CONNECTIONS, Make, Turn};
use crate::report::{Measured, Report};

/// Default number of rounds of each case.
const ROUNDS: u32 = 8;
/// Turns in which the cost of a fixed read is measured.
const FIXED_TURNS: u32 = 3;
/// Responses of each form that are compared before a case is measured.
const COMPARED: usize = 2;

/// Work of both forms.
pub(crate) struct Case {
    /// Operation of the contract, with a remark if the request is special.
    pub(crate) name: &'static str,
    /// Minimum rate compared with the hand-written handler.
    pub(crate) bar: f64,
    pub(crate) caller: Caller,
    /// Path of the hand-written handler.
    pub(crate) route: &'static str,
    pub(crate) handler: fn() -> MethodRouter<Engine>,
    /// Builds the request at a place, without a token.
    pub(crate) request: fn(&Numbers, &At<'_>) -> anyhow::Result<Request<Full<Bytes>>>,
    /// Fields of the response that differ each time.
    pub(crate) varying: &'static [&'static str],
}

/// All cases.
pub(crate) static CASES: [&Case; 12] = [
    &listings::CASE,
    &search::SEARCH,
    &search::CATEGORY,
    &suggestions::CASE,
    &reviews::CASE,
    &apps::LIST,
    &apps::UPDATE,
    &board::LIST,
    &board::VOTE,
    &comments::CASE,
    &clients::CASE,
    &changelog::CASE,
];

/// A read of the service whose cost is measured without a hand-written handler.
pub(crate) struct Fixed {
    pub(crate) name: &'static str,
    caller: Caller,
    path: &'static str,
}

/// Reads that are the same in every version of the service.
pub(crate) static FIXED: [Fixed; 5] = [
    Fixed { name: "system_health", caller: Caller::Nobody, path: "/v1/system/health" },
    Fixed { name: "system_me", caller: Caller::Partner, path: "/v1/system/me" },
    Fixed {
        name: "partner_invitations_list (empty)",
        caller: Caller::Partner,
        path: "/v1/partner/0198bbbb-0000-7000-8000-000000000001/invitations",
    },
    Fixed {
        name: "admin_machine_clients_list (empty)",
        caller: Caller::Staff,
        path: "/v1/admin/machine-clients?q=none",
    },
    Fixed {
        name: "marketplace_listings_search (first page)",
        caller: Caller::Partner,
        path: "/v1/marketplace/public/listings",
    },
];

/// Caller of a request.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Caller {
    /// No token.
    Nobody,
    /// A machine client of a partner, which may also read the storefront.
    Partner,
    /// One of the machine clients of staff, in turns.
    Staff,
    /// A user of a partner, another one for each connection.
    Person,
}

/// Access tokens of all callers.
pub(crate) struct Tokens {
    /// The partner's client, then the clients of staff.
    pub(crate) clients: Vec<String>,
    people: Vec<Mutex<String>>,
}

impl Tokens {
    /// Signs everyone in. A user's token is valid for ten minutes, longer than a case takes.
    pub(crate) async fn issue(ground: &PreparedData, labs: &Running, people: &[Reader]) -> anyhow::Result<Arc<Self>> {
        let mut tokens = Self { clients: ground.tokens(labs).await?, people: Vec::new() };
        for person in people {
            tokens.people.push(person.sign_in(labs).await?.into());
        }
        Ok(Arc::new(tokens))
    }

    /// Replaces the token of the user at this place.
    pub(crate) fn renew(&self, place: usize, token: String) {
        if let Some(mut known) = self.people.get(place).and_then(|known| known.lock().ok()) {
            *known = token;
        }
    }

    fn of(&self, caller: Caller, at: &At<'_>) -> Option<String> {
        let (partner, staff) = self.clients.split_first()?;
        match caller {
            Caller::Nobody => None,
            Caller::Partner => Some(partner.clone()),
            Caller::Staff => staff.get((at.connection * 2 + at.n % 2) % staff.len().max(1)).cloned(),
            Caller::Person => Some(self.people.get(at.connection % self.people.len().max(1))?.lock().ok()?.clone()),
        }
    }

    fn add(&self, caller: Caller, at: &At<'_>, request: &mut Request<Full<Bytes>>) -> anyhow::Result<()> {
        if let Some(token) = self.of(caller, at) {
            let value = HeaderValue::from_str(&format!("Bearer {token}"))?;
            request.headers_mut().insert(header::AUTHORIZATION, value);
        }
        Ok(())
    }
}

impl Case {
    /// Returns the requests of this case.
    pub(crate) fn make(&'static self, numbers: Numbers, tokens: &Arc<Tokens>) -> Box<Make> {
        let tokens = Arc::clone(tokens);
        Box::new(move |at| {
            let mut request = (self.request)(&numbers, at)?;
            tokens.add(self.caller, at, &mut request)?;
            Ok(request)
        })
    }

    /// Rejects a case in which the two forms return different responses: a comparison of speed would mean nothing.
    pub(crate) async fn compare(&self, labs: &Running, hand: &Running, make: &Make) -> anyhow::Result<()> {
        let of_labs = load::answers(labs.address, make, COMPARED).await?;
        let of_hand = load::answers(hand.address, make, COMPARED).await?;
        for (labs, hand) in of_labs.iter().zip(&of_hand) {
            let difference = difference(&self.comparable(labs.json()?), &self.comparable(hand.json()?));
            anyhow::ensure!(difference.is_none(), "the forms answer differently: {}", difference.unwrap_or_default());
        }
        Ok(())
    }

    /// Removes what differs each time: the fields that the case names, and cursors, which are opaque.
    fn comparable(&self, mut answer: Value) -> Value {
        if let Some(object) = answer.as_object_mut() {
            object.retain(|name, _| !self.varying.contains(&name.as_str()));
        }
        if let Some(cursor) = answer.pointer_mut("/page/next_cursor") {
            *cursor = cursor.is_string().into();
        }
        answer
    }
}

/// Describes the first difference of two values; `None` if they are equal.
fn difference(labs: &Value, hand: &Value) -> Option<String> {
    let inside = |part: &str, labs: Option<&Value>, hand: Option<&Value>| {
        let found = difference(labs.unwrap_or(&Value::Null), hand.unwrap_or(&Value::Null))?;
        Some(format!("/{part}{found}"))
    };
    match (labs, hand) {
        (Value::Object(labs), Value::Object(hand)) if labs.keys().eq(hand.keys()) => {
            labs.keys().find_map(|name| inside(name, labs.get(name), hand.get(name)))
        }
        (Value::Array(labs), Value::Array(hand)) if labs.len() == hand.len() => {
            (0..labs.len()).find_map(|place| inside(&place.to_string(), labs.get(place), hand.get(place)))
        }
        _ => (labs != hand).then(|| format!(": the service answers {labs}, the hand-written handler {hand}")),
    }
}

impl Fixed {
    /// Returns the requests of this read.
    pub(crate) fn make(&'static self, tokens: &Arc<Tokens>) -> Box<Make> {
        let tokens = Arc::clone(tokens);
        Box::new(move |at| load::get(self.path, tokens.of(self.caller, at).as_deref()))
    }
}

/// Whether the command line selects a case or a fixed read.
pub(crate) fn is_named(cli: &Cli) -> bool {
    CASES.iter().map(|case| case.name).chain(FIXED.iter().map(|read| read.name)).any(|name| named(cli, name))
}

/// Measures all cases and fixed reads over the tables at their full size.
pub(crate) async fn all(ground: &PreparedData, cli: &Cli, report: &mut Report) -> anyhow::Result<()> {
    let (labs, hand) = (ground.form("labs").await?, ground.form("hand").await?);
    let people = Reader::register(ground, &labs).await?.colleagues(ground, CONNECTIONS).await?;
    let meter = Meter::of(&labs, ground).await?;
    let turn = Duration::from_secs(cli.seconds);
    let mut loaded = 0.0;
    for case in CASES.iter().filter(|case| named(cli, case.name)) {
        let make = case.make(ground.numbers(), &Tokens::issue(ground, &labs, &people).await?);
        let measured = tokio::select! {
            measured = measure(cli, (&labs, &hand), &meter, (case, &make)) => measured,
            ended = forget_limits(ground) => ended.map(|()| Measured::default()),
        };
        let measured = measured.map_err(|error| error.context(case.name))?;
        loaded += measured.labs.iter().map(|turn| turn.seconds).sum::<f64>();
        report.case(case, &measured)?;
    }
    let tokens = Tokens::issue(ground, &labs, &people).await?;
    for read in FIXED.iter().filter(|read| named(cli, read.name)) {
        let make = read.make(&tokens);
        load::turn(labs.address, &make, turn / 3).await?;
        let mut turns = Vec::new();
        for _ in 0..FIXED_TURNS {
            turns.push(measure_turn(&meter, labs.address, &make, turn).await?);
        }
        report.fixed(read.name, &turns)?;
    }
    loaded += load_longer(cli, &labs, &tokens, ground.numbers(), loaded).await?;
    report.memory(labs.megabytes().await?, loaded);
    Ok(())
}

/// Sends further requests of the reads until the service was under load for the minutes that the command line names.
/// Returns the additional seconds.
async fn load_longer(
    cli: &Cli,
    labs: &Running,
    tokens: &Arc<Tokens>,
    numbers: Numbers,
    loaded: f64,
) -> anyhow::Result<f64> {
    let (wanted, mut added) = (Duration::from_secs(cli.minutes * 60).as_secs_f64() - loaded, 0.0);
    // A user's token expires before the end of a long load.
    let reads = CASES.iter().filter(|case| named(cli, case.name) && !matches!(case.caller, Caller::Person));
    for case in reads.cycle() {
        if added >= wanted {
            break;
        }
        let make = case.make(numbers, tokens);
        added += load::turn(labs.address, &make, Duration::from_secs(cli.seconds)).await?.seconds;
    }
    Ok(added)
}

/// Measures one case after a comparison of the responses.
async fn measure(
    cli: &Cli,
    (labs, hand): (&Running, &Running),
    meter: &Meter,
    (case, make): (&Case, &Make),
) -> anyhow::Result<Measured> {
    let turn = Duration::from_secs(cli.seconds);
    case.compare(labs, hand, make).await?;
    let mut measured = Measured::default();
    load::turn(labs.address, make, turn / 3).await?;
    load::turn(hand.address, make, turn / 3).await?;
    for round in 0..cli.rounds.unwrap_or(ROUNDS) {
        // The form that runs second slows down because of the remaining work of the first. The order alternates, so
        // that each form runs second in half of the rounds.
        if round % 2 == 0 {
            measured.labs.push(measure_turn(meter, labs.address, make, turn).await?);
            measured.hand.push(load::turn(hand.address, make, turn).await?);
        } else {
            measured.hand.push(load::turn(hand.address, make, turn).await?);
            measured.labs.push(measure_turn(meter, labs.address, make, turn).await?);
        }
    }
    Ok(measured)
}

/// Runs one turn and adds the processor time of the service and of the database.
pub(crate) async fn measure_turn(
    meter: &Meter,
    address: std::net::SocketAddr,
    make: &Make,
    length: Duration,
) -> anyhow::Result<Turn> {
    let before = meter.read()?;
    let turn = load::turn(address, make, length).await?;
    Ok(Turn { used: meter.read()?.since(before), ..turn })
}

/// Measures three lists, to compare them over small and over large tables.
pub(crate) async fn lists(ground: &PreparedData, cli: &Cli, report: &mut Report) -> anyhow::Result<()> {
    if !named(cli, "list") {
        return Ok(());
    }
    let labs = ground.form("labs").await?;
    let meter = Meter::of(&labs, ground).await?;
    let token = ground.tokens(&labs).await?.swap_remove(0);
    for path in ["/v1/marketplace/apps", "/v1/marketplace/public/listings", "/v1/marketplace/public/listings?q=table"] {
        let token = token.clone();
        let make = move |_: &At<'_>| load::get(path, Some(&token));
        load::turn(labs.address, &make, Duration::from_secs(1)).await?;
        let turn = measure_turn(&meter, labs.address, &make, Duration::from_secs(cli.seconds)).await?;
        report.list(path, (ground.apps(), "apps"), turn)?;
    }
    Ok(())
}

/// Whether the command line selects a case or read with this name.
pub(crate) fn named(cli: &Cli, name: &str) -> bool {
    cli.only.as_ref().is_none_or(|only| name.contains(only.as_str()))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn first_difference_is_described_with_its_place() {
        let labs = json!({ "data": [{ "name": "a" }, { "name": "b" }], "page": null });
        assert_eq!(difference(&labs, &labs), None);
        let hand = json!({ "data": [{ "name": "a" }, { "name": "c" }], "page": null });
        let expected = r#"/data/1/name: the service answers "b", the hand-written handler "c""#;
        assert_eq!(difference(&labs, &hand).as_deref(), Some(expected));
        assert!(difference(&labs, &json!({ "data": [] })).unwrap().starts_with(": the service answers {"));
    }
}
