//! Tests of concurrent registrations of one address: they wait independently, and each belongs only to the client that
//! submitted it.

use futures_util::future::join_all;
use serde_json::{Value, json};

use super::registrations::{EMAIL, company, faults, register, resend, token_of_mail, verify};
use crate::harness::{Answer, Harness, behind_a_proxy};

/// Verifies a token with a password that may differ from the registration's password.
async fn verify_with(harness: &Harness, token: &str, password: &str) -> Answer {
    let body = json!({ "token": token, "password": password });
    harness.call("auth_registrations_verify_email").json(&body).send().await
}

const STRANGERS: &str = "a stranger's own long password";

/// A registration of the owner's address by another person.
fn strangers(name: &str) -> Value {
    let mut body = company(name, EMAIL);
    body["administrator"]["password"] = json!(STRANGERS);
    body
}

#[tokio::test]
async fn later_registration_of_address_is_not_confirmed_by_owner() {
    let harness = Harness::new().await;
    register(&harness, &company("Weser Software", EMAIL)).await;
    let owners = token_of_mail(&harness, EMAIL, 1).await;
    harness.advance(3600).await;
    register(&harness, &strangers("Elbe Software")).await;
    let later = token_of_mail(&harness, EMAIL, 2).await;
    let mails = harness.mails_now(EMAIL);
    assert!(mails[0].contains("Weser Software") && mails[1].contains("Elbe Software"), "{mails:?}");
    let refused = verify(&harness, &later).await;
    assert_eq!((refused.status, refused.code()), (401, "INVALID_CREDENTIALS"), "{}", refused.text());
    assert_eq!(verify_with(&harness, &owners, STRANGERS).await.status, 401, "the token alone opens nothing either");
    let verified = verify(&harness, &owners).await;
    assert_eq!(verified.status, 200, "a wrong password keeps the token: {}", verified.text());
    assert_eq!(harness.sign_in(EMAIL).await.uuid.to_string(), verified.str("user_uuid"));
    let as_stranger = json!({ "email": EMAIL, "password": STRANGERS });
    harness.call("auth_sessions_create").json(&as_stranger).expect(401).await;
    assert_eq!(faults(&verify_with(&harness, &later, STRANGERS).await), [("/token", "INVALID")]);
    assert_eq!(harness.number("select count(*) from partner").await, 1, "the other one is gone");
    register(&harness, &strangers("Another")).await;
    assert_eq!(harness.number("select count(*) from partner").await, 1, "whoever is verified gives way to nobody");
}

#[tokio::test]
async fn registration_is_void_once_address_is_used() {
    let harness = Harness::new().await;
    register(&harness, &company("Weser Software", EMAIL)).await;
    let token = token_of_mail(&harness, EMAIL, 1).await;
    let chief = harness.staff("Chief", &["labs.admin:write"]).await;
    let colleague = json!({ "name": "Ada Weser", "email": EMAIL, "roles": ["AUDITOR"] });
    harness.call("admin_staff_create").token(&chief.token).json(&colleague).expect(201).await;
    assert_eq!(faults(&verify(&harness, &token).await), [("/token", "INVALID")]);
    resend(&harness, EMAIL).await;
    harness.until("select count(*) from mail_message where kind = 'ALREADY_REGISTERED'", 1).await;
}

#[tokio::test]
async fn ten_wrong_passwords_void_token() {
    let harness = Harness::new().await;
    register(&harness, &company("Weser Software", EMAIL)).await;
    let token = harness.mailed_token(EMAIL).await;
    let tries = (0..14).map(|_| verify_with(&harness, &token, STRANGERS));
    let statuses: Vec<u16> = join_all(tries).await.iter().map(|answer| answer.status).collect();
    assert_eq!(statuses.iter().filter(|status| **status == 401).count(), 10, "{statuses:?}");
    assert_eq!(faults(&verify(&harness, &token).await), [("/token", "INVALID")]);
    resend(&harness, EMAIL).await;
    assert_eq!(verify(&harness, &token_of_mail(&harness, EMAIL, 2).await).await.status, 200, "a new mail begins anew");
}

