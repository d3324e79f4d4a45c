//! Resolvers of categories for staff.

mod types;

use labs_core::actor::Actor;
use labs_core::audit_target::AuditTargetKind;
use labs_core::context::{RequestContext, Target};
use labs_core::describe::Created;
use labs_core::fault::Fault;
use labs_core::list::{PageRequest, SqlValue};
use labs_core::operation::{Operation, operation, operations};
use labs_core::page::CountedList;
use labs_core::slug::{NewSlug, SlugAttempts};
use uuid::Uuid;

use super::list::{BY_ID, CATEGORIES, CategoryFilter, CategorySort};
use super::rules::{self, CategoryAction, CategoryContent, TreePosition};
use super::store::{self, NewCategory, listings};

pub use types::Category;
use types::{CategoryCreate, CategoryDeactivate, CategoryMove, CategoryUpdate};

/// Operations of this file.
pub(crate) const OPERATIONS: &[Operation] = operations![
    marketplace_categories_list,
    marketplace_categories_get,
    marketplace_categories_create,
    marketplace_categories_update,
    marketplace_categories_move,
    marketplace_categories_activate,
    marketplace_categories_deactivate,
    marketplace_categories_delete,
];

/// List categories.
#[operation(query, access = "labs.admin.categories")]
async fn marketplace_categories_list(
    cx: &RequestContext,
    filter: Option<CategoryFilter>,
    sort: Option<CategorySort>,
    limit: Option<i32>,
    cursor: Option<String>,
    include_total: Option<bool>,
) -> Result<CountedList<Category>, Fault> {
    let filter = filter.unwrap_or_default();
    let rows = CATEGORIES.page(cx, &filter, &PageRequest::new(sort, limit, cursor)).await?;
    let rows = rows.map(|category| Ok(category.for_caller(cx)))?;
    Ok(rows.counted_list(CATEGORIES.total(&cx.db, &filter, include_total).await?))
}

/// Get a category.
#[operation(query, access = "labs.admin.categories", audit_target(Category, "category_uuid"), batched)]
async fn marketplace_categories_get(cx: &RequestContext, category_uuid: Uuid) -> Result<Category, Fault> {
    load(cx, category_uuid).await
}

/// Create a category.
#[operation(mutation, access = "labs.admin.categories:write")]
async fn marketplace_categories_create(cx: &RequestContext, body: CategoryCreate) -> Result<Created<Category>, Fault> {
    let english = body.names.get("en").map(String::as_str).unwrap_or_default();
    let slug = NewSlug::of(body.slug, english, "category");
    let content = CategoryContent {
        slug: String::new(),
        names: body.names.0,
        descriptions: body.descriptions.map(|texts| texts.0).unwrap_or_default(),
        also_called: body.also_called.map(|words| words.0).unwrap_or_default(),
        icon: body.icon,
    };
    rules::check_texts(&content)?;
    store::lock_tree(&cx.db).await?;
    if let Some(parent_uuid) = body.parent_uuid {
        rules::check_parent(&find_tree_position(cx, parent_uuid, "/parent_uuid").await?, 0)?;
    }
    let last = store::get_last_position(&cx.db, body.parent_uuid).await?;
    let position = rules::place(body.position, last);
    let mut new = NewCategory { category_uuid: cx.new_uuid(), parent_uuid: body.parent_uuid, content, position };
    let category_uuid = new.category_uuid;
    let mut attempts = SlugAttempts::new(&cx.db, slug, cx.new_uuid());
    loop {
        new.content.slug = attempts.next_slug().await?;
        let inserted = store::insert(&cx.db, &new).await;
        if attempts.end(inserted).await?.is_some() {
            break;
        }
    }
    Ok(Created::new(category_uuid, load(cx, category_uuid).await?))
}

/// Update a category.
#[operation(mutation, access = "labs.admin.categories:write", audit_target(Category, "category_uuid"))]
async fn marketplace_categories_update(
    cx: &RequestContext,
    category_uuid: Uuid,
    body: CategoryUpdate,
) -> Result<Category, Fault> {
    let present = lock(cx, category_uuid).await?.content();
    let after = body.apply_to(present.clone());
    rules::check_texts(&after)?;
    if after != present {
        store::set_content(&cx.db, category_uuid, after).await?;
    }
    load(cx, category_uuid).await
}

