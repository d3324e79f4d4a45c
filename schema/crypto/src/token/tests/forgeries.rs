//! Tests with forged tokens, which must be rejected.
use aws_lc_rs::hmac;
use proptest::prelude::*;

use super::*;

#[test]
fn every_claim_is_required_with_its_type() {
    let key = new_signing_key().unwrap();
    for name in ["iss", "aud", "sub", "jti", "iat", "nbf", "exp", "scope"] {
        let mut without = payload();
        without.as_object_mut().unwrap().remove(name);
        let mut null = payload();
        null[name] = Value::Null;
        let mut other = payload();
        other[name] = json!({"a": 1});
        for payload in [without, null, other] {
            let token = forged(&key, &header(&key), &payload);
            let refused = ring_of(&key).verify(&token, NOW);
            assert_eq!(refused, Err(TokenError::Malformed), "{name}: {payload}");
        }
    }
    for (name, value) in [("exp", json!("1900000000")), ("exp", json!(1.9e9)), ("jti", json!("x"))] {
        let mut odd = payload();
        odd[name] = value;
        let token = forged(&key, &header(&key), &odd);
        assert_eq!(ring_of(&key).verify(&token, NOW), Err(TokenError::Malformed));
    }
}

#[test]
fn wrong_issuer_or_audience_is_rejected() {
    let key = new_signing_key().unwrap();
    let cells = [
        ("iss", json!("https://labs.example.evil"), TokenError::WrongIssuer),
        ("iss", json!(""), TokenError::WrongIssuer),
        ("aud", json!("https://other.example"), TokenError::WrongAudience),
        ("aud", json!([]), TokenError::WrongAudience),
    ];
    for (name, value, error) in cells {
        let mut payload = payload();
        payload[name] = value;
        let token = forged(&key, &header(&key), &payload);
        assert_eq!(ring_of(&key).verify(&token, NOW), Err(error), "{payload}");
    }
}

#[test]
fn only_at_jwt_type_is_accepted() {
    let key = new_signing_key().unwrap();
    for typ in ["JWT", "jwt", "AT+JWT", "application/at+jwt", "at+jwt ", ""] {
        let mut header = header(&key);
        header["typ"] = json!(typ);
        let token = forged(&key, &header, &payload());
        assert_eq!(ring_of(&key).verify(&token, NOW), Err(TokenError::WrongType), "{typ}");
    }
    for name in ["typ", "alg", "kid"] {
        let mut header = header(&key);
        header.as_object_mut().unwrap().remove(name);
        let token = forged(&key, &header, &payload());
        assert_eq!(ring_of(&key).verify(&token, NOW), Err(TokenError::Malformed), "{name}");
    }
}

#[test]
fn other_algorithms_are_rejected() {
    let key = new_signing_key().unwrap();
    for alg in ["none", "None", "HS256", "ES256", "RS256", "eddsa", "Ed25519"] {
        let mut header = header(&key);
        header["alg"] = json!(alg);
        let token = forged(&key, &header, &payload());
        assert_eq!(ring_of(&key).verify(&token, NOW), Err(TokenError::WrongType), "{alg}");
        let (message, _) = token.rsplit_once('.').unwrap();
        let unsigned = format!("{message}.");
        assert_eq!(ring_of(&key).verify(&unsigned, NOW), Err(TokenError::WrongType), "{alg}");
    }
}

#[test]
fn public_key_cannot_be_used_as_hmac_secret() {
    let key = new_signing_key().unwrap();
    for alg in ["HS256", "EdDSA"] {
        let mut header = header(&key);
        header["alg"] = json!(alg);
        let token = forged(&key, &header, &payload());
        let (message, _) = token.rsplit_once('.').unwrap();
        let secret = hmac::Key::new(hmac::HMAC_SHA256, &key.public_key);
        let tag = URL_SAFE_NO_PAD.encode(hmac::sign(&secret, message.as_bytes()));
        let refused = ring_of(&key).verify(&format!("{message}.{tag}"), NOW);
        assert!(matches!(refused, Err(TokenError::WrongType | TokenError::BadSignature)));
    }
}

#[test]
fn token_without_signature_is_rejected() {
    let key = new_signing_key().unwrap();
    let token = forged(&key, &header(&key), &payload());
    let (message, _) = token.rsplit_once('.').unwrap();
    assert_eq!(ring_of(&key).verify(&format!("{message}."), NOW), Err(TokenError::BadSignature));
    assert_eq!(ring_of(&key).verify(message, NOW), Err(TokenError::Malformed));
}

