//! The command line: what `labs` can do, each with an example.

use crate::config::{self, Common, Serve};
use crate::database::Database;
use crate::wiring::people;
use crate::{serve, telemetry, wiring};
use anyhow::{Context, ensure};
use clap::builder::PossibleValuesParser;
use clap::{Args, Parser, Subcommand};
use labs_schema::crypto::totp::TotpSeed;
use labs_schema::scope::Scope;
use labs_schema::time::Clock;
use std::io::Write;

/// The partner developer platform: a REST API over a contract, and the staff's playground
#[derive(Debug, Parser)]
#[command(
    name = "labs",
    version,
    arg_required_else_help = true,
    after_help = "\
Examples:
  labs serve                           start with a private PostgreSQL in .labs
  labs serve --listen 0.0.0.0:80       on every address of the machine
  labs check                           compare contract, documents, schema and router
  labs migrate                         bring the database up to date and stop
  labs staff create --email ada@example.com --name 'Ada Byron' --role operator
  labs staff list                      who they are, their state and roles
  labs client create --name storefront --scope storefront
  labs totp <secret>                   print a code of the second factor
  labs contract > openapi.yaml         print the contract

`labs help <command>` tells more about each."
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
    #[command(after_help = "\
Examples:
  labs serve
  labs serve --folder /srv/labs --empty
  DATABASE_URL=postgres://labs@db.example.com/labs labs serve --base-url https://labs.example.com

SIGTERM or Ctrl-C stops it after the requests under way; a second Ctrl-C stops it at once.")]
    Serve(Box<Serve>),

    /// Compare contract, documents, schema, scopes and router, print every difference
    #[command(after_help = "\
Example:
  labs check

Needs no database. Exits with 1 when something differs; `labs serve` would not start either.")]
    Check,

    /// Bring the database up to date and stop
    #[command(after_help = "\
Examples:
  labs migrate
  DATABASE_URL=postgres://labs@db.example.com/labs labs migrate

`labs serve` does the same first. A running older service keeps working meanwhile.")]
    Migrate(Common),

    /// Internal people, who sign in with a second factor
    #[command(subcommand)]
    Staff(Staff),

    /// Programs that an operator provisions
    #[command(subcommand)]
    Client(Client),

    /// Print the code that an authenticator with this secret shows now
    #[command(after_help = "\
Example:
  labs totp GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ

For trying out, where no authenticator is at hand: whoever lists processes sees the secret.")]
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

/// What can be done about internal people here; the rest is done through the API.
#[derive(Debug, Subcommand)]
pub enum Staff {
    /// Make a staff member and print password and second factor
    #[command(after_help = "\
Example:
  labs staff create --email ada@example.com --name 'Ada Byron' --role operator

Works while the service runs and while it does not. Password and secret of the second factor are
shown this once: put the secret into an authenticator app, which then shows the codes.")]
    Create(StaffCreate),

    /// List staff members: address, state, second factor, roles, name
    #[command(after_help = "Example:\n  labs staff list")]
    List(Common),

    /// Give a staff member a new password and print it; every session ends
    #[command(after_help = "\
Example:
  labs staff reset-password --email ada@example.com

The second factor stays. The password is shown this once.")]
    ResetPassword(StaffMember),

    /// Give a staff member another second factor and print it; every session ends
    #[command(after_help = "\
Example:
  labs staff reset-mfa --email ada@example.com

For who has lost the authenticator and the recovery codes. The former ones are void, the password stays.")]
    ResetMfa(StaffMember),
}

/// A staff member.
#[derive(Args, Debug)]
pub struct StaffMember {
    /// Where the database is, and how it logs.
    #[command(flatten)]
    pub common: Common,
    /// E-mail address to sign in with
    #[arg(long, value_name = "ADDRESS")]
    pub email: String,
}

/// A new staff member.
#[derive(Args, Debug)]
pub struct StaffCreate {
    /// Where the database is, and how it logs.
    #[command(flatten)]
    pub common: Common,
    /// E-mail address to sign in with
    #[arg(long, value_name = "ADDRESS")]
    pub email: String,
    /// Name as colleagues see it
    #[arg(long)]
    pub name: String,
    /// Staff role, which is a set of scopes; may be repeated
    #[arg(long = "role", value_name = "ROLE", required = true)]
    pub roles: Vec<String>,
}

/// What can be done about programs here; the rest is done through the API.
#[derive(Debug, Subcommand)]
pub enum Client {
    /// Make a machine client and print its id and secret
    #[command(after_help = "\
Examples:
  labs client create --name storefront --scope storefront
  labs client create --name importer --partner 0197a3c4-7a51-7d3e-9c55-1f2b8a6d4e10 \\
      --scope marketplace.apps:write

Works while the service runs and while it does not. The secret is shown this once.")]
    Create(ClientCreate),

