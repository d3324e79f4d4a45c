//! What every dataloader does with the rows of its statement.

use std::collections::HashMap;
use std::hash::Hash;

use crate::core::fault::Fault;

/// What there is under each key of a batch: its row, nothing, or the failure that all of the batch share.
pub(crate) fn by_key<K: Copy + Eq + Hash, R>(
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
