//! The board's page and a vote: a page takes two statements; a vote takes a transaction that ends by reading the
//! feature request.

use std::collections::BTreeMap;

use axum::Json;
use axum::extract::{Path, State};
use axum::http::{HeaderMap, StatusCode};
use axum::routing::{get, put};
use http::Method;
use labs_schema::Engine;
use labs_schema::scope::Scope;
use labs_schema::time::Time;
use serde::{Deserialize, Serialize};
use sqlx::types::Json as Column;
use sqlx::{FromRow, PgConnection};
use uuid::Uuid;

use super::{List, Page, Refusal, authenticate};
use crate::board::id;
use crate::cases::{Caller, Case};
use crate::load;
use crate::statements::Statement;

/// The first page of the board.
pub(crate) static LIST: Case = Case {
    name: "engagement_feature_requests_list",
    bar: 0.9,
    caller: Caller::Person,
    route: "/v1/engagement/feature-requests",
    handler: || get(list),
    request: |_, _| load::get("/v1/engagement/feature-requests", None),
    varying: &[],
};

/// A vote that is cast and withdrawn in turn. Each connection has a separate user and three feature requests, so that
/// no connection waits for another's row.
pub(crate) static VOTE: Case = Case {
    name: "engagement_votes_cast and withdraw",
    bar: 0.9,
    caller: Caller::Person,
    route: "/v1/engagement/feature-requests/{uuid}/vote",
    handler: || put(cast).delete(withdraw),
    request: |_, at| {
        let number = u32::try_from(at.connection * 3 + at.n / 2 % 3)? * 100 + 12;
        let method = if at.n.is_multiple_of(2) { Method::PUT } else { Method::DELETE };
        load::request(method, &format!("/v1/engagement/feature-requests/{}/vote", id(number)), None, None)
    },
    varying: &[],
};

static PAGE: Statement = Statement::with(&[
    "left(r.body, 1000) as excerpt",
    "where (r.shown) order by r.pin desc, r.votes desc, r.request_uuid desc limit 21",
]);
static ONE: Statement = Statement::with(&[
    "left(r.body, 1000) as excerpt",
    "r.request_uuid = $1 and r.suspended_at is null and root.suspended_at is null",
]);
static STANDING: Statement =
    Statement::with(&["with ordinality as asked (root_uuid, person_uuid, voter, follower, place)"]);
static CAST: Statement = Statement::with(&["from board_cast($1, $2, $3, $4)"]);
static WITHDRAW: Statement = Statement::with(&["from board_withdraw($1, $2, $3)"]);
/// Statements of this file.
#[cfg(test)]
pub(crate) static STATEMENTS: [&Statement; 5] = [&PAGE, &ONE, &STANDING, &CAST, &WITHDRAW];

/// Counts a vote against the user's daily maximum. The day comes from PostgreSQL here; the service binds it in a
/// separate type.
const SPEND: &str = "insert into board_vote_budget as b (day, voter) values ((labs_now() at time zone 'UTC')::date, $1)
    on conflict on constraint board_vote_budget_pkey do update set votes = b.votes + 1 where b.votes < $2";

/// Maximum votes that a user casts per day.
const MOST_VOTES: i32 = 200;

/// Statuses in which a feature request takes votes.
const VOTABLE: [&str; 5] = ["OPEN", "UNDER_REVIEW", "PLANNED", "IN_PROGRESS", "DECLINED"];

/// The caller, and the keys under which their votes and follows are stored.
pub(super) struct Person {
    pub(super) uuid: Uuid,
    pub(super) partner_uuid: Option<Uuid>,
    voter: [u8; 32],
    follower: [u8; 32],
}

impl Person {
    pub(super) async fn of(engine: &Engine, headers: &HeaderMap, scope: &'static str) -> Result<Self, Refusal> {
        let principal = authenticate(engine, headers).await?;
        let scope = Scope::parse(scope).ok_or(Refusal(StatusCode::INTERNAL_SERVER_ERROR))?;
        principal.require(scope).map_err(|_| Refusal(StatusCode::FORBIDDEN))?;
        let (key, uuid) = (&engine.services().key, principal.uuid);
        let pseudonym = |purpose: &str| key.mac(purpose, uuid.as_bytes());
        let (voter, follower) = (pseudonym("board-voter"), pseudonym("board-follower"));
        Ok(Self { uuid, partner_uuid: principal.partner_uuid, voter, follower })
    }
}

