//! The board's page and a vote as an engineer would write them by hand: a page takes two statements; a vote takes a
//! transaction that ends by reading the feature request.

use std::sync::Arc;

use axum::extract::{Path, State};
use axum::http::{HeaderMap, StatusCode};
use axum::routing::{get, put};
use axum::{Json, Router};
use labs_schema::Engine;
use labs_schema::scope::Scope;
use serde::Serialize;
use sqlx::PgConnection;
use uuid::Uuid;

use crate::hand::{Page, Refusal, authenticate};
use crate::rows_of_board::{Request, RequestRow, RequestSummary, StandingRow, VoteStatus};
use crate::statements;

/// Maximum votes that a user casts per day.
const MOST_VOTES: i32 = 200;

struct Board {
    engine: Engine,
    page: &'static str,
    one: &'static str,
    standing: &'static str,
    cast: &'static str,
    withdraw: &'static str,
    spend: &'static str,
}

/// Returns the router of the handlers.
pub(crate) fn router(engine: Engine) -> anyhow::Result<Router> {
    let board = Arc::new(Board {
        engine,
        page: statements::board()?,
        one: statements::feature_request()?,
        standing: statements::standing()?,
        cast: statements::cast()?,
        withdraw: statements::withdraw()?,
        spend: statements::spend_vote()?,
    });
    Ok(Router::new()
        .route("/v1/engagement/feature-requests", get(list))
        .route("/v1/engagement/feature-requests/{uuid}/vote", put(cast).delete(withdraw))
        .with_state(board))
}

/// The caller, and the key under which their votes and follows are stored.
struct Person {
    uuid: Uuid,
    voter: [u8; 32],
    follower: [u8; 32],
}

impl Person {
    async fn of(engine: &Engine, headers: &HeaderMap, scope: &'static str) -> Result<Self, Refusal> {
        let principal = authenticate(engine, headers).await?;
        let scope = Scope::parse(scope).ok_or(Refusal(StatusCode::INTERNAL_SERVER_ERROR))?;
        principal.require(scope).map_err(|_| Refusal(StatusCode::FORBIDDEN))?;
        let (key, uuid) = (&engine.services().key, principal.uuid);
        let pseudonym = |purpose: &str| key.mac(purpose, uuid.as_bytes());
        Ok(Self { uuid, voter: pseudonym("board-voter"), follower: pseudonym("board-follower") })
    }
}

#[derive(Serialize)]
struct RequestList {
    data: Vec<RequestSummary>,
    page: Page,
}

async fn list(State(board): State<Arc<Board>>, headers: HeaderMap) -> Result<Json<RequestList>, Refusal> {
    let person = Person::of(&board.engine, &headers, "engagement.feature-requests").await?;
    let mut connection = board.engine.pool().acquire().await?;
    let mut rows: Vec<RequestRow> = sqlx::query_as(board.page).fetch_all(&mut *connection).await?;
    let has_more = rows.len() > 20;
    rows.truncate(20);
    let roots = rows.iter().map(|row| row.root_uuid).collect();
    let standings = board.standings(&mut connection, &person, roots).await?;
    drop(connection);
    let last = rows.last().filter(|_| has_more);
    let next_cursor = last.map(|row| format!("{}~{}~{}", row.pin, row.votes, row.uuid));
    let data = rows.into_iter().zip(standings).map(|(row, standing)| row.summary(person.uuid, standing)).collect();
    Ok(Json(RequestList { data, page: Page { next_cursor, has_more } }))
}

async fn cast(
    State(board): State<Arc<Board>>,
    headers: HeaderMap,
    Path(request_uuid): Path<Uuid>,
) -> Result<Json<Request>, Refusal> {
    let person = Person::of(&board.engine, &headers, "engagement.feature-requests:write").await?;
    let mut transaction = board.engine.pool().begin().await?;
    let word = board.changed(&mut transaction, board.cast, &person, request_uuid).await?;
    match word.as_deref() {
        Some("CAST") => {
            let today = board.engine.services().clock.now().0.to_string();
            let named = [person.uuid.as_bytes().as_slice(), today.as_bytes().get(..10).unwrap_or_default()].concat();
            let of_day = board.engine.services().key.mac("board-voter-of-day", &named);
            let spent = sqlx::query(board.spend).bind(of_day.as_slice()).bind(MOST_VOTES).execute(&mut *transaction);
            if spent.await?.rows_affected() == 0 {
                return Err(Refusal(StatusCode::TOO_MANY_REQUESTS));
            }
        }
        Some("VOTED") => {}
        Some(_) => return Err(Refusal(StatusCode::CONFLICT)),
        None => return Err(Refusal(StatusCode::NOT_FOUND)),
    }
    let request = board.request(&mut transaction, &person, request_uuid).await?;
    transaction.commit().await?;
    Ok(Json(request))
}

async fn withdraw(
    State(board): State<Arc<Board>>,
    headers: HeaderMap,
    Path(request_uuid): Path<Uuid>,
) -> Result<Json<Request>, Refusal> {
    let person = Person::of(&board.engine, &headers, "engagement.feature-requests:write").await?;
    let mut transaction = board.engine.pool().begin().await?;
    let word = board.changed(&mut transaction, board.withdraw, &person, request_uuid).await?;
    match word.as_deref() {
        Some("WITHDRAWN" | "NONE") => {}
        Some(_) => return Err(Refusal(StatusCode::CONFLICT)),
        None => return Err(Refusal(StatusCode::NOT_FOUND)),
    }
    let request = board.request(&mut transaction, &person, request_uuid).await?;
    transaction.commit().await?;
    Ok(Json(request))
}

impl Board {
    /// Casts or withdraws a vote and returns the outcome.
    async fn changed(
        &self,
        connection: &mut PgConnection,
        statement: &'static str,
        person: &Person,
        request_uuid: Uuid,
    ) -> Result<Option<String>, Refusal> {
        let vote = sqlx::query_scalar(statement).bind(request_uuid).bind(person.uuid).bind(person.voter.as_slice());
        Ok(vote.fetch_one(connection).await?)
    }

    async fn request(
        &self,
        connection: &mut PgConnection,
        person: &Person,
        request_uuid: Uuid,
    ) -> Result<Request, Refusal> {
        let row: Option<RequestRow> =
            sqlx::query_as(self.one).bind(request_uuid).fetch_optional(&mut *connection).await?;
        let row = row.ok_or(Refusal(StatusCode::NOT_FOUND))?;
        let standings = self.standings(connection, person, vec![row.root_uuid]).await?;
        Ok(row.whole(person.uuid, standings.first().copied().unwrap_or_default()))
    }

    /// Loads, in order, whether a user voted for and follows these feature requests.
    async fn standings(
        &self,
        connection: &mut PgConnection,
        person: &Person,
        roots: Vec<Uuid>,
    ) -> Result<Vec<VoteStatus>, Refusal> {
        let many = roots.len();
        let rows: Vec<StandingRow> = sqlx::query_as(self.standing)
            .bind(roots)
            .bind(vec![person.uuid; many])
            .bind(vec![person.voter.as_slice(); many])
            .bind(vec![person.follower.as_slice(); many])
            .fetch_all(connection)
            .await?;
        let mut standings = vec![VoteStatus::default(); many];
        for row in rows {
            let place = usize::try_from(row.place - 1).ok();
            if let Some(standing) = place.and_then(|place| standings.get_mut(place)) {
                *standing = VoteStatus { voted: row.voted, followed: row.followed };
            }
        }
        Ok(standings)
    }
}
