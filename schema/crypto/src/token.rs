//! Access tokens: JWTs of the RFC 9068 profile, signed with Ed25519, and the ring of their keys.
//!
//! One algorithm, one `typ`, keys only from the ring, no leeway (RFC 8725, RFC 9068;
//! docs/decisions/credentials.md#access-tokens). Key references in a header (`jku`, `jwk`, `x5u`, `x5c`) are never
//! read.
use std::collections::HashMap;
use std::fmt;

use aws_lc_rs::signature::{Ed25519KeyPair, KeyPair};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use jsonwebtoken::errors::ErrorKind;
use jsonwebtoken::{Algorithm, DecodingKey, EncodingKey, Header, Validation};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use uuid::Uuid;
use zeroize::Zeroizing;

use super::secret::SecretText;
use super::{random_bytes, sha256};

/// Claims of a token, except issuer and audience, which belong to the ring. Times are Unix seconds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Claims {
    /// Subject: the principal's UUID as text.
    pub sub: String,
    /// UUID of the token.
    pub jti: Uuid,
    /// Time of issue.
    pub iat: i64,
    /// Start of validity.
    pub nbf: i64,
    /// End of validity.
    pub exp: i64,
    /// Granted scopes, separated by spaces; for a user, the scopes at the time of issue.
    pub scope: String,
    /// Client that requested the token (RFC 9068, 2.2): a machine client, or [`FIRST_PARTY`] for a user. Absent in user
    /// tokens of earlier versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client_id: Option<String>,
    /// Session of the token; absent for machine clients.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sid: Option<Uuid>,
}

/// Client id in user tokens: the service itself. No machine client has this id.
pub const FIRST_PARTY: &str = "labs";

impl Claims {
    /// Returns the machine client that the token was issued to. `None` for a user's token, which belongs to a session.
    #[must_use]
    pub fn machine_client(&self) -> Option<&str> {
        self.client_id.as_deref().filter(|_| self.sid.is_none())
    }
}

/// Reason why a token is rejected. Only `Expired` and `NotYet` imply that the service issued it and that it is intact.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TokenError {
    /// Too long, not a JWS, or a claim is missing or of the wrong type.
    #[error("the token is malformed")]
    Malformed,
    /// `typ` is not `at+jwt`, `alg` is not `EdDSA`, or the header lists critical extensions.
    #[error("the token is of another type or algorithm")]
    WrongType,
    /// No key of the ring has the token's `kid`.
    #[error("the token names a key that is not in use")]
    UnknownKey,
    /// The signature does not match the key.
    #[error("the token's signature does not verify")]
    BadSignature,
    /// `iss` is not this service.
    #[error("the token was issued by another service")]
    WrongIssuer,
    /// `aud` is not this service.
    #[error("the token is meant for another audience")]
    WrongAudience,
    /// `nbf` or `iat` is in the future.
    #[error("the token is not valid yet")]
    NotYet,
    /// `exp` is now or past.
    #[error("the token has expired")]
    Expired,
}

/// Row of a signing key, with its private part opened.
#[derive(Clone)]
pub struct SigningKeyRow {
    /// The `kid`.
    pub key_id: String,
    /// The raw Ed25519 public key, 32 bytes.
    pub public_key: Vec<u8>,
    /// The private key as PKCS #8, for a key that can sign. Retired keys only verify.
    pub private_key: Option<Zeroizing<Vec<u8>>>,
    /// Time from which the key verifies nothing, in Unix seconds; `None` until it is retired.
    pub expires_at: Option<i64>,
}

/// New key pair. Store `private_key` sealed.
pub struct GeneratedKey {
    /// The `kid`: the key's thumbprint (RFC 7638).
    pub key_id: String,
    /// The raw Ed25519 public key.
    pub public_key: [u8; 32],
    /// The private key as PKCS #8 (RFC 8410).
    pub private_key: Zeroizing<Vec<u8>>,
}

/// Reason why rows do not form a ring.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum KeyRingError {
    /// No row has the signing key, or its private part is missing.
    #[error("the signing key {0} is missing or cannot sign")]
    NoSigner(String),
    /// A public key is not an Ed25519 key, or does not belong to its private part.
    #[error("the key {0} is damaged")]
    Damaged(String),
    /// Two rows share a `kid`.
    #[error("the key {0} occurs twice")]
    Twice(String),
}

