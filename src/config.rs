//! Settings of `labs serve`, by flags and by LABS_* variables. This is the only list of them: `--help` prints it,
//! [`table`] reads it, and a test compares `operate/settings.md` with it.

mod checkpoints;
mod database;
mod issuers;
mod media;
mod passwords;
mod refusal;
mod retention;
mod statistics;
mod table;
mod traces;
mod values;
mod variables;

use crate::issuer_keys::IssuerSettings;
use crate::platform::PlatformSettings;
use crate::secret::Secret;
use crate::telemetry::LogFilter;
use clap::Args;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::path::PathBuf;
use std::time::Duration;

use ipnet::IpNet;
use labs_schema::crypto::password::PasswordOptions;
use labs_schema::media::store::MediaPlace;
use labs_schema::open::DatabaseUrls;
use labs_schema::services::Retention;

pub use self::checkpoints::CheckpointArgs;
pub(crate) use self::checkpoints::read_private_file;
pub use self::issuers::IssuerArgs;
pub use self::media::MediaArgs;
pub use self::passwords::PasswordArgs;
pub use self::refusal::sentence;
pub use self::retention::RetentionArgs;
pub use self::statistics::StatisticsArgs;
pub use self::table::{Row, table};
pub use self::traces::{TraceSettings, traces};
pub use self::values::{BaseUrl, MetricsListen};
use self::values::{contact, listen, mail_server, mailbox, network, origin, switch, whole};
pub use self::variables::unknown;

