//! Changes of rights, as far as they decide whether a cached principal is still valid.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use moka::notification::RemovalCause;
use moka::sync::Cache;

use super::VOUCHED;
use crate::time::Time;

/// Sources of a principal, used to detect that it is out of date.
pub(super) struct PrincipalSource {
    pub(super) subjects: Vec<String>,
    /// Generation that was current before the principal was loaded.
    pub(super) generation: u64,
    /// Time at which the loaded rights expire without a change: the end of an override.
    pub(super) good_until: Option<Time>,
}

/// Creates the cache of changed subjects. If it is full, the change of a subject is lost, and with it the knowledge
/// which entries it concerns. All entries of earlier generations are then out of date.
pub(super) fn changes(capacity: u64, floor: Arc<AtomicU64>) -> Cache<String, u64> {
    Cache::builder()
        .max_capacity(capacity)
        .time_to_live(Duration::from_secs(7200))
        .eviction_listener(move |_, generation, cause| {
            if cause == RemovalCause::Size {
                floor.fetch_max(generation, Ordering::AcqRel);
            }
        })
        .build()
}

/// State of the change feed.
pub(super) struct ChangeFeed<'a> {
    /// Time since the last moment at which all committed changes were known.
    pub(super) age: Duration,
    /// Entries of an earlier generation are out of date.
    pub(super) floor: u64,
    /// Generation of the last change of each subject.
    pub(super) changed: &'a Cache<String, u64>,
}

impl PrincipalSource {
    /// Whether the entry is still valid according to the feed.
    pub(super) fn is_vouched_for(&self, feed: &ChangeFeed<'_>, now: Time) -> bool {
        feed.age < VOUCHED
            && self.good_until.is_none_or(|until| now < until)
            && self.generation >= feed.floor
            && self
                .subjects
                .iter()
                .all(|subject| feed.changed.get(subject).is_none_or(|changed| changed <= self.generation))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn change_that_does_not_fit_raises_floor() {
        let floor = Arc::new(AtomicU64::new(1));
        let changed = changes(10, Arc::clone(&floor));
        for generation in 2..=101 {
            changed.insert(format!("person:{generation}"), generation);
        }
        changed.run_pending_tasks();
        let is_known = |generation: u64| {
            changed.get(&format!("person:{generation}")).is_some() || floor.load(Ordering::Acquire) >= generation
        };
        assert!((2..=101).all(is_known));
        assert!(changed.entry_count() <= 10);
    }

    #[test]
    fn cached_authority_is_valid_while_change_feed_is_fresh() {
        let now = Time(jiff::Timestamp::from_second(1_795_267_500).unwrap());
        let changed = Cache::new(10);
        changed.insert("person:a".to_owned(), 7);
        let feed =
            |milliseconds, floor| ChangeFeed { age: Duration::from_millis(milliseconds), floor, changed: &changed };
        let basis = |subject: &str, generation, good_until| PrincipalSource {
            subjects: vec!["tier:t".to_owned(), subject.to_owned()],
            generation,
            good_until,
        };
        assert!(basis("person:a", 7, None).is_vouched_for(&feed(999, 7), now));
        assert!(!basis("person:a", 7, None).is_vouched_for(&feed(1000, 7), now), "nothing was heard for a second");
        assert!(!basis("person:a", 7, None).is_vouched_for(&feed(0, 8), now), "the feed has begun anew");
        assert!(!basis("person:a", 6, None).is_vouched_for(&feed(0, 1), now), "it has changed since");
        assert!(basis("person:b", 6, None).is_vouched_for(&feed(0, 1), now), "somebody else has");
        assert!(basis("person:a", 7, Some(now.plus_seconds(1))).is_vouched_for(&feed(0, 1), now));
        assert!(!basis("person:a", 7, Some(now)).is_vouched_for(&feed(0, 1), now), "an override has ended");
    }
}
