use super::*;

mod forgeries;

const ISSUER: &str = "https://labs.example";
const AUDIENCE: &str = "https://labs.example/v1";
const NOW: i64 = 1_800_000_000;

fn row(key: &GeneratedKey) -> SigningKeyRow {
    SigningKeyRow {
        key_id: key.key_id.clone(),
        public_key: key.public_key.to_vec(),
        private_key: Some(key.private_key.clone()),
        expires_at: None,
    }
}

fn ring_of(key: &GeneratedKey) -> KeyRing {
    KeyRing::new(ISSUER, AUDIENCE, &key.key_id, vec![row(key)]).unwrap()
}

fn claims() -> Claims {
    Claims {
        sub: "01934f3a-7b1c-7def-8000-1234567890ab".to_owned(),
        jti: Uuid::from_u128(7),
        iat: NOW,
        nbf: NOW,
        exp: NOW + 600,
        scope: "auth.account:write marketplace.apps:write".to_owned(),
        client_id: None,
        sid: Some(Uuid::from_u128(9)),
    }
}

fn header(key: &GeneratedKey) -> Value {
    json!({"typ": "at+jwt", "alg": "EdDSA", "kid": key.key_id})
}

fn payload() -> Value {
    let mut payload = serde_json::to_value(claims()).unwrap();
    payload["iss"] = json!(ISSUER);
    payload["aud"] = json!(AUDIENCE);
    payload
}

/// Creates a validly signed token with any header and payload, which only the owner of the key can do.
fn forged(key: &GeneratedKey, header: &Value, payload: &Value) -> String {
    let encode = |part: &Value| URL_SAFE_NO_PAD.encode(part.to_string());
    let message = format!("{}.{}", encode(header), encode(payload));
    let pair = Ed25519KeyPair::from_pkcs8(&key.private_key).unwrap();
    let signature = URL_SAFE_NO_PAD.encode(pair.sign(message.as_bytes()));
    format!("{message}.{signature}")
}

fn part(token: &str, at: usize) -> Value {
    let part = token.split('.').nth(at).unwrap();
    serde_json::from_slice(&URL_SAFE_NO_PAD.decode(part).unwrap()).unwrap()
}

#[test]
fn signed_token_verifies_to_its_claims() {
    let key = new_signing_key().unwrap();
    let token = ring_of(&key).sign(&claims()).unwrap();
    assert_eq!(ring_of(&key).verify(token.expose(), NOW), Ok(claims()));
    assert_eq!(part(token.expose(), 0), header(&key));
    assert_eq!(part(token.expose(), 1), payload());
}

#[test]
fn forging_helper_creates_verifiable_tokens() {
    let key = new_signing_key().unwrap();
    let token = forged(&key, &header(&key), &payload());
    assert_eq!(ring_of(&key).verify(&token, NOW), Ok(claims()));
}

#[test]
fn machine_client_token_has_no_session() {
    let key = new_signing_key().unwrap();
    let claims = Claims { client_id: Some("storefront".to_owned()), sid: None, ..claims() };
    let token = ring_of(&key).sign(&claims).unwrap();
    assert!(part(token.expose(), 1).get("sid").is_none());
    assert_eq!(ring_of(&key).verify(token.expose(), NOW), Ok(claims));
}

#[test]
fn token_is_valid_from_nbf_until_exp_without_leeway() {
    let key = new_signing_key().unwrap();
    let token = ring_of(&key).sign(&claims()).unwrap();
    let at = |now| ring_of(&key).verify(token.expose(), now).map(|_| ());
    assert_eq!(at(NOW - 1), Err(TokenError::NotYet));
    assert_eq!(at(NOW), Ok(()));
    assert_eq!(at(NOW + 599), Ok(()));
    assert_eq!(at(NOW + 600), Err(TokenError::Expired));
    assert_eq!(at(NOW + 601), Err(TokenError::Expired));
}

#[test]
fn issue_time_in_future_is_not_yet_valid() {
    let key = new_signing_key().unwrap();
    let token = ring_of(&key).sign(&Claims { iat: NOW + 1, ..claims() }).unwrap();
    assert_eq!(ring_of(&key).verify(token.expose(), NOW), Err(TokenError::NotYet));
}

