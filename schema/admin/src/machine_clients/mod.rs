//! Machine clients: programs that staff provisioned.
//!
//! ```text
//!            disable
//!   ACTIVE ───────────▶ DISABLED
//!     ▲                    │
//!     └────────────────────┘
//!             enable
//! ```
//!
//! A machine client is permanently bound to one partner, or belongs to the service itself (the storefront, a release
//! tool). The service records the allowed scopes and, separately, the scopes that its calls required. It authenticates
//! with a client secret. Two secrets may be valid at the same time, so that a client can rotate without a gap
//! (docs/decisions/credentials.md#client-secrets). Deleting a secret also revokes the tokens that were issued for it.
//! Enabling a client does not restore tokens from before: they stay void.

mod list;
mod resolvers;
mod rules;
mod store;

use labs_core::db::Db;
use labs_core::fault::Fault;
use labs_crypto::secret::SecretKind;
use uuid::Uuid;

pub use list::STATEMENTS;
pub use resolvers::OPERATIONS;
pub use resolvers::types::MachineClient;
pub use store::PROGRAM;

/// Number of characters by which people distinguish client secrets: the prefix of the kind and six more.
pub const SHOWN_CHARACTERS: usize = 14;

/// Creates a client secret for a locked machine client, for the command line. Returns the text of the secret, which is
/// shown only once. The valid secrets stay valid for `former_seconds`.
///
/// # Errors
/// [`labs_core::Code::Conflict`] if two secrets are already valid and are to stay valid.
pub async fn rotate_secret(
    db: &Db,
    client_uuid: Uuid,
    secret_uuid: Uuid,
    former_seconds: i32,
) -> Result<String, Fault> {
    rules::ensure_may_rotate(store::secrets::count_valid(db, client_uuid).await?, former_seconds > 0)?;
    let issued = SecretKind::Client.issue();
    let prefix = issued.text.expose().get(..SHOWN_CHARACTERS).unwrap_or_default();
    let secret = store::NewSecret { secret_uuid, prefix, sha256: &issued.digest };
    store::secrets::insert(db, client_uuid, &secret, former_seconds).await?;
    Ok(issued.text.expose().to_owned())
}
