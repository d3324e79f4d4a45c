//! An operation of the contract in the form that dispatch needs: parsed once at startup.

use std::collections::BTreeMap;

use http::Method;
use serde_json::Value;

use super::computed::Computed;
use super::schema_set::SchemaId;

/// An operation of the contract.
#[derive(Clone, Debug)]
pub struct Operation {
    /// Position among the contract's operations, counted from 0.
    pub index: usize,
    /// `<group>_<resource>_<verb>`: the only name of this operation in contract, documents, schema, audit and metrics
    /// (ARCHITECTURE.md).
    pub id: String,
    /// Tag of the operation: one of [`super::GROUPS`].
    pub group: String,
    /// Resource of the operation: the name of its file in `contract/paths/<group>/` and `rest/documents/<group>/`.
    pub resource: String,
    /// GET, POST, PUT, PATCH or DELETE.
    pub method: Method,
    /// Path as in the contract: `/v1/marketplace/apps/{app_uuid}:archive`.
    pub path: String,
    /// Segments of the path, without the custom verb.
    pub segments: Vec<Segment>,
    /// Custom verb after the colon in the last segment: `archive`.
    pub verb: Option<String>,
    /// Required access.
    pub access: Access,
    /// Summary in one line.
    pub summary: String,
    /// Description, as Markdown.
    pub description: String,
    /// What a call by an agent means (`x-agentic-access`).
    pub agentic: AgenticAccess,
    /// Path, query and header parameters, in the written order; cookies are not included.
    pub parameters: Vec<Parameter>,
    /// The request body, if the operation takes one.
    pub body: Option<Body>,
    /// Every response in the contract, by status.
    pub responses: BTreeMap<u16, Response>,
    /// Status of a success: the smallest 2xx. An operation that also declares 201 returns it if it created a resource.
    pub success: u16,
    /// Whether the response is a page of a list, `{data, page}`.
    pub is_list: bool,
    /// Whether the operation accepts the header `Idempotency-Key`.
    pub takes_idempotency_key: bool,
    /// Whether the operation accepts the header `If-Match`.
    pub takes_if_match: bool,
    /// Whether the operation accepts the header `If-None-Match`.
    pub takes_if_none_match: bool,
    /// Whether a successful response has an `ETag`.
    pub sends_etag: bool,
    /// Members of a successful response that change without an edit; only for a response with an `ETag`.
    pub computed: Computed,
    /// Whether each request writes an audit record: every scope under labs.admin, including the whole admin group
    /// (docs/decisions/audit.md#audited-operations).
    pub audited: bool,
    /// Whether an attacker could use the operation to guess secrets. Its attempts are counted per network, in addition
    /// to all other budgets (`x-attempts`).
    pub counts_attempts: bool,
    /// Whether no counter of an account, including its budgets and the network's, reveals that the account called this
    /// operation (`x-unattributed`; docs/decisions/board.md#counts-by-account-exclude-votes).
    pub unattributed: bool,
    /// Maximum size of the body in bytes, if it exceeds the general limit (`x-largest-body`). Only a few of these
    /// bodies are read at once.
    pub largest_body: Option<usize>,
    /// Whether the operation also accepts client credentials in the Authorization header (`x-client-credentials`).
    pub takes_client_credentials: bool,
    /// Answer of this operation, if the HTTP layer gives it (`x-probe`, `x-direct`). The operation then has no
    /// document and no root field.
    pub direct: Option<Direct>,
    /// Whether the path's `partner_uuid` must be the caller's partner: the contract declares 403 with
    /// `PARTNER_MISMATCH` (docs/decisions/api.md#resources-of-other-partners).
    pub requires_own_partner: bool,
    /// Whether errors have the form of RFC 6749 section 5.2: the contract declares 400 as JSON, not as a problem
    /// document.
    pub has_oauth_errors: bool,
    /// Address of a resource that a 201 created: a path with `{field}` of the response or `{parameter}` of the request
    /// (`x-location`, or the collection's path and the response's `uuid`).
    pub location: Option<String>,
    /// Whether the operation is deprecated.
    pub deprecated: bool,
    /// Path parameters as one object schema; none if the path has none.
    pub(super) path_schema: Option<SchemaId>,
    /// Query and header parameters as one object schema; none without these parameters.
    pub(super) query_schema: Option<SchemaId>,
}

