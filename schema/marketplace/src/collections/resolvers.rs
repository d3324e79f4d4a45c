//! Resolvers of collections for staff.

mod types;

use labs_core::audit_target::AuditTargetKind;
use labs_core::context::{RequestContext, Target};
use labs_core::describe::Created;
use labs_core::fault::{Fault, FieldError};
use labs_core::list::PageRequest;
use labs_core::operation::{Operation, operation, operations};
use labs_core::page::CountedList;
use labs_core::slug::{NewSlug, SlugAttempts};
use uuid::Uuid;

use super::list::{BY_ID, COLLECTIONS, CollectionFilter, CollectionSort};
use super::rules::{self, CollectionContent};
use super::store;

pub(super) use types::Collection;
pub use types::CollectionListing;
use types::{CollectionCreate, CollectionUpdate};

/// Operations of this file.
pub(crate) const OPERATIONS: &[Operation] = operations![
    marketplace_collections_list,
    marketplace_collections_create,
    marketplace_collections_update,
    marketplace_collections_delete,
];

/// List collections.
#[operation(query, access = "labs.admin.storefront")]
async fn marketplace_collections_list(
    cx: &RequestContext,
    filter: Option<CollectionFilter>,
    sort: Option<CollectionSort>,
    limit: Option<i32>,
    cursor: Option<String>,
    include_total: Option<bool>,
) -> Result<CountedList<Collection>, Fault> {
    let filter = filter.unwrap_or_default();
    let rows = COLLECTIONS.page(cx, &filter, &PageRequest::new(sort, limit, cursor)).await?;
    Ok(rows.counted_list(COLLECTIONS.total(&cx.db, &filter, include_total).await?))
}

/// Create a collection.
#[operation(mutation, access = "labs.admin.storefront:write")]
async fn marketplace_collections_create(
    cx: &RequestContext,
    body: CollectionCreate,
) -> Result<Created<Collection>, Fault> {
    let english = body.titles.get("en").map(String::as_str).unwrap_or_default();
    let slug = NewSlug::of(body.slug, english, "collection");
    let mut content = CollectionContent {
        slug: String::new(),
        titles: body.titles.0,
        descriptions: body.descriptions.map(|texts| texts.0).unwrap_or_default(),
        shown_from: body.shown_from,
        shown_until: body.shown_until,
    };
    store::lock(&cx.db).await?;
    let apps = find_apps(cx, &content, body.listings.as_deref()).await?;
    let collection_uuid = cx.new_uuid();
    let mut attempts = SlugAttempts::new(&cx.db, slug, cx.new_uuid());
    loop {
        content.slug = attempts.next_slug().await?;
        let inserted = store::insert(&cx.db, collection_uuid, &content).await;
        if attempts.end(inserted).await?.is_some() {
            break;
        }
    }
    store::set_listings(&cx.db, collection_uuid, &apps.unwrap_or_default()).await?;
    if let Some(position) = body.position {
        store::set_position(&cx.db, collection_uuid, position).await?;
    }
    Ok(Created::new(collection_uuid, load(cx, collection_uuid).await?))
}

/// Update a collection.
#[operation(mutation, access = "labs.admin.storefront:write", audit_target(Collection, "collection_uuid"))]
async fn marketplace_collections_update(
    cx: &RequestContext,
    collection_uuid: Uuid,
    mut body: CollectionUpdate,
) -> Result<Collection, Fault> {
    let present = lock(cx, collection_uuid).await?;
    let (listings, position) = (body.listings.take(), body.position);
    let after = body.apply_to(present.content());
    let apps = find_apps(cx, &after, listings.as_deref()).await?.filter(|apps| !present.has_listings(apps));
    if apps.is_some() || after != present.content() {
        store::set_content(&cx.db, collection_uuid, after).await?;
    }
    if let Some(apps) = apps {
        store::set_listings(&cx.db, collection_uuid, &apps).await?;
    }
    if let Some(position) = position {
        store::set_position(&cx.db, collection_uuid, position).await?;
    }
    load(cx, collection_uuid).await
}

/// Delete a collection.
#[operation(mutation, access = "labs.admin.storefront:write", audit_target(Collection, "collection_uuid"))]
async fn marketplace_collections_delete(cx: &RequestContext, collection_uuid: Uuid) -> Result<bool, Fault> {
    lock(cx, collection_uuid).await?;
    store::delete(&cx.db, collection_uuid).await?;
    Ok(true)
}

/// Validates the texts and the named listings, and returns the apps of the listings, if any are named.
///
/// # Errors
/// [`labs_core::Code::ValidationFailed`] with all errors.
async fn find_apps(
    cx: &RequestContext,
    content: &CollectionContent,
    listings: Option<&[String]>,
) -> Result<Option<Vec<Uuid>>, Fault> {
    let mut errors: Vec<FieldError> = Vec::new();
    rules::check(content, &mut errors);
    let apps = match listings {
        Some(named) => Some(rules::match_listings(named, &store::list_known(&cx.db, named).await?, &mut errors)),
        None => None,
    };
    if errors.is_empty() { Ok(apps) } else { Err(Fault::invalid(errors)) }
}

/// Loads the collection, checks the caller's precondition, locks all collections until the transaction ends, and names
/// the collection in the audit record.
async fn lock(cx: &RequestContext, collection_uuid: Uuid) -> Result<Collection, Fault> {
    store::lock(&cx.db).await?;
    let collection = load(cx, collection_uuid).await?;
    cx.ensure_revision(Some(&collection.revision))?;
    Ok(collection)
}

/// Loads the current collection and names it in the audit record.
async fn load(cx: &RequestContext, collection_uuid: Uuid) -> Result<Collection, Fault> {
    let found = BY_ID.fetch_one(&cx.db, [collection_uuid.into()]).await?;
    let collection = found.ok_or_else(|| Fault::not_found("collection"))?;
    cx.note_target(Target {
        kind: Some(AuditTargetKind::Collection),
        uuid: Some(collection.uuid),
        label: Some(collection.slug.clone()),
        partner_uuid: None,
    });
    Ok(collection)
}
