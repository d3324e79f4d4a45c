//! Index of the visible listings in memory, for the work of a search whose cost would grow with the storefront.
//!
//! - Facets count the whole result. The index has one bit per listing and property, and counts 200,000 listings in about
//!   a millisecond ([`get_facets`]). The database returns only the listings that match a search term, once per term.
//! - If the database would have to read a large part of the listings to find a page, the index chooses the listings, and
//!   the database reads only these ([`Choice`]).
//!
//! Nothing is computed again after a publication: the feed of changes (`listing_change`) names the changed listings, and
//! the index reads only these. A request reads the feed if its stamp differs from the index's, or if the last reading is
//! older than [`FRESH`]. [`watch`] reads the index at the start, and compares it with the database every
//! [`COMPARED`].

mod choose;
mod count;
mod facts;
mod names;
mod store;
mod terms;

use std::collections::BTreeSet;
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};
use std::time::Duration;

use labs_core::context::RequestContext;
use labs_core::db::Db;
use labs_core::fault::Fault;
use labs_core::services::Services;
use sqlx::PgPool;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use self::facts::Facts;
use self::names::NameOrders;
use self::terms::Terms;
use super::list::Search;
use super::types::ListingFacets;
use crate::public_cache::PublicCache;

pub(super) use self::choose::{Choice, choose, choose_ranked};

/// Time without a change of the stamp after which a request reads the feed. Ratings do not change the stamp.
const FRESH: Duration = Duration::from_secs(5);
/// Time after which the index is compared with the database, in case that was restored to an earlier moment.
const COMPARED: Duration = Duration::from_secs(3600);

/// Index of the visible listings.
#[derive(Default)]
pub(super) struct ListingIndex {
    contents: RwLock<Contents>,
    /// Lock of the request that reads changes.
    reading: tokio::sync::Mutex<()>,
    terms: Terms,
    names: NameOrders,
}

#[derive(Default)]
struct Contents {
    facts: Facts,
    read: Option<Reading>,
}

/// State of the storefront that the index has read.
#[derive(Clone)]
struct Reading {
    /// Stamp of the last request for which the feed was read.
    stamp: String,
    /// Last position of the feed.
    place: i64,
    read_at: Instant,
}

/// Reads the index when the service starts, and compares it with the database every [`COMPARED`] until cancelled.
/// Searches do not wait for the comparison.
pub async fn watch(services: Arc<Services>, pool: PgPool, stop: CancellationToken) {
    let (index, db) = (services.state::<ListingIndex>(), Db::from_pool(pool));
    let mut wait = Duration::ZERO;
    loop {
        let compare = async {
            tokio::time::sleep(wait).await;
            index.compare(&db).await
        };
        let compared = tokio::select! {
            () = stop.cancelled() => return,
            compared = compare => compared,
        };
        if let Err(fault) = compared {
            tracing::warn!(cause = fault.for_log(), "the index of listings could not be compared with the database");
        }
        wait = COMPARED;
    }
}

/// Returns the facets of a search. The stamp of the storefront identifies the least state that they count.
///
/// # Errors
/// If the database does not answer.
pub(super) async fn get_facets(cx: &RequestContext, search: &Search, stamp: &str) -> Result<Arc<ListingFacets>, Fault> {
    let index = cx.services.state::<ListingIndex>();
    index.update(&cx.db, stamp).await?;
    let (version, search) = index.read(|facts| (facts.version, facts.canonical_search(search)));
    let count = async {
        let matches = match &search.typed {
            Some(words) => Some(index.terms.matches(&index, &cx.db, words).await?),
            None => None,
        };
        let found = matches.as_ref().map(|matches| &matches.anywhere);
        Ok(index.read(|facts| facts.count(&search.filter, found, search.locale.as_deref())))
    };
    let question = format!("{search:?}");
    cx.services.state::<PublicCache>().facets.get_or_read(&cx.db, (version.to_string(), question), count).await
}

/// Returns the preference of the stored locale that best matches a reader's. `None` if no locale matches. So a caller
/// cannot force new answers with invented locales.
///
/// # Errors
/// If the database does not answer.
pub(crate) async fn known_locale(
    cx: &RequestContext,
    stamp: &str,
    asked: Option<&str>,
) -> Result<Option<String>, Fault> {
    if asked.is_none() {
        return Ok(None);
    }
    let index = cx.services.state::<ListingIndex>();
    index.update(&cx.db, stamp).await?;
    Ok(index.read(|facts| facts.locale(asked)))
}

