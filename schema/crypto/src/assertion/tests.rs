use aws_lc_rs::rsa::KeySize;
use aws_lc_rs::signature::{
    ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, KeyPair as _, RSA_PKCS1_SHA256, RSA_PSS_SHA256, RsaKeyPair,
};
use jsonwebtoken::EncodingKey;
use serde_json::{Value, json};

use super::*;
use crate::token::new_signing_key;

const NOW: i64 = 1_800_000_000;
const ISSUER: &str = "https://issuer.example";

fn encode(part: &Value) -> String {
    URL_SAFE_NO_PAD.encode(serde_json::to_vec(part).unwrap())
}

fn claims() -> Value {
    json!({
        "iss": ISSUER, "sub": "repo:nordsee/kasse:environment:production", "aud": "https://labs.example",
        "exp": NOW + 300, "iat": NOW, "nbf": NOW - 300, "jti": "a1b2", "repository_owner_id": "4471823",
        "run_number": 7, "protected": true, "nested": {"a": 1},
    })
}

/// An Ed25519 key of the issuer.
struct Signer {
    key: EncodingKey,
    set: Value,
}

impl Signer {
    fn new(key_id: &str) -> Self {
        let made = new_signing_key().unwrap();
        let x = URL_SAFE_NO_PAD.encode(made.public_key);
        Self {
            key: EncodingKey::from_ed_der(&made.private_key),
            set: json!({"kty": "OKP", "crv": "Ed25519", "x": x, "kid": key_id, "use": "sig", "alg": "EdDSA"}),
        }
    }

    fn keys(&self) -> IssuerKeys {
        read_keys(std::slice::from_ref(&self.set))
    }

    fn sign(&self, header: &Value, claims: &Value) -> String {
        self.sign_text(header, &encode(claims))
    }

    fn sign_text(&self, header: &Value, payload: &str) -> String {
        let signed = format!("{}.{payload}", encode(header));
        let signature = jsonwebtoken::crypto::sign(signed.as_bytes(), &self.key, Algorithm::EdDSA).unwrap();
        format!("{signed}.{signature}")
    }
}

fn read_keys(keys: &[Value]) -> IssuerKeys {
    IssuerKeys::parse(&serde_json::to_vec(&json!({ "keys": keys })).unwrap()).unwrap()
}

fn header() -> Value {
    json!({"alg": "EdDSA", "typ": "JWT", "kid": "a"})
}

/// Replaces, adds or (with null) removes members of an object.
fn with(object: Value, changes: &Value) -> Value {
    let mut object = object;
    for (name, value) in changes.as_object().unwrap() {
        match value {
            Value::Null => object.as_object_mut().unwrap().remove(name),
            value => object.as_object_mut().unwrap().insert(name.clone(), value.clone()),
        };
    }
    object
}

#[test]
fn valid_assertion_returns_its_identity() {
    let signer = Signer::new("a");
    let identity = signer.keys().verify(&signer.sign(&header(), &claims()), NOW).unwrap();
    assert_eq!((&*identity.issuer, identity.audience.as_deref()), (ISSUER, Some("https://labs.example")));
    assert_eq!(identity.subject, "repo:nordsee/kasse:environment:production");
    assert_eq!((&*identity.assertion_id, identity.expires_at), ("a1b2", NOW + 300));
    for (name, expected) in
        [("repository_owner_id", Some("4471823")), ("run_number", Some("7")), ("protected", Some("true"))]
    {
        assert_eq!(identity.claim(name).as_deref(), expected, "{name}");
    }
    assert_eq!((identity.claim("nested"), identity.claim("absent")), (None, None));
}

