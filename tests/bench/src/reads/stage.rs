//! Setup of the reads: the sample data of a first start, enlarged, and all callers.

use std::time::{Duration, Instant};

use anyhow::{Context as _, ensure};
use http::Method;
use labs_rest::contract::Access;
use labs_schema::sample::{self, Key, SignIn};
use sqlx::Connection as _;
use uuid::Uuid;

use crate::forms::Running;
use crate::ground::{CLIENTS, Credentials, PreparedData, client, token};
use crate::load::send;
use crate::reads::requests::Request;

/// The partner of the sample data whose resources are read.
const COMPANY: &str = "elbkontor";
/// Age at which a user's token is renewed. It is valid for ten minutes.
const RENEWAL: Duration = Duration::from_secs(300);
/// Maximum time until the partner's data export is written.
const ARCHIVING: Duration = Duration::from_secs(60);

/// The tables and the callers.
pub(crate) struct Stage {
    /// The database and its folder.
    pub(crate) ground: PreparedData,
    /// E-mail address and password of an administrator of the partner.
    administrator: Credentials,
    of_partner: Credentials,
    /// A client without a partner, for the storefront and for drafts of the changelog.
    of_reader: Credentials,
    of_staff: Vec<Credentials>,
}

/// Access tokens of all callers, issued by one service.
pub(crate) struct Tokens {
    of_partner: String,
    of_reader: String,
    of_staff: Vec<String>,
    of_person: (String, Instant),
}

impl Stage {
    /// Starts PostgreSQL and fills it: first with the sample data, then with files that the service itself creates (a
    /// logo and a data export), then with rows.
    pub(crate) async fn prepare(apps: u32) -> anyhow::Result<Self> {
        let stage = Self::with_files(PreparedData::empty(apps).await?).await?;
        stage.ground.grow(apps).await?;
        stage.seed().await?;
        Ok(stage)
    }

    /// Starts PostgreSQL and fills it with everything that the benchmark reads: this many apps and feature requests.
    pub(crate) async fn furnished(apps: u32, requests: u32) -> anyhow::Result<Self> {
        let mut stage = Self::with_files(PreparedData::empty(apps).await?).await?;
        stage.ground.grow(apps).await?;
        stage.ground.furnish().await?;
        stage.seed().await?;
        stage.ground.seed_board(requests).await?;
        stage.ground.create_clients().await?;
        Ok(stage)
    }

    /// Inserts the rows of every read, after the tables have grown.
    pub(crate) async fn seed(&self) -> anyhow::Result<()> {
        self.ground.seed(include_str!("seed.sql").to_owned()).await
    }

    /// Fills an empty PostgreSQL with the sample data and the files, but without the further rows.
    pub(crate) async fn with_files(ground: PreparedData) -> anyhow::Result<Self> {
        let stage = Self::with_callers(ground).await?;
        let service = stage.ground.form("labs").await?;
        let (partner, person) = (stage.partner().await?, stage.sign_in(&service).await?);
        stage.logo(&service, partner, &person).await?;
        stage.archive(&service, partner, &person).await?;
        Ok(stage)
    }

    async fn with_callers(ground: PreparedData) -> anyhow::Result<Self> {
        let engine = ground.inside().await?;
        let filled = sample::fill(engine.pool(), engine.services(), engine.services().clock.now()).await;
        let sign_ins = filled.map_err(|fault| anyhow::anyhow!("{fault:?}"))?;
        let administrator = sign_ins.iter().find_map(administrator).context("the company has an administrator")?;
        let find = "select partner_uuid from partner where slug = $1";
        let partner = sqlx::query_scalar(find).bind(COMPANY).fetch_one(engine.pool()).await?;
        let scopes = ["partner:write", "subscription:write", "marketplace:write", "publication", "statistics"];
        let scopes = [&scopes[..], &["engagement"]].concat();
        let of_partner = client(&engine, "bench of the partner", &scopes, Some(partner)).await?;
        let of_reader = client(&engine, "bench of no partner", &["storefront", "publication.changelog"], None).await?;
        let mut of_staff = Vec::new();
        for number in 0..CLIENTS {
            of_staff.push(client(&engine, &format!("bench {number}"), &["labs.admin"], None).await?);
        }
        engine.pool().close().await;
        Ok(Self { ground, administrator, of_partner, of_reader, of_staff })
    }

    async fn partner(&self) -> anyhow::Result<Uuid> {
        let mut owner = self.ground.owner().await?;
        let find = "select partner_uuid from partner where slug = $1";
        let partner = sqlx::query_scalar(find).bind(COMPANY).fetch_one(&mut owner).await?;
        owner.close().await?;
        Ok(partner)
    }

