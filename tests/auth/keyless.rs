//! Tests of tokens without a secret: identities of other issuers, and attacks with their assertions (RFC 7523, RFC 8725).

use std::sync::atomic::Ordering;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use jsonwebtoken::EncodingKey;
use labs_schema::crypto::token::new_signing_key;
use labs_schema::time::Clock;
use serde_json::{Value, json};

use super::issuer::{Issuer, Mood, SUBJECT, flags};
use crate::harness::people::Person;
use crate::harness::{Answer, Harness};

const GRANT: &str = "urn:ietf:params:oauth:grant-type:jwt-bearer";

/// A service that allows one issuer, and a machine client of a partner that trusts one identity and has no secret.
struct Keyless {
    harness: Harness,
    issuer: Issuer,
    chief: Person,
    partner: Person,
    client_uuid: String,
    client_id: String,
}

impl Keyless {
    async fn new() -> Self {
        let issuer = Issuer::start(Mood::Well).await;
        let harness = Harness::with(&flags(&[&issuer])).await;
        harness.sql("update tier set burst_per_second = 1000").await;
        let chief = harness.staff("Chief", &["labs.admin:write"]).await;
        let partner = harness.partner("Nordsee Kassen").await;
        let body = json!({
            "name": "Nordsee releases", "partner_uuid": partner.partner_uuid,
            "allowed_scopes": ["marketplace.apps:write"], "trusted_identities": issuer.trusted(),
        });
        let made = harness.call("admin_machine_clients_create").token(&chief.token).json(&body).expect(201).await;
        let client_uuid = made.str("uuid").to_owned();
        let secret = made.json["secrets"][0]["uuid"].as_str().unwrap().to_owned();
        let delete = harness.call("admin_machine_clients_delete_secret").token(&chief.token);
        delete.path("client_uuid", &client_uuid).path("secret_uuid", &secret).expect(204).await;
        let client_id = made.str("client_id").to_owned();
        Self { harness, issuer, chief, partner, client_uuid, client_id }
    }

    fn assertion(&self) -> String {
        self.assertion_with(&json!({}))
    }

    fn assertion_with(&self, changes: &Value) -> String {
        self.issuer.assertion(&self.harness.base_url, changes)
    }

    async fn issue(&self, assertion: &str) -> Answer {
        issue(&self.harness, &self.client_id, assertion).await
    }

    async fn update(&self, by: &Person, body: &Value) -> Answer {
        let call = self.harness.call("admin_machine_clients_update").path("client_uuid", &self.client_uuid);
        call.token(&by.token).json(body).send().await
    }
}

async fn issue(harness: &Harness, client_id: &str, assertion: &str) -> Answer {
    let form = [("grant_type", GRANT), ("client_id", client_id), ("assertion", assertion)];
    harness.call("auth_tokens_issue").form(&form).send().await
}

/// Returns the parts of an error response that the client sees.
fn error_of(answer: &Answer) -> (u16, String, String) {
    (answer.status, answer.str("error").to_owned(), answer.str("detail").to_owned())
}

