//! Signing keys: loaded from the table, created on first start.

use labs_crypto::sealed::MasterKey;
use labs_crypto::token::{KeyRing, SigningKeyRow, new_signing_key};
use sqlx::{PgExecutor, PgPool};

use crate::fault::Fault;
use crate::time::Time;

/// Purpose under which the private half is sealed.
const PURPOSE: &str = "signing-key";

/// Loads every key that could have signed a valid token.
pub(super) async fn load(on: impl PgExecutor<'_>, key: &MasterKey, parties: (&str, &str)) -> Result<KeyRing, Fault> {
    let rows = sqlx::query!(
        r#"select key_id, state, public_key, private_key_sealed, expires_at as "expires_at: Time"
             from signing_key
            where state <> 'RETIRED' or expires_at > labs_now()
            order by created_at"#
    )
    .fetch_all(on)
    .await?;
    let mut keys = Vec::with_capacity(rows.len());
    let mut signer = String::new();
    for row in rows {
        let sealed = row.private_key_sealed.filter(|_| row.state == "CURRENT");
        let private_key = sealed.map(|sealed| key.open(PURPOSE, &sealed)).transpose().map_err(Fault::internal)?;
        if private_key.is_some() {
            signer.clone_from(&row.key_id);
        }
        let expires_at = row.expires_at.filter(|_| row.state == "RETIRED").map(|expires_at| expires_at.unix());
        keys.push(SigningKeyRow { key_id: row.key_id, public_key: row.public_key, private_key, expires_at });
    }
    KeyRing::new(parties.0, parties.1, &signer, keys).map_err(Fault::internal)
}

/// Whether this master key opens the sealed data of the database. True if no data has been sealed yet.
pub async fn is_sealed_with(pool: &PgPool, key: &MasterKey) -> Result<bool, Fault> {
    let sealed = sqlx::query_scalar!(
        r#"select private_key_sealed as "sealed!" from signing_key
            where state = 'CURRENT' and private_key_sealed is not null"#
    )
    .fetch_optional(pool)
    .await?;
    Ok(sealed.is_none_or(|sealed| key.open(PURPOSE, &sealed).is_ok()))
}

/// New key pair in the form in which it is stored.
pub struct FreshKey {
    /// Id of the key.
    pub key_id: String,
    /// Ed25519 public key.
    pub public_key: [u8; 32],
    /// Private key, encrypted.
    pub private_key_sealed: Vec<u8>,
}

impl FreshKey {
    /// Generates a key pair.
    ///
    /// # Errors
    /// [`crate::fault::Code::Internal`] if the random generator fails.
    pub fn new(key: &MasterKey) -> Result<Self, Fault> {
        let made = new_signing_key().map_err(Fault::internal)?;
        let private_key_sealed = key.seal(PURPOSE, &made.private_key);
        Ok(Self { key_id: made.key_id, public_key: made.public_key, private_key_sealed })
    }
}

/// Loads the keys; creates the first key and its successor if none exist. If several replicas start at once, one of
/// them creates the keys. The successor exists long before it signs, so that every replica knows it by then.
pub(super) async fn load_or_create(
    pool: &PgPool,
    key: &MasterKey,
    parties: (&str, &str),
    now: Time,
) -> Result<KeyRing, Fault> {
    for state in ["CURRENT", "NEXT"] {
        let fresh = FreshKey::new(key)?;
        sqlx::query!(
            "insert into signing_key (key_id, algorithm, state, public_key, private_key_sealed, created_at, activated_at)
             select $1, 'EdDSA', $5, $2, $3, $4::timestamptz, case $5 when 'CURRENT' then $4 end
              where not exists (select 1 from signing_key where state = $5)
             on conflict do nothing",
            fresh.key_id,
            fresh.public_key.as_slice(),
            fresh.private_key_sealed,
            now as Time,
            state,
        )
        .execute(pool)
        .await?;
    }
    load(pool, key, parties).await
}
