//! Faults that the rules of an operation find in a body that the contract already rejects, so that the user of a form
//! sees all errors at once. Nothing is written, and no account is looked up by its address.

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use labs_core::db::Db;
use labs_core::engine::Engine;
use labs_core::fault::{Fault, FieldError};
use serde_json::Value;

use crate::auth::{invitations, passwords, registrations};

/// Finds the faults in the body of an operation, for its parsable fields; none for operations without additional rules.
///
/// # Errors
/// [`labs_core::Code::Unavailable`] if the database does not answer, or too many passwords are being validated.
pub fn find<'a>(
    engine: &'a Engine,
    operation: &'a str,
    body: &'a Value,
) -> BoxFuture<'a, Result<Vec<FieldError>, Fault>> {
    async move {
        let (services, db) = (engine.services(), Db::from_pool(engine.pool().clone()));
        match operation {
            "auth_registrations_create" => registrations::find_faults(services, &db, body).await,
            "auth_invitations_accept" => invitations::find_faults(services, &db, body).await,
            "auth_passwords_confirm_reset" => passwords::find_faults(services, &db, body).await,
            _ => Ok(Vec::new()),
        }
    }
    .boxed()
}
