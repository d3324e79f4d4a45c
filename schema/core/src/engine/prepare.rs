//! Builds the schema and binds documents to it, once, at startup.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use async_graphql::parser::types::{
    BaseType, DocumentOperations, ExecutableDocument, FieldDefinition, Selection, SelectionSet, ServiceDocument, Type,
    TypeKind, TypeSystemDefinition,
};
use async_graphql::{
    EmptySubscription, ObjectType, Positioned, Request, Response, Schema, SchemaBuilder, ValidationMode, Value,
};
use futures_util::future::BoxFuture;

use super::operation::{PreparedOperation, Reuse, RootField, TargetArgument, is_mutation, only_operation, root_fields};
use super::roots::{DESCRIPTIONS, Descriptions, Merged, Root};
use crate::access::Access;
use crate::audit_target::AuditTargetKind;
use crate::words::Word as _;

/// Field of an object type, for the checks of staff queries.
pub(super) struct Nested {
    /// Type of the field.
    pub(super) ty: String,
    /// Whether the field returns a list.
    pub(super) is_list: bool,
    /// Whether the field has the argument `limit`.
    pub(super) is_paged: bool,
    /// Root fields that read the same as this edge; one per type if the edge returns a union.
    pub(super) reads: Vec<Read>,
}

/// Root field that reads the object of an edge.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Read {
    /// Type of the union that it reads; `None` if the edge returns a single type.
    pub(super) of: Option<String>,
    /// Name of the root field.
    pub(super) root: String,
}

/// Operation name that no document uses: executing it runs every validation rule and nothing else.
const NOBODY: &str = "__validate_only";

/// Schema, its SDL and the declarations in it. Needs neither database nor services.
pub struct PreparedSchema {
    /// Schema that runs fixed documents.
    pub(super) fixed: Box<dyn Graph>,
    /// Schema that validates documents and runs staff queries.
    pub(super) strict: Box<dyn Graph>,
    pub(super) roots: HashMap<String, RootField>,
    pub(super) nested: HashMap<(String, String), Nested>,
    sdl: String,
}

impl PreparedSchema {
    /// Builds the schema of these root types with these descriptions of their arguments.
    ///
    /// # Errors
    /// Lists every root field without an access rule, or with a declaration that names a missing element.
    pub fn of<Query, Mutation>(descriptions: Descriptions) -> Result<Self, Vec<String>>
    where
        Query: Merged + ObjectType + 'static,
        Mutation: Merged + ObjectType + 'static,
    {
        let (fixed, strict) = DESCRIPTIONS.sync_scope(Arc::new(descriptions), || {
            // Unless federation is enabled, the library searches all types for federation entities at each query's
            // root. The fields that federation adds to this schema are never requested: fixed documents are validated
            // with the other schema.
            let fixed = builder::<Query, Mutation>().validation_mode(ValidationMode::Fast).enable_federation().finish();
            (fixed, builder::<Query, Mutation>().validation_mode(ValidationMode::Strict).finish())
        });
        let sdl = strict.sdl();
        Self::read(Box::new(fixed), Box::new(strict), sdl)
    }

    /// Reads the declarations in the SDL.
    fn read(fixed: Box<dyn Graph>, strict: Box<dyn Graph>, sdl: String) -> Result<Self, Vec<String>> {
        let document = async_graphql::parser::parse_schema(&sdl)
            .map_err(|error| vec![format!("the SDL cannot be parsed: {error}")])?;
        let mut plan = Self { fixed, strict, roots: HashMap::new(), nested: HashMap::new(), sdl };
        let (inputs, mut breaches) = (inputs(&document), Vec::new());
        for (object, field) in fields(&document) {
            let name = field.name.node.to_string();
            if object == "Mutation" || object == "Query" {
                match root_field(field, &inputs, object == "Mutation") {
                    Ok(root) => {
                        plan.roots.insert(name.clone(), root);
                    }
                    Err(breach) => breaches.push(format!("{name}: {breach}")),
                }
            }
            plan.nested.insert((object.to_owned(), name), nested_of(field));
        }
        breaches.extend(plan.nested.iter().flat_map(|((ty, name), nested)| {
            let unknown = nested.reads.iter().filter(|read| !plan.roots.contains_key(&read.root));
            unknown.map(move |read| format!("{ty}.{name}: @edge reads `{}`, which is not a root field", read.root))
        }));
        crate::access::declare(plan.roots.values());
        if breaches.is_empty() { Ok(plan) } else { Err(breaches) }
    }

    /// Returns the SDL, with the access rule of each root field.
    #[must_use]
    pub fn sdl(&self) -> &str {
        &self.sdl
    }

