//! The signing keys: read from the table, the first one made at first start.

use sqlx::PgPool;

use crate::fault::Fault;
use crate::keep::sealed::MasterKey;
use crate::keep::token::{KeyRing, SigningKeyRow, new_signing_key};
use crate::time::Time;

/// What the private half is sealed for.
const PURPOSE: &str = "signing-key";

/// Every key that may still have signed a token in force.
pub(super) async fn load(pool: &PgPool, key: &MasterKey, parties: (&str, &str)) -> Result<KeyRing, Fault> {
    let rows = sqlx::query!(
        "select key_id, state, public_key, private_key_sealed
           from signing_key
          where state <> 'RETIRED' or expires_at > labs_now()
          order by created_at"
    )
    .fetch_all(pool)
    .await?;
    let mut keys = Vec::with_capacity(rows.len());
    let mut signer = String::new();
    for row in rows {
        let sealed = row.private_key_sealed.filter(|_| row.state == "CURRENT");
        let private_key = sealed.map(|sealed| key.open(PURPOSE, &sealed)).transpose().map_err(Fault::internal)?;
        if private_key.is_some() {
            signer.clone_from(&row.key_id);
        }
        keys.push(SigningKeyRow { key_id: row.key_id, public_key: row.public_key, private_key });
    }
    KeyRing::new(parties.0, parties.1, &signer, keys).map_err(Fault::internal)
}

/// The same, making the first key when there is none. Several replicas may start at once: one of them wins.
pub(super) async fn load_or_create(
    pool: &PgPool,
    key: &MasterKey,
    parties: (&str, &str),
    now: Time,
) -> Result<KeyRing, Fault> {
    let fresh = new_signing_key().map_err(Fault::internal)?;
    sqlx::query!(
        "insert into signing_key (key_id, algorithm, state, public_key, private_key_sealed, created_at, activated_at)
         select $1, 'EdDSA', 'CURRENT', $2, $3, $4, $4
          where not exists (select 1 from signing_key where state = 'CURRENT')
         on conflict do nothing",
        fresh.key_id,
        fresh.public_key.as_slice(),
        key.seal(PURPOSE, &fresh.private_key),
        now as Time,
    )
    .execute(pool)
    .await?;
    load(pool, key, parties).await
}
