//! What may be asked of categories by staff.

use async_graphql::{ComplexObject, Context, InputObject, Json, Object, SimpleObject};
use uuid::Uuid;

use super::rules::{self, Action, State};
use super::store::{self, CategoryKey, CategoryRow, Filter, NewCategory, Order, Texts};
use crate::access::{access, audit_target, edge};
use crate::ask::{Ask, Asking, Target};
use crate::fault::{Fault, FieldError};
use crate::page::{CountedList, CountedPage, Window};
use crate::slug::slug_of;
use crate::time::Time;

/// A category of the marketplace, for staff.
#[derive(Clone, serde::Serialize, SimpleObject)]
#[graphql(complex, rename_fields = "snake_case")]
pub(crate) struct Category {
    /// Its id.
    uuid: Uuid,
    /// Its name in storefront addresses, unique in the whole tree.
    slug: String,
    /// The category above it; null at the root.
    parent_uuid: Option<Uuid>,
    /// Its name by locale; English is always there.
    names: Json<Texts>,
    /// What belongs in it, by locale.
    descriptions: Json<Texts>,
    /// Name of a pictogram of the storefront's set.
    icon: Option<String>,
    /// Its place among its siblings, from 1.
    position: i32,
    /// Whether it is shown itself; one above it may hide it.
    state: State,
    /// Steps from the root; 0 at the root.
    depth: i32,
    /// Apps that have chosen it, in whatever state, without those of categories beneath.
    apps_count: i32,
    /// Listings now on the storefront in it, without those of categories beneath.
    listings_count: i32,
    /// When it was made.
    created_at: Time,
    /// When it last changed.
    updated_at: Time,
}

#[ComplexObject(rename_fields = "snake_case")]
impl Category {
    /// The category above it; null at the root.
    #[graphql(directive = edge::apply())]
    async fn parent(&self, ctx: &Context<'_>) -> Result<Option<Self>, Fault> {
        let Some(parent_uuid) = self.parent_uuid else { return Ok(None) };
        let found = ctx.ask().loader(store::loader).load(CategoryKey(parent_uuid)).await?;
        found.map(Self::try_from).transpose()
    }
}

impl TryFrom<CategoryRow> for Category {
    type Error = Fault;

    fn try_from(row: CategoryRow) -> Result<Self, Fault> {
        let state = State::parse(&row.state).ok_or_else(|| Fault::internal("a category in a state without a name"))?;
        Ok(Self {
            uuid: row.category_uuid,
            slug: row.slug,
            parent_uuid: row.parent_uuid,
            names: Json(row.names.0),
            descriptions: Json(row.descriptions.0),
            icon: row.icon,
            position: row.position,
            state,
            depth: row.depth,
            apps_count: row.apps_count,
            listings_count: row.listings_count,
            created_at: row.created_at,
            updated_at: row.updated_at,
        })
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
    #[expect(clippy::too_many_arguments, reason = "each is a parameter of the promise")]
    #[graphql(directive = access::apply("labs.admin.categories".into()))]
    async fn marketplace_categories_list(
        &self,
        ctx: &Context<'_>,
        state: Option<Vec<State>>,
        parent_uuid: Option<Uuid>,
        q: Option<String>,
        sort: Option<String>,
        limit: Option<i32>,
        cursor: Option<String>,
        include_total: Option<bool>,
    ) -> Result<Option<CountedList<Category>>, Fault> {
        let ask = ctx.ask();
        let states = state.map(|states| states.into_iter().map(|state| state.name().to_owned()).collect());
        let filter = Filter { states, parent_uuid, q };
        let order = order(sort.as_deref())?;
        let list = "marketplace_categories_list";
        let window = Window::read(&ask.services.cursors, list, &(order, &filter), limit, cursor.as_deref())?;
        let rows = store::page(&ask.db, &filter, order, &window).await?;
        let total = if include_total == Some(true) { Some(store::count(&ask.db, &filter).await?) } else { None };
        let (rows, page) = window.cut(rows, |row| row.keys(order));
        let data = rows.into_iter().map(Category::try_from).collect::<Result<_, _>>()?;
        ask.answer_list(CountedList { data, page: CountedPage::of(page, total) })
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
        let ask = ctx.ask();
        let descriptions = body.descriptions.map(|texts| texts.0).unwrap_or_default();
        rules::check_texts(&body.names.0, &descriptions)?;
        store::tree_lock(&ask.db).await?;
        let depth = match body.parent_uuid {
            None => 0,
            Some(parent_uuid) => {
                rules::depth_under(store::parent_get(&ask.db, parent_uuid).await?.ok_or_else(unknown_parent)?)?
            }
        };
        let last = store::last_position_get(&ask.db, body.parent_uuid).await?;
        let english = body.names.get("en").map(String::as_str).unwrap_or_default();
        let new = NewCategory {
            category_uuid: ask.new_uuid(),
            parent_uuid: body.parent_uuid,
            slug: body.slug.unwrap_or_else(|| slug_of(english, "category")),
            names: body.names.0,
            descriptions,
            icon: body.icon,
            position: rules::place(body.position, last),
            depth,
        };
        let row = store::insert(&ask.db, new).await?;
        note(ask, &row);
        ask.answer_created(row.category_uuid, row.try_into()?)
    }

    /// Takes a category, and everything beneath it, off public reads.
    #[graphql(
        directive = access::apply("labs.admin.categories:write".into()),
        directive = audit_target::apply("category".into(), "category_uuid".into())
    )]
    async fn marketplace_categories_deactivate(
        &self,
        ctx: &Context<'_>,
        category_uuid: Uuid,
        body: Option<CategoryDeactivate>,
    ) -> Result<Option<Category>, Fault> {
        let ask = ctx.ask();
        if let Some(reason) = body.and_then(|body| body.reason) {
            ask.note_reason(reason);
        }
        let state = store::state_lock(&ask.db, category_uuid).await?.ok_or_else(|| Fault::not_found("category"))?;
        let state = State::parse(&state).ok_or_else(|| Fault::internal("a category in a state without a name"))?;
        let next = rules::after(state, Action::Deactivate)?;
        let row = store::set_state(&ask.db, category_uuid, next.name()).await?;
        note(ask, &row);
        ask.answer(row.try_into()?)
    }
}

/// Names the category to the audit record.
fn note(ask: &Ask, row: &CategoryRow) {
    ask.note_target(Target {
        kind: Some("category".to_owned()),
        uuid: Some(row.category_uuid),
        label: Some(row.slug.clone()),
        partner_uuid: None,
    });
}

fn unknown_parent() -> Fault {
    let message = "There is no such category. GET /v1/marketplace/internal/categories lists them all.";
    Fault::field("/parent_uuid", "UNKNOWN_CATEGORY", message)
}

fn order(sort: Option<&str>) -> Result<Order, Fault> {
    match sort {
        None | Some("position") => Ok(Order::Position),
        Some("slug") => Ok(Order::Slug),
        Some("-created_at") => Ok(Order::NewestFirst),
        Some(_) => {
            let message = "Sort by position, slug or -created_at.";
            Err(Fault::invalid(vec![FieldError::of("sort", "ENUM", message)]))
        }
    }
}
