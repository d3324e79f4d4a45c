//! Choice of the listings among which a page of a search is.
//!
//! The database finds a page quickly if it meets the rows of the page soon in the order of an index. It does not if few
//! listings match, if the order is by name, or if many listings have to be ranked. The index then returns the listings
//! that come into question, and the database reads, orders and checks only these.

use std::collections::BTreeSet;

use fixedbitset::FixedBitSet;
use labs_core::context::RequestContext;
use labs_core::fault::Fault;
use labs_core::list::{PageRequest, SqlValue};
use uuid::Uuid;

use super::ListingIndex;
use crate::listings::list::{ListingSort, Search};
use crate::public_cache::get_stamp;

/// Minimum number of visible listings for a choice. The database reads fewer quickly.
const LARGE: usize = 2_000;
/// Maximum number of chosen listings whose order the database computes.
const FEW: usize = 500;
/// Maximum number of ranked listings of each group (the contract's `marketplace_listings_search`).
const RANKED: usize = 1_000;
/// Default number of listings of a page.
const USUAL: i32 = 20;
/// Maximum number of listings of a page.
const MOST: usize = 100;
/// Further listings, in case some of the page no longer match when the database reads them.
const SPARE: usize = 10;

/// How the database finds the page of a search.
#[derive(Debug, Default)]
pub(in crate::listings) enum Choice {
    /// It finds all listings that match.
    #[default]
    Database,
    /// It tests listings in the order of the page, because many match.
    Frequent,
    /// It reads only these listings, among which are all that match.
    Among(Vec<Uuid>),
    /// It reads only these listings, which are the next in the order of the page.
    Next(Vec<Uuid>),
}

/// Decides how the database finds a page in any order except relevance. `cursor_keys` returns the keys of the row
/// before the page.
///
/// # Errors
/// The error of `cursor_keys`, or if the database does not answer.
pub(in crate::listings) async fn choose(
    cx: &RequestContext,
    search: &Search,
    request: &PageRequest<ListingSort>,
    cursor_keys: impl FnOnce() -> Result<Option<Vec<SqlValue>>, Fault>,
) -> Result<Choice, Fault> {
    let (index, is_by_name) = (cx.services.state::<ListingIndex>(), request.sort == ListingSort::Name);
    let may_be_few =
        || index.read(|facts| facts.matching(&search.filter, None).count_ones(..)) <= FEW || search.typed.is_some();
    if !index.is_large() {
        return Ok(Choice::Database);
    }
    let is_slow = is_by_name || (search.is_narrowed() && may_be_few());
    if !is_slow {
        return Ok(Choice::Frequent);
    }
    let found = find(cx, &index, search).await?;
    if found.count_ones(..) <= FEW {
        return Ok(Choice::Among(index.read(|facts| facts.uuids_of(&found))));
    }
    if !is_by_name {
        return Ok(Choice::Frequent);
    }
    let asked = search.locale.as_deref();
    let known = index.read(|facts| {
        let known = facts.locale(asked);
        facts.is_same_choice(asked, known.as_deref()).then_some(known)
    });
    let Some(locale) = known else { return Ok(Choice::Database) };
    let after = match cursor_keys()?.as_deref() {
        None => None,
        Some([SqlValue::Text(name), SqlValue::Id(app_uuid)]) => Some((name.clone(), *app_uuid)),
        Some(_) => return Ok(Choice::Database),
    };
    let order = index.names.order(&index, &cx.db, locale.as_deref()).await?;
    let limit = usize::try_from(request.limit.unwrap_or(USUAL)).unwrap_or_default().clamp(1, MOST);
    let wanted = limit + 1 + SPARE;
    let next = order.page(&found, after, wanted);
    Ok(if next.len() < wanted { Choice::Among(next) } else { Choice::Next(next) })
}

/// Chooses the listings that are ranked for a page by relevance: the newest of each group.
///
/// # Errors
/// If the database does not answer.
pub(in crate::listings) async fn choose_ranked(cx: &RequestContext, search: &Search) -> Result<Choice, Fault> {
    let index = cx.services.state::<ListingIndex>();
    let Some(words) = search.search_terms().filter(|_| index.is_large()) else { return Ok(Choice::Database) };
    let found = find(cx, &index, search).await?;
    let matches = index.terms.matches(&index, &cx.db, words).await?;
    Ok(Choice::Among(index.read(|facts| {
        let groups = [&matches.whole_name, &matches.in_name, &matches.anywhere].map(|group| {
            let mut group = group.clone();
            group.intersect_with(&found);
            facts.newest(&group, RANKED)
        });
        let ranked: BTreeSet<usize> = groups.into_iter().flatten().collect();
        ranked.into_iter().map(|number| facts.app_uuid(number)).collect()
    })))
}

/// Returns the listings that match a search in the current state of the storefront.
async fn find(cx: &RequestContext, index: &ListingIndex, search: &Search) -> Result<FixedBitSet, Fault> {
    let stamp = get_stamp(&cx.db).await?;
    index.update(&cx.db, &stamp).await?;
    let matches = match search.search_terms() {
        Some(words) => Some(index.terms.matches(index, &cx.db, words).await?),
        None => None,
    };
    Ok(index.read(|facts| facts.matching(&search.filter, matches.as_ref().map(|matches| &matches.anywhere))))
}

impl ListingIndex {
    fn is_large(&self) -> bool {
        self.read(|facts| facts.visible.count_ones(..)) >= LARGE
    }
}
