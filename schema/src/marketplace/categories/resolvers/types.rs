//! A category as staff see it, and what they send of one.

use async_graphql::{InputObject, Json, MaybeUndefined, SimpleObject};
use uuid::Uuid;

use crate::core::context::RequestContext;
use crate::core::texts::{Texts, TextsPatch, merge};
use crate::core::time::Time;
use crate::marketplace::categories::rules::{CategoryContent, CategoryState, allowed_actions};

/// A category of the marketplace, as staff see it.
#[derive(Clone, serde::Serialize, SimpleObject, sqlx::FromRow)]
#[graphql(complex, rename_fields = "snake_case")]
pub(crate) struct Category {
    /// UUID of the object.
    pub(in crate::marketplace::categories) uuid: Uuid,
    /// Slug of the category in storefront URLs, unique in the whole tree.
    pub(in crate::marketplace::categories) slug: String,
    /// Slugs that it had before, the latest first. They lead to it and are no other category's.
    former_slugs: Vec<String>,
    /// Id of the parent category. Null at the root.
    pub(crate) parent_uuid: Option<Uuid>,
    /// Its name by locale; English is always there.
    #[sqlx(json)]
    names: Json<Texts>,
    /// What belongs in it, by locale.
    #[sqlx(json)]
    descriptions: Json<Texts>,
    /// Name of an icon in the storefront's icon set.
    icon: Option<String>,
    /// Position among the sibling categories, from 1.
    pub(in crate::marketplace::categories) position: i32,
    /// Whether it is shown itself; one above it may hide it.
    pub(in crate::marketplace::categories) state: CategoryState,
    /// Number of levels below the root. 0 at the root.
    pub(in crate::marketplace::categories) depth: i32,
    /// Number of direct child categories, including deactivated ones.
    children_count: i32,
    /// Apps that have chosen it, in whatever state, without those of categories beneath.
    apps_count: i32,
    /// Listings now on the storefront in it, without those of categories beneath.
    listings_count: i32,
    /// When it was made.
    pub(in crate::marketplace::categories) created_at: Time,
    /// When it last changed.
    updated_at: Time,
    /// What the caller can do to it now.
    #[sqlx(skip)]
    allowed_actions: Vec<String>,
}

impl Category {
    /// The same with what the caller can do to it.
    pub(crate) fn for_caller(self, cx: &RequestContext) -> Self {
        let acts = cx.may("labs.admin.categories:write");
        let allowed_actions = if acts { allowed_actions(self.state) } else { Vec::new() };
        Self { allowed_actions, ..self }
    }

    /// What staff write of it.
    pub(super) fn content(&self) -> CategoryContent {
        CategoryContent {
            slug: self.slug.clone(),
            names: self.names.0.clone(),
            descriptions: self.descriptions.0.clone(),
            icon: self.icon.clone(),
        }
    }
}

/// A new category.
#[derive(InputObject)]
#[graphql(rename_fields = "snake_case")]
pub(crate) struct CategoryCreate {
    /// Its name by locale; English must be there.
    pub(super) names: Json<Texts>,
    /// What belongs in it, by locale.
    pub(super) descriptions: Option<Json<Texts>>,
    /// Slug of the category in storefront URLs. If omitted, the service derives it from the English name.
    pub(super) slug: Option<String>,
    /// The category to put it under. Left out, it stands at the root.
    pub(super) parent_uuid: Option<Uuid>,
    /// Name of an icon in the storefront's icon set.
    pub(super) icon: Option<String>,
    /// Its place among its siblings; those from there on move down. Left out, it comes last.
    pub(super) position: Option<i32>,
}

/// A merge patch of a category (RFC 7396).
#[derive(InputObject)]
#[graphql(rename_fields = "snake_case")]
pub(crate) struct CategoryUpdate {
    /// Names by locale; null takes one away, but English stays.
    names: Option<Json<TextsPatch>>,
    /// What belongs in it, by locale; null takes a text away, or all of them.
    descriptions: MaybeUndefined<Json<TextsPatch>>,
    /// Its name in storefront addresses. The former one leads to it from now on.
    slug: Option<String>,
    /// Name of an icon in the storefront's icon set. Null removes it.
    icon: MaybeUndefined<String>,
}

impl CategoryUpdate {
    /// What stands once it is applied.
    pub(super) fn apply_to(self, mut content: CategoryContent) -> CategoryContent {
        if let Some(patch) = self.names {
            merge(&mut content.names, patch.0);
        }
        match self.descriptions {
            MaybeUndefined::Undefined => {}
            MaybeUndefined::Null => content.descriptions.clear(),
            MaybeUndefined::Value(patch) => merge(&mut content.descriptions, patch.0),
        }
        match self.icon {
            MaybeUndefined::Undefined => {}
            MaybeUndefined::Null => content.icon = None,
            MaybeUndefined::Value(icon) => content.icon = Some(icon),
        }
        content.slug = self.slug.unwrap_or(content.slug);
        content
    }
}

/// New position of a category in the tree.
#[derive(InputObject)]
#[graphql(rename_fields = "snake_case")]
pub(crate) struct CategoryMove {
    /// The category to put it under; null puts it at the root.
    pub(super) parent_uuid: Option<Uuid>,
    /// Its place among its new siblings; those from there on move down. Left out, it comes last.
    pub(super) position: Option<i32>,
}

/// Why a category goes, and where its listings go.
#[derive(InputObject)]
#[graphql(rename_fields = "snake_case")]
pub(crate) struct CategoryDeactivate {
    /// Stored in the audit record.
    pub(super) reason: Option<String>,
    /// The category in which listings are filed that would be left without an active one.
    pub(super) move_to: Option<Uuid>,
}
