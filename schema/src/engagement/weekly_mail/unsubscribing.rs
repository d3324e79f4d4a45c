//! The way out of the weekly mail without signing in: a token that names the person and opens nothing else. It is kept
//! nowhere, and works again and again.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use sqlx::PgPool;
use uuid::Uuid;

use super::store;
use crate::core::crypto::same_bytes;
use crate::core::crypto::sealed::MasterKey;
use crate::core::db::Db;
use crate::core::fault::Fault;
use crate::core::services::Services;

/// What is authenticated for this purpose says nothing for another.
const PURPOSE: &str = "board-mail-unsubscribe";
/// Bytes of an id.
const ID: usize = 16;

/// The token of a person: their id and its authentication, 64 characters of base64url.
pub(super) fn token(key: &MasterKey, person_uuid: Uuid) -> String {
    let id = person_uuid.as_bytes();
    URL_SAFE_NO_PAD.encode([id.as_slice(), &key.mac(PURPOSE, id)].concat())
}

/// Whose token this is; none for what is no token.
fn person_of(key: &MasterKey, token: &str) -> Option<Uuid> {
    let bytes = URL_SAFE_NO_PAD.decode(token).ok()?;
    let (id, tag) = bytes.split_first_chunk::<ID>()?;
    same_bytes(&key.mac(PURPOSE, id), tag).then(|| Uuid::from_bytes(*id))
}

/// Whether this is a token. It costs no statement.
pub(crate) fn is_token(services: &Services, token: &str) -> bool {
    person_of(&services.key, token).is_some()
}

/// Ends the weekly mail for whose token this is; false for what is no token. Again it changes nothing.
///
/// # Errors
/// When the database is away.
pub(crate) async fn unsubscribe(pool: &PgPool, services: &Services, token: &str) -> Result<bool, Fault> {
    let Some(person_uuid) = person_of(&services.key, token) else { return Ok(false) };
    let db = Db::apart(pool.clone());
    let outcome = store::set_off(&db, person_uuid).await;
    db.settle(outcome.map(|()| true)).await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_names_one_person_under_one_key() {
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
