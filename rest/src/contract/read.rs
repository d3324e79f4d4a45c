//! Parses the assembled contract into operations and the schema set.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use http::Method;
use labs_core::Code;
use serde_json::{Map, Value, json};

use super::assemble::is_staff_scope;
use super::commas::is_free_of_commas;
use super::computed::Computed;
use super::kinds::{is_type, kind};
use super::operation::{
    Access, AgenticAccess, Body, BodyForm, BodyKind, Direct, Operation, Parameter, ParameterIn, Probe, Response,
    Segment,
};
use super::problem::Problem;
use super::schema_set::{SchemaId, SchemaSet};
use super::{Contract, resolve, sha256, yaml};

const FILE: &str = "contract/openapi.yaml";

/// Reads a contract from its YAML text; its schemas are added and not compiled yet.
pub(super) fn yaml_contract(text: &str) -> Result<Contract, Vec<Problem>> {
    let document = yaml::read(text).map_err(|error| vec![Problem::new(FILE, "", error)])?;
    contract(Cow::Owned(text.to_owned()), &document)
}

/// Reads a contract from its text and the document that the text describes; its schemas are added and not compiled yet.
pub(super) fn contract(text: Cow<'static, str>, document: &Value) -> Result<Contract, Vec<Problem>> {
    let schemas = document.pointer("/components/schemas").cloned().unwrap_or_else(|| json!({}));
    let mut reader = Reader { document, book: SchemaSet::new(schemas), problems: Vec::new() };
    let operations = reader.operations();
    let (book, problems) = (reader.book, reader.problems);
    if !problems.is_empty() {
        return Err(problems);
    }
    let index: HashMap<String, usize> =
        operations.iter().enumerate().map(|(place, operation)| (operation.id.clone(), place)).collect();
    Ok(Contract {
        digest: sha256(text.as_bytes()),
        text,
        version: text_at(document, "/info/version"),
        operations: operations.into_iter().map(Arc::new).collect(),
        index,
        scopes: scopes(document),
        counts: counts(document),
        book: Arc::new(book),
    })
}

fn scopes(document: &Value) -> BTreeMap<String, String> {
    let pointer = "/components/securitySchemes/labs/flows/password/scopes";
    object(document.pointer(pointer))
        .map(|(scope, text)| (scope.clone(), text.as_str().unwrap_or_default().to_owned()))
        .collect()
}

fn counts(document: &Value) -> BTreeMap<String, u64> {
    object(document.pointer("/info/x-operations"))
        .filter_map(|(group, count)| Some((group.clone(), count.as_u64()?)))
        .collect()
}

struct Reader<'a> {
    document: &'a Value,
    book: SchemaSet,
    problems: Vec<Problem>,
}

impl<'a> Reader<'a> {
    fn operations(&mut self) -> Vec<Operation> {
        let document = self.document;
        let mut operations: Vec<Operation> = Vec::new();
        for (path, item) in object(document.get("paths")) {
            for (method, value) in object(Some(item)) {
                let place = format!("{method} {path}");
                match self.operation(path, method, value) {
                    Ok(operation) if operations.iter().any(|other| other.id == operation.id) => {
                        let what = "this operationId occurs twice";
                        self.problems.push(Problem::new(FILE, operation.id, what));
                    }
                    Ok(operation) => operations.push(Operation { index: operations.len(), ..operation }),
                    Err(what) => self.problems.push(Problem::new(FILE, place, what)),
                }
            }
        }
        operations
    }

    fn operation(&mut self, path: &str, method: &str, value: &'a Value) -> Result<Operation, String> {
        let id = text(value, "operationId").ok_or("has no operationId")?.to_owned();
        let group = value.pointer("/tags/0").and_then(Value::as_str).ok_or("has no tag")?;
        let resource =
            text(value, "x-resource").ok_or("has no x-resource: assemble the contract from its source files")?;
        let access = access(value)?;
        let (segments, verb) = segments(path);
        let parameters = self.parameters(value)?;
        let responses = self.responses(&id, value)?;
        let success =
            *responses.keys().find(|status| (200..300).contains(*status)).ok_or("declares no successful response")?;
        let creates = responses.contains_key(&201);
        let takes = |name: &str| {
            let mut headers = parameters.iter().filter(|parameter| parameter.place == ParameterIn::Header);
            headers.any(|parameter| parameter.name.eq_ignore_ascii_case(name))
        };
        let sends = responses.get(&success).map(|response| &response.headers);
        let sends_etag = sends.is_some_and(|headers| headers.iter().any(|name| name == "ETag"));
        let is_list = value.get("x-list").is_some();
        Ok(Operation {
            index: 0,
            group: group.to_owned(),
            resource: resource.to_owned(),
            method: Method::from_bytes(method.to_ascii_uppercase().as_bytes()).map_err(|_| "is not a method")?,
            path: path.to_owned(),
            segments,
            verb,
            summary: text(value, "summary").unwrap_or_default().to_owned(),
            description: text(value, "description").unwrap_or_default().to_owned(),
            agentic: agentic(value)?,
            body: self.body(&id, value)?,
            success,
            is_list,
            takes_idempotency_key: takes("Idempotency-Key"),
            takes_if_match: takes("If-Match"),
            takes_if_none_match: takes("If-None-Match"),
            sends_etag,
            computed: if sends_etag && !is_list { self.computed(value, success) } else { Computed::default() },
            audited: access.scope().is_some_and(is_staff_scope),
            counts_attempts: flag(value, "x-attempts"),
            unattributed: flag(value, "x-unattributed"),
            largest_body: value
                .get("x-largest-body")
                .and_then(Value::as_u64)
                .and_then(|most| usize::try_from(most).ok()),
            takes_client_credentials: value.get("x-client-credentials").is_some(),
            direct: direct(value)?,
            requires_own_partner: promises_code(&responses, 403, Code::PartnerMismatch),
            has_oauth_errors: responses.get(&400).is_some_and(|response| response.json().is_some()),
            location: text(value, "x-location").map(str::to_owned).or_else(|| location_of_created(path, creates)),
            deprecated: flag(value, "deprecated"),
            path_schema: self.object_schema(&id, "path", &parameters, |place| place == ParameterIn::Path),
            query_schema: self.object_schema(&id, "query", &parameters, |place| place != ParameterIn::Path),
            id,
            access,
            parameters,
            responses,
        })
    }