/// Move a category.
#[operation(mutation, access = "labs.admin.categories:write", audit_target(Category, "category_uuid"))]
async fn marketplace_categories_move(
    cx: &RequestContext,
    category_uuid: Uuid,
    body: CategoryMove,
) -> Result<Category, Fault> {
    let category = lock(cx, category_uuid).await?;
    rules::next_state(category.state, CategoryAction::Move)?;
    if let Some(parent_uuid) = body.parent_uuid {
        let parent = find_tree_position(cx, parent_uuid, "/parent_uuid").await?;
        let height = store::get_lowest_depth(&cx.db, category_uuid).await? - category.depth;
        rules::check_no_cycle(category_uuid, &parent)?;
        rules::check_parent(&parent, height)?;
    }
    store::set_place(&cx.db, category_uuid, body.parent_uuid, body.position).await?;
    load(cx, category_uuid).await
}

/// Activate a category.
#[operation(mutation, access = "labs.admin.categories:write", audit_target(Category, "category_uuid"))]
async fn marketplace_categories_activate(cx: &RequestContext, category_uuid: Uuid) -> Result<Category, Fault> {
    let next = rules::next_state(lock(cx, category_uuid).await?.state, CategoryAction::Activate)?;
    store::set_state(&cx.db, category_uuid, next).await?;
    load(cx, category_uuid).await
}

/// Deactivate a category.
#[operation(mutation, access = "labs.admin.categories:write", audit_target(Category, "category_uuid"))]
async fn marketplace_categories_deactivate(
    cx: &RequestContext,
    category_uuid: Uuid,
    body: Option<CategoryDeactivate>,
) -> Result<Category, Fault> {
    let (reason, move_to) = body.map(|body| (body.reason, body.move_to)).unwrap_or_default();
    if let Some(reason) = reason {
        cx.note_reason(reason);
    }
    let next = rules::next_state(lock(cx, category_uuid).await?.state, CategoryAction::Deactivate)?;
    if let Some(target_uuid) = move_to {
        rules::check_target(category_uuid, &find_tree_position(cx, target_uuid, "/move_to").await?)?;
    }
    let hidden = store::list_visible_below(&cx.db, category_uuid).await?;
    let left = listings::lock_visible(&cx.db, &hidden).await?;
    match move_to {
        Some(target_uuid) => {
            let apps: Vec<Uuid> = left.iter().map(|listing| listing.app_uuid).collect();
            let actor = Actor::of(cx.principal()?);
            listings::move_all(&cx.db, &apps, &hidden, target_uuid, actor).await?;
        }
        None => rules::ensure_none_left(left.iter().map(|listing| listing.slug.as_str()))?,
    }
    store::set_state(&cx.db, category_uuid, next).await?;
    load(cx, category_uuid).await
}

/// Delete a category.
#[operation(mutation, access = "labs.admin.categories:write", audit_target(Category, "category_uuid"))]
async fn marketplace_categories_delete(cx: &RequestContext, category_uuid: Uuid) -> Result<bool, Fault> {
    lock(cx, category_uuid).await?;
    rules::ensure_unused(store::get_usage(&cx.db, category_uuid).await?)?;
    store::delete(&cx.db, category_uuid).await?;
    Ok(true)
}

/// Loads the category, locks the whole tree until the transaction ends, and names the category in the audit record.
async fn lock(cx: &RequestContext, category_uuid: Uuid) -> Result<Category, Fault> {
    store::lock_tree(&cx.db).await?;
    load(cx, category_uuid).await
}

/// Loads the current category and names it in the audit record.
async fn load(cx: &RequestContext, category_uuid: Uuid) -> Result<Category, Fault> {
    let found = BY_ID.fetch_one(&cx.db, [SqlValue::Ids(vec![category_uuid])]).await?;
    let category = found.ok_or_else(|| Fault::not_found("category"))?;
    cx.note_target(Target {
        kind: Some(AuditTargetKind::Category),
        uuid: Some(category.uuid),
        label: Some(category.slug.clone()),
        partner_uuid: None,
    });
    Ok(category.for_caller(cx))
}

/// Loads the position in the tree of a category that the body names at `pointer`.
async fn find_tree_position(cx: &RequestContext, category_uuid: Uuid, pointer: &str) -> Result<TreePosition, Fault> {
    let message = "This category does not exist. GET /v1/marketplace/internal/categories lists all categories.";
    let found = store::get_tree_position(&cx.db, category_uuid).await?;
    found.ok_or_else(|| Fault::field(pointer, "UNKNOWN_CATEGORY", message))
}
