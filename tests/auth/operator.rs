//! Tests of accounts that the command line creates, and of the audit record that it writes.

use labs_schema::Code;
use labs_schema::operator::{self, NewClient, NewStaff};
use uuid::Uuid;

use crate::harness::Harness;

fn ada(roles: &[&str]) -> NewStaff {
    let roles = roles.iter().map(|role| (*role).to_owned()).collect();
    NewStaff { email: "ada@labs.example".to_owned(), name: "Ada Byron".to_owned(), roles, password: None }
}

fn program(scopes: &[&str], partner_uuid: Option<Uuid>) -> NewClient {
    let scopes = scopes.iter().map(|scope| (*scope).to_owned()).collect();
    NewClient { name: "importer".to_owned(), scopes, partner_uuid, networks: vec!["192.0.2.7/24".parse().unwrap()] }
}

#[tokio::test]
async fn first_staff_member_signs_in_with_printed_credentials() {
    let harness = Harness::new().await;
    let made = operator::staff_create(harness.engine.pool(), harness.engine.services(), ada(&[])).await.unwrap();
    let body = serde_json::json!({ "email": "ada@labs.example", "password": made.password.clone().unwrap() });
    let asked = harness.call("auth_sessions_create").json(&body).expect(401).await;
    let body =
        serde_json::json!({ "challenge": asked.str("challenge"), "code": harness.code(&made.factor.totp_secret) });
    let answer = harness.call("auth_sessions_verify_mfa").json(&body).expect(200).await;
    let me = harness.call("system_me_get").token(answer.str("access_token")).expect(200).await;
    assert_eq!(me.json["scopes"], serde_json::json!(["auth.account:write", "labs.admin:write"]));
    assert_eq!(made.factor.recovery_codes.len(), 10);
    assert!(made.factor.otpauth_uri.contains(&made.factor.totp_secret));
    assert!(!format!("{made:?}").contains(&made.factor.totp_secret), "secrets cannot be printed");
}

#[tokio::test]
async fn operator_actions_are_audited_with_difference_without_secrets() {
    let harness = Harness::new().await;
    let (pool, services) = (harness.engine.pool(), harness.engine.services());
    let staff = operator::staff_create(pool, services, ada(&["auditor", "Operator"])).await.unwrap();
    let client = operator::client_create(pool, services, program(&["storefront"], None)).await.unwrap();
    for (operation, target, things) in
        [("staff_create", staff.person_uuid, 4), ("client_create", client.client_uuid, 2)]
    {
        let record = format!(
            "select count(*) from audit_log where operation = '{operation}' and channel = 'COMMAND_LINE'
                and actor_kind = 'SYSTEM' and outcome = 'SUCCEEDED' and target_uuid = '{target}'"
        );
        assert_eq!(harness.number(&record).await, 1, "{operation}");
        let changes = format!(
            "select count(*) from audit_change join audit_log using (record_uuid) where operation = '{operation}'
                and thing in ('person', 'staff_role_grant', 'totp_factor', 'machine_client', 'machine_client_secret') and action = 'INSERT'"
        );
        assert_eq!(harness.number(&changes).await, things, "{operation}");
    }
    let secret = "select count(*) from audit_change where after::text ~ '(argon2|sha256|sealed)'";
    assert_eq!(harness.number(secret).await, 0);
}

#[tokio::test]
async fn invalid_operator_input_is_rejected_without_effect() {
    let harness = Harness::new().await;
    let (pool, services) = (harness.engine.pool(), harness.engine.services());
    let unknown_role = operator::staff_create(pool, services, ada(&["wizard"])).await.unwrap_err();
    assert!(unknown_role.errors()[0].message.contains("OPERATOR"), "it names those that there are");
    operator::staff_create(pool, services, ada(&[])).await.unwrap();
    let twice = operator::staff_create(pool, services, ada(&[])).await.unwrap_err();
    assert_eq!(twice.code(), Code::Conflict);
    let weak = NewStaff { email: "otto@labs.example".to_owned(), password: Some("password1234".into()), ..ada(&[]) };
    assert_eq!(operator::staff_create(pool, services, weak).await.unwrap_err().code(), Code::ValidationFailed);
    for new in [
        program(&["no.scope"], None),
        program(&["storefront"], Some(Uuid::from_u128(7))),
        program(&["auth.account"], None),
    ] {
        assert_eq!(operator::client_create(pool, services, new).await.unwrap_err().code(), Code::ValidationFailed);
    }
    assert_eq!(harness.number("select count(*) from audit_log where channel = 'COMMAND_LINE'").await, 1);
    assert_eq!(harness.number("select (select count(*) from person) + (select count(*) from machine_client)").await, 1);
}

#[tokio::test]
async fn client_is_accepted_only_from_its_networks() {
    let harness = Harness::new().await;
    let made =
        operator::client_create(harness.engine.pool(), harness.engine.services(), program(&["storefront"], None))
            .await
            .unwrap();
    let fields = [("grant_type", "password"), ("username", &*made.client_id), ("password", &*made.secret)];
    harness.call("auth_tokens_issue").form(&fields).expect(400).await;
    assert_eq!(
        harness.number("select count(*) from machine_client where allowed_networks = '{192.0.2.0/24}'").await,
        1
    );
    harness.sql("update machine_client set allowed_networks = '{192.0.2.0/24,127.0.0.0/8}'").await;
    harness.call("auth_tokens_issue").form(&fields).expect(200).await;
}
