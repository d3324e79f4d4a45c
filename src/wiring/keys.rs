//! Master key commands, and the lines that they print.

use labs_schema::{Engine, operator};

/// Re-seals data of an older key with the newest one; returns the lines to print.
///
/// # Errors
/// If the file contains only one key, or the database cannot be reached.
pub async fn rotate(engine: &Engine) -> anyhow::Result<String> {
    let resealed = operator::keys_rotate(engine.pool(), engine.services()).await.map_err(super::people::to_error)?;
    let unreadable: u64 = resealed.iter().map(|sort| sort.unreadable).sum();
    let mut lines: Vec<String> =
        resealed.iter().map(|sort| format!("{:>8}  {}", sort.sealed_anew, sort.name)).collect();
    lines.insert(0, "Encrypted again with the newest key:".to_owned());
    lines.push(match unreadable {
        0 => "The former keys are no longer needed for these values. Refresh cookies issued under a former key stop \
              working when its line is removed."
            .to_owned(),
        some => format!(
            "{some} values cannot be opened with any of these keys and were not changed: is a key missing from the \
             file?"
        ),
    });
    Ok(lines.join("\n"))
}