/// Keys in use. Never modified; replace the whole ring when the rows change.
#[derive(Clone)]
pub struct KeyRing {
    issuer: String,
    audience: String,
    keys: HashMap<String, VerifyingKey>,
    /// Key ids in the order of the rows, for the published key set.
    order: Vec<String>,
    signer: EncodingKey,
    signer_header: Header,
    validation: Validation,
}

#[derive(Clone)]
struct VerifyingKey {
    key: DecodingKey,
    public: [u8; 32],
    expires_at: Option<i64>,
}

impl VerifyingKey {
    fn is_good(&self, now: i64) -> bool {
        self.expires_at.is_none_or(|expires_at| now < expires_at)
    }
}

/// Claims as serialised in the token.
#[derive(Serialize)]
struct SignedClaims<'a> {
    iss: &'a str,
    aud: &'a str,
    #[serde(flatten)]
    claims: &'a Claims,
}

/// Fields of the header that are read.
#[derive(Deserialize)]
struct SeenHeader {
    typ: String,
    alg: String,
    kid: String,
    #[serde(default)]
    crit: Option<serde::de::IgnoredAny>,
}

/// Longest accepted token, in bytes.
pub const LONGEST_TOKEN: usize = 4_096;
/// The only accepted `typ` (RFC 9068, 2.1).
const TYPE: &str = "at+jwt";

impl KeyRing {
    /// Creates the ring of `rows`, which signs with the key named `signer` for `issuer` and `audience`.
    ///
    /// # Errors
    /// [`KeyRingError`] names the faulty row.
    pub fn new(issuer: &str, audience: &str, signer: &str, rows: Vec<SigningKeyRow>) -> Result<KeyRing, KeyRingError> {
        let mut keys = HashMap::with_capacity(rows.len());
        let mut order = Vec::with_capacity(rows.len());
        let mut private = None;
        for row in rows {
            let public = check_public_key(&row)?;
            let key = DecodingKey::from_ed_der(&public);
            let previous = keys.insert(row.key_id.clone(), VerifyingKey { key, public, expires_at: row.expires_at });
            if previous.is_some() {
                return Err(KeyRingError::Twice(row.key_id));
            }
            if row.key_id == signer {
                private = row.private_key;
            }
            order.push(row.key_id);
        }
        let private = private.ok_or_else(|| KeyRingError::NoSigner(signer.to_owned()))?;
        let mut signer_header = Header::new(Algorithm::EdDSA);
        signer_header.typ = Some(TYPE.to_owned());
        signer_header.kid = Some(signer.to_owned());
        Ok(KeyRing {
            issuer: issuer.to_owned(),
            audience: audience.to_owned(),
            keys,
            order,
            signer: EncodingKey::from_ed_der(&private),
            signer_header,
            validation: validation(issuer, audience),
        })
    }

    /// Signs `claims` with the ring's signing key.
    ///
    /// # Errors
    /// [`KeyRingError::Damaged`] if the key cannot sign; the constructor has already excluded this.
    pub fn sign(&self, claims: &Claims) -> Result<SecretText, KeyRingError> {
        let signed = SignedClaims { iss: &self.issuer, aud: &self.audience, claims };
        jsonwebtoken::encode(&self.signer_header, &signed, &self.signer)
            .map(SecretText::new)
            .map_err(|_| KeyRingError::Damaged(self.signer_header.kid.clone().unwrap_or_default()))
    }

    /// Returns the claims of `token` if the service issued it, it is intact, and it is valid at `now` (Unix seconds, no
    /// leeway).
    ///
    /// # Errors
    /// [`TokenError`]. The signature is checked before any claim.
    pub fn verify(&self, token: &str, now: i64) -> Result<Claims, TokenError> {
        if token.len() > LONGEST_TOKEN {
            return Err(TokenError::Malformed);
        }
        let header = parse_header(token)?;
        if header.typ != TYPE || header.alg != "EdDSA" || header.crit.is_some() {
            return Err(TokenError::WrongType);
        }
        let key = self.keys.get(&header.kid).ok_or(TokenError::UnknownKey)?;
        // Every token that this key signed while active has expired, so a valid `exp` means that the key was stolen.
        if !key.is_good(now) {
            return Err(TokenError::Expired);
        }
        let claims = jsonwebtoken::decode::<Claims>(token, &key.key, &self.validation)
            .map_err(|error| refusal(error.kind()))?
            .claims;
        if claims.exp <= now {
            return Err(TokenError::Expired);
        }
        if claims.nbf > now || claims.iat > now {
            return Err(TokenError::NotYet);
        }
        Ok(claims)
    }

