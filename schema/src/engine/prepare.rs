//! Building the schema and binding documents to it, once, at start-up.

use std::collections::HashMap;

use async_graphql::parser::types::{
    DocumentOperations, ExecutableDocument, Field, FieldDefinition, Selection, SelectionSet, ServiceDocument, TypeKind,
    TypeSystemDefinition,
};
use async_graphql::{EmptySubscription, Name, Positioned, Schema, ValidationMode};
use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;

use super::Graph;
use super::question::{Question, RootField, Shape, is_mutation, only_operation, root_fields};
use crate::access::Access;
use crate::{Mutation, Query};

/// A root field, as the SDL declares it.
pub(super) struct Root {
    /// Who may ask it.
    pub(super) access: Access,
    /// Whether it stands under the mutation type.
    pub(super) writes: bool,
}

/// Any field of any object type, for the checks of a query that staff wrote.
pub(super) struct Nested {
    /// The type beneath.
    pub(super) ty: String,
    /// Whether it answers a list.
    pub(super) is_list: bool,
    /// Whether it takes `limit`.
    pub(super) is_paged: bool,
    /// The access a sensitive field needs beside its root's.
    pub(super) access: Option<Access>,
}

/// An operation name that no document has: asking for it runs every validation rule and nothing else.
const NOBODY: &str = "__validate_only";

/// The schema, its text and what the text declares. It needs neither database nor services.
pub struct Plan {
    pub(super) graph: Graph,
    pub(super) strict: Graph,
    pub(super) roots: HashMap<String, Root>,
    pub(super) nested: HashMap<(String, String), Nested>,
    /// The fields of each object type, in the schema's order.
    order: HashMap<String, Vec<String>>,
    sdl: String,
}

impl Plan {
    /// Builds the schema.
    ///
    /// # Errors
    /// Every root field that does not say who may ask it.
    pub fn new() -> Result<Self, Vec<String>> {
        let graph = builder().validation_mode(ValidationMode::Fast).finish();
        let strict = builder().validation_mode(ValidationMode::Strict).finish();
        let sdl = graph.sdl();
        let document = async_graphql::parser::parse_schema(&sdl)
            .map_err(|error| vec![format!("the SDL cannot be read: {error}")])?;
        let mut plan =
            Self { graph, strict, roots: HashMap::new(), nested: HashMap::new(), order: HashMap::new(), sdl };
        let mut breaches = Vec::new();
        for (object, field) in fields(&document) {
            let access = access_of(field);
            let name = field.name.node.to_string();
            let writes = object == "Mutation";
            if writes || object == "Query" {
                match &access {
                    Some(Ok(access)) => {
                        plan.roots.insert(name.clone(), Root { access: *access, writes });
                    }
                    Some(Err(text)) => breaches.push(format!("{name}: @access names `{text}`, which is no access")),
                    None => breaches.push(format!("{name}: no @access directive; default deny")),
                }
            }
            plan.order.entry(object.to_owned()).or_default().push(name.clone());
            plan.nested.insert((object.to_owned(), name), nested_of(field, access.and_then(Result::ok)));
        }
        crate::access::declare(plan.roots.iter().map(|(name, root)| (name, root.access)));
        if breaches.is_empty() { Ok(plan) } else { Err(breaches) }
    }

    /// The schema as text, with the access each root field needs.
    #[must_use]
    pub fn sdl(&self) -> &str {
        &self.sdl
    }

    /// Makes a question of a document: validated strictly, once.
    ///
    /// # Errors
    /// What is wrong with the document, one sentence each.
    pub fn prepare<'a>(
        &'a self,
        name: &'a str,
        document: ExecutableDocument,
    ) -> BoxFuture<'a, Result<Question, Vec<String>>> {
        async move { question(self, name, document).await }.boxed()
    }
}

fn builder() -> async_graphql::SchemaBuilder<Query, Mutation, EmptySubscription> {
    Schema::build(Query::default(), Mutation::default(), EmptySubscription).disable_suggestions()
}

/// Binds a document to the schema.
async fn question(plan: &Plan, name: &str, document: ExecutableDocument) -> Result<Question, Vec<String>> {
    let operation =
        only_operation(&document).ok_or_else(|| vec![format!("{name}: a document holds exactly one operation")])?;
    let writes = is_mutation(operation);
    let roots = root_fields(&document, operation);
    let [root] = roots.as_slice() else { return Err(vec![format!("{name}: a document asks exactly one root field")]) };
    if root.as_str() != name {
        return Err(vec![format!("{name}: the document asks `{root}`; document and root field share one name")]);
    }
    let Some(known) = plan.roots.get(name) else {
        return Err(vec![format!("{name}: the schema has no such root field")]);
    };
    if known.writes != writes {
        return Err(vec![format!("{name}: the schema has it under the other root type (query, mutation)")]);
    }
    let access = known.access;
    let shape = Shape::of(&document, &operation.selection_set.node).into_root();
    validate(&plan.strict, document.clone()).await?;
    let is_whole = check_whole(plan, name, if writes { "Mutation" } else { "Query" }, &shape)?;
    let document = if is_whole { pruned(document, &shape) } else { document };
    let root = RootField { name: name.to_owned(), access, is_mutation: writes, is_audited: access.is_audited(name) };
    Ok(Question { root, document, shape })
}

