//! Test that followers of events miss and repeat none, in the order of the changes of each thing, while eight writers
//! write and the processes that serve them are killed.

use std::collections::HashMap;
use std::time::Duration;

use serde_json::{Value, json};

use super::killed::{KilledService, Request};
use super::{count, figure};
use crate::harness::Harness;
use crate::harness::people::Person;
use crate::harness::random::{Random, seed};
use crate::partner::followed_events::Followed;

const WRITERS: u64 = 8;
const APPS: usize = 3;

/// Numbers the events of each thing under a lock that is held until the commit, so the numbers are the order of the
/// changes. It runs after the trigger of positions, by name, and after the change itself.
const ORDER: &str = "
    create table thing_number (thing text primary key, number bigint not null);
    create table event_number (event_uuid uuid primary key, number bigint not null);
    create function numbered() returns trigger language plpgsql security definer set search_path = public as $$
        declare
            given bigint;
            of_thing text := tg_table_name || coalesce(to_jsonb(new) ->> 'app_uuid', to_jsonb(new) ->> 'partner_uuid');
    begin
        insert into thing_number values (of_thing, 1)
        on conflict (thing) do update set number = thing_number.number + 1 returning number into given;
        insert into event_number values (new.event_uuid, given);
        return null;
    end $$;
    create trigger zz_numbered after insert on app_event for each row execute function numbered();
    create trigger zz_numbered after insert on partner_event for each row execute function numbered();
    create trigger zz_numbered after insert on subscription_event for each row execute function numbered()";

/// Writes until the last kill: changes of shared apps, of the account and of the subscription, and staff access.
async fn write(service: &KilledService<'_>, owner: &Person, staff: &Person, apps: &[String], writer: u64) -> usize {
    let (mut random, mut written) = (Random(seed() ^ writer), 0);
    let partner = owner.partner_uuid.unwrap();
    while !service.has_ended() {
        let text = format!("By {writer}, {}", random.below(1 << 40));
        let (method, path, token, body) = match random.below(6) {
            0 => ("PATCH", format!("/v1/partner/{partner}"), &owner.token, Some(json!({ "legal_form": text }))),
            1 => {
                let path = format!("/v1/admin/partners/{partner}/entitlements/apps");
                (
                    "PUT",
                    path,
                    &staff.token,
                    Some(
                        json!({ "limit": random.below(1000) + 10, "reason": text, "expires_at": "2037-12-31T00:00:00Z" }),
                    ),
                )
            }
            2 => ("GET", format!("/v1/admin/partners/{partner}"), &staff.token, None),
            _ => {
                let app = &apps[usize::try_from(random.below(APPS as u64)).unwrap()];
                ("PATCH", format!("/v1/marketplace/apps/{app}"), &owner.token, Some(json!({ "tagline": text })))
            }
        };
        let answered = service.ask(random.below(2), &Request { method, path: path.clone(), token, body }).await;
        if let Some((status, body)) = answered {
            assert!([200, 201, 409, 503].contains(&status), "{method} {path} answered {status}: {body}");
            written += usize::from(status < 300);
        }
    }
    written
}

/// Follows a list until the last kill. It stores its cursor only sometimes and continues from the stored one, as a
/// client that is interrupted. Returns the events that it stored with its cursor.
async fn follow(
    service: &KilledService<'_>,
    owner: &Person,
    list: Followed<'_>,
    follower: u64,
) -> (Vec<Value>, Option<String>) {
    let path = match list {
        Followed::Account => format!("/v1/partner/{}/events", owner.partner_uuid.unwrap()),
        Followed::Subscription => "/v1/subscription/events".to_owned(),
        Followed::App(app) => format!("/v1/marketplace/apps/{app}/events"),
    };
    let mut random = Random(seed() ^ (1000 + follower));
    let (mut stored, mut live) = ((Vec::new(), None::<String>), (Vec::new(), None::<String>));
    while !service.has_ended() {
        let cursor = live.1.iter().map(|cursor| format!("&cursor={cursor}")).collect::<String>();
        let path = format!("{path}?sort=position&limit={}{cursor}", random.below(7) + 1);
        let request = Request { method: "GET", path, token: &owner.token, body: None };
        match service.ask(random.below(2), &request).await {
            Some((200, page)) => {
                live.0.extend(page["data"].as_array().unwrap().iter().cloned());
                live.1 = Some(page["page"]["next_cursor"].as_str().unwrap().to_owned());
            }
            Some((503, _)) | None => {}
            Some((status, body)) => panic!("{list:?} answered {status}: {body}"),
        }
        match random.below(10) {
            0 => live = stored.clone(),
            1..=3 => stored = live.clone(),
            _ => tokio::time::sleep(Duration::from_millis(random.below(20))).await,
        }
    }
    live
}