/// Arguments of `labs serve`, before they are resolved.
#[derive(Args, Clone, Debug)]
pub struct Serve {
    /// Address and port to listen on; port 0 selects a free one
    #[arg(long, env = "LABS_LISTEN", default_value = "127.0.0.1:8080", value_name = "ADDRESS:PORT",
        value_parser = listen)]
    pub listen: SocketAddr,

    /// Public base address of the service; tokens and mailed links contain it, so all replicas need the same
    #[arg(long, env = "LABS_BASE_URL", default_value = "http://<listen>", value_name = "URL",
        value_parser = BaseUrl::read)]
    pub base_url: BaseUrl,

    /// Database and log settings.
    #[command(flatten)]
    pub common: Common,

    /// Log a line for each request: operation, status, code, time, request id and the caller's kind
    #[arg(long, env = "LABS_LOG_REQUESTS", value_parser = switch)]
    pub log_requests: bool,

    /// Address and port of GET /metrics for Prometheus, which only your own network may reach; without it, no metrics
    /// are served
    #[arg(long, env = "LABS_METRICS_LISTEN", value_name = "ADDRESS:PORT", default_value = "",
        hide_default_value = true, value_parser = MetricsListen::read)]
    pub metrics_listen: MetricsListen,

    /// Connections to the database, 4 to 80; two additional ones listen for changes
    #[arg(long, env = "LABS_DATABASE_CONNECTIONS", default_value = "10", value_name = "NUMBER",
        value_parser = whole(4..=80_u32))]
    pub database_connections: u32,

    /// Address of the same database for the two connections that listen for changes, without PgBouncer; without it,
    /// DATABASE_URL
    #[arg(long, env = "LABS_LISTEN_DATABASE_URL", value_name = "URL", hide_env_values = true)]
    pub listen_database_url: Option<Secret>,

    /// Read replicas of the server in DATABASE_URL, one address each, separated by commas: storefront, publication and
    /// tiers are read there while the delay is less than a second
    #[arg(long, env = "LABS_READ_DATABASE_URLS", value_delimiter = ',', value_name = "URLS", hide_env_values = true)]
    pub read_database_urls: Vec<Secret>,

    /// Start without sample data, which is never written to DATABASE_URL
    #[arg(long, env = "LABS_EMPTY", value_parser = switch)]
    pub empty: bool,

    /// Object storage.
    #[command(flatten)]
    pub media: MediaArgs,

    /// Public address of the media on the storefront, for example a content delivery network in front of
    /// <base-url>/media
    #[arg(long, env = "LABS_MEDIA_PUBLIC_URL", value_name = "URL", hide_env_values = true)]
    pub media_public_url: Option<String>,

    /// Mail server, smtps://user:password@host:port or smtp:// with the same parts; without it, mail is written to .eml
    /// files in the folder
    #[arg(long, env = "LABS_SMTP_URL", value_name = "URL", hide_env_values = true)]
    pub smtp_url: Option<Secret>,

    /// Sender of the mail
    #[arg(long, env = "LABS_MAIL_FROM", default_value = "Labs <labs@localhost>", value_name = "MAILBOX",
        value_parser = mailbox)]
    pub mail_from: String,

    /// Security contact in /.well-known/security.txt, as mailto:security@example.com or an https address; without it,
    /// there is no such file
    #[arg(long, env = "LABS_SECURITY_CONTACT", value_name = "ADDRESS", value_parser = contact)]
    pub security_contact: Option<String>,

    /// Passwords.
    #[command(flatten)]
    pub passwords: PasswordArgs,

    /// Serve agents at /mcp by the Model Context Protocol, with the same checks as the API
    #[arg(long, env = "LABS_MCP", value_parser = switch)]
    pub mcp: bool,

    /// Web origins whose pages may call the API, separated by commas; without it, none
    #[arg(long, env = "LABS_CORS_ORIGINS", value_delimiter = ',', value_name = "ORIGINS",
        value_parser = origin)]
    pub cors_origins: Vec<String>,

    /// Networks of the proxies whose forwarded headers are trusted, separated by commas; without it, none
    #[arg(long, env = "LABS_TRUSTED_PROXIES", value_delimiter = ',', value_name = "NETWORKS",
        value_parser = network)]
    pub trusted_proxies: Vec<IpNet>,

    /// Requests per second of one network without a token
    #[arg(long, env = "LABS_ANONYMOUS_PER_SECOND", default_value = "50", value_name = "NUMBER",
        value_parser = whole(1..=u32::MAX))]
    pub anonymous_per_second: u32,

    /// Requests per day of one network without a token
    #[arg(long, env = "LABS_ANONYMOUS_PER_DAY", default_value = "50000", value_name = "NUMBER",
        value_parser = whole(1..=u64::from(u32::MAX)))]
    pub anonymous_per_day: u64,

    /// Storefront media that one network may request per second
    #[arg(long, env = "LABS_PICTURES_PER_SECOND", default_value = "200", value_name = "NUMBER",
        value_parser = whole(1..=u32::MAX))]
    pub pictures_per_second: u32,

    /// Requests per second of a staff member, or of a machine client without a partner, for example a storefront
    #[arg(long, env = "LABS_OWN_PER_SECOND", default_value = "200", value_name = "NUMBER",
        value_parser = whole(1..=u32::MAX))]
    pub own_per_second: u32,

    /// Attempts per minute of one network at sign-in, second factor, token, registration, refresh, reset and with
    /// mailed tokens
    #[arg(long, env = "LABS_ATTEMPTS_PER_MINUTE", default_value = "30", value_name = "NUMBER",
        value_parser = whole(1..=u32::MAX))]
    pub attempts_per_minute: u32,

    /// Seconds after SIGTERM in which the service still accepts new connections and answers requests, each with
    /// Connection: close, while readiness is 503; with the private PostgreSQL, at most until the last connection closes
    #[arg(long, env = "LABS_STOP_GRACE_SECONDS", default_value = "5", value_name = "SECONDS",
        value_parser = whole(0..=300_u64))]
    pub stop_grace_seconds: u64,

    /// Source of statistics.
    #[command(flatten)]
    pub statistics: StatisticsArgs,

    /// Issuers of identities of CI systems.
    #[command(flatten)]
    pub issuers: IssuerArgs,

    /// Retention of the logs.
    #[command(flatten)]
    pub retention: RetentionArgs,

    /// Checkpoints of the audit log.
    #[command(flatten)]
    pub checkpoints: CheckpointArgs,
}

/// Settings of every command that needs the database.
#[derive(Args, Clone, Debug)]
pub struct Common {
    /// Folder of the private PostgreSQL, secrets, media and mail; its mode becomes 0700
    #[arg(long, env = "LABS_FOLDER", default_value = ".labs", value_name = "PATH")]
    pub folder: PathBuf,

    /// PostgreSQL to use, as the owner of the database or, with LABS_MIGRATE_URL, as a member of labs_service; without
    /// it, a private one is started in the folder
    #[arg(long, env = "DATABASE_URL", value_name = "URL", hide_env_values = true)]
    pub database_url: Option<Secret>,

