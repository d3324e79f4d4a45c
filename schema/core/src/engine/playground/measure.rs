//! Size of a query with its fragments spread, computed without spreading them.
//!
//! Each fragment is measured once and cached, so a kilobyte of fragments that double each other costs a kilobyte of
//! work. A cycle is an error.

use std::collections::{BTreeSet, HashMap};

use async_graphql::Name;
use async_graphql::parser::types::{ExecutableDocument, Field, OperationDefinition, Selection, SelectionSet};

use super::asked;
use crate::engine::prepare::{Nested, Read};

/// Maximum number of fields of a query, with its fragments spread.
const MOST_NODES: u64 = 500;
/// Maximum nesting. The standard introspection query needs 13.
const DEEPEST: u64 = 15;
/// Maximum nesting including fragments, up to which the measurement recurses, because each level needs stack space.
const DEEPEST_FOLLOWED: u64 = 48;
/// Maximum number of rows and fields in an answer, computed from the limits of the lists.
const MOST_COST: u64 = 50_000;
/// Maximum number of schema elements that introspection may return, computed in the same way. The query of common
/// tools, the whole schema through nine type wrappers, uses four fifths of it.
const MOST_TOLD: u64 = 1_200_000;
/// Assumed size of a list without a limit.
const PLAIN_LIST: u64 = 10;
/// Assumed size of the list of the schema's types.
const TYPES: u64 = 500;
/// Assumed number of arguments, and of types that implement an interface.
const FEW: u64 = 3;

/// Result of measuring a query, besides its size.
pub(super) struct QuerySize {
    /// Root fields that read the same as the edges that the query follows.
    pub(super) reads: BTreeSet<String>,
}

#[derive(Clone, Copy, Default)]
struct Size {
    nodes: u64,
    depth: u64,
    cost: u64,
    /// Number of schema elements that introspection returns.
    introspection: u64,
}

/// Measures a query.
///
/// # Errors
/// A sentence that names the exceeded limit.
pub(super) fn measure(
    fields: &HashMap<(String, String), Nested>,
    document: &ExecutableDocument,
    operation: &OperationDefinition,
    variables: &serde_json::Map<String, serde_json::Value>,
) -> Result<QuerySize, String> {
    let root = if crate::engine::operation::is_mutation(operation) { "Mutation" } else { "Query" };
    let (known, reads) = (HashMap::new(), BTreeSet::new());
    let unions = fields.values().flat_map(|nested| nested.reads.iter().map(|read| (nested.ty.as_str(), read)));
    let unions = unions.filter(|(_, read)| read.of.is_some()).collect();
    let pages = fields.values().filter(|field| field.is_paged && !field.is_list).map(|field| field.ty.as_str());
    let pages = pages.collect();
    let mut walk = Measurement { fields, document, operation, variables, known, unions, pages, reads };
    let size = walk.selection(root, &operation.selection_set.node, 0)?;
    if size.nodes > MOST_NODES {
        return Err(format!(
            "The query selects {} fields including its fragments. The maximum is {MOST_NODES}. Select fewer fields.",
            size.nodes
        ));
    }
    if size.depth > DEEPEST {
        return Err(format!("The query is nested {} levels deep. The maximum is {DEEPEST}.", size.depth));
    }
    if size.cost > MOST_COST {
        return Err(format!(
            "The query could return {} values. The maximum is {MOST_COST}. Lower `limit` or select fewer fields.",
            size.cost
        ));
    }
    if size.introspection > MOST_TOLD {
        return Err(format!(
            "The query could return {} schema elements. The maximum is {MOST_TOLD}. Query single types with `__type`.",
            size.introspection
        ));
    }
    Ok(QuerySize { reads: walk.reads })
}

/// Returns the type and the assumed size of an introspection field (GraphQL specification, Introspection).
fn introspection_cost(ty: &str, field: &str) -> Option<(&'static str, u64)> {
    Some(match (ty, field) {
        (_, "__schema") => ("__Schema", 1),
        (_, "__type")
        | ("__Schema", "queryType" | "mutationType" | "subscriptionType")
        | ("__Type", "ofType")
        | ("__Field" | "__InputValue", "type") => ("__Type", 1),
        ("__Schema", "types") => ("__Type", TYPES),
        ("__Schema", "directives") => ("__Directive", PLAIN_LIST),
        ("__Type", "interfaces" | "possibleTypes") => ("__Type", FEW),
        ("__Type", "fields") => ("__Field", PLAIN_LIST),
        ("__Type", "inputFields") => ("__InputValue", PLAIN_LIST),
        ("__Type", "enumValues") => ("__EnumValue", PLAIN_LIST),
        ("__Field" | "__Directive", "args") => ("__InputValue", FEW),
        _ => return None,
    })
}

struct Measurement<'a> {
    fields: &'a HashMap<(String, String), Nested>,
    document: &'a ExecutableDocument,
    operation: &'a OperationDefinition,
    variables: &'a serde_json::Map<String, serde_json::Value>,
    /// `None` while a fragment is being measured; meeting it again means a cycle.
    known: HashMap<Name, Option<Size>>,
    /// Root fields that read each type of the unions behind edges.
    unions: Vec<(&'a str, &'a Read)>,
    /// Types of pages: objects that a field with a limit returns.
    pages: BTreeSet<&'a str>,
    reads: BTreeSet<String>,
}

