//! Identity assertions: JWTs of other issuers, for example of a CI system, with which a machine client gets a token
//! without a secret (RFC 7523).
//!
//! The checks follow RFC 8725: the key decides the algorithm, only keys of the issuer named in the assertion count, and
//! key references in a header (`jku`, `jwk`, `x5u`, `x5c`) are never read. Rule:
//! docs/decisions/credentials.md#tokens-without-a-secret.

use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::str::FromStr as _;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use jsonwebtoken::errors::ErrorKind;
use jsonwebtoken::jwk::{AlgorithmParameters, EllipticCurve, Jwk};
use jsonwebtoken::{Algorithm, DecodingKey, Validation};
use serde::de::{Error as _, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::Value;

/// Longest accepted assertion, in bytes.
pub const LONGEST_ASSERTION: usize = 8_192;
/// Seconds by which the clock of an issuer may be ahead. An expiry time has no such tolerance.
const SKEW_SECONDS: i64 = 60;
/// Longest accepted time from `iat` to `exp`, in seconds. The service stores the id of a used assertion until `exp`.
const LONGEST_LIFETIME_SECONDS: i64 = 86_400;
/// Longest accepted `sub` and `jti`, in bytes.
const LONGEST_NAME: usize = 1_024;
/// Maximum number of keys of one issuer.
const MOST_KEYS: usize = 100;

/// Reason why an assertion is rejected. Every reason follows from the assertion and the public keys of its issuer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AssertionError {
    /// Too long, not a signed JWT, a claim is of the wrong type, or a name occurs twice.
    #[error("is not a signed JWT of at most 8 KB")]
    Malformed,
    /// `typ` is another kind of JWT, for example an access token, or the header lists critical extensions.
    #[error("is another kind of JWT: its typ must be JWT or absent")]
    WrongType,
    /// The key does not allow the algorithm.
    #[error("uses an algorithm that its key does not allow")]
    WrongAlgorithm,
    /// The issuer publishes no key with the `kid`.
    #[error("names a key that its issuer does not publish")]
    UnknownKey,
    /// The signature does not match the key.
    #[error("has a signature that does not match")]
    BadSignature,
    /// A required claim is missing, empty or too long.
    #[error("lacks a claim: it needs iss, sub, aud, exp, iat and jti")]
    Incomplete,
    /// `exp` is now or past.
    #[error("has expired")]
    Expired,
    /// `nbf` or `iat` is in the future.
    #[error("is not valid yet")]
    NotYet,
    /// The time from `iat` to `exp` is longer than a day.
    #[error("is valid for longer than a day")]
    LivesTooLong,
}

/// Header and issuer of an assertion, read before the signature is verified. They only select the key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnverifiedAssertion {
    /// Issuer that the assertion names.
    pub issuer: String,
    /// Key that the assertion names.
    pub key_id: String,
    algorithm: Algorithm,
}

impl UnverifiedAssertion {
    /// Reads what selects the key.
    ///
    /// # Errors
    /// [`AssertionError`], if no key can verify the assertion.
    pub fn read(assertion: &str) -> Result<Self, AssertionError> {
        if assertion.len() > LONGEST_ASSERTION {
            return Err(AssertionError::Malformed);
        }
        let mut parts = assertion.split('.');
        let (Some(header), Some(payload), Some(_), None) = (parts.next(), parts.next(), parts.next(), parts.next())
        else {
            return Err(AssertionError::Malformed);
        };
        let header: SeenHeader = decode_part(header)?;
        let has_type = header.typ.as_deref().is_none_or(|typ| typ.eq_ignore_ascii_case("JWT"));
        if !has_type || header.crit.is_some() {
            return Err(AssertionError::WrongType);
        }
        let algorithm = Algorithm::from_str(&header.alg).map_err(|_| AssertionError::WrongAlgorithm)?;
        let claims: UniqueClaims = decode_part(payload)?;
        Ok(Self { issuer: claims.required_text("iss")?, key_id: header.kid, algorithm })
    }
}

/// An identity that an issuer vouches for: the verified claims of an assertion.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Identity {
    /// `iss`.
    pub issuer: String,
    /// `sub`.
    pub subject: String,
    /// `aud`: the only audience. An assertion for several audiences has none.
    pub audience: Option<String>,
    /// `jti`, unique at the issuer.
    pub assertion_id: String,
    /// `exp` in Unix seconds.
    pub expires_at: i64,
    claims: BTreeMap<String, Value>,
}

