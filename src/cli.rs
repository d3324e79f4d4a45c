//! The command line of `labs`: all commands, each with an example.

mod audit;
mod people;

use crate::config::{self, Common, Serve};
use crate::database::Database;
use crate::{serve, telemetry, wiring};
use anyhow::{Context, ensure};
use clap::{Args, Parser, Subcommand};
use labs_schema::crypto::totp::TotpSeed;
use labs_schema::time::Clock;
use std::io::Write;

pub use self::audit::{Audit, AuditKey, AuditProof, AuditVerify, AuditWitness};
pub use self::people::{Client, ClientCreate, ClientRotateSecret, Staff, StaffCreate, StaffMember};

/// Partner developer platform: a REST API built from a contract, and a playground for staff
#[derive(Debug, Parser)]
#[command(
    name = "labs",
    version,
    arg_required_else_help = true,
    after_help = "Examples:\n  labs serve                           start with a private PostgreSQL in .labs\n  labs \
                  serve --listen 0.0.0.0:80       on every address of the machine\n  labs check                       \
                      compare contract, documents, schema and router\n  labs migrate                         run \
                  pending migrations and exit\n  labs staff create --email ada@example.com --name 'Ada Byron' --role \
                  operator\n  labs staff list                      list staff members, their state and roles\n  labs \
                  client create --name storefront --scope storefront\n  labs totp <secret>                   print a \
                  TOTP code\n  labs contract > openapi.yaml         print the contract\n\n`labs help <command>` \
                  describes a command."
)]
pub struct Cli {
    /// The command to run.
    #[command(subcommand)]
    pub command: Command,
}

/// Commands of `labs`.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Start the service: database, migrations, sample data on the first start, HTTP
    #[command(after_help = "Examples:\n  labs serve\n  labs serve --folder /srv/labs --empty\n  \
                            DATABASE_URL=postgres://labs@db.example.com/labs labs serve --base-url \
                            https://labs.example.com\n\nCtrl-C shuts down gracefully: in-flight requests finish. \
                            SIGTERM does the same after the grace period\n(--stop-grace-seconds). A second signal \
                            stops the service at once.")]
    Serve(Box<Serve>),

    /// Compare contract, documents, schema, scopes and router, print every difference
    #[command(after_help = "Example:\n  labs check\n\nNeeds no database. Exits with 1 if there is a difference; \
                            `labs serve` does not start in that case.")]
    Check,

    /// Apply pending migrations and stop
    #[command(after_help = "Examples:\n  labs migrate\n  DATABASE_URL=postgres://labs@db.example.com/labs labs \
                            migrate\n\n`labs serve` runs the same migrations at its start. A running older release \
                            keeps working during the migrations. With --plan, nothing changes.")]
    Migrate(Migrate),

    /// Manage staff members, who sign in with a second factor
    #[command(subcommand)]
    Staff(Staff),

    /// Manage machine clients
    #[command(subcommand)]
    Client(Client),

    /// Manage the master key
    #[command(subcommand)]
    Keys(Keys),

    /// Verify the audit log with signed checkpoints, and cosign them
    #[command(subcommand)]
    Audit(Audit),

    /// Print the current code of an authenticator with this secret
    #[command(after_help = "Example:\n  labs totp GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ\n\nFor tests without an \
                            authenticator app. The secret is visible in the process list.")]
    Totp(Totp),

    /// Print the contract, the OpenAPI document that the service implements
    #[command(after_help = "\
Examples:
  labs contract > openapi.yaml
  labs contract --assemble
  labs contract --documents")]
    Contract(Contract),

    /// Print the differences from a former contract, and whether they break clients
    #[command(after_help = "\
Example:
  labs release-notes --since openapi-1.4.0.yaml

Prints a draft in Markdown. Needs no database.")]
    ReleaseNotes(ReleaseNotes),
}

/// Operations on the master key.
#[derive(Debug, Subcommand)]
pub enum Keys {
    /// Re-seal data of an older master key with the newest key of the file
    #[command(after_help = "Example:\n  labs keys rotate --master-key-file /etc/labs/master.key\n\nWorks while the \
                            service runs. First write the newest key into the first line of the file, keep the former \
                            key below it,\nand restart every replica with this file. The command fails if a running \
                            replica does not know the newest key.\nAfter the rotation you can remove the former line \
                            (operate/keys.md).")]
    Rotate(Common),
}

/// Options of the migrations.
#[derive(Args, Debug)]
pub struct Migrate {
    #[command(flatten)]
    common: Common,
    /// Print the pending migrations and the oldest program that runs after them, and change nothing
    #[arg(long)]
    pub plan: bool,
}

/// The second factor whose code is printed.
#[derive(Args, Debug)]
pub struct Totp {
    /// Secret of the second factor, in base 32, as `staff create` and the file of sample sign-ins show it
    #[arg(value_name = "SECRET")]
    pub secret: String,
}

/// Options of the contract command.
#[derive(Args, Debug)]
pub struct Contract {
    /// Write contract/openapi.yaml from its pieces, in the project's folder
    #[arg(long)]
    pub assemble: bool,
    /// Write schema/schema.graphql and schema/states.md from the code, in the project's folder
    #[arg(long, conflicts_with = "assemble")]
    pub schema: bool,
    /// Write rest/documents from contract/openapi.yaml and the code, in the project's folder
    #[arg(long, conflicts_with_all = ["assemble", "schema"])]
    pub documents: bool,
    /// Write schema/schema.sql from the migrated database at this address, in the project's folder
    #[arg(long, value_name = "URL", conflicts_with_all = ["assemble", "schema", "documents"])]
    pub tables: Option<String>,
}