#[tokio::test]
async fn registrations_by_others_leave_mail_budget_for_owner() {
    let harness = Harness::with(&behind_a_proxy()).await;
    let from = |address: &'static str| {
        harness.call("auth_registrations_create").header("x-forwarded-for", address).json(&strangers("Elbe Software"))
    };
    for number in 0..8 {
        // The limit applies to the whole /64 network of a household, for every address in it.
        from(if number % 2 == 0 { "2001:db8::1" } else { "2001:db8::2" }).expect(202).await;
    }
    assert_eq!(harness.number("select count(*) from mail_message").await, 5);
    let own = harness.call("auth_registrations_create").header("x-forwarded-for", "198.51.100.7");
    own.json(&company("Weser Software", EMAIL)).expect(202).await;
    let token = token_of_mail(&harness, EMAIL, 6).await;
    assert_eq!(verify(&harness, &token).await.status, 200);
    assert_eq!(harness.number("select count(*) from partner").await, 1);
}

#[tokio::test]
async fn address_gets_five_mails_per_hour_and_twenty_per_day() {
    let harness = Harness::new().await;
    for (hour, mails) in [5, 10, 15, 20, 20].into_iter().enumerate() {
        for number in 0..8 {
            let email = if number % 2 == 0 { EMAIL.to_owned() } else { EMAIL.to_uppercase() };
            assert_eq!(register(&harness, &company("Weser Software", &email)).await.status, 202);
        }
        assert_eq!(harness.number("select count(*) from mail_message").await, mails, "in hour {hour}");
        harness.advance(3601).await;
    }
    harness.advance(86_400).await;
    assert_eq!(register(&harness, &company("Weser Software", EMAIL)).await.status, 202);
    assert_eq!(harness.number("select count(*) from mail_message").await, 21);
}

#[tokio::test]
async fn resets_by_others_leave_mail_budget_for_owner() {
    let harness = Harness::with(&behind_a_proxy()).await;
    let person = harness.partner("Nordsee Kassen").await;
    let ask = |address: &'static str| {
        let body = json!({ "email": person.email });
        harness.call("auth_passwords_request_reset").header("x-forwarded-for", address).json(&body)
    };
    for _ in 0..7 {
        ask("203.0.113.9").expect(202).await;
    }
    let resets = "select count(*) from mail_message where kind = 'RESET_PASSWORD'";
    assert_eq!(harness.number(resets).await, 5);
    ask("198.51.100.7").expect(202).await;
    assert_eq!(harness.number(resets).await, 6);
}

#[tokio::test]
async fn concurrent_registrations_of_one_address_wait_only_with_mail() {
    let harness = Harness::new().await;
    let tries = (0..16).map(|number| {
        let body = company(&format!("Weser {number}"), EMAIL);
        let harness = &harness;
        async move { register(harness, &body).await.status }
    });
    assert!(join_all(tries).await.iter().all(|status| *status == 202));
    for table in ["partner", "person", "one_time_token", "mail_message"] {
        assert_eq!(harness.number(&format!("select count(*) from {table}")).await, 5, "{table}");
    }
    let token = token_of_mail(&harness, EMAIL, 5).await;
    assert_eq!(verify(&harness, &token).await.status, 200);
    assert_eq!(harness.number("select count(*) from partner").await, 1);
}

#[tokio::test]
async fn each_pending_registration_gets_its_mail_again() {
    let harness = Harness::new().await;
    for name in ["Ems", "Weser", "Elbe", "Havel"] {
        register(&harness, &company(name, EMAIL)).await;
        harness.advance(1200).await;
    }
    harness.until("select count(*) from mail_message where state = 'QUEUED'", 0).await;
    harness.advance(3600).await;
    resend(&harness, EMAIL).await;
    harness.soon("the mails come", async || harness.mails_now(EMAIL).len() == 7).await;
    let mails = harness.mails_now(EMAIL).split_off(4);
    for name in ["Weser", "Elbe", "Havel"] {
        assert_eq!(
            mails.iter().filter(|mail| mail.contains(&format!("{name} was registered"))).count(),
            1,
            "{name} of the three latest: {mails:?}"
        );
    }
    resend(&harness, EMAIL).await;
    assert_eq!(harness.number("select count(*) from mail_message").await, 9, "each counts for itself");
}
