//! Adds everything that follows from a rule and is therefore not written in a piece: shared error responses, headers,
//! list parameters, conditional requests and idempotent writes (docs/decisions/api.md).

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value, json};

/// Media type of a problem document (RFC 9457).
pub(super) const PROBLEM: &str = "application/problem+json";

/// Security scheme of an existing access token.
const BEARER: &str = "bearer";

/// Headers on every response.
const ALWAYS: [&str; 9] = [
    "X-Request-Id",
    "RateLimit",
    "RateLimit-Policy",
    "X-RateLimit-Limit",
    "X-RateLimit-Remaining",
    "X-RateLimit-Reset",
    "X-RateLimit-Daily-Limit",
    "X-RateLimit-Daily-Remaining",
    "X-RateLimit-Daily-Reset",
];

/// The first release of the service, used if a piece sets no other one (`x-since`).
const FIRST_RELEASE: &str = "1.0.0";

/// Order of an operation's first keys in the assembled file; other keys are between `security` and `parameters`.
const FIRST: [&str; 11] = [
    "operationId",
    "tags",
    "x-resource",
    "summary",
    "description",
    "externalDocs",
    "deprecated",
    "x-since",
    "x-access",
    "x-agentic-access",
    "security",
];
const LAST: [&str; 3] = ["parameters", "requestBody", "responses"];

/// Properties of an operation that the rules use.
pub(super) struct Traits {
    get: bool,
    list: bool,
    staff_list: bool,
    credentials: bool,
    scoped: bool,
    audited: bool,
    path_parameters: bool,
    body: bool,
    content: bool,
    single_json: bool,
    takes_key: bool,
    takes_if_match: bool,
    conditional: bool,
    tagged_list: bool,
    followable: bool,
    reads_a_locale: bool,
    liveness: bool,
}

impl Traits {
    /// Reads an operation as written. `single_gets` are the paths whose GET returns one resource.
    pub(super) fn of(
        method: &str,
        path: &str,
        operation: &Map<String, Value>,
        single_gets: &BTreeSet<String>,
    ) -> Traits {
        let scope = scope_of(operation);
        let list = operation.get("x-list");
        let keyed = method == "post" && operation.get("x-idempotency").is_none();
        let writes_in_place = matches!(method, "patch" | "put" | "delete");
        // Momentary data has no conditional requests.
        let resource = (method == "get" || keyed || writes_in_place) && !operation.contains_key("x-momentary");
        let single_json =
            list.is_none() && resource && answers_json(operation) && !operation.contains_key("x-never-stored");
        Traits {
            get: method == "get",
            list: list.is_some(),
            staff_list: list.and_then(Value::as_str) == Some("staff"),
            credentials: scope.is_some() || operation.contains_key("x-access"),
            scoped: scope.is_some_and(|scope| !scope.is_empty()),
            audited: scope.is_some_and(is_staff_scope),
            path_parameters: path.contains('{'),
            body: operation.contains_key("requestBody"),
            content: !has_no_body(operation),
            single_json,
            takes_key: keyed,
            takes_if_match: writes_in_place && (single_gets.contains(path) || has_parameter(operation, "IfMatch")),
            conditional: method == "get" && (single_json || has_parameter(operation, "IfNoneMatch")),
            tagged_list: method == "get" && list.is_some() && (is_public(operation) || is_followable(operation)),
            followable: is_followable(operation),
            reads_a_locale: operation.contains_key("x-localized"),
            liveness: operation.get("x-probe").and_then(Value::as_str) == Some("liveness"),
        }
    }

    /// Whether this is the GET of a single JSON resource, which supports conditional requests.
    pub(super) fn is_single_get(&self) -> bool {
        self.get && self.single_json
    }
}

/// Returns the operation with everything that follows from the rules, in a readable key order.
pub(super) fn complete(
    group: &str,
    resource: &str,
    traits: &Traits,
    mut operation: Map<String, Value>,
) -> Map<String, Value> {
    operation.insert("tags".to_owned(), json!([group]));
    operation.insert("x-resource".to_owned(), json!(resource));
    operation.entry("x-since").or_insert_with(|| json!(FIRST_RELEASE));
    add_bearer(&mut operation);
    add_parameters(traits, &mut operation);
    let responses =
        operation.get_mut("responses").and_then(Value::as_object_mut).map(std::mem::take).unwrap_or_default();
    let responses = add_responses(traits, responses);
    operation.insert("responses".to_owned(), Value::Object(responses));
    in_order(operation)
}