#[test]
fn foreign_key_is_rejected_under_any_key_id() {
    let (ours, foreign) = (new_signing_key().unwrap(), new_signing_key().unwrap());
    let own_name = forged(&foreign, &header(&foreign), &payload());
    assert_eq!(ring_of(&ours).verify(&own_name, NOW), Err(TokenError::UnknownKey));
    let our_name = forged(&foreign, &header(&ours), &payload());
    assert_eq!(ring_of(&ours).verify(&our_name, NOW), Err(TokenError::BadSignature));
}

#[test]
fn key_in_token_header_is_ignored() {
    let (ours, foreign) = (new_signing_key().unwrap(), new_signing_key().unwrap());
    let jwk = ring_of(&foreign).jwks(NOW)["keys"][0].clone();
    let extras = [
        ("jwk", jwk),
        ("jku", json!("https://evil.example/jwks.json")),
        ("x5u", json!("https://evil.example/cert.pem")),
        ("x5c", json!(["MIIB"])),
    ];
    for (name, value) in extras {
        let mut header = header(&ours);
        header[name] = value;
        let by_foreigner = forged(&foreign, &header, &payload());
        assert_eq!(ring_of(&ours).verify(&by_foreigner, NOW), Err(TokenError::BadSignature), "{name}");
        let by_us = forged(&ours, &header, &payload());
        assert_eq!(ring_of(&ours).verify(&by_us, NOW), Ok(claims()), "{name} is ignored");
    }
}

#[test]
fn critical_extensions_are_rejected() {
    let key = new_signing_key().unwrap();
    for crit in [json!(["exp"]), json!([])] {
        let mut header = header(&key);
        header["crit"] = crit;
        let token = forged(&key, &header, &payload());
        assert_eq!(ring_of(&key).verify(&token, NOW), Err(TokenError::WrongType));
    }
}

#[test]
fn hostile_key_id_is_unknown() {
    let key = new_signing_key().unwrap();
    for kid in ["", "../../dev/null", "' or 1=1 --", &"k".repeat(2_000)] {
        let mut header = header(&key);
        header["kid"] = json!(kid);
        let token = forged(&key, &header, &payload());
        assert_eq!(ring_of(&key).verify(&token, NOW), Err(TokenError::UnknownKey));
    }
}

#[test]
fn duplicate_header_member_is_rejected() {
    let key = new_signing_key().unwrap();
    let doubled = format!(r#"{{"typ":"at+jwt","alg":"none","alg":"EdDSA","kid":"{}"}}"#, key.key_id);
    let token = forged(&key, &header(&key), &payload());
    let (_, rest) = token.split_once('.').unwrap();
    let token = format!("{}.{rest}", URL_SAFE_NO_PAD.encode(doubled));
    assert_eq!(ring_of(&key).verify(&token, NOW), Err(TokenError::Malformed));
}

#[test]
fn overlong_token_is_rejected_unread() {
    let key = new_signing_key().unwrap();
    let long = ring_of(&key).sign(&Claims { scope: "a".repeat(4_000), ..claims() }).unwrap();
    assert!(long.expose().len() > LONGEST_TOKEN);
    assert_eq!(ring_of(&key).verify(long.expose(), NOW), Err(TokenError::Malformed));
}

proptest! {
    #[test]
    fn any_changed_character_is_rejected(place: prop::sample::Index, to in "[A-Za-z0-9_.-]") {
        let key = new_signing_key().unwrap();
        let ring = ring_of(&key);
        let token = ring.sign(&claims()).unwrap();
        let at = place.index(token.expose().len());
        prop_assume!(token.expose().get(at..=at) != Some(to.as_str()));
        let mut changed = token.expose().to_owned();
        changed.replace_range(at..=at, &to);
        prop_assert!(ring.verify(&changed, NOW).is_err());
    }

    #[test]
    fn arbitrary_text_is_rejected_without_panic(text in "\\PC{0,120}", dots in "[A-Za-z0-9_-]{0,40}\\.[A-Za-z0-9_-]{0,40}\\.[A-Za-z0-9_-]{0,90}") {
        let key = new_signing_key().unwrap();
        prop_assert!(ring_of(&key).verify(&text, NOW).is_err());
        prop_assert!(ring_of(&key).verify(&dots, NOW).is_err());
    }
}
