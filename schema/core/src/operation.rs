//! Operations and edges as data: each is a function with its description.
//!
//! A group lists its operations; there is no other registration. The schema is built from these lists
//! ([`crate::engine::PreparedSchema`]), and REST calls the same functions by prepared queries.

use futures_util::future::BoxFuture;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use uuid::Uuid;

pub use labs_macros::{edge, operation, operations};

use crate::audit_target::AuditTargetKind;
use crate::context::{RequestContext, WrittenAnswer};
use crate::db::Db;
use crate::describe::{Described, Member, TypeRef, Types};
use crate::fault::{Fault, FieldError};
use crate::services::Services;

/// Running operation.
pub type Running<'a> = BoxFuture<'a, Result<WrittenAnswer, Fault>>;

/// Edge that is being followed.
pub type Following<'a> = BoxFuture<'a, Result<Value, Fault>>;

/// Operation: a root field of the schema, which the macro `operation` declares.
#[derive(Clone, Copy)]
pub struct Operation {
    /// Name that contract, document, root field, function and audit record share.
    pub name: &'static str,
    /// Doc comment of the function.
    pub description: &'static str,
    /// Whether it writes.
    pub is_mutation: bool,
    /// Credential or scope that a call needs (`@access`; see [`crate::access::Access::parse`]).
    pub access: &'static str,
    /// Further declarations.
    pub attributes: Attributes,
    /// Arguments of the root field.
    pub arguments: &'static [Member],
    /// Type of the answer.
    pub output: fn(&mut Types) -> TypeRef,
    /// Finds the faults that the rules of the operation find in a body that the contract already rejects, so that the
    /// user of a form sees all errors at once: for its parsable fields. Writes nothing, and looks up no account by its
    /// address. `None` for operations without such rules. Fails with [`crate::Code::Unavailable`] if the database does
    /// not answer, or too many passwords are being validated.
    pub find_faults: Option<FindFaults>,
    /// Runs the function with the arguments.
    pub run: Run,
}

/// Function that finds the faults of a rejected body.
pub type FindFaults = for<'a> fn(&'a Services, &'a Db, &'a RejectedBody) -> FindingFaults<'a>;

/// Running search for faults.
pub type FindingFaults<'a> = BoxFuture<'a, Result<Vec<FieldError>, Fault>>;

/// Body that the contract rejects, as JSON.
pub type RejectedBody = Value;

/// Function that runs an operation.
pub type Run = for<'a> fn(&'a RequestContext, Arguments) -> Running<'a>;

/// Declarations of an operation. Each is a directive of the root field in the SDL, where it is described.
#[derive(Clone, Copy)]
pub struct Attributes {
    /// `@batched`.
    pub batched: bool,
    /// `@may_lag`.
    pub may_lag: bool,
    /// `@reusable`: topic and seconds.
    pub reusable: Option<(&'static str, u64)>,
    /// `@answers_file`.
    pub answers_file: bool,
    /// `@audit_target`: kind of the target, and the argument that identifies it.
    pub audit_target: Option<(AuditTargetKind, &'static str)>,
    /// `@audit_partner`: the argument.
    pub audit_partner: Option<&'static str>,
    /// `@audit_hashed`: the argument.
    pub audit_hashed: Option<&'static str>,
    /// `@partner_reads`: the argument.
    pub partner_reads: Option<&'static str>,
    /// `@hidden_from_partner`.
    pub hidden_from_partner: bool,
}

impl Attributes {
    /// No declaration.
    pub const NONE: Self = Self {
        batched: false,
        may_lag: false,
        reusable: None,
        answers_file: false,
        audit_target: None,
        audit_partner: None,
        audit_hashed: None,
        partner_reads: None,
        hidden_from_partner: false,
    };
}

/// Edge: a field of an object that reads another object, which the macro `edge` declares.
pub struct Edge {
    /// Object with the field.
    pub object: &'static str,
    /// Name of the field.
    pub field: &'static str,
    /// Doc comment of the function.
    pub description: &'static str,
    /// Root fields that read the same (`@edge`).
    pub reads: Vec<String>,
    /// Arguments of the field.
    pub arguments: &'static [Member],
    /// Type of the value.
    pub output: fn(&mut Types) -> TypeRef,
    /// Runs the function.
    pub run: Follow,
}

/// Function that follows an edge from an object.
pub type Follow = for<'a> fn(&'a RequestContext, Parent<'a>, Arguments) -> Following<'a>;

/// Object from which an edge is followed, as JSON.
#[derive(Clone, Copy)]
pub struct Parent<'a>(&'a Value);

impl<'a> Parent<'a> {
    /// Wraps the JSON of an object.
    pub(crate) fn new(object: &'a Value) -> Self {
        Self(object)
    }