/// Adds the bearer scheme as an alternative to every operation that needs a token. Only `labs` contains the scope,
/// because this scheme has no scopes.
fn add_bearer(operation: &mut Map<String, Value>) {
    if let Some(Value::Array(security)) = operation.get_mut("security")
        && !security.is_empty()
    {
        security.push(json!({ BEARER: [] }));
    }
}

/// Adds the headers of a component response, depending on the statuses under which it is used.
pub(super) fn complete_component(response: &mut Value, statuses: &BTreeSet<u16>) {
    if let Some(response) = response.as_object_mut() {
        let mut names: Vec<&str> = ALWAYS.to_vec();
        for status in statuses {
            names.extend(headers_of_status(*status));
        }
        add_headers(response, &names);
    }
}

/// Returns the scope in an operation's `security`: none if it needs no token, empty for any valid token.
pub(super) fn scope_of(operation: &Map<String, Value>) -> Option<&str> {
    let requirement = operation.get("security")?.as_array()?.first()?;
    let scopes = requirement.as_object()?.values().next()?.as_array()?;
    Some(scopes.first().and_then(Value::as_str).unwrap_or_default())
}

/// Whether an operation reads content that is the same for every caller: it needs no token, or the token of a
/// storefront. Pages of such lists are polled, so they have entity tags.
fn is_public(operation: &Map<String, Value>) -> bool {
    match scope_of(operation) {
        Some(scope) => scope == "storefront",
        None => !operation.contains_key("x-access"),
    }
}

/// Whether a list of events can be followed by a cursor that continues with later events (`x-followable`). Its pages are
/// polled, so they have entity tags.
fn is_followable(operation: &Map<String, Value>) -> bool {
    operation.contains_key("x-followable")
}

/// Whether a scope belongs to staff, so that its operations are audited (docs/decisions/audit.md#audited-operations).
pub(crate) fn is_staff_scope(scope: &str) -> bool {
    scope.strip_prefix("labs.admin").is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', ':']))
}

/// Whether an operation uses this parameter of the components.
fn has_parameter(operation: &Map<String, Value>, component: &str) -> bool {
    let named = format!("#/components/parameters/{component}");
    let parameters = operation.get("parameters").and_then(Value::as_array);
    parameters.is_some_and(|all| all.iter().any(|parameter| text(parameter, "$ref") == Some(&named)))
}

/// Whether a success has no body, so that no `Accept` can exclude it.
fn has_no_body(operation: &Map<String, Value>) -> bool {
    operation.get("responses").and_then(|responses| responses.get("204")).is_some()
}

fn answers_json(operation: &Map<String, Value>) -> bool {
    let Some(responses) = operation.get("responses").and_then(Value::as_object) else {
        return false;
    };
    ["200", "201"]
        .iter()
        .filter_map(|status| responses.get(*status))
        .any(|response| response.pointer("/content/application~1json").is_some())
}

fn add_parameters(traits: &Traits, operation: &mut Map<String, Value>) {
    let added = [
        (traits.followable, "EventSort", "sort"),
        (traits.list, "Limit", "limit"),
        (traits.list, "Cursor", "cursor"),
        (traits.staff_list, "IncludeTotal", "include_total"),
        (traits.conditional || traits.tagged_list, "IfNoneMatch", "If-None-Match"),
        (traits.conditional, "IfMatchToRead", "If-Match"),
        (traits.takes_if_match, "IfMatch", "If-Match"),
        (traits.takes_key, "IdempotencyKey", "Idempotency-Key"),
    ];
    let mut parameters = match operation.get_mut("parameters").map(Value::take) {
        Some(Value::Array(parameters)) => parameters,
        _ => Vec::new(),
    };
    for (_, component, name) in added.into_iter().filter(|(wanted, ..)| *wanted) {
        let reference = format!("#/components/parameters/{component}");
        let there = parameters
            .iter()
            .any(|parameter| text(parameter, "$ref") == Some(&reference) || text(parameter, "name") == Some(name));
        if !there {
            parameters.push(json!({ "$ref": reference }));
        }
    }
    operation.insert("parameters".to_owned(), Value::Array(parameters));
}

