//! The tool `find_operations`: what an agent must know about an operation to call it.

use labs_core::PrincipalType;
use labs_core::principal::Principal;
use labs_core::scope::Scope;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::find::OperationIndex;
use super::message::Message;
use super::server::ToolError;
use crate::contract::{AgenticAccess, Contract, Operation, ParameterIn};
use crate::rest::Rest;

/// Number of operations that the tool returns, unless the agent sets another one.
const USUAL: usize = 5;
/// Maximum number of operations.
const MOST: usize = 10;
/// Maximum length of a task, in bytes.
const LONGEST_TASK: usize = 2000;
/// Maximum depth of the description of a body.
const DEEPEST: usize = 5;
/// Keywords of a schema that an agent needs.
const KEPT: [&str; 14] = [
    "type",
    "format",
    "enum",
    "const",
    "pattern",
    "minLength",
    "maxLength",
    "minimum",
    "maximum",
    "minItems",
    "maxItems",
    "uniqueItems",
    "required",
    "default",
];

/// Arguments of the tool.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FindArguments {
    words: String,
    #[serde(default)]
    limit: Option<usize>,
}

/// Finds operations by words, best first.
///
/// # Errors
/// A sentence that says what to change.
pub(super) fn find(
    rest: &Rest,
    index: &OperationIndex,
    message: &Message,
    arguments: Value,
) -> Result<Value, ToolError> {
    let FindArguments { words, limit } = serde_json::from_value(arguments).map_err(|error| {
        format!("The arguments do not have the form that the tool's input schema describes: {error}.")
    })?;
    if words.len() > LONGEST_TASK {
        return Err("`words` is too long. Describe the task in one sentence.".to_owned().into());
    }
    let most = limit.unwrap_or(USUAL).clamp(1, MOST);
    let operations = rest.contract().operations();
    let caller = message.principal.as_deref();
    let is_visible = |place: usize| operations.get(place).is_some_and(|operation| can_see(caller, operation));
    let found = index.find(&words, most, is_visible);
    let found = found.into_iter().filter_map(|place| operations.get(place));
    let described: Vec<Value> = found.map(|operation| describe(rest, operation)).collect();
    Ok(json!({ "operations": described }))
}

/// Whether a caller can find an operation. Operations of staff are found only by staff, and by programs with a scope of
/// staff.
pub(super) fn can_see(caller: Option<&Principal>, operation: &Operation) -> bool {
    let is_admin = |principal: &Principal| {
        principal.kind == PrincipalType::StaffUser || principal.scopes.minimal().into_iter().any(Scope::is_admin)
    };
    !operation.audited || caller.is_some_and(is_admin)
}

/// Returns why the tool cannot call an operation; none if it can.
pub(super) fn not_callable_because(rest: &Rest, operation: &Operation) -> Option<String> {
    let (id, base_url) = (&operation.id, &rest.settings.base_url);
    let page = format!("{base_url}/reference/operations/{id}");
    if operation.agentic == AgenticAccess::NeedsAPerson {
        return Some(format!(
            "`{id}` needs a person: it takes or returns a secret, for example a password, a code, a token of an e-mail or \
             a client secret, or it requires that the password was entered a moment ago. A person calls it: {page}"
        ));
    }
    let takes_file = operation.body.as_ref().is_some_and(|body| !body.forms.iter().any(|form| form.kind.is_json()));
    if takes_file {
        return Some(format!("`{id}` takes a file, which this tool cannot send. Send the request over HTTP: {page}"));
    }
    let returned = operation.success_response().map(|response| &response.media);
    let returns_file = returned.is_some_and(|media| !media.is_empty() && !media.contains_key("application/json"));
    returns_file
        .then(|| format!("`{id}` returns a file, which this tool cannot show. Send the request over HTTP: {page}"))
}

fn describe(rest: &Rest, operation: &Operation) -> Value {
    let contract = rest.contract();
    let described = operation.parameters.iter().filter(|parameter| {
        let settable = ["accept-language", "idempotency-key", "if-match"];
        parameter.place != ParameterIn::Header || settable.contains(&parameter.name.to_ascii_lowercase().as_str())
    });
    let parameters = described.map(|parameter| {
        let place = match parameter.place {
            ParameterIn::Path => "path",
            ParameterIn::Query => "query",
            ParameterIn::Header => "headers",
        };
        json!({
            "name": parameter.name,
            "in": place,
            "required": parameter.required,
            "description": first_sentence(&parameter.description),
            "schema": compact(contract, &parameter.schema, 0),
        })
    });
    let form = operation.body.iter().flat_map(|body| &body.forms).find(|form| form.kind.is_json());
    json!({
        "operation_id": operation.id,
        "method": operation.method.as_str(),
        "path": operation.path,
        "summary": operation.summary,
        "description": first_paragraph(&operation.description),
        "scope": operation.access.name(),
        "access": operation.agentic.name(),
        "not_callable_because": not_callable_because(rest, operation),
        "parameters": parameters.collect::<Vec<_>>(),
        "body": form.map(|form| compact(contract, contract.schema(form.schema), 0)),
    })
}

fn first_paragraph(text: &str) -> String {
    text.split("\n\n").next().unwrap_or_default().split_whitespace().collect::<Vec<_>>().join(" ")
}

fn first_sentence(text: &str) -> String {
    let text = first_paragraph(text);
    match text.split_once(". ") {
        Some((first, _)) => format!("{first}."),
        None => text,
    }
}

/// Returns a schema without references, examples and long texts.
fn compact(contract: &Contract, schema: &Value, depth: usize) -> Value {
    let resolved = contract.resolve(schema);
    let mut kept = Map::new();
    for keyword in KEPT {
        if let Some(value) = schema.get(keyword).or_else(|| resolved.get(keyword)) {
            kept.insert(keyword.to_owned(), value.clone());
        }
    }
    if let Some(Value::String(text)) = schema.get("description").or_else(|| resolved.get("description")) {
        kept.insert("description".to_owned(), first_sentence(text).into());
    }
    if depth >= DEEPEST {
        return Value::Object(kept);
    }
    if let Some(Value::Object(members)) = resolved.get("properties") {
        let members = members.iter().map(|(name, member)| (name.clone(), compact(contract, member, depth + 1)));
        kept.insert("properties".to_owned(), Value::Object(members.collect()));
    }
    if let Some(items) = resolved.get("items") {
        kept.insert("items".to_owned(), compact(contract, items, depth + 1));
    }
    for word in ["oneOf", "anyOf", "allOf"] {
        if let Some(Value::Array(several)) = resolved.get(word) {
            let several = several.iter().map(|one| compact(contract, one, depth + 1));
            kept.insert(word.to_owned(), Value::Array(several.collect()));
        }
    }
    Value::Object(kept)
}
