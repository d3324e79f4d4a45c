//! Tests of machine clients: how they are created, and how a secret is rotated without downtime.

use futures_util::future::join_all;
use serde_json::{Value, json};
use uuid::Uuid;

use crate::harness::people::Person;
use crate::harness::{Answer, Call, Harness, LONGEST_WAIT};

struct Office {
    harness: Harness,
    operator: Person,
}

impl Office {
    async fn new() -> Self {
        let harness = Harness::new().await;
        harness.sql("update tier set burst_per_second = 100000").await;
        let operator = harness.staff("Olga Operator", &["labs.admin.clients:write", "labs.admin.audit"]).await;
        Self { harness, operator }
    }

    fn call(&self, operation: &str) -> Call<'_> {
        self.harness.call(operation).token(&self.operator.token)
    }

    async fn create(&self, body: Value) -> Answer {
        self.call("admin_machine_clients_create").json(&body).send().await
    }

    async fn rotate(&self, client: &str, body: Value) -> Answer {
        self.call("admin_machine_clients_rotate_secret").path("client_uuid", client).json(&body).send().await
    }

    async fn see(&self, client: &str) -> Answer {
        self.call("admin_machine_clients_get").path("client_uuid", client).expect(200).await
    }

    /// Requests an access token.
    async fn token(&self, client_id: &str, secret: &str) -> Answer {
        let form = [("grant_type", "password"), ("username", client_id), ("password", secret)];
        self.harness.call("auth_tokens_issue").form(&form).send().await
    }

    async fn is_good(&self, client_id: &str, secret: &str) -> bool {
        self.token(client_id, secret).await.status == 200
    }
}

/// Returns code and pointer of each error in a problem document.
fn errors(refusal: &Answer) -> Vec<(&str, &str)> {
    let errors = refusal.json["errors"].as_array().map(Vec::as_slice).unwrap_or_default().iter();
    errors.map(|error| (error["code"].as_str().unwrap(), error["pointer"].as_str().unwrap())).collect()
}

#[tokio::test]
async fn secret_is_shown_once_and_not_stored() {
    let office = Office::new().await;
    let made = office.create(json!({ "name": "Storefront", "allowed_scopes": ["storefront"] })).await;
    let (client, client_id, secret) = (made.str("uuid"), made.str("client_id"), made.str("client_secret"));
    assert_eq!((made.status, made.header("location")), (201, &*format!("/v1/admin/machine-clients/{client}")));
    assert!(secret.starts_with("labs_cs_") && secret.len() >= 50, "256 random bits and a prefix that tools know");
    assert!(office.is_good(client_id, secret).await);
    assert!(!office.is_good(client_id, &format!("{secret}x")).await);
    let seen = office.see(client).await;
    assert!(!seen.text().contains(secret));
    assert_eq!(seen.json["secrets"][0]["prefix"], secret[..14]);
    assert_eq!(seen.json["client_secret"], Value::Null);

    let rotated = office.rotate(client, json!({})).await;
    let second = rotated.str("client_secret");
    let log = office.call("admin_audit_records_list").query("target_uuid", client).expect(200).await;
    let written = log.json["data"].as_array().unwrap().iter().filter(|record| record["changes"] != json!([])).count();
    assert_eq!(written, 2, "{}", log.text());
    for word in [secret, second, &secret[14..], "sha256"] {
        assert!(!log.text().contains(word), "the audit log tells {word}");
    }
    // Searches the whole database for the secret, as text and as bytes.
    for word in [secret, second] {
        let found = format!(
            "select (select count(*) from machine_client_secret as s where s::text like '%{word}%')
                  + (select count(*) from audit_change as c where c::text like '%{word}%')
                  + (select count(*) from audit_log as l where l::text like '%{word}%')
                  + (select count(*) from idempotency_key where position('{word}'::bytea in answer_sealed) > 0)"
        );
        assert_eq!(office.harness.number(&found).await, 0);
    }
}

#[tokio::test]
async fn lost_response_is_repeated_for_idempotency_key() {
    let office = Office::new().await;
    let body = json!({ "name": "Storefront", "allowed_scopes": ["storefront"] });
    let create = || office.call("admin_machine_clients_create").header("idempotency-key", "provision-1").json(&body);
    let first = create().expect(201).await;
    let again = create().expect(201).await;
    assert_eq!((again.header("idempotency-replayed"), &again.bytes), ("true", &first.bytes));
    assert_eq!(office.harness.number("select count(*) from machine_client").await, 1);
    let found = format!(
        "select count(*) from idempotency_key where position('{}'::bytea in answer_sealed) > 0",
        first.str("client_secret")
    );
    assert_eq!(office.harness.number(&found).await, 0, "what is kept for the repeat is sealed");
}

