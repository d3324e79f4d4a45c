//! Checks that a released migration never changes: databases exist that have applied it.

use std::collections::BTreeMap;

use labs_schema::crypto::sha256;

use super::{files, none, read};

#[test]
fn released_migrations_have_their_digest() {
    let list = read("migrations/released.txt");
    let released: BTreeMap<&str, &str> =
        list.lines().filter_map(|line| line.split_once("  ")).map(|(digest, name)| (name, digest)).collect();
    let last = *released.keys().last().unwrap();
    let migrations: BTreeMap<String, String> = files("migrations", ".sql").into_iter().collect();
    let path = |name: &str| format!("migrations/{name}");
    let mut found = Vec::new();
    for (name, digest) in &released {
        match migrations.get(&path(name)) {
            Some(text) if hex::encode(sha256(text.as_bytes())) == *digest => {}
            Some(_) => found.push(format!("{name} has changed")),
            None => found.push(format!("{name} is gone")),
        }
    }
    let between = migrations.keys().filter(|known| **known < path(last));
    found.extend(between.filter(|known| !released.keys().any(|name| path(name) == **known)).cloned());
    none(
        &found,
        "a released migration is as it was: write another one. A release adds its migrations to migrations/released.txt",
    );
}

#[test]
fn migrations_after_the_tenth_name_the_oldest_program() {
    let lacking = files("migrations", ".sql").into_iter().filter(|(path, text)| {
        let number: u32 = path.trim_start_matches("migrations/").split('_').next().unwrap().parse().unwrap();
        number > 10 && !text.lines().take(5).any(|line| line.starts_with("-- Oldest program: "))
    });
    let lacking: Vec<String> = lacking.map(|(path, _)| path).collect();
    none(
        &lacking,
        "add the header `-- Oldest program: <number>` (docs/decisions/database.md#migrations-and-older-programs)",
    );
}
