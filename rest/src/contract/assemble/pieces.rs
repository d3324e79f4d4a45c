//! Reads the pieces from the folder: `root.yaml`, `paths/<group>/<resource>.yaml`, `components/**/*.yaml`. The rules
//! are in [`super::rules`].

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value};

use crate::contract::problem::Problem;
use crate::contract::{GROUPS, yaml};

/// All written pieces, in the order in which they are assembled.
pub(super) struct Pieces {
    /// Content of `root.yaml`.
    pub(super) root: Map<String, Value>,
    /// The files of `paths/`, groups in the contract's order, files by name.
    pub(super) paths: Vec<PathsPiece>,
    /// The components of all files, in the order of their files.
    pub(super) components: Vec<Component>,
    /// Content of `patterns.yaml`: the message for a text that does not match, by pattern.
    pub(super) patterns: Map<String, Value>,
}

/// One file of `paths/`.
pub(super) struct PathsPiece {
    /// Path of the file in problems.
    pub(super) file: String,
    /// Name of the folder.
    pub(super) group: String,
    /// Name of the file without `.yaml`.
    pub(super) resource: String,
    /// Path templates and their path items.
    pub(super) items: Map<String, Value>,
}

/// One component of one file of `components/`.
pub(super) struct Component {
    /// Path of the file in problems.
    pub(super) file: String,
    /// `schemas`, `parameters`, `responses`, `headers`, `examples` or `requestBodies`.
    pub(super) section: String,
    /// Name of the component.
    pub(super) name: String,
    /// Definition of the component.
    pub(super) value: Value,
}

/// The sections that a components file may have, in the order of the assembled file.
pub(super) const SECTIONS: [&str; 6] = ["schemas", "parameters", "requestBodies", "responses", "headers", "examples"];

/// Reads all pieces below `dir`. Read errors are added to `problems`.
pub(super) fn read(dir: &Path, problems: &mut Vec<Problem>) -> Pieces {
    let root = dir.join("root.yaml");
    Pieces {
        root: read_map(dir, &root, problems),
        paths: read_paths(dir, problems),
        components: read_components(dir, problems),
        patterns: read_map(dir, &dir.join("patterns.yaml"), problems),
    }
}

fn read_paths(dir: &Path, problems: &mut Vec<Problem>) -> Vec<PathsPiece> {
    let folder = dir.join("paths");
    let mut groups: Vec<(usize, PathBuf)> = Vec::new();
    for entry in list(dir, &folder, problems) {
        let name = file_stem(&entry);
        match GROUPS.iter().position(|group| *group == name) {
            Some(place) if entry.is_dir() => groups.push((place, entry)),
            _ => problems.push(Problem::new(
                display_path(dir, &entry),
                "",
                format!("not a group folder; the groups are {}", GROUPS.join(", ")),
            )),
        }
    }
    groups.sort();
    let mut pieces = Vec::new();
    for (_, group) in groups {
        for file in list(dir, &group, problems) {
            if !is_yaml(&file) {
                problems.push(Problem::new(
                    display_path(dir, &file),
                    "",
                    "not a .yaml file; a group's folder holds one file per resource",
                ));
                continue;
            }
            pieces.push(PathsPiece {
                file: display_path(dir, &file),
                group: file_stem(&group),
                resource: file_stem(&file),
                items: read_map(dir, &file, problems),
            });
        }
    }
    pieces
}

fn read_components(dir: &Path, problems: &mut Vec<Problem>) -> Vec<Component> {
    let mut files = Vec::new();
    walk(dir, &dir.join("components"), &mut files, problems);
    let mut components = Vec::new();
    for path in files {
        let file = display_path(dir, &path);
        for (section, entries) in read_map(dir, &path, problems) {
            if !SECTIONS.contains(&section.as_str()) {
                let known = SECTIONS.join(", ");
                let what = format!("not a section of components; the sections are {known}");
                problems.push(Problem::new(&file, section, what));
                continue;
            }
            let Value::Object(entries) = entries else {
                problems.push(Problem::new(&file, section, "must be a mapping of names"));
                continue;
            };
            for (name, value) in entries {
                components.push(Component { file: file.clone(), section: section.clone(), name, value });
            }
        }
    }
    components
}

/// Collects the YAML files below `folder` in the order of their names; a subfolder's files follow at the position of
/// its name.
fn walk(dir: &Path, folder: &Path, files: &mut Vec<PathBuf>, problems: &mut Vec<Problem>) {
    for entry in list(dir, folder, problems) {
        if entry.is_dir() {
            walk(dir, &entry, files, problems);
        } else if is_yaml(&entry) {
            files.push(entry);
        } else {
            problems.push(Problem::new(
                display_path(dir, &entry),
                "",
                "not a .yaml file; only components are kept here",
            ));
        }
    }
}

/// Returns a folder's entries by name, without hidden ones. A missing folder has none.
fn list(dir: &Path, folder: &Path, problems: &mut Vec<Problem>) -> Vec<PathBuf> {
    if !folder.is_dir() {
        return Vec::new();
    }
    match fs::read_dir(folder) {
        Ok(entries) => {
            let mut entries: Vec<PathBuf> = entries
                .filter_map(Result::ok)
                .map(|entry| entry.path())
                .filter(|path| !file_stem(path).starts_with('.'))
                .collect();
            entries.sort();
            entries
        }
        Err(error) => {
            problems.push(Problem::new(display_path(dir, folder), "", error.to_string()));
            Vec::new()
        }
    }
}

fn read_map(dir: &Path, path: &Path, problems: &mut Vec<Problem>) -> Map<String, Value> {
    let read = fs::read_to_string(path).map_err(|error| error.to_string()).and_then(|text| yaml::read(&text));
    match read {
        Ok(Value::Object(map)) => return map,
        Ok(Value::Null) => {}
        Ok(_) => problems.push(Problem::new(display_path(dir, path), "", "must be a mapping")),
        Err(error) => problems.push(Problem::new(display_path(dir, path), "", error)),
    }
    Map::new()
}

fn is_yaml(path: &Path) -> bool {
    path.is_file() && path.extension().is_some_and(|extension| extension == "yaml")
}

fn file_stem(path: &Path) -> String {
    path.file_stem().unwrap_or_default().to_string_lossy().into_owned()
}

/// Returns a file's path for problems: `contract/…`, regardless of the folder's name on this machine.
fn display_path(dir: &Path, path: &Path) -> String {
    let inside = path.strip_prefix(dir).unwrap_or(path);
    let mut shown = "contract".to_owned();
    for part in inside.components() {
        shown.push('/');
        shown.push_str(&part.as_os_str().to_string_lossy());
    }
    shown
}
