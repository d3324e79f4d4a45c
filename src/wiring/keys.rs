//! What the command line does about the master key, and the lines that it shows.

use labs_schema::{Engine, operator};

/// Seals anew what an older key sealed; the lines to show.
///
/// # Errors
/// When the file holds one key, or the database cannot be reached.
pub async fn rotate(engine: &Engine) -> anyhow::Result<String> {
    let resealed = operator::keys_rotate(engine.pool(), engine.services()).await.map_err(super::people::to_error)?;
    let unreadable: u64 = resealed.iter().map(|sort| sort.unreadable).sum();
    let mut lines: Vec<String> =
        resealed.iter().map(|sort| format!("{:>8}  {}", sort.sealed_anew, sort.name)).collect();
    lines.insert(0, "Sealed anew with the newest key:".to_owned());
    lines.push(match unreadable {
        0 => "The former keys open nothing more here. Refresh cookies of before end when their lines go.".to_owned(),
        some => format!("{some} values open with none of these keys and were left: is a key missing from the file?"),
    });
    Ok(lines.join("\n"))
}
