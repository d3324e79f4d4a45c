//! Resolvers of categories for staff.

mod types;

use async_graphql::{Context, Object};
use labs_core::access::{access, audit_target, batched};
use labs_core::actor::Actor;
use labs_core::audit_target::AuditTargetKind;
use labs_core::context::{RequestContext, RequestContextExt, Target};
use labs_core::fault::Fault;
use labs_core::list::{PageRequest, SqlValue};
use labs_core::page::CountedList;
use labs_core::slug::{NewSlug, SlugAttempts};
use uuid::Uuid;

use super::list::{BY_ID, CATEGORIES, CategoryFilter, CategorySort};
use super::rules::{self, CategoryAction, CategoryContent, TreePosition};
use super::store::{self, NewCategory, listings};

pub(crate) use types::Category;
use types::{CategoryCreate, CategoryDeactivate, CategoryMove, CategoryUpdate};

/// Reads of categories by staff.
#[derive(Default)]
pub(crate) struct CategoriesQuery;

#[Object(rename_fields = "snake_case", rename_args = "snake_case")]
impl CategoriesQuery {
    /// List categories.
    #[graphql(directive = access::apply("labs.admin.categories".into()))]
    async fn marketplace_categories_list(
        &self,
        ctx: &Context<'_>,
        filter: Option<CategoryFilter>,
        sort: Option<CategorySort>,
        limit: Option<i32>,
        cursor: Option<String>,
        include_total: Option<bool>,
    ) -> Result<Option<CountedList<Category>>, Fault> {
        let (cx, filter) = (ctx.cx(), filter.unwrap_or_default());
        let rows = CATEGORIES.page(cx, &filter, &PageRequest::new(sort, limit, cursor)).await?;
        let rows = rows.map(|category| Ok(category.for_caller(cx)))?;
        cx.answer_list(rows.counted_list(CATEGORIES.total(&cx.db, &filter, include_total).await?))
    }

    /// Get a category.
    #[graphql(
        directive = access::apply("labs.admin.categories".into()),
        directive = audit_target::apply(AuditTargetKind::Category, "category_uuid".into()),
        directive = batched::apply()
    )]
    async fn marketplace_categories_get(
        &self,
        ctx: &Context<'_>,
        category_uuid: Uuid,
    ) -> Result<Option<Category>, Fault> {
        ctx.cx().answer(load(ctx.cx(), category_uuid).await?)
    }
}

/// Writes of categories by staff. Each write takes the lock on the whole tree, so that only one caller at a time reads
/// and changes positions.
#[derive(Default)]
pub(crate) struct CategoriesMutation;

#[Object(rename_fields = "snake_case", rename_args = "snake_case")]
impl CategoriesMutation {
    /// Create a category.
    #[graphql(directive = access::apply("labs.admin.categories:write".into()))]
    async fn marketplace_categories_create(
        &self,
        ctx: &Context<'_>,
        body: CategoryCreate,
    ) -> Result<Option<Category>, Fault> {
        let cx = ctx.cx();
        let english = body.names.get("en").map(String::as_str).unwrap_or_default();
        let slug = NewSlug::of(body.slug, english, "category");
        let content = CategoryContent {
            slug: String::new(),
            names: body.names.0,
            descriptions: body.descriptions.map(|texts| texts.0).unwrap_or_default(),
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
        cx.answer_created(category_uuid, load(cx, category_uuid).await?)
    }

    /// Update a category.
    #[graphql(
        directive = access::apply("labs.admin.categories:write".into()),
        directive = audit_target::apply(AuditTargetKind::Category, "category_uuid".into())
    )]
    async fn marketplace_categories_update(
        &self,
        ctx: &Context<'_>,
        category_uuid: Uuid,
        body: CategoryUpdate,
    ) -> Result<Option<Category>, Fault> {
        let cx = ctx.cx();
        let present = lock(cx, category_uuid).await?.content();
        let after = body.apply_to(present.clone());
        rules::check_texts(&after)?;
        if after != present {
            store::set_content(&cx.db, category_uuid, after).await?;
        }
        cx.answer(load(cx, category_uuid).await?)
    }

    /// Move a category.
    #[graphql(
        directive = access::apply("labs.admin.categories:write".into()),
        directive = audit_target::apply(AuditTargetKind::Category, "category_uuid".into())
    )]
    async fn marketplace_categories_move(
        &self,
        ctx: &Context<'_>,
        category_uuid: Uuid,
        body: CategoryMove,
    ) -> Result<Option<Category>, Fault> {
        let cx = ctx.cx();
        let category = lock(cx, category_uuid).await?;
        rules::next_state(category.state, CategoryAction::Move)?;
        if let Some(parent_uuid) = body.parent_uuid {
            let parent = find_tree_position(cx, parent_uuid, "/parent_uuid").await?;
            let height = store::get_lowest_depth(&cx.db, category_uuid).await? - category.depth;
            rules::check_no_cycle(category_uuid, &parent)?;
            rules::check_parent(&parent, height)?;
        }
        store::set_place(&cx.db, category_uuid, body.parent_uuid, body.position).await?;
        cx.answer(load(cx, category_uuid).await?)
    }

    /// Activate a category.
    #[graphql(
        directive = access::apply("labs.admin.categories:write".into()),
        directive = audit_target::apply(AuditTargetKind::Category, "category_uuid".into())
    )]
    async fn marketplace_categories_activate(
        &self,
        ctx: &Context<'_>,
        category_uuid: Uuid,
    ) -> Result<Option<Category>, Fault> {
        let cx = ctx.cx();
        let next = rules::next_state(lock(cx, category_uuid).await?.state, CategoryAction::Activate)?;
        store::set_state(&cx.db, category_uuid, next).await?;
        cx.answer(load(cx, category_uuid).await?)
    }

    /// Deactivate a category.
    #[graphql(
        directive = access::apply("labs.admin.categories:write".into()),
        directive = audit_target::apply(AuditTargetKind::Category, "category_uuid".into())
    )]
    async fn marketplace_categories_deactivate(
        &self,
        ctx: &Context<'_>,
        category_uuid: Uuid,
        body: Option<CategoryDeactivate>,
    ) -> Result<Option<Category>, Fault> {
        let cx = ctx.cx();
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
        cx.answer(load(cx, category_uuid).await?)
    }

    /// Delete a category.
    #[graphql(
        directive = access::apply("labs.admin.categories:write".into()),
        directive = audit_target::apply(AuditTargetKind::Category, "category_uuid".into())
    )]
    async fn marketplace_categories_delete(
        &self,
        ctx: &Context<'_>,
        category_uuid: Uuid,
    ) -> Result<Option<bool>, Fault> {
        let cx = ctx.cx();
        lock(cx, category_uuid).await?;
        rules::ensure_unused(store::get_usage(&cx.db, category_uuid).await?)?;
        store::delete(&cx.db, category_uuid).await?;
        cx.answer(true)
    }
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
