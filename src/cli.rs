//! The command line: what `labs` can do, each with an example.

mod people;

use crate::config::{self, Common, Serve};
use crate::database::Database;
use crate::{serve, telemetry, wiring};
use anyhow::{Context, ensure};
use clap::{Args, Parser, Subcommand};
use labs_schema::crypto::totp::TotpSeed;
use labs_schema::time::Clock;
use std::io::Write;

pub use self::people::{Client, ClientCreate, ClientRotateSecret, Staff, StaffCreate, StaffMember};

/// The partner developer platform: a REST API over a contract, and the staff's playground
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
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// What `labs` can do.
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

    /// Bring the database up to date and stop
    #[command(after_help = "Examples:\n  labs migrate\n  DATABASE_URL=postgres://labs@db.example.com/labs labs \
                            migrate\n\n`labs serve` runs the same migrations at its start. A running older release \
                            keeps working during the migrations.")]
    Migrate(Common),

    /// Internal people, who sign in with a second factor
    #[command(subcommand)]
    Staff(Staff),

    /// Programs that an operator provisions
    #[command(subcommand)]
    Client(Client),

    /// The master key
    #[command(subcommand)]
    Keys(Keys),

    /// Print the code that an authenticator with this secret shows now
    #[command(after_help = "Example:\n  labs totp GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ\n\nFor tests without an \
                            authenticator app. The secret is visible in the process list.")]
    Totp(Totp),

    /// Print the contract, the OpenAPI document that the service answers to
    #[command(after_help = "\
Examples:
  labs contract > openapi.yaml
  labs contract --assemble
  labs contract --documents")]
    Contract(Contract),

    /// Print what differs from a former contract, and whether that breaks clients
    #[command(after_help = "\
Example:
  labs release-notes --since openapi-1.4.0.yaml

Prints a draft in Markdown. Needs no database.")]
    ReleaseNotes(ReleaseNotes),
}

/// What can be done about the master key.
#[derive(Debug, Subcommand)]
pub enum Keys {
    /// Seal with the newest key of the master key's file what an older one sealed
    #[command(after_help = "Example:\n  labs keys rotate --master-key-file /etc/labs/master.key\n\nWorks while the \
                            service runs. First write the newest key into the first line of the file, keep the former \
                            key below it,\nand restart every replica with this file. The command fails if a running \
                            replica does not know the newest key.\nAfter the rotation you can remove the former line \
                            (operate/keys.md).")]
    Rotate(Common),
}

/// Whose code is asked for.
#[derive(Args, Debug)]
pub struct Totp {
    /// Secret of the second factor, in base 32, as `staff create` and the sheet of sign-ins show it
    #[arg(value_name = "SECRET")]
    pub secret: String,
}

/// What to do with the contract.
#[derive(Args, Debug)]
pub struct Contract {
    /// Write contract/openapi.yaml anew from its pieces, in the project's folder
    #[arg(long)]
    pub assemble: bool,
    /// Write schema/schema.graphql and schema/states.md anew from the code, in the project's folder
    #[arg(long, conflicts_with = "assemble")]
    pub schema: bool,
    /// Write rest/documents anew from contract/openapi.yaml and the code, in the project's folder
    #[arg(long, conflicts_with_all = ["assemble", "schema"])]
    pub documents: bool,
}

/// What the present contract is compared with.
#[derive(Args, Debug)]
pub struct ReleaseNotes {
    /// File of the former contract, as `labs contract` printed it
    #[arg(long, value_name = "FILE")]
    pub since: std::path::PathBuf,
}

/// What an inspection that found these differences ends with.
///
/// # Errors
/// How many there are, where there are any.
fn conclude(differences: &[String]) -> anyhow::Result<&'static str> {
    ensure!(differences.is_empty(), "{} differences: the service would not start", differences.len());
    Ok("Contract, documents, schema, scopes and router agree.")
}

/// Acts on a database that is there, whether or not a service runs on it.
async fn beside(
    common: &Common,
    act: impl AsyncFnOnce(&labs_schema::Engine) -> anyhow::Result<String>,
) -> anyhow::Result<String> {
    begin(common, false, false)?;
    let database = Database::reach_existing(common).await?;
    let done = wiring::people::inside(database.urls(), common, act).await;
    database.close().await?;
    done
}

/// Does what the command line says.
///
/// # Errors
/// Whatever keeps it from that, told to the one who typed it.
pub async fn run(cli: Cli) -> anyhow::Result<()> {
    match cli.command {
        Command::Serve(words) => {
            let traces = config::traces(|name| std::env::var(name).ok())?;
            begin(&words.common, words.log_requests, traces.is_some())?;
            serve::serve(words.settle()?, traces).await
        }
        Command::Check => {
            let differences = wiring::check().await?;
            say(&differences.join("\n"))?;
            say(conclude(&differences)?)
        }
        Command::Migrate(common) => {
            begin(&common, false, false)?;
            let database = Database::reach(&common).await?;
            let done = wiring::migrate(database.urls()).await;
            database.close().await?;
            match done? {
                0 => say("The database is up to date."),
                run => say(&format!("The database is up to date. Migrations run: {run}.")),
            }
        }
        Command::Staff(command) => say(&people::staff(command).await?),
        Command::Client(command) => say(&people::client(command).await?),
        Command::Keys(Keys::Rotate(common)) => say(&beside(&common, wiring::keys::rotate).await?),
        Command::Totp(Totp { secret }) => {
            let seed = TotpSeed::from_base32(&secret);
            let seed = seed.context("this is not a TOTP secret: it must have 32 letters A to Z and digits 2 to 7")?;
            say(&seed.code_at(Clock::default().now().unix()))
        }
        Command::Contract(Contract { assemble: true, .. }) => wiring::contract_assemble(),
        Command::Contract(Contract { schema: true, .. }) => wiring::schema_write(),
        Command::Contract(Contract { documents: true, .. }) => wiring::documents_write(),
        Command::Contract(Contract { .. }) => say(wiring::contract_text()?.trim_end()),
        Command::ReleaseNotes(ReleaseNotes { since }) => say(wiring::release_notes(&since)?.trim_end()),
    }
}

/// Begins to log, first of all what is set and does nothing.
fn begin(common: &Common, log_requests: bool, is_traced: bool) -> anyhow::Result<()> {
    telemetry::start(common, log_requests, is_traced)?;
    let set =
        std::env::vars_os().filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)));
    for stray in config::unknown(set) {
        tracing::warn!("{stray}");
    }
    Ok(())
}

/// Prints lines for the caller. Whoever stopped reading misses nothing.
fn say(lines: &str) -> anyhow::Result<()> {
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
    fn the_command_line_is_sound_and_every_command_has_an_example() {
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
    fn whatever_does_not_agree_ends_the_inspection_with_an_error_that_counts_it() {
        assert!(conclude(&[]).is_ok());
        let found = ["a: has no document", "b: has no route"].map(str::to_owned);
        assert_eq!(conclude(&found).unwrap_err().to_string(), "2 differences: the service would not start");
    }
}