impl ListingIndex {
    fn read<T>(&self, look: impl FnOnce(&Facts) -> T) -> T {
        look(&self.contents().facts)
    }

    fn contents(&self) -> RwLockReadGuard<'_, Contents> {
        self.contents.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn contents_mut(&self) -> RwLockWriteGuard<'_, Contents> {
        self.contents.write().unwrap_or_else(PoisonError::into_inner)
    }

    fn is_current(&self, stamp: &str) -> bool {
        let contents = self.contents();
        contents.read.as_ref().is_some_and(|read| read.stamp == stamp && read.read_at.elapsed() < FRESH)
    }

    /// Reads the changes of the storefront, if there may be any. One request reads them, and others wait for it.
    async fn update(&self, db: &Db, stamp: &str) -> Result<(), Fault> {
        if self.is_current(stamp) {
            return Ok(());
        }
        db.release().await;
        db.reserve_turn().await?;
        let _reading = self.reading.lock().await;
        if self.is_current(stamp) {
            return Ok(());
        }
        // All readers use the index, so no read replica may be behind its stamp.
        let db = &db.of_leader();
        let (known, read_at) = (self.contents().read.clone(), Instant::now());
        let place = match known {
            Some(known) => self.follow(db, known.place).await?,
            None => self.load(db).await?,
        };
        let (tree, collections) = (store::categories(db).await?, store::collections(db).await?);
        let mut contents = self.contents_mut();
        contents.facts.replace_tree(tree);
        contents.facts.replace_collections(collections);
        contents.read = Some(Reading { stamp: stamp.to_owned(), place, read_at });
        Ok(())
    }

    /// Reads the changes after a position. Returns the last position.
    async fn follow(&self, db: &Db, mut place: i64) -> Result<i64, Fault> {
        loop {
            let changes = store::changes_after(db, place).await?;
            let positions = || changes.iter().filter_map(|change| change.place);
            let (last, count) = (positions().max(), positions().count());
            self.read_again(db, changes.iter().map(|change| change.app_uuid).collect()).await?;
            place = last.unwrap_or(place);
            if count < store::CHANGES {
                return Ok(place);
            }
        }
    }

    async fn read_again(&self, db: &Db, app_uuids: BTreeSet<Uuid>) -> Result<(), Fault> {
        if app_uuids.is_empty() {
            return Ok(());
        }
        let app_uuids: Vec<Uuid> = app_uuids.into_iter().collect();
        let rows = store::facts_of(db, &app_uuids).await?;
        self.contents_mut().facts.apply(&app_uuids, rows);
        Ok(())
    }

    /// Reads all listings. Each keeps its number, because the matches of search terms contain the numbers. Returns the
    /// last position before the reading.
    async fn load(&self, db: &Db) -> Result<i64, Fault> {
        let place = store::last_place(db).await?;
        let (mut facts, mut last) = (self.read(Facts::emptied), Uuid::nil());
        loop {
            let page = store::visible_after(db, last).await?;
            let Some(end) = page.last() else { break };
            last = *end;
            let rows = store::facts_of(db, &page).await?;
            facts.apply(&page, rows);
        }
        self.contents_mut().facts = facts;
        Ok(place)
    }

    /// Compares all listings with the database, page by page, and corrects those that differ. If the feed ends before the
    /// position that the index has read, the database was restored; then it reads everything again.
    async fn compare(&self, db: &Db) -> Result<(), Fault> {
        let known = self.contents().read.clone();
        let place = store::last_place(db).await?;
        if known.is_none_or(|known| known.place > place) {
            self.contents_mut().read = None;
            return self.update(db, "").await;
        }
        let mut last = Uuid::nil();
        loop {
            let _reading = self.reading.lock().await;
            let page = store::visible_after(db, last).await?;
            let rows = store::facts_of(db, &page).await?;
            let end = page.last().copied();
            self.contents_mut().facts.correct(last, end.unwrap_or(Uuid::max()), rows);
            let Some(end) = end else { return Ok(()) };
            last = end;
        }
    }
}
