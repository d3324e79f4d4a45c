//! Order of the listings by name, per locale.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Bound;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use fixedbitset::FixedBitSet;
use labs_core::db::Db;
use labs_core::fault::Fault;
use moka::sync::Cache;
use uuid::Uuid;

use super::ListingIndex;
use super::facts::Facts;
use super::store;

/// Maximum idle time of an order.
const IDLE: Duration = Duration::from_secs(3600);
/// Maximum bytes of all orders.
const ROOM: u64 = 64 << 20;
/// Approximate bytes of a listing in an order.
const EACH: usize = 80;
/// Maximum number of names in one statement.
const PIECE: usize = 5_000;

/// Orders by locale.
pub(super) struct NameOrders {
    slots: Cache<String, Arc<Slot>>,
    /// Lock of the request that reads all names.
    reading_all: tokio::sync::Mutex<()>,
}

struct Slot {
    bytes: usize,
    order: Mutex<Option<Arc<NameOrder>>>,
    /// Lock of the request that asks the database.
    asking: tokio::sync::Mutex<()>,
}

/// Listings by name, then by id.
pub(super) struct NameOrder {
    /// Version of the index for which the order is complete.
    version: u64,
    numbers: Arc<Numbers>,
}

type Numbers = BTreeMap<(String, Uuid), usize>;

impl Default for NameOrders {
    fn default() -> Self {
        let weigh = |locale: &String, slot: &Arc<Slot>| u32::try_from(locale.len() + slot.bytes).unwrap_or(u32::MAX);
        let slots = Cache::builder().max_capacity(ROOM).weigher(weigh).time_to_idle(IDLE).build();
        Self { slots, reading_all: tokio::sync::Mutex::default() }
    }
}

impl NameOrders {
    /// Returns the order in a locale. The first request reads all names, later ones only the names of the listings that
    /// have changed.
    ///
    /// # Errors
    /// If the database does not answer, or if earlier reads of the account take too long.
    pub(super) async fn order(
        &self,
        index: &ListingIndex,
        db: &Db,
        locale: Option<&str>,
    ) -> Result<Arc<NameOrder>, Fault> {
        let bytes = EACH * index.read(Facts::len);
        let new = || Arc::new(Slot { bytes, order: Mutex::default(), asking: tokio::sync::Mutex::default() });
        let slot = self.slots.get_with(locale.unwrap_or_default().to_owned(), new);
        if let Some(known) = slot.order().filter(|known| known.version == index.read(|facts| facts.version)) {
            return Ok(known);
        }
        db.release().await;
        db.reserve_turn().await?;
        let _asking = slot.asking.lock().await;
        let known = slot.order();
        let (version, changed) = index.read(|facts| {
            let changed = known.as_ref().and_then(|known| facts.changed_since(known.version));
            (facts.version, changed)
        });
        let mut reading_all = None;
        let (mut numbers, changed) = match (known, changed) {
            (Some(known), _) if known.version == version => return Ok(known),
            (Some(known), Some(changed)) => (Arc::clone(&known.numbers), changed),
            _ => {
                reading_all = Some(self.reading_all.lock().await);
                (Arc::default(), index.read(|facts| facts.uuids_of(&facts.visible)))
            }
        };
        let mut names = Vec::with_capacity(changed.len());
        for piece in changed.chunks(PIECE) {
            let read = store::sort_names(db, locale, piece).await?;
            names.extend(read.into_iter().map(|of| (of.name, of.app_uuid)));
        }
        drop(reading_all);
        // Most changes are ratings.
        let is_same = names.len() == changed.len() && names.iter().all(|name| numbers.contains_key(name));
        if !is_same {
            let changed: BTreeSet<&Uuid> = changed.iter().collect();
            let numbers = Arc::make_mut(&mut numbers);
            numbers.retain(|(_, app_uuid), _| !changed.contains(app_uuid));
            index.read(|facts| {
                let numbered = names.into_iter().filter_map(|name| facts.number(&name.1).map(|number| (name, number)));
                numbers.extend(numbered);
            });
        }
        let order = Arc::new(NameOrder { version, numbers });
        *slot.order.lock().unwrap_or_else(PoisonError::into_inner) = Some(Arc::clone(&order));
        Ok(order)
    }
}

impl Slot {
    fn order(&self) -> Option<Arc<NameOrder>> {
        self.order.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl NameOrder {
    /// Returns the first of the found listings after a name and an id.
    pub(super) fn page(&self, found: &FixedBitSet, after: Option<(String, Uuid)>, most: usize) -> Vec<Uuid> {
        let start = after.map_or(Bound::Unbounded, Bound::Excluded);
        let later = self.numbers.range((start, Bound::Unbounded)).filter(|(_, number)| found.contains(**number));
        later.map(|((_, app_uuid), _)| *app_uuid).take(most).collect()
    }
}
