//! Commands for staff members and machine clients.

use clap::builder::PossibleValuesParser;
use clap::{Args, Subcommand};
use labs_schema::scope::Scope;

use super::run_on_database;
use crate::config::Common;
use crate::wiring::people;

/// Operations on staff members; all other operations use the API.
#[derive(Debug, Subcommand)]
pub enum Staff {
    /// Create a staff member and print password and second factor
    #[command(after_help = "Example:\n  labs staff create --email ada@example.com --name 'Ada Byron' --role \
                            operator\n\nWorks whether or not the service is running. The password and the TOTP secret \
                            are shown only once:\nadd the secret to an authenticator app, which then shows the codes.")]
    Create(StaffCreate),

    /// List staff members: address, state, second factor, roles, name
    #[command(after_help = "Example:\n  labs staff list")]
    List(Common),

    /// Set a new password of a staff member and print it; every session ends
    #[command(after_help = "Example:\n  labs staff reset-password --email ada@example.com\n\nThe second factor stays \
                            the same. The new password is shown only once.")]
    ResetPassword(StaffMember),

    /// Set a new second factor of a staff member and print it; every session ends
    #[command(after_help = "Example:\n  labs staff reset-mfa --email ada@example.com\n\nFor a staff member who has \
                            lost the authenticator app and the recovery codes. The former secret and codes\nbecome \
                            invalid; the password stays the same.")]
    ResetMfa(StaffMember),
}

/// A staff member.
#[derive(Args, Debug)]
pub struct StaffMember {
    /// Database and log settings.
    #[command(flatten)]
    pub common: Common,
    /// E-mail address to sign in with
    #[arg(long, value_name = "ADDRESS")]
    pub email: String,
}

/// A new staff member.
#[derive(Args, Debug)]
pub struct StaffCreate {
    /// Database and log settings.
    #[command(flatten)]
    pub common: Common,
    /// E-mail address to sign in with
    #[arg(long, value_name = "ADDRESS")]
    pub email: String,
    /// Display name of the staff member
    #[arg(long)]
    pub name: String,
    /// Staff role, which is a set of scopes; may be repeated
    #[arg(long = "role", value_name = "ROLE", required = true)]
    pub roles: Vec<String>,
}

/// Operations on machine clients; all other operations use the API.
#[derive(Debug, Subcommand)]
pub enum Client {
    /// Create a machine client and print its id and secret
    #[command(after_help = "Examples:\n  labs client create --name storefront --scope storefront\n  labs client \
                            create --name importer --partner nordsee-kassen --scope marketplace.apps:write\n\nWorks \
                            whether or not the service is running. The secret is shown only once.")]
    Create(ClientCreate),

    /// List machine clients: id, state, last use, owner, scopes, name
    #[command(after_help = "Example:\n  labs client list")]
    List(Common),

    /// Rotate the secret of a machine client and print the new one; the former one stays valid for a day
    #[command(after_help = "Examples:\n  labs client rotate-secret labs-client-storefront\n  labs client \
                            rotate-secret labs-client-storefront --old-secret-expires-in 0\n\nThe secret is shown \
                            only once. With 0, the former secrets expire at once; access tokens issued with \
                            them\nstay valid until they expire.")]
    RotateSecret(ClientRotateSecret),
}

/// The machine client whose secret is rotated.
#[derive(Args, Debug)]
pub struct ClientRotateSecret {
    /// Database and log settings.
    #[command(flatten)]
    pub common: Common,
    /// Client id, as `client list` shows it
    #[arg(value_name = "CLIENT_ID")]
    pub client_id: String,
    /// Seconds for which the former secrets stay valid, at most 30 days
    #[arg(long, value_name = "SECONDS", default_value_t = 86_400, value_parser = clap::value_parser!(i32).range(0..=2_592_000))]
    pub old_secret_expires_in: i32,
}

/// A new machine client.
#[derive(Args, Debug)]
pub struct ClientCreate {
    /// Database and log settings.
    #[command(flatten)]
    pub common: Common,
    /// Name that staff see
    #[arg(long)]
    pub name: String,
    /// Partner to which it is bound, by UUID, slug or company name; without one, it belongs to the service
    #[arg(long, value_name = "PARTNER")]
    pub partner: Option<String>,
    /// Scope that it may request; may be repeated
    #[arg(long = "scope", value_name = "SCOPE", required = true, hide_possible_values = true, value_parser = scopes())]
    pub scopes: Vec<String>,
}

/// Parses the name of a scope. For an unknown one, the error lists all scopes, the most similar first.
fn scopes() -> PossibleValuesParser {
    PossibleValuesParser::new(Scope::all().map(|scope| -> &'static str { scope.to_string().leak() }))
}

/// Runs a command for staff members; returns the lines to print.
pub(super) async fn staff(command: Staff) -> anyhow::Result<String> {
    match command {
        Staff::Create(new) => {
            run_on_database(&new.common, async |engine| people::staff_create(engine, &new).await).await
        }
        Staff::List(common) => run_on_database(&common, people::staff_list).await,
        Staff::ResetPassword(member) => {
            run_on_database(&member.common, async |engine| people::staff_reset_password(engine, &member.email).await)
                .await
        }
        Staff::ResetMfa(member) => {
            run_on_database(&member.common, async |engine| people::staff_reset_mfa(engine, &member.email).await).await
        }
    }
}

/// Runs a command for machine clients; returns the lines to print.
pub(super) async fn client(command: Client) -> anyhow::Result<String> {
    match command {
        Client::Create(new) => {
            run_on_database(&new.common, async |engine| people::client_create(engine, &new).await).await
        }
        Client::List(common) => run_on_database(&common, people::client_list).await,
        Client::RotateSecret(of) => {
            let act =
                async |engine: &_| people::client_rotate_secret(engine, &of.client_id, of.old_secret_expires_in).await;
            run_on_database(&of.common, act).await
        }
    }
}