/// The contract to compare with.
#[derive(Args, Debug)]
pub struct ReleaseNotes {
    /// File of the former contract, as `labs contract` printed it
    #[arg(long, value_name = "FILE")]
    pub since: std::path::PathBuf,
}

/// Returns the result of an inspection with these differences.
///
/// # Errors
/// The number of differences, if there are any.
fn conclude(differences: &[String]) -> anyhow::Result<&'static str> {
    ensure!(differences.is_empty(), "{} differences: the service would not start", differences.len());
    Ok("Contract, documents, schema, scopes and router agree.")
}

/// Acts on an existing database, whether or not a service uses it.
async fn run_on_database<T>(
    common: &Common,
    act: impl AsyncFnOnce(&labs_schema::Engine) -> anyhow::Result<T>,
) -> anyhow::Result<T> {
    begin(common, false, false)?;
    let database = Database::reach_existing(common).await?;
    let done = wiring::people::inside(database.urls(), common, act).await;
    database.close().await?;
    done
}

/// Runs the command.
///
/// # Errors
/// Any failure, described for the operator.
pub async fn run(cli: Cli) -> anyhow::Result<()> {
    match cli.command {
        Command::Serve(words) => {
            let traces = config::traces(|name| std::env::var(name).ok())?;
            begin(&words.common, words.log_requests, traces.is_some())?;
            serve::serve(words.settle()?, traces).await
        }
        Command::Check => {
            let differences = wiring::check().await?;
            print_lines(&differences.join("\n"))?;
            print_lines(conclude(&differences)?)
        }
        Command::Migrate(Migrate { common, plan: true }) => {
            begin(&common, false, false)?;
            let database = Database::reach(&common).await?;
            let plan = wiring::describe_migrations(database.urls()).await;
            database.close().await?;
            print_lines(&plan?)
        }
        Command::Migrate(Migrate { common, .. }) => {
            begin(&common, false, false)?;
            let database = Database::reach(&common).await?;
            let done = wiring::migrate(database.urls()).await;
            database.close().await?;
            match done? {
                0 => print_lines("The database is up to date."),
                run => print_lines(&format!("The database is up to date. Migrations run: {run}.")),
            }
        }
        Command::Staff(command) => print_lines(&people::staff(command).await?),
        Command::Client(command) => print_lines(&people::client(command).await?),
        Command::Keys(Keys::Rotate(common)) => print_lines(&run_on_database(&common, wiring::keys::rotate).await?),
        Command::Audit(command) => audit::run(command).await,
        Command::Totp(Totp { secret }) => {
            let seed = TotpSeed::from_base32(&secret);
            let seed = seed.context("this is not a TOTP secret: it must have 32 letters A to Z and digits 2 to 7")?;
            print_lines(&seed.code_at(Clock::default().now().unix()))
        }
        Command::Contract(Contract { assemble: true, .. }) => wiring::contract_assemble(),
        Command::Contract(Contract { schema: true, .. }) => wiring::schema_write(),
        Command::Contract(Contract { documents: true, .. }) => wiring::documents_write(),
        Command::Contract(Contract { tables: Some(url), .. }) => wiring::tables_write(&url).await,
        Command::Contract(Contract { .. }) => print_lines(wiring::contract_text()?.trim_end()),
        Command::ReleaseNotes(ReleaseNotes { since }) => print_lines(wiring::release_notes(&since)?.trim_end()),
    }
}

/// Starts logging; the first lines name settings without effect.
fn begin(common: &Common, log_requests: bool, is_traced: bool) -> anyhow::Result<()> {
    telemetry::start(common, log_requests, is_traced)?;
    let set =
        std::env::vars_os().filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)));
    for stray in config::unknown(set) {
        tracing::warn!("{stray}");
    }
    Ok(())
}

/// Prints lines for the caller. A closed pipe is not an error.
fn print_lines(lines: &str) -> anyhow::Result<()> {
    if !lines.is_empty() {
        let mut out = std::io::stdout().lock();
        match writeln!(out, "{lines}").and_then(|()| out.flush()) {
            Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => {
                return Err(error.into());
            }
            _ => {}
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn command_line_is_valid_and_every_command_has_example() {
        Cli::command().debug_assert();
        let mut waiting: Vec<clap::Command> = Cli::command().get_subcommands().cloned().collect();
        while let Some(command) = waiting.pop() {
            let below: Vec<_> = command.get_subcommands().cloned().collect();
            if below.is_empty() {
                let help = command.get_after_help().map(ToString::to_string);
                let help = help.unwrap_or_default();
                assert!(help.contains("labs "), "{} has no example", command.get_name());
            }
            waiting.extend(below);
        }
    }

    #[test]
    fn inspection_differences_end_with_error_and_count() {
        assert!(conclude(&[]).is_ok());
        let found = ["a: has no document", "b: has no route"].map(str::to_owned);
        assert_eq!(conclude(&found).unwrap_err().to_string(), "2 differences: the service would not start");
    }
}
