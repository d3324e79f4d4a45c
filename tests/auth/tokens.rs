//! Tests of access tokens of machine clients: issuing, scopes, and uniform errors.

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use serde_json::{Value, json};

use crate::harness::people::{PASSWORD, Program};
use crate::harness::{Answer, Harness};

fn basic(id: &str, secret: &str) -> String {
    format!("Basic {}", STANDARD.encode(format!("{id}:{secret}")))
}

async fn issue(harness: &Harness, fields: &[(&str, &str)]) -> Answer {
    harness.call("auth_tokens_issue").form(fields).send().await
}

fn form<'a>(program: &'a Program, scope: &'a str) -> [(&'static str, &'a str); 4] {
    [("grant_type", "password"), ("username", &program.client_id), ("password", &program.secret), ("scope", scope)]
}

/// Returns the parts of an error response that the client sees.
fn error_of(answer: &Answer) -> (u16, &str, &str, &str) {
    (answer.status, answer.code(), answer.str("error"), answer.str("detail"))
}

#[tokio::test]
async fn client_gets_hourly_token_by_form_or_basic_header() {
    let harness = Harness::new().await;
    let program = harness.program("storefront", &["storefront:write"], None).await;
    let by_form = issue(&harness, &form(&program, "")).await;
    let by_basic = harness
        .call("auth_tokens_issue")
        .header("authorization", &basic(&program.client_id, &program.secret))
        .form(&[("grant_type", "password")])
        .expect(200)
        .await;
    for answer in [by_form, by_basic] {
        assert_eq!((answer.str("token_type"), &answer.json["expires_in"]), ("Bearer", &Value::from(3600)));
        assert_eq!(answer.str("scope"), "storefront:write");
        let me = harness.call("system_me_get").token(answer.str("access_token")).expect(200).await;
        assert_eq!(me.str("client_id"), program.client_id);
    }
    assert_eq!(harness.number("select count(*) from token_grant where outcome = 'SUCCEEDED'").await, 3);
    let used = "select count(*) from machine_client join machine_client_secret as s using (client_uuid)
                 where machine_client.last_used_at is not null and s.last_used_at is not null";
    assert_eq!(harness.number(used).await, 1);
}

#[tokio::test]
async fn client_credentials_grant_returns_the_same_token() {
    let harness = Harness::new().await;
    let program = harness.program("storefront", &["storefront:write"], None).await;
    let grant = ("grant_type", "client_credentials");
    let (id, secret) = (program.client_id.as_str(), program.secret.as_str());
    let by_form =
        issue(&harness, &[grant, ("client_id", id), ("client_secret", secret), ("scope", "storefront")]).await;
    let call = harness.call("auth_tokens_issue").header("authorization", &basic(id, secret));
    let by_basic = call.form(&[grant, ("scope", "storefront"), ("client_id", id)]).expect(200).await;
    for answer in [by_form, by_basic] {
        assert_eq!((answer.status, answer.str("scope")), (200, "storefront"), "{}", answer.text());
        let me = harness.call("system_me_get").token(answer.str("access_token")).expect(200).await;
        assert_eq!(me.str("client_id"), id);
    }
    let wrong = issue(&harness, &[grant, ("client_id", id), ("client_secret", "wrong")]).await;
    let refusal = (wrong.status, wrong.str("error"), wrong.header("www-authenticate").starts_with("Basic "));
    assert_eq!(refusal, (401, "invalid_client", true));
    let person = harness.partner("Nordsee Kassen").await;
    let as_person = issue(&harness, &[grant, ("client_id", &person.email), ("client_secret", PASSWORD)]).await;
    assert_eq!((as_person.status, as_person.str("error")), (400, "unauthorized_client"), "{}", as_person.text());
    let mixed = issue(&harness, &[grant, ("username", id), ("password", secret)]).await;
    assert_eq!((mixed.status, mixed.str("error")), (400, "invalid_request"), "{}", mixed.text());
    let grants = "select count(*) from token_grant where outcome = 'REFUSED'";
    assert_eq!(harness.number(grants).await, 1, "the wrong secret stands in the ledger");
}

