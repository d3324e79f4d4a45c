//! A mock of the platform's API, and a service that imports from it.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::{Path, RawQuery, State};
use axum::response::{IntoResponse, Redirect, Response};
use futures_util::StreamExt as _;
use http::HeaderMap;
use labs_schema::jobs::statistics::Day;
use serde_json::{Value, json};
use tokio::net::TcpListener;
use uuid::Uuid;

use crate::harness::people::Person;
use crate::harness::{Answer, Call, Harness, ROOMY};

/// Behaviour of the mock.
#[derive(Clone, Debug, Default)]
pub(super) enum Mood {
    /// Returns its data.
    #[default]
    Well,
    /// Responds after the timeout.
    Slow,
    /// Sends only a part of the announced body.
    CutOff,
    /// Sends a body above the size limit.
    Huge,
    /// Redirects.
    Redirect,
    /// Sends a page whose next link is the page itself.
    Circle,
    /// Sends this text with this media type.
    Text(&'static str, String),
    /// Sends this status.
    Status(u16),
}

/// Data of one day: apps and partners.
#[derive(Clone, Debug, Default)]
pub(super) struct Reported {
    pub(super) apps: Vec<(String, i64)>,
    pub(super) partners: Vec<(String, i64)>,
}

#[derive(Default)]
struct Known {
    days: BTreeMap<String, Reported>,
    mood: Mood,
    /// Behaviour for individual days.
    moods: BTreeMap<String, Mood>,
    asked: Vec<String>,
    tokens: Vec<String>,
}

/// The platform's API on the local machine.
#[derive(Clone, Default)]
pub(super) struct PlatformApi(Arc<Mutex<Known>>);

impl PlatformApi {
    /// Serves on a free port and returns its URL.
    async fn serve(&self) -> String {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let router =
            Router::new().route("/api/v1/app-usage/days/{day}", axum::routing::get(answer)).with_state(self.clone());
        tokio::spawn(async move { axum::serve(listener, router).await });
        format!("http://{address}/api")
    }

    /// Sets the data of a day.
    pub(super) fn report(&self, day: Day, apps: &[(&str, i64)], partners: &[(&str, i64)]) {
        let owned = |rows: &[(&str, i64)]| rows.iter().map(|(uuid, count)| ((*uuid).to_owned(), *count)).collect();
        let reported = Reported { apps: owned(apps), partners: owned(partners) };
        self.0.lock().unwrap().days.insert(day.to_string(), reported);
    }

    /// Sets the behaviour.
    pub(super) fn mood(&self, mood: Mood) {
        self.0.lock().unwrap().mood = mood;
    }

    /// Sets the behaviour for requests of this day.
    pub(super) fn mood_of(&self, day: Day, mood: Mood) {
        self.0.lock().unwrap().moods.insert(day.to_string(), mood);
    }

    /// Returns the requested days, once per request.
    pub(super) fn asked(&self) -> Vec<String> {
        self.0.lock().unwrap().asked.clone()
    }

    /// Returns the received tokens.
    pub(super) fn tokens(&self) -> Vec<String> {
        self.0.lock().unwrap().tokens.clone()
    }
}

/// Sends two apps per page, and the partners with the last page.
async fn answer(
    State(api): State<PlatformApi>,
    Path(day): Path<String>,
    RawQuery(query): RawQuery,
    headers: HeaderMap,
) -> Response {
    let begin: usize = query.map_or(0, |query| query.strip_prefix("cursor=").unwrap().parse().unwrap());
    let (reported, mood) = {
        let mut known = api.0.lock().unwrap();
        if begin == 0 {
            known.asked.push(day.clone());
        }
        known.tokens.push(headers["authorization"].to_str().unwrap().to_owned());
        let mood = known.moods.get(&day).unwrap_or(&known.mood).clone();
        (known.days.get(&day).cloned().unwrap_or_default(), mood)
    };
    let page = |apps: &[(String, i64)], next: Value, partners: Value| {
        let data: Vec<Value> =
            apps.iter().map(|(uuid, customers)| json!({ "app_uuid": uuid, "customers": customers })).collect();
        json!({ "day": day, "is_complete": true, "data": data, "partners": partners, "page": { "next_cursor": next } })
    };
    let json = |text: String| ([("content-type", "application/json")], text).into_response();
    match mood {
        Mood::Well => {
            let end = (begin + 2).min(reported.apps.len());
            let (apps, is_last) = (&reported.apps[begin..end], end == reported.apps.len());
            let partners = reported.partners.iter().filter(|_| is_last);
            let partners: Vec<Value> =
                partners.map(|(uuid, customers)| json!({ "partner_uuid": uuid, "customers": customers })).collect();
            let next = if is_last { Value::Null } else { end.to_string().into() };
            json(page(apps, next, partners.into()).to_string())
        }
        Mood::Slow => {
            tokio::time::sleep(Duration::from_secs(8)).await;
            json(page(&[], Value::Null, json!([])).to_string())
        }
        Mood::CutOff => {
            let whole = page(&reported.apps, Value::Null, json!([])).to_string();
            let part = whole[..whole.len() / 2].to_owned();
            let pieces =
                futures_util::stream::iter([Ok(part), Err(std::io::Error::other("cut off"))]).then(|piece| async {
                    tokio::time::sleep(Duration::from_millis(50)).await;
                    piece
                });
            ([("content-type", "application/json")], Body::from_stream(pieces)).into_response()
        }
        Mood::Huge => json(format!("{}{}", " ".repeat(8 * 1024 * 1024), page(&[], Value::Null, json!([])))),
        Mood::Redirect => Redirect::temporary("http://127.0.0.1:1/elsewhere").into_response(),
        Mood::Circle => json(page(&[], "1".into(), json!([])).to_string()),
        Mood::Text(media_type, text) => ([("content-type", media_type)], text).into_response(),
        Mood::Status(status) => http::StatusCode::from_u16(status).unwrap().into_response(),
    }
}

/// A service that imports from the mock, with a partner on a tier that grants statistics.
pub(super) struct Office {
    pub(super) harness: Harness,
    pub(super) platform: PlatformApi,
    pub(super) owner: Person,
    pub(super) staff: Person,
    flags: Vec<String>,
    _folder: tempfile::TempDir,
}

impl Office {
    /// Creates one whose imports start this many days before today.
    pub(super) async fn new(days: i32) -> Self {
        Self::with(days, |_| {}).await
    }