#[tokio::test]
async fn client_rotates_to_new_secret_without_gap() {
    let office = Office::new().await;
    let made = office.create(json!({ "name": "Storefront", "allowed_scopes": ["storefront"] })).await;
    let (client, id, first) = (made.str("uuid"), made.str("client_id"), made.str("client_secret"));
    let rotated = office.rotate(client, json!({ "old_secret_expires_in": 3600 })).await;
    assert_eq!((rotated.status, rotated.header("location")), (201, &*format!("/v1/admin/machine-clients/{client}")));
    let second = rotated.str("client_secret");
    assert_ne!(first, second);
    assert!(office.is_good(id, first).await && office.is_good(id, second).await, "both are good for now");
    let secrets = office.see(client).await.json["secrets"].clone();
    assert_eq!(secrets.as_array().unwrap().len(), 2);
    assert_eq!(secrets[0]["expires_at"], Value::Null, "the newest comes first and does not end");
    assert_eq!(secrets[1]["expires_at"], rotated.json["former_secrets_expire_at"]);

    let third = office.rotate(client, json!({})).await;
    assert_eq!((third.status, third.code()), (409, "CONFLICT"), "a third would be one too many");
    office.harness.advance(3601).await;
    let office = Office {
        operator: office
            .harness
            .sign_in_with_factor(&office.operator.email, office.operator.totp.as_ref().unwrap())
            .await,
        ..office
    };
    assert!(!office.is_good(id, first).await && office.is_good(id, second).await, "the former one has ended");
    assert_eq!(office.see(client).await.json["secrets"].as_array().unwrap().len(), 1);

    let leaked = office.rotate(client, json!({ "old_secret_expires_in": 0 })).await;
    assert_eq!(leaked.status, 201);
    assert!(!office.is_good(id, second).await && office.is_good(id, leaked.str("client_secret")).await);
    for bad in [json!({ "old_secret_expires_in": -1 }), json!({ "old_secret_expires_in": 2_592_001 })] {
        let refused = office.rotate(client, bad).await;
        assert_eq!((refused.status, errors(&refused)[0].1), (422, "/old_secret_expires_in"));
    }
}

#[tokio::test]
async fn concurrent_rotations_leave_two_secrets() {
    let office = Office::new().await;
    let made = office.create(json!({ "name": "Storefront", "allowed_scopes": ["storefront"] })).await;
    let client = made.str("uuid");
    let answers = join_all((0..5).map(|_| office.rotate(client, json!({})))).await;
    assert_eq!(answers.iter().filter(|answer| answer.status == 201).count(), 1);
    assert!(answers.iter().all(|answer| answer.status == 201 || answer.code() == "CONFLICT"));
    assert_eq!(office.see(client).await.json["secrets"].as_array().unwrap().len(), 2);
    let nobody = office.rotate("0198d000-0000-7000-8000-000000000001", json!({})).await;
    assert_eq!((nobody.status, nobody.code()), (404, "NOT_FOUND"));
}

#[tokio::test]
async fn bound_client_never_gets_admin_scopes() {
    let office = Office::new().await;
    let chief = office.harness.staff("Chief", &["labs.admin:write"]).await;
    let partner = office.harness.partner("Nordsee Kassen").await.partner_uuid.unwrap();
    let all = ["labs.admin", "labs.admin:write", "labs.admin.overview", "labs.admin.audit:write"];
    let body = json!({ "name": "Bound", "partner_uuid": partner, "allowed_scopes": all });
    let refused = office.harness.call("admin_machine_clients_create").token(&chief.token).json(&body).send().await;
    let expected: Vec<(String, String)> =
        (0..4).map(|place| ("SCOPE_OF_STAFF".to_owned(), format!("/allowed_scopes/{place}"))).collect();
    let said: Vec<_> = errors(&refused).into_iter().map(|(code, place)| (code.to_owned(), place.to_owned())).collect();
    assert_eq!((refused.status, said), (422, expected));

    // The client's binding limits the token's scopes, regardless of the stored row.
    let made =
        office.create(json!({ "name": "Bound", "partner_uuid": partner, "allowed_scopes": ["marketplace"] })).await;
    office
        .harness
        .sql(
            "alter table machine_client drop constraint machine_client_bound_scopes_check;
             update machine_client set allowed_scopes = allowed_scopes || array['labs.admin:write']",
        )
        .await;
    let issued = office.token(made.str("client_id"), made.str("client_secret")).await;
    assert_eq!((issued.status, issued.str("scope")), (200, "marketplace"));
    let token = issued.str("access_token");
    let me = office.harness.call("system_me_get").token(token).expect(200).await;
    assert_eq!((&me.json["scopes"], &me.json["partner_uuid"]), (&json!(["marketplace"]), &json!(partner)));
    let list = office.harness.call("admin_audit_records_list").token(token).send().await;
    assert_eq!((list.status, list.code()), (403, "SCOPE_MISSING"));
}

