//! The benchmark cases: requests that every form answers, in turns.

use std::time::Duration;

use http::Request;
use http_body_util::Full;

use crate::Cli;
use crate::forms::Running;
use crate::ground::PreparedData;
use crate::load::{self, Make};
use crate::pgbench;
use crate::report::{Bars, Case, Report};

/// Default number of rounds of each case.
const ROUNDS: u32 = 8;

/// Work that every form does.
pub(crate) struct Work {
    pub(crate) name: &'static str,
    pub(crate) bars: Bars,
    pub(crate) make: Box<Make>,
    /// pgbench script, if pgbench can run the case.
    pub(crate) limit: Option<String>,
}

/// Measures the lists over small tables, to compare them with the same lists over large tables.
pub(crate) async fn small(ground: &PreparedData, cli: &Cli, report: &mut Report) -> anyhow::Result<()> {
    lists(ground, cli, report).await
}

/// Measures everything over the tables at their full size.
pub(crate) async fn all(ground: &PreparedData, cli: &Cli, report: &mut Report) -> anyhow::Result<()> {
    lists(ground, cli, report).await?;
    let (labs, hand) = (ground.form("labs").await?, ground.form("hand").await?);
    let tokens = ground.tokens(&labs).await?;
    let works: Vec<Work> = works(ground, &tokens)?.into_iter().filter(|work| named(cli, work.name)).collect();
    let turn = Duration::from_secs(cli.seconds);
    let mut loaded = 0.0;
    for work in &works {
        loaded += measure(ground, cli, (&labs, &hand), work, report).await?;
    }
    for work in works.iter().cycle() {
        let missing = Duration::from_secs(cli.minutes * 60).saturating_sub(Duration::from_secs_f64(loaded));
        if missing.is_zero() {
            break;
        }
        loaded += load::turn(labs.address, &work.make, missing.min(turn)).await?.seconds;
    }
    report.memory(labs.megabytes().await?, loaded);
    Ok(())
}

/// Measures one case: the service, the hand-written handlers, and pgbench if the case has a script for it. Returns the
/// seconds that the service was under load.
pub(crate) async fn measure(
    ground: &PreparedData,
    cli: &Cli,
    (labs, hand): (&Running, &Running),
    work: &Work,
    report: &mut Report,
) -> anyhow::Result<f64> {
    let turn = Duration::from_secs(cli.seconds);
    same(labs, hand, work).await?;
    let mut case = Case::new(work.name, work.bars);
    let mut loaded = load::turn(labs.address, &work.make, turn / 3).await?.seconds;
    load::turn(hand.address, &work.make, turn / 3).await?;
    for round in 0..cli.rounds.unwrap_or(ROUNDS) {
        // The form that runs after pgbench slows down because of the disk writes and the vacuum that pgbench caused.
        // The order alternates, so that each form runs there in half of the rounds.
        if round % 2 == 0 {
            case.labs.push(load::turn(labs.address, &work.make, turn).await?);
            case.hand.push(load::turn(hand.address, &work.make, turn).await?);
        } else {
            case.hand.push(load::turn(hand.address, &work.make, turn).await?);
            case.labs.push(load::turn(labs.address, &work.make, turn).await?);
        }
        if let Some(script) = &work.limit {
            case.limit.push(pgbench::turn(&ground.programs(), ground.database(), script, cli.seconds).await?);
        }
    }
    loaded += case.labs.iter().map(|turn| turn.seconds).sum::<f64>();
    report.case(case)?;
    Ok(loaded)
}

/// Rejects a case in which the two forms return different responses: a comparison of speed would mean nothing. Change
/// times and cursors may differ.
async fn same(labs: &Running, hand: &Running, work: &Work) -> anyhow::Result<()> {
    let mut answers = [load::once(labs.address, &work.make).await?, load::once(hand.address, &work.make).await?];
    for answer in &mut answers {
        if let Some(object) = answer.as_object_mut() {
            object.remove("updated_at");
            object.remove("page");
        }
        for secret in answer.get_mut("secrets").and_then(serde_json::Value::as_array_mut).into_iter().flatten() {
            *secret = serde_json::Value::Null;
        }
    }
    let [labs, hand] = answers;
    anyhow::ensure!(labs == hand, "{}: the forms answer differently:\n{labs}\n{hand}", work.name);
    Ok(())
}

