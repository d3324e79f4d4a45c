//! SQL statements about the read state of notifications.

use labs_core::context::RequestContext;
use labs_core::fault::Fault;
use labs_core::time::Time;
use uuid::Uuid;

use super::read_state::ReadState;
use crate::people::Person;
use crate::pseudonym;

/// Purpose of the encryption; data encrypted for one purpose cannot be decrypted for another.
const PURPOSE: &str = "board-reading";

/// Returns the read state of a user.
pub(super) async fn get_read_state(cx: &RequestContext, person: &Person) -> Result<ReadState, Fault> {
    let reader = pseudonym::reader(&cx.services.key, person.uuid);
    let sealed = sqlx::query_scalar!("select sealed from board_read where reader = $1", &reader)
        .fetch_optional(&mut *cx.db.conn().await?)
        .await?;
    Ok(opened(cx, sealed.as_deref()))
}

/// Returns the read state of a user, locked until the transaction ends.
pub(super) async fn lock_reading(cx: &RequestContext, person: &Person) -> Result<ReadState, Fault> {
    let reader = pseudonym::reader(&cx.services.key, person.uuid);
    sqlx::query!(
        "insert into board_read (reader, sealed) values ($1, $2) on conflict (reader) do nothing",
        &reader,
        cx.services.key.seal(PURPOSE, &ReadState::default().to_bytes()),
    )
    .execute(&mut *cx.db.conn().await?)
    .await?;
    let sealed = sqlx::query_scalar!("select sealed from board_read where reader = $1 for update", &reader)
        .fetch_optional(&mut *cx.db.conn().await?)
        .await?;
    Ok(opened(cx, sealed.as_deref()))
}

/// Stores the read state. It is always one row, replaced as a whole.
pub(super) async fn set_reading(cx: &RequestContext, person: &Person, reading: &ReadState) -> Result<(), Fault> {
    sqlx::query!(
        "update board_read set sealed = $2, read_on = (labs_now() at time zone 'UTC')::date where reader = $1",
        &pseudonym::reader(&cx.services.key, person.uuid),
        cx.services.key.seal(PURPOSE, &reading.to_bytes()),
    )
    .execute(&mut *cx.db.conn().await?)
    .await?;
    Ok(())
}

/// Returns the ids and times of all notifications of a user.
pub(super) async fn list_all(cx: &RequestContext, person: &Person) -> Result<Vec<(Uuid, Time)>, Fault> {
    let news = sqlx::query!(
        r#"select board_news_uuid($4, e.event_uuid) as "uuid!", e.occurred_at as "occurred_at: Time"
             from board_news($1, $2, $3) as own join feature_event as e using (event_uuid)"#,
        person.uuid,
        &person.voter,
        &person.follower,
        &pseudonym::notification_key(&cx.services.key, person.uuid),
    )
    .fetch_all(&mut *cx.db.conn().await?)
    .await?;
    Ok(news.into_iter().map(|one| (one.uuid, one.occurred_at)).collect())
}

/// Returns the number of a user's notifications that are unread in this read state.
pub(super) async fn count_unread(cx: &RequestContext, person: &Person, reading: &ReadState) -> Result<i64, Fault> {
    Ok(sqlx::query_scalar!(
        r#"select count(*) as "unread!"
             from board_news($1, $2, $3) as own join feature_event as e using (event_uuid)
            where e.occurred_at > coalesce($5, '-infinity'::timestamptz)
              and board_news_uuid($4, e.event_uuid) <> all($6)"#,
        person.uuid,
        &person.voter,
        &person.follower,
        &pseudonym::notification_key(&cx.services.key, person.uuid),
        reading.until as Option<Time>,
        &reading.read,
    )
    .fetch_one(&mut *cx.db.conn().await?)
    .await?)
}

fn opened(cx: &RequestContext, sealed: Option<&[u8]>) -> ReadState {
    let bytes = sealed.and_then(|sealed| cx.services.key.open(PURPOSE, sealed).ok());
    bytes.map(|bytes| ReadState::from_bytes(&bytes)).unwrap_or_default()
}