#[tokio::test]
async fn ci_job_creates_a_version_without_a_secret() {
    let keyless = Keyless::new().await;
    let harness = &keyless.harness;
    let body = json!({"name": "Kasse"});
    let app = harness.call("marketplace_apps_create").token(&keyless.partner.token).json(&body).expect(201).await;
    let issued = keyless.issue(&keyless.assertion()).await;
    assert_eq!(
        (issued.status, &issued.json["expires_in"], issued.str("scope")),
        (200, &json!(900), "marketplace.apps:write")
    );
    let version = harness.call("marketplace_versions_create").token(issued.str("access_token"));
    version.path("app_uuid", app.str("uuid")).json(&json!({"number": "1.0.0"})).expect(201).await;

    let grants = harness.call("admin_machine_clients_list_token_grants").token(&keyless.chief.token);
    let grants = grants.path("client_uuid", &keyless.client_uuid).expect(200).await.json;
    let grant = &grants["data"][0];
    assert_eq!(grant["identity_issuer"], keyless.issuer.url);
    assert_eq!((&grant["identity_subject"], &grant["secret_uuid"]), (&json!(SUBJECT), &Value::Null));
    let own = keyless.partner.partner_uuid.unwrap();
    for (operation, token) in
        [("partner_security_list_events", &keyless.partner.token), ("admin_security_events_list", &keyless.chief.token)]
    {
        let mut events = harness.call(operation).token(token).query("kind", "TOKEN_ISSUED");
        if operation.starts_with("partner") {
            events = events.path("partner_uuid", own);
        }
        let event = events.expect(200).await.json["data"][0].clone();
        assert_eq!(event["identity_issuer"], keyless.issuer.url, "{operation}");
        assert_eq!(event["identity_subject"], SUBJECT, "{operation}");
    }
    let clients = harness.call("partner_security_list_machine_clients").token(&keyless.partner.token);
    let clients = clients.path("partner_uuid", own).expect(200).await.json;
    assert_eq!(clients["data"][0]["trusted_identities"][0]["subject"], SUBJECT);
}

#[tokio::test]
async fn audit_record_names_issuer_and_subject() {
    let keyless = Keyless::new().await;
    let body = json!({
        "name": "Night job", "allowed_scopes": ["labs.admin.overview"],
        "trusted_identities": keyless.issuer.trusted(),
    });
    let create = keyless.harness.call("admin_machine_clients_create").token(&keyless.chief.token).json(&body);
    let client_id = create.expect(201).await.str("client_id").to_owned();
    let issued = issue(&keyless.harness, &client_id, &keyless.assertion()).await;
    keyless.harness.call("admin_overview_get").token(issued.str("access_token")).expect(200).await;
    let records = keyless.harness.call("admin_audit_records_list").token(&keyless.chief.token);
    let record = records.query("operation", "admin_overview_get").expect(200).await.json["data"][0].clone();
    assert_eq!(
        record["actor"]["label"].as_str().or(record["actor_label"].as_str()).unwrap(),
        format!("{client_id} ({SUBJECT} at {})", keyless.issuer.url)
    );
}

#[tokio::test]
async fn assertion_is_accepted_once() {
    let keyless = Keyless::new().await;
    let assertion = keyless.assertion();
    let all = futures_util::future::join_all((0..8).map(|_| keyless.issue(&assertion))).await;
    assert_eq!(all.iter().filter(|answer| answer.status == 200).count(), 1);
    for refused in all.iter().filter(|answer| answer.status != 200) {
        assert_eq!((refused.status, refused.str("error")), (400, "invalid_grant"));
        assert!(refused.str("detail").contains("used before"), "{}", refused.str("detail"));
    }
    keyless.harness.advance(200).await;
    keyless.harness.run_job("TIDYING").await;
    assert_eq!(keyless.issue(&assertion).await.status, 400, "as long as it is valid");
    assert_eq!(keyless.harness.number("select count(*) from token_grant where code = 'ASSERTION_REPLAYED'").await, 8);
    assert_eq!(keyless.harness.number("select count(*) from used_assertion").await, 1);
}