async fn list(State(engine): State<Engine>, headers: HeaderMap) -> Result<Json<List<Summary>>, Refusal> {
    let person = Person::of(&engine, &headers, "engagement.feature-requests").await?;
    let mut connection = engine.pool().acquire().await?;
    let mut rows: Vec<RequestRow> = sqlx::query_as(PAGE.text()?).fetch_all(&mut *connection).await?;
    let page = Page::cut(&mut rows, |row| format!("{}~{}~{}", row.pin, row.votes, row.uuid));
    let standings = standings(&mut connection, &person, rows.iter().map(|row| row.root_uuid).collect()).await?;
    drop(connection);
    let data = rows.into_iter().zip(standings).map(|(row, standing)| row.summary(person.uuid, standing)).collect();
    Ok(Json(List { data, page }))
}

async fn cast(
    State(engine): State<Engine>,
    headers: HeaderMap,
    Path(uuid): Path<Uuid>,
) -> Result<Json<Request>, Refusal> {
    let person = Person::of(&engine, &headers, "engagement.feature-requests:write").await?;
    let mut transaction = engine.pool().begin().await?;
    let vote = sqlx::query_as(CAST.text()?).bind(uuid).bind(person.uuid).bind(person.voter.as_slice());
    let facts: VoteFacts = vote.bind(VOTABLE.as_slice()).fetch_one(&mut *transaction).await?;
    if facts.is_changed {
        let today = engine.services().clock.now().0.to_string();
        let named = [person.uuid.as_bytes().as_slice(), today.as_bytes().get(..10).unwrap_or_default()].concat();
        let of_day = engine.services().key.mac("board-voter-of-day", &named);
        let spent = sqlx::query(SPEND).bind(of_day.as_slice()).bind(MOST_VOTES).execute(&mut *transaction);
        if spent.await?.rows_affected() == 0 {
            return Err(Refusal(StatusCode::TOO_MANY_REQUESTS));
        }
    }
    facts.ensure(facts.had_voted || facts.is_changed)?;
    let request = request(&mut transaction, &person, uuid).await?;
    transaction.commit().await?;
    Ok(Json(request))
}

async fn withdraw(
    State(engine): State<Engine>,
    headers: HeaderMap,
    Path(uuid): Path<Uuid>,
) -> Result<Json<Request>, Refusal> {
    let person = Person::of(&engine, &headers, "engagement.feature-requests:write").await?;
    let mut transaction = engine.pool().begin().await?;
    let vote = sqlx::query_as(WITHDRAW.text()?).bind(uuid).bind(person.uuid).bind(person.voter.as_slice());
    let facts: VoteFacts = vote.fetch_one(&mut *transaction).await?;
    facts.ensure(true)?;
    let request = request(&mut transaction, &person, uuid).await?;
    transaction.commit().await?;
    Ok(Json(request))
}

async fn request(connection: &mut PgConnection, person: &Person, uuid: Uuid) -> Result<Request, Refusal> {
    let row: Option<RequestRow> = sqlx::query_as(ONE.text()?).bind(uuid).fetch_optional(&mut *connection).await?;
    let mut row = row.ok_or(Refusal(StatusCode::NOT_FOUND))?;
    let standings = standings(connection, person, vec![row.root_uuid]).await?;
    let (body, body_html) = (row.body.take().unwrap_or_default(), row.body_html.take().unwrap_or_default());
    let summary = row.summary(person.uuid, standings.first().copied().unwrap_or_default());
    Ok(Request { summary, body, body_html })
}

/// Loads, in order, whether a user voted for and follows these feature requests.
async fn standings(connection: &mut PgConnection, person: &Person, roots: Vec<Uuid>) -> Result<Vec<Standing>, Refusal> {
    let many = roots.len();
    let rows: Vec<StandingRow> = sqlx::query_as(STANDING.text()?)
        .bind(roots)
        .bind(vec![person.uuid; many])
        .bind(vec![person.voter.as_slice(); many])
        .bind(vec![person.follower.as_slice(); many])
        .fetch_all(connection)
        .await?;
    let mut standings = vec![Standing::default(); many];
    for row in rows {
        let place = usize::try_from(row.place - 1).ok();
        if let Some(standing) = place.and_then(|place| standings.get_mut(place)) {
            *standing = Standing { voted: row.voted, followed: row.followed };
        }
    }
    Ok(standings)
}

/// Facts about a feature request and a user's vote, read under the lock of the feature request.
#[derive(FromRow)]
struct VoteFacts {
    #[sqlx(rename = "is_on_board!")]
    is_on_board: bool,
    #[sqlx(rename = "is_merged!")]
    is_merged: bool,
    #[sqlx(rename = "had_voted!")]
    had_voted: bool,
    #[sqlx(rename = "is_changed!")]
    is_changed: bool,
}