    /// File of the password for DATABASE_URL, which must then contain none; it is read at startup
    #[arg(long, env = "LABS_DATABASE_PASSWORD_FILE", value_name = "FILE")]
    pub database_password_file: Option<PathBuf>,

    /// Address of the same database for migrations only, as its owner; without it, DATABASE_URL
    #[arg(long, env = "LABS_MIGRATE_URL", value_name = "URL", hide_env_values = true)]
    pub migrate_url: Option<Secret>,

    /// File of the password for LABS_MIGRATE_URL, which must then contain none
    #[arg(long, env = "LABS_MIGRATE_PASSWORD_FILE", value_name = "FILE")]
    pub migrate_password_file: Option<PathBuf>,

    /// File of the master key, from which all other keys are derived, created on the first start; every replica needs
    /// the same
    #[arg(long, env = "LABS_MASTER_KEY_FILE", default_value = "<folder>/secrets/master.key", value_name = "FILE")]
    pub master_key_file: String,

    /// Folder of the PostgreSQL programs; without it, PG_BIN, else the usual folders are searched
    #[arg(long, env = "LABS_PG_BIN", value_name = "PATH")]
    pub pg_bin: Option<PathBuf>,

    /// Log level of Labs itself: off, error, warn, info, debug or trace; also per target, as in info,labs_rest=debug.
    /// Dependencies log at most at info unless they are named
    #[arg(long, env = "LABS_LOG", default_value = "info", value_name = "FILTER", value_parser = LogFilter::read)]
    pub log: LogFilter,

    /// Format of the log lines on standard error, text or json; with json, nothing is printed on standard output
    #[arg(long, env = "LABS_LOG_FORMAT", default_value = "text", value_name = "FORMAT", value_parser = LogFormat::read)]
    pub log_format: LogFormat,
}

/// Format of log lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LogFormat {
    /// Readable text.
    Text,
    /// One JSON object per line.
    Json,
}

impl LogFormat {
    fn read(text: &str) -> anyhow::Result<Self> {
        match text.trim().to_ascii_lowercase().as_str() {
            "" | "text" => Ok(Self::Text),
            "json" => Ok(Self::Json),
            _ => anyhow::bail!("write text or json"),
        }
    }
}

/// Configuration of `labs serve`: everything is resolved except the port.
#[derive(Clone, Debug)]
pub struct Config {
    /// Address to listen on. Port 0: any free one.
    pub listen: SocketAddr,
    /// Folder of all persistent data.
    pub folder: PathBuf,
    /// External PostgreSQL. None: the private one.
    pub database: Option<DatabaseUrls>,
    /// Folder of the PostgreSQL programs. None: search.
    pub pg_bin: Option<PathBuf>,
    /// Size of the connection pool.
    pub database_connections: u32,
    /// Whether an empty database is filled with sample data.
    pub sample_data: bool,
    /// Storage of the uploaded files.
    pub media: MediaPlace,
    /// Folder of mail that is written to files.
    pub mail_folder: PathBuf,
    /// File of the master key.
    pub master_key_file: PathBuf,
    /// Mail server. None: files in `mail_folder`.
    pub smtp_url: Option<Secret>,
    /// Sender of mail: a name and an address.
    pub mail_from: String,
    /// The format of log lines.
    pub log_format: LogFormat,
    /// Whether each request is logged.
    pub log_requests: bool,
    /// Address of the metrics endpoint. None: no endpoint.
    pub metrics_listen: Option<SocketAddr>,
    /// Address of the security contact. None: no `security.txt`.
    pub security_contact: Option<String>,
    /// Cost of password hashes, and passwords that no user may choose.
    pub passwords: PasswordOptions,
    /// Whether agents are served at `/mcp`.
    pub serves_agents: bool,
    /// Web origins whose pages may call the API, as `https://host[:port]`.
    pub cors_origins: Vec<String>,
    /// The peers whose forwarded headers count.
    pub trusted_proxies: Vec<IpNet>,
    /// Requests per second of accounts with a separate budget.
    pub own_per_second: u32,
    /// Time after SIGTERM in which further requests are answered.
    pub stop_grace: Duration,
    /// The platform's API for statistics. None: no statistics.
    pub statistics: Option<PlatformSettings>,
    /// Issuers whose identities machine clients may trust.
    pub issuers: IssuerSettings,
    /// Retention of the logs.
    pub retention: Retention,
    /// Checkpoints of the audit log.
    pub checkpoints: CheckpointArgs,
    /// The budgets of callers without an account.
    pub limits: labs_rest::front::budget::Limits,
    base_url: Option<String>,
    media_public_url: Option<String>,
}

