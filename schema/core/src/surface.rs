//! Parts of the served contract that the core needs: its elements by name, and its differences from an earlier
//! contract.

use std::collections::{BTreeMap, BTreeSet};

use bytes::Bytes;

use crate::deprecation::AnnouncedDeprecations;
use crate::words::words;

words! {
    /// Artefact that the service generates from its contract, always for the running version. Ids inside stay the same
    /// between versions, so that importing a newer file replaces the content of an earlier one.
    pub enum GeneratedResource {
        /// The contract as YAML.
        OpenapiYaml = "OPENAPI_YAML",
        /// The contract as JSON.
        OpenapiJson = "OPENAPI_JSON",
        /// A request collection for Postman (format 2.1).
        PostmanCollection = "POSTMAN_COLLECTION",
        /// A request collection for Insomnia (format 4).
        InsomniaExport = "INSOMNIA_EXPORT",
        /// Types for TypeScript.
        TypescriptTypes = "TYPESCRIPT_TYPES",
        /// Workflows of several calls (Arazzo).
        ArazzoWorkflows = "ARAZZO_WORKFLOWS",
        /// `llms.txt`, an index of the API reference in Markdown, for language models and other programs.
        LlmsText = "LLMS_TEXT",
    }
}

/// File that the service generated.
pub struct GeneratedFile {
    /// File name for saving the file.
    pub file_name: &'static str,
    /// Media type of the file.
    pub media_type: &'static str,
    /// Versions of the contract and the service that it was generated from.
    pub version: String,
    /// Bytes of the file.
    pub content: Bytes,
}

/// Generates a file from the contract as served at an address, with the current announcements.
pub type MakeGenerated = fn(GeneratedResource, &str, &AnnouncedDeprecations) -> Result<GeneratedFile, String>;

/// Served contract, as far as the core needs it. Everything is computed on first use.
#[derive(Clone, Copy, Debug)]
pub struct ServedContract {
    /// Elements of the contract by name.
    pub surface: fn() -> &'static Surface,
    /// Text of the contract as built, and its SHA-256 in hexadecimal.
    pub text: fn() -> (&'static str, &'static str),
    /// Computes the differences from an earlier contract with this text. Takes about a second.
    pub differences_since: fn(&str) -> Result<Vec<ContractDifference>, String>,
    /// Generates a file from the contract. Takes about a second.
    pub make: MakeGenerated,
}

impl ServedContract {
    /// Returns an empty contract, for callers that serve none.
    #[must_use]
    pub fn none() -> Self {
        static EMPTY: Surface = Surface { operations: BTreeMap::new(), fields: BTreeMap::new() };
        Self {
            surface: || &EMPTY,
            text: || ("", ""),
            differences_since: |_| Ok(Vec::new()),
            make: |_, _, _| Err("no contract is available".to_owned()),
        }
    }
}

/// Difference between two contracts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ContractDifference {
    /// Element concerned: an operation (`marketplace_apps_list`), a place in one (`marketplace_apps_list:query/limit`),
    /// or a field of a schema (`Listing:/rating/average`).
    pub place: String,
    /// Description of the difference, as a sentence.
    pub text: String,
    /// Operations concerned.
    pub operations: Vec<String>,
}

/// Operations, parameters and schema fields of a contract, with their enumerated values.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Surface {
    /// Query and header parameters of each operation, by name, with their enumerated values.
    pub operations: BTreeMap<String, BTreeMap<String, BTreeSet<String>>>,
    /// Fields of the named schemas, by schema and name.
    pub fields: BTreeMap<(String, String), SurfaceField>,
}

/// Field of a schema.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SurfaceField {
    /// Enumerated values; empty if the field accepts other values.
    pub values: BTreeSet<String>,
    /// Operations whose answer contains the field.
    pub answered_by: BTreeSet<String>,
    /// Operations whose body contains the field, with its positions as JSON pointers, in which `*` matches any list
    /// entry or map key.
    pub read_by: BTreeMap<String, BTreeSet<String>>,
}

impl SurfaceField {
    /// Returns the operations that return or read the field, in alphabetical order.
    #[must_use]
    pub fn operations(&self) -> BTreeSet<&str> {
        self.answered_by.iter().chain(self.read_by.keys()).map(String::as_str).collect()
    }
}