    /// Creates one with a mock that is prepared before the first request.
    pub(super) async fn with(days: i32, prepare: impl Fn(&PlatformApi)) -> Self {
        let platform = PlatformApi::default();
        prepare(&platform);
        let folder = tempfile::tempdir().unwrap();
        let token = folder.path().join("token");
        std::fs::write(&token, "platform-secret\n").unwrap();
        let (token, url) = (token.to_str().unwrap().to_owned(), platform.serve().await);
        let begin = ago(days).to_string();
        let own = ["--statistics-url", &url, "--statistics-token-file", &token, "--statistics-from", &begin];
        let flags = own.into_iter().chain(["--statistics-allow-private"]).chain(ROOMY.iter().copied());
        let flags: Vec<String> = flags.map(str::to_owned).collect();
        let harness = Harness::with(&flags.iter().map(String::as_str).collect::<Vec<_>>()).await;
        let (owner, staff) = people(&harness).await;
        Self { harness, platform, owner, staff, flags, _folder: folder }
    }

    /// Starts another replica.
    pub(super) async fn twin(&self) -> Harness {
        self.harness.twin(&self.flags.iter().map(String::as_str).collect::<Vec<_>>()).await
    }

    /// Creates an app of the owner.
    pub(super) async fn app(&self, name: &str) -> String {
        let made = self.harness.call("marketplace_apps_create").token(&self.owner.token).json(&json!({ "name": name }));
        made.expect(201).await.str("uuid").to_owned()
    }

    /// Starts a call of the owner.
    pub(super) fn own(&self, operation: &str) -> Call<'_> {
        self.harness.call(operation).token(&self.owner.token)
    }

    /// Starts a call of the owner about an app.
    pub(super) fn of(&self, operation: &str, app: &str) -> Call<'_> {
        self.own(operation).path("app_uuid", app)
    }

    /// Starts a call of a staff member.
    pub(super) fn desk(&self, operation: &str) -> Call<'_> {
        self.harness.call(operation).token(&self.staff.token)
    }

    /// Waits until no completed day is missing and no import is running.
    pub(super) async fn settled(&self) {
        self.harness.until("select count(*) from statistic_missing_day", 0).await;
        self.harness.until("select count(*) from statistic_import where state in ('QUEUED', 'RUNNING')", 0).await;
    }

    /// Requests an import of days, waits until the service has requested them, and returns the import.
    pub(super) async fn import(&self, days: &[Day]) -> Answer {
        let body = json!({ "days": days });
        let begun = self.desk("admin_statistics_imports_start").json(&body).expect(201).await;
        self.ended(begun.str("uuid")).await
    }

    /// Waits until an import has ended and returns it.
    pub(super) async fn ended(&self, import: &str) -> Answer {
        let ended =
            format!("select count(*) from statistic_import where import_uuid = '{import}' and ended_at is not null");
        self.harness.until(&ended, 1).await;
        self.desk("admin_statistics_imports_get").path("import_uuid", import).expect(200).await
    }
}

/// Returns a partner's administrator whose tier grants statistics, and a staff member.
pub(super) async fn people(harness: &Harness) -> (Person, Person) {
    let owner = harness.partner("Nordsee Kassen").await;
    harness.sql("update tier set burst_per_second = 100000").await;
    grant(harness, owner.partner_uuid.unwrap()).await;
    let scopes = ["labs.admin.statistics:write", "labs.admin.apps:write", "labs.admin.audit"];
    let staff = harness.staff("Stella Statistik", &scopes).await;
    // Revoked rights take effect within a second.
    harness
        .soon("the tier's scopes", || async {
            harness.call("statistics_apps_list").token(&owner.token).send().await.status == 200
        })
        .await;
    (owner, staff)
}

/// Returns the day this many days before today, in UTC.
pub(super) fn ago(days: i32) -> Day {
    Day::of(labs_schema::time::Clock::default().now()).plus(-days)
}

/// Moves a partner to a tier that grants statistics.
pub(super) async fn grant(harness: &Harness, partner: Uuid) {
    let scale = "(select tier_uuid from tier where code = 'SCALE')";
    harness.sql(&format!("update subscription set tier_uuid = {scale} where partner_uuid = '{partner}'")).await;
}
