//! The settings as a table, read from the command line's own definition.

use clap::CommandFactory;

use crate::cli::Cli;

/// One setting, as the README's table shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// The environment variable.
    pub variable: String,
    /// The flag, with its dashes.
    pub flag: String,
    /// The default as text. Empty: there is none.
    pub default: String,
    /// What it means, in one line.
    pub meaning: String,
}

/// All settings of `labs serve`, read from the command line's own definition.
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