impl Identity {
    /// Returns a claim as text: a text, a whole number or a truth value. `None` for other values and absent claims.
    #[must_use]
    pub fn claim(&self, name: &str) -> Option<String> {
        match self.claims.get(name)? {
            Value::String(text) => Some(text.clone()),
            Value::Bool(value) => Some(value.to_string()),
            Value::Number(number) if !number.is_f64() => Some(number.to_string()),
            _ => None,
        }
    }
}

/// Public keys of one issuer (RFC 7517). Keys that cannot verify a signature are left out.
#[derive(Clone, Default)]
pub struct IssuerKeys {
    keys: HashMap<String, IssuerKey>,
}

#[derive(Clone)]
struct IssuerKey {
    key: DecodingKey,
    algorithms: Vec<Algorithm>,
}

impl IssuerKeys {
    /// Reads a JWK set. Leaves out keys without `kid`, symmetric keys, keys for encryption, and every key whose `kid`
    /// occurs twice.
    ///
    /// # Errors
    /// [`AssertionError::Malformed`] if this is not a JWK set, or it has more than 100 keys.
    pub fn parse(key_set: &[u8]) -> Result<Self, AssertionError> {
        let set: KeySet = serde_json::from_slice(key_set).map_err(|_| AssertionError::Malformed)?;
        if set.keys.len() > MOST_KEYS {
            return Err(AssertionError::Malformed);
        }
        let mut keys: HashMap<String, Option<IssuerKey>> = HashMap::new();
        for value in set.keys {
            let Some(key_id) = value.get("kid").and_then(Value::as_str).map(str::to_owned) else { continue };
            let is_known = keys.contains_key(&key_id);
            keys.insert(key_id, read_key(value).filter(|_| !is_known));
        }
        Ok(Self { keys: keys.into_iter().filter_map(|(key_id, key)| Some((key_id, key?))).collect() })
    }

    /// Whether the issuer publishes a key with this id.
    #[must_use]
    pub fn has_key(&self, key_id: &str) -> bool {
        self.keys.contains_key(key_id)
    }

    /// Returns the identity in an assertion if one of the keys signed it and it is valid at `now` (Unix seconds).
    ///
    /// # Errors
    /// [`AssertionError`]. The signature is verified before any claim is used.
    pub fn verify(&self, assertion: &str, now: i64) -> Result<Identity, AssertionError> {
        let read = UnverifiedAssertion::read(assertion)?;
        let key = self.keys.get(&read.key_id).ok_or(AssertionError::UnknownKey)?;
        if !key.algorithms.contains(&read.algorithm) {
            return Err(AssertionError::WrongAlgorithm);
        }
        let claims = jsonwebtoken::decode::<UniqueClaims>(assertion, &key.key, &signature_only(read.algorithm))
            .map_err(|error| to_assertion_error(error.kind()))?
            .claims;
        let (expires_at, issued_at) = (claims.required_time("exp")?, claims.required_time("iat")?);
        let not_before = claims.time("nbf")?.unwrap_or(issued_at);
        if expires_at <= now {
            return Err(AssertionError::Expired);
        }
        if issued_at.max(not_before) > now.saturating_add(SKEW_SECONDS) {
            return Err(AssertionError::NotYet);
        }
        if expires_at.saturating_sub(issued_at) > LONGEST_LIFETIME_SECONDS {
            return Err(AssertionError::LivesTooLong);
        }
        Ok(Identity {
            issuer: read.issuer,
            subject: claims.required_text("sub")?,
            audience: claims.only_audience()?,
            assertion_id: claims.required_text("jti")?,
            expires_at,
            claims: claims.0,
        })
    }
}

impl fmt::Debug for IssuerKeys {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_set().entries(self.keys.keys()).finish()
    }
}

#[derive(Deserialize)]
struct KeySet {
    keys: Vec<Value>,
}

/// Fields of the header that are read.
#[derive(Deserialize)]
struct SeenHeader {
    typ: Option<String>,
    alg: String,
    kid: String,
    #[serde(default)]
    crit: Option<serde::de::IgnoredAny>,
}

/// Claims by name. A JSON object in which a name occurs twice is rejected, because two readers could read different
/// values.
struct UniqueClaims(BTreeMap<String, Value>);

impl UniqueClaims {
    fn required_text(&self, name: &str) -> Result<String, AssertionError> {
        match self.0.get(name) {
            Some(Value::String(text)) if !text.is_empty() && text.len() <= LONGEST_NAME => Ok(text.clone()),
            Some(Value::String(_)) | None => Err(AssertionError::Incomplete),
            Some(_) => Err(AssertionError::Malformed),
        }
    }

