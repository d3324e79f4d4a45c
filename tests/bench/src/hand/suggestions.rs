//! Search suggestions from a table of names in memory.

use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};

use axum::Json;
use axum::extract::{Query, State};
use axum::routing::get;
use labs_schema::Engine;
use serde::{Deserialize, Serialize};
use sqlx::FromRow;

use super::kept::Kept;
use super::{Bearer, Refusal};
use crate::cases::{Caller, Case};
use crate::load;
use crate::statements::Statement;

/// Suggestions for the beginning of a number, a different one each time.
pub(crate) static CASE: Case = Case {
    name: "marketplace_listings_suggest",
    bar: 0.9,
    caller: Caller::Partner,
    route: "/v1/marketplace/public/search-suggestions",
    handler: || get(suggest),
    request: |_, at| {
        load::get(&format!("/v1/marketplace/public/search-suggestions?q=app%20{}", 10 + at.drawn() % 990), None)
    },
    varying: &[],
};

static STAMP: Statement = Statement::with(&["select concat_ws('.'", "as \"stamp!\" from category"]);
static NAMES: Statement = Statement::with(&["'LISTING' as \"kind!: SuggestionKind\""]);
/// Statements of this file.
#[cfg(test)]
pub(crate) static STATEMENTS: [&Statement; 2] = [&STAMP, &NAMES];

/// Number of suggestions.
const MOST: usize = 8;
/// Maximum number of names per word.
const MOST_NAMES: usize = 2000;
/// Minimum number of letters for a suggestion.
const SHORTEST: usize = 2;

/// Tables of names by the stamp of the storefront.
static KNOWN: Kept<Names> = Kept::new();

#[derive(Deserialize)]
struct Typed {
    q: String,
}

#[derive(Serialize)]
struct Suggestions {
    data: Vec<Suggestion>,
}

#[derive(Clone, Serialize)]
struct Suggestion {
    kind: Kind,
    text: String,
    slug: Option<String>,
}

/// Kind of a suggestion, in the order in which equal matches are shown.
#[derive(Clone, Copy, Deserialize, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, sqlx::Type)]
#[serde(rename_all = "UPPERCASE")]
#[sqlx(type_name = "text", rename_all = "UPPERCASE")]
enum Kind {
    Word,
    Category,
    Collection,
    Vendor,
    Listing,
}

async fn suggest(
    State(engine): State<Engine>,
    bearer: Bearer,
    Query(typed): Query<Typed>,
) -> Result<Json<Suggestions>, Refusal> {
    bearer.require("storefront")?;
    let stamp: String = sqlx::query_scalar(STAMP.text()?).fetch_one(engine.pool()).await?;
    let names = KNOWN.get(stamp, load(&engine)).await?;
    Ok(Json(Suggestions { data: names.complete(&typed.q.to_lowercase()) }))
}

#[derive(FromRow)]
struct NameRow {
    #[sqlx(rename = "kind!: SuggestionKind")]
    kind: Kind,
    #[sqlx(rename = "text!")]
    text: String,
    #[sqlx(rename = "slug!")]
    slug: String,
    #[sqlx(rename = "weight!")]
    weight: i64,
    tagline: Option<String>,
}

async fn load(engine: &Engine) -> Result<Names, Refusal> {
    let rows = sqlx::query_as(NAMES.text()?).bind(None::<String>).fetch_all(engine.pool()).await?;
    let names = tokio::task::spawn_blocking(move || Names::new(rows)).await;
    names.map_err(|error| anyhow::Error::from(error).into())
}

/// A name that can be suggested.
struct Name {
    shown: Suggestion,
    weight: i64,
    folded: String,
}

/// All names, and each of their words with the names that contain it, best first.
struct Names {
    names: Vec<Name>,
    index: Vec<(String, Vec<usize>)>,
}

impl Names {
    fn new(rows: Vec<NameRow>) -> Self {
        let mut uses: HashMap<String, i64> = HashMap::new();
        for text in rows.iter().flat_map(|row| [Some(row.text.as_str()), row.tagline.as_deref()]).flatten() {
            for word in text.split(|letter: char| !letter.is_alphanumeric()) {
                if word.chars().count() > 3 && word.chars().all(char::is_alphabetic) {
                    *uses.entry(word.to_lowercase()).or_default() += 1;
                }
            }
        }
        let rows = rows.into_iter().map(|row| (row.kind, row.text, Some(row.slug), row.weight));
        let words = uses.into_iter().map(|(word, weight)| (Kind::Word, word, None, weight));
        let name = |(kind, text, slug, weight): (_, String, _, _)| Name {
            folded: text.to_lowercase(),
            shown: Suggestion { kind, text, slug },
            weight,
        };
        let names: Vec<Name> = rows.chain(words).map(name).collect();
        let mut index: HashMap<&str, Vec<usize>> = HashMap::new();
        for (place, name) in names.iter().enumerate() {
            for word in name.folded.split(' ') {
                index.entry(word).or_default().push(place);
            }
        }
        let mut index: Vec<_> = index.into_iter().map(|(word, places)| (word.to_owned(), places)).collect();
        index.sort_unstable();
        for (_, places) in &mut index {
            places.sort_by_key(|place| names.get(*place).map(|name| (name.shown.kind, Reverse(name.weight))));
            places.dedup();
        }
        Self { names, index }
    }

    /// Returns the names that contain all complete words and a word with the last, incomplete one. A numeric word is
    /// too short for a search that allows typing errors.
    fn complete(&self, typed: &str) -> Vec<Suggestion> {
        let (settled, last) = typed.rsplit_once(' ').unwrap_or(("", typed));
        if last.chars().count() < SHORTEST {
            return Vec::new();
        }
        let from = self.index.partition_point(|(word, _)| word.as_str() < last);
        let words = self.index.iter().skip(from).take_while(|(word, _)| word.starts_with(last));
        let mut found: Vec<(bool, &Name)> = words
            .flat_map(|(_, places)| places.iter().take(MOST_NAMES))
            .filter_map(|place| self.names.get(*place))
            .filter(|name| settled.split_whitespace().all(|word| name.folded.split(' ').any(|own| own == word)))
            .map(|name| (!name.folded.starts_with(typed), name))
            .collect();
        found.sort_by(|one, other| {
            let key = |(is_inside, name): &(bool, &Name)| (*is_inside, name.shown.kind, Reverse(name.weight));
            key(one).cmp(&key(other)).then_with(|| one.1.shown.text.cmp(&other.1.shown.text))
        });
        let mut resources = HashSet::new();
        found.retain(|(_, name)| {
            resources.insert((name.shown.kind, name.shown.slug.as_ref().unwrap_or(&name.shown.text)))
        });
        let mut each: HashMap<Kind, usize> = HashMap::new();
        let (first, rest): (Vec<_>, Vec<_>) = found.into_iter().partition(|(_, name)| {
            let so_far = each.entry(name.shown.kind).or_default();
            *so_far += 1;
            *so_far <= MOST / 2
        });
        first.into_iter().chain(rest).take(MOST).map(|(_, name)| name.shown.clone()).collect()
    }
}
