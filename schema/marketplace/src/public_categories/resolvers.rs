//! Resolvers of categories for the storefront.

use std::collections::BTreeSet;
use std::sync::Arc;

use labs_core::context::RequestContext;
use labs_core::db::Db;
use labs_core::describe::OutputType;
use labs_core::fault::Fault;
use labs_core::locale::preference;
use labs_core::operation::{Operation, operation, operations};
use labs_core::page::Page;

use super::rules::{self, Node};
use super::store::{self, ShownRow};
use crate::listings::known_locale;
use crate::public_cache::{PublicCache, get_stamp};

/// An active category with its descendants.
#[derive(Clone, Debug, serde::Serialize, OutputType)]
pub(crate) struct PublicCategory {
    /// Slug in URLs.
    slug: String,
    /// Name of the category in the best matching locale.
    name: String,
    /// Scope of the category, in the best matching locale.
    description: Option<String>,
    /// Name of an icon in the storefront's icon set.
    icon: Option<String>,
    /// Number of listings in this category and its descendants, each counted once.
    listings_count: i32,
    /// Direct child categories, in order. Present at every depth. Empty if the category has no child categories, as on
    /// the fourth and last level.
    children: Vec<PublicCategory>,
    /// Locale of the name; null if the slug replaces a missing name.
    #[serde(skip)]
    locale: Option<String>,
}

impl PublicCategory {
    /// Returns the locales of the names in the subtree.
    fn locales(&self) -> BTreeSet<&String> {
        self.locale.iter().chain(self.children.iter().flat_map(Self::locales)).collect()
    }
}

impl From<Node<ShownRow>> for PublicCategory {
    fn from(node: Node<ShownRow>) -> Self {
        let row = node.item;
        Self {
            slug: row.slug,
            name: row.name,
            description: row.description,
            icon: row.icon,
            listings_count: row.listings_count,
            children: node.children.into_iter().map(Self::from).collect(),
            locale: row.locale,
        }
    }
}

/// An active category with its path and its descendants.
#[derive(Clone, Debug, serde::Serialize, OutputType)]
pub(super) struct PublicCategoryDetail {
    /// Slug in URLs.
    slug: String,
    /// Name of the category in the best matching locale.
    name: String,
    /// Scope of the category, in the best matching locale.
    description: Option<String>,
    /// Name of an icon in the storefront's icon set.
    icon: Option<String>,
    /// Number of listings in this category and its descendants, each counted once.
    listings_count: i32,
    /// Categories from the root down to this category, including this category as the last.
    path: Vec<PublicCategoryStep>,
    /// Direct child categories, in order, each with its descendants.
    children: Vec<PublicCategory>,
}

/// A category on the path to another category.
#[derive(Clone, Debug, serde::Serialize, OutputType)]
pub(super) struct PublicCategoryStep {
    /// Slug in URLs.
    slug: String,
    /// Name of the category in the best matching locale.
    name: String,
}

impl PublicCategoryDetail {
    /// Returns the last category of a path.
    fn last_of_path(way: &[&PublicCategory]) -> Option<Self> {
        let category = PublicCategory::clone(way.last()?);
        let step = |category: &&PublicCategory| PublicCategoryStep {
            slug: category.slug.clone(),
            name: category.name.clone(),
        };
        Some(Self {
            slug: category.slug,
            name: category.name,
            description: category.description,
            icon: category.icon,
            listings_count: category.listings_count,
            path: way.iter().map(step).collect(),
            children: category.children,
        })
    }
}

/// The complete tree of categories.
#[derive(serde::Serialize, OutputType)]
pub(super) struct PublicCategoryList {
    /// Root categories, in order.
    data: Arc<Vec<PublicCategory>>,
    /// The complete tree is returned in one page, so a next page never exists.
    page: Page,
}

/// Operations of this file.
pub(crate) const OPERATIONS: &[Operation] =
    operations![marketplace_public_categories_list, marketplace_public_categories_get];

/// List public categories.
#[operation(query, access = "storefront", may_lag, reusable("storefront", 25))]
async fn marketplace_public_categories_list(
    cx: &RequestContext,
    locale: Option<String>,
) -> Result<PublicCategoryList, Fault> {
    let page = Page { next_cursor: None, has_more: false };
    let data = tree(cx, locale).await?;
    cx.note_languages(data.iter().flat_map(PublicCategory::locales));
    Ok(PublicCategoryList { data, page })
}

/// Get a public category.
#[operation(query, access = "storefront", may_lag, reusable("storefront", 25))]
async fn marketplace_public_categories_get(
    cx: &RequestContext,
    category_slug: String,
    locale: Option<String>,
) -> Result<PublicCategoryDetail, Fault> {
    let tree = tree(cx, locale).await?;
    let way = |slug: &str| {
        rules::path_to(&tree, |category: &PublicCategory| (category.slug == slug, category.children.as_slice()))
    };
    let found = way(&category_slug);
    if let Some(category) = PublicCategoryDetail::last_of_path(&found) {
        cx.note_languages(found.iter().filter_map(|step| step.locale.as_ref()));
        cx.note_languages(category.children.iter().flat_map(PublicCategory::locales));
        return Ok(category);
    }
    let present = store::get_current_slug(&cx.db, &category_slug).await?;
    match present.filter(|present| !way(present).is_empty()) {
        Some(present) => Err(Fault::moved("category_slug", present)),
        None => Err(Fault::not_found("category")),
    }
}

/// Returns the tree in a locale. All requests share one count while nothing changes.
async fn tree(cx: &RequestContext, locale: Option<String>) -> Result<Arc<Vec<PublicCategory>>, Fault> {
    let stamp = get_stamp(&cx.db).await?;
    let locale = known_locale(cx, &stamp, preference(locale).as_deref()).await?;
    let counted = count(&cx.db, locale.as_deref());
    let question = locale.clone().unwrap_or_default();
    cx.services.state::<PublicCache>().trees.get_or_read(&cx.db, (stamp, question), counted).await
}

async fn count(db: &Db, locale: Option<&str>) -> Result<Vec<PublicCategory>, Fault> {
    let rows = store::tree(db, locale).await?;
    let tree = rules::tree(rows, |row| (row.category_uuid, row.parent_uuid));
    Ok(tree.into_iter().map(PublicCategory::from).collect())
}
