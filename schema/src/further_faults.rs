//! What an operation's own rules say of a body that the contract refuses already, so that whoever fills in a form is told
//! everything at once. Nothing is written, and no account is looked up by its address.

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use serde_json::Value;

use crate::auth::{invitations, passwords, registrations};
use crate::core::db::Db;
use crate::core::engine::Engine;
use crate::core::fault::{Fault, FieldError};

/// What is wrong with the body of an operation, as far as it can be read; nothing for operations whose rules are not asked.
///
/// # Errors
/// [`crate::Code::Unavailable`] while the database is away, or too many passwords are judged.
pub fn find<'a>(
    engine: &'a Engine,
    operation: &'a str,
    body: &'a Value,
) -> BoxFuture<'a, Result<Vec<FieldError>, Fault>> {
    async move {
        let (services, db) = (engine.services(), Db::pooled(engine.pool().clone()));
        match operation {
            "auth_registrations_create" => registrations::find_faults(services, &db, body).await,
            "auth_invitations_accept" => invitations::find_faults(services, &db, body).await,
            "auth_passwords_confirm_reset" => passwords::find_faults(services, &db, body).await,
            _ => Ok(Vec::new()),
        }
    }
    .boxed()
}
