//! Output and input types of categories for staff.

use labs_core::context::RequestContext;
use labs_core::describe::{InputType, Json, MaybeUndefined, OutputType};
use labs_core::texts::{Texts, TextsPatch, Words, WordsPatch, merge};
use labs_core::time::Time;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::categories::rules::{CategoryContent, CategoryState, allowed_actions};

/// A category of the marketplace, as staff see it.
#[derive(Clone, Serialize, OutputType, sqlx::FromRow)]
pub struct Category {
    /// UUID of the object.
    pub(in crate::categories) uuid: Uuid,
    /// Slug of the category in storefront URLs, unique in the whole tree.
    pub(in crate::categories) slug: String,
    /// Former slugs of the category, newest first. They redirect to this category, and no other category can use them.
    former_slugs: Vec<String>,
    /// UUID of the parent category. Null at the root.
    pub(crate) parent_uuid: Option<Uuid>,
    /// Names by locale; English is always present.
    #[sqlx(json)]
    names: Json<Texts>,
    /// Scope of the category, by locale.
    #[sqlx(json)]
    descriptions: Json<Texts>,
    /// Other words for the category, by locale. The search finds its listings by these words as by its names.
    #[sqlx(json)]
    also_called: Json<Words>,
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
    /// Number of apps that have chosen this category, in any state. Apps in descendant categories are not counted.
    apps_count: i32,
    /// Number of listings on the storefront in this category. Listings in descendant categories are not counted.
    listings_count: i32,
    /// Time of creation.
    pub(in crate::categories) created_at: Time,
    /// Time of the last change.
    updated_at: Time,
    /// Actions that the caller can perform now.
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
            also_called: self.also_called.0.clone(),
            icon: self.icon.clone(),
        }
    }
}

/// A new category.
#[derive(Deserialize, InputType)]
pub(super) struct CategoryCreate {
    /// Names by locale; English is required.
    pub(super) names: Json<Texts>,
    /// Scope of the category, by locale.
    pub(super) descriptions: Option<Json<Texts>>,
    /// Other words for the category, by locale. The search finds its listings by these words as by its names.
    pub(super) also_called: Option<Json<Words>>,
    /// Slug of the category in storefront URLs. If omitted, the service derives it from the English name. The service
    /// appends a random suffix if another category has or once had that slug.
    pub(super) slug: Option<String>,
    /// Parent category. It must be active and at depth 2 at most. If omitted or null, the category is created at the
    /// root.
    pub(super) parent_uuid: Option<Uuid>,
    /// Name of an icon in the storefront's icon set.
    pub(super) icon: Option<String>,
    /// Position among the sibling categories. Siblings from that position onwards move down. If omitted or beyond the
    /// last position, the category is placed last.
    pub(super) position: Option<i32>,
}

/// A merge patch of a category (RFC 7396). Omitted fields stay unchanged.
#[derive(Deserialize, InputType)]
pub(super) struct CategoryUpdate {
    /// Names by locale, each 2 to 60 characters, as a merge patch. An omitted locale stays unchanged, null removes it.
    /// English can be changed but not removed. The result has at most 40 locales.
    names: Option<Json<TextsPatch>>,
    /// Descriptions of the category's scope by locale, each up to 500 characters, as a merge patch. An omitted locale
    /// stays unchanged, null removes it. Null for the whole field removes all descriptions.
    #[serde(default)]
    descriptions: MaybeUndefined<Json<TextsPatch>>,
    /// Other words for the category by locale, as a merge patch. A list replaces the words of its locale. An omitted
    /// locale stays unchanged, null removes its words. Null for the whole field removes all words.
    #[serde(default)]
    also_called: MaybeUndefined<Json<WordsPatch>>,
    /// Slug of the category in storefront URLs. The former slug redirects to the category.
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
        match self.also_called {
            MaybeUndefined::Undefined => {}
            MaybeUndefined::Null => content.also_called.clear(),
            MaybeUndefined::Value(patch) => merge(&mut content.also_called, patch.0),
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
#[derive(Deserialize, InputType)]
pub(super) struct CategoryMove {
    /// Parent category. It must be active. Send the current parent to change only the position. Null moves the category
    /// to the root.
    pub(super) parent_uuid: Option<Uuid>,
    /// Position among the new sibling categories, not counting the category itself. Siblings from that position onwards
    /// move down. If omitted or beyond the last position, the category is placed last.
    pub(super) position: Option<i32>,
}

/// Reason for the deactivation, and the target category for its listings.
#[derive(Deserialize, InputType)]
pub(super) struct CategoryDeactivate {
    /// Stored in the audit record. Only staff can read it.
    pub(super) reason: Option<String>,
    /// Category that receives listings, visible or hidden, that would otherwise be left without an active category. It
    /// must still be active after the deactivation.
    pub(super) move_to: Option<Uuid>,
}