    /// Returns the public keys that are valid at `now` (Unix seconds) as a JWK set (RFC 7517, RFC 8037), in the order
    /// of the rows.
    pub fn jwks(&self, now: i64) -> Value {
        let key = |key_id: &String| {
            let x = URL_SAFE_NO_PAD.encode(self.keys.get(key_id).filter(|key| key.is_good(now))?.public);
            Some(json!({
                "kty": "OKP", "crv": "Ed25519", "x": x, "kid": key_id, "use": "sig", "alg": "EdDSA",
            }))
        };
        json!({ "keys": self.order.iter().filter_map(key).collect::<Vec<_>>() })
    }

    /// Returns the `kid` of new tokens.
    pub fn signer_key_id(&self) -> &str {
        self.signer_header.kid.as_deref().unwrap_or_default()
    }
}

impl fmt::Debug for KeyRing {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("KeyRing")
            .field("issuer", &self.issuer)
            .field("audience", &self.audience)
            .field("keys", &self.order)
            .field("signer", &self.signer_key_id())
            .finish_non_exhaustive()
    }
}

/// Generates an Ed25519 key pair.
///
/// # Errors
/// [`KeyRingError::Damaged`] if the library rejects its own key.
pub fn new_signing_key() -> Result<GeneratedKey, KeyRingError> {
    let damaged = || KeyRingError::Damaged("just made".to_owned());
    let seed = Zeroizing::new(random_bytes::<32>());
    let pair = Ed25519KeyPair::from_seed_unchecked(seed.as_slice()).map_err(|_| damaged())?;
    let public_key = public_bytes(&pair).ok_or_else(damaged)?;
    let private_key = pair.to_pkcs8().map_err(|_| damaged())?;
    Ok(GeneratedKey {
        key_id: thumbprint(&public_key),
        public_key,
        private_key: Zeroizing::new(private_key.as_ref().to_vec()),
    })
}

/// Computes the JWK thumbprint (RFC 7638; members in the order of RFC 8037, 2).
fn thumbprint(public: &[u8; 32]) -> String {
    let x = URL_SAFE_NO_PAD.encode(public);
    let canonical = format!(r#"{{"crv":"Ed25519","kty":"OKP","x":"{x}"}}"#);
    URL_SAFE_NO_PAD.encode(sha256(canonical.as_bytes()))
}

fn public_bytes(pair: &Ed25519KeyPair) -> Option<[u8; 32]> {
    pair.public_key().as_ref().try_into().ok()
}

/// Returns the public key of a row after comparing it with the private part, if there is one.
fn check_public_key(row: &SigningKeyRow) -> Result<[u8; 32], KeyRingError> {
    let damaged = || KeyRingError::Damaged(row.key_id.clone());
    let public: [u8; 32] = row.public_key.as_slice().try_into().map_err(|_| damaged())?;
    if let Some(private) = &row.private_key {
        let pair = Ed25519KeyPair::from_pkcs8(private).map_err(|_| damaged())?;
        if public_bytes(&pair) != Some(public) {
            return Err(damaged());
        }
    }
    Ok(public)
}

/// Checks that the library performs: signature, algorithm, issuer, audience, presence. Times are checked in this module
/// against the caller's clock, because the library reads the machine's clock.
fn validation(issuer: &str, audience: &str) -> Validation {
    let mut validation = Validation::new(Algorithm::EdDSA);
    validation.set_required_spec_claims(&["exp", "nbf", "iss", "aud", "sub"]);
    validation.set_issuer(&[issuer]);
    validation.set_audience(&[audience]);
    validation.leeway = 0;
    validation.validate_exp = false;
    validation.validate_nbf = false;
    validation
}

fn parse_header(token: &str) -> Result<SeenHeader, TokenError> {
    let (header, _) = token.split_once('.').ok_or(TokenError::Malformed)?;
    let json = URL_SAFE_NO_PAD.decode(header).map_err(|_| TokenError::Malformed)?;
    serde_json::from_slice(&json).map_err(|_| TokenError::Malformed)
}

fn refusal(kind: &ErrorKind) -> TokenError {
    match kind {
        ErrorKind::InvalidSignature => TokenError::BadSignature,
        ErrorKind::InvalidIssuer => TokenError::WrongIssuer,
        ErrorKind::InvalidAudience => TokenError::WrongAudience,
        ErrorKind::InvalidAlgorithm | ErrorKind::MissingAlgorithm => TokenError::WrongType,
        _ => TokenError::Malformed,
    }
}

#[cfg(test)]
mod tests;
