//! Operations of the contract, each bound at start-up to what answers it.

use std::collections::HashMap;
use std::sync::Arc;

use http::Method;
use labs_schema::engine::{PreparedOperation, PreparedSchema};
use serde_json::{Map, Value};

use crate::bind::orders;
use crate::contract::{Computed, Contract, Operation, Parameter};
use crate::documents::Documents;
use crate::sdl::{Kind, Sdl, innermost};

/// What answers an operation of the contract.
#[derive(Clone)]
pub(crate) struct BoundOperation {
    /// Its document, bound to the schema; none for what is served directly.
    pub(crate) prepared: Option<Arc<PreparedOperation>>,
    /// The variables whose words are those of orders.
    pub(crate) orders: Vec<String>,
    /// The representation that `If-Match` of a write speaks of: what GET answers on the same path.
    pub(crate) representation: Option<Representation>,
}

impl BoundOperation {
    /// Takes a query's arguments for a request's: those of an input object each by itself, orders as the contract calls
    /// them.
    pub(crate) fn as_requested(&self, arguments: &Map<String, Value>) -> Map<String, Value> {
        let mut requested = Map::new();
        for (name, value) in arguments {
            match value {
                Value::Object(fields) if name != "body" => requested.extend(fields.clone()),
                value => {
                    requested.insert(name.clone(), value.clone());
                }
            }
        }
        for name in &self.orders {
            if let Some(Value::String(order)) = requested.get_mut(name) {
                *order = orders::word_of(order);
            }
        }
        requested
    }
}

/// What GET answers on a path.
#[derive(Clone)]
pub(crate) struct Representation {
    /// Its document, bound to the schema.
    pub(crate) prepared: Arc<PreparedOperation>,
    /// The names of its variables.
    pub(crate) variables: Vec<String>,
    /// What of it changes without anybody editing it.
    pub(crate) computed: Computed,
}

/// Every document bound to the schema, by its name; what does not fit joins what was found.
pub(crate) async fn prepare(
    plan: &PreparedSchema,
    documents: Option<&Documents>,
    found: &mut Vec<String>,
) -> HashMap<String, PreparedOperation> {
    let mut prepared = HashMap::new();
    for document in documents.into_iter().flat_map(Documents::iter) {
        match plan.prepare(&document.name, document.parsed.clone()).await {
            Ok(operation) => {
                prepared.insert(document.name.clone(), operation);
            }
            Err(breaches) => found.extend(breaches.into_iter().map(|what| format!("{}: {what}", document.file))),
        }
    }
    prepared
}

/// What answers each operation, in the contract's order.
pub(crate) fn bind(
    contract: &Contract,
    sdl: &Sdl,
    mut prepared: HashMap<String, PreparedOperation>,
) -> Vec<BoundOperation> {
    let mut orders_of: HashMap<&str, Vec<String>> = HashMap::new();
    for operation in contract.operations() {
        let orders = orders(contract, sdl, operation);
        if let Some(prepared) = prepared.get_mut(&operation.id) {
            prepared.spell(orders.clone(), orders::name_of);
        }
        orders_of.insert(&operation.id, orders);
    }
    let prepared: HashMap<_, _> = prepared.into_iter().map(|(id, operation)| (id, Arc::new(operation))).collect();
    let bound = contract.operations().iter().map(|operation| BoundOperation {
        prepared: prepared.get(&operation.id).cloned(),
        orders: orders_of.remove(operation.id.as_str()).unwrap_or_default(),
        representation: representation(contract, &prepared, operation),
    });
    bound.collect()
}

/// The parameters that the schema takes as an enumeration, and whose words in the contract are none of its names.
fn orders(contract: &Contract, sdl: &Sdl, operation: &Operation) -> Vec<String> {
    let words = |parameter: &&Parameter| {
        let words = contract.resolve(&parameter.schema).get("enum").and_then(Value::as_array);
        orders::are_orders(words.into_iter().flatten().filter_map(Value::as_str))
    };
    let is_enumeration = |parameter: &&Parameter| {
        let inputs = sdl.root(&operation.id).map(|(_, field)| sdl.inputs(field)).unwrap_or_default();
        let mut named = inputs.into_iter().filter(|(name, _)| *name == parameter.name);
        named.any(|(_, ty)| matches!(sdl.kind(innermost(ty)), Some(Kind::Enum(_))))
    };
    let parameters = operation.parameters.iter().filter(words).filter(is_enumeration);
    parameters.map(|parameter| parameter.name.clone()).collect()
}

fn representation(
    contract: &Contract,
    prepared: &HashMap<String, Arc<PreparedOperation>>,
    operation: &Operation,
) -> Option<Representation> {
    if !operation.is_write() || !operation.takes_if_match {
        return None;
    }
    let same = |other: &&Arc<Operation>| other.path == operation.path && other.method == Method::GET;
    let get = contract.operations().iter().find(same)?;
    let variables = get.parameters.iter().map(|parameter| parameter.name.clone()).collect();
    let computed = get.computed.clone();
    Some(Representation { prepared: Arc::clone(prepared.get(&get.id)?), variables, computed })
}