#[test]
fn old_token_verifies_until_its_key_expires_or_is_removed() {
    let (old, new) = (new_signing_key().unwrap(), new_signing_key().unwrap());
    let token = ring_of(&old).sign(&claims()).unwrap();
    let retired = SigningKeyRow { private_key: None, expires_at: Some(NOW + 1), ..row(&old) };
    let both = KeyRing::new(ISSUER, AUDIENCE, &new.key_id, vec![row(&new), retired]).unwrap();
    assert_eq!(both.verify(token.expose(), NOW), Ok(claims()));
    assert_eq!(both.signer_key_id(), new.key_id);
    // A token with a longer lifetime was signed by a thief.
    let stolen = ring_of(&old).sign(&Claims { exp: NOW + 9999, ..claims() }).unwrap();
    assert!(both.verify(stolen.expose(), NOW).is_ok());
    assert_eq!(both.verify(stolen.expose(), NOW + 1), Err(TokenError::Expired));
    let fresh = both.sign(&claims()).unwrap();
    assert_eq!(part(fresh.expose(), 0)["kid"], json!(new.key_id));
    assert_eq!(ring_of(&new).verify(token.expose(), NOW), Err(TokenError::UnknownKey));
}

#[test]
fn invalid_key_ring_rows_are_reported() {
    let (one, two) = (new_signing_key().unwrap(), new_signing_key().unwrap());
    let build = |signer: &str, rows| KeyRing::new(ISSUER, AUDIENCE, signer, rows).map(|_| ());
    let id = one.key_id.clone();
    let no_signer = Err(KeyRingError::NoSigner(id.clone()));
    assert_eq!(build(&id, Vec::new()), no_signer);
    assert_eq!(build(&id, vec![row(&two)]), no_signer);
    assert_eq!(build(&id, vec![SigningKeyRow { private_key: None, ..row(&one) }]), no_signer);
    assert_eq!(build(&id, vec![row(&one), row(&one)]), Err(KeyRingError::Twice(id.clone())));
    let damaged = Err(KeyRingError::Damaged(id.clone()));
    let short = SigningKeyRow { public_key: vec![0; 31], ..row(&one) };
    assert_eq!(build(&id, vec![short]), damaged);
    let mixed = SigningKeyRow { public_key: two.public_key.to_vec(), ..row(&one) };
    assert_eq!(build(&id, vec![mixed]), damaged);
    let broken = SigningKeyRow { private_key: Some(Zeroizing::new(vec![1; 48])), ..row(&one) };
    assert_eq!(build(&id, vec![broken]), damaged);
}

#[test]
fn jwks_lists_all_public_keys_and_no_private_part() {
    let (old, new) = (new_signing_key().unwrap(), new_signing_key().unwrap());
    let retired = SigningKeyRow { private_key: None, expires_at: Some(NOW + 1), ..row(&old) };
    let ring = KeyRing::new(ISSUER, AUDIENCE, &new.key_id, vec![row(&new), retired]).unwrap();
    let expected = |key: &GeneratedKey| {
        json!({"kty": "OKP", "crv": "Ed25519", "x": URL_SAFE_NO_PAD.encode(key.public_key),
               "kid": key.key_id, "use": "sig", "alg": "EdDSA"})
    };
    assert_eq!(ring.jwks(NOW), json!({"keys": [expected(&new), expected(&old)]}));
    assert_eq!(ring.jwks(NOW + 1), json!({"keys": [expected(&new)]}));
}

#[test]
fn key_id_is_rfc_8037_thumbprint() {
    // RFC 8037, appendix A.2 and A.3.
    let x = "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo";
    let public: [u8; 32] = URL_SAFE_NO_PAD.decode(x).unwrap().try_into().unwrap();
    assert_eq!(thumbprint(&public), "kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k");
}

#[test]
fn key_ring_debug_hides_keys() {
    let key = new_signing_key().unwrap();
    let text = format!("{:?}", ring_of(&key));
    assert!(text.contains(&key.key_id) && !text.contains("signer: EncodingKey"));
}
