//! Operations on signing keys and the scopes that they require.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use labs_core::audit_target::AuditTargetKind;
use labs_core::authority::FreshKey;
use labs_core::context::{RequestContext, Target};
use labs_core::describe::{InputType, OutputType};
use labs_core::fault::Fault;
use labs_core::list::PageRequest;
use labs_core::operation::{Operation, operation, operations};
use labs_core::page::CountedList;
use labs_core::time::Time;

use super::list::{KEYS, KeyRow, SigningKeyFilter, SigningKeyState};
use super::store;

/// Time for which a retired key verifies tokens, in seconds: the longest token lifetime, and one minute for replicas
/// that signed before they received the rotation.
const VERIFIES_SECONDS: i32 = 3_660;
/// Maximum number of keys that verify at the same time, equal to the contract's maximum for `GET /v1/oauth/jwks`.
const MOST_VERIFYING: i64 = 100;

/// A former, current or future signing key for access tokens. The private key is never returned.
#[derive(serde::Serialize, OutputType)]
pub(super) struct SigningKey {
    /// `kid` of the tokens that the key signs.
    key_id: String,
    /// Signature algorithm, as in `alg` of the tokens.
    algorithm: String,
    /// State of the key.
    state: SigningKeyState,
    /// Public key in base64url without padding, as in `x` of the published key.
    public_key: String,
    /// Time when the key was created.
    created_at: Time,
    /// Time when the key started to sign. Null for the next key.
    activated_at: Option<Time>,
    /// Time when the key stopped signing. Null unless the key is retired.
    retired_at: Option<Time>,
    /// Time from which the key no longer verifies tokens. Null unless the key is retired.
    expires_at: Option<Time>,
}

/// Signing keys after a rotation.
#[derive(serde::Serialize, OutputType)]
pub(super) struct SigningKeyRotation {
    /// Key that signs now.
    current: SigningKey,
    /// Key that signs after the next rotation.
    next: SigningKey,
    /// Key that signed before the rotation.
    former: SigningKey,
}

/// Reason for the rotation of the signing key.
#[derive(serde::Deserialize, InputType)]
pub(super) struct SigningKeyRotationInput {
    /// Reason for the rotation. Kept in the audit record. Only staff can read it.
    reason: Option<String>,
}

/// Operations of this file.
pub(crate) const OPERATIONS: &[Operation] = operations![admin_signing_keys_list, admin_signing_keys_rotate];

/// List signing keys.
#[operation(query, access = "labs.admin.security")]
async fn admin_signing_keys_list(
    cx: &RequestContext,
    filter: Option<SigningKeyFilter>,
    limit: Option<i32>,
    cursor: Option<String>,
    include_total: Option<bool>,
) -> Result<CountedList<SigningKey>, Fault> {
    let filter = filter.unwrap_or_default();
    let rows = KEYS.page(cx, &filter, &PageRequest::new(None, limit, cursor)).await?;
    let total = KEYS.total(&cx.db, &filter, include_total).await?;
    Ok(rows.map(|key| Ok(SigningKey::from(key)))?.counted_list(total))
}

/// Rotate the signing key.
#[operation(mutation, access = "labs.admin.security:write")]
async fn admin_signing_keys_rotate(
    cx: &RequestContext,
    body: Option<SigningKeyRotationInput>,
) -> Result<SigningKeyRotation, Fault> {
    if let Some(reason) = body.and_then(|body| body.reason) {
        cx.note_reason(reason);
    }
    let fresh = FreshKey::new(&cx.services.key)?;
    store::lock(&cx.db).await?;
    ensure_few_keys(store::count_verifying(&cx.db).await?)?;
    let former = store::set_retired(&cx.db, VERIFIES_SECONDS).await?;
    let current = store::set_current(&cx.db).await?;
    let missing = || Fault::internal("the current or the next signing key is missing; a restart creates it");
    let (former, current) = former.zip(current).ok_or_else(missing)?;
    let next = store::insert(&cx.db, &fresh).await?;
    cx.note_target(Target {
        kind: Some(AuditTargetKind::SigningKey),
        label: Some(current.key_id.clone()),
        ..Target::default()
    });
    Ok(SigningKeyRotation { current: current.into(), next: next.into(), former: former.into() })
}

/// Rejects a rotation while the maximum number of published keys verify: each may have signed a token that is still
/// valid.
fn ensure_few_keys(verifying: i64) -> Result<(), Fault> {
    if verifying < MOST_VERIFYING {
        return Ok(());
    }
    Err(Fault::conflict(format!(
        "{MOST_VERIFYING} keys already verify tokens. Wait until the first retired key expires, an hour after its \
         rotation, then rotate again."
    )))
}

impl From<KeyRow> for SigningKey {
    fn from(row: KeyRow) -> Self {
        Self {
            key_id: row.key_id,
            algorithm: row.algorithm,
            state: row.state,
            public_key: URL_SAFE_NO_PAD.encode(row.public_key),
            created_at: row.created_at,
            activated_at: row.activated_at,
            retired_at: row.retired_at,
            expires_at: row.expires_at,
        }
    }
}
