//! One operation of the contract, as dispatching needs it: read once, then only looked at.

use std::collections::BTreeMap;

use http::Method;
use serde_json::Value;

use super::computed::Computed;
use super::schema_set::SchemaId;

/// One promise of the contract.
#[derive(Clone, Debug)]
pub struct Operation {
    /// Its place among the contract's operations, counted from 0.
    pub index: usize,
    /// `<group>_<resource>_<verb>`: the one name of this operation in contract, documents, schema,
    /// audit and metrics (ARCHITECTURE.md).
    pub id: String,
    /// Its tag: one of [`super::GROUPS`].
    pub group: String,
    /// The resource: the name of its file in `contract/paths/<group>/` and `rest/documents/<group>/`.
    pub resource: String,
    /// GET, POST, PUT, PATCH or DELETE.
    pub method: Method,
    /// The path as the contract writes it: `/v1/marketplace/apps/{app_uuid}:archive`.
    pub path: String,
    /// The path's segments, the custom verb taken off.
    pub segments: Vec<Segment>,
    /// The custom verb behind the last segment's colon: `archive`.
    pub verb: Option<String>,
    /// Who may call it.
    pub access: Access,
    /// What it does, in a line.
    pub summary: String,
    /// Path, query and header parameters, in the order written; cookies are not among them.
    pub parameters: Vec<Parameter>,
    /// What it reads from the body, if it reads one.
    pub body: Option<Body>,
    /// Every response that it promises, by status.
    pub responses: BTreeMap<u16, Response>,
    /// The status of success: the smallest of the promised 2xx. One that promises 201 as well answers so where it created
    /// something.
    pub success: u16,
    /// Whether it answers a page of a list, `{data, page}`.
    pub is_list: bool,
    /// Whether it takes the header `Idempotency-Key`.
    pub takes_idempotency_key: bool,
    /// Whether it takes the header `If-Match`.
    pub takes_if_match: bool,
    /// Whether it takes the header `If-None-Match`.
    pub takes_if_none_match: bool,
    /// Whether its successful answer carries an `ETag`.
    pub sends_etag: bool,
    /// What of its successful answer changes without anybody editing it; only of an answer with an `ETag`.
    pub computed: Computed,
    /// Whether each call writes an audit record: every scope under labs.admin, among them the whole admin group
    /// (docs/decisions.md#audit).
    pub audited: bool,
    /// Whether guessing would use it, so that tries are counted by network beside all other budgets (`x-attempts`).
    pub counts_attempts: bool,
    /// Whether nothing that is counted of an account, its budgets and the network's included, reveals that it asked this
    /// (`x-unattributed`; docs/decisions.md#board).
    pub unattributed: bool,
    /// Bytes of the largest body, where it is beyond what others may have (`x-largest-body`). Few of these are read at once.
    pub largest_body: Option<usize>,
    /// Whether it takes a client's id and secret from the Authorization header too (`x-client-credentials`).
    pub takes_client_credentials: bool,
    /// What an orchestrator asks it for, if it is a probe (`x-probe`).
    pub probe: Option<Probe>,
    /// Where the thing that a 201 made is found: a path with `{field}` of the answer or `{parameter}` of the
    /// request (`x-location`, or the collection's path and the answer's `uuid`).
    pub location: Option<String>,
    /// Whether it is deprecated.
    pub deprecated: bool,
    /// Path parameters as one object schema; none when the path has none.
    pub(super) path_schema: Option<SchemaId>,
    /// Query and header parameters as one object schema; none when there are none.
    pub(super) query_schema: Option<SchemaId>,
}

impl Operation {
    /// The contract piece that promises this operation.
    pub fn file(&self) -> String {
        format!("contract/paths/{}/{}.yaml", self.group, self.resource)
    }

    /// The file that holds this operation's document.
    pub fn document_file(&self) -> String {
        format!("rest/documents/{}/{}.graphql", self.group, self.resource)
    }

    /// Path parameters as the properties of one object; none when the path has none.
    pub fn path_schema(&self) -> Option<SchemaId> {
        self.path_schema
    }

    /// Query and header parameters as the properties of one object, by [`Parameter::variable`];
    /// none when there are none.
    pub fn query_schema(&self) -> Option<SchemaId> {
        self.query_schema
    }

    /// The parameters that stand in `place`.
    pub fn parameters_in(&self, place: Place) -> impl Iterator<Item = &Parameter> {
        self.parameters.iter().filter(move |parameter| parameter.place == place)
    }

    /// Whether it may change anything.
    pub fn is_write(&self) -> bool {
        !matches!(self.method, Method::GET | Method::HEAD)
    }

    /// The response of success.
    pub fn success_response(&self) -> Option<&Response> {
        self.responses.get(&self.success)
    }