#[tokio::test]
async fn caller_cannot_grant_client_scopes_beyond_own() {
    let office = Office::new().await;
    for scope in ["labs.admin:write", "labs.admin.clients:write", "labs.admin.audit:write", "labs.admin.overview"] {
        let refused = office.create(json!({ "name": "Tool", "allowed_scopes": [scope] })).await;
        let is_own = scope == "labs.admin.clients:write";
        assert_eq!(refused.status, if is_own { 201 } else { 422 }, "{scope}");
        if !is_own {
            assert_eq!(errors(&refused), [("SCOPE_BEYOND_YOURS", "/allowed_scopes/0")]);
        }
    }
}

#[tokio::test]
async fn all_client_errors_are_reported_together() {
    let office = Office::new().await;
    let refused = office
        .create(json!({
            "name": "Tool",
            "partner_uuid": Uuid::nil(),
            "allowed_scopes": ["marketplace", "marketplace.nothing"],
            "allowed_networks": ["198.51.100.0/24", "198.51.100.7/24"],
        }))
        .await;
    let expected = [
        ("UNKNOWN_PARTNER", "/partner_uuid"),
        ("UNKNOWN_SCOPE", "/allowed_scopes/1"),
        ("HOST_BITS", "/allowed_networks/1"),
    ];
    assert_eq!((refused.status, errors(&refused)), (422, expected.to_vec()), "{}", refused.text());
    assert_eq!(office.harness.number("select count(*) from machine_client").await, 0);
    let log = office.call("admin_audit_records_list").query("operation", "admin_machine_clients_create");
    let log = log.query("outcome", "REFUSED").expect(200).await;
    assert_eq!(
        (&log.json["data"][0]["code"], &log.json["data"][0]["changes"]),
        (&json!("VALIDATION_FAILED"), &json!([]))
    );
}

#[tokio::test]
async fn partner_binding_and_tier_limit_client_scopes() {
    let office = Office::new().await;
    let owner = office.harness.partner("Nordsee Kassen").await;
    let wanted = json!({
        "name": "Bound", "partner_uuid": owner.partner_uuid, "allowed_scopes": ["marketplace.apps:write", "statistics"],
    });
    let made = office.create(wanted).await;
    assert_eq!(made.json["allowed_scopes"], json!(["marketplace.apps:write", "statistics"]));
    let issued = office.token(made.str("client_id"), made.str("client_secret")).await;
    assert_eq!(issued.str("scope"), "marketplace.apps:write", "the free tier grants no statistics");
    let app = office.harness.call("marketplace_apps_create").token(issued.str("access_token"));
    let app = app.json(&json!({ "name": "By a program" })).expect(201).await;
    let seen = office.harness.call("marketplace_apps_get").path("app_uuid", app.str("uuid")).token(&owner.token);
    seen.expect(200).await;

    let told = tokio::time::timeout(LONGEST_WAIT, async {
        loop {
            let seen = office.see(made.str("uuid")).await;
            if seen.json["used_scopes"] != json!([]) {
                return seen;
            }
            tokio::time::sleep(std::time::Duration::from_millis(100)).await;
        }
    });
    let used = told.await.unwrap().json["used_scopes"].clone();
    assert_eq!((&used[0]["scope"], &used[0]["uses"]), (&json!("marketplace.apps:write"), &json!(1)));
}

#[tokio::test]
async fn client_gets_tokens_only_from_its_networks() {
    let office = Office::new().await;
    let body =
        |network: &str| json!({ "name": "Tool", "allowed_scopes": ["storefront"], "allowed_networks": [network] });
    let elsewhere = office.create(body("198.51.100.0/24")).await;
    let here = office.create(body("127.0.0.0/8")).await;
    assert!(!office.is_good(elsewhere.str("client_id"), elsewhere.str("client_secret")).await);
    assert!(office.is_good(here.str("client_id"), here.str("client_secret")).await);
}

#[tokio::test]
async fn disabled_client_may_rotate_secret_but_stays_disabled() {
    let office = Office::new().await;
    let made = office.create(json!({ "name": "Tool", "allowed_scopes": ["storefront"] })).await;
    // The test sets the state directly in the database.
    office.harness.sql("update machine_client set state = 'DISABLED'").await;
    let rotated = office.rotate(made.str("uuid"), json!({})).await;
    assert_eq!(rotated.status, 201);
    assert_eq!(office.see(made.str("uuid")).await.json["state"], "DISABLED");
    assert!(!office.is_good(made.str("client_id"), rotated.str("client_secret")).await);
}