    /// Binds a document to its root field, with one strict validation.
    ///
    /// # Errors
    /// The errors of the document, one sentence each.
    pub fn prepare<'a>(
        &'a self,
        name: &'a str,
        document: ExecutableDocument,
    ) -> BoxFuture<'a, Result<PreparedOperation, Vec<String>>> {
        Box::pin(bind(self, name, document))
    }
}

/// Schema of any root types.
pub(super) trait Graph: Send + Sync {
    /// Executes a request.
    fn execute(&self, request: Request) -> BoxFuture<'_, Response>;
}

impl<Query, Mutation> Graph for Schema<Query, Mutation, EmptySubscription>
where
    Query: ObjectType + 'static,
    Mutation: ObjectType + 'static,
{
    fn execute(&self, request: Request) -> BoxFuture<'_, Response> {
        Box::pin(Self::execute(self, request))
    }
}

fn builder<Query, Mutation>() -> SchemaBuilder<Root<Query>, Root<Mutation>, EmptySubscription>
where
    Query: Merged + ObjectType + 'static,
    Mutation: Merged + ObjectType + 'static,
{
    Schema::build(Root::new(), Root::new(), EmptySubscription).disable_suggestions()
}

async fn bind(
    plan: &PreparedSchema,
    name: &str,
    document: ExecutableDocument,
) -> Result<PreparedOperation, Vec<String>> {
    let breach = |text: String| vec![format!("{name}: {text}")];
    let only =
        only_operation(&document).ok_or_else(|| breach("a document must contain exactly one operation".to_owned()))?;
    let mut operation = only.clone();
    let roots = root_fields(&document, &operation.node);
    let [root] = roots.as_slice() else {
        return Err(breach("a document must select exactly one root field".to_owned()));
    };
    let asked = &root.name.node;
    if asked.as_str() != name {
        return Err(breach(format!("the document selects `{asked}`; document and root field must have the same name")));
    }
    let known = plan.roots.get(name).ok_or_else(|| breach("the schema has no root field of this name".to_owned()))?;
    if known.is_mutation != is_mutation(&operation.node) {
        return Err(breach("the schema has this root field under the other root type (query, mutation)".to_owned()));
    }
    validate(plan.strict.as_ref(), document.clone()).await?;
    if has_directives(&document, &operation.node.selection_set.node) {
        return Err(breach("a fixed document must not use directives".to_owned()));
    }
    let [Positioned { node: Selection::Field(root), .. }] = operation.node.selection_set.node.items.as_mut_slice()
    else {
        return Err(breach("a document must select its root field directly, not in a fragment".to_owned()));
    };
    // The answer is written as a whole, so the selection is not needed.
    root.node.selection_set.node.items.clear();
    let document = ExecutableDocument { operations: DocumentOperations::Single(operation), fragments: HashMap::new() };
    Ok(PreparedOperation::new(known.clone(), document))
}

/// Whether a directive in a selection skips or includes fields. An answer that is written as a whole would ignore it.
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

