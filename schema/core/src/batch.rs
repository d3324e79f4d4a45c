//! Helper that every dataloader uses for the rows of its statement.

use std::collections::HashMap;
use std::hash::Hash;

use crate::fault::Fault;

/// Assigns each key of a batch its row, if any, or the failure of the whole batch.
pub fn collect_by_key<K: Copy + Eq + Hash, R>(
    keys: &[K],
    rows: Result<Vec<R>, Fault>,
    key_of: impl Fn(&R) -> K,
) -> HashMap<K, Result<Option<R>, Fault>> {
    match rows {
        Err(fault) => keys.iter().map(|key| (*key, Err(fault.clone()))).collect(),
        Ok(rows) => {
            let mut found: HashMap<K, R> = rows.into_iter().map(|row| (key_of(&row), row)).collect();
            keys.iter().map(|key| (*key, Ok(found.remove(key)))).collect()
        }
    }
}
