//! A user who reads the board: administrator of a partner that registers over HTTP with the mailed token.

use std::net::SocketAddr;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use anyhow::{Context as _, ensure};
use bytes::Bytes;
use http::Method;
use serde_json::{Value, json};
use sqlx::Connection as _;

use crate::forms::Running;
use crate::ground::PreparedData;
use crate::load;

const ADDRESS: &str = "reader@bench.example";
const PASSWORD: &str = "a long walk along the Elbe in November";
/// Maximum time until the mail is written.
const MAILING: Duration = Duration::from_secs(60);
/// Age at which a token is renewed. A token is valid for ten minutes.
const RENEWAL: Duration = Duration::from_secs(300);

/// A user with credentials.
pub(crate) struct Reader {
    address: String,
    token: Mutex<Option<(String, Instant)>>,
}

impl Reader {
    fn of(address: String) -> Self {
        Self { address, token: Mutex::new(None) }
    }

    /// Registers a partner and its administrator. The partner gets the largest tier, so that it does not exhaust a
    /// budget.
    pub(crate) async fn register(ground: &PreparedData, labs: &Running) -> anyhow::Result<Self> {
        let administrator = json!({ "name": "Mara Vogel", "email": ADDRESS, "password": PASSWORD });
        let company = json!({ "company_name": "Reading Tills", "country": "DE", "administrator": administrator,
                              "accept_terms": true });
        post(labs, "/v1/auth/registrations", &company).await?;
        let token = mailed_token(ground).await?;
        post(labs, "/v1/auth/registrations:verify-email", &json!({ "token": token, "password": PASSWORD })).await?;
        let mut owner = ground.owner().await?;
        let largest = "update subscription set tier_uuid = (select tier_uuid from tier where code = 'SCALE')
                        where partner_uuid = (select partner_uuid from person where email_normalised = $1)";
        let done = sqlx::query(largest).bind(ADDRESS).execute(&mut owner).await?;
        ensure!(done.rows_affected() == 1, "the reader's company has no subscription");
        owner.close().await?;
        Ok(Self::of(ADDRESS.to_owned()))
    }

    /// Creates this many other users of the same partner, with the same password.
    pub(crate) async fn colleagues(&self, ground: &PreparedData, many: usize) -> anyhow::Result<Vec<Self>> {
        let addresses: Vec<String> = (0..many).map(|n| format!("colleague-{n}@bench.example")).collect();
        let copy = "insert into person (person_uuid, kind, partner_uuid, email, email_normalised, name, role, state,
                                        password_hash, password_changed_at, email_verified_at)
                    select labs_uuid(), kind, partner_uuid, address, address, 'Colleague', role, state, password_hash,
                           password_changed_at, email_verified_at
                      from person cross join unnest($2::text[]) as address where email_normalised = $1";
        let mut owner = ground.owner().await?;
        sqlx::query(copy).bind(&self.address).bind(&addresses).execute(&mut owner).await?;
        owner.close().await?;
        Ok(addresses.into_iter().map(Self::of).collect())
    }

    /// Returns an access token that remains valid for a while.
    pub(crate) async fn token(&self, labs: &Running) -> anyhow::Result<String> {
        let known = self.token.lock().ok().and_then(|token| token.clone());
        if let Some((token, _)) = known.filter(|(_, since)| since.elapsed() < RENEWAL) {
            return Ok(token);
        }
        let token = self.sign_in(labs).await?;
        if let Ok(mut known) = self.token.lock() {
            *known = Some((token.clone(), Instant::now()));
        }
        Ok(token)
    }

    /// Signs in and returns an access token that is valid for ten minutes.
    pub(crate) async fn sign_in(&self, labs: &Running) -> anyhow::Result<String> {
        self.sign_in_at(labs.address).await
    }

    /// Signs in at this address of the service and returns the access token.
    pub(crate) async fn sign_in_at(&self, address: SocketAddr) -> anyhow::Result<String> {
        let body = Bytes::from(json!({ "email": self.address, "password": PASSWORD }).to_string());
        let make = move |_: &load::At<'_>| {
            load::request(Method::POST, "/v1/auth/sessions", None, Some(("application/json", body.clone())))
        };
        let session = load::answer(address, &make).await?.json()?;
        Ok(session.get("access_token").and_then(Value::as_str).context("a session has a token")?.to_owned())
    }
}

async fn post(labs: &Running, path: &str, body: &Value) -> anyhow::Result<Value> {
    let body = ("application/json", body.to_string().into_bytes());
    let answer = load::send(labs, Method::POST, path, None, Some(body)).await?;
    answer.json()
}

/// Waits for the mail to the reader in the service's folder and returns its token.
async fn mailed_token(ground: &PreparedData) -> anyhow::Result<String> {
    let begun = Instant::now();
    loop {
        if let Some(token) = token_in(ground)? {
            return Ok(token);
        }
        ensure!(begun.elapsed() < MAILING, "the mail to the reader was not written");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

fn token_in(ground: &PreparedData) -> anyhow::Result<Option<String>> {
    let Ok(mails) = std::fs::read_dir(ground.service().join("mail")) else { return Ok(None) };
    for mail in mails {
        let place = mail?.path();
        if place.extension().is_none_or(|end| end != "eml") {
            continue;
        }
        let text = std::fs::read_to_string(place)?.replace("=\r\n", "").replace("=3D", "=");
        if text.lines().any(|line| line.starts_with("To:") && line.contains(ADDRESS)) {
            return Ok(token_of(&text));
        }
    }
    Ok(None)
}

fn token_of(mail: &str) -> Option<String> {
    let rest = mail.get(mail.find("labs_ot_")?..)?;
    Some(rest.chars().take_while(|letter| letter.is_ascii_alphanumeric() || matches!(letter, '_' | '-')).collect())
}