impl Measurement<'_> {
    /// Adds the root field that reads this type of a union.
    fn choose(&mut self, union: &str, of: &str) {
        let reads = self.unions.iter().filter(|(ty, read)| *ty == union && read.of.as_deref() == Some(of));
        self.reads.extend(reads.map(|(_, read)| read.root.clone()));
    }

    fn selection(&mut self, ty: &str, selection: &SelectionSet, level: u64) -> Result<Size, String> {
        if level > DEEPEST_FOLLOWED {
            return Err(format!("The query is nested too deeply. The maximum is {DEEPEST} levels."));
        }
        let (mut sum, document) = (Size::default(), self.document);
        for item in &selection.items {
            let size = match &item.node {
                Selection::Field(field) => self.field(ty, &field.node, level)?,
                Selection::InlineFragment(inline) => {
                    let above = ty;
                    let ty = inline
                        .node
                        .type_condition
                        .as_ref()
                        .map_or(ty, |condition| condition.node.on.node.as_str())
                        .to_owned();
                    self.choose(above, &ty);
                    self.selection(&ty, &inline.node.selection_set.node, level + 1)?
                }
                Selection::FragmentSpread(spread) => {
                    let name = &spread.node.fragment_name.node;
                    if let Some(fragment) = document.fragments.get(name) {
                        self.choose(ty, fragment.node.type_condition.node.on.node.as_str());
                    }
                    self.fragment(name, level)?
                }
            };
            sum.nodes = sum.nodes.saturating_add(size.nodes);
            sum.cost = sum.cost.saturating_add(size.cost);
            sum.introspection = sum.introspection.saturating_add(size.introspection);
            sum.depth = sum.depth.max(size.depth);
        }
        Ok(sum)
    }

    fn fragment(&mut self, name: &Name, level: u64) -> Result<Size, String> {
        match self.known.get(name) {
            Some(Some(size)) => return Ok(*size),
            Some(None) => return Err(format!("The fragment {name} includes itself.")),
            None => {}
        }
        let document = self.document;
        let fragment = document
            .fragments
            .get(name)
            .ok_or_else(|| format!("The query does not define the fragment {name}. Define it, or correct its name."))?;
        self.known.insert(name.clone(), None);
        let ty = fragment.node.type_condition.node.on.node.clone();
        let size = self.selection(&ty, &fragment.node.selection_set.node, level + 1)?;
        self.known.insert(name.clone(), Some(size));
        Ok(size)
    }

    fn field(&mut self, ty: &str, field: &Field, level: u64) -> Result<Size, String> {
        let name = field.name.node.as_str();
        if let Some((beneath, times)) = introspection_cost(ty, name) {
            let inner = self.selection(beneath, &field.selection_set.node, level + 1)?;
            let nodes = inner.nodes.saturating_add(1);
            let introspection = inner.introspection.saturating_add(inner.cost).saturating_mul(times).saturating_add(1);
            return Ok(Size { nodes, depth: inner.depth.saturating_add(1), cost: 0, introspection });
        }
        let fields = self.fields;
        let nested = fields.get(&(ty.to_owned(), name.to_owned()));
        let (beneath, is_list, is_paged) =
            nested.map_or(("", false, false), |nested| (nested.ty.as_str(), nested.is_list, nested.is_paged));
        let reads = nested.iter().flat_map(|nested| nested.reads.iter()).filter(|read| read.of.is_none());
        self.reads.extend(reads.map(|read| read.root.clone()));
        let inner = self.selection(beneath, &field.selection_set.node, level + 1)?;
        let times = match (is_paged, is_list) {
            (true, _) => self.limit_of(field, nested.is_some_and(|nested| !nested.reads.is_empty()))?,
            // A list below a paged field is the page itself and is already counted.
            (false, true) if self.pages.contains(ty) => 1,
            (false, true) => PLAIN_LIST,
            (false, false) => 1,
        };
        Ok(Size {
            nodes: inner.nodes.saturating_add(1),
            depth: inner.depth.saturating_add(1),
            cost: inner.cost.saturating_mul(times).saturating_add(1),
            introspection: inner.introspection,
        })
    }

    /// Returns the maximum number of rows of a list. For root fields the contract checks the limit; for edges it does
    /// not.
    fn limit_of(&self, field: &Field, is_edge: bool) -> Result<u64, String> {
        let argument = field.get_argument("limit");
        let literal = argument.and_then(|argument| {
            let known = argument.node.clone();
            known.into_const_with(|name| asked::value_of(self.operation, self.variables, &name)).ok()
        });
        let number = match literal {
            Some(async_graphql::Value::Number(number)) => number.as_i64(),
            _ => None,
        };
        if is_edge && number.is_some_and(|number| !(1..=100).contains(&number)) {
            return Err(format!("`limit` of `{}` must be from 1 to 100.", field.name.node));
        }
        Ok(u64::try_from(number.unwrap_or(20).clamp(1, 100)).unwrap_or(1))
    }
}
