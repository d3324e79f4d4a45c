//! The named elements of the contract: operations with their parameters, and the fields of named schemas with the
//! operations that read and return them.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use labs_core::surface::{ContractDifference, ServedContract, Surface};
use serde_json::Value;

use super::compare::{Difference, compare};
use super::{Contract, EMBEDDED as EMBEDDED_TEXT, Operation, ParameterIn, SchemaId, below, embedded_document, yaml};

/// Maximum depth of the search in a body or a response.
const DEEPEST: usize = 16;

static EMBEDDED: LazyLock<Surface> =
    LazyLock::new(|| Contract::embedded().map(|contract| of(&contract)).unwrap_or_default());

/// Returns the elements of the embedded contract. It is parsed at the first call.
#[must_use]
pub fn surface() -> &'static Surface {
    &EMBEDDED
}

/// Returns the embedded contract for the schema crate.
#[must_use]
pub fn served_contract() -> ServedContract {
    static DIGEST: LazyLock<String> = LazyLock::new(|| super::sha256(EMBEDDED_TEXT.as_bytes()));
    ServedContract { surface, text: || (EMBEDDED_TEXT, &DIGEST), differences_since, make: crate::generated::make }
}

fn differences_since(former: &str) -> Result<Vec<ContractDifference>, String> {
    static PRESENT: LazyLock<Result<Value, String>> = LazyLock::new(embedded_document);
    let present = PRESENT.as_ref().map_err(Clone::clone)?;
    let differences = compare(&yaml::read(former)?, present).into_iter();
    let told =
        differences.map(|Difference { place, text, operations, .. }| ContractDifference { place, text, operations });
    Ok(told.collect())
}

/// Returns the elements of a contract.
pub(super) fn of(contract: &Contract) -> Surface {
    let mut surface = Surface::default();
    for operation in contract.operations() {
        let sent = operation.parameters.iter().filter(|parameter| parameter.place != ParameterIn::Path);
        let named = sent.map(|parameter| (parameter.name.clone(), values(contract, &parameter.schema)));
        surface.operations.insert(operation.id.clone(), named.collect());
        for form in operation.body.iter().flat_map(|body| &body.forms) {
            Walk::new(contract, &mut surface, operation, true).begin(form.schema);
        }
        let answers = operation.responses.range(200..300).flat_map(|(_, response)| response.media.values().flatten());
        for schema in answers {
            Walk::new(contract, &mut surface, operation, false).begin(*schema);
        }
    }
    surface
}

/// Returns the values that a schema lists; for a list, the values of its entries.
fn values(contract: &Contract, schema: &Value) -> BTreeSet<String> {
    let schema = contract.resolve(schema);
    let listed = schema.get("enum").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str);
    let mut found: BTreeSet<String> = listed.map(str::to_owned).collect();
    let alternatives =
        ["oneOf", "anyOf", "allOf"].into_iter().filter_map(|word| schema.get(word)?.as_array()).flatten();
    for inner in alternatives.chain(schema.get("items")) {
        found.extend(values(contract, inner));
    }
    found
}

/// A traversal of the data that one operation reads or returns.
struct Walk<'w> {
    contract: &'w Contract,
    surface: &'w mut Surface,
    operation: &'w Operation,
    is_read: bool,
    /// Named schemas on the current path, so that the traversal of a recursive schema ends.
    within: Vec<String>,
}

impl<'w> Walk<'w> {
    fn new(contract: &'w Contract, surface: &'w mut Surface, operation: &'w Operation, is_read: bool) -> Self {
        Self { contract, surface, operation, is_read, within: Vec::new() }
    }

    /// Enters the schema of a whole body or response.
    fn begin(&mut self, id: SchemaId) {
        self.within.extend(self.contract.book.component(id).map(str::to_owned));
        self.through(self.contract.schema(id), "");
    }

    /// Enters a schema at a place; the innermost named schema is the owner of its fields.
    fn enter(&mut self, schema: &Value, at: &str) {
        let name = schema.get("$ref").and_then(Value::as_str).and_then(|to| to.rsplit('/').next());
        match name {
            Some(name) if self.within.iter().any(|known| known == name) => {}
            Some(name) => {
                self.within.push(name.to_owned());
                self.through(self.contract.resolve(schema), at);
                self.within.pop();
            }
            None => self.through(schema, at),
        }
    }

    fn through(&mut self, schema: &Value, at: &str) {
        if at.matches('/').count() > DEEPEST {
            return;
        }
        for (field, inner) in schema.get("properties").and_then(Value::as_object).into_iter().flatten() {
            let place = below(at, field);
            self.note(field, inner, &place);
            self.enter(inner, &place);
        }
        for inner in [schema.get("items"), schema.get("additionalProperties")].into_iter().flatten() {
            self.enter(inner, &format!("{at}/*"));
        }
        for inner in ["oneOf", "anyOf", "allOf"].into_iter().filter_map(|word| schema.get(word)?.as_array()).flatten() {
            self.enter(inner, at);
        }
    }

    fn note(&mut self, field: &str, schema: &Value, place: &str) {
        let Some(owner) = self.within.last() else { return };
        let known = self.surface.fields.entry((owner.clone(), field.to_owned())).or_default();
        if known.values.is_empty() {
            known.values = values(self.contract, schema);
        }
        let id = self.operation.id.clone();
        if self.is_read {
            known.read_by.entry(id).or_default().insert(place.to_owned());
        } else {
            known.answered_by.insert(id);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    #[test]
    fn contract_surface_lists_operations_parameters_fields_and_values() {
        let surface = surface();
        let jobs = &surface.operations["admin_jobs_list"];
        assert!(jobs["state"].contains("PAUSED") && jobs.contains_key("limit"));
        assert!(!surface.operations["admin_jobs_run"].contains_key("job_code"), "what the path names is no parameter");
        let field = |schema: &str, name: &str| &surface.fields[&(schema.to_owned(), name.to_owned())];
        let network = field("NetworkDenialInput", "network");
        assert_eq!(
            network.read_by,
            BTreeMap::from([("admin_network_denials_create".to_owned(), BTreeSet::from(["/network".to_owned()]))])
        );
        assert!(network.answered_by.is_empty());
        let state = field("Job", "state");
        assert!(state.answered_by.contains("admin_jobs_list") && state.answered_by.contains("admin_jobs_pause"));
        assert!(state.values.contains("PAUSED") && state.read_by.is_empty());
    }
}