#[test]
fn claims_outside_their_rules_are_rejected() {
    let signer = Signer::new("a");
    let keys = signer.keys();
    for (changes, expected) in [
        (json!({"exp": NOW}), AssertionError::Expired),
        (json!({"exp": NOW - 1}), AssertionError::Expired),
        (json!({"exp": null}), AssertionError::Incomplete),
        (json!({"exp": "1800000300"}), AssertionError::Malformed),
        (json!({"exp": 1e30}), AssertionError::Malformed),
        (json!({"exp": i64::MAX}), AssertionError::LivesTooLong),
        (json!({"exp": NOW + 86_401}), AssertionError::LivesTooLong),
        (json!({"iat": null}), AssertionError::Incomplete),
        (json!({"iat": NOW + 61}), AssertionError::NotYet),
        (json!({"iat": i64::MIN}), AssertionError::LivesTooLong),
        (json!({"nbf": NOW + 61}), AssertionError::NotYet),
        (json!({"jti": null}), AssertionError::Incomplete),
        (json!({"jti": ""}), AssertionError::Incomplete),
        (json!({"jti": 7}), AssertionError::Malformed),
        (json!({"sub": null}), AssertionError::Incomplete),
        (json!({"sub": "x".repeat(1_025)}), AssertionError::Incomplete),
        (json!({"iss": null}), AssertionError::Incomplete),
        (json!({"iss": [ISSUER]}), AssertionError::Malformed),
        (json!({"aud": null}), AssertionError::Incomplete),
        (json!({"aud": 7}), AssertionError::Malformed),
    ] {
        let refused = keys.verify(&signer.sign(&header(), &with(claims(), &changes)), NOW);
        assert_eq!(refused.unwrap_err(), expected, "{changes}");
    }
    for (changes, why) in [
        (json!({"iat": NOW + 60, "nbf": NOW + 60}), "the issuer's clock may be a minute ahead"),
        (json!({"nbf": null}), "nbf is optional"),
        (json!({"exp": NOW + 86_400}), "a day is allowed"),
    ] {
        assert!(keys.verify(&signer.sign(&header(), &with(claims(), &changes)), NOW).is_ok(), "{why}");
    }
}

#[test]
fn assertion_for_several_audiences_has_none() {
    let signer = Signer::new("a");
    for (audience, expected) in [
        (json!(["https://labs.example"]), Some("https://labs.example")),
        (json!(["https://labs.example", "https://other.example"]), None),
        (json!([]), None),
        (json!([7]), None),
    ] {
        let assertion = signer.sign(&header(), &with(claims(), &json!({ "aud": audience })));
        assert_eq!(signer.keys().verify(&assertion, NOW).unwrap().audience.as_deref(), expected, "{audience}");
    }
}

#[test]
fn headers_of_other_kinds_are_rejected() {
    let signer = Signer::new("a");
    let keys = signer.keys();
    let jwk = Signer::new("a").set;
    for (changes, expected) in [
        (json!({"alg": "none"}), AssertionError::WrongAlgorithm),
        (json!({"alg": "None"}), AssertionError::WrongAlgorithm),
        (json!({"alg": "HS256"}), AssertionError::WrongAlgorithm),
        (json!({"alg": "RS256"}), AssertionError::WrongAlgorithm),
        (json!({"alg": "ES256"}), AssertionError::WrongAlgorithm),
        (json!({"alg": null}), AssertionError::Malformed),
        (json!({"typ": "at+jwt"}), AssertionError::WrongType),
        (json!({"typ": "logout+jwt"}), AssertionError::WrongType),
        (json!({"typ": "JWT-SVID"}), AssertionError::WrongType),
        (json!({"crit": ["exp"]}), AssertionError::WrongType),
        (json!({"kid": "b"}), AssertionError::UnknownKey),
        (json!({"kid": null}), AssertionError::Malformed),
        (json!({"kid": "../../dev/null"}), AssertionError::UnknownKey),
        (
            json!({"kid": "b", "jwk": jwk, "jku": "https://attacker.example", "x5u": "https://attacker.example"}),
            AssertionError::UnknownKey,
        ),
    ] {
        let refused = keys.verify(&signer.sign(&with(header(), &changes), &claims()), NOW);
        assert_eq!(refused.unwrap_err(), expected, "{changes}");
    }
    for typ in [json!({"typ": null}), json!({"typ": "jwt"})] {
        assert!(keys.verify(&signer.sign(&with(header(), &typ), &claims()), NOW).is_ok(), "{typ}");
    }
}

