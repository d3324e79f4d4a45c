//! The contract in memory: operations, schemas and the validators compiled from them.
//!
//! It is written in pieces ([`mod@assemble`]), committed as one file, embedded and served, and it *is* the validator:
//! bodies and parameters are checked against its schemas before anything else runs (ARCHITECTURE.md).

mod alternatives;
pub mod assemble;
mod commas;
pub mod compare;
mod computed;
mod examples;
mod field;
mod kinds;
mod nearest;
mod operation;
mod problem;
mod read;
#[cfg(test)]
pub(crate) mod sample;
mod schema_set;
mod served;
mod surface;
#[cfg(test)]
mod tests;
mod text;
mod workflows;
pub(crate) mod yaml;

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use aws_lc_rs::digest;
use labs_core::engine::Descriptions;
use serde_json::{Map, Value};

pub use computed::Computed;
pub use field::{FieldCode, FieldError, FieldPlace, MOST};
pub(crate) use field::{below, quote_name};
pub(crate) use nearest::list_names;
pub use nearest::nearest;
pub use operation::{
    Access, AgenticAccess, Body, BodyForm, BodyKind, Direct, Kind, Operation, Parameter, ParameterIn, Probe, Response,
    Segment,
};
pub use problem::Problem;
pub use schema_set::SchemaId;
use schema_set::SchemaSet;
pub use surface::{served_contract, surface};
pub(crate) use workflows::workflows;

/// The nine groups, in the contract's order (docs/decisions/access.md#scopes).
pub const GROUPS: [&str; 9] =
    ["system", "auth", "publication", "subscription", "marketplace", "partner", "statistics", "admin", "engagement"];

/// Text of the contract, as committed.
static EMBEDDED: &str = include_str!("../../../contract/openapi.yaml");

/// The same contract as JSON, written by the build script: parsing JSON takes a fraction of the time of parsing YAML.
static EMBEDDED_JSON: &str = include_str!(concat!(env!("OUT_DIR"), "/openapi.json"));

/// The contract, parsed and compiled. Clones share the compiled schemas.
#[derive(Clone)]
pub struct Contract {
    text: Cow<'static, str>,
    digest: String,
    version: String,
    operations: Vec<Arc<Operation>>,
    index: HashMap<String, usize>,
    scopes: BTreeMap<String, String>,
    counts: BTreeMap<String, u64>,
    book: Arc<SchemaSet>,
}

impl Contract {
    /// Returns the contract that is embedded in this binary. Each schema is compiled when the first value is checked
    /// against it; [`Contract::compile_all`] compiles all of them.
    ///
    /// # Errors
    /// Every unreadable part.
    pub fn embedded() -> Result<Contract, Vec<Problem>> {
        let document = embedded_document().map_err(|error| vec![Problem::new("contract/openapi.yaml", "", error)])?;
        read::contract(Cow::Borrowed(EMBEDDED), &document)
    }

    /// Reads an assembled contract and compiles every request schema.
    ///
    /// # Errors
    /// Every unreadable part, with the piece that it comes from: text that is not YAML, an operation without id, access
    /// or success, a schema that cannot be compiled.
    pub fn from_yaml(text: &str) -> Result<Contract, Vec<Problem>> {
        let contract = read::yaml_contract(text)?;
        contract.compile(contract.request_schemas())?;
        Ok(contract)
    }

    /// Returns the contract as the service at `base_url` serves it: its text names this address as the server and for
    /// tokens, so that clients can import it, call the service and sign in. The digest changes accordingly.
    #[must_use]
    pub fn at_base_url(mut self, base_url: &str) -> Contract {
        self.text = Cow::Owned(served::text(&self.text, base_url));
        self.digest = sha256(self.text.as_bytes());
        self
    }

    /// Compiles the schemas of all requests and responses now. `labs check` and the tests call this, so that no
    /// released contract contains a schema that cannot be compiled.
    ///
    /// # Errors
    /// Every schema that cannot be compiled.
    pub fn compile_all(&self) -> Result<(), Vec<Problem>> {
        let responses = self.operations.iter().flat_map(|operation| operation.responses.values());
        let schemas = responses.flat_map(|response| response.media.values());
        self.compile(self.request_schemas().into_iter().chain(schemas.filter_map(|schema| *schema)).collect())
    }

    /// Returns the schemas of the parameters and bodies of all operations.
    fn request_schemas(&self) -> Vec<SchemaId> {
        let of = |operation: &Arc<Operation>| {
            let forms = operation.body.iter().flat_map(|body| body.forms.iter().map(|form| form.schema));
            operation.path_schema.into_iter().chain(operation.query_schema).chain(forms).collect::<Vec<_>>()
        };
        self.operations.iter().flat_map(of).collect()
    }

    /// Text of the contract: as committed, or as served after [`Contract::at_base_url`].
    pub fn text(&self) -> &str {
        &self.text
    }

    /// SHA-256 of the contract's text, in hexadecimal.
    pub fn digest(&self) -> &str {
        &self.digest
    }

    /// Returns the SHA-256 of a contract's text, in hexadecimal.
    pub(crate) fn digest_of(text: &str) -> String {
        sha256(text.as_bytes())
    }

