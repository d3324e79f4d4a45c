//! What the inside must know of the contract that the service serves: what it offers by name, for whoever has to say which
//! part of it is meant, and what has changed since an earlier one.

use std::collections::{BTreeMap, BTreeSet};

use bytes::Bytes;

use crate::core::deprecation::Announced;
use crate::core::words::words;

words! {
    /// What the service makes itself of the contract that it serves, for developers to download.
    pub enum GeneratedResource {
        /// The contract as it is served.
        OpenapiYaml = "OPENAPI_YAML",
        /// The same as JSON.
        OpenapiJson = "OPENAPI_JSON",
        /// A collection of requests for Postman.
        PostmanCollection = "POSTMAN_COLLECTION",
        /// A collection of requests for Insomnia.
        InsomniaExport = "INSOMNIA_EXPORT",
        /// Types for TypeScript.
        TypescriptTypes = "TYPESCRIPT_TYPES",
        /// Workflows of several calls, with the contract that they are of, as a ZIP.
        ArazzoWorkflows = "ARAZZO_WORKFLOWS",
        /// An index of the reference for programs that read, as Markdown.
        LlmsText = "LLMS_TEXT",
    }
}

/// A file that the service made itself.
pub struct GeneratedFile {
    /// File name for saving the artefact.
    pub file_name: &'static str,
    /// What it is.
    pub media_type: &'static str,
    /// The versions of contract and service that it was made of.
    pub version: String,
    /// Its bytes.
    pub content: Bytes,
}

/// Makes a file of the contract as the service at an address serves it while something is announced of it.
pub type MakeGenerated = fn(GeneratedResource, &str, &Announced) -> Result<GeneratedFile, String>;

/// The contract that the service serves, as far as the inside needs it. Everything is made when somebody first asks.
#[derive(Clone, Copy, Debug)]
pub struct ServedContract {
    /// What it offers, by name.
    pub surface: fn() -> &'static Surface,
    /// Its text as it was built, and the SHA-256 of that in hexadecimal.
    pub text: fn() -> (&'static str, &'static str),
    /// In what it differs from a former one, of which this is the text. It takes a second or so.
    pub differences_since: fn(&str) -> Result<Vec<ContractDifference>, String>,
    /// Makes a file of it. It takes a second or so.
    pub make: MakeGenerated,
}

impl ServedContract {
    /// A contract without anything, for whoever serves none.
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

/// Something in which two contracts differ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ContractDifference {
    /// What it is about: an operation (`marketplace_apps_list`), a place in one (`marketplace_apps_list:query/limit`), or a
    /// field of a schema (`Listing:/rating/average`).
    pub place: String,
    /// What differs, in a sentence.
    pub text: String,
    /// The operations concerned.
    pub operations: Vec<String>,
}

/// Operations, parameters, fields of schemas, and the values that they list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Surface {
    /// The query and header parameters of each operation, by name, with the values that each lists.
    pub operations: BTreeMap<String, BTreeMap<String, BTreeSet<String>>>,
    /// The fields of the named schemas, by schema and name.
    pub fields: BTreeMap<(String, String), SurfaceField>,
}

/// A field of a schema.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SurfaceField {
    /// The values that it lists; none where it takes others.
    pub values: BTreeSet<String>,
    /// The operations that answer it.
    pub answered_by: BTreeSet<String>,
    /// The operations that read it from a body, and where it stands there: JSON pointers, in which `*` stands for any
    /// entry of a list or name of a map.
    pub read_by: BTreeMap<String, BTreeSet<String>>,
}

impl SurfaceField {
    /// The operations that answer or read it, in alphabetical order.
    #[must_use]
    pub fn operations(&self) -> BTreeSet<&str> {
        self.answered_by.iter().chain(self.read_by.keys()).map(String::as_str).collect()
    }
}
