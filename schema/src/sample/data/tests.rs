//! Tests of the embedded files.

use std::collections::BTreeSet;
use std::path::Path;

use serde_json::Value;

use super::*;

/// Returns why a text is not a list of the expected type; `None` if it is one.
type Check = fn(&str) -> Option<String>;

/// The files of all lists, each with the check of their type.
const LISTS: [(&[File], Check); 13] = [
    (PARTNERS, problem::<PartnerData>),
    (PROFILES, problem::<ProfileData>),
    (STAFF, problem::<PersonData>),
    (CLIENTS, problem::<ClientData>),
    (CATEGORIES, problem::<CategoryData>),
    (APPS, problem::<AppData>),
    (REVIEWS, problem::<AppReviews>),
    (COLLECTIONS, problem::<CollectionData>),
    (ITEMS, problem::<ItemData>),
    (RESOURCES, problem::<ResourceData>),
    (TOPICS, problem::<TopicData>),
    (FEATURE_REQUESTS, problem::<FeatureRequestData>),
    (TICKETS, problem::<TicketData>),
];

fn problem<T: DeserializeOwned>(text: &str) -> Option<String> {
    parse_list::<T>("a.json", text).err()
}

#[test]
fn all_embedded_files_parse() {
    Data::load().unwrap();
    for (files, problem) in LISTS {
        for (name, text) in files {
            assert_eq!(problem(text), None, "{name}");
        }
    }
}

/// Adds the names of all JSON files below a folder.
fn add_json_files(folder: &Path, start: &str, names: &mut BTreeSet<String>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = format!("{start}{}", path.file_name().unwrap().to_str().unwrap());
        if path.is_dir() {
            add_json_files(&path, &format!("{name}/"), names);
        } else if name.ends_with(".json") {
            names.insert(name);
        }
    }
}

#[test]
fn each_file_of_the_folder_is_embedded() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/sample/data");
    let mut stored = BTreeSet::new();
    add_json_files(&folder, "", &mut stored);
    let embedded = LISTS.iter().flat_map(|(files, _)| files.iter().map(|(name, _)| (*name).to_owned())).collect();
    assert_eq!(stored, embedded);
}

/// Returns the paths of all objects of a document; of similar objects, only the first.
fn object_paths(value: &Value, path: &str, shape: &str, found: &mut Vec<(String, String)>) {
    match value {
        Value::Object(fields) => {
            if found.iter().all(|(_, known)| known != shape) {
                found.push((path.to_owned(), shape.to_owned()));
            }
            for (name, value) in fields {
                object_paths(value, &format!("{path}/{name}"), &format!("{shape}/{name}"), found);
            }
        }
        Value::Array(items) => {
            for (place, item) in items.iter().enumerate() {
                object_paths(item, &format!("{path}/{place}"), &format!("{shape}/*"), found);
            }
        }
        _ => {}
    }
}

#[test]
fn unknown_field_of_any_object_is_rejected() {
    for (files, problem) in LISTS {
        for (name, text) in files {
            let document: Value = serde_json::from_str(text).unwrap();
            let mut paths = Vec::new();
            object_paths(&document, "", "", &mut paths);
            assert!(!paths.is_empty(), "{name}");
            for (path, _) in paths {
                let mut changed = document.clone();
                changed.pointer_mut(&path).unwrap()["unknown"] = Value::from(1);
                assert!(problem(&changed.to_string()).is_some(), "{name} {path}");
            }
        }
    }
}

#[test]
fn error_names_file_and_line() {
    let problem = parse_list::<TopicData>("topics.json", "[\n{ \"en\": \"API\", \"fr\": \"API\" }\n]").err().unwrap();
    assert!(problem.contains("topics.json") && problem.contains("`fr`") && problem.contains("line 2"), "{problem}");
}
