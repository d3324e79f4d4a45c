//! Error messages for unusable settings: the name of the setting, its source, and a valid value.

use std::error::Error as _;
use std::ffi::OsString;

use clap::CommandFactory;
use clap::error::{ContextKind, ContextValue, ErrorKind};

use crate::cli::Cli;

/// Returns one line about a value that a parser of Labs rejected; none for other errors, for which the command line
/// library has its own message.
#[must_use]
pub fn sentence(error: &clap::Error, words: &[OsString]) -> Option<String> {
    if error.kind() != ErrorKind::ValueValidation {
        return None;
    }
    let (Some(ContextValue::String(argument)), Some(ContextValue::String(value))) =
        (error.get(ContextKind::InvalidArg), error.get(ContextKind::InvalidValue))
    else {
        return None;
    };
    let flag = argument.split(' ').next()?;
    let cause = error.source()?;
    let is_typed = words.iter().filter_map(|word| word.to_str()).any(|word| word.split('=').next() == Some(flag));
    let variable = variable_of(flag).filter(|_| !is_typed);
    let end = if cause.to_string().ends_with(['.', '?']) { "" } else { "." };
    Some(match variable {
        Some(variable) => format!("{variable}={value}: {cause}{end}"),
        None => format!("{flag} {value}: {cause}{end}"),
    })
}

/// Returns the variable of a flag.
fn variable_of(flag: &str) -> Option<String> {
    let mut waiting = vec![Cli::command()];
    while let Some(command) = waiting.pop() {
        let found = command.get_arguments().find(|argument| argument.get_long() == flag.strip_prefix("--"));
        if let Some(variable) = found.and_then(|argument| argument.get_env()?.to_str()) {
            return Some(variable.to_owned());
        }
        waiting.extend(command.get_subcommands().cloned());
    }
    None
}

#[cfg(test)]
mod tests {
    use clap::Parser as _;

    use super::*;

    #[test]
    fn invalid_value_error_names_flag_and_fix() {
        for (flag, value, said) in [
            ("--listen", "labs.invalid:8080", "labs.invalid does not resolve to an address"),
            ("--listen", "8080", "write an address and a port, for example 127.0.0.1:8080"),
            ("--listen", "localhost:http", "\"http\" is not a port"),
            ("--metrics-listen", "9100", "write an address and a port"),
            ("--cors-origins", "example.com", "for example https://example.com."),
            ("--cors-origins", "https://example.com/shop", "for example https://example.com."),
            ("--cors-origins", "*", "an origin must not contain *: write http:// or https:// and the full host"),
            (
                "--cors-origins",
                "https://*.example.com",
                "for example https://shop.example.com,https://admin.example.com.",
            ),
            ("--trusted-proxies", "10.0.0.0/40", "for example 10.0.0.0/8"),
            ("--database-connections", "3", "write a whole number from 4 to 80."),
            ("--database-connections", "many", "write a whole number from 4 to 80."),
            ("--anonymous-per-second", "0", "write a whole number from 1 to 4294967295."),
            ("--anonymous-per-day", "0", "write a whole number from 1 to 4294967295."),
            ("--attempts-per-minute", "0", "write a whole number from 1 to 4294967295."),
            ("--usage-retention-days", "399", "write a whole number from 400 to 36525."),
            ("--base-url", "labs.example.com", "no path, for example https://labs.example.com."),
            ("--base-url", "https://a/b", "no path, for example https://labs.example.com."),
            ("--mail-from", "Labs", "write a name and an address, for example Labs <no-reply@example.com>."),
            ("--log", "warning", "is neither a level nor a module that logs: write off, error, warn"),
            ("--log-format", "xml", "write text or json."),
        ] {
            let words = ["labs", "serve", flag, value].map(OsString::from);
            let told = sentence(&Cli::try_parse_from(&words).unwrap_err(), &words).unwrap();
            assert!(told.starts_with(&format!("{flag} {value}: ")) && told.contains(said), "{told}");
        }
    }
}