/// Runs every validation rule on a document without executing it.
pub(super) async fn validate(strict: &dyn Graph, document: ExecutableDocument) -> Result<(), Vec<String>> {
    let mut request = Request::new("").operation_name(NOBODY);
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

/// Creates a root field from its directives.
fn root_field(field: &FieldDefinition, inputs: &Inputs, is_mutation: bool) -> Result<RootField, String> {
    let argument = |directive: &str| -> Result<Option<String>, String> {
        let Some(name) = value_of(field, directive, "argument") else { return Ok(None) };
        let is_there = field.arguments.iter().map(|argument| &argument.node).any(|argument| {
            let within = base_of(&argument.ty.node).and_then(|input| inputs.get(input));
            argument.name.node == name || within.is_some_and(|fields| fields.contains(&name))
        });
        if is_there { Ok(Some(name)) } else { Err(format!("@{directive} names `{name}`, which is not an argument")) }
    };
    let access =
        access_of(field)?.ok_or_else(|| "the @access directive is missing; access is denied by default".to_owned())?;
    let target = match (argument("audit_target")?, value_of(field, "audit_target", "kind")) {
        (None, _) => None,
        (Some(argument), kind) => {
            let kind = kind.as_deref().and_then(AuditTargetKind::read);
            let kind = kind.ok_or("@audit_target names an unknown kind of target")?;
            Some(TargetArgument { kind, argument })
        }
    };
    Ok(RootField {
        name: field.name.node.to_string(),
        access,
        is_mutation,
        is_audited: access.is_audited(),
        is_batched: has(field, "batched"),
        may_lag: has(field, "may_lag"),
        reuse: reuse_of(field, access)?,
        is_file: has(field, "answers_file"),
        target,
        partner: argument("audit_partner")?,
        hashed: argument("audit_hashed")?,
        shown_reason: ensure_audited(access, "partner_reads", argument("partner_reads")?)?,
        is_hidden: ensure_audited(access, "hidden_from_partner", has(field, "hidden_from_partner").then_some(()))?
            .is_some(),
    })
}

/// Returns the rule by which the answer may be reused. An audited call needs a record each time, so its answer may not.
fn reuse_of(field: &FieldDefinition, access: Access) -> Result<Option<Reuse>, String> {
    let Some(topic) = value_of(field, "reusable", "topic") else { return Ok(None) };
    let seconds = directive_argument(field, "reusable", "seconds").and_then(|value| match value {
        Value::Number(number) => number.as_u64(),
        _ => None,
    });
    match seconds {
        Some(_) if access.is_audited() => Err("@reusable does not fit calls that leave an audit record".to_owned()),
        Some(seconds) => Ok(Some(Reuse { topic: topic.into(), duration: Duration::from_secs(seconds) })),
        None => Err("@reusable needs a number of seconds".to_owned()),
    }
}

/// Accepts a declaration about audit records only on root fields that leave one.
fn ensure_audited<T>(access: Access, directive: &str, declared: Option<T>) -> Result<Option<T>, String> {
    if declared.is_some() && !access.is_audited() {
        return Err(format!("@{directive} concerns audit records, but calls of this field write none"));
    }
    Ok(declared)
}

/// Fields of each input object.
type Inputs = HashMap<String, Vec<String>>;

fn inputs(document: &ServiceDocument) -> Inputs {
    let types = document.definitions.iter().filter_map(|definition| match definition {
        TypeSystemDefinition::Type(ty) => Some(&ty.node),
        _ => None,
    });
    let inputs = types.filter_map(|ty| match &ty.kind {
        TypeKind::InputObject(input) => {
            let names = input.fields.iter().map(|field| field.node.name.node.to_string());
            Some((ty.name.node.to_string(), names.collect()))
        }
        _ => None,
    });
    inputs.collect()
}

/// Returns the name of a type that is not a list.
fn base_of(ty: &Type) -> Option<&str> {
    match &ty.base {
        BaseType::Named(name) => Some(name.as_str()),
        BaseType::List(_) => None,
    }
}

fn has(field: &FieldDefinition, directive: &str) -> bool {
    field.directives.iter().any(|applied| applied.node.name.node == directive)
}

/// Returns the string or enum value of a directive's argument on a field.
fn value_of(field: &FieldDefinition, directive: &str, argument: &str) -> Option<String> {
    match directive_argument(field, directive, argument) {
        Some(Value::String(text)) => Some(text.clone()),
        Some(Value::Enum(word)) => Some(word.to_string()),
        _ => None,
    }
}

fn directive_argument<'a>(field: &'a FieldDefinition, directive: &str, argument: &str) -> Option<&'a Value> {
    let directive = field.directives.iter().find(|applied| applied.node.name.node == directive)?;
    directive.node.get_argument(argument).map(|value| &value.node)
}

fn access_of(field: &FieldDefinition) -> Result<Option<Access>, String> {
    if !has(field, "access") {
        return Ok(None);
    }
    let text = value_of(field, "access", "needs").unwrap_or_default();
    Access::parse(&text).map(Some).ok_or_else(|| format!("@access names `{text}`, which is not a known access"))
}

/// Returns the root fields in an edge's directive.
fn reads_of(field: &FieldDefinition) -> Vec<Read> {
    let edge = field.directives.iter().find(|applied| applied.node.name.node == "edge");
    let reads = edge.and_then(|edge| edge.node.get_argument("reads")).map(|reads| &reads.node);
    let Some(Value::List(reads)) = reads else { return Vec::new() };
    let texts = reads.iter().filter_map(|read| if let Value::String(text) = read { Some(text) } else { None });
    let read = |text: &String| match text.split_once(": ") {
        Some((of, root)) => Read { of: Some(of.to_owned()), root: root.to_owned() },
        None => Read { of: None, root: text.clone() },
    };
    texts.map(read).collect()
}

fn nested_of(field: &FieldDefinition) -> Nested {
    let reads = reads_of(field);
    let mut base = &field.ty.node.base;
    let mut is_list = false;
    while let BaseType::List(inner) = base {
        is_list = true;
        base = &inner.base;
    }
    let BaseType::Named(ty) = base else { return Nested { ty: String::new(), is_list, is_paged: false, reads } };
    let is_paged = field.arguments.iter().any(|argument| argument.node.name.node == "limit");
    Nested { ty: ty.to_string(), is_list, is_paged, reads }
}
