//! Tests of mailed tokens: a link to a page that submits the token, and a command that does the same when pasted
//! unchanged. An invitation has the link alone.

use serde_json::json;

use super::swift;
use crate::harness::Harness;
use crate::harness::mail::Mailed;

/// A password that breaks shell commands, JSON and sed scripts without correct escaping.
const AWKWARD: &str = r#"a "long" \ walk & $HOME 'along' /the/ Ostsee"#;

/// Returns the mail that links to this page and names this operation. Following the link sends no part of the token to
/// a server.
async fn mailed(harness: &Harness, email: &str, page: &str, path: &str) -> Mailed {
    let mail = harness.mailed(email, path).await;
    let (address, token) = mail.link.split_once('#').unwrap();
    assert_eq!(address, format!("{}/account/{page}", harness.base_url));
    assert!(mail.command.as_ref().is_none_or(|command| command.contains(token)), "{}", mail.text);
    let answer = harness.http().get(&mail.link).send().await.unwrap();
    assert_eq!(
        (answer.status().as_u16(), &answer.headers()["referrer-policy"]),
        (200, &"no-referrer".parse().unwrap())
    );
    mail
}

async fn sign_in(harness: &Harness, email: &str, password: &str) -> u16 {
    harness.call("auth_sessions_create").json(&json!({ "email": email, "password": password })).send().await.status
}

#[tokio::test]
async fn mailed_command_confirms_registration_in_each_language() {
    let harness = swift().await;
    for (locale, prompt) in [("en", "'Password: '"), ("de", "'Passwort: '")] {
        let email = format!("{locale}@kueche.example");
        let body = json!({ "company_name": "Küche & Kasse GmbH", "country": "DE", "accept_terms": true,
            "administrator": { "name": "Jörg Küster", "email": email, "password": AWKWARD, "locale": locale } });
        harness.call("auth_registrations_create").json(&body).expect(202).await;
        let mail = mailed(&harness, &email, "verify-email", "/v1/auth/registrations:verify-email").await;
        let asks = mail.command.as_ref().is_some_and(|command| command.contains(prompt));
        assert!(mail.text.contains("Küche & Kasse GmbH") && asks, "{}", mail.text);
        assert_eq!(mail.run("not the password\n").await["code"], "INVALID_CREDENTIALS");
        assert_eq!(mail.run(&format!("{AWKWARD}\n")).await["status"], "VERIFIED");
        assert_eq!(sign_in(&harness, &email, AWKWARD).await, 200);
        assert_eq!(mail.run(&format!("{AWKWARD}\n")).await["errors"][0]["pointer"], "/token", "it is used");
    }
}

#[tokio::test]
async fn mailed_command_resets_password() {
    let harness = swift().await;
    let person = harness.partner("Nordsee Kassen").await;
    harness.call("auth_passwords_request_reset").json(&json!({ "email": person.email })).expect(202).await;
    let mail = mailed(&harness, &person.email, "reset-password", "/v1/auth/password-resets:confirm").await;
    assert_eq!(mail.run(&format!("{AWKWARD}\n")).await["status"], "PASSWORD_RESET");
    assert_eq!(sign_in(&harness, &person.email, AWKWARD).await, 200);
}

#[tokio::test]
async fn mailed_commands_confirm_and_revert_new_email() {
    let harness = swift().await;
    let person = harness.partner("Nordsee Kassen").await;
    let new = "mara@nordsee.example";
    harness.call("auth_account_change_email").token(&person.token).json(&json!({ "email": new })).expect(202).await;
    let confirm = mailed(&harness, new, "confirm-email", "/v1/auth/account:confirm-email").await;
    assert_eq!(confirm.run("").await["status"], "EMAIL_CHANGED");
    let cancel = "/v1/auth/account:cancel-email-change";
    let cancel = mailed(&harness, &person.email, "cancel-email-change", cancel).await;
    assert_eq!(cancel.run("").await["email"], person.email.as_str());
}

#[tokio::test]
async fn invitations_have_the_link_alone() {
    let harness = swift().await;
    let owner = harness.partner("Nordsee Kassen").await;
    let call = harness.call("partner_invitations_create").path("partner_uuid", owner.partner_uuid.unwrap());
    let body = json!({ "email": "tomas@nordsee.example", "role": "EDITOR" });
    call.token(&owner.token).json(&body).expect(201).await;
    let chief = harness.staff("Chief", &["labs.admin:write"]).await;
    let partner = json!({ "company_name": "Küche", "country": "AT",
        "administrator": { "email": "mara@kueche.example", "locale": "de" } });
    harness.call("admin_partners_create").token(&chief.token).json(&partner).expect(201).await;
    let colleague = json!({ "name": "Jonas Okafor", "email": "jonas@labs.example", "roles": ["AUDITOR"] });
    harness.call("admin_staff_create").token(&chief.token).json(&colleague).expect(201).await;
    let (accept, reset) = ("/v1/auth/invitations:accept", "/v1/auth/password-resets:confirm");
    for (email, page, path) in [
        ("tomas@nordsee.example", "invitation", accept),
        ("mara@kueche.example", "invitation", accept),
        ("jonas@labs.example", "reset-password", reset),
    ] {
        let mail = mailed(&harness, email, page, path).await;
        assert!(mail.command.is_none() && !mail.text.contains("curl"), "{}", mail.text);
    }
}
