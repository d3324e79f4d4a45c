//! The people and programs that tests act as, made through public doors only.

use labs_schema::crypto::totp::TotpSeed;
use labs_schema::operator;
use serde_json::{Value, json};
use uuid::Uuid;

use super::Harness;

/// A password that the rule accepts.
pub(crate) const PASSWORD: &str = "a long walk along the Elbe";

/// Somebody signed in.
#[derive(Clone, Debug)]
pub(crate) struct Person {
    /// Who.
    pub(crate) uuid: Uuid,
    /// With which address.
    pub(crate) email: String,
    /// Their partner.
    pub(crate) partner_uuid: Option<Uuid>,
    /// Their access token.
    pub(crate) token: String,
    /// Their refresh token.
    pub(crate) refresh: String,
    /// The seed of their second factor, base32.
    pub(crate) totp: Option<String>,
}

/// A program with its secret.
#[derive(Clone, Debug)]
pub(crate) struct Program {
    /// Its client id.
    pub(crate) client_id: String,
    /// Its secret.
    pub(crate) secret: String,
    /// An access token with every scope it is allowed.
    pub(crate) token: String,
}

impl Harness {
    /// Registers a partner of this name; its administrator, signed in.
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

    /// Signs somebody without a second factor in.
    pub(crate) async fn sign_in(&self, email: &str) -> Person {
        let body = json!({ "email": email, "password": PASSWORD });
        let answer = self.call("auth_sessions_create").json(&body).expect(200).await;
        self.person(email, answer.str("access_token"), answer.cookie(), None).await
    }

    /// A staff member with these scopes, signed in with the second factor.
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
        // No step is used yet, so the clock may stand: whoever makes many people keeps the tokens of the first.
        self.sign_in_by_code(&email, &made.factor.totp_secret).await
    }

    /// Signs somebody with a second factor in. A step is used once, so the clock moves on to the next.
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

    /// What an authenticator with this secret shows now.
    pub(crate) fn code(&self, secret: &str) -> String {
        TotpSeed::from_base32(secret).unwrap().code_at(self.clock.now().unix())
    }

    /// A program with these scopes, bound to a partner or the service's own.
    pub(crate) async fn program(&self, name: &str, scopes: &[&str], partner_uuid: Option<Uuid>) -> Program {
        let scopes = scopes.iter().map(|scope| (*scope).to_owned()).collect();
        let new = operator::NewClient { name: name.to_owned(), scopes, partner_uuid, networks: Vec::new() };
        let made = operator::client_create(self.engine.pool(), self.engine.services(), new).await.unwrap();
        let token = self.token_of(&made.client_id, &made.secret, None).await;
        Program { client_id: made.client_id, secret: made.secret, token }
    }

    /// A token for a program, down-scoped when scopes are named.
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