    /// Uses the icon of one of the partner's apps as the partner's logo.
    async fn logo(&self, service: &Running, partner: Uuid, token: &str) -> anyhow::Result<()> {
        let mut owner = self.ground.owner().await?;
        let find = "select '/v1/marketplace/apps/' || app_uuid || '/media/' || media_uuid || '/content' from media
                      join app using (app_uuid) where partner_uuid = $1 and kind = 'ICON' order by 1 limit 1";
        let path: String = sqlx::query_scalar(find).bind(partner).fetch_one(&mut owner).await?;
        owner.close().await?;
        let picture = send(service, Method::GET, &path, Some(token), None).await?;
        let head = format!(
            "--bench\r\ncontent-disposition: form-data; name=\"alt_text\"\r\n\r\nA till\r\n--bench\r\n\
             content-disposition: form-data; name=\"file\"; filename=\"picture\"\r\ncontent-type: {}\r\n\r\n",
            picture.media_type
        );
        let form = [head.as_bytes(), &picture.body, b"\r\n--bench--\r\n"].concat();
        let path = format!("/v1/partner/{partner}/imagery/LOGO");
        let body = ("multipart/form-data; boundary=bench", form);
        send(service, Method::PUT, &path, Some(token), Some(body)).await.map(drop)
    }

    /// Requests the partner's data export and waits until it is written.
    async fn archive(&self, service: &Running, partner: Uuid, token: &str) -> anyhow::Result<()> {
        send(service, Method::POST, &format!("/v1/partner/{partner}/data-exports"), Some(token), None).await?;
        let mut owner = self.ground.owner().await?;
        let begun = Instant::now();
        let find = "select count(*) from data_export where state = 'SUCCEEDED'";
        while sqlx::query_scalar::<_, i64>(find).fetch_one(&mut owner).await? == 0 {
            ensure!(begun.elapsed() < ARCHIVING, "the partner's archive was not written");
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
        Ok(owner.close().await?)
    }

    async fn sign_in(&self, service: &Running) -> anyhow::Result<String> {
        let (email, password) = &self.administrator;
        let body = serde_json::json!({ "email": email, "password": password }).to_string();
        let body = ("application/json", body.into_bytes());
        let answer = send(service, Method::POST, "/v1/auth/sessions", None, Some(body)).await?.json()?;
        let token = answer.get("access_token").and_then(serde_json::Value::as_str);
        Ok(token.context("a session has a token")?.to_owned())
    }

    /// Issues a token for each caller.
    pub(crate) async fn tokens(&self, service: &Running) -> anyhow::Result<Tokens> {
        let mut of_staff = Vec::new();
        for credentials in &self.of_staff {
            of_staff.push(token(service, credentials).await?);
        }
        Ok(Tokens {
            of_partner: token(service, &self.of_partner).await?,
            of_reader: token(service, &self.of_reader).await?,
            of_staff,
            of_person: (self.sign_in(service).await?, Instant::now()),
        })
    }

    /// Returns the tokens of the callers that satisfy this access rule, to be used in turns. `None`: the operation
    /// needs no token.
    pub(crate) async fn may_ask(
        &self,
        service: &Running,
        tokens: &mut Tokens,
        request: &Request,
    ) -> anyhow::Result<Vec<String>> {
        let Some(scope) = (match &request.access {
            Access::Any => Some(""),
            Access::Scope(scope) => Some(scope.as_str()),
            Access::Public | Access::Cookie | Access::Client => None,
        }) else {
            return Ok(Vec::new());
        };
        if scope.starts_with("labs.admin") {
            return Ok(tokens.of_staff.clone());
        }
        // Machine clients cannot access a user's account, and the board shows them no votes and no notifications.
        if scope.starts_with("auth.") || scope.starts_with("engagement") {
            if tokens.of_person.1.elapsed() > RENEWAL {
                tokens.of_person = (self.sign_in(service).await?, Instant::now());
            }
            return Ok(vec![tokens.of_person.0.clone()]);
        }
        let is_of_reader = scope.starts_with("storefront") || scope.starts_with("publication.changelog");
        Ok(vec![if is_of_reader { &tokens.of_reader } else { &tokens.of_partner }.clone()])
    }
}

/// Returns the credentials of the partner's administrator, if no second factor is required.
fn administrator(sign_in: &SignIn) -> Option<Credentials> {
    match &sign_in.key {
        Key::Password { email, password, totp_secret: None }
            if sign_in.note.starts_with("ADMINISTRATOR") && email.contains(COMPANY) =>
        {
            Some((email.clone(), password.expose().to_owned()))
        }
        _ => None,
    }
}