impl Operation {
    /// Whether it admits a caller who has no token yet or no longer: sign-in, refresh, registration, token of a client.
    pub fn is_entrance(&self) -> bool {
        self.counts_attempts || matches!(self.access, Access::Cookie | Access::Client)
    }

    /// Returns the contract piece of this operation.
    pub fn file(&self) -> String {
        format!("contract/paths/{}/{}.yaml", self.group, self.resource)
    }

    /// Returns the file with this operation's document.
    pub fn document_file(&self) -> String {
        format!("rest/documents/{}/{}.graphql", self.group, self.resource)
    }

    /// Path parameters as the properties of one object; none if the path has none.
    pub fn path_schema(&self) -> Option<SchemaId> {
        self.path_schema
    }

    /// Query and header parameters as the properties of one object, by [`Parameter::variable`]; none without these
    /// parameters.
    pub fn query_schema(&self) -> Option<SchemaId> {
        self.query_schema
    }

    /// Returns the parameters in `place`.
    pub fn parameters_in(&self, place: ParameterIn) -> impl Iterator<Item = &Parameter> {
        self.parameters.iter().filter(move |parameter| parameter.place == place)
    }

    /// Whether the operation may change data.
    pub fn is_write(&self) -> bool {
        !matches!(self.method, Method::GET | Method::HEAD)
    }

    /// Returns the response of a success.
    pub fn success_response(&self) -> Option<&Response> {
        self.responses.get(&self.success)
    }

    /// Returns the probe that this operation answers, if it is one.
    pub fn probe(&self) -> Option<Probe> {
        match self.direct {
            Some(Direct::Probe(probe)) => Some(probe),
            _ => None,
        }
    }

    /// Whether the contract declares `status`.
    pub fn promises(&self, status: u16) -> bool {
        self.responses.contains_key(&status)
    }
}

/// A segment of a path template.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Segment {
    /// Text that must match exactly.
    Fixed(String),
    /// A parameter with this name.
    Parameter(String),
}

/// Answer that the HTTP layer gives itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direct {
    /// Answer to a probe.
    Probe(Probe),
    /// The contract.
    Contract,
    /// Whether another call would be allowed.
    Explanation,
}

/// Probe of an orchestrator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Probe {
    /// Whether the process is alive: answered under any load, and to every client.
    Liveness,
    /// Whether the service can serve requests.
    Readiness,
}

/// Required access of an operation (docs/decisions/access.md#default-deny).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Access {
    /// Any client, without a token.
    Public,
    /// Any valid token.
    Any,
    /// The refresh cookie.
    Cookie,
    /// Client id and client secret.
    Client,
    /// A token with this scope.
    Scope(String),
}

impl Access {
    /// Returns the access as in `@access(needs: …)` and `operations.tsv`.
    pub fn name(&self) -> &str {
        match self {
            Access::Public => "public",
            Access::Any => "any",
            Access::Cookie => "cookie",
            Access::Client => "client",
            Access::Scope(scope) => scope,
        }
    }

    /// Returns the required scope, if one is named.
    pub fn scope(&self) -> Option<&str> {
        match self {
            Access::Scope(scope) => Some(scope),
            _ => None,
        }
    }
}

/// What a call by an agent means: the strongest property of the operation, derived by the assembly
/// (docs/decisions/agents.md#access-of-agents).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum AgenticAccess {
    /// It changes no data.
    Read,
    /// It changes data, and another call undoes the change.
    ReversibleWrite,
    /// It sends an e-mail, which cannot be recalled.
    SendsMail,
    /// It changes data, and no call undoes the change.
    Irreversible,
    /// It takes a secret of a person, or returns a secret, so no agent calls it.
    NeedsAPerson,
}

