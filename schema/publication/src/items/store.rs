//! SQL statements that write items and their transitions.

use labs_core::actor::Actor;
use labs_core::db::Db;
use labs_core::fault::{Fault, constraint_of};
use labs_core::slug::err_taken;
use labs_core::surface::GeneratedResource;
use labs_core::time::Time;
use sqlx::types::Json;
use uuid::Uuid;

use super::content::{PublicationArtefact, PublicationContent};
use super::coverage::{Names, Release};
use super::rules::{PublicationKind, PublicationState};

/// Origin of a new item.
pub(super) struct Origin<'a> {
    /// Actor that creates it.
    pub(super) actor: Actor,
    /// For a post: its author.
    pub(super) author_uuid: Option<Uuid>,
    /// For an entry by a machine client: key that identifies the release.
    pub(super) release_key: Option<&'a str>,
    /// For a resource: kind of the file that the service generates instead of an uploaded one.
    pub(super) generated: Option<GeneratedResource>,
}

/// A transition of an item, as stored.
#[derive(Default)]
pub(super) struct Step<'a> {
    /// For a schedule: time of the release.
    pub(super) scheduled_for: Option<Time>,
    /// Reason for the transition.
    pub(super) reason: Option<&'a str>,
    /// For an edit of a released item: its previous content.
    pub(super) earlier: Option<&'a PublicationContent>,
}

/// Locks an item until the transaction ends; false if it does not exist.
pub(crate) async fn lock(db: &Db, item_uuid: Uuid) -> Result<bool, Fault> {
    let locked =
        sqlx::query_scalar!("select item_uuid from publication_item where item_uuid = $1 for update", item_uuid)
            .fetch_optional(&mut *db.conn().await?)
            .await?;
    Ok(locked.is_some())
}

/// Inserts a draft.
///
/// # Errors
/// [`labs_core::Code::Conflict`] if another item has or had its slug.
pub(super) async fn insert(
    db: &Db,
    item_uuid: Uuid,
    kind: PublicationKind,
    content: &PublicationContent,
    origin: &Origin<'_>,
) -> Result<(), Fault> {
    let inserted = sqlx::query!(
        "insert into publication_item (item_uuid, kind, slug, title, version, change, author_uuid, release_key,
                                       generated, created_by_kind, created_by_uuid)
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)",
        item_uuid,
        kind as _,
        content.slug,
        content.title,
        content.version,
        content.change as _,
        origin.author_uuid,
        origin.release_key,
        origin.generated as _,
        origin.actor.kind,
        origin.actor.uuid
    )
    .execute(&mut *db.conn().await?)
    .await;
    inserted.map_err(|error| err_slug_taken(error, &content.slug))?;
    set_content(db, item_uuid, content).await
}

/// Sets the content of an item, except its file.
///
/// # Errors
/// [`labs_core::Code::Conflict`] if another item has or had its slug.
pub(super) async fn set_content(db: &Db, item_uuid: Uuid, content: &PublicationContent) -> Result<(), Fault> {
    let written = sqlx::query!(
        "update publication_item
            set audience = $2, slug = $3, title = $4, summary = $5, body = $6, tags = $7, version = $8, change = $9,
                operations = $10, fields = $11, effective_at = $12, action_required = $13, migration = $14,
                sunset_at = $15, show_author = $16, resource_version = $17, updated_at = labs_now()
          where item_uuid = $1",
        item_uuid,
        content.audience as _,
        content.slug,
        content.title,
        content.summary,
        content.body,
        &content.tags,
        content.version,
        content.change as _,
        &content.operations,
        &content.fields,
        content.effective_at as Option<Time>,
        content.action_required,
        content.migration,
        content.sunset_at as Option<Time>,
        content.show_author,
        content.resource_version
    )
    .execute(&mut *db.conn().await?)
    .await;
    written.map_err(|error| err_slug_taken(error, &content.slug))?;
    Ok(())
}

fn err_slug_taken(error: sqlx::Error, slug: &str) -> Fault {
    if !matches!(constraint_of(&error), Some("publication_item_slug_key" | "publication_slug_pkey")) {
        return error.into();
    }
    let errors = vec![err_taken("This slug belongs or belonged to another item.")];
    Fault::conflict(format!("The slug {slug} belongs or belonged to another item of this kind. Send another slug."))
        .with_errors(errors)
}

/// Sets the file of a resource.
pub(super) async fn set_artefact(db: &Db, item_uuid: Uuid, artefact: &PublicationArtefact) -> Result<(), Fault> {
    sqlx::query!(
        "update publication_item
            set object_key = $2, file_name = $3, media_type = $4, size_bytes = $5, updated_at = labs_now()
          where item_uuid = $1",
        item_uuid,
        artefact.sha256,
        artefact.file_name,
        artefact.media_type,
        artefact.size_bytes
    )
    .execute(&mut *db.conn().await?)
    .await?;
    Ok(())
}

/// Sets the state of an item.
pub(super) async fn set_state(
    db: &Db,
    item_uuid: Uuid,
    state: PublicationState,
    scheduled_for: Option<Time>,
) -> Result<(), Fault> {
    sqlx::query!(
        "update publication_item
            set state = $2, scheduled_for = $3, updated_at = labs_now(),
                first_released_at = case when $2 = 'RELEASED' then coalesce(first_released_at, labs_now())
                                         else first_released_at end,
                released_at = case when $2 = 'RELEASED' then labs_now() else released_at end,
                withdrawn_at = case when $2 = 'RELEASED' then null
                                    when $2 = 'WITHDRAWN' and state = 'RELEASED' then labs_now()
                                    else withdrawn_at end
          where item_uuid = $1",
        item_uuid,
        state.name(),
        scheduled_for as Option<Time>
    )
    .execute(&mut *db.conn().await?)
    .await?;
    Ok(())
}