    /// Returns the computed members of the successful response.
    fn computed(&self, operation: &Value, success: u16) -> Computed {
        let response = operation.get("responses").and_then(|responses| responses.get(success.to_string()));
        let schema =
            response.and_then(|response| resolve(self.document, response).pointer("/content/application~1json/schema"));
        schema.map_or_else(Computed::default, |schema| Computed::of(self.document, schema))
    }

    fn parameters(&self, operation: &'a Value) -> Result<Vec<Parameter>, String> {
        let mut parameters = Vec::new();
        for parameter in array(operation.get("parameters")) {
            let parameter = resolve(self.document, parameter);
            let name = text(parameter, "name").ok_or("has a parameter without a name")?;
            let place = match text(parameter, "in") {
                Some("path") => ParameterIn::Path,
                Some("query") => ParameterIn::Query,
                Some("header") => ParameterIn::Header,
                Some("cookie") => continue,
                _ => return Err(format!("the parameter {name} has no `in`")),
            };
            let schema = parameter.get("schema").ok_or_else(|| format!("the parameter {name} has no schema"))?;
            parameters.push(self.parameter(name, place, parameter, schema));
        }
        Ok(parameters)
    }

    fn parameter(&self, name: &str, place: ParameterIn, parameter: &Value, schema: &Value) -> Parameter {
        let resolved = resolve(self.document, schema);
        let array = is_type(resolved, "array");
        let item = match resolved.get("items") {
            Some(items) if array => resolve(self.document, items),
            _ => resolved,
        };
        let default = schema.get("default").or_else(|| resolved.get("default"));
        Parameter {
            name: name.to_owned(),
            description: text(parameter, "description").unwrap_or_default().to_owned(),
            place,
            required: flag(parameter, "required"),
            array,
            kind: kind(self.document, item),
            splits_commas: array && is_free_of_commas(item),
            default: default.cloned(),
            deprecated: flag(parameter, "deprecated"),
            schema: schema.clone(),
        }
    }

    /// Builds one object schema from the chosen parameters, so that one validator checks them all. The binder checks
    /// required ones, because a default may apply.
    fn object_schema(
        &mut self,
        id: &str,
        name: &str,
        parameters: &[Parameter],
        chosen: impl Fn(ParameterIn) -> bool,
    ) -> Option<SchemaId> {
        let properties: Map<String, Value> = parameters
            .iter()
            .filter(|parameter| chosen(parameter.place))
            .map(|parameter| (parameter.variable(), parameter.schema.clone()))
            .collect();
        if properties.is_empty() {
            return None;
        }
        let schema = json!({ "properties": properties });
        Some(self.book.add(&format!("{id}.{name}"), &schema))
    }

    fn body(&mut self, id: &str, operation: &'a Value) -> Result<Option<Body>, String> {
        let Some(body) = operation.get("requestBody") else {
            return Ok(None);
        };
        let body = resolve(self.document, body);
        let mut forms = Vec::new();
        for (media_type, media) in object(body.get("content")) {
            let schema = media.get("schema").unwrap_or(&Value::Bool(true));
            let media_type = media_type.to_ascii_lowercase();
            forms.push(BodyForm {
                kind: BodyKind::of(&media_type),
                schema: self.book.add(&format!("{id}.body.{media_type}"), schema),
                media_type,
            });
        }
        if forms.is_empty() {
            return Err("has a request body without a media type".to_owned());
        }
        Ok(Some(Body { required: flag(body, "required"), forms }))
    }

