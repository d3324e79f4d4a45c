//! Command that submits a token, for users with a terminal instead of a browser.

use super::TokenInput;

/// Returns a command that sends `token` to the operation at `url`: one line for any POSIX shell, usable without
/// changes. It reads the user's input with `prompt`, so that no password enters the shell's history, and converts it to
/// JSON strings with sed.
pub(super) fn token_command(token: &str, url: &str, asks: TokenInput, prompt: &str) -> String {
    let curl = format!("curl -sS '{url}' -H 'Content-Type: application/json' -d");
    let script = match asks {
        TokenInput::Nothing => return format!(r#"{curl} '{{"token":"{token}"}}'"#),
        TokenInput::Password => format!(r#"s/[\"]/\\&/g;s/.*/{{"token":"{token}","password":"&"}}/;q"#),
    };
    format!("printf '{prompt} ' && sed '{script}' | {curl} @-")
}
