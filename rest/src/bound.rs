//! Operations of the contract, each bound to its implementation at startup.

use std::collections::HashMap;
use std::sync::Arc;

use http::Method;
use labs_core::engine::{PreparedOperation, PreparedSchema};
use serde_json::{Map, Value};

use crate::bind::orders;
use crate::contract::{Computed, Contract, Operation, Parameter};
use crate::documents::Documents;
use crate::sdl::{Kind, Sdl, innermost};

/// Implementation of an operation of the contract.
#[derive(Clone)]
pub(crate) struct BoundOperation {
    /// Document of the operation, bound to the schema; none for an operation that is served directly.
    pub(crate) prepared: Option<Arc<PreparedOperation>>,
    /// Variables whose values are sort orders.
    pub(crate) orders: Vec<String>,
    /// Representation to which `If-Match` of a write refers: the response of GET on the same path.
    pub(crate) representation: Option<Representation>,
}

impl BoundOperation {
    /// Converts the arguments of a query into arguments of a request: fields of an input object become separate
    /// arguments, and sort orders use the contract's words.
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

/// The response of GET on a path.
#[derive(Clone)]
pub(crate) struct Representation {
    /// Document of the GET, bound to the schema.
    pub(crate) prepared: Arc<PreparedOperation>,
    /// Names of its variables.
    pub(crate) variables: Vec<String>,
    /// The fields that change without an edit.
    pub(crate) computed: Computed,
}

/// Binds every document to the schema, by name; errors are added to the list.
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

/// Returns the implementation of each operation, in the contract's order.
pub(crate) fn bind(
    contract: &Contract,
    sdl: &Sdl,
    mut prepared: HashMap<String, PreparedOperation>,
) -> Vec<BoundOperation> {
    let mut orders_of: HashMap<&str, Vec<String>> = HashMap::new();
    for operation in contract.operations() {
        let orders = orders(contract, sdl, operation);
        if let Some(prepared) = prepared.get_mut(&operation.id) {
            prepared.map_enum_words(orders.clone(), orders::name_of);
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

/// Returns the parameters that are enumerations in the schema and whose words in the contract are not its names.
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
