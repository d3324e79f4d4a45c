//! Tests of signing keys: several replicas rotate them under load without rejecting a valid token.

use base64::Engine as _;
use serde_json::{Value, json};

use crate::harness::people::{Person, Program};
use crate::harness::{Answer, Call, Harness};
use crate::soak;

struct Smithy {
    harness: Harness,
    smith: Person,
    program: Program,
}

impl Smithy {
    async fn new() -> Self {
        let harness = Harness::new().await;
        let smith = harness.staff("Sven Smith", &["labs.admin.security:write", "labs.admin.audit"]).await;
        let program = harness.program("Storefront", &["storefront"], None).await;
        Self { harness, smith, program }
    }

    fn call(&self, operation: &str) -> Call<'_> {
        self.harness.call(operation).token(&self.smith.token)
    }

    async fn keys(&self) -> Vec<Value> {
        let list = self.call("admin_signing_keys_list").query("limit", 100).expect(200).await;
        list.json["data"].as_array().unwrap().clone()
    }

    async fn rotate(&self) -> Answer {
        self.call("admin_signing_keys_rotate").json(&json!({ "reason": "The yearly change." })).expect(200).await
    }

    /// Issues an access token to the machine client at a replica.
    async fn token(&self, at: &Harness) -> String {
        at.token_of(&self.program.client_id, &self.program.secret, None).await
    }
}

/// Returns the id of the key that signed a token.
fn kid(token: &str) -> String {
    let header = base64::engine::general_purpose::URL_SAFE_NO_PAD.decode(token.split('.').next().unwrap()).unwrap();
    serde_json::from_slice::<Value>(&header).unwrap()["kid"].as_str().unwrap().to_owned()
}

async fn is_good(at: &Harness, token: &str) -> bool {
    at.call("system_me_get").token(token).send().await.status == 200
}

#[tokio::test]
async fn next_key_signs_and_former_verifies_until_its_tokens_expire() {
    let smithy = Smithy::new().await;
    let states = |keys: &[Value]| keys.iter().map(|key| key["state"].as_str().unwrap().to_owned()).collect::<Vec<_>>();
    let before = smithy.keys().await;
    let mut both = states(&before);
    both.sort();
    assert_eq!(both, ["CURRENT", "NEXT"], "the next one is there from the first start on");
    let of = |keys: &[Value], state: &str| keys.iter().find(|key| key["state"] == state).unwrap().clone();
    let former = smithy.token(&smithy.harness).await;
    assert_eq!(kid(&former), of(&before, "CURRENT")["key_id"]);

    let rotated = smithy.rotate().await.json;
    assert_eq!(rotated["current"]["key_id"], of(&before, "NEXT")["key_id"]);
    assert_eq!(rotated["former"]["key_id"], of(&before, "CURRENT")["key_id"]);
    assert_eq!((&rotated["former"]["state"], &rotated["next"]["state"]), (&json!("RETIRED"), &json!("NEXT")));
    let current = rotated["current"]["key_id"].as_str().unwrap();
    let signs = async || kid(&smithy.token(&smithy.harness).await) == current;
    smithy.harness.soon("the new key signs", signs).await;
    assert!(is_good(&smithy.harness, &former).await, "tokens of the former stay good");
    let published = smithy.harness.call("auth_tokens_list_keys").expect(200).await;
    for key in ["current", "next", "former"] {
        assert!(published.text().contains(rotated[key]["public_key"].as_str().unwrap()), "{key} is published");
    }
    assert_eq!(
        smithy
            .call("admin_signing_keys_list")
            .query("state", "RETIRED")
            .query("include_total", true)
            .expect(200)
            .await
            .json["page"]["total"],
        1
    );

    // No response contains a private key, and the retired key's private key is deleted.
    assert_eq!(
        smithy
            .harness
            .number("select count(*) from signing_key where state = 'RETIRED' and private_key_sealed is not null")
            .await,
        0
    );
    let log = smithy.call("admin_audit_records_list").query("operation", "admin_signing_keys_rotate").expect(200).await;
    let record = &log.json["data"][0];
    assert_eq!((&record["reason"], &record["target"]["label"]), (&json!("The yearly change."), &json!(current)));
    assert!(!log.text().contains("sealed\":\"") && !log.text().contains("private"), "{}", log.text());
    assert!(!rotated.to_string().contains("private"));
}