/// Asserts that a follower has each event of the list once, and the events of one thing in the order of its changes.
fn assert_complete(list: Followed<'_>, followed: &[Value], all: &[Value], numbers: &HashMap<String, i64>) {
    let uuids = |events: &[Value]| -> Vec<String> {
        events.iter().map(|event| event["uuid"].as_str().unwrap().to_owned()).collect()
    };
    let by_uuid = |events: &[Value]| -> HashMap<String, Value> {
        uuids(events).into_iter().zip(events.iter().cloned()).collect()
    };
    let (seed, seen) = (seed(), by_uuid(followed));
    assert_eq!(seen.len(), followed.len(), "{list:?} repeats an event, LABS_SEED={seed}");
    assert_eq!(seen, by_uuid(all), "{list:?} differs from the list newest first, LABS_SEED={seed}");
    let mut last: HashMap<String, i64> = HashMap::new();
    for event in followed {
        let Some(number) = numbers.get(event["uuid"].as_str().unwrap()) else { continue };
        let before = last.insert(event["group"].to_string(), *number);
        assert!(before < Some(*number), "{list:?} has {event} too late, LABS_SEED={seed}");
    }
}

#[tokio::test]
async fn killed_service_loses_and_repeats_no_event_of_eight_writers() {
    let harness = Harness::new().await;
    harness.sql("update tier set burst_per_second = 1000000, daily_requests = 1000000000").await;
    let owner = harness.partner("Nordsee Kassen").await;
    let staff = harness.staff("Jonas Okafor", &["labs.admin.partners:write", "labs.admin.subscriptions:write"]).await;
    let mut apps = Vec::new();
    for number in 0..APPS {
        let body = json!({ "name": format!("Pilot {number}") });
        let made = harness.call("marketplace_apps_create").token(&owner.token).json(&body).expect(201).await;
        apps.push(made.str("uuid").to_owned());
    }
    harness.sql(ORDER).await;
    let (service, processes) = KilledService::start(&harness).await;
    let lists: Vec<Followed<'_>> = [Followed::Account, Followed::Subscription]
        .into_iter()
        .chain(apps.iter().map(|app| Followed::App(app)))
        .collect();
    let write = (0..WRITERS).map(|writer| write(&service, &owner, &staff, &apps, writer));
    let follow = lists.iter().zip(0..).map(|(list, follower)| follow(&service, &owner, *list, follower));
    let (written, followed, ()) = tokio::join!(
        futures_util::future::join_all(write),
        futures_util::future::join_all(follow),
        service.kill_repeatedly(processes, count(4, 40)),
    );
    let numbers: Vec<(String, i64)> = sqlx::query_as("select event_uuid::text, number from event_number")
        .fetch_all(&mut harness.owner().await)
        .await
        .unwrap();
    let numbers: HashMap<String, i64> = numbers.into_iter().collect();
    let mut events = 0;
    for (list, (mut seen, cursor)) in lists.into_iter().zip(followed) {
        seen.extend(list.read(&harness, &owner, cursor, 7).await.0);
        assert_complete(list, &seen, &list.newest_first(&harness, &owner).await, &numbers);
        events += seen.len();
    }
    let written: usize = written.iter().sum();
    let [kills, cut] = service.figures();
    assert!(written > 50, "{written}");
    figure(&format!(
        "{WRITERS} writers, {written} acknowledged writes, {kills} kills, {cut} requests cut: followers of {} lists read \
         {events} events, none missing, none twice, each thing's in order",
        APPS + 2
    ));
}