/// Inserts a transition.
pub(super) async fn insert_transition(
    db: &Db,
    item_uuid: Uuid,
    actor: Actor,
    (from, to): (PublicationState, PublicationState),
    step: &Step<'_>,
) -> Result<(), Fault> {
    sqlx::query!(
        "insert into publication_transition (item_uuid, actor_kind, actor_uuid, from_state, to_state, scheduled_for,
                                             reason, earlier)
         values ($1, $2, $3, $4, $5, $6, $7, $8)",
        item_uuid,
        actor.kind,
        actor.uuid,
        from.name(),
        to.name(),
        step.scheduled_for as Option<Time>,
        step.reason,
        step.earlier.map(Json) as _
    )
    .execute(&mut *db.conn().await?)
    .await?;
    Ok(())
}

/// Deletes an item that was never released.
pub(super) async fn delete(db: &Db, item_uuid: Uuid) -> Result<(), Fault> {
    sqlx::query!("delete from publication_item where item_uuid = $1", item_uuid)
        .execute(&mut *db.conn().await?)
        .await?;
    Ok(())
}

/// Returns the due items: posts and resources first, then entries, because each entry must first be checked against the
/// contract. Within a kind, the longest waiting comes first.
pub(super) async fn list_due(db: &Db) -> Result<Vec<(Uuid, PublicationKind)>, Fault> {
    let rows = sqlx::query!(
        r#"select item_uuid, kind as "kind: PublicationKind" from publication_item
          where state = 'SCHEDULED' and scheduled_for <= labs_now()
          order by kind = 'CHANGELOG_ENTRY', scheduled_for limit 100"#
    )
    .fetch_all(&mut *db.conn().await?)
    .await?;
    Ok(rows.into_iter().map(|row| (row.item_uuid, row.kind)).collect())
}

/// Locks a due item; false if another transaction has locked it, or it is not due any more.
pub(super) async fn lock_due(db: &Db, item_uuid: Uuid) -> Result<bool, Fault> {
    let locked = sqlx::query_scalar!(
        "select item_uuid from publication_item
          where item_uuid = $1 and state = 'SCHEDULED' and scheduled_for <= labs_now()
            for update skip locked",
        item_uuid
    )
    .fetch_optional(&mut *db.conn().await?)
    .await?;
    Ok(locked.is_some())
}

/// Locks the release against concurrent entries until the transaction ends, and returns its existing entry.
pub(crate) async fn lock_release(db: &Db, release_key: &str) -> Result<Option<Uuid>, Fault> {
    sqlx::query!("select pg_advisory_xact_lock(hashtextextended('publication ' || $1::text, 0))", release_key)
        .execute(&mut *db.conn().await?)
        .await?;
    Ok(sqlx::query_scalar!("select item_uuid from publication_item where release_key = $1", release_key)
        .fetch_optional(&mut *db.conn().await?)
        .await?)
}

/// The contract that was served when an entry was released.
pub(super) struct FormerContract {
    pub(super) digest: String,
    pub(super) document: String,
}

/// Returns the digest of the contract of the last release.
pub(super) async fn last_digest(db: &Db) -> Result<Option<String>, Fault> {
    Ok(sqlx::query_scalar!("select digest from contract_release order by released_at desc limit 1")
        .fetch_optional(&mut *db.conn().await?)
        .await?)
}

/// Returns the contract of the last release.
pub(super) async fn last_contract(db: &Db) -> Result<Option<FormerContract>, Fault> {
    Ok(sqlx::query_as!(
        FormerContract,
        "select digest, document from contract_release order by released_at desc limit 1"
    )
    .fetch_optional(&mut *db.conn().await?)
    .await?)
}

/// Returns the operations and fields that the entries of a release name, except withdrawn entries.
pub(super) async fn names_of_release(db: &Db, version: &str) -> Result<Names, Fault> {
    let rows = sqlx::query!(
        "select operations, fields from publication_item
          where kind = 'CHANGELOG_ENTRY' and version = $1 and state <> 'WITHDRAWN'",
        version
    )
    .fetch_all(&mut *db.conn().await?)
    .await?;
    let mut names = Names::default();
    for row in rows {
        names.operations.extend(row.operations);
        names.fields.extend(row.fields);
    }
    Ok(names)
}

/// Stores the contract of a release. A known contract becomes the last one again, without sending its text.
pub(super) async fn keep_contract(db: &Db, release: &Release<'_>) -> Result<(), Fault> {
    let known = sqlx::query!("update contract_release set released_at = labs_now() where digest = $1", release.digest)
        .execute(&mut *db.conn().await?)
        .await?;
    if known.rows_affected() > 0 {
        return Ok(());
    }
    // Another entry of the same release may store it at the same time.
    sqlx::query!(
        "insert into contract_release (digest, version, document, item_uuid) values ($1, $2, $3, $4)
         on conflict (digest) do update set released_at = excluded.released_at",
        release.digest,
        release.version,
        release.text,
        release.item_uuid,
    )
    .execute(&mut *db.conn().await?)
    .await?;
    Ok(())
}
