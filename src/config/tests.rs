//! Tests of parsing and resolving settings.

use super::*;
use crate::cli::{Cli, Command};
use clap::{CommandFactory as _, Parser as _};
use labs_schema::crypto::password::PasswordCost;
use std::path::Path;

fn config(arguments: &[&str]) -> anyhow::Result<Config> {
    let words = ["labs", "serve"].iter().chain(arguments);
    match Cli::try_parse_from(words)?.command {
        Command::Serve(serve) => serve.settle(),
        other => anyhow::bail!("{other:?}"),
    }
}

#[test]
fn paths_default_to_folder() {
    let config = config(&["--folder", "/srv/labs", "--media-folder", "/mnt/media"]).unwrap();
    assert_eq!(config.master_key_file, Path::new("/srv/labs/secrets/master.key"));
    assert_eq!(config.media, MediaPlace::Folder("/mnt/media".into()));
    assert_eq!(config.mail_folder, Path::new("/srv/labs/mail"));
}

#[test]
fn base_url_defaults_to_listen_address() {
    let near = config(&[]).unwrap();
    let bound = "0.0.0.0:4711".parse().unwrap();
    assert_eq!(near.base_url(bound), "http://127.0.0.1:4711");
    let far = config(&["--base-url", "https://labs.example.com/"]).unwrap();
    assert_eq!(far.base_url(bound), "https://labs.example.com");
    for bad in ["labs.example.com", "ftp://labs.example.com", "https://a/b", "https://a?b"] {
        assert!(config(&["--base-url", bad]).is_err(), "{bad}");
    }
}

#[test]
fn missing_base_url_is_detected_for_shared_database() {
    let shared = ["--database-url", "postgres://db/labs"];
    assert!(config(&shared).unwrap().is_named_by_chance());
    let named = [shared.as_slice(), &["--base-url", "https://labs.example.com"]].concat();
    assert!(!config(&named).unwrap().is_named_by_chance());
    assert!(!config(&[]).unwrap().is_named_by_chance(), "the private database has one service");
}

#[test]
fn sample_data_are_not_written_to_external_database() {
    assert!(config(&[]).unwrap().sample_data);
    assert!(!config(&["--empty"]).unwrap().sample_data);
    let elsewhere = config(&["--database-url", "postgres://ada:byron@db/labs"]).unwrap();
    assert!(!elsewhere.sample_data);
    assert!(!format!("{elsewhere:?}").contains("byron"), "{elsewhere:?}");
}

#[test]
fn networks_may_be_single_addresses() {
    let config = config(&["--trusted-proxies", "10.0.0.0/8, ::1"]).unwrap();
    let expected: Vec<IpNet> = ["10.0.0.0/8", "::1/128"].map(|text| text.parse().unwrap()).into();
    assert_eq!(config.trusted_proxies, expected);
}

#[test]
fn settings_table_lists_every_setting_with_default() {
    let table = table();
    let find = |variable: &str| table.iter().find(|row| row.variable == variable).unwrap();
    assert_eq!(find("LABS_LISTEN").default, "127.0.0.1:8080");
    assert_eq!(find("LABS_FOLDER").flag, "--folder");
    assert_eq!(find("LABS_SMTP_URL").default, "");
    assert!(table.iter().all(|row| !row.meaning.is_empty()));
    let command = Cli::command();
    let flags = command.find_subcommand("serve").unwrap().get_arguments().filter(|flag| flag.get_long().is_some());
    assert_eq!(table.len(), flags.count(), "a flag has no variable");
}

#[test]
fn password_hashes_have_full_cost() {
    assert_eq!(config(&[]).unwrap().passwords.cost, PasswordCost::FULL);
    let file = tempfile::NamedTempFile::new().unwrap();
    let line = format!("{}:1\n", "0".repeat(40));
    std::fs::write(file.path(), line).unwrap();
    let listed = config(&["--breached-passwords-file", file.path().to_str().unwrap()]).unwrap();
    assert_eq!(listed.passwords.cost, PasswordCost::FULL);
    assert!(listed.passwords.breached.is_some());
}

#[test]
fn password_from_file_is_used_but_never_shown() {
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), "a/b@c#d\n").unwrap();
    let named = |url: &str| config(&["--database-url", url, "--database-password-file", file.path().to_str().unwrap()]);
    let url = named("postgres://labs@db.example/shop?sslmode=verify-full").unwrap().database.unwrap();
    assert_eq!(url.service(), "postgres://labs:a%2Fb%40c%23d@db.example/shop?sslmode=verify-full");
    for bad in ["postgres://labs:hush@db.example/shop", "postgres://labs@db.example/shop?password=hush", "db.example"] {
        let told = format!("{:#}", named(bad).unwrap_err());
        assert!(!told.contains("hush") && !told.contains("a/b"), "{told}");
    }
    std::fs::write(file.path(), "\n").unwrap();
    assert!(named("postgres://labs@db.example/shop").is_err(), "an empty file holds no password");
}

#[test]
fn further_database_settings_require_database_url() {
    for flags in [
        ["--migrate-url", "postgres://owner@db/shop"],
        ["--listen-database-url", "postgres://labs@db/shop"],
        ["--database-password-file", "/dev/null"],
        ["--migrate-password-file", "/dev/null"],
    ] {
        let told = config(&flags).unwrap_err().to_string();
        assert!(told.contains("requires DATABASE_URL"), "{told}");
    }
    let alone = ["--database-url", "postgres://labs@db/shop", "--migrate-password-file", "/dev/null"];
    assert!(config(&alone).unwrap_err().to_string().contains("requires LABS_MIGRATE_URL"));
    let debug = format!("{:?}", config(&["--database-url", "postgres://labs:hush@db/shop"]).unwrap().database);
    assert!(!debug.contains("hush"), "{debug}");
}

#[test]
fn switches_and_host_names_are_parsed() {
    assert!(config(&["--listen", "localhost:8080"]).unwrap().listen.ip().is_loopback());
    assert_eq!(config(&["--listen", "[::1]:80"]).unwrap().listen.port(), 80);
    assert_eq!(config(&["--metrics-listen", ""]).unwrap().metrics_listen, None);
    assert!(config(&["--metrics-listen", "127.0.0.1:9100"]).unwrap().metrics_listen.is_some());
    for (text, read) in [("1", true), ("TRUE", true), ("on", true), ("", false), ("no", false), ("0", false)] {
        assert_eq!(switch(text).unwrap(), read, "{text:?}");
    }
    assert!(switch("maybe").is_err());
}

#[test]
fn mail_server_is_shown_without_user_and_password() {
    let named = config(&["--smtp-url", "smtps://ada:hush@mail.example:465"]).unwrap();
    assert_eq!(named.mail_place(), "smtps://mail.example:465");
    let refused = config(&["--smtp-url", "ada:hush@mail.example"]).unwrap_err().to_string();
    assert!(refused.contains("write smtps://user:password@host:465") && !refused.contains("hush"), "{refused}");
}
