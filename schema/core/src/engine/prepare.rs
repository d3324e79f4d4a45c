//! Builds the schema and binds documents to it, once, at startup.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use async_graphql::parser::types::{ExecutableDocument, OperationDefinition, Selection, SelectionSet};
use async_graphql::{Positioned, Request, ServerError};
use futures_util::future::BoxFuture;

use super::binding::Binding;
use super::calls::GroupCalls;
use super::graph::{self, Graph};
use super::operation::{PreparedOperation, Reuse, RootField, TargetArgument, is_mutation, only_operation, root_fields};
use super::signature::Signature;
use crate::access::Access;
use crate::audit_target::AuditTargetKind;
use crate::describe::{Described as _, DescribedField, TypeKind, TypeRef, Types, nullable};
use crate::operation::{Edge, Operation};

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
/// Error of the library for that name, after it validated the document.
const UNKNOWN_NOBODY: &str = "Unknown operation named \"__validate_only\"";

/// Schema, its SDL and the declarations in it. Needs neither database nor services.
pub struct PreparedSchema {
    /// Schema with all root fields, against which fixed documents are validated.
    pub(super) complete: Graph,
    /// Schema that runs staff queries. It has no root fields that answer files.
    pub(super) playground: Graph,
    pub(super) roots: HashMap<String, RootField>,
    pub(super) nested: HashMap<(String, String), Nested>,
    /// Described types, for the variables of staff queries.
    pub(super) types: Arc<Types>,
    /// Arguments of each root field.
    pub(super) signatures: HashMap<String, Signature>,
    sdl: String,
    pub(super) calls: GroupCalls,
}

/// Descriptions of the arguments of root fields, for staff.
#[derive(Clone, Debug, Default)]
pub struct Descriptions(HashMap<(String, String), String>);

impl FromIterator<((String, String), String)> for Descriptions {
    /// Collects descriptions by root field and argument.
    fn from_iter<I: IntoIterator<Item = ((String, String), String)>>(descriptions: I) -> Self {
        Self(descriptions.into_iter().collect())
    }
}

impl Descriptions {
    /// Returns the description of an input of a root field: an argument, or a field of an argument that is an input
    /// object.
    pub(super) fn of(&self, root: &str, input: &str) -> Option<&str> {
        self.0.get(&(root.to_owned(), input.to_owned())).map(String::as_str)
    }
}

/// Operation with its described arguments and answer.
pub(super) struct DescribedOperation {
    pub(super) operation: &'static Operation,
    pub(super) arguments: Vec<DescribedField>,
    pub(super) output: TypeRef,
}

/// Edge with its described arguments and value.
pub(super) struct DescribedEdge {
    pub(super) edge: Arc<Edge>,
    pub(super) arguments: Vec<DescribedField>,
    pub(super) output: TypeRef,
}

/// All parts of a schema, described.
pub(super) struct Parts {
    pub(super) types: Arc<Types>,
    pub(super) operations: Vec<DescribedOperation>,
    /// Edges of each object, including the objects that contain its fields.
    pub(super) edges: HashMap<String, Vec<DescribedEdge>>,
    pub(super) descriptions: Descriptions,
}