impl VoteFacts {
    /// Rejects a change of a feature request that is missing, merged, or takes no votes.
    const fn ensure(&self, takes_vote: bool) -> Result<(), Refusal> {
        match self {
            Self { is_on_board: false, .. } => Err(Refusal(StatusCode::NOT_FOUND)),
            Self { is_merged: true, .. } => Err(Refusal(StatusCode::CONFLICT)),
            _ if !takes_vote => Err(Refusal(StatusCode::CONFLICT)),
            _ => Ok(()),
        }
    }
}

#[derive(FromRow)]
struct RequestRow {
    uuid: Uuid,
    title: String,
    excerpt: String,
    body: Option<String>,
    body_html: Option<String>,
    topic: Option<Column<Topic>>,
    status: String,
    status_at: Time,
    votes: i32,
    comments_count: i32,
    proposed_by: Column<Author>,
    author_uuid: Uuid,
    pin: i16,
    locked: bool,
    root_uuid: Uuid,
    changelog_entry: Option<Column<Entry>>,
    edited_at: Option<Time>,
    active_at: Time,
    created_at: Time,
}

/// A user's vote and follow for the feature request at this position (from 1) in the input.
#[derive(FromRow)]
struct StandingRow {
    #[sqlx(rename = "place!")]
    place: i64,
    #[sqlx(rename = "voted!")]
    voted: bool,
    #[sqlx(rename = "followed!")]
    followed: bool,
}

/// Whether a user voted for a feature request, and whether they follow it.
#[derive(Clone, Copy, Default)]
struct Standing {
    voted: bool,
    followed: bool,
}

#[derive(Deserialize, Serialize)]
struct Topic {
    uuid: Uuid,
    names: BTreeMap<String, String>,
}

/// Author of an entry on the board.
#[derive(Deserialize, Serialize)]
pub(super) struct Author {
    partner_uuid: Option<Uuid>,
    company_name: Option<String>,
    person_name: Option<String>,
}

#[derive(Deserialize, Serialize)]
struct Entry {
    uuid: Uuid,
    slug: String,
    title: String,
}

#[derive(Serialize)]
struct Summary {
    uuid: Uuid,
    title: String,
    excerpt: String,
    topic: Option<Topic>,
    status: String,
    status_at: Time,
    votes: i32,
    voted: bool,
    followed: bool,
    mine: bool,
    comments_count: i32,
    proposed_by: Author,
    pinned: bool,
    locked: bool,
    merged_into_uuid: Option<Uuid>,
    changelog_entry: Option<Entry>,
    edited_at: Option<Time>,
    active_at: Time,
    created_at: Time,
    allowed_actions: Vec<&'static str>,
}

#[derive(Serialize)]
struct Request {
    #[serde(flatten)]
    summary: Summary,
    body: String,
    body_html: String,
}

impl RequestRow {
    fn summary(self, person_uuid: Uuid, standing: Standing) -> Summary {
        let mine = self.author_uuid == person_uuid;
        Summary {
            allowed_actions: self.actions(mine, standing),
            uuid: self.uuid,
            title: self.title,
            excerpt: labs_schema::markdown::extract_excerpt(&self.excerpt),
            topic: self.topic.map(|topic| topic.0),
            status: self.status,
            status_at: self.status_at,
            votes: self.votes,
            voted: standing.voted,
            followed: standing.followed,
            mine,
            comments_count: self.comments_count,
            proposed_by: self.proposed_by.0,
            pinned: self.pin > 0,
            locked: self.locked,
            merged_into_uuid: (self.root_uuid != self.uuid).then_some(self.root_uuid),
            changelog_entry: self.changelog_entry.map(|entry| entry.0),
            edited_at: self.edited_at,
            active_at: self.active_at,
            created_at: self.created_at,
        }
    }

    fn actions(&self, mine: bool, standing: Standing) -> Vec<&'static str> {
        let is_whole = self.root_uuid == self.uuid;
        let actions = [
            ("edit", mine && is_whole && self.status == "OPEN"),
            ("vote", is_whole && self.status != "SHIPPED" && !standing.voted),
            ("withdraw-vote", is_whole && standing.voted),
            ("follow", is_whole && !standing.followed),
            ("unfollow", is_whole && standing.followed),
            ("comment", is_whole && !self.locked),
            ("report", !mine),
        ];
        actions.into_iter().filter_map(|(action, is_possible)| is_possible.then_some(action)).collect()
    }
}