pub(crate) fn named(cli: &Cli, name: &str) -> bool {
    cli.only.as_ref().is_none_or(|only| name.contains(only.as_str()))
}

async fn lists(ground: &PreparedData, cli: &Cli, report: &mut Report) -> anyhow::Result<()> {
    if !named(cli, "list") {
        return Ok(());
    }
    let labs = ground.form("labs").await?;
    let token = ground.tokens(&labs).await?.swap_remove(0);
    for path in ["/v1/marketplace/apps", "/v1/marketplace/public/listings", "/v1/marketplace/public/listings?q=table"] {
        let token = token.clone();
        let make = move |_: usize, _: usize| load::get(path, Some(&token));
        load::turn(labs.address, &make, Duration::from_secs(1)).await?;
        report.list(
            path,
            (ground.apps(), "apps"),
            load::turn(labs.address, &make, Duration::from_secs(cli.seconds)).await?,
        )?;
    }
    Ok(())
}

fn works(ground: &PreparedData, tokens: &[String]) -> anyhow::Result<Vec<Work>> {
    let (apps, first) = (ground.apps(), ground.own_app(0));
    let partner = tokens.first().cloned().unwrap_or_default();
    let (for_listing, for_apps, for_write) = (partner.clone(), partner.clone(), partner);
    let staff: Vec<String> = tokens.iter().skip(1).cloned().collect();
    Ok(vec![
        Work {
            name: "marketplace_listings_get",
            bars: Bars { rate: 0.85, aim: 1.5, p99: Some(1.0), limit: Some(0.33) },
            make: Box::new(move |connection, n| {
                let number = 1 + mixed(connection, n) % apps;
                load::get(&format!("/v1/marketplace/public/listings/app-{number}"), Some(&for_listing))
            }),
            limit: Some(pgbench::listing(apps)),
        },
        Work {
            name: "marketplace_apps_list",
            bars: Bars { rate: 0.85, aim: 0.95, p99: Some(1.0), limit: None },
            make: Box::new(move |_, _| load::get("/v1/marketplace/apps", Some(&for_apps))),
            limit: Some(pgbench::apps_list()?),
        },
        Work {
            name: "marketplace_apps_update",
            bars: Bars { rate: 0.90, aim: 0.95, p99: Some(1.0), limit: None },
            make: Box::new(move |connection, n| {
                // Three apps per connection, so that no connection waits for another's row.
                let number = first * u32::try_from(1 + connection * 3 + n % 3)?;
                let body = format!(r#"{{"tagline":"Takes orders, edition {n}"}}"#);
                Ok(Request::patch(format!("/v1/marketplace/apps/0198aaaa-0000-7000-8000-{number:012x}"))
                    .header("host", "bench")
                    .header("authorization", format!("Bearer {for_write}"))
                    .header("content-type", "application/json")
                    .body(Full::from(body))?)
            }),
            limit: Some(pgbench::apps_update(first)?),
        },
        Work {
            name: "admin_machine_clients_get (audited)",
            // The other form writes no audit record.
            bars: Bars { rate: 0.40, aim: 0.50, p99: None, limit: None },
            make: Box::new(move |connection, n| {
                let token = staff.get((connection * 2 + n % 2) % staff.len().max(1)).map(String::as_str);
                let number = 1 + mixed(connection, n) % 200;
                load::get(&format!("/v1/admin/machine-clients/0198ffff-0000-7000-8000-{number:012x}"), token)
            }),
            limit: None,
        },
    ])
}

/// Returns a pseudo-random number that is the same in every turn.
pub(crate) fn mixed(connection: usize, n: usize) -> u32 {
    let mut bits = (connection as u64) << 32 | (n as u64 & 0xffff_ffff);
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    (bits >> 33) as u32
}
