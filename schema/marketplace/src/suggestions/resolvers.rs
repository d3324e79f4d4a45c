//! Resolvers of search suggestions.

use labs_core::context::RequestContext;
use labs_core::describe::OutputType;
use labs_core::fault::Fault;
use labs_core::locale::preference;
use labs_core::operation::{Operation, operation, operations};
use labs_core::texts::first_words;

use super::rules::{Name, Names, SuggestionKind};
use super::store;
use crate::listings::known_locale;
use crate::public_cache::{PublicCache, get_stamp};

/// Default number of suggestions.
const FEW: i32 = 8;
/// Maximum number of suggestions.
const MOST: i32 = 20;

/// A suggested completion of the search text.
#[derive(Debug, serde::Serialize, OutputType)]
pub(super) struct SearchSuggestion {
    /// Kind of suggestion. Kinds may be added.
    kind: SuggestionKind,
    /// Suggested text.
    text: String,
    /// Slug of the suggested resource. Null for a word, which is a search text.
    slug: Option<String>,
}

/// Suggested completions of the search text, best match first.
#[derive(Debug, serde::Serialize, OutputType)]
pub(super) struct SearchSuggestionList {
    /// Suggestions, best match first.
    data: Vec<SearchSuggestion>,
}

/// Operations of this file.
pub(crate) const OPERATIONS: &[Operation] = operations![marketplace_listings_suggest];

/// List search suggestions.
#[operation(query, access = "storefront", may_lag, reusable("storefront", 25))]
async fn marketplace_listings_suggest(
    cx: &RequestContext,
    q: String,
    locale: Option<String>,
    limit: Option<i32>,
) -> Result<SearchSuggestionList, Fault> {
    let stamp = get_stamp(&cx.db).await?;
    let locale = known_locale(cx, &stamp, preference(locale).as_deref()).await?;
    let cache = cx.services.state::<PublicCache>();
    let make = async {
        let (names, taglines) = store::names_all(&cx.db, locale.as_deref()).await?;
        cx.db.release().await;
        // Builds one table at a time, regardless of the number of requested locales.
        let _building = cache.making_names.lock().await;
        tokio::task::spawn_blocking(move || Names::new(names, &taglines))
            .await
            .map_err(|error| Fault::internal(format!("the table of names could not be created: {error}")))
    };
    let names = cache.names.get_or_read(&cx.db, (stamp, locale.clone().unwrap_or_default()), make).await?;
    let most = usize::try_from(limit.unwrap_or(FEW).clamp(1, MOST)).unwrap_or(1);
    let found = names.complete(first_words(&q), most);
    cx.note_languages(found.iter().filter_map(|name| name.locale.as_ref()));
    let show = |Name { kind, text, slug, .. }| SearchSuggestion { kind, text, slug };
    Ok(SearchSuggestionList { data: found.into_iter().map(show).collect() })
}
