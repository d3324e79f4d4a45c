//! The schema of the GraphQL library, built from described operations, edges and types.
//!
//! An operation answers JSON. The library selects from it: one resolver serves every plain field, and an edge runs its
//! function with the object's JSON.

mod selection;

use std::collections::HashMap;
use std::sync::Arc;

use async_graphql::dynamic::{
    Directive, Enum, EnumItem, Field, FieldFuture, FieldValue, InputObject, InputValue, Object, ResolverContext,
    Scalar, Schema, SchemaError, Union,
};
use async_graphql::{
    Context, Error, Name, PathSegment, QueryPathNode, QueryPathSegment, Request, Response, ServerError, Value,
};
use serde_json::{Map, Value as Json};

use self::selection::Selection;
pub(super) use self::selection::to_value;
use super::answer_meter::AnswerMeter;
use super::binding::to_json;
use super::prepare::{DescribedEdge, DescribedOperation, Parts};
use super::signature::Signature;
use crate::context::{ROOT_KEY, RequestContext};
use crate::describe::{DescribedField, NamedType, ObjectKind, TypeKind, TypeRef};
use crate::fault::Fault;
use crate::operation::{ArgumentSource, Arguments, Attributes, Follow, Operation, Parent, Run};
use crate::words::Word as _;

/// Definitions of the directives. The library prints their uses only.
pub(super) const DIRECTIVES: &str = include_str!("directives.graphql");

/// Whether a schema has the root fields that answer files, which the playground cannot show.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Files {
    Included,
    Left,
}

/// Schema of the library.
pub(super) struct Graph(Schema);

impl Graph {
    /// Returns the SDL.
    pub(super) fn sdl(&self) -> String {
        self.0.sdl()
    }

    /// Executes a request.
    pub(super) async fn execute(&self, request: Request) -> Response {
        let mut response = self.0.execute(request).await;
        response.errors.iter_mut().for_each(restore_path);
        response
    }
}

/// Builds the schema.
pub(super) fn build(parts: &Parts, files: Files) -> Result<Graph, SchemaError> {
    let (query, mutation) =
        (roots(parts, "Query", "All queries.", files), roots(parts, "Mutation", "All mutations.", files));
    let mut schema =
        Schema::build("Query", Some("Mutation"), None).disable_suggestions().register(query).register(mutation);
    let inputs = describe_inputs(parts);
    for (name, ty) in &parts.types.named {
        let NamedType { description, kind } = ty;
        schema = match kind {
            TypeKind::Object { kind: ObjectKind::Output, fields, .. } => {
                schema.register(object(parts, name, description, fields))
            }
            TypeKind::Object { kind: ObjectKind::Input, fields, .. } => {
                let described = |input: InputObject, field: &DescribedField| {
                    let text = inputs.get(&(name.as_str(), field.name)).copied();
                    input.field(input_value(field, text))
                };
                let input = InputObject::new(name).description(description);
                schema.register(fields.iter().fold(input, described))
            }
            TypeKind::Enum(values) => {
                let item = |all: Enum, (word, text): &(&str, &str)| all.item(EnumItem::new(*word).description(*text));
                schema.register(values.iter().fold(Enum::new(name).description(description), item))
            }
            TypeKind::Union(objects) => {
                let union = Union::new(name).description(description);
                schema.register(objects.iter().fold(union, |union, object| union.possible_type(object)))
            }
            TypeKind::Scalar { accepts, specified_by } => {
                let accepts = *accepts;
                let scalar = Scalar::new(name).description(description).validator(accepts);
                schema.register(specified_by.iter().fold(scalar, |scalar, url| scalar.specified_by_url(*url)))
            }
        };
    }
    schema.finish().map(Graph)
}

/// Returns the contract's description of each field of input objects, by object and field.
fn describe_inputs(parts: &Parts) -> HashMap<(&str, &'static str), &str> {
    let mut described = HashMap::new();
    for DescribedOperation { operation, arguments, .. } in &parts.operations {
        for argument in arguments {
            let Some((name, ty)) = parts.types.named.get_key_value(argument.ty.type_name()) else { continue };
            let TypeKind::Object { fields, .. } = &ty.kind else { continue };
            for field in fields {
                if let Some(text) = parts.descriptions.of(operation.name, field.name) {
                    described.entry((name.as_str(), field.name)).or_insert(text);
                }
            }
        }
    }
    described
}

fn roots(parts: &Parts, name: &str, description: &str, files: Files) -> Object {
    let is_mutation = name == "Mutation";
    let needs: HashMap<&str, &str> =
        parts.operations.iter().map(|described| (described.operation.name, described.operation.access)).collect();
    let mut root = Object::new(name).description(description);
    for described in parts.operations.iter().filter(|described| described.operation.is_mutation == is_mutation) {
        if files == Files::Included || !described.operation.attributes.answers_file {
            root = root.field(root_field(parts, described, &needs));
        }
    }
    root
}