    /// List machine clients: id, state, last use, owner, scopes, name
    #[command(after_help = "Example:\n  labs client list")]
    List(Common),

    /// Give a machine client a new secret and print it; the former one goes on for a day
    #[command(after_help = "\
Examples:
  labs client rotate-secret labs-client-storefront
  labs client rotate-secret labs-client-storefront --old-secret-expires-in 0

The secret is shown this once. With 0 the former secrets end at once; tokens that were made with them
last until they expire.")]
    RotateSecret(ClientRotateSecret),
}

/// The machine client that gets a new secret.
#[derive(Args, Debug)]
pub struct ClientRotateSecret {
    /// Where the database is, and how it logs.
    #[command(flatten)]
    pub common: Common,
    /// Client id, as `client list` shows it
    #[arg(value_name = "CLIENT_ID")]
    pub client_id: String,
    /// Seconds for which the former secrets go on, at most 30 days
    #[arg(long, value_name = "SECONDS", default_value_t = 86_400, value_parser = clap::value_parser!(i32).range(0..=2_592_000))]
    pub old_secret_expires_in: i32,
}

/// A new machine client.
#[derive(Args, Debug)]
pub struct ClientCreate {
    /// Where the database is, and how it logs.
    #[command(flatten)]
    pub common: Common,
    /// Name as operators see it
    #[arg(long)]
    pub name: String,
    /// Partner to which it is bound; without one, it is the service's own
    #[arg(long, value_name = "UUID")]
    pub partner: Option<uuid::Uuid>,
    /// Scope that it may ask for; may be repeated
    #[arg(long = "scope", value_name = "SCOPE", required = true, hide_possible_values = true, value_parser = scopes())]
    pub scopes: Vec<String>,
}

/// Reads the name of a scope. Whoever mistypes one is told all of them, the one that was meant first.
fn scopes() -> PossibleValuesParser {
    PossibleValuesParser::new(Scope::all().map(|scope| -> &'static str { scope.to_string().leak() }))
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

/// Does something about internal people; the lines to show.
async fn staff(command: Staff) -> anyhow::Result<String> {
    match command {
        Staff::Create(new) => beside(&new.common, async |engine| people::staff_create(engine, &new).await).await,
        Staff::List(common) => beside(&common, people::staff_list).await,
        Staff::ResetPassword(member) => {
            beside(&member.common, async |engine| people::staff_reset_password(engine, &member.email).await).await
        }
        Staff::ResetMfa(member) => {
            beside(&member.common, async |engine| people::staff_reset_mfa(engine, &member.email).await).await
        }
    }
}

/// Does something about programs; the lines to show.
async fn client(command: Client) -> anyhow::Result<String> {
    match command {
        Client::Create(new) => beside(&new.common, async |engine| people::client_create(engine, &new).await).await,
        Client::List(common) => beside(&common, people::client_list).await,
        Client::RotateSecret(of) => {
            let act =
                async |engine: &_| people::client_rotate_secret(engine, &of.client_id, of.old_secret_expires_in).await;
            beside(&of.common, act).await
        }
    }
}

/// Acts on a database that is there, whether or not a service runs on it.
async fn beside(
    common: &Common,
    act: impl AsyncFnOnce(&labs_schema::Engine) -> anyhow::Result<String>,
) -> anyhow::Result<String> {
    begin(common, false)?;
    let database = Database::reach_existing(common).await?;
    let done = people::inside(database.url(), common, act).await;
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
            begin(&words.common, words.log_requests)?;
            serve::serve(words.settle()?).await
        }
        Command::Check => {
            let differences = wiring::check().await?;
            say(&differences.join("\n"))?;
            say(conclude(&differences)?)
        }
        Command::Migrate(common) => {
            begin(&common, false)?;
            let database = Database::reach(&common).await?;
            let done = wiring::migrate(database.url()).await;
            database.close().await?;
            match done? {
                0 => say("The database is up to date."),
                run => say(&format!("The database is up to date: migrations run now: {run}.")),
            }
        }
        Command::Staff(command) => say(&staff(command).await?),
        Command::Client(command) => say(&client(command).await?),
        Command::Totp(Totp { secret }) => {
            let seed = TotpSeed::from_base32(&secret);
            let seed =
                seed.context("this is no secret of a second factor: it has 32 letters A to Z and digits 2 to 7")?;
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
fn begin(common: &Common, log_requests: bool) -> anyhow::Result<()> {
    telemetry::start(common, log_requests)?;
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