    /// `info.version`.
    pub fn version(&self) -> &str {
        &self.version
    }

    /// All operations, in the contract's order.
    pub fn operations(&self) -> &[Arc<Operation>] {
        &self.operations
    }

    /// Returns the operation with this id.
    pub fn operation(&self, id: &str) -> Option<&Arc<Operation>> {
        self.index.get(id).and_then(|place| self.operations.get(*place))
    }

    /// Returns the contract's descriptions of each operation's parameters and body, for the documentation of the
    /// schema.
    pub fn descriptions(&self) -> Descriptions {
        let of = |operation: &Arc<Operation>| {
            let id = operation.id.clone();
            let described = operation.parameters.iter().filter(|parameter| !parameter.description.is_empty());
            let described =
                described.map(|parameter| ((id.clone(), parameter.name.clone()), parameter.description.clone()));
            let endpoint = format!("Request body, as for {} {}.", operation.method, operation.path);
            let body = operation.body.as_ref().map(|_| ((id.clone(), "body".to_owned()), endpoint));
            let narrowed = "Filter of the list. An omitted field does not restrict the result.".to_owned();
            let filter = operation.is_list.then(|| ((id.clone(), "filter".to_owned()), narrowed));
            described.chain(body).chain(filter).collect::<Vec<_>>()
        };
        self.operations.iter().flat_map(of).collect()
    }

    /// Returns every code that an error response may contain; some occur more than once.
    pub fn codes(&self) -> impl Iterator<Item = &str> {
        let responses = self.operations.iter().flat_map(|operation| operation.responses.values());
        responses.flat_map(|response| &response.codes).map(String::as_str)
    }

    /// All scopes of the security scheme, with their descriptions.
    pub fn scopes(&self) -> &BTreeMap<String, String> {
        &self.scopes
    }

    /// The declared number of operations per group and the `total`, from `info.x-operations`.
    pub fn counts(&self) -> &BTreeMap<String, u64> {
        &self.counts
    }

    /// Returns a schema as written, possibly a `$ref`.
    pub fn schema(&self, id: SchemaId) -> &Value {
        self.book.schema(id)
    }

    /// Returns the target of a `$ref`, or the schema itself; null for a dangling reference.
    pub fn resolve<'a>(&'a self, schema: &'a Value) -> &'a Value {
        self.book.resolve(schema)
    }

    /// Returns the kind in which the text of a form field with this schema is converted to JSON.
    pub fn kind(&self, schema: &Value) -> Kind {
        self.book.kind(schema)
    }

    /// Whether a field of a multipart form is a file: a binary text, a text with a media type, or an empty schema.
    pub fn is_file(&self, property: &Value) -> bool {
        let property = self.resolve(property);
        property.get("contentMediaType").is_some()
            || property.get("format").and_then(Value::as_str) == Some("binary")
            || property.as_object().is_some_and(Map::is_empty)
    }

    /// Whether `instance` fits this schema.
    pub fn fits(&self, schema: SchemaId, instance: &Value) -> bool {
        self.book.fits(schema, instance)
    }

    /// Returns the errors of `instance` against this schema, at most [`MOST`]. Empty if it fits.
    ///
    /// A schema that cannot be compiled rejects every value; [`Contract::from_yaml`] and
    /// [`Contract::compile_all`] report such schemas earlier.
    pub fn check(&self, schema: SchemaId, instance: &Value) -> Vec<FieldError> {
        self.book.check(schema, instance).unwrap_or_else(|_| {
            let message = "The contract's schema of this value is invalid.";
            vec![FieldError::pointer("", FieldCode::NotAllowed, message)]
        })
    }

    fn compile(&self, mut schemas: Vec<SchemaId>) -> Result<(), Vec<Problem>> {
        schemas.dedup();
        let failed = self.book.compile(&schemas);
        if failed.is_empty() {
            return Ok(());
        }
        Err(failed.into_iter().map(|(name, reason)| Problem::new("contract/openapi.yaml", name, reason)).collect())
    }
}

/// Returns the embedded contract as a JSON value.
///
/// # Errors
/// If the embedded JSON cannot be read, which a test excludes.
fn embedded_document() -> Result<Value, String> {
    serde_json::from_str(EMBEDDED_JSON).map_err(|error| error.to_string())
}

/// Returns the contract's text as the service at `base_url` serves it: the text of [`Contract::at_base_url`], without
/// parsing it.
pub(crate) fn served_text(base_url: &str) -> String {
    served::text(EMBEDDED, base_url)
}

/// Resolves a `$ref` within `document`, also through further references. Null for a dangling reference.
pub(crate) fn resolve<'a>(document: &'a Value, mut value: &'a Value) -> &'a Value {
    for _ in 0..16 {
        let Some(reference) = value.get("$ref").and_then(Value::as_str) else {
            return value;
        };
        let target = reference.strip_prefix('#').and_then(|pointer| document.pointer(pointer));
        match target {
            Some(target) => value = target,
            None => return &Value::Null,
        }
    }
    &Value::Null
}

/// Returns the SHA-256 in hexadecimal.
fn sha256(bytes: &[u8]) -> String {
    hex::encode(digest::digest(&digest::SHA256, bytes))
}