    /// Returns a time in whole Unix seconds (RFC 7519, section 2: NumericDate).
    fn time(&self, name: &str) -> Result<Option<i64>, AssertionError> {
        let Some(value) = self.0.get(name) else { return Ok(None) };
        value.as_i64().map(Some).ok_or(AssertionError::Malformed)
    }

    fn required_time(&self, name: &str) -> Result<i64, AssertionError> {
        self.time(name)?.ok_or(AssertionError::Incomplete)
    }

    fn only_audience(&self) -> Result<Option<String>, AssertionError> {
        match self.0.get("aud") {
            Some(Value::String(audience)) => Ok(Some(audience.clone())),
            Some(Value::Array(audiences)) => match audiences.as_slice() {
                [Value::String(audience)] => Ok(Some(audience.clone())),
                _ => Ok(None),
            },
            Some(_) => Err(AssertionError::Malformed),
            None => Err(AssertionError::Incomplete),
        }
    }
}

impl<'de> Deserialize<'de> for UniqueClaims {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Claims;
        impl<'de> Visitor<'de> for Claims {
            type Value = UniqueClaims;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("an object without repeated names")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<UniqueClaims, A::Error> {
                let mut claims = BTreeMap::new();
                while let Some((name, value)) = map.next_entry::<String, Value>()? {
                    if claims.insert(name, value).is_some() {
                        return Err(A::Error::custom("a name occurs twice"));
                    }
                }
                Ok(UniqueClaims(claims))
            }
        }
        deserializer.deserialize_map(Claims)
    }
}

fn decode_part<T: serde::de::DeserializeOwned>(part: &str) -> Result<T, AssertionError> {
    let json = URL_SAFE_NO_PAD.decode(part).map_err(|_| AssertionError::Malformed)?;
    serde_json::from_slice(&json).map_err(|_| AssertionError::Malformed)
}

/// Returns a key that verifies signatures, with the algorithms that it allows. `None` for any other key.
fn read_key(value: Value) -> Option<IssuerKey> {
    let of = |name: &str| value.get(name).and_then(Value::as_str);
    if of("use").is_some_and(|purpose| purpose != "sig") {
        return None;
    }
    let stated = of("alg").map(Algorithm::from_str).transpose().ok()?;
    let may_verify = |operations: &Vec<Value>| operations.iter().any(|operation| operation == "verify");
    if value.get("key_ops").and_then(Value::as_array).is_some_and(|operations| !may_verify(operations)) {
        return None;
    }
    let jwk: Jwk = serde_json::from_value(value).ok()?;
    let possible: &[Algorithm] = match &jwk.algorithm {
        AlgorithmParameters::RSA(_) => &[
            Algorithm::RS256,
            Algorithm::RS384,
            Algorithm::RS512,
            Algorithm::PS256,
            Algorithm::PS384,
            Algorithm::PS512,
        ],
        AlgorithmParameters::EllipticCurve(key) if key.curve == EllipticCurve::P256 => &[Algorithm::ES256],
        AlgorithmParameters::EllipticCurve(key) if key.curve == EllipticCurve::P384 => &[Algorithm::ES384],
        AlgorithmParameters::OctetKeyPair(key) if key.curve == EllipticCurve::Ed25519 => &[Algorithm::EdDSA],
        _ => return None,
    };
    let algorithms: Vec<Algorithm> =
        possible.iter().copied().filter(|algorithm| stated.is_none_or(|stated| stated == *algorithm)).collect();
    let key = DecodingKey::from_jwk(&jwk).ok().filter(|_| !algorithms.is_empty())?;
    Some(IssuerKey { key, algorithms })
}

/// Checks that the library performs: only signature and algorithm. The claims are checked in this module, against the
/// clock of the caller.
fn signature_only(algorithm: Algorithm) -> Validation {
    let mut validation = Validation::new(algorithm);
    validation.required_spec_claims.clear();
    validation.validate_exp = false;
    validation.validate_nbf = false;
    validation.validate_aud = false;
    validation
}

fn to_assertion_error(kind: &ErrorKind) -> AssertionError {
    match kind {
        ErrorKind::InvalidSignature | ErrorKind::InvalidRsaKey(_) => AssertionError::BadSignature,
        ErrorKind::InvalidAlgorithm | ErrorKind::MissingAlgorithm | ErrorKind::InvalidKeyFormat => {
            AssertionError::WrongAlgorithm
        }
        _ => AssertionError::Malformed,
    }
}

#[cfg(test)]
mod tests;
