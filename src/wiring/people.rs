//! Commands for staff members and machine clients, and the lines that they print.

use std::sync::Arc;

use anyhow::Context;
use labs_schema::crypto::password::PasswordOptions;
use labs_schema::crypto::sealed::MasterKey;
use labs_schema::engine::Descriptions;
use labs_schema::identity_issuers::NoKeySets;
use labs_schema::media::store::MediaStore;
use labs_schema::open::{DatabaseUrls, OpenOptions, open};
use labs_schema::operator::{self, NewClient, NewStaff, SecondFactor};
use labs_schema::services::{Retention, Settings};
use labs_schema::surface::ServedContract;
use labs_schema::time::Clock;
use labs_schema::{Code, Engine};

use super::{differences, migrate};
use crate::cli::{ClientCreate, StaffCreate};
use crate::config::Common;

/// Creates a staff member; returns the lines to print for the operator.
///
/// # Errors
/// If the address is taken, a role does not exist, or the database cannot be reached.
pub async fn staff_create(engine: &Engine, new: &StaffCreate) -> anyhow::Result<String> {
    let wanted =
        NewStaff { email: new.email.clone(), name: new.name.clone(), roles: new.roles.clone(), password: None };
    let made = operator::staff_create(engine.pool(), engine.services(), wanted).await.map_err(to_error)?;
    Ok(format!(
        "{} can now sign in. The following is shown only once:\n  password        {}\n{}",
        new.email,
        made.password.unwrap_or_default(),
        format_second_factor(&made.factor),
    ))
}

/// Returns all staff members, one line each.
///
/// # Errors
/// If the database cannot be reached.
pub async fn staff_list(engine: &Engine) -> anyhow::Result<String> {
    let staff = operator::staff_list(engine.pool()).await.map_err(to_error)?;
    Ok(table(
        ["EMAIL", "STATE", "SECOND FACTOR", "ROLES", "NAME"],
        staff.into_iter().map(|member| {
            let factor = if member.has_second_factor { "yes" } else { "no" };
            [member.email, member.state, factor.to_owned(), member.roles.join(","), member.name]
        }),
    ))
}

/// Sets a new password of a staff member; returns the lines to print for the operator.
///
/// # Errors
/// If no staff member has the address, or the database cannot be reached.
pub async fn staff_reset_password(engine: &Engine, email: &str) -> anyhow::Result<String> {
    let done = operator::staff_reset_password(engine.pool(), engine.services(), email);
    Ok(format!(
        "{email} must sign in again. The password is shown only once:\n  password        {}",
        done.await.map_err(to_error)?
    ))
}

/// Sets a new second factor of a staff member; returns the lines to print for the operator.
///
/// # Errors
/// If no staff member has the address, or the database cannot be reached.
pub async fn staff_reset_mfa(engine: &Engine, email: &str) -> anyhow::Result<String> {
    let factor = operator::staff_reset_mfa(engine.pool(), engine.services(), email).await.map_err(to_error)?;
    Ok(format!("{email} must sign in again. The following is shown only once:\n{}", format_second_factor(&factor)))
}

fn format_second_factor(factor: &SecondFactor) -> String {
    let codes = factor.recovery_codes.join(" ");
    let (secret, uri) = (&factor.totp_secret, &factor.otpauth_uri);
    format!("  authenticator   {secret}\n                  {uri}\n  recovery codes  {codes}")
}

/// Creates a machine client; returns the lines to print for the operator.
///
/// # Errors
/// If a scope or the partner does not exist, or the database cannot be reached.
pub async fn client_create(engine: &Engine, new: &ClientCreate) -> anyhow::Result<String> {
    let partner_uuid = match &new.partner {
        Some(named) => Some(operator::partner_find(engine.pool(), named).await.map_err(to_error)?),
        None => None,
    };
    let wanted = NewClient { name: new.name.clone(), scopes: new.scopes.clone(), partner_uuid, networks: Vec::new() };
    let made = operator::client_create(engine.pool(), engine.services(), wanted).await.map_err(to_error)?;
    Ok(format!(
        "The machine client can now request access tokens. The secret is shown only once:\n  client id      {}\n  \
         client secret  {}",
        made.client_id, made.secret
    ))
}

