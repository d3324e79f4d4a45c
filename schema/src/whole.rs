//! Answers that are written whole: one walk of serde instead of a future per field.
//!
//! The library resolves every field of every row as a future of its own, which costs more than the
//! statement that fetched the page. A type whose fields are all plain or preloaded needs none of that: when
//! a fixed document asks all of its fields in their order, which [`crate::engine::Plan::prepare`] makes
//! sure of, its bytes are those of serde. A staff member's own query takes the ordinary path.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

use async_graphql::parser::types::Field;
use async_graphql::registry::Registry;
use async_graphql::{ContextSelectionSet, OutputType, Positioned, ServerError, ServerResult, Value};
use serde::Serialize;

use crate::ask::Asking as _;
use crate::fault::Fault;

/// The names of the types that some root field answers whole.
static TYPES: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());

/// An answer that can be written whole. Serde's names and order must be GraphQL's.
pub(crate) struct Whole<T>(pub(crate) T);

/// Whether a type is answered whole somewhere, so that documents must ask all of it.
pub(crate) fn is_whole(type_name: &str) -> bool {
    TYPES.lock().unwrap_or_else(PoisonError::into_inner).contains(type_name)
}

#[async_trait::async_trait]
impl<T: OutputType + Serialize> OutputType for Whole<T> {
    fn type_name() -> Cow<'static, str> {
        T::type_name()
    }

    fn create_type_info(registry: &mut Registry) -> String {
        TYPES.lock().unwrap_or_else(PoisonError::into_inner).insert(T::type_name().into_owned());
        T::create_type_info(registry)
    }

    async fn resolve(&self, ctx: &ContextSelectionSet<'_>, field: &Positioned<Field>) -> ServerResult<Value> {
        if !ctx.ask().is_document {
            return self.0.resolve(ctx, field).await;
        }
        let bytes = serde_json::to_vec(&self.0).map_err(|error| {
            let fault = Fault::internal(error);
            ServerError {
                source: Some(std::sync::Arc::new(fault.clone())),
                ..ServerError::new(fault.to_string(), Some(field.pos))
            }
        })?;
        Ok(Value::Binary(bytes.into()))
    }
}