fn root_field(parts: &Parts, described: &DescribedOperation, needs: &HashMap<&str, &str>) -> Field {
    let Operation { name, description, access, attributes, run, .. } = *described.operation;
    let answer = Selection::of(parts, &described.output);
    let signature = Signature::of(&parts.types, &described.arguments);
    let field = Field::new(name, described.output.clone(), move |ctx| {
        let (answer, signature) = (answer.clone(), signature.clone());
        FieldFuture::new(async move { resolve_root(&ctx, run, (&signature, &answer)).await })
    });
    let text = format!("{description}\n\n{}", describe_root_access(needs.get(name).copied().unwrap_or(access)));
    let field = directives(access, &attributes).into_iter().fold(field.description(text), Field::directive);
    described.arguments.iter().fold(field, |field, argument| {
        field.argument(input_value(argument, parts.descriptions.of(name, argument.name)))
    })
}

fn object(parts: &Parts, name: &str, description: &str, fields: &[DescribedField]) -> Object {
    let mut object = Object::new(name).description(description);
    for DescribedField { name, description, ty } in fields {
        let (key, value) = (*name, Selection::of(parts, ty));
        let field = Field::new(key, ty.clone(), move |ctx| FieldFuture::Value(plain(&ctx, key, &value)));
        object = object.field(with_text(field, description));
    }
    for edge in parts.edges.get(name).into_iter().flatten() {
        object = object.field(edge_field(parts, edge));
    }
    object
}

fn with_text(field: Field, description: &str) -> Field {
    if description.is_empty() { field } else { field.description(description) }
}

fn edge_field(parts: &Parts, described: &DescribedEdge) -> Field {
    let (run, value) = (described.edge.run, Selection::of(parts, &described.output));
    let signature = Signature::of(&parts.types, &described.arguments);
    let field = Field::new(described.edge.field, described.output.clone(), move |ctx| {
        let (value, signature) = (value.clone(), signature.clone());
        FieldFuture::new(async move { resolve_edge(&ctx, run, (&signature, &value)).await })
    });
    let reads = described.edge.reads.iter().map(Value::from).collect();
    let needs =
        parts.operations.iter().map(|described| (described.operation.name, described.operation.access)).collect();
    let access = describe_edge_access(&described.edge.reads, &needs).map(|text| format!("\n\n{text}"));
    let text = format!("{}{}", described.edge.description, access.unwrap_or_default());
    let field = field.description(text).directive(Directive::new("edge").argument("reads", Value::List(reads)));
    described.arguments.iter().fold(field, |field, argument| field.argument(input_value(argument, None)))
}

/// Returns an argument or a field of an input object. Its own description has precedence over the description in the
/// contract.
fn input_value(field: &DescribedField, text: Option<&str>) -> InputValue {
    let value = InputValue::new(field.name, field.ty.clone());
    let own = Some(field.description).filter(|own| !own.is_empty());
    match own.or(text) {
        Some(text) => value.description(text),
        None => value,
    }
}

/// Returns the directives of a root field.
fn directives(access: &str, attributes: &Attributes) -> Vec<Directive> {
    let of_argument = |name: &'static str, argument: Option<&'static str>| {
        argument.map(|argument| Directive::new(name).argument("argument", argument.into()))
    };
    let flag = |name: &'static str, is_set: bool| is_set.then(|| Directive::new(name));
    let target = attributes.audit_target.map(|(kind, argument)| {
        let kind = Value::Enum(Name::new(kind.word()));
        Directive::new("audit_target").argument("kind", kind).argument("argument", argument.into())
    });
    let reusable = attributes.reusable.map(|(topic, seconds)| {
        Directive::new("reusable").argument("topic", topic.into()).argument("seconds", seconds.into())
    });
    let all = [
        Some(Directive::new("access").argument("needs", access.into())),
        target,
        of_argument("audit_partner", attributes.audit_partner),
        of_argument("audit_hashed", attributes.audit_hashed),
        of_argument("partner_reads", attributes.partner_reads),
        flag("hidden_from_partner", attributes.hidden_from_partner),
        flag("batched", attributes.batched),
        flag("may_lag", attributes.may_lag),
        flag("answers_file", attributes.answers_file),
        reusable,
    ];
    all.into_iter().flatten().collect()
}

/// Describes the access rule of a root field, from the value of its `@access`.
fn describe_root_access(needs: &str) -> String {
    match needs {
        "public" => "Requires no token.".to_owned(),
        "any" => "Requires a token but no scope.".to_owned(),
        "cookie" | "client" => "Requires a credential that the playground does not send.".to_owned(),
        scope => format!("Requires the scope `{scope}`."),
    }
}