#[tokio::test]
async fn every_identity_that_is_not_trusted_gets_the_same_error() {
    let keyless = Keyless::new().await;
    let harness = &keyless.harness;
    let other = json!({
        "name": "Other", "allowed_scopes": ["storefront"],
        "trusted_identities": [{"issuer": keyless.issuer.url, "subject": "repo:other/app:ref:refs/heads/main"}],
    });
    let other = harness.call("admin_machine_clients_create").token(&keyless.chief.token).json(&other).expect(201).await;
    let expected = error_of(&issue(harness, "labs-client-000000000000", &keyless.assertion()).await);
    assert_eq!((expected.0, &*expected.1), (400, "invalid_grant"));
    let base = &harness.base_url;
    for changes in [
        json!({"sub": "repo:nordsee/kasse:environment:staging"}),
        json!({"sub": "repo:nordsee/kasse:environment:Production"}),
        json!({"sub": "repo:nordsee/kasse:environment:production "}),
        json!({"repository_owner_id": null}),
        json!({"repository_owner_id": "4471824"}),
        json!({"repository_owner_id": ["4471823"]}),
        json!({"aud": format!("{base}/")}),
        json!({"aud": "https://github.com/nordsee"}),
        json!({"aud": [base, "https://other.example"]}),
        json!({"aud": []}),
    ] {
        assert_eq!(error_of(&keyless.issue(&keyless.assertion_with(&changes)).await), expected, "{changes}");
    }
    let of_other = issue(harness, other.str("client_id"), &keyless.assertion()).await;
    assert_eq!(error_of(&of_other), expected, "an identity that another client trusts");
    for (statement, undo) in [
        ("update machine_client set state = 'DISABLED'", "update machine_client set state = 'ACTIVE'"),
        ("update partner set state = 'SUSPENDED'", "update partner set state = 'ACTIVE'"),
        (
            "update machine_client set allowed_networks = '{198.51.100.0/24}'",
            "update machine_client set allowed_networks = '{}'",
        ),
        ("update machine_client set trusted_identities = '[]'", "update machine_client set trusted_identities = '[]'"),
    ] {
        harness.sql(statement).await;
        assert_eq!(error_of(&keyless.issue(&keyless.assertion()).await), expected, "{statement}");
        harness.sql(undo).await;
    }
    assert_eq!(harness.number("select count(*) from token_grant where outcome = 'SUCCEEDED'").await, 0);
}

