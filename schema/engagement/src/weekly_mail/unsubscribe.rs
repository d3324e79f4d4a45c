//! Unsubscribes from the weekly mail without signing in, with a token that names the user and is valid for nothing
//! else. The token is not stored and can be used repeatedly.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use labs_core::db::Db;
use labs_core::fault::Fault;
use labs_core::services::Services;
use labs_crypto::same_bytes;
use labs_crypto::sealed::MasterKey;
use sqlx::PgPool;
use uuid::Uuid;

use super::store;

/// Purpose of the MAC; a token for this purpose is invalid for any other.
const PURPOSE: &str = "board-mail-unsubscribe";
/// Bytes of an id.
const ID: usize = 16;

/// Returns the token of a user: the id and its MAC, 64 characters of base64url.
pub(super) fn token(key: &MasterKey, person_uuid: Uuid) -> String {
    let id = person_uuid.as_bytes();
    URL_SAFE_NO_PAD.encode([id.as_slice(), &key.mac(PURPOSE, id)].concat())
}

/// Returns the user of a token; `None` if the token is invalid.
fn person_of(key: &MasterKey, token: &str) -> Option<Uuid> {
    let bytes = URL_SAFE_NO_PAD.decode(token).ok()?;
    let (id, tag) = bytes.split_first_chunk::<ID>()?;
    same_bytes(&key.mac(PURPOSE, id), tag).then(|| Uuid::from_bytes(*id))
}

/// Whether this is a valid token. Executes no SQL.
pub fn is_token(services: &Services, token: &str) -> bool {
    person_of(&services.key, token).is_some()
}

/// Ends the weekly mail of the token's user; false for an invalid token. Idempotent.
///
/// # Errors
/// If the database does not answer.
pub async fn unsubscribe(pool: &PgPool, services: &Services, token: &str) -> Result<bool, Fault> {
    let Some(person_uuid) = person_of(&services.key, token) else { return Ok(false) };
    let db = Db::own_transaction(pool.clone());
    let outcome = store::set_off(&db, person_uuid).await;
    db.settle(outcome.map(|()| true)).await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unsubscribe_token_identifies_one_user_under_one_key() {
        let (key, person) = (MasterKey::from_bytes([7; 32]), Uuid::from_u128(1));
        let token = token(&key, person);
        assert_eq!(token.len(), 64);
        assert_eq!(person_of(&key, &token), Some(person));
        assert_eq!(person_of(&MasterKey::from_bytes([8; 32]), &token), None);
        let another = super::token(&key, Uuid::from_u128(2));
        let mixed = format!("{}{}", &another[..22], &token[22..]);
        for wrong in ["", "x", &token[..63], &mixed, &format!("{token}AA")] {
            assert_eq!(person_of(&key, wrong), None, "{wrong}");
        }
    }
}