impl Serve {
    /// Resolves settings that depend on others.
    ///
    /// # Errors
    /// If an address or a file in the settings cannot be used.
    pub fn settle(self) -> anyhow::Result<Config> {
        let master_key_file = self.common.master_key_file();
        let database = self.common.urls_listening_at(self.listen_database_url)?;
        let database = self.common.urls_read_at(database, self.read_database_urls)?;
        let smtp_url = self.smtp_url.filter(Secret::is_some);
        smtp_url.as_ref().map(|url| mail_server(url.expose())).transpose()?;
        let Common { folder, pg_bin, log_format, .. } = self.common;
        let media = self.media.settle(&folder)?;
        // An unusable key stops the start early. The name can depend on the port, which is not known yet.
        self.checkpoints.open("http://localhost")?;
        Ok(Config {
            listen: self.listen,
            base_url: self.base_url.0,
            database_connections: self.database_connections,
            sample_data: !self.empty && database.is_none(),
            media,
            media_public_url: self.media_public_url.as_deref().map(media::public_url).transpose()?.flatten(),
            mail_folder: folder.join("mail"),
            master_key_file,
            smtp_url,
            mail_from: self.mail_from,
            log_format,
            log_requests: self.log_requests,
            metrics_listen: self.metrics_listen.0,
            security_contact: self.security_contact,
            passwords: self.passwords.settle()?,
            serves_agents: self.mcp,
            cors_origins: self.cors_origins,
            trusted_proxies: self.trusted_proxies,
            own_per_second: self.own_per_second,
            stop_grace: Duration::from_secs(self.stop_grace_seconds),
            statistics: self.statistics.settle()?,
            issuers: self.issuers.settle()?,
            retention: self.retention.settle(),
            checkpoints: self.checkpoints,
            limits: labs_rest::front::budget::Limits {
                anonymous_per_second: self.anonymous_per_second,
                anonymous_per_day: self.anonymous_per_day,
                pictures_per_second: self.pictures_per_second,
                attempts_per_minute: self.attempts_per_minute,
            },
            folder,
            database,
            pg_bin,
        })
    }
}

impl Config {
    /// Returns the public base address without a final slash: by default the listening address, or loopback for all.
    #[must_use]
    pub fn base_url(&self, listening: SocketAddr) -> String {
        self.base_url.clone().unwrap_or_else(|| {
            let near = match listening.ip() {
                IpAddr::V4(ip) if ip.is_unspecified() => Ipv4Addr::LOCALHOST.into(),
                IpAddr::V6(ip) if ip.is_unspecified() => Ipv6Addr::LOCALHOST.into(),
                ip => ip,
            };
            format!("http://{}", SocketAddr::new(near, listening.port()))
        })
    }

    /// Returns the public address of storefront media for a service with this base address, without a slash at the end.
    #[must_use]
    pub fn pictures_url(&self, base_url: &str) -> String {
        self.media_public_url.clone().unwrap_or_else(|| format!("{base_url}/media"))
    }

    /// Whether replicas with the same database would reject each other's tokens, because each uses its listening
    /// address as its base address.
    #[must_use]
    pub fn is_named_by_chance(&self) -> bool {
        self.database.is_some() && self.base_url.is_none()
    }

    /// Returns the destination of mail, for a log: the server without user and password, or the folder.
    #[must_use]
    pub fn mail_place(&self) -> String {
        let server = self.smtp_url.as_ref().and_then(|url| mail_server(url.expose()).ok());
        server.unwrap_or_else(|| format!("files in {}", self.mail_folder.display()))
    }

    /// Returns the file of the sample sign-ins.
    #[must_use]
    pub fn sign_ins_file(&self) -> PathBuf {
        self.folder.join("sign-ins.txt")
    }
}

#[cfg(test)]
mod tests;
