//! Runs the README's first calls unchanged.

use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;

use super::{LABS, Service, serve};

/// Returns the shell blocks below a heading of the README.
fn blocks<'a>(readme: &'a str, heading: &str) -> Vec<&'a str> {
    let (_, below) = readme.split_once(heading).unwrap();
    let section = below.split_once("\n## ").map_or(below, |(section, _)| section);
    section.split("```sh\n").skip(1).map(|block| block.split_once("```").unwrap().0).collect()
}

#[test]
fn readme_steps_lead_to_a_published_app() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let readme = std::fs::read_to_string(root.join("README.md")).unwrap();
    let blocks = blocks(&readme, "## From nothing to a published app");
    assert!(blocks.len() >= 6, "the README has its blocks");
    let place = tempfile::tempdir().unwrap();
    symlink(root.join("contract"), place.path().join("contract")).unwrap();
    symlink(LABS, place.path().join("labs")).unwrap();
    let service = Service::run(&mut serve(&Command::new(LABS), "127.0.0.1:0", &place.path().join(".labs")));

    // The base URL is the only difference from the commands that a reader pastes.
    let script = blocks.concat().replace("http://127.0.0.1:8080", &service.base_url);
    let mut shell = Command::new("bash");
    shell.args(["-euo", "pipefail", "-c", &script]).current_dir(place.path()).env_remove("DATABASE_URL");
    let done = shell.output().unwrap();
    let (answers, said) = (String::from_utf8_lossy(&done.stdout), String::from_utf8_lossy(&done.stderr));
    assert!(done.status.success(), "{answers}\n{said}");
    for expected in [
        "VERIFICATION_SENT",
        "\"ready\":true",
        "\"IN_REVIEW\"",
        "\"APPROVED\"",
        "\"PUBLISHED\"",
        "Table Pilot",
        "storefront",
    ] {
        assert!(answers.contains(expected), "{expected} is missing in {answers}\n{said}");
    }
}