fn add_responses(traits: &Traits, written: Map<String, Value>) -> Map<String, Value> {
    let mut responses: BTreeMap<String, Value> = written.into_iter().collect();
    let unavailable = if traits.audited { "AuditUnavailable" } else { "Unavailable" };
    let rules = [
        (traits.conditional || traits.tagged_list, "304", "NotModified"),
        (true, "400", "Malformed"),
        (traits.credentials, "401", "Unauthenticated"),
        (traits.scoped, "403", "Forbidden"),
        (!traits.liveness, "403", "NetworkDenied"),
        (traits.path_parameters, "404", "NotFound"),
        (traits.content, "406", "NotAcceptable"),
        (traits.takes_key, "409", "IdempotencyInProgress"),
        (traits.followable, "410", "CursorExpired"),
        (traits.takes_if_match, "412", "PreconditionFailed"),
        (traits.conditional, "412", "NotWhatIsNamed"),
        (traits.body, "413", "PayloadTooLarge"),
        (traits.body, "415", "UnsupportedMediaType"),
        (true, "422", "ValidationFailed"),
        (true, "429", "RateLimited"),
        (true, "500", "Internal"),
        (true, "503", unavailable),
    ];
    for (_, status, component) in rules.into_iter().filter(|(applies, ..)| *applies) {
        responses
            .entry(status.to_owned())
            .or_insert_with(|| json!({"$ref": format!("#/components/responses/{component}")}));
    }
    for (status, response) in &mut responses {
        if let Some(response) = response.as_object_mut()
            && !response.contains_key("$ref")
        {
            complete_response(traits, status, response);
        }
    }
    responses.into_iter().collect()
}

fn complete_response(traits: &Traits, status: &str, response: &mut Map<String, Value>) {
    let code: u16 = status.parse().unwrap_or_default();
    if code >= 400 {
        complete_refusal(traits, code, response);
    }
    let mut names: Vec<&str> = ALWAYS.to_vec();
    names.extend(headers_of_status(code));
    let json = response.get("content").is_some_and(|content| content.get("application/json").is_some());
    if matches!(code, 200 | 201) && json && (traits.single_json || traits.tagged_list) {
        names.push("ETag");
    }
    if (200..300).contains(&code) {
        if traits.list {
            names.push("Link");
        }
        if traits.reads_a_locale {
            names.push("Content-Language");
        }
        if traits.takes_key {
            names.push("Idempotency-Replayed");
        }
    }
    add_headers(response, &names);
}

/// Completes an error response that a piece defines itself: the piece names its codes, and the problem document is
/// added.
fn complete_refusal(traits: &Traits, status: u16, response: &mut Map<String, Value>) {
    let follows = match status {
        403 => Some("NETWORK_DENIED"),
        409 if traits.takes_key => Some("IDEMPOTENCY_IN_PROGRESS"),
        _ => None,
    };
    if let Some(code) = follows
        && let Some(Value::Array(codes)) = response.get_mut("x-codes")
        && !codes.contains(&json!(code))
    {
        codes.push(json!(code));
    }
    response.entry("content").or_insert_with(|| json!({PROBLEM: {"schema": {"$ref": "#/components/schemas/Problem"}}}));
}

fn headers_of_status(status: u16) -> &'static [&'static str] {
    match status {
        201 | 308 => &["Location"],
        304 => &["ETag"],
        401 => &["WWW-Authenticate"],
        429 | 503 => &["Retry-After"],
        _ => &[],
    }
}

/// Adds references to header components; headers of the piece come first, unchanged.
fn add_headers(response: &mut Map<String, Value>, names: &[&str]) {
    let mut headers = match response.remove("headers") {
        Some(Value::Object(headers)) => headers,
        _ => Map::new(),
    };
    for name in names {
        headers.entry(*name).or_insert_with(|| json!({"$ref": format!("#/components/headers/{name}")}));
    }
    let content = response.remove("content");
    response.insert("headers".to_owned(), Value::Object(headers));
    if let Some(content) = content {
        response.insert("content".to_owned(), content);
    }
}

/// Returns an operation with its keys in a readable order.
pub(super) fn in_order(mut operation: Map<String, Value>) -> Map<String, Value> {
    let mut ordered = Map::with_capacity(operation.len());
    for key in FIRST {
        if let Some(value) = operation.shift_remove(key) {
            ordered.insert(key.to_owned(), value);
        }
    }
    let last: Vec<(&str, Option<Value>)> = LAST.into_iter().map(|key| (key, operation.shift_remove(key))).collect();
    ordered.append(&mut operation);
    for (key, value) in last {
        match value {
            Some(Value::Array(items)) if items.is_empty() => {}
            Some(value) => {
                ordered.insert(key.to_owned(), value);
            }
            None => {}
        }
    }
    ordered
}

fn text<'a>(value: &'a Value, key: &str) -> Option<&'a str> {
    value.get(key).and_then(Value::as_str)
}
