//! Tests of introspection and revocation of a machine client's access tokens.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use super::{swift, wait_until_refused};
use crate::harness::people::Program;
use crate::harness::{Answer, Harness, OpenTransaction};

fn basic(program: &Program) -> String {
    format!("Basic {}", STANDARD.encode(format!("{}:{}", program.client_id, program.secret)))
}

async fn ask(harness: &Harness, operation: &str, program: &Program, token: &str) -> Answer {
    let form =
        [("client_id", program.client_id.as_str()), ("client_secret", program.secret.as_str()), ("token", token)];
    harness.call(operation).form(&form).send().await
}

async fn introspect(harness: &Harness, program: &Program, token: &str) -> Value {
    let answer = ask(harness, "auth_tokens_introspect", program, token).await;
    assert_eq!(answer.status, 200, "{}", answer.text());
    answer.json
}

async fn revoke(harness: &Harness, program: &Program, token: &str) -> Answer {
    ask(harness, "auth_tokens_revoke", program, token).await
}

fn inactive() -> Value {
    json!({ "active": false })
}

#[tokio::test]
async fn introspection_returns_current_state_or_inactive() {
    let harness = swift().await;
    let gateway = harness.program("gateway", &["storefront:write"], None).await;
    let told = introspect(&harness, &gateway, &gateway.token).await;
    assert_eq!((&told["active"], &told["scope"]), (&json!(true), &json!("storefront:write")));
    assert_eq!((&told["client_id"], &told["principal_type"]), (&json!(gateway.client_id), &json!("MACHINE_CLIENT")));
    assert_eq!(told["exp"].as_i64().unwrap() - told["iat"].as_i64().unwrap(), 3600);
    let person = harness.partner("Nordsee Kassen").await;
    let told = introspect(&harness, &gateway, &person.token).await;
    assert_eq!((&told["sub"], &told["principal_type"]), (&json!(person.uuid), &json!("PARTNER_USER")));
    assert_eq!(told["partner_uuid"], json!(person.partner_uuid));
    assert!(told.get("client_id").is_none() && told["scope"].as_str().unwrap().contains("marketplace:write"));
    for nothing in ["abc", "a.b.c", &format!("{}x", gateway.token)] {
        assert_eq!(introspect(&harness, &gateway, nothing).await, inactive(), "{nothing}");
    }
    harness.call("auth_sessions_sign_out").cookie(&person.refresh).json(&json!({})).expect(200).await;
    wait_until_refused(&harness, &person.token).await;
    assert_eq!(introspect(&harness, &gateway, &person.token).await, inactive());
    harness.advance(3601).await;
    assert_eq!(introspect(&harness, &gateway, &gateway.token).await, inactive(), "it has expired");
}

#[tokio::test]
async fn bound_client_introspects_only_its_tokens() {
    let harness = swift().await;
    let person = harness.partner("Nordsee Kassen").await;
    let bound = harness.program("bound", &["marketplace"], person.partner_uuid).await;
    let other = harness.program("other", &["marketplace"], person.partner_uuid).await;
    assert_eq!(introspect(&harness, &bound, &bound.token).await["active"], true);
    for foreign in [&other.token, &person.token] {
        assert_eq!(introspect(&harness, &bound, foreign).await, inactive());
    }
}

/// Cuts off the change notifications. Because the signing keys are locked, the reconnected listener only waits for
/// them.
async fn cut_off_from_what_changes(harness: &Harness) -> OpenTransaction {
    let mut held = harness.lock("signing_key", "access exclusive").await;
    let end = "select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and pid <> pg_backend_pid() and query = 'select 1'";
    held.go_on(end).await;
    held
}

#[tokio::test]
async fn cached_authority_expires_after_change_feed_breaks() {
    let harness = swift().await;
    let person = harness.partner("Nordsee Kassen").await;
    harness.call("system_me_get").token(&person.token).expect(200).await;
    let held = cut_off_from_what_changes(&harness).await;
    let end = format!("update session set ended_at = labs_now() where person_uuid = '{}'", person.uuid);
    harness.sql(&end).await;
    wait_until_refused(&harness, &person.token).await;
    held.roll_back().await;
}

