//! Output and input types of categories for staff.

use labs_core::context::RequestContext;
use labs_core::describe::{InputType, Json, MaybeUndefined, OutputType};
use labs_core::texts::{Texts, TextsPatch, merge};
use labs_core::time::Time;
use uuid::Uuid;

use crate::categories::rules::{CategoryContent, CategoryState, allowed_actions};

/// Category of the marketplace in the form that staff see.
#[derive(Clone, serde::Serialize, OutputType, sqlx::FromRow)]
pub struct Category {
    /// UUID of the object.
    pub(in crate::categories) uuid: Uuid,
    /// Slug of the category in storefront URLs, unique in the whole tree.
    pub(in crate::categories) slug: String,
    /// Former slugs, newest first. They redirect to this category, and no other category can use them.
    former_slugs: Vec<String>,
    /// Id of the parent category. Null at the root.
    pub(crate) parent_uuid: Option<Uuid>,
    /// Names by locale; English is always present.
    #[sqlx(json)]
    names: Json<Texts>,
    /// Scope of the category, by locale.
    #[sqlx(json)]
    descriptions: Json<Texts>,
    /// Name of an icon in the storefront's icon set.
    icon: Option<String>,
    /// Position among the sibling categories, from 1.
    pub(in crate::categories) position: i32,
    /// State of the category itself. A deactivated ancestor hides it too.
    pub(in crate::categories) state: CategoryState,
    /// Number of levels below the root. 0 at the root.
    pub(in crate::categories) depth: i32,
    /// Number of direct child categories, including deactivated ones.
    children_count: i32,
    /// Number of apps in any state that have chosen the category itself, without descendants.
    apps_count: i32,
    /// Number of listings currently on the storefront in the category itself, without descendants.
    listings_count: i32,
    /// Time of creation.
    pub(in crate::categories) created_at: Time,
    /// Time of the last change.
    updated_at: Time,
    /// Actions that the caller can take now.
    #[sqlx(skip)]
    allowed_actions: Vec<String>,
}

impl Category {
    /// Sets the actions that the caller can take.
    pub fn for_caller(self, cx: &RequestContext) -> Self {
        let acts = cx.may("labs.admin.categories:write");
        let allowed_actions = if acts { allowed_actions(self.state) } else { Vec::new() };
        Self { allowed_actions, ..self }
    }

    /// Returns the fields that staff edit.
    pub(super) fn content(&self) -> CategoryContent {
        CategoryContent {
            slug: self.slug.clone(),
            names: self.names.0.clone(),
            descriptions: self.descriptions.0.clone(),
            icon: self.icon.clone(),
        }
    }
}

/// New category.
#[derive(serde::Deserialize, InputType)]
pub(super) struct CategoryCreate {
    /// Names by locale; English is required.
    pub(super) names: Json<Texts>,
    /// Scope of the category, by locale.
    pub(super) descriptions: Option<Json<Texts>>,
    /// Slug of the category in storefront URLs. If omitted, the service derives it from the English name.
    pub(super) slug: Option<String>,
    /// Parent category. If omitted, the category is at the root.
    pub(super) parent_uuid: Option<Uuid>,
    /// Name of an icon in the storefront's icon set.
    pub(super) icon: Option<String>,
    /// Position among the siblings; siblings from this position on move down. If omitted, the category becomes the
    /// last.
    pub(super) position: Option<i32>,
}

/// Merge patch of a category (RFC 7396).
#[derive(serde::Deserialize, InputType)]
pub(super) struct CategoryUpdate {
    /// Names by locale; null removes a name. English cannot be removed.
    names: Option<Json<TextsPatch>>,
    /// Scope of the category, by locale; null removes one text, or all of them.
    #[serde(default)]
    descriptions: MaybeUndefined<Json<TextsPatch>>,
    /// Slug in storefront URLs. The former slug redirects to the new one.
    slug: Option<String>,
    /// Name of an icon in the storefront's icon set. Null removes it.
    #[serde(default)]
    icon: MaybeUndefined<String>,
}

impl CategoryUpdate {
    /// Returns the content after the patch.
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
#[derive(serde::Deserialize, InputType)]
pub(super) struct CategoryMove {
    /// New parent category; null moves the category to the root.
    pub(super) parent_uuid: Option<Uuid>,
    /// Position among the new siblings; siblings from this position on move down. If omitted, the category becomes the
    /// last.
    pub(super) position: Option<i32>,
}

/// Reason for the deactivation, and the new category of the listings.
#[derive(serde::Deserialize, InputType)]
pub(super) struct CategoryDeactivate {
    /// Stored in the audit record.
    pub(super) reason: Option<String>,
    /// Category for the listings that would otherwise have no active category.
    pub(super) move_to: Option<Uuid>,
}
