//! Files that the service makes of the contract that it serves, for those who call it: the contract itself, collections of
//! requests, types, and workflows.
//!
//! They are functions of the contract's text and of nothing else, so that the same contract makes the same bytes. Ids inside
//! are UUIDs version 5 of operations' ids: whoever imports a newer file replaces what an earlier one brought.

mod insomnia;
mod postman;
mod requests;
mod typescript;

use bytes::Bytes;
use labs_schema::deprecation::Announced;
use labs_schema::surface::{GeneratedFile, GeneratedResource};
use serde_json::Value;
use uuid::{Uuid, uuid};

use crate::contract::{served_text, workflows, yaml};
use crate::deprecations::marked;
use crate::exceptions::pages;

/// The namespace of the ids in these files. It never changes.
const NAMESPACE: Uuid = uuid!("3a0cf6a4-5c1c-4d0f-9b1f-6f1e52a7c0d8");

/// A file, made of the contract as the service at `base_url` serves it while this is announced. It takes a second or so.
///
/// # Errors
/// When the contract that the binary carries cannot be read, or the file not be written.
pub fn make(resource: GeneratedResource, base_url: &str, announced: &Announced) -> Result<GeneratedFile, String> {
    let mut text = served_text(base_url);
    if *announced != Announced::default() {
        text = marked::contract(&text, announced);
    }
    let contract = yaml::read(&text)?;
    let versions = Versions { contract: text_at(&contract, "/info/version"), service: env!("CARGO_PKG_VERSION") };
    let (file_name, media_type, content) = match resource {
        GeneratedResource::OpenapiYaml => ("labs.openapi.yaml", "application/yaml", text.into()),
        GeneratedResource::OpenapiJson => ("labs.openapi.json", "application/json", written(&contract)?),
        GeneratedResource::PostmanCollection => {
            let collection = postman::collection(&contract, base_url, &versions);
            ("labs.postman_collection.json", "application/json", written(&collection)?)
        }
        GeneratedResource::InsomniaExport => {
            let export = insomnia::export(&contract, base_url, &versions);
            ("labs.insomnia.json", "application/json", written(&export)?)
        }
        GeneratedResource::TypescriptTypes => {
            ("labs.d.ts", "text/plain", typescript::types(&contract, &versions).into())
        }
        GeneratedResource::ArazzoWorkflows => ("labs.workflows.zip", "application/zip", workflows(&text)?),
        GeneratedResource::LlmsText => ("llms.txt", "text/plain", llms_text(base_url)?.into()),
    };
    Ok(GeneratedFile { file_name, media_type, version: versions.short(), content })
}

/// What a file was made of.
struct Versions<'v> {
    contract: &'v str,
    service: &'static str,
}

impl Versions<'_> {
    /// In a few words.
    fn short(&self) -> String {
        format!("{} (release {})", self.contract, self.service)
    }

    /// In a sentence.
    fn sentence(&self) -> String {
        format!("Made by release {} of the service from version {} of its contract.", self.service, self.contract)
    }
}

/// The index of the reference, as it was made with the pages, its links leading to this service.
fn llms_text(base_url: &str) -> Result<String, String> {
    let index = pages::text_of("llms.txt").ok_or("the binary was built without its pages")?;
    Ok(index.replace("](/", &format!("]({base_url}/")))
}

/// The id in these files of what has this name.
fn id_of(name: &str) -> Uuid {
    Uuid::new_v5(&NAMESPACE, name.as_bytes())
}

/// The text at a place, empty where there is none.
fn text_at<'v>(value: &'v Value, pointer: &str) -> &'v str {
    value.pointer(pointer).and_then(Value::as_str).unwrap_or_default()
}

fn written(value: &Value) -> Result<Bytes, String> {
    serde_json::to_string_pretty(value).map(|text| Bytes::from(text + "\n")).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests;
