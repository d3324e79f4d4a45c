//! pgbench with the statements only: the upper limit of PostgreSQL.

use std::path::Path;

use anyhow::{Context as _, ensure};

use crate::ground::PARTNER;
use crate::statements;

/// A listing by its slug, one of this many.
pub(crate) fn listing(apps: u32) -> String {
    let statement = filled(statements::LISTING, &["'app-' || :n", "null::text"]);
    format!("\\set n random(1, {apps})\n{statement};\n")
}

/// The first page of [`PARTNER`]'s apps.
pub(crate) fn apps_list() -> anyhow::Result<String> {
    let partner = format!("'{PARTNER}'");
    Ok(format!("{};\n", filled(statements::apps()?, &[partner.as_str()])))
}

/// An update of a tagline. Each client has three apps of [`PARTNER`], which owns every `first`-th app, so that no
/// client waits for another's row.
pub(crate) fn apps_update(first: u32) -> anyhow::Result<String> {
    let partner = format!("'{PARTNER}'");
    let partner = partner.as_str();
    let app = "('0198aaaa-0000-7000-8000-' || lpad(to_hex(:n::int), 12, '0'))::uuid";
    let draft = [
        app,
        "'app-' || :n",
        "'en'",
        "'help@partner.example'",
        "null",
        "'https://partner.example/privacy'",
        "null",
        "null",
        "'en'",
        "'App ' || :n || ' in en'",
        "'Takes orders, edition ' || :edition",
        "repeat('Waiters take orders on a phone and the kitchen sees them at once. ', 8)",
        "gen_random_uuid()",
        "'MACHINE_CLIENT'",
        partner,
        "array['tagline']",
    ];
    let statements = [
        filled(statements::hold()?, &[app, partner]),
        filled(statements::present()?, &[app, partner, "null::text"]),
        filled(statements::set_draft()?, &draft),
        filled(statements::app()?, &[partner, app]),
    ];
    let chosen = format!("\\set n {first} * (1 + :client_id * 3 + random(0, 2))\n\\set edition random(1, 1000000)\n");
    Ok(format!("{chosen}begin;\n{};\ncommit;\n", statements.join(";\n")))
}

/// Replaces the parameters of the statement with these values.
fn filled(statement: &str, values: &[&str]) -> String {
    let numbered = values.iter().enumerate().rev();
    numbered.fold(statement.to_owned(), |text, (index, value)| text.replace(&format!("${}", index + 1), value))
}

/// Runs a script in prepared mode over the Unix socket and returns its transactions per second.
pub(crate) async fn turn(programs: &Path, database: &str, script: &str, seconds: u64) -> anyhow::Result<f64> {
    let file = tempfile::NamedTempFile::new()?;
    std::fs::write(file.path(), script)?;
    let seconds = seconds.to_string();
    let out = tokio::process::Command::new(programs.join("pgbench"))
        .args(["--no-vacuum", "--protocol=prepared", "--client=8", "--jobs=2", "--time", &seconds, "--file"])
        .arg(file.path())
        .arg(database)
        .output()
        .await
        .context("pgbench does not start")?;
    ensure!(out.status.success(), "pgbench: {}", String::from_utf8_lossy(&out.stderr));
    let text = String::from_utf8_lossy(&out.stdout);
    let rate = text.lines().find_map(|line| line.strip_prefix("tps = ")).context("pgbench told no tps")?;
    Ok(rate.split_whitespace().next().unwrap_or_default().parse()?)
}