#[tokio::test]
async fn rotations_cause_no_wrong_rejection_on_any_replica() {
    let smithy = Smithy::new().await;
    let twin = smithy.harness.twin(&[]).await;
    let replicas = [&smithy.harness, &twin];
    let (mut kids, mut tokens) = (std::collections::BTreeSet::new(), Vec::new());
    let rotations = soak::count(8, 20);
    for _ in 0..rotations {
        // Each token is used at once on the other replica during the rotation.
        let rotation = smithy.rotate();
        let load = async {
            let mut issued = Vec::new();
            for round in 0..6 {
                let (at, other) = (replicas[round % 2], replicas[(round + 1) % 2]);
                let token = smithy.token(at).await;
                assert!(is_good(other, &token).await, "a token of {}", kid(&token));
                issued.push(token);
            }
            issued
        };
        let (_, issued) = tokio::join!(rotation, load);
        kids.extend(issued.iter().map(|token| kid(token)));
        tokens.extend(issued);
    }
    assert!(kids.len() > 2, "several keys have signed: {kids:?}");
    for token in &tokens {
        for replica in replicas {
            assert!(is_good(replica, token).await, "a token of {}", kid(token));
        }
    }
    assert_eq!(smithy.harness.number("select count(*) from signing_key where state = 'CURRENT'").await, 1);
    assert_eq!(
        smithy.harness.number("select count(*) from signing_key where state = 'RETIRED'").await,
        rotations as i64
    );
    let again = smithy.keys().await;
    assert_eq!(again.len(), rotations + 2);
    soak::figure(&format!("{rotations} rotations of the signing key over two replicas at work: no wrong refusal"));
}

#[tokio::test]
async fn rotation_is_rejected_while_too_many_keys_verify() {
    let smithy = Smithy::new().await;
    // Each row is in the state in which a rotation leaves a key: without private key, and valid for verification for an
    // hour.
    let fill = "insert into signing_key (key_id, algorithm, state, public_key, created_at, activated_at, retired_at, expires_at)
                select 'former-' || number, 'EdDSA', 'RETIRED', sha256(number::text::bytea), labs_now(), labs_now(),
                       labs_now(), labs_now() + interval '1 hour'
                  from generate_series(1, 97) as number";
    smithy.harness.sql(fill).await;
    smithy.rotate().await;
    let published =
        async || smithy.harness.call("auth_tokens_list_keys").expect(200).await.json["keys"].as_array().unwrap().len();
    smithy.harness.soon("all of them are published", async || published().await == 100).await;
    let refused = smithy.call("admin_signing_keys_rotate").json(&json!({})).expect(409).await;
    assert_eq!(refused.str("code"), "CONFLICT");

    smithy.harness.sql("update signing_key set expires_at = labs_now() where key_id = 'former-1'").await;
    let next = smithy.rotate().await.json["next"]["key_id"].clone();
    let is_published =
        async || smithy.harness.call("auth_tokens_list_keys").expect(200).await.text().contains(next.as_str().unwrap());
    smithy.harness.soon("the newest is published", is_published).await;
    assert_eq!(published().await, 100);
}

#[tokio::test]
async fn concurrent_rotations_are_serialized() {
    let smithy = Smithy::new().await;
    let answers = futures_util::future::join_all((0..4).map(|_| smithy.rotate())).await;
    let mut current: Vec<&str> =
        answers.iter().map(|answer| answer.json["current"]["key_id"].as_str().unwrap()).collect();
    current.sort_unstable();
    current.dedup();
    assert_eq!(current.len(), 4, "each put a key of its own in force");
    assert_eq!(smithy.keys().await.len(), 6);
    let token = smithy.token(&smithy.harness).await;
    assert!(is_good(&smithy.harness, &token).await);
}