/// Describes the scopes that an edge needs, from the root fields that read the same.
fn describe_edge_access(reads: &[String], needs: &HashMap<&str, &str>) -> Option<String> {
    let scope_of = |read: &String| match read.split_once(": ") {
        Some((of, root)) => Some(format!("`{}` for `{of}`", needs.get(root)?)),
        None => Some(format!("`{}`", needs.get(read.as_str())?)),
    };
    let scopes: Vec<String> = reads.iter().filter_map(scope_of).collect();
    match scopes.as_slice() {
        [] => None,
        [one] => Some(format!("Requires the scope {one}.")),
        several => Some(format!("Requires the scope of each selected type: {}.", several.join(", "))),
    }
}

/// Returns a plain field of an object.
fn plain<'a>(ctx: &ResolverContext<'a>, key: &str, value: &Selection) -> Option<FieldValue<'a>> {
    let field = ctx.parent_value.downcast_ref::<Json>().and_then(|object| object.get(key))?;
    value.borrowed(field, meter(ctx))
}

/// Returns the meter of a staff member's query.
fn meter<'a>(ctx: &ResolverContext<'a>) -> Option<&'a AnswerMeter> {
    ctx.ctx.data_opt::<Arc<AnswerMeter>>().map(Arc::as_ref)
}

async fn resolve_root(
    ctx: &ResolverContext<'_>,
    run: Run,
    (signature, answer): (&Signature, &Selection),
) -> Result<Option<FieldValue<'static>>, Error> {
    #[cfg(debug_assertions)]
    if let Some(recorded) = ctx.data_opt::<Arc<super::parity::Recorded>>() {
        return Ok(answer.owned(&recorded.answer(&argument_values(ctx, signature))?, None));
    }
    let cx = Arc::clone(ctx.data::<Arc<RequestContext>>()?);
    let key = ctx.item.node.response_key().node.to_string();
    let running = async {
        let written = run(&cx, arguments(ctx, signature)).await?;
        if let Some(created) = &written.created {
            cx.note_created(created);
        }
        serde_json::from_slice::<Json>(&written.body).map_err(Fault::internal)
    };
    match ROOT_KEY.scope(key, running).await {
        Ok(value) => Ok(answer.owned(&value, meter(ctx))),
        Err(fault) => fail(ctx, fault, &answer.ty),
    }
}

async fn resolve_edge(
    ctx: &ResolverContext<'_>,
    run: Follow,
    (signature, value): (&Signature, &Selection),
) -> Result<Option<FieldValue<'static>>, Error> {
    let cx = Arc::clone(ctx.data::<Arc<RequestContext>>()?);
    let parent = ctx.parent_value.try_downcast_ref::<Json>()?;
    match run(&cx, Parent::new(parent), arguments(ctx, signature)).await {
        Ok(read) => Ok(value.owned(&read, meter(ctx))),
        Err(fault) => fail(ctx, fault, &value.ty),
    }
}

fn arguments(ctx: &ResolverContext<'_>, signature: &Signature) -> Arguments {
    Arguments::new(argument_values(ctx, signature), ArgumentSource::Query)
}

fn argument_values(ctx: &ResolverContext<'_>, signature: &Signature) -> Map<String, Json> {
    signature.coerce(ctx.args.iter().map(|(name, value)| (name.to_string(), to_json(value.as_value()))).collect())
}

/// Reports the failure of a field. A nullable field is null; the error of another field removes the field.
fn fail(ctx: &Context<'_>, fault: Fault, ty: &TypeRef) -> Result<Option<FieldValue<'static>>, Error> {
    let path = path_of(ctx.path_node.as_ref());
    if matches!(ty, TypeRef::NonNull(_)) {
        return Err(Error::new_with_source(FailedField { fault, path }));
    }
    let mut error = Error::from(fault).into_server_error(ctx.item.pos);
    error.path = path;
    ctx.add_error(error);
    Ok(None)
}

fn path_of(mut node: Option<&QueryPathNode<'_>>) -> Vec<PathSegment> {
    let mut path = Vec::new();
    while let Some(at) = node {
        path.push(match at.segment {
            QueryPathSegment::Index(index) => PathSegment::Index(index),
            QueryPathSegment::Name(name) => PathSegment::Field(name.to_owned()),
        });
        node = at.parent;
    }
    path.reverse();
    path
}

/// Failure of a field that is never null. The library loses the path of such an error.
#[derive(Debug, thiserror::Error)]
#[error("{fault}")]
struct FailedField {
    fault: Fault,
    path: Vec<PathSegment>,
}

/// Gives an error its path and its fault.
fn restore_path(error: &mut ServerError) {
    if let Some(FailedField { fault, path }) = error.source::<FailedField>() {
        let (fault, path) = (fault.clone(), path.clone());
        let mut restored = Error::from(fault).into_server_error(error.locations.first().copied().unwrap_or_default());
        restored.path = path;
        *error = restored;
    }
}