impl AgenticAccess {
    /// All values, the weakest first.
    pub const ALL: [Self; 5] =
        [Self::Read, Self::ReversibleWrite, Self::SendsMail, Self::Irreversible, Self::NeedsAPerson];

    /// Returns the value as in the contract.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::ReversibleWrite => "reversible-write",
            Self::SendsMail => "sends-mail",
            Self::Irreversible => "irreversible",
            Self::NeedsAPerson => "needs-a-person",
        }
    }
}

/// Location of a parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParameterIn {
    /// In the path.
    Path,
    /// In the query.
    Query,
    /// In a header.
    Header,
}

/// Conversion of a parameter's text to JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A text.
    Text,
    /// A whole number.
    Integer,
    /// A number.
    Number,
    /// `true` or `false`.
    Boolean,
}

/// A parameter of an operation.
#[derive(Clone, Debug)]
pub struct Parameter {
    /// Name of the parameter; for a query or path parameter also the variable's name.
    pub name: String,
    /// Description in the contract.
    pub description: String,
    /// Location of the parameter.
    pub place: ParameterIn,
    /// Whether the parameter is required.
    pub required: bool,
    /// Whether the parameter accepts several values.
    pub array: bool,
    /// Type of each value.
    pub kind: Kind,
    /// Whether commas separate values; false if a value may contain one.
    pub splits_commas: bool,
    /// The value that is used if the parameter is omitted.
    pub default: Option<Value>,
    /// Whether the parameter is deprecated.
    pub deprecated: bool,
    /// Schema as written, possibly a `$ref`: see [`super::Contract::resolve`].
    pub schema: Value,
}

impl Parameter {
    /// Returns the GraphQL variable of the parameter: its name, for a header in snake_case.
    pub fn variable(&self) -> String {
        match self.place {
            ParameterIn::Header => self.name.to_ascii_lowercase().replace('-', "_"),
            _ => self.name.clone(),
        }
    }
}

/// The request body of an operation.
#[derive(Clone, Debug)]
pub struct Body {
    /// Whether a body is required.
    pub required: bool,
    /// Accepted media types, in the written order.
    pub forms: Vec<BodyForm>,
}

impl Body {
    /// Returns the media types, in the written order.
    pub fn media_types(&self) -> impl Iterator<Item = &str> {
        self.forms.iter().map(|form| form.media_type.as_str())
    }
}

/// One accepted media type of a body.
#[derive(Clone, Debug)]
pub struct BodyForm {
    /// Media type, in lower case and without parameters.
    pub media_type: String,
    /// Format of the body.
    pub kind: BodyKind,
    /// Schema of the parsed body.
    pub schema: SchemaId,
}

/// Format of a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BodyKind {
    /// A JSON text.
    Json,
    /// A merge patch (RFC 7396): JSON where `null` clears a field.
    MergePatch,
    /// `application/x-www-form-urlencoded`.
    Form,
    /// `multipart/form-data`: fields and files.
    Multipart,
    /// Raw bytes.
    Binary,
}

impl BodyKind {
    /// Whether a body in this format is JSON.
    #[must_use]
    pub fn is_json(self) -> bool {
        matches!(self, Self::Json | Self::MergePatch)
    }

    /// Returns the format of a media type.
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

/// A response in the contract.
#[derive(Clone, Debug)]
pub struct Response {
    /// Schema of each media type; none if the contract declares none.
    pub media: BTreeMap<String, Option<SchemaId>>,
    /// Possible problem codes (`x-codes`).
    pub codes: Vec<String>,
    /// Names of the declared headers.
    pub headers: Vec<String>,
}

impl Response {
    /// Returns the schema of the JSON response, if the contract declares `application/json`.
    pub fn json(&self) -> Option<SchemaId> {
        self.media.get("application/json").copied().flatten()
    }
}
