//! Users and machine clients of the tests, created through public interfaces only.

use labs_schema::crypto::totp::TotpSeed;
use labs_schema::operator;
use serde_json::{Value, json};
use uuid::Uuid;

use super::Harness;

/// A password that the password rule accepts.
pub(crate) const PASSWORD: &str = "a long walk along the Elbe";

/// A signed-in user.
#[derive(Clone, Debug)]
pub(crate) struct Person {
    /// Id of the user.
    pub(crate) uuid: Uuid,
    /// E-mail address.
    pub(crate) email: String,
    /// Id of the partner, if the user belongs to one.
    pub(crate) partner_uuid: Option<Uuid>,
    /// Access token.
    pub(crate) token: String,
    /// Refresh token.
    pub(crate) refresh: String,
    /// Secret of the second factor in base32.
    pub(crate) totp: Option<String>,
}

/// A machine client with its secret.
#[derive(Clone, Debug)]
pub(crate) struct Program {
    /// Client id.
    pub(crate) client_id: String,
    /// Client secret.
    pub(crate) secret: String,
    /// Access token with every allowed scope.
    pub(crate) token: String,
}

impl Harness {
    /// Registers a partner with this name and returns its administrator, signed in.
    pub(crate) async fn partner(&self, company: &str) -> Person {
        let email = format!("admin@{}.example", company.to_lowercase().replace([' ', '&', '.'], "-"));
        let body = json!({
            "company_name": company,
            "country": "DE",
            "administrator": { "name": "Mara Vogel", "email": email, "password": PASSWORD },
            "accept_terms": true,
        });
        self.call("auth_registrations_create").json(&body).expect(202).await;
        let token = self.mailed_token(&email).await;
        self.call("auth_registrations_verify_email")
            .json(&json!({ "token": token, "password": PASSWORD }))
            .expect(200)
            .await;
        self.sign_in(&email).await
    }

    /// Signs in a user without a second factor.
    pub(crate) async fn sign_in(&self, email: &str) -> Person {
        let body = json!({ "email": email, "password": PASSWORD });
        let answer = self.call("auth_sessions_create").json(&body).expect(200).await;
        self.person(email, answer.str("access_token"), answer.cookie(), None).await
    }

    /// Creates a staff member with these scopes, signed in with a second factor.
    pub(crate) async fn staff(&self, name: &str, scopes: &[&str]) -> Person {
        let local = name.to_lowercase().replace(|letter: char| !letter.is_ascii_alphanumeric(), "-");
        let email = format!("{local}@labs.example");
        let role = format!("T_{}", name.to_uppercase().replace(|letter: char| !letter.is_ascii_alphanumeric(), "_"));
        let list = scopes.iter().map(|scope| format!("'{scope}'")).collect::<Vec<_>>().join(",");
        self.sql(&format!(
            "insert into staff_role (role_code, name, scopes) values ('{role}', '{name}', array[{list}]::text[])"
        ))
        .await;
        let new = operator::NewStaff {
            email: email.clone(),
            name: name.to_owned(),
            roles: vec![role],
            password: Some(PASSWORD.into()),
        };
        let made = operator::staff_create(self.engine.pool(), self.engine.services(), new).await.unwrap();
        // No TOTP step is used yet, so the clock need not advance: a test that creates many users keeps the tokens of
        // the first valid.
        self.sign_in_by_code(&email, &made.factor.totp_secret).await
    }

    /// Signs in a user with a second factor. A TOTP step is valid once, so the clock advances to the next step.
    pub(crate) async fn sign_in_with_factor(&self, email: &str, secret: &str) -> Person {
        self.advance(30).await;
        self.sign_in_by_code(email, secret).await
    }

    async fn sign_in_by_code(&self, email: &str, secret: &str) -> Person {
        let body = json!({ "email": email, "password": PASSWORD });
        let asked = self.call("auth_sessions_create").json(&body).expect(401).await;
        assert_eq!(asked.code(), "MFA_REQUIRED");
        let body = json!({ "challenge": asked.str("challenge"), "code": self.code(secret) });
        let answer = self.call("auth_sessions_verify_mfa").json(&body).expect(200).await;
        self.person(email, answer.str("access_token"), answer.cookie(), Some(secret.to_owned())).await
    }

    /// Returns the current code of an authenticator with this secret.
    pub(crate) fn code(&self, secret: &str) -> String {
        TotpSeed::from_base32(secret).unwrap().code_at(self.clock.now().unix())
    }

    /// Creates a machine client with these scopes, bound to a partner or to none.
    pub(crate) async fn program(&self, name: &str, scopes: &[&str], partner_uuid: Option<Uuid>) -> Program {
        let scopes = scopes.iter().map(|scope| (*scope).to_owned()).collect();
        let new = operator::NewClient { name: name.to_owned(), scopes, partner_uuid, networks: Vec::new() };
        let made = operator::client_create(self.engine.pool(), self.engine.services(), new).await.unwrap();
        let token = self.token_of(&made.client_id, &made.secret, None).await;
        Program { client_id: made.client_id, secret: made.secret, token }
    }

    /// Returns an access token of a machine client, reduced to the named scopes.
    pub(crate) async fn token_of(&self, client_id: &str, secret: &str, scope: Option<&str>) -> String {
        let mut form = vec![("grant_type", "password"), ("username", client_id), ("password", secret)];
        form.extend(scope.map(|scope| ("scope", scope)));
        self.call("auth_tokens_issue").form(&form).expect(200).await.str("access_token").to_owned()
    }

    async fn person(&self, email: &str, token: &str, refresh: String, totp: Option<String>) -> Person {
        let me = self.call("system_me_get").token(token).expect(200).await.json;
        let uuid = |value: &Value| value.as_str().and_then(|text| text.parse().ok());
        Person {
            uuid: uuid(&me["subject"]).unwrap(),
            email: email.to_owned(),
            partner_uuid: uuid(&me["partner_uuid"]),
            token: token.to_owned(),
            refresh,
            totp,
        }
    }
}
