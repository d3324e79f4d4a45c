//! Reads the body in its media type.

use serde_json::{Map, Value};

use super::media::{is_empty_body, refuse_body};
use super::refusal::{ErrorCollector, Refusal};
use super::{Attachment, BoundRequest, Request, attachments, form, json};
use crate::contract::{BodyForm, BodyKind, Contract, Operation};

/// The variable that receives the body.
pub(crate) const VARIABLE: &str = "body";

/// Reads the body into the variable `body` and into attachments.
///
/// # Errors
/// [`Refusal::UnsupportedMediaType`] if bytes were sent without a type, [`Refusal::Invalid`] if a body was sent to an
/// operation without one. All other errors are recorded.
pub(super) async fn read(
    contract: &Contract,
    operation: &Operation,
    form: Option<&BodyForm>,
    request: &Request<'_>,
    bound: &mut BoundRequest,
    findings: &mut ErrorCollector,
) -> Result<(), Refusal> {
    let Some(body) = &operation.body else {
        return if is_empty_body(&request.body) { Ok(()) } else { Err(refuse_body()) };
    };
    if request.body.is_empty() && form.is_none_or(|form| form.kind != BodyKind::Form) {
        if body.required {
            let types: Vec<&str> = body.media_types().collect();
            findings.add_malformed(format!("This operation requires a body. Send {}.", types.join(" or ")));
        }
        return Ok(());
    }
    let Some(form) = form else {
        return Err(Refusal::UnsupportedMediaType { accepted: body.media_types().map(str::to_owned).collect() });
    };
    let value = match form.kind {
        BodyKind::Json | BodyKind::MergePatch => json::read(&request.body, findings),
        BodyKind::Form => form::read(contract, form, &request.body, findings),
        BodyKind::Multipart => return multipart(contract, form, request, bound, findings).await,
        BodyKind::Binary => {
            bound.attachments.push(Attachment {
                name: VARIABLE.to_owned(),
                file_name: None,
                media_type: form.media_type.clone(),
                bytes: request.body.clone(),
            });
            None
        }
    };
    if let Some(value) = value {
        check(contract, form, &value, findings);
        bound.variables.insert(VARIABLE.to_owned(), value);
    }
    Ok(())
}

async fn multipart(
    contract: &Contract,
    form: &BodyForm,
    request: &Request<'_>,
    bound: &mut BoundRequest,
    findings: &mut ErrorCollector,
) -> Result<(), Refusal> {
    let Some(parts) = attachments::read(contract, form, request, findings).await else {
        return Ok(());
    };
    // A file is an empty text in its object, so that the schema sees that it exists.
    let mut whole: Map<String, Value> = parts.fields.clone();
    for file in &parts.files {
        whole.insert(file.name.clone(), Value::String(String::new()));
    }
    check(contract, form, &Value::Object(whole), findings);
    bound.variables.insert(VARIABLE.to_owned(), Value::Object(parts.fields));
    bound.attachments = parts.files;
    Ok(())
}

fn check(contract: &Contract, form: &BodyForm, value: &Value, findings: &mut ErrorCollector) {
    for error in contract.check(form.schema, value) {
        findings.invalid(error);
    }
}
