//! The command that hands a token over, for whoever has a terminal rather than a browser.

use super::Asks;

/// Sends `token` to the operation at `url`: one line for any POSIX shell, good as it stands. What the person adds is asked
/// for with `prompt`, so that no password comes into the history of a shell, and sed makes strings of JSON of it.
pub(super) fn handing_over(token: &str, url: &str, asks: Asks, prompt: &str) -> String {
    let curl = format!("curl -sS '{url}' -H 'Content-Type: application/json' -d");
    let script = match asks {
        Asks::Nothing => return format!(r#"{curl} '{{"token":"{token}"}}'"#),
        Asks::Password => format!(r#"s/[\"]/\\&/g;s/.*/{{"token":"{token}","password":"&"}}/;q"#),
        Asks::NameAndPassword => {
            format!(r#"N;s/[\"]/\\&/g;s/\(.*\)\n\(.*\)/{{"token":"{token}","name":"\1","password":"\2"}}/;q"#)
        }
    };
    format!("printf '{prompt} ' && sed '{script}' | {curl} @-")
}
