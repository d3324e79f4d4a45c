//! An issuer of identities on the local machine, as a CI system would be one.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use axum::Router;
use axum::extract::RawQuery;
use axum::response::{IntoResponse as _, Redirect, Response};
use axum::routing::get;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use jsonwebtoken::{Algorithm, EncodingKey, Header};
use labs_schema::crypto::random_bytes;
use labs_schema::crypto::token::new_signing_key;
use labs_schema::time::Clock;
use reqwest::Url;
use serde_json::{Value, json};
use tokio::net::TcpListener;

use crate::harness::ROOMY;

/// Subject of the job.
pub(crate) const SUBJECT: &str = "repo:nordsee/kasse:environment:production";

/// Behaviour of an issuer's server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mood {
    Well,
    OtherIssuer,
    KeysElsewhere,
    Redirects,
    NotJson,
    Huge,
    Missing,
}

/// An issuer on the local machine, with one key.
pub(crate) struct Issuer {
    pub(crate) url: String,
    pub(crate) key: EncodingKey,
    pub(crate) reads: Arc<AtomicUsize>,
}

impl Issuer {
    pub(crate) async fn start(mood: Mood) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let made = new_signing_key().unwrap();
        let x = URL_SAFE_NO_PAD.encode(made.public_key);
        let keys = json!({"keys": [{"kty": "OKP", "crv": "Ed25519", "x": x, "kid": "one", "use": "sig"}]});
        let reads = Arc::new(AtomicUsize::new(0));
        let (counted, issuer) = (Arc::clone(&reads), url.clone());
        let discover = move || {
            counted.fetch_add(1, Ordering::SeqCst);
            let answer = discovery(mood, &issuer);
            async move { answer }
        };
        let (signing, signer) = (EncodingKey::from_ed_der(&made.private_key), url.clone());
        // As the address at which a job of GitHub Actions requests its identity token.
        let identity = move |RawQuery(asked): RawQuery| {
            let asked = Url::parse(&format!("{signer}/?{}", asked.unwrap())).unwrap();
            let asked: HashMap<_, _> = asked.query_pairs().collect();
            let value = sign(&signing, &signer, &asked["audience"], &json!({"sub": asked["subject"]}));
            async move { answer(&json!({ "count": 1, "value": value })) }
        };
        let router = Router::new()
            .route("/identity", get(identity))
            .route("/.well-known/openid-configuration", get(discover))
            .route("/keys", get(move || async move { answer(&keys) }));
        tokio::spawn(async move { axum::serve(listener, router).await });
        Self { url, key: EncodingKey::from_ed_der(&made.private_key), reads }
    }

    /// Returns the address at which a job with this subject requests its identity token, without the audience.
    pub(crate) fn identity_url(&self, subject: &str) -> String {
        format!("{}/identity?subject={subject}", self.url)
    }

    /// Signs the claims of a job for an audience, with these changes. Null removes a claim.
    pub(crate) fn assertion(&self, audience: &str, changes: &Value) -> String {
        sign(&self.key, &self.url, audience, changes)
    }

    /// Returns the identity of the job, to be trusted by a machine client.
    pub(crate) fn trusted(&self) -> Value {
        let claims = json!([{"name": "repository_owner_id", "value": "4471823"}]);
        json!([{"issuer": self.url, "subject": SUBJECT, "claims": claims}])
    }
}

/// Signs the claims of a job, with these changes. Null removes a claim.
fn sign(key: &EncodingKey, issuer: &str, audience: &str, changes: &Value) -> String {
    let now = Clock::default().now().unix();
    let mut claims = json!({
        "iss": issuer, "sub": SUBJECT, "aud": audience, "iat": now, "exp": now + 300,
        "jti": hex::encode(random_bytes::<16>()), "repository_owner_id": "4471823",
    });
    let members = claims.as_object_mut().unwrap();
    for (name, value) in changes.as_object().unwrap() {
        match value {
            Value::Null => members.remove(name),
            value => members.insert(name.clone(), value.clone()),
        };
    }
    let header = Header { kid: Some("one".to_owned()), ..Header::new(Algorithm::EdDSA) };
    jsonwebtoken::encode(&header, &claims, key).unwrap()
}

fn answer(json: &Value) -> Response {
    ([("content-type", "application/json")], json.to_string()).into_response()
}

fn discovery(mood: Mood, issuer: &str) -> Response {
    let keys = format!("{issuer}/keys");
    match mood {
        Mood::Well => answer(&json!({"issuer": issuer, "jwks_uri": keys})),
        Mood::OtherIssuer => answer(&json!({"issuer": "https://other.example", "jwks_uri": keys})),
        Mood::KeysElsewhere => {
            let elsewhere = keys.replace("127.0.0.1", "localhost");
            answer(&json!({"issuer": issuer, "jwks_uri": elsewhere}))
        }
        Mood::Redirects => Redirect::temporary("/keys").into_response(),
        Mood::NotJson => "<html>".into_response(),
        Mood::Huge => " ".repeat(600 * 1024).into_response(),
        Mood::Missing => http::StatusCode::NOT_FOUND.into_response(),
    }
}

/// Returns the flags of a service that allows these issuers.
pub(crate) fn flags<'a>(issuers: &[&Issuer]) -> Vec<&'a str> {
    let urls: Vec<&str> = issuers.iter().map(|issuer| issuer.url.as_str()).collect();
    let urls: &'static str = urls.join(",").leak();
    [ROOMY, &["--trusted-issuers", urls, "--trusted-issuers-allow-private"]].concat()
}
