//! The baseline of a recorded read: a bare handler that checks the token, runs the recorded statements and sends the
//! recorded bytes. It receives the rows but does not decode them or compute anything. Content that the service sends
//! from a file is also sent from a file here.

use std::sync::{Arc, PoisonError, RwLock};

use axum::Router;
use axum::body::Body;
use axum::extract::{DefaultBodyLimit, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::Response;
use axum::routing::put;
use bytes::Bytes;
use futures_util::TryStreamExt as _;
use labs_schema::Engine;
use labs_schema::scope::Scope;
use sqlx::encode::IsNull;
use sqlx::postgres::types::Oid;
use sqlx::postgres::{PgArgumentBuffer, PgConnection, PgTypeInfo};
use sqlx::{Encode, Postgres, Type};
use tokio_util::io::ReaderStream;

use super::recording::Recording;
use super::wire::{Manner, Statement};
use crate::hand::{Refusal, authenticate, fresh_uuid};

/// Path that accepts a recording. Every other path then serves it.
pub(crate) const RECORDING: &str = "/recording";

/// Size of the chunks in which a file is read, in bytes.
const PIECE: usize = 65_536;

struct Replay {
    engine: Engine,
    read: RwLock<Option<Arc<Read>>>,
}

/// A recording that is ready to be replayed.
struct Read {
    scope: Option<Option<Scope>>,
    statements: Vec<Prepared>,
    media_type: HeaderValue,
    content: Content,
}

/// Location of the response bytes.
enum Content {
    Memory(Bytes),
    File(tempfile::NamedTempFile, u64),
}

/// A statement whose text lives as long as the program, as in the source code of a handler.
struct Prepared {
    text: &'static str,
    manner: Manner,
    values: Vec<Value>,
    /// Whether it writes an audit record, which needs a new id each time.
    is_record: bool,
}

/// Returns the router of the replay.
pub(crate) fn router(engine: Engine) -> Router {
    let replay = Arc::new(Replay { engine, read: RwLock::new(None) });
    let load = put(load).layer(DefaultBodyLimit::disable());
    Router::new().route(RECORDING, load).fallback(answer).with_state(replay)
}

async fn load(State(replay): State<Arc<Replay>>, body: Bytes) -> Result<StatusCode, Refusal> {
    let read = serde_json::from_slice(&body).ok().and_then(|recording| Read::of(recording).ok().flatten());
    let read = read.ok_or(Refusal(StatusCode::BAD_REQUEST))?;
    *replay.read.write().unwrap_or_else(PoisonError::into_inner) = Some(Arc::new(read));
    Ok(StatusCode::NO_CONTENT)
}

async fn answer(State(replay): State<Arc<Replay>>, headers: HeaderMap) -> Result<Response, Refusal> {
    let read = replay.read.read().unwrap_or_else(PoisonError::into_inner).clone();
    let read = read.ok_or(Refusal(StatusCode::NOT_FOUND))?;
    if let Some(scope) = read.scope {
        let principal = authenticate(&replay.engine, &headers).await?;
        if let Some(scope) = scope {
            principal.require(scope).map_err(|_| Refusal(StatusCode::FORBIDDEN))?;
        }
    }
    if !read.statements.is_empty() {
        let mut connection = replay.engine.pool().acquire().await?;
        for statement in &read.statements {
            statement.run(&mut connection).await?;
        }
    }
    let mut response = read.content.response().await.map_err(|_| Refusal(StatusCode::INTERNAL_SERVER_ERROR))?;
    response.headers_mut().insert(header::CONTENT_TYPE, read.media_type.clone());
    Ok(response)
}

impl Content {
    fn of(recording: &mut Recording) -> std::io::Result<Self> {
        let body = std::mem::take(&mut recording.body);
        if !recording.is_file() {
            return Ok(Self::Memory(body.into()));
        }
        let file = tempfile::NamedTempFile::new()?;
        std::fs::write(file.path(), &body)?;
        Ok(Self::File(file, body.len() as u64))
    }

    async fn response(&self) -> std::io::Result<Response> {
        match self {
            Self::Memory(body) => Ok(Response::new(Body::from(body.clone()))),
            Self::File(file, length) => {
                let file = tokio::fs::File::open(file.path()).await?;
                let pieces = ReaderStream::with_capacity(file, PIECE);
                let mut response = Response::new(Body::from_stream(pieces));
                response.headers_mut().insert(header::CONTENT_LENGTH, HeaderValue::from(*length));
                Ok(response)
            }
        }
    }
}

impl Read {
    /// Returns `None` if the scope or the media type is invalid.
    fn of(mut recording: Recording) -> std::io::Result<Option<Self>> {
        let content = Content::of(&mut recording)?;
        let scope = match recording.scope.as_deref() {
            None => Some(None),
            Some("") => Some(Some(None)),
            Some(name) => Scope::parse(name).map(|scope| Some(Some(scope))),
        };
        let media_type = HeaderValue::from_str(&recording.media_type).ok();
        let statements = recording.statements.into_iter().map(Prepared::of).collect();
        Ok(scope.zip(media_type).map(|(scope, media_type)| Self { scope, statements, media_type, content }))
    }
}

impl Prepared {
    fn of(statement: Statement) -> Self {
        let Statement { text, types, values, manner } = statement;
        // 0 means that the server infers the type.
        let types = types.into_iter().chain(std::iter::repeat(0));
        let values = values.into_iter().zip(types).map(|(bytes, oid)| Value { oid: Oid(oid), bytes }).collect();
        let is_record = text.starts_with("insert into audit_log");
        Self { text: text.leak(), manner, values, is_record }
    }

    async fn run(&self, connection: &mut PgConnection) -> Result<(), sqlx::Error> {
        if self.manner == Manner::Simple {
            return sqlx::raw_sql(self.text).execute(connection).await.map(drop);
        }
        let mut query = sqlx::query(self.text).persistent(self.manner == Manner::Named);
        let mut values = self.values.iter();
        if self.is_record
            && let Some(first) = values.next()
        {
            query = query.bind(first.renewed());
        }
        for value in values {
            query = query.bind(value);
        }
        let mut rows = query.fetch(connection);
        while rows.try_next().await?.is_some() {}
        Ok(())
    }
}

/// A parameter as it was sent: type and bytes.
struct Value {
    oid: Oid,
    bytes: Option<Vec<u8>>,
}

impl Value {
    /// Returns the array of one id with a new id, which is at the end of its bytes.
    fn renewed(&self) -> Self {
        let mut bytes = self.bytes.clone();
        if let Some(id) = bytes.as_deref_mut().and_then(<[u8]>::last_chunk_mut::<16>) {
            *id = fresh_uuid().into_bytes();
        }
        Self { oid: self.oid, bytes }
    }
}

impl Type<Postgres> for Value {
    /// Each value has its own type.
    fn type_info() -> PgTypeInfo {
        PgTypeInfo::with_oid(Oid(0))
    }

    fn compatible(_: &PgTypeInfo) -> bool {
        true
    }
}

impl Encode<'_, Postgres> for Value {
    fn encode_by_ref(&self, buffer: &mut PgArgumentBuffer) -> Result<IsNull, sqlx::error::BoxDynError> {
        let Some(bytes) = &self.bytes else { return Ok(IsNull::Yes) };
        buffer.extend_from_slice(bytes);
        Ok(IsNull::No)
    }

    fn produces(&self) -> Option<PgTypeInfo> {
        Some(PgTypeInfo::with_oid(self.oid))
    }
}
