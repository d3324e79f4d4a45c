//! Map with one value per type, for state that the core stores without depending on its type.

use std::any::{Any, TypeId};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

/// Map with one value per type, created on first use.
#[derive(Default)]
pub struct TypeMap(Mutex<HashMap<TypeId, Arc<dyn Any + Send + Sync>>>);

impl TypeMap {
    /// Returns the value of a type.
    pub fn get_or_make<T: Any + Send + Sync>(&self, make: impl Fn() -> T) -> Arc<T> {
        let mut values = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let value = values.entry(TypeId::of::<T>()).or_insert_with(|| Arc::new(make()));
        Arc::clone(value).downcast().unwrap_or_else(|_| Arc::new(make()))
    }
}
