//! Detects variables that look like settings and are unknown, and suggests the correct name.

use std::collections::BTreeSet;

use clap::CommandFactory;
use labs_rest::contract::nearest;

use crate::cli::Cli;

/// Variables that the tests read.
const OF_TESTS: &[&str] = &["LABS_SEED", "LABS_MUTANT"];

/// Returns a sentence about each unknown variable that begins with `LABS_`. The sentences contain no values.
pub fn unknown(set: impl IntoIterator<Item = (String, String)>) -> Vec<String> {
    let known = list_known();
    let stray = set.into_iter().filter(|(name, value)| {
        name.starts_with("LABS_")
            && !known.contains(name)
            && !name.starts_with("LABS_TEST_")
            && !OF_TESTS.contains(&name.as_str())
            && !is_of_kubernetes(name, value)
    });
    stray.map(|(name, _)| sentence(&name, &known)).collect()
}

fn sentence(name: &str, known: &BTreeSet<String>) -> String {
    let behind = name.trim_start_matches("LABS_");
    let meant = known.get(behind).map(String::as_str).or_else(|| nearest(name, known.iter().map(String::as_str)));
    match meant {
        Some(meant) => format!("{name} is not a setting and has no effect. Did you mean {meant}?"),
        None => format!("{name} is not a setting and has no effect. `labs help serve` lists all settings."),
    }
}

/// Returns all variables that any command reads.
fn list_known() -> BTreeSet<String> {
    let (mut found, mut waiting) = (BTreeSet::new(), vec![Cli::command()]);
    while let Some(command) = waiting.pop() {
        let variables = command.get_arguments().filter_map(|argument| argument.get_env()?.to_str());
        found.extend(variables.map(str::to_owned));
        waiting.extend(command.get_subcommands().cloned());
    }
    found
}

/// Whether Kubernetes set the variable: it describes other services to each container, and a service called `labs` has
/// variables like these.
fn is_of_kubernetes(name: &str, value: &str) -> bool {
    let is_address = ["tcp://", "udp://", "sctp://"].iter().any(|scheme| value.starts_with(scheme));
    let of_service = name.contains("_SERVICE_HOST") || name.contains("_SERVICE_PORT");
    let of_port = ["_TCP", "_UDP", "_SCTP"].iter().any(|protocol| name.contains(protocol)) && name.contains("_PORT_");
    of_service || of_port || (name.ends_with("_PORT") && is_address)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unknown_setting(name: &str, value: &str) -> String {
        unknown([(name.to_owned(), value.to_owned())]).join(" ")
    }

    #[test]
    fn misspelt_setting_is_reported_with_suggestion_but_without_value() {
        for (name, meant) in [
            ("LABS_EMPTI", "Did you mean LABS_EMPTY?"),
            ("LABS_TRUSTED_PROXYS", "Did you mean LABS_TRUSTED_PROXIES?"),
            ("LABS_DATABASE_URL", "Did you mean DATABASE_URL?"),
            ("LABS_WONDERFUL_THING", "lists all settings"),
        ] {
            let told = unknown_setting(name, "hush");
            assert!(told.starts_with(name) && told.contains(meant) && !told.contains("hush"), "{told}");
        }
    }

    #[test]
    fn known_and_foreign_variables_are_not_reported() {
        for (name, value) in [
            ("LABS_LISTEN", "127.0.0.1:80"),
            ("LABS_LOG_REQUESTS", "true"),
            ("LABS_TEST_SOAK", "whole"),
            ("LABS_SEED", "7"),
            ("HOME", "ada"),
            ("LABS_SERVICE_HOST", "10.0.0.7"),
            ("LABS_SERVICE_PORT_HTTP", "80"),
            ("LABS_PORT", "tcp://10.0.0.7:80"),
            ("LABS_PORT_80_TCP_ADDR", "10.0.0.7"),
        ] {
            assert_eq!(unknown_setting(name, value), "", "{name}");
        }
    }
}
