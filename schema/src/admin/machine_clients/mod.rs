//! A machine client: a program that an operator provisioned.
//!
//! ```text
//!            disable
//!   ACTIVE ───────────▶ DISABLED
//!     ▲                    │
//!     └────────────────────┘
//!             enable
//! ```
//!
//! It is bound to one partner, for good, or is one of the service's own (the storefront, a release tool). What
//! it may ask for is kept beside what its calls really needed. It signs in with a secret, of which two may be
//! good at the same time, so that it can change over without a gap (docs/decisions.md#principals). A secret
//! that is deleted takes along the tokens that were issued for it, and enabling is a new beginning: tokens from before
//! stay void.

mod list;
mod resolvers;
mod rules;
mod store;

pub(in crate::admin) use list::STATEMENTS;
pub(crate) use resolvers::types::MachineClient;
pub(in crate::admin) use resolvers::{MachineClientsMutation, MachineClientsQuery};
pub(crate) use store::PROGRAM;

use uuid::Uuid;

use crate::core::crypto::secret::SecretKind;
use crate::core::db::Db;
use crate::core::fault::Fault;

/// Characters by which people tell one secret from another: the kind's prefix and six more.
pub(crate) const SHOWN_CHARACTERS: usize = 14;

/// Gives a program that is held for it a new secret, for the command line; its text, shown this one time. The good ones
/// go on for `former_seconds`.
///
/// # Errors
/// [`crate::Code::Conflict`] when two secrets are good already and are to go on.
pub(crate) async fn rotate_secret(
    db: &Db,
    client_uuid: Uuid,
    secret_uuid: Uuid,
    former_seconds: i32,
) -> Result<String, Fault> {
    rules::rotation(store::secrets::good_count(db, client_uuid).await?, former_seconds > 0)?;
    let issued = SecretKind::Client.issue();
    let prefix = issued.text.expose().get(..SHOWN_CHARACTERS).unwrap_or_default();
    let secret = store::NewSecret { secret_uuid, prefix, sha256: &issued.digest };
    store::secrets::insert(db, client_uuid, &secret, former_seconds).await?;
    Ok(issued.text.expose().to_owned())
}