/// Whether a root field is answered whole. It must then be asked whole: every field, in the schema's order, all the
/// way down.
fn check_whole(plan: &Plan, name: &str, root: &str, shape: &Shape) -> Result<bool, Vec<String>> {
    let answered =
        plan.nested.get(&(root.to_owned(), name.to_owned())).map(|field| field.ty.as_str()).unwrap_or_default();
    if !crate::whole::is_whole(answered) {
        return Ok(false);
    }
    let mut breaches = Vec::new();
    compare(plan, answered, shape, &mut breaches);
    if breaches.is_empty() { Ok(true) } else { Err(breaches) }
}

/// The document of a root field that is answered whole, without what it asks beneath the answer's own fields: nobody
/// looks at it, and every request would copy and walk it. The own fields stay, for a resolver that looks ahead.
fn pruned(mut document: ExecutableDocument, shape: &Shape) -> ExecutableDocument {
    let operation = match &mut document.operations {
        DocumentOperations::Single(operation) => Some(operation),
        DocumentOperations::Multiple(all) => all.values_mut().next(),
    };
    let items = operation.map(|operation| operation.node.selection_set.node.items.as_mut_slice());
    if let Some([Positioned { node: Selection::Field(root), pos }]) = items {
        let leaf = |name: &str| Field {
            alias: None,
            name: Positioned::new(Name::new(name), *pos),
            arguments: Vec::new(),
            directives: Vec::new(),
            selection_set: Positioned::new(SelectionSet::default(), *pos),
        };
        let leaves =
            shape.fields().map(|(name, _)| Positioned::new(Selection::Field(Positioned::new(leaf(name), *pos)), *pos));
        root.node.selection_set.node.items = leaves.collect();
        document.fragments.clear();
    }
    document
}

fn compare(plan: &Plan, ty: &str, shape: &Shape, breaches: &mut Vec<String>) {
    let Some(order) = plan.order.get(ty) else { return };
    let asked: Vec<&str> = shape.fields().map(|(name, _)| name).collect();
    if asked != order.iter().map(String::as_str).collect::<Vec<_>>() {
        breaches.push(format!("{ty} is answered whole: ask {} in this order", order.join(" ")));
    }
    for (name, inner) in shape.fields() {
        if let Some(field) = plan.nested.get(&(ty.to_owned(), name.to_owned())) {
            compare(plan, &field.ty, inner, breaches);
        }
    }
}

/// Runs every validation rule on a document and nothing of the document itself.
pub(super) async fn validate(strict: &Graph, document: ExecutableDocument) -> Result<(), Vec<String>> {
    let mut request = async_graphql::Request::new("").operation_name(NOBODY);
    request.set_parsed_query(document);
    let response = strict.execute(request).await;
    let breaches: Vec<String> =
        response.errors.into_iter().map(|error| error.message).filter(|message| !message.contains(NOBODY)).collect();
    if breaches.is_empty() { Ok(()) } else { Err(breaches) }
}

fn fields(document: &ServiceDocument) -> impl Iterator<Item = (&str, &FieldDefinition)> {
    document
        .definitions
        .iter()
        .filter_map(|definition| match definition {
            TypeSystemDefinition::Type(ty) => Some(&ty.node),
            _ => None,
        })
        .filter_map(|ty| match &ty.kind {
            TypeKind::Object(object) => Some((ty.name.node.as_str(), object)),
            _ => None,
        })
        .flat_map(|(name, object)| object.fields.iter().map(move |field| (name, &field.node)))
}

fn access_of(field: &FieldDefinition) -> Option<Result<Access, String>> {
    let directive = field.directives.iter().find(|directive| directive.node.name.node == "access")?;
    let value = directive.node.get_argument("needs").map(|value| value.node.clone());
    match value {
        Some(async_graphql::Value::String(text)) => Some(Access::parse(&text).ok_or(text)),
        other => Some(Err(format!("{other:?}"))),
    }
}

fn nested_of(field: &FieldDefinition, access: Option<Access>) -> Nested {
    use async_graphql::parser::types::BaseType;
    let mut base = &field.ty.node.base;
    let mut is_list = false;
    while let BaseType::List(inner) = base {
        is_list = true;
        base = &inner.base;
    }
    let BaseType::Named(ty) = base else { return Nested { ty: String::new(), is_list, is_paged: false, access } };
    let is_paged = field.arguments.iter().any(|argument| argument.node.name.node == "limit");
    Nested { ty: ty.to_string(), is_list, is_paged, access }
}
