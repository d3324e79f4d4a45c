//! Building the schema and binding documents to it, once, at start-up.

use std::collections::HashMap;
use std::sync::{Arc, OnceLock};

use async_graphql::parser::types::{
    ExecutableDocument, FieldDefinition, OperationDefinition, Selection, SelectionSet, ServiceDocument, TypeKind,
    TypeSystemDefinition,
};
use async_graphql::{EmptySubscription, Positioned, Schema, ValidationMode};
use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;

use super::Graph;
use super::direct::Environment;
use super::question::{Question, RootField, Shape, is_mutation, only_operation, root_fields};
use super::roots::{Root as RootType, Roots};
use crate::access::Access;
use crate::fault::Fault;
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
    /// Where root fields are asked directly.
    environment: Arc<OnceLock<Environment>>,
    queries: Roots,
    mutations: Roots,
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
        let environment = Arc::default();
        let graph = builder(&environment).validation_mode(ValidationMode::Fast).finish();
        let strict = builder(&environment).validation_mode(ValidationMode::Strict).finish();
        let sdl = graph.sdl();
        let document = async_graphql::parser::parse_schema(&sdl)
            .map_err(|error| vec![format!("the SDL cannot be read: {error}")])?;
        let mut plan = Self {
            graph,
            strict,
            queries: RootType::<Query>::new(Arc::clone(&environment)).into_roots(),
            mutations: RootType::<Mutation>::new(Arc::clone(&environment)).into_roots(),
            environment,
            roots: HashMap::new(),
            nested: HashMap::new(),
            order: HashMap::new(),
            sdl,
        };
        plan.look_around()?;
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

    /// Asks a field that there is not, which nobody need wait for: the root type leaves its environment.
    fn look_around(&self) -> Result<(), Vec<String>> {
        let _ = self.graph.execute("{ nothing }").now_or_never();
        self.environment().map(|_| ()).map_err(|fault| vec![fault.to_string()])
    }

    /// Where root fields are asked directly.
    pub(super) fn environment(&self) -> Result<&Environment, Fault> {
        self.environment.get().ok_or_else(|| Fault::internal("the schema's environment is not known"))
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

fn builder(
    environment: &Arc<OnceLock<Environment>>,
) -> async_graphql::SchemaBuilder<RootType<Query>, RootType<Mutation>, EmptySubscription> {
    let queries = RootType::new(Arc::clone(environment));
    let mutations = RootType::new(Arc::clone(environment));
    Schema::build(queries, mutations, EmptySubscription).disable_suggestions()
}

/// Binds a document to the schema.
async fn question(plan: &Plan, name: &str, document: ExecutableDocument) -> Result<Question, Vec<String>> {
    let breach = |text: String| vec![format!("{name}: {text}")];
    let only = only_operation(&document).ok_or_else(|| breach("a document holds exactly one operation".to_owned()))?;
    let mut operation = only.clone();
    let writes = is_mutation(&operation.node);
    let roots = root_fields(&document, &operation.node);
    let [root] = roots.as_slice() else { return Err(breach("a document asks exactly one root field".to_owned())) };
    let asked = &root.name.node;
    if asked.as_str() != name {
        return Err(breach(format!("the document asks `{asked}`; document and root field share one name")));
    }
    let known = plan.roots.get(name).ok_or_else(|| breach("the schema has no such root field".to_owned()))?;
    if known.writes != writes {
        return Err(breach("the schema has it under the other root type (query, mutation)".to_owned()));
    }
    let objects = if writes { &plan.mutations } else { &plan.queries };
    let object = objects.of(name).ok_or_else(|| breach("no object was collected for it".to_owned()))?;
    let shape = Shape::of(&document, &operation.node.selection_set.node).into_root();
    validate(&plan.strict, document.clone()).await?;
    if has_directives(&document, &operation.node.selection_set.node) {
        return Err(breach("a fixed document uses no directives".to_owned()));
    }
    let mut fragments = document.fragments;
    if check_whole(plan, name, if writes { "Mutation" } else { "Query" }, &shape)? {
        prune(&mut operation.node);
        fragments.clear();
    }
    let access = known.access;
    let root = RootField { name: name.to_owned(), access, is_mutation: writes, is_audited: access.is_audited(name) };
    Ok(Question { root, operation, fragments, object, shape })
}

/// Whether anything in a selection is skipped or included by a directive, which a question that is asked directly
/// would not heed.
fn has_directives(document: &ExecutableDocument, selection: &SelectionSet) -> bool {
    let within = |selection| has_directives(document, selection);
    selection.items.iter().any(|item| match &item.node {
        Selection::Field(field) => !field.node.directives.is_empty() || within(&field.node.selection_set.node),
        Selection::InlineFragment(inline) => {
            !inline.node.directives.is_empty() || within(&inline.node.selection_set.node)
        }
        Selection::FragmentSpread(spread) => {
            let fragment = document.fragments.get(&spread.node.fragment_name.node);
            !spread.node.directives.is_empty()
                || fragment.is_some_and(|fragment| within(&fragment.node.selection_set.node))
        }
    })
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

/// Takes away what a document asks beneath a root field that is answered whole: nobody looks at it, and every request
/// would copy it.
fn prune(operation: &mut OperationDefinition) {
    if let Some(Positioned { node: Selection::Field(root), .. }) = operation.selection_set.node.items.first_mut() {
        root.node.selection_set.node.items.clear();
    }
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