impl Parts {
    fn of(operations: &[&'static Operation], edges: Vec<Edge>, descriptions: Descriptions) -> Self {
        let mut types = Types::default();
        // `@audit_target` has a value of this type.
        AuditTargetKind::reference(&mut types);
        let described = operations.iter().map(|operation| DescribedOperation {
            operation,
            arguments: types.fields(operation.arguments, &mut Vec::new()),
            // Every root field is nullable, so that its error does not remove the data of the others.
            output: nullable((operation.output)(&mut types)),
        });
        let described = described.collect();
        let edges: Vec<(Arc<Edge>, TypeRef)> = edges
            .into_iter()
            .map(|edge| {
                let output = (edge.output)(&mut types);
                (Arc::new(edge), output)
            })
            .collect();
        let mut of_objects: HashMap<String, Vec<DescribedEdge>> = HashMap::new();
        for (edge, output) in edges {
            for name in objects_with(&types, edge.object) {
                let arguments = types.fields(edge.arguments, &mut Vec::new());
                let described = DescribedEdge { edge: Arc::clone(&edge), arguments, output: output.clone() };
                of_objects.entry(name).or_default().push(described);
            }
        }
        Self { types: Arc::new(types), operations: described, edges: of_objects, descriptions }
    }
}

/// Returns the objects that have the fields of this object: itself, and those that contain it.
fn objects_with(types: &Types, object: &str) -> Vec<String> {
    let has = |(name, kind): (&String, &TypeKind)| {
        let TypeKind::Object { includes, .. } = kind else { return None };
        (name == object || includes.contains(&object)).then(|| name.clone())
    };
    types.named.iter().map(|(name, ty)| (name, &ty.kind)).filter_map(has).collect()
}

impl PreparedSchema {
    /// Builds the schema of these operations and edges, with these further calls and descriptions of arguments.
    ///
    /// # Errors
    /// Lists every declaration that is invalid or names a missing element.
    pub fn of(
        operations: &[&'static Operation],
        edges: Vec<Edge>,
        calls: GroupCalls,
        descriptions: Descriptions,
    ) -> Result<Self, Vec<String>> {
        let parts = Parts::of(operations, edges, descriptions);
        let (mut roots, mut nested) = (HashMap::new(), nested_fields(&parts));
        let mut breaches = parts.types.conflicts.clone();
        for described in &parts.operations {
            let Operation { name, is_mutation, .. } = described.operation;
            match root_field(described, &parts.types) {
                Ok(root) => {
                    if roots.insert((*name).to_owned(), root).is_some() {
                        breaches.push(format!("{name}: two operations have this name"));
                    }
                }
                Err(breach) => breaches.push(format!("{name}: {breach}")),
            }
            let object = if *is_mutation { "Mutation" } else { "Query" };
            let field = nested_of(&described.output, &described.arguments, Vec::new());
            nested.insert((object.to_owned(), (*name).to_owned()), field);
        }
        breaches.extend(nested.iter().flat_map(|((ty, name), nested): (&(String, String), &Nested)| {
            let unknown = nested.reads.iter().filter(|read| !roots.contains_key(&read.root));
            unknown.map(move |read| format!("{ty}.{name}: @edge reads `{}`, which is not a root field", read.root))
        }));
        crate::access::declare(roots.values());
        let build =
            |files| graph::build(&parts, files).map_err(|error| vec![format!("the schema is invalid: {error}")]);
        let (complete, playground) = (build(graph::Files::Included)?, build(graph::Files::Left)?);
        let sdl = complete.sdl() + graph::DIRECTIVES;
        if breaches.is_empty() {
            let signature = |described: &DescribedOperation| {
                (described.operation.name.to_owned(), Signature::of(&parts.types, &described.arguments))
            };
            let signatures = parts.operations.iter().map(signature).collect();
            Ok(Self { complete, playground, roots, nested, types: parts.types, signatures, sdl, calls })
        } else {
            Err(breaches)
        }
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

async fn bind(
    plan: &PreparedSchema,
    name: &str,
    document: ExecutableDocument,
) -> Result<PreparedOperation, Vec<String>> {
    let breach = |text: String| vec![format!("{name}: {text}")];
    let only =
        only_operation(&document).ok_or_else(|| breach("a document must contain exactly one operation".to_owned()))?;
    let operation: Positioned<OperationDefinition> = only.clone();
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
    validate(&plan.complete, document.clone()).await?;
    if has_directives(&document, &operation.node.selection_set.node) {
        return Err(breach("a fixed document must not use directives".to_owned()));
    }
    let arguments = root.arguments.iter().map(|(name, value)| {
        let binding = Binding::of(&value.node, &operation.node.variable_definitions);
        (name.node.to_string(), binding)
    });
    let arguments = arguments.collect();
    Ok(PreparedOperation::new(known.clone(), arguments, document))
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
pub(super) async fn validate(graph: &Graph, document: ExecutableDocument) -> Result<(), Vec<String>> {
    if document.operations.iter().any(|(name, _)| name.is_some_and(|name| name == NOBODY)) {
        return Err(vec![format!("An operation must not have the name `{NOBODY}`.")]);
    }
    let mut request = Request::new("").operation_name(NOBODY);
    request.set_parsed_query(document);
    let response = graph.execute(request).await;
    let is_breach = |error: &ServerError| !error.locations.is_empty() || error.message != UNKNOWN_NOBODY;
    let breaches = response.errors.into_iter().filter(is_breach);
    let breaches: Vec<String> = breaches.map(|error| error.message).collect();
    if breaches.is_empty() { Ok(()) } else { Err(breaches) }
}

/// Creates a root field from the declarations of an operation.
fn root_field(described: &DescribedOperation, types: &Types) -> Result<RootField, String> {
    let Operation { name, access, attributes, is_mutation, find_faults, run, .. } = described.operation;
    let argument = |directive: &str, name: Option<&'static str>| -> Result<Option<String>, String> {
        let Some(name) = name else { return Ok(None) };
        let is_there = described.arguments.iter().any(|argument| {
            let TypeKind::Object { fields, .. } = (match types.named.get(argument.ty.type_name()) {
                Some(named) => &named.kind,
                None => return argument.name == name,
            }) else {
                return argument.name == name;
            };
            argument.name == name || fields.iter().any(|field| field.name == name)
        });
        if is_there {
            Ok(Some(name.to_owned()))
        } else {
            Err(format!("@{directive} names `{name}`, which is not an argument"))
        }
    };
    let known = || format!("@access names `{access}`, which is not a known access");
    let access = Access::parse(access).ok_or_else(known)?;
    let target = match attributes.audit_target {
        None => None,
        Some((kind, name)) => argument("audit_target", Some(name))?.map(|argument| TargetArgument { kind, argument }),
    };
    let shown_reason = argument("partner_reads", attributes.partner_reads)?;
    let hidden = attributes.hidden_from_partner.then_some(());
    Ok(RootField {
        name: (*name).to_owned(),
        access,
        is_mutation: *is_mutation,
        is_audited: access.is_audited(),
        is_batched: attributes.batched,
        may_lag: attributes.may_lag,
        reuse: reuse_of(attributes.reusable, access)?,
        is_file: attributes.answers_file,
        target,
        partner: argument("audit_partner", attributes.audit_partner)?,
        hashed: argument("audit_hashed", attributes.audit_hashed)?,
        shown_reason: ensure_audited(access, "partner_reads", shown_reason)?,
        is_hidden: ensure_audited(access, "hidden_from_partner", hidden)?.is_some(),
        find_faults: *find_faults,
        run: *run,
    })
}

/// Returns the rule by which the answer may be reused. An audited call needs a record each time, so its answer may not.
fn reuse_of(declared: Option<(&str, u64)>, access: Access) -> Result<Option<Reuse>, String> {
    let Some((topic, seconds)) = declared else { return Ok(None) };
    if access.is_audited() {
        return Err("@reusable does not fit calls that leave an audit record".to_owned());
    }
    Ok(Some(Reuse { topic: topic.into(), duration: Duration::from_secs(seconds) }))
}

/// Accepts a declaration about audit records only on root fields that leave one.
fn ensure_audited<T>(access: Access, directive: &str, declared: Option<T>) -> Result<Option<T>, String> {
    if declared.is_some() && !access.is_audited() {
        return Err(format!("@{directive} concerns audit records, but calls of this field write none"));
    }
    Ok(declared)
}

/// Returns the fields of all objects but the roots.
fn nested_fields(parts: &Parts) -> HashMap<(String, String), Nested> {
    let mut nested = HashMap::new();
    for (name, ty) in &parts.types.named {
        if let TypeKind::Object { fields, .. } = &ty.kind {
            for field in fields {
                nested.insert((name.clone(), field.name.to_owned()), nested_of(&field.ty, &[], Vec::new()));
            }
        }
    }
    for (object, edges) in &parts.edges {
        for described in edges {
            let reads = described.edge.reads.iter().map(|read| read_of(read)).collect();
            let field = nested_of(&described.output, &described.arguments, reads);
            nested.insert((object.clone(), described.edge.field.to_owned()), field);
        }
    }
    nested
}

/// Parses a root field in an edge's declaration.
fn read_of(text: &str) -> Read {
    match text.split_once(": ") {
        Some((of, root)) => Read { of: Some(of.to_owned()), root: root.to_owned() },
        None => Read { of: None, root: text.to_owned() },
    }
}

fn nested_of(ty: &TypeRef, arguments: &[DescribedField], reads: Vec<Read>) -> Nested {
    let is_paged = arguments.iter().any(|argument| argument.name == "limit");
    Nested { ty: ty.type_name().to_owned(), is_list: is_list(ty), is_paged, reads }
}

/// Whether a type is a list, nullable or not.
pub(super) fn is_list(ty: &TypeRef) -> bool {
    match ty {
        TypeRef::Named(_) => false,
        TypeRef::List(_) => true,
        TypeRef::NonNull(inner) => is_list(inner),
    }
}
