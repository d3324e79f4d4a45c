//! The settings as a table, read from the definition of the command line.

use clap::CommandFactory;

use crate::cli::Cli;

/// One setting, as in the tables of `operate/settings.md`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// The environment variable.
    pub variable: String,
    /// The flag, with its dashes.
    pub flag: String,
    /// The default as text. Empty: no default.
    pub default: String,
    /// The meaning in one line.
    pub meaning: String,
}

/// Returns all settings of `labs serve`, read from the definition of the command line.
#[must_use]
pub fn table() -> Vec<Row> {
    let command = Cli::command();
    let serve = command.find_subcommand("serve");
    let arguments = serve.into_iter().flat_map(clap::Command::get_arguments);
    arguments
        .filter_map(|argument| {
            let values = argument.get_default_values();
            let default = if argument.get_action().takes_values() { values } else { &[] };
            Some(Row {
                variable: argument.get_env()?.to_str()?.to_owned(),
                flag: format!("--{}", argument.get_long()?),
                default: default.first().and_then(|text| text.to_str()).unwrap_or_default().into(),
                meaning: argument.get_help()?.to_string(),
            })
        })
        .collect()
}