#[tokio::test]
async fn invalid_token_challenge_differs_from_missing_token() {
    let harness = Harness::new().await;
    let challenge = |answer: &Answer| answer.header("www-authenticate").to_owned();
    let metadata = format!("resource_metadata=\"{}/.well-known/oauth-protected-resource\"", harness.base_url);
    let none = harness.call("system_me_get").expect(401).await;
    assert_eq!(challenge(&none), format!("Bearer realm=\"labs\", {metadata}"));
    for bad in ["not a token", "eyJhbGciOiJub25lIn0.e30.", "labs_cs_something"] {
        let refused = harness.call("system_me_get").token(&bad.replace(' ', "-")).expect(401).await;
        assert_eq!(challenge(&refused), format!("Bearer realm=\"labs\", error=\"invalid_token\", {metadata}"), "{bad}");
    }
}

#[tokio::test]
async fn requested_scopes_are_intersected_with_allowed() {
    let harness = Harness::new().await;
    let program = harness.program("importer", &["marketplace:write", "statistics"], None).await;
    for (asked, granted) in [
        ("", "marketplace:write statistics"),
        ("marketplace.apps", "marketplace.apps"),
        ("marketplace", "marketplace"),
        ("marketplace:write labs.admin:write storefront", "marketplace:write"),
        ("statistics:write", "statistics"),
        ("labs.admin", ""),
        ("auth.account:write", ""),
    ] {
        let answer = issue(&harness, &form(&program, asked)).await;
        assert_eq!((answer.status, answer.str("scope")), (200, granted), "{asked}");
        let me = harness.call("system_me_get").token(answer.str("access_token")).expect(200).await;
        let scopes: Vec<&str> = me.json["scopes"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
        assert_eq!(scopes.join(" "), granted, "{asked}");
    }
}

#[tokio::test]
async fn bound_client_gets_tier_scopes_without_admin_scopes() {
    let harness = Harness::new().await;
    let owner = harness.partner("Nordsee Kassen").await;
    let program = harness.program("bound", &["marketplace:write", "statistics:write"], owner.partner_uuid).await;
    assert_eq!(issue(&harness, &form(&program, "")).await.str("scope"), "marketplace:write", "FREE has no statistics");
    harness
        .sql(
            "alter table machine_client drop constraint machine_client_bound_scopes_check;
              update machine_client set allowed_scopes = '{labs.admin:write,marketplace,auth.account:write}'",
        )
        .await;
    for asked in ["", "labs.admin:write", "labs.admin.apps marketplace", "auth.account marketplace"] {
        let scope = issue(&harness, &form(&program, asked)).await.str("scope").to_owned();
        assert!(scope.is_empty() || scope == "marketplace", "{asked}: {scope}");
    }
}

#[tokio::test]
async fn every_invalid_client_is_rejected_with_same_error() {
    let harness = Harness::new().await;
    let owner = harness.partner("Nordsee Kassen").await;
    let program = harness.program("bound", &["marketplace"], owner.partner_uuid).await;
    let other = harness.program("other", &["marketplace"], None).await;
    let wrong = Program { secret: other.secret.clone(), ..program.clone() };
    let unknown = Program { client_id: "labs-client-nobody".to_owned(), ..program.clone() };
    let garbled = Program { secret: "labs_cs_short".to_owned(), ..program.clone() };
    let first = issue(&harness, &form(&wrong, "")).await;
    assert_eq!(
        error_of(&first),
        (400, "INVALID_CREDENTIALS", "invalid_grant", "The client id or the client secret is wrong.")
    );
    let mut refusals = vec![issue(&harness, &form(&unknown, "")).await, issue(&harness, &form(&garbled, "")).await];
    for (breakage, mending) in [
        ("update machine_client set state = 'DISABLED'", "update machine_client set state = 'ACTIVE'"),
        (
            "update machine_client set allowed_networks = '{192.0.2.0/24}'",
            "update machine_client set allowed_networks = '{127.0.0.0/8}'",
        ),
        ("update partner set state = 'SUSPENDED'", "update partner set state = 'ACTIVE'"),
        (
            "update machine_client_secret set revoked_at = labs_now()",
            "update machine_client_secret set revoked_at = null",
        ),
        (
            "update machine_client_secret set expires_at = labs_now()",
            "update machine_client_secret set expires_at = null",
        ),
    ] {
        harness.sql(breakage).await;
        refusals.push(issue(&harness, &form(&program, "")).await);
        harness.sql(mending).await;
        assert_eq!(issue(&harness, &form(&program, "")).await.status, 200, "{mending}");
    }
    for refusal in &refusals {
        assert_eq!(error_of(refusal), error_of(&first));
    }
    let ledger = |code: &str| format!("select count(*) from token_grant where outcome = 'REFUSED' and code = '{code}'");
    for (code, times) in
        [("WRONG_SECRET", 4), ("CLIENT_DISABLED", 1), ("NETWORK_NOT_ALLOWED", 1), ("PARTNER_NOT_ACTIVE", 1)]
    {
        assert_eq!(harness.number(&ledger(code)).await, times, "{code}");
    }
    assert_eq!(harness.number("select count(*) from security_event where kind = 'TOKEN_REFUSED'").await, 8);
}

#[tokio::test]
async fn invalid_basic_credentials_return_invalid_client() {
    let harness = Harness::new().await;
    let program = harness.program("storefront", &["storefront"], None).await;
    let answer = harness
        .call("auth_tokens_issue")
        .header("authorization", &basic(&program.client_id, "wrong"))
        .form(&[("grant_type", "password")])
        .expect(401)
        .await;
    assert_eq!(answer.str("error"), "invalid_client");
    assert!(answer.header("www-authenticate").starts_with("Basic"), "{}", answer.header("www-authenticate"));
}

#[tokio::test]
async fn invalid_token_form_returns_oauth_error() {
    let harness = Harness::new().await;
    let program = harness.program("storefront", &["storefront"], None).await;
    let (id, secret) = (program.client_id.as_str(), program.secret.as_str());
    let cases: [(&[(&str, &str)], &str); 10] = [
        (&[], "invalid_request"),
        (&[("grant_type", ""), ("username", id), ("password", secret)], "invalid_request"),
        (&[("grant_type", "password")], "invalid_request"),
        (&[("grant_type", "password"), ("username", id)], "invalid_request"),
        (&[("grant_type", "password"), ("username", id), ("password", "")], "invalid_request"),
        (&[("grant_type", "password"), ("grant_type", "password"), ("username", id)], "invalid_request"),
        (&[("grant_type", "refresh_token"), ("username", id), ("password", secret)], "unsupported_grant_type"),
        (&[("grant_type", "password"), ("username", id), ("password", secret), ("scope", "a  b")], "invalid_scope"),
        (&[("grant_type", "password"), ("username", id), ("password", secret), ("scope", "\"a\"")], "invalid_scope"),
        (
            &[("grant_type", "password"), ("username", id), ("password", secret), ("scope", "storefront shopfront")],
            "invalid_scope",
        ),
    ];
    for (fields, error) in cases {
        let answer = issue(&harness, fields).await;
        assert_eq!((answer.status, answer.str("error")), (400, error), "{}", answer.text());
        assert_eq!(answer.str("error_description"), answer.str("detail"));
    }
    let more = harness.token_of(id, secret, Some("storefront statistics")).await;
    let reached = harness.call("system_me_get").token(&more).expect(200).await;
    assert_eq!(reached.json["scopes"], json!(["storefront"]), "asking for more than is allowed is no error");
    let both =
        |header: String| harness.call("auth_tokens_issue").header("authorization", &header).form(&form(&program, ""));
    both(basic(id, secret)).expect(200).await;
    both(basic(id, "")).expect(200).await;
    assert_eq!(both(basic(id, "another")).expect(400).await.str("error"), "invalid_request");
    assert_eq!(both(basic("another", secret)).expect(400).await.str("error"), "invalid_request");
    let mut fields = form(&program, "").to_vec();
    fields.push(("resource", "https://elsewhere.example"));
    assert_eq!(issue(&harness, &fields).await.status, 200, "a field that is not listed is ignored");
}

#[tokio::test]
async fn user_password_is_rejected_like_unknown_client() {
    let harness = Harness::new().await;
    let person = harness.partner("Nordsee Kassen").await;
    let answer =
        issue(&harness, &[("grant_type", "password"), ("username", &person.email), ("password", PASSWORD)]).await;
    assert_eq!((answer.status, answer.str("error")), (400, "invalid_grant"));
}

#[tokio::test]
async fn token_of_disabled_client_is_rejected_within_one_second() {
    let harness = Harness::new().await;
    let program = harness.program("storefront", &["storefront"], None).await;
    harness.call("system_me_get").token(&program.token).expect(200).await;
    harness.sql("update machine_client set state = 'DISABLED'").await;
    let disabled = std::time::Instant::now();
    while harness.call("system_me_get").token(&program.token).send().await.status != 401 {
        assert!(disabled.elapsed().as_millis() < 1500, "a disabled program's token was still good");
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    }
}

#[tokio::test]
async fn jwks_contains_signing_key() {
    let harness = Harness::new().await;
    let program = harness.program("storefront", &["storefront"], None).await;
    let head = program.token.split('.').next().unwrap();
    let head: Value = serde_json::from_slice(&URL_SAFE_NO_PAD.decode(head).unwrap()).unwrap();
    let keys = harness.call("auth_tokens_list_keys").expect(200).await;
    let keys = keys.json["keys"].as_array().unwrap().clone();
    let signer = keys.iter().find(|key| key["kid"] == head["kid"]).unwrap();
    assert_eq!(signer["x"].as_str().unwrap().len(), 43);
    assert_eq!(
        (&signer["kty"], &signer["crv"], &signer["use"], &signer["alg"]),
        (&"OKP".into(), &"Ed25519".into(), &"sig".into(), &"EdDSA".into())
    );
    assert!(keys.iter().all(|key| key.get("d").is_none()), "a private key was published");
}

/// Returns the claims of a token without verification.
fn claims(token: &str) -> Value {
    serde_json::from_slice(&URL_SAFE_NO_PAD.decode(token.split('.').nth(1).unwrap()).unwrap()).unwrap()
}

#[tokio::test]
async fn access_tokens_have_every_claim_of_rfc_9068() {
    let harness = Harness::new().await;
    let program = harness.program("storefront", &["storefront"], None).await;
    let person = harness.partner("Nordsee Kassen").await;
    let staff = harness.staff("Chief", &["labs.admin:write"]).await;
    for (token, client, scope) in [
        (&program.token, program.client_id.as_str(), "storefront"),
        (&person.token, "labs", "marketplace:write"),
        (&staff.token, "labs", "labs.admin:write"),
    ] {
        let head: Value =
            serde_json::from_slice(&URL_SAFE_NO_PAD.decode(token.split('.').next().unwrap()).unwrap()).unwrap();
        assert_eq!((&head["typ"], &head["alg"]), (&json!("at+jwt"), &json!("EdDSA")));
        let claims = claims(token);
        for claim in ["iss", "aud", "sub", "jti"] {
            assert!(claims[claim].as_str().is_some_and(|text| !text.is_empty()), "{claim}: {claims}");
        }
        assert!(claims["iat"].is_i64() && claims["exp"].as_i64() > claims["iat"].as_i64(), "{claims}");
        assert_eq!(claims["client_id"], client);
        let me = harness.call("system_me_get").token(token).expect(200).await;
        let mut scopes: Vec<&str> = claims["scope"].as_str().unwrap().split(' ').collect();
        scopes.sort_unstable();
        assert!(scopes.contains(&scope) && me.json["scopes"] == json!(scopes), "{claims}: {}", me.text());
    }
}

#[tokio::test]
async fn user_token_of_an_earlier_version_stays_valid() {
    let harness = Harness::new().await;
    let person = harness.partner("Nordsee Kassen").await;
    let ring = harness.engine.services().authority.ring();
    let mut claims = ring.verify(&person.token, harness.clock.now().unix()).unwrap();
    (claims.client_id, claims.scope) = (None, String::new());
    let token = ring.sign(&claims).unwrap();
    let me = harness.call("system_me_get").token(token.expose()).expect(200).await;
    assert_eq!((me.str("principal_type"), me.str("subject")), ("PARTNER_USER", person.uuid.to_string().as_str()));
}

#[tokio::test]
async fn bound_client_is_shown_only_reachable_scopes() {
    let harness = Harness::new().await;
    let partner = harness.partner("Nordsee Kassen").await.partner_uuid;
    let program = harness.program("docs", &["publication", "storefront"], partner).await;
    let told = issue(&harness, &form(&program, "")).await;
    assert_eq!(told.str("scope"), "storefront publication.developer-resources");
    let me = harness.call("system_me_get").token(&program.token).expect(200).await;
    assert_eq!(me.json["scopes"], json!(["publication.developer-resources", "storefront"]));
}

#[tokio::test]
async fn excessive_token_requests_are_rate_limited() {
    let harness = Harness::new().await;
    let program = harness.program("storefront", &["storefront"], None).await;
    harness
        .sql(
            "insert into token_grant (grant_uuid, client_uuid, outcome)
              select labs_uuid(), client_uuid, 'SUCCEEDED' from machine_client, generate_series(1, 299)",
        )
        .await;
    let answer = issue(&harness, &form(&program, "")).await;
    assert_eq!((answer.status, answer.code(), answer.header("retry-after")), (429, "RATE_LIMITED", "60"));
    harness.advance(61).await;
    assert_eq!(issue(&harness, &form(&program, "")).await.status, 200);
}