#[test]
fn key_in_the_header_is_never_used() {
    let (signer, attacker) = (Signer::new("a"), Signer::new("a"));
    for own in [json!({"jwk": attacker.set}), json!({"jku": "https://attacker.example/keys"}), json!({})] {
        let forged = attacker.sign(&with(header(), &own), &claims());
        assert_eq!(signer.keys().verify(&forged, NOW).unwrap_err(), AssertionError::BadSignature, "{own}");
    }
}

#[test]
fn altered_and_malformed_assertions_are_rejected() {
    let signer = Signer::new("a");
    let keys = signer.keys();
    let good = signer.sign(&header(), &claims());
    let parts: Vec<&str> = good.split('.').collect();
    let other = encode(&with(claims(), &json!({"sub": "repo:attacker/kasse"})));
    let altered = format!("{}.{other}.{}", parts[0], parts[2]);
    assert_eq!(keys.verify(&altered, NOW).unwrap_err(), AssertionError::BadSignature);
    let unsigned = format!("{}.{}.", parts[0], parts[1]);
    assert_eq!(keys.verify(&unsigned, NOW).unwrap_err(), AssertionError::BadSignature);
    let repeated = URL_SAFE_NO_PAD.encode(format!(r#"{{"iss":"{ISSUER}","sub":"a","sub":"b"}}"#));
    let repeated_key = URL_SAFE_NO_PAD.encode(r#"{"alg":"EdDSA","kid":"a","kid":"b"}"#);
    for bad in [
        String::new(),
        "a".to_owned(),
        "..".to_owned(),
        format!("{good}.{}", parts[2]),
        format!("{good}.a.b"),
        good.replace('.', ""),
        format!("{}.{repeated}.{}", parts[0], parts[2]),
        format!("{repeated_key}.{}.{}", parts[1], parts[2]),
        format!("{}.{}.{}", parts[0], "x".repeat(LONGEST_ASSERTION), parts[2]),
        format!("{}=.{}.{}", parts[0], parts[1], parts[2]),
    ] {
        let refused = keys.verify(&bad, NOW).unwrap_err();
        assert_eq!(refused, AssertionError::Malformed, "{}", bad.get(..40).unwrap_or(&bad));
    }
    assert_eq!(keys.verify(&signer.sign_text(&header(), &repeated), NOW).unwrap_err(), AssertionError::Malformed);
}

#[test]
fn public_key_is_not_accepted_as_symmetric_key() {
    let signer = Signer::new("a");
    let public = URL_SAFE_NO_PAD.decode(signer.set["x"].as_str().unwrap()).unwrap();
    let hmac = with(header(), &json!({"alg": "HS256"}));
    let forged = jsonwebtoken::crypto::sign(
        format!("{}.{}", encode(&hmac), encode(&claims())).as_bytes(),
        &EncodingKey::from_secret(&public),
        Algorithm::HS256,
    );
    let forged = format!("{}.{}.{}", encode(&hmac), encode(&claims()), forged.unwrap());
    assert_eq!(signer.keys().verify(&forged, NOW).unwrap_err(), AssertionError::WrongAlgorithm);
}

#[test]
fn keys_that_must_not_verify_are_left_out() {
    let key = Signer::new("a").set;
    let rejected = [
        json!({"kty": "oct", "k": "c2VjcmV0", "kid": "oct", "alg": "HS256"}),
        with(key.clone(), &json!({"kid": "enc", "use": "enc"})),
        with(key.clone(), &json!({"kid": "ops", "key_ops": ["sign"]})),
        with(key.clone(), &json!({"kid": "alg", "alg": "RS256"})),
        with(key.clone(), &json!({"kid": "hmac", "alg": "HS256"})),
        with(key.clone(), &json!({"kid": "curve", "crv": "X25519"})),
        with(key.clone(), &json!({"kid": null})),
        with(key.clone(), &json!({"kid": "twice"})),
        with(key.clone(), &json!({"kid": "twice"})),
        with(key.clone(), &json!({"kid": "twice"})),
        json!("text"),
    ];
    let mut set = rejected.to_vec();
    set.push(with(key, &json!({"alg": null, "use": null})));
    let keys = read_keys(&set);
    assert_eq!(keys.keys.keys().collect::<Vec<_>>(), ["a"]);
    for bad in ["", "[]", "{}", r#"{"keys": 7}"#] {
        assert!(IssuerKeys::parse(bad.as_bytes()).is_err(), "{bad}");
    }
    let many = json!({"keys": vec![json!({}); MOST_KEYS + 1]});
    assert!(IssuerKeys::parse(&serde_json::to_vec(&many).unwrap()).is_err());
}

#[test]
fn rsa_and_elliptic_keys_allow_only_their_algorithms() {
    let pair = RsaKeyPair::generate(KeySize::Rsa2048).unwrap();
    let public = pair.public_key();
    let (n, e) = (public.modulus().big_endian_without_leading_zero(), public.exponent());
    let rsa = json!({
        "kty": "RSA", "kid": "rsa", "n": URL_SAFE_NO_PAD.encode(n),
        "e": URL_SAFE_NO_PAD.encode(e.big_endian_without_leading_zero()),
    });
    let pkcs8 = EcdsaKeyPair::generate(&ECDSA_P256_SHA256_FIXED_SIGNING).unwrap();
    let point = pkcs8.public_key().as_ref().to_vec();
    let elliptic = json!({
        "kty": "EC", "crv": "P-256", "kid": "ec", "x": URL_SAFE_NO_PAD.encode(&point[1..33]),
        "y": URL_SAFE_NO_PAD.encode(&point[33..65]),
    });
    let random = aws_lc_rs::rand::SystemRandom::new();
    let sign_rsa = |algorithm: &str, scheme: &'static dyn aws_lc_rs::signature::RsaEncoding| {
        let signed = format!("{}.{}", encode(&json!({"alg": algorithm, "kid": "rsa"})), encode(&claims()));
        let mut signature = vec![0; pair.public_modulus_len()];
        pair.sign(scheme, &random, signed.as_bytes(), &mut signature).unwrap();
        format!("{signed}.{}", URL_SAFE_NO_PAD.encode(signature))
    };
    let sign_elliptic = |algorithm: &str, kid: &str| {
        let signed = format!("{}.{}", encode(&json!({"alg": algorithm, "kid": kid})), encode(&claims()));
        format!("{signed}.{}", URL_SAFE_NO_PAD.encode(pkcs8.sign(&random, signed.as_bytes()).unwrap()))
    };
    let keys = read_keys(&[rsa.clone(), elliptic.clone()]);
    let (pkcs1, pss) = (sign_rsa("RS256", &RSA_PKCS1_SHA256), sign_rsa("PS256", &RSA_PSS_SHA256));
    assert!(keys.verify(&pkcs1, NOW).is_ok() && keys.verify(&pss, NOW).is_ok());
    assert!(keys.verify(&sign_elliptic("ES256", "ec"), NOW).is_ok());
    assert_eq!(keys.verify(&sign_elliptic("ES256", "rsa"), NOW).unwrap_err(), AssertionError::WrongAlgorithm);
    assert_eq!(keys.verify(&sign_elliptic("ES384", "ec"), NOW).unwrap_err(), AssertionError::WrongAlgorithm);
    assert_eq!(keys.verify(&sign_rsa("RS512", &RSA_PKCS1_SHA256), NOW).unwrap_err(), AssertionError::BadSignature);
    let pinned = read_keys(&[with(rsa, &json!({"alg": "PS256"}))]);
    assert!(pinned.verify(&pss, NOW).is_ok());
    assert_eq!(pinned.verify(&pkcs1, NOW).unwrap_err(), AssertionError::WrongAlgorithm);
}

#[test]
fn small_rsa_key_verifies_nothing() {
    // The modulus of a 1,024-bit key. The signature does not matter: the library rejects the size first.
    let rsa = json!({"kty": "RSA", "kid": "a", "n": URL_SAFE_NO_PAD.encode([0xAB; 128]), "e": "AQAB"});
    let signed = format!("{}.{}", encode(&json!({"alg": "RS256", "kid": "a"})), encode(&claims()));
    let assertion = format!("{signed}.{}", URL_SAFE_NO_PAD.encode([7; 128]));
    assert_eq!(read_keys(&[rsa]).verify(&assertion, NOW).unwrap_err(), AssertionError::BadSignature);
}