    /// Returns the id at a JSON pointer; `None` if the field is null.
    #[must_use]
    pub fn uuid(&self, pointer: &str) -> Option<Uuid> {
        self.text(pointer)?.parse().ok()
    }

    /// Returns the id at a JSON pointer.
    ///
    /// # Errors
    /// [`crate::Code::Internal`] if the object does not have it.
    pub fn id(&self, pointer: &str) -> Result<Uuid, Fault> {
        self.uuid(pointer).ok_or_else(|| Fault::internal(format!("the object of an edge has no id at `{pointer}`")))
    }

    /// Returns the text at a JSON pointer; `None` if the field is null.
    #[must_use]
    pub fn text(&self, pointer: &str) -> Option<&'a str> {
        self.0.pointer(pointer)?.as_str()
    }
}

/// Arguments of a call, by name, as JSON with the names of the schema.
pub struct Arguments {
    values: Map<String, Value>,
    source: ArgumentSource,
}

/// Source of arguments. It decides who made an error in a type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ArgumentSource {
    /// A REST request, which the contract accepted. If a value does not have the Rust type, contract and code differ.
    Contract,
    /// A staff member's own query.
    Query,
}

impl Arguments {
    /// Wraps the arguments of a call.
    pub(crate) fn new(values: Map<String, Value>, source: ArgumentSource) -> Self {
        Self { values, source }
    }

    /// Takes an argument. A missing one counts as null.
    ///
    /// # Errors
    /// If the value has another type: [`crate::Code::ValidationFailed`] in a staff member's query,
    /// [`crate::Code::Internal`] in a REST request, because the contract accepted the value.
    pub fn take<T: DeserializeOwned>(&mut self, name: &str) -> Result<T, Fault> {
        let value = self.values.remove(name).unwrap_or_default();
        serde_json::from_value(value).map_err(|error| err_wrong_type(name, self.source, &error))
    }
}

fn err_wrong_type(argument: &str, source: ArgumentSource, error: &serde_json::Error) -> Fault {
    let message = format!("The argument `{argument}` does not have its type in the schema: {error}.");
    match source {
        ArgumentSource::Contract => Fault::internal(message),
        ArgumentSource::Query => Fault::invalid(vec![FieldError::at("/query", "QUERY", message)]),
    }
}

/// Writes the answer of an operation. A fixed document requests every plain field, so serde writes the value as a
/// whole.
///
/// # Errors
/// [`crate::Code::Internal`] if the value cannot be written as JSON.
pub fn write<T: Described + Serialize>(answer: &T) -> Result<WrittenAnswer, Fault> {
    let body = serde_json::to_vec(answer).map_err(Fault::internal)?.into();
    let next_cursor = answer.next_cursor().map(str::to_owned);
    Ok(WrittenAnswer { body, created: answer.created().cloned(), next_cursor })
}

/// Writes the result of an edge.
///
/// # Errors
/// As [`write`].
pub fn to_json<T: Serialize>(value: &T) -> Result<Value, Fault> {
    serde_json::to_value(value).map_err(Fault::internal)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Code;

    #[test]
    fn wrong_type_is_an_error_of_the_query_or_a_defect_of_the_service() {
        let take = |source| {
            let values = Map::from_iter([("limit".to_owned(), Value::from("ten"))]);
            Arguments::new(values, source).take::<u32>("limit").unwrap_err().code()
        };
        assert_eq!(take(ArgumentSource::Query), Code::ValidationFailed);
        assert_eq!(take(ArgumentSource::Contract), Code::Internal);
    }
}