#[tokio::test]
async fn forged_assertions_are_rejected_with_the_reason() {
    let keyless = Keyless::new().await;
    let forger = Issuer::start(Mood::Well).await;
    let now = Clock::default().now().unix();
    let base = &keyless.harness.base_url;
    let own_token = keyless.issue(&keyless.assertion()).await.str("access_token").to_owned();
    let user_token = keyless.partner.token.clone();
    let forged = forger.assertion(base, &json!({"iss": keyless.issuer.url}));
    for (assertion, part) in [
        (forged, "signature"),
        (forger.assertion(base, &json!({})), "not allowed"),
        (own_token, "another kind of JWT"),
        (user_token, "another kind of JWT"),
        (keyless.assertion_with(&json!({"exp": now - 1})), "expired"),
        (keyless.assertion_with(&json!({"nbf": now + 600})), "not valid yet"),
        (keyless.assertion_with(&json!({"exp": now + 90_000})), "longer than a day"),
        (keyless.assertion_with(&json!({"jti": null})), "lacks a claim"),
        ("a.b.c".to_owned(), "signed JWT"),
    ] {
        let refused = keyless.issue(&assertion).await;
        assert_eq!((refused.status, refused.str("error")), (400, "invalid_grant"), "{part}");
        assert!(refused.str("detail").contains(part), "{part}: {}", refused.str("detail"));
    }
    assert_eq!(forger.reads.load(Ordering::SeqCst), 0, "an issuer that is not allowed is never asked");
    assert_eq!(keyless.issuer.reads.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn assertion_cannot_be_combined_with_a_secret() {
    let keyless = Keyless::new().await;
    let assertion = keyless.assertion();
    let fields = [("grant_type", GRANT), ("client_id", &*keyless.client_id), ("assertion", &*assertion)];
    for other in [("client_secret", "x"), ("username", "x"), ("password", "x")] {
        let form = [&fields[..], &[other]].concat();
        let refused = keyless.harness.call("auth_tokens_issue").form(&form).send().await;
        assert_eq!((refused.status, refused.str("error")), (400, "invalid_request"), "{}", other.0);
    }
    let basic = keyless.harness.call("auth_tokens_issue").header("authorization", "Basic YTpi").form(&fields);
    assert_eq!(basic.send().await.str("error"), "invalid_request");
    for missing in [&fields[..1], &fields[..2], &[fields[0], fields[2]]] {
        let refused = keyless.harness.call("auth_tokens_issue").form(missing).send().await;
        assert_eq!((refused.status, refused.str("error")), (400, "invalid_request"));
    }
    let secret = [("grant_type", "client_credentials"), ("client_id", &*keyless.client_id), ("client_secret", "x")];
    let with_secret = [&secret[..], &[("assertion", &*assertion)]].concat();
    let refused = keyless.harness.call("auth_tokens_issue").form(&with_secret).send().await;
    assert_eq!(refused.str("error"), "invalid_client", "an assertion does not replace the secret of another grant");
    assert_eq!(keyless.issue(&assertion).await.status, 200);
}

#[tokio::test]
async fn tokens_end_with_the_identity_that_got_them() {
    let keyless = Keyless::new().await;
    let rotate = keyless.harness.call("admin_machine_clients_rotate_secret").token(&keyless.chief.token);
    let rotated = rotate.path("client_uuid", &keyless.client_uuid).json(&json!({})).expect(201).await;
    let by_secret = keyless.harness.token_of(&keyless.client_id, rotated.str("client_secret"), None).await;
    let by_identity = keyless.issue(&keyless.assertion()).await.str("access_token").to_owned();
    let status = async |token: &str| keyless.harness.call("system_me_get").token(token).send().await.status;
    assert_eq!((status(&by_secret).await, status(&by_identity).await), (200, 200));
    let narrower = json!({"trusted_identities": [
        {"issuer": keyless.issuer.url, "subject": SUBJECT, "claims": [{"name": "environment", "value": "x"}]},
    ]});
    assert_eq!(keyless.update(&keyless.chief, &narrower).await.status, 200);
    keyless.harness.soon("the identity's token is rejected", || async { status(&by_identity).await == 401 }).await;
    assert_eq!(status(&by_secret).await, 200);
    assert_eq!(keyless.issue(&keyless.assertion()).await.status, 400);
}

#[tokio::test]
async fn identities_outside_the_rules_are_rejected_at_their_pointer() {
    let keyless = Keyless::new().await;
    let issuer = &keyless.issuer.url;
    for (identity, pointer, code) in [
        (json!({"issuer": "https://other.example", "subject": "a"}), "issuer", "ISSUER_NOT_ALLOWED"),
        (json!({"issuer": format!("{issuer}/"), "subject": "a"}), "issuer", "ISSUER_NOT_ALLOWED"),
        (json!({"issuer": issuer, "subject": "a", "audience": "sts.amazonaws.com"}), "audience", "OTHER_AUDIENCE"),
        (
            json!({"issuer": issuer, "subject": "a", "audience": format!("{}.example", keyless.harness.base_url)}),
            "audience",
            "OTHER_AUDIENCE",
        ),
        (json!({"issuer": issuer, "subject": "repo:nordsee/*"}), "subject", "WILDCARD"),
        (
            json!({"issuer": issuer, "subject": "a", "claims": [{"name": "aud", "value": "a"}]}),
            "claims/0/name",
            "NOT_ALLOWED",
        ),
        (
            json!({"issuer": issuer, "subject": "a",
                "claims": [{"name": "b", "value": "a"}, {"name": "b", "value": "c"}]}),
            "claims/1/name",
            "DUPLICATE",
        ),
    ] {
        let refused = keyless.update(&keyless.chief, &json!({"trusted_identities": [identity]})).await;
        let error = &refused.json["errors"][0];
        assert_eq!(refused.status, 422, "{identity}");
        assert_eq!(error["pointer"], format!("/trusted_identities/0/{pointer}"), "{identity}");
        assert_eq!(error["code"], code, "{identity}");
    }
    let again = json!({"trusted_identities": [keyless.issuer.trusted()[0], keyless.issuer.trusted()[0]]});
    let stored = keyless.update(&keyless.chief, &again).await.json["trusted_identities"].clone();
    assert_eq!(stored.as_array().unwrap().len(), 1, "each identity once");
    assert_eq!(stored[0]["audience"], keyless.harness.base_url);
}

#[tokio::test]
async fn caller_cannot_open_a_more_powerful_client_to_an_identity() {
    let keyless = Keyless::new().await;
    let operator = keyless.harness.staff("Operator", &["labs.admin.clients:write"]).await;
    let body = json!({"name": "Night job", "allowed_scopes": ["labs.admin.overview"]});
    let create = keyless.harness.call("admin_machine_clients_create").token(&keyless.chief.token).json(&body);
    let client_uuid = create.expect(201).await.str("uuid").to_owned();
    let update = async |identities: Value| {
        let call = keyless.harness.call("admin_machine_clients_update").path("client_uuid", &client_uuid);
        call.token(&operator.token).json(&json!({ "trusted_identities": identities })).send().await
    };
    let refused = update(keyless.issuer.trusted()).await;
    assert_eq!((refused.status, refused.code()), (403, "SCOPE_MISSING"));
    assert_eq!(update(json!([])).await.status, 200);
}

#[tokio::test]
async fn keys_are_read_only_from_the_issuer_itself() {
    let moods = [Mood::OtherIssuer, Mood::KeysElsewhere, Mood::Redirects, Mood::NotJson, Mood::Huge, Mood::Missing];
    let issuers = futures_util::future::join_all(moods.map(Issuer::start)).await;
    let harness = Harness::with(&flags(&issuers.iter().collect::<Vec<_>>())).await;
    for (mood, issuer) in moods.iter().zip(&issuers) {
        for _ in 0..2 {
            let assertion = issuer.assertion(&harness.base_url, &json!({}));
            let answer = issue(&harness, "labs-client-000000000000", &assertion).await;
            assert_eq!((answer.status, answer.code()), (503, "UNAVAILABLE"), "{mood:?}");
            assert!(answer.headers.contains_key("retry-after"), "{mood:?}");
        }
        assert_eq!(issuer.reads.load(Ordering::SeqCst), 1, "{mood:?}");
    }
}

#[tokio::test]
async fn keys_can_come_from_a_file() {
    let issuer = Issuer::start(Mood::Missing).await;
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("keys.json");
    let made = new_signing_key().unwrap();
    let x = URL_SAFE_NO_PAD.encode(made.public_key);
    let sets = json!({&issuer.url: {"keys": [{"kty": "OKP", "crv": "Ed25519", "x": x, "kid": "one"}]}});
    std::fs::write(&file, sets.to_string()).unwrap();
    let file = file.to_str().unwrap();
    let harness = Harness::with(&[flags(&[&issuer]), vec!["--trusted-issuer-keys-file", file]].concat()).await;
    let issuer = Issuer { key: EncodingKey::from_ed_der(&made.private_key), ..issuer };
    let refused = issue(&harness, "labs-client-000000000000", &issuer.assertion(&harness.base_url, &json!({}))).await;
    assert!(refused.status == 400 && refused.str("detail").contains("does not accept"), "{}", refused.json);
    assert_eq!(issuer.reads.load(Ordering::SeqCst), 0);
}

#[tokio::test]
async fn grant_is_listed_only_if_an_issuer_is_allowed() {
    let keyless = Keyless::new().await;
    let without = Harness::new().await;
    for (harness, expected) in [(&keyless.harness, true), (&without, false)] {
        let url = format!("{}/.well-known/oauth-authorization-server", harness.base_url);
        let metadata: Value = harness.http().get(url).send().await.unwrap().json().await.unwrap();
        let grants = metadata["grant_types_supported"].as_array().unwrap();
        assert_eq!(grants.contains(&json!(GRANT)), expected);
    }
    let refused = issue(&without, &keyless.client_id, &keyless.assertion()).await;
    assert_eq!((refused.status, refused.str("error")), (400, "invalid_grant"));
}