    fn responses(&mut self, id: &str, operation: &'a Value) -> Result<BTreeMap<u16, Response>, String> {
        let mut responses = BTreeMap::new();
        for (status, response) in object(operation.get("responses")) {
            let code = status.parse::<u16>().map_err(|_| format!("`{status}` is not a status"))?;
            let response = resolve(self.document, response);
            let mut media = BTreeMap::new();
            for (media_type, value) in object(response.get("content")) {
                let name = format!("{id}.{status}.{media_type}");
                let schema = value.get("schema").map(|schema| self.book.add(&name, schema));
                media.insert(media_type.clone(), schema);
            }
            responses.insert(
                code,
                Response {
                    media,
                    codes: array(response.get("x-codes")).filter_map(|code| code.as_str().map(str::to_owned)).collect(),
                    headers: object(response.get("headers")).map(|(name, _)| name.clone()).collect(),
                },
            );
        }
        Ok(responses)
    }
}

/// Returns what a call by an agent means.
fn agentic(operation: &Value) -> Result<AgenticAccess, String> {
    let name = text(operation, "x-agentic-access")
        .ok_or("has no x-agentic-access: assemble the contract from its source files")?;
    let mut known = AgenticAccess::ALL.into_iter();
    known.find(|access| access.name() == name).ok_or_else(|| format!("`x-agentic-access: {name}` is unknown"))
}

/// Returns the answer that the HTTP layer gives.
fn direct(operation: &Value) -> Result<Option<Direct>, String> {
    match (text(operation, "x-probe"), text(operation, "x-direct")) {
        (None, None) => Ok(None),
        (Some("liveness"), None) => Ok(Some(Direct::Probe(Probe::Liveness))),
        (Some("readiness"), None) => Ok(Some(Direct::Probe(Probe::Readiness))),
        (None, Some("contract")) => Ok(Some(Direct::Contract)),
        (None, Some("explanation")) => Ok(Some(Direct::Explanation)),
        (Some(other), None) => Err(format!("`x-probe: {other}` is invalid: write liveness or readiness")),
        (None, Some(other)) => Err(format!("`x-direct: {other}` is invalid: write contract or explanation")),
        (Some(_), Some(_)) => Err("has `x-probe` and `x-direct`: write one of them".to_owned()),
    }
}

/// Whether a response declares a code.
fn promises_code(responses: &BTreeMap<u16, Response>, status: u16, code: Code) -> bool {
    responses.get(&status).is_some_and(|response| response.codes.iter().any(|known| known == code.name()))
}

/// Returns the default address of a created resource: below its collection, unless the contract states another one.
fn location_of_created(path: &str, creates: bool) -> Option<String> {
    (creates && !path.contains(':')).then(|| format!("{path}/{{uuid}}"))
}

fn access(operation: &Value) -> Result<Access, String> {
    match text(operation, "x-access") {
        Some("cookie") => return Ok(Access::Cookie),
        Some("client") => return Ok(Access::Client),
        Some(other) => return Err(format!("`x-access: {other}` is invalid: write cookie or client")),
        None => {}
    }
    let security = operation.get("security").and_then(Value::as_array).ok_or("declares no access")?;
    match security.as_slice() {
        [] => Ok(Access::Public),
        [requirement, others @ ..] if others.iter().all(|other| *other == json!({ "bearer": [] })) => {
            match requirement.get("labs").and_then(Value::as_array).map(Vec::as_slice) {
                Some([]) => Ok(Access::Any),
                Some([Value::String(scope)]) => Ok(Access::Scope(scope.clone())),
                _ => Err("`security` must name the scheme `labs` with at most one scope".to_owned()),
            }
        }
        _ => Err("declares more than one kind of access".to_owned()),
    }
}

/// Returns a path's segments, and the custom verb after the colon in the last one.
fn segments(path: &str) -> (Vec<Segment>, Option<String>) {
    let (path, verb) = match path.rsplit_once('/') {
        Some((_, last)) => match last.rsplit_once(':') {
            Some((_, verb)) => {
                let end = path.len() - verb.len() - 1;
                (path.get(..end).unwrap_or(path), Some(verb.to_owned()))
            }
            None => (path, None),
        },
        None => (path, None),
    };
    let segments = path
        .split('/')
        .skip(1)
        .map(|segment| match segment.strip_prefix('{').and_then(|name| name.strip_suffix('}')) {
            Some(name) => Segment::Parameter(name.to_owned()),
            None => Segment::Fixed(segment.to_owned()),
        })
        .collect();
    (segments, verb)
}

fn text<'a>(value: &'a Value, key: &str) -> Option<&'a str> {
    value.get(key).and_then(Value::as_str)
}

fn text_at(value: &Value, pointer: &str) -> String {
    let text = value.pointer(pointer).and_then(Value::as_str);
    text.unwrap_or_default().to_owned()
}

fn flag(value: &Value, key: &str) -> bool {
    value.get(key).and_then(Value::as_bool).unwrap_or_default()
}

fn object(value: Option<&Value>) -> impl Iterator<Item = (&String, &Value)> {
    value.and_then(Value::as_object).into_iter().flatten()
}

fn array(value: Option<&Value>) -> impl Iterator<Item = &Value> {
    value.and_then(Value::as_array).into_iter().flatten()
}