    /// Whether `status` is promised.
    pub fn promises(&self, status: u16) -> bool {
        self.responses.contains_key(&status)
    }
}

/// A segment of a path template.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Segment {
    /// Text that must be there as it is.
    Fixed(String),
    /// A parameter of this name.
    Parameter(String),
}

/// What an orchestrator asks of a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Probe {
    /// Whether it lives: answered however busy the service is, and to everybody.
    Liveness,
    /// Whether it can answer others.
    Readiness,
}

/// Who may call an operation (docs/decisions.md#principals).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Access {
    /// Anybody, without a token.
    Public,
    /// Every valid token.
    Any,
    /// The refresh cookie.
    Cookie,
    /// Client id and secret.
    Client,
    /// A token that reaches this scope.
    Scope(String),
}

impl Access {
    /// As `@access(needs: …)` and `operations.tsv` write it.
    pub fn name(&self) -> &str {
        match self {
            Access::Public => "public",
            Access::Any => "any",
            Access::Cookie => "cookie",
            Access::Client => "client",
            Access::Scope(scope) => scope,
        }
    }

    /// The scope that a token must reach, if one is named.
    pub fn scope(&self) -> Option<&str> {
        match self {
            Access::Scope(scope) => Some(scope),
            _ => None,
        }
    }
}

/// Where a parameter stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// In the path.
    Path,
    /// In the query.
    Query,
    /// In a header.
    Header,
}

/// How a parameter's text becomes JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// As text.
    Text,
    /// As a whole number.
    Integer,
    /// As a number.
    Number,
    /// As `true` or `false`.
    Boolean,
}

/// A parameter of an operation.
#[derive(Clone, Debug)]
pub struct Parameter {
    /// Its name: of a query or path parameter also the variable's.
    pub name: String,
    /// What it says to the contract's reader.
    pub description: String,
    /// Where it stands.
    pub place: Place,
    /// Whether it must be there.
    pub required: bool,
    /// Whether it takes several values.
    pub array: bool,
    /// What each value is.
    pub kind: Kind,
    /// Whether a comma between two values separates them: not where a value may contain one.
    pub splits_commas: bool,
    /// The value that stands in when it is left out.
    pub default: Option<Value>,
    /// Whether it is deprecated.
    pub deprecated: bool,
    /// Its schema as written, possibly a `$ref`: see [`super::Contract::resolve`].
    pub schema: Value,
}

impl Parameter {
    /// The GraphQL variable that takes it: its name, of a header in snake_case.
    pub fn variable(&self) -> String {
        match self.place {
            Place::Header => self.name.to_ascii_lowercase().replace('-', "_"),
            _ => self.name.clone(),
        }
    }
}

/// What an operation reads from the request's body.
#[derive(Clone, Debug)]
pub struct Body {
    /// Whether a body must be there.
    pub required: bool,
    /// The media types that it may have, in the order written.
    pub forms: Vec<BodyForm>,
}

impl Body {
    /// The media types, in the order written.
    pub fn media_types(&self) -> impl Iterator<Item = &str> {
        self.forms.iter().map(|form| form.media_type.as_str())
    }
}

/// One media type that a body may have.
#[derive(Clone, Debug)]
pub struct BodyForm {
    /// The media type, in lower case and without parameters.
    pub media_type: String,
    /// How it is read.
    pub kind: BodyKind,
    /// The schema of what is read.
    pub schema: SchemaId,
}

/// How a body is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BodyKind {
    /// A JSON text.
    Json,
    /// A merge patch (RFC 7396): JSON in which `null` empties a field.
    MergePatch,
    /// `application/x-www-form-urlencoded`.
    Form,
    /// `multipart/form-data`: fields and files.
    Multipart,
    /// Bytes as they are.
    Binary,
}

impl BodyKind {
    /// How bodies of a media type are read.
    pub fn of(media_type: &str) -> BodyKind {
        match media_type {
            "application/merge-patch+json" => BodyKind::MergePatch,
            "application/x-www-form-urlencoded" => BodyKind::Form,
            "multipart/form-data" => BodyKind::Multipart,
            json if json == "application/json" || json.ends_with("+json") => BodyKind::Json,
            _ => BodyKind::Binary,
        }
    }
}

/// A promised response.
#[derive(Clone, Debug)]
pub struct Response {
    /// The schema of each media type; none where the contract gives none.
    pub media: BTreeMap<String, Option<SchemaId>>,
    /// The problem codes that it may bear (`x-codes`).
    pub codes: Vec<String>,
    /// The names of the headers that it promises.
    pub headers: Vec<String>,
}

impl Response {
    /// The schema of its JSON, if it is promised as `application/json`.
    pub fn json(&self) -> Option<SchemaId> {
        self.media.get("application/json").copied().flatten()
    }
}