/// Returns all machine clients, one line each.
///
/// # Errors
/// If the database cannot be reached.
pub async fn client_list(engine: &Engine) -> anyhow::Result<String> {
    let clients = operator::client_list(engine.pool()).await.map_err(to_error)?;
    Ok(table(
        ["CLIENT ID", "STATE", "LAST USED", "OWNER", "SCOPES", "NAME"],
        clients.into_iter().map(|client| {
            let last_used = client.last_used_at.map_or_else(|| "never".to_owned(), |time| time.to_string());
            let owner = client.partner_uuid.map_or_else(|| "the service".to_owned(), |partner| partner.to_string());
            [client.client_id, client.state, last_used, owner, client.scopes.join(","), client.name]
        }),
    ))
}

/// Rotates the secret of a machine client; returns the lines to print for the operator.
///
/// # Errors
/// If the client does not exist, it already has two valid secrets, or the database cannot be reached.
pub async fn client_rotate_secret(engine: &Engine, client_id: &str, former_seconds: i32) -> anyhow::Result<String> {
    let done = operator::client_rotate_secret(engine.pool(), engine.services(), client_id, former_seconds);
    Ok(format!("The secret is shown only once:\n  client secret  {}", done.await.map_err(to_error)?))
}

/// Formats rows below a head; each column except the last is as wide as its longest text.
fn table<const COLUMNS: usize>(head: [&str; COLUMNS], rows: impl Iterator<Item = [String; COLUMNS]>) -> String {
    let rows: Vec<[String; COLUMNS]> = std::iter::once(head.map(str::to_owned)).chain(rows).collect();
    let mut widths = [0; COLUMNS];
    for row in &rows {
        for (width, text) in widths.iter_mut().zip(row) {
            *width = text.chars().count().max(*width);
        }
    }
    let line = |row: &[String; COLUMNS]| {
        let cells = row.iter().zip(widths).map(|(text, width)| format!("{text:width$}"));
        cells.collect::<Vec<_>>().join("  ").trim_end().to_owned()
    };
    rows.iter().map(line).collect::<Vec<_>>().join("\n")
}

/// Whether a staff member exists.
///
/// # Errors
/// If the database cannot be reached.
pub async fn has_staff(engine: &Engine) -> anyhow::Result<bool> {
    Ok(!operator::staff_list(engine.pool()).await.map_err(to_error)?.is_empty())
}

/// Opens the engine for a command that may run in parallel with the service, runs the action, and closes the engine.
///
/// # Errors
/// The error of the action, or if the database cannot be reached.
pub async fn inside<T>(
    database: &DatabaseUrls,
    common: &Common,
    act: impl AsyncFnOnce(&Engine) -> anyhow::Result<T>,
) -> anyhow::Result<T> {
    let engine = open_inside(database, common).await?;
    let done = act(&engine).await;
    engine.pool().close().await;
    done
}

async fn open_inside(database: &DatabaseUrls, common: &Common) -> anyhow::Result<Engine> {
    migrate(database).await?;
    let nobody = "http://localhost".to_owned();
    let opening = OpenOptions {
        database: database.clone(),
        plan: Arc::new(
            labs_schema::prepare_schema(Descriptions::default()).map_err(|breaches| differences(&breaches))?,
        ),
        connections: 2,
        key: MasterKey::load_or_create(&common.master_key_file())
            .context("the master key could not be loaded or created")?,
        clock: Clock::default(),
        // No command reads or writes files. A command that runs as another user would create a folder that the service
        // cannot write.
        media: MediaStore::in_folder(&common.folder.join("media"))?,
        settings: Settings {
            base_url: nobody.clone(),
            pictures_url: nobody.clone(),
            audience: nobody,
            mail_from: "Labs <labs@localhost>".to_owned(),
            own_per_second: 1,
            operations: Arc::default(),
            contract: ServedContract::none(),
            statistics: None,
            trusted_issuers: Vec::new(),
            retention: Retention::NONE,
            checkpoints: None,
        },
        issuer_keys: Arc::new(NoKeySets),
        passwords: PasswordOptions::default(),
    };
    Ok(open(opening).await?)
}

/// Converts a fault with its invalid fields.
pub(super) fn to_error(fault: labs_schema::Fault) -> anyhow::Error {
    let errors = fault.errors().iter().map(|error| error.message.clone()).collect::<Vec<_>>();
    match (errors.is_empty(), fault.code()) {
        (false, _) => anyhow::anyhow!("{}", errors.join(" ")),
        // The fault's own detail is for API callers, who have a request id to quote.
        (true, Code::Internal) => anyhow::anyhow!("the command failed: {}", fault.for_log()),
        (true, _) => anyhow::anyhow!("{}", fault.detail()),
    }
}
