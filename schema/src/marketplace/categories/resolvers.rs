//! What may be asked of categories by staff.

use async_graphql::{ComplexObject, Context, InputObject, Json, Object, SimpleObject};
use uuid::Uuid;

use super::list::{CATEGORIES, CategoryFilter, CategorySort};
use super::rules::{self, CategoryAction, CategoryState};
use super::store::{self, CategoryKey, NewCategory, Texts};
use crate::core::access::{access, audit_target, edge};
use crate::core::audit_target::AuditTargetKind;
use crate::core::context::{RequestContext, RequestContextExt, Target};
use crate::core::fault::Fault;
use crate::core::list::PageRequest;
use crate::core::page::CountedList;
use crate::core::slug::slug_of;
use crate::core::time::Time;

/// A category of the marketplace, for staff.
#[derive(Clone, serde::Serialize, SimpleObject, sqlx::FromRow)]
#[graphql(complex, rename_fields = "snake_case")]
pub(crate) struct Category {
    /// Its id.
    pub(super) uuid: Uuid,
    /// Its name in storefront addresses, unique in the whole tree.
    pub(super) slug: String,
    /// The category above it; null at the root.
    parent_uuid: Option<Uuid>,
    /// Its name by locale; English is always there.
    #[sqlx(json)]
    names: Json<Texts>,
    /// What belongs in it, by locale.
    #[sqlx(json)]
    descriptions: Json<Texts>,
    /// Name of a pictogram of the storefront's set.
    icon: Option<String>,
    /// Its place among its siblings, from 1.
    pub(super) position: i32,
    /// Whether it is shown itself; one above it may hide it.
    state: CategoryState,
    /// Steps from the root; 0 at the root.
    pub(super) depth: i32,
    /// Apps that have chosen it, in whatever state, without those of categories beneath.
    apps_count: i32,
    /// Listings now on the storefront in it, without those of categories beneath.
    listings_count: i32,
    /// When it was made.
    pub(super) created_at: Time,
    /// When it last changed.
    updated_at: Time,
}

#[ComplexObject(rename_fields = "snake_case")]
impl Category {
    /// The category above it; null at the root.
    #[graphql(directive = edge::apply())]
    async fn parent(&self, ctx: &Context<'_>) -> Result<Option<Self>, Fault> {
        let Some(parent_uuid) = self.parent_uuid else { return Ok(None) };
        ctx.cx().loader(store::loader).load(CategoryKey(parent_uuid)).await
    }
}

/// A new category.
#[derive(InputObject)]
#[graphql(rename_fields = "snake_case")]
pub(crate) struct CategoryCreate {
    /// Its name by locale; English must be there.
    names: Json<Texts>,
    /// What belongs in it, by locale.
    descriptions: Option<Json<Texts>>,
    /// Its name in storefront addresses. Left out, it is derived from the English name.
    slug: Option<String>,
    /// The category to put it under. Left out, it stands at the root.
    parent_uuid: Option<Uuid>,
    /// Name of a pictogram of the storefront's set.
    icon: Option<String>,
    /// Its place among its siblings; those from there on move down. Left out, it comes last.
    position: Option<i32>,
}

/// Why a category goes.
#[derive(InputObject)]
#[graphql(rename_fields = "snake_case")]
pub(crate) struct CategoryDeactivate {
    /// Kept in the audit record.
    reason: Option<String>,
}

/// Reads of categories by staff.
#[derive(Default)]
pub(crate) struct CategoriesQuery;

#[Object(rename_fields = "snake_case", rename_args = "snake_case")]
impl CategoriesQuery {
    /// The whole tree as a flat list, deactivated categories included.
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
        cx.answer_list(rows.counted_list(CATEGORIES.total(&cx.db, &filter, include_total).await?))
    }
}

/// Writes of categories by staff.
#[derive(Default)]
pub(crate) struct CategoriesMutation;

#[Object(rename_fields = "snake_case", rename_args = "snake_case")]
impl CategoriesMutation {
    /// Adds a category at the root or under an active parent.
    #[graphql(directive = access::apply("labs.admin.categories:write".into()))]
    async fn marketplace_categories_create(
        &self,
        ctx: &Context<'_>,
        body: CategoryCreate,
    ) -> Result<Option<Category>, Fault> {
        let cx = ctx.cx();
        let descriptions = body.descriptions.map(|texts| texts.0).unwrap_or_default();
        rules::check_texts(&body.names.0, &descriptions)?;
        store::tree_lock(&cx.db).await?;
        if let Some(parent_uuid) = body.parent_uuid {
            rules::check_parent(store::parent_get(&cx.db, parent_uuid).await?.ok_or_else(unknown_parent)?)?;
        }
        let last = store::last_position_get(&cx.db, body.parent_uuid).await?;
        let english = body.names.get("en").map(String::as_str).unwrap_or_default();
        let new = NewCategory {
            category_uuid: cx.new_uuid(),
            parent_uuid: body.parent_uuid,
            slug: body.slug.unwrap_or_else(|| slug_of(english, "category")),
            names: body.names.0,
            descriptions,
            icon: body.icon,
            position: rules::place(body.position, last),
        };
        let category = store::insert(&cx.db, new).await?;
        note(cx, &category);
        cx.answer_created(category.uuid, category)
    }

    /// Takes a category, and everything beneath it, off public reads.
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
        if let Some(reason) = body.and_then(|body| body.reason) {
            cx.note_reason(reason);
        }
        let state = store::state_lock(&cx.db, category_uuid).await?.ok_or_else(|| Fault::not_found("category"))?;
        let next = rules::after(state, CategoryAction::Deactivate)?;
        let category = store::set_state(&cx.db, category_uuid, next).await?;
        note(cx, &category);
        cx.answer(category)
    }
}

/// Names the category to the audit record.
fn note(cx: &RequestContext, category: &Category) {
    cx.note_target(Target {
        kind: Some(AuditTargetKind::Category),
        uuid: Some(category.uuid),
        label: Some(category.slug.clone()),
        partner_uuid: None,
    });
}

fn unknown_parent() -> Fault {
    let message = "There is no such category. GET /v1/marketplace/internal/categories lists them all.";
    Fault::field("/parent_uuid", "UNKNOWN_CATEGORY", message)
}
