//! The commands of README.md and of docs/machine-clients.md, run unchanged.

use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;

use super::{LABS, Service, serve};

/// The shell blocks of a Markdown text.
fn blocks(text: &str) -> Vec<&str> {
    text.split("```sh\n").skip(1).map(|block| block.split_once("```").unwrap().0).collect()
}

/// The text below a heading of a page, up to the next heading of the same level.
fn section<'a>(page: &'a str, heading: &str) -> &'a str {
    let (_, below) = page.split_once(heading).unwrap();
    below.split_once("\n## ").map_or(below, |(section, _)| section)
}

#[test]
fn readme_commands_publish_an_app() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let read = |path: &str| std::fs::read_to_string(root.join(path)).unwrap();
    let (readme, machine_clients) = (read("README.md"), read("docs/machine-clients.md"));
    let mut commands = blocks(section(&readme, "\n## First app in five minutes\n"));
    assert!(commands.len() >= 6, "README.md has {} blocks", commands.len());
    // They continue in the same shell.
    commands.extend(blocks(&machine_clients));
    assert!(commands.len() >= 11, "README.md and docs/machine-clients.md have {} blocks", commands.len());
    let place = tempfile::tempdir().unwrap();
    symlink(root.join("contract"), place.path().join("contract")).unwrap();
    symlink(LABS, place.path().join("labs")).unwrap();
    let service = Service::run(&mut serve(&Command::new(LABS), "127.0.0.1:0", &place.path().join(".labs")));

    // Only the address differs from the text that a reader pastes.
    let script = commands.concat().replace("http://127.0.0.1:8080", &service.base_url);
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
        "[\"storefront\"]",
        "\"number\":\"1.1.0\",\"state\":\"SUBMITTED\"",
    ] {
        assert!(answers.contains(expected), "{expected} is missing in {answers}\n{said}");
    }
}