#[tokio::test]
async fn revoked_token_is_rejected_within_one_second_and_others_stay() {
    let harness = swift().await;
    let program = harness.program("importer", &["storefront"], None).await;
    let second = harness.token_of(&program.client_id, &program.secret, None).await;
    harness.call("system_me_get").token(&program.token).expect(200).await;
    let answer = revoke(&harness, &program, &program.token).await;
    assert_eq!((answer.status, answer.str("status")), (200, "REVOKED"));
    wait_until_refused(&harness, &program.token).await;
    assert_eq!(introspect(&harness, &program, &program.token).await, inactive());
    harness.call("system_me_get").token(&second).expect(200).await;
    for again in [program.token.as_str(), "garbled"] {
        assert_eq!(revoke(&harness, &program, again).await.status, 200, "nothing is left to end, which is no error");
    }
    assert_eq!(harness.number("select count(*) from access_token_revocation").await, 1);
    assert_eq!(harness.number("select count(*) from security_event where kind = 'TOKEN_REVOKED'").await, 1);
}

#[tokio::test]
async fn client_cannot_revoke_foreign_token() {
    let harness = swift().await;
    let gateway = harness.program("gateway", &["storefront"], None).await;
    let other = harness.program("other", &["storefront"], None).await;
    let person = harness.partner("Nordsee Kassen").await;
    for foreign in [&other.token, &person.token] {
        let answer = revoke(&harness, &gateway, foreign).await;
        assert_eq!((answer.status, answer.str("error")), (400, "unauthorized_client"));
        harness.call("system_me_get").token(foreign).expect(200).await;
    }
}

#[tokio::test]
async fn introspection_and_revocation_authenticate_clients_equally() {
    let harness = swift().await;
    let owner = harness.partner("Nordsee Kassen").await;
    let program = harness.program("bound", &["marketplace"], owner.partner_uuid).await;
    for operation in ["auth_tokens_introspect", "auth_tokens_revoke"] {
        let by_basic = harness.call(operation).header("authorization", &basic(&program));
        let repeated = [("token", "x"), ("client_id", program.client_id.as_str()), ("token_type_hint", "access_token")];
        by_basic.form(&repeated).expect(200).await;
        let twice = [("token", "x"), ("client_id", "other"), ("client_secret", program.secret.as_str())];
        let both = harness.call(operation).header("authorization", &basic(&program)).form(&twice).expect(400).await;
        assert_eq!(both.str("error"), "invalid_request");
        let no_token = harness.call(operation).header("authorization", &basic(&program)).form(&[]).expect(400).await;
        assert_eq!((no_token.str("error"), no_token.str("detail")), ("invalid_request", "Send the token as `token`."));
        let unknown = Program { client_id: "labs-client-nobody".to_owned(), ..program.clone() };
        let wrong = Program { secret: "labs_cs_short".to_owned(), ..program.clone() };
        let mut refusals = vec![
            ask(&harness, operation, &unknown, &program.token).await,
            ask(&harness, operation, &wrong, &program.token).await,
            harness.call(operation).header("authorization", &basic(&wrong)).form(&[("token", "x")]).send().await,
        ];
        harness.sql("update machine_client set state = 'DISABLED'").await;
        refusals.push(ask(&harness, operation, &program, &program.token).await);
        harness.sql("update machine_client set state = 'ACTIVE'").await;
        for refusal in &refusals {
            assert_eq!((refusal.status, refusal.str("error")), (401, "invalid_client"));
            assert_eq!(refusal.str("detail"), refusals[0].str("detail"));
            assert!(refusal.header("www-authenticate").starts_with("Basic"));
        }
    }
    assert_eq!(harness.number("select count(*) from security_event where kind = 'CLIENT_REFUSED'").await, 8);
}
