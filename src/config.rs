//! What `labs serve` can be told, by flags and by LABS_* variables. This is the only list of them:
//! `--help` prints it, [`table`] reads it, and a test compares the README with that.

use crate::cli::Cli;
use crate::platform::PlatformSettings;
use crate::secret::Secret;
use anyhow::{Context, bail};
use clap::{Args, CommandFactory, ValueEnum};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::path::PathBuf;

use ipnet::IpNet;
use labs_schema::jobs::statistics::Day;

/// How `labs serve` is told what to do, word by word.
#[derive(Args, Clone, Debug)]
pub struct Serve {
    /// Address and port to listen on; port 0 takes a free one
    #[arg(long, env = "LABS_LISTEN", default_value = "127.0.0.1:8080", value_name = "ADDRESS:PORT")]
    pub listen: SocketAddr,

    /// Public base address, where others reach this service; it stands in every token, so that replicas need the same
    #[arg(long, env = "LABS_BASE_URL", default_value = "http://<listen>", value_name = "URL")]
    pub base_url: String,

    /// Where its database is, and how it logs.
    #[command(flatten)]
    pub common: Common,

    /// Connections to the database, 4 to 80
    #[arg(long, env = "LABS_DATABASE_CONNECTIONS", default_value = "10", value_name = "NUMBER",
        value_parser = clap::value_parser!(u32).range(4..=80))]
    pub database_connections: u32,

    /// Start without sample data, of which DATABASE_URL never gets any
    #[arg(long, env = "LABS_EMPTY", value_parser = clap::builder::FalseyValueParser::new())]
    pub empty: bool,

    /// Folder of the uploaded files
    #[arg(long, env = "LABS_MEDIA_FOLDER", default_value = "<folder>/media", value_name = "PATH")]
    pub media_folder: String,

    /// Mail server, smtps://user:password@host:port or smtp:// likewise; without one, mail is
    /// written to .eml files in the folder
    #[arg(long, env = "LABS_SMTP_URL", value_name = "URL", hide_env_values = true)]
    pub smtp_url: Option<Secret>,

    /// Sender of the mail
    #[arg(long, env = "LABS_MAIL_FROM", default_value = "Labs <labs@localhost>", value_name = "MAILBOX")]
    pub mail_from: String,

    /// Web origins whose pages may call, separated by commas; without any, none may
    #[arg(long, env = "LABS_CORS_ORIGINS", value_delimiter = ',', value_name = "ORIGINS",
        value_parser = origin)]
    pub cors_origins: Vec<String>,

    /// Networks of the proxies whose forwarded headers are believed, separated by commas; without
    /// any, none are
    #[arg(long, env = "LABS_TRUSTED_PROXIES", value_delimiter = ',', value_name = "NETWORKS",
        value_parser = network)]
    pub trusted_proxies: Vec<IpNet>,

    /// Requests a second that one network may make without a token
    #[arg(long, env = "LABS_ANONYMOUS_PER_SECOND", default_value = "50", value_name = "NUMBER")]
    pub anonymous_per_second: u32,

    /// Requests a day that one network may make without a token
    #[arg(long, env = "LABS_ANONYMOUS_PER_DAY", default_value = "50000", value_name = "NUMBER")]
    pub anonymous_per_day: u64,

    /// Pictures of what is on show that one network may fetch a second
    #[arg(long, env = "LABS_PICTURES_PER_SECOND", default_value = "200", value_name = "NUMBER",
        value_parser = clap::value_parser!(u32).range(1..))]
    pub pictures_per_second: u32,

    /// Requests a second that a staff member may make, and a program of no partner's, a storefront for example
    #[arg(long, env = "LABS_OWN_PER_SECOND", default_value = "200", value_name = "NUMBER",
        value_parser = clap::value_parser!(u32).range(1..))]
    pub own_per_second: u32,

    /// Tries a minute that one network has at sign-in, second factor, token, registration, refresh, reset and with what was mailed
    #[arg(long, env = "LABS_ATTEMPTS_PER_MINUTE", default_value = "30", value_name = "NUMBER")]
    pub attempts_per_minute: u32,

    /// Where the platform's API answers how many customers use which app; without it no statistics are imported or shown
    #[arg(long, env = "LABS_STATISTICS_URL", value_name = "URL")]
    pub statistics_url: Option<String>,

    /// File of the bearer token for it, read anew for each request
    #[arg(long, env = "LABS_STATISTICS_TOKEN_FILE", value_name = "FILE")]
    pub statistics_token_file: Option<PathBuf>,

    /// First day to import; without one, the first import begins 92 days back
    #[arg(long, env = "LABS_STATISTICS_FROM", value_name = "DAY")]
    pub statistics_from: Option<Day>,

    /// Let that API have an address inside a network, and plain http:// there
    #[arg(long, env = "LABS_STATISTICS_ALLOW_PRIVATE", value_parser = clap::builder::FalseyValueParser::new())]
    pub statistics_allow_private: bool,
}

/// What every command that needs the database can be told.
#[derive(Args, Clone, Debug)]
pub struct Common {
    /// Folder of the private PostgreSQL, secrets, media and mail; it becomes private (0700)
    #[arg(long, env = "LABS_FOLDER", default_value = ".labs", value_name = "PATH")]
    pub folder: PathBuf,

    /// PostgreSQL to use, as the owner of the database; without one, a private one is started in
    /// the folder
    #[arg(long, env = "DATABASE_URL", value_name = "URL", hide_env_values = true)]
    pub database_url: Option<Secret>,

    /// File of the key from which all others are derived, made on the first start; every replica
    /// needs the same
    #[arg(long, env = "LABS_MASTER_KEY_FILE", default_value = "<folder>/secrets/master.key", value_name = "FILE")]
    pub master_key_file: String,

    /// Folder of PostgreSQL's programs; without one, that in PG_BIN, else the usual places are searched
    #[arg(long, env = "LABS_PG_BIN", value_name = "PATH")]
    pub pg_bin: Option<PathBuf>,

    /// What is logged: error, warn, info, debug or trace, also by part, as in info,labs_rest=debug
    #[arg(long, env = "LABS_LOG", default_value = "info", value_name = "FILTER")]
    pub log: String,

    /// Form of the log lines on standard error
    #[arg(long, env = "LABS_LOG_FORMAT", default_value = "text", value_name = "FORMAT")]
    pub log_format: LogFormat,
}

impl Common {
    /// Where the master key lies.
    #[must_use]
    pub fn master_key_file(&self) -> PathBuf {
        match self.master_key_file.strip_prefix("<folder>/") {
            Some(rest) => self.folder.join(rest),
            None => PathBuf::from(&self.master_key_file),
        }
    }
}

/// The form of log lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum LogFormat {
    /// For people.
    Text,
    /// For programs: one JSON object a line.
    Json,
}

/// How `labs serve` is to run: everything decided but the port.
#[derive(Clone, Debug)]
pub struct Config {
    /// Where to listen. Port 0: any free one.
    pub listen: SocketAddr,
    /// The folder of everything that stays.
    pub folder: PathBuf,
    /// PostgreSQL elsewhere. None: the private one.
    pub database_url: Option<Secret>,
    /// The folder of PostgreSQL's programs. None: search.
    pub pg_bin: Option<PathBuf>,
    /// The size of the connection pool.
    pub database_connections: u32,
    /// Whether an empty database is to be filled with sample data.
    pub sample_data: bool,
    /// The folder of the uploaded files.
    pub media_folder: PathBuf,
    /// The folder of the mail that is written to files.
    pub mail_folder: PathBuf,
    /// The file of the master key.
    pub master_key_file: PathBuf,
    /// The mail server. None: files in `mail_folder`.
    pub smtp_url: Option<Secret>,
    /// The sender of the mail: a name and an address.
    pub mail_from: String,
    /// The web origins that may call from a page, as `https://host[:port]`.
    pub cors_origins: Vec<String>,
    /// The peers whose forwarded headers count.
    pub trusted_proxies: Vec<IpNet>,
    /// Requests a second of whoever has a budget of their own.
    pub own_per_second: u32,
    /// The platform's API that statistics come from. None: there are none.
    pub statistics: Option<PlatformSettings>,
    /// The budgets of callers without an account.
    pub limits: labs_rest::edge::budget::Limits,
    base_url: Option<String>,
}

impl Serve {
    /// Settles what depends on other settings.
    ///
    /// # Errors
    /// When the base address is none, or that of the platform's API.
    pub fn settle(self) -> anyhow::Result<Config> {
        let master_key_file = self.common.master_key_file();
        let statistics = self.statistics_url.filter(|url| !url.is_empty()).map(|url| {
            let token_file =
                self.statistics_token_file.context("LABS_STATISTICS_URL needs LABS_STATISTICS_TOKEN_FILE")?;
            PlatformSettings::new(&url, token_file, self.statistics_from, self.statistics_allow_private)
        });
        let Common { folder, database_url, pg_bin, .. } = self.common;
        let database_url = database_url.filter(Secret::is_some);
        let inside = |text: String| match text.strip_prefix("<folder>/") {
            Some(rest) => folder.join(rest),
            None => PathBuf::from(text),
        };
        Ok(Config {
            listen: self.listen,
            base_url: base_url(&self.base_url)?,
            database_connections: self.database_connections,
            sample_data: !self.empty && database_url.is_none(),
            media_folder: inside(self.media_folder),
            mail_folder: folder.join("mail"),
            master_key_file,
            smtp_url: self.smtp_url.filter(Secret::is_some),
            mail_from: self.mail_from,
            cors_origins: self.cors_origins,
            trusted_proxies: self.trusted_proxies,
            own_per_second: self.own_per_second,
            statistics: statistics.transpose()?,
            limits: labs_rest::edge::budget::Limits {
                anonymous_per_second: self.anonymous_per_second,
                anonymous_per_day: self.anonymous_per_day,
                pictures_per_second: self.pictures_per_second,
                attempts_per_minute: self.attempts_per_minute,
            },
            folder,
            database_url,
            pg_bin,
        })
    }
}

impl Config {
    /// The address under which others reach the service, without a slash at the end; by default
    /// the one it listens on, and where that is every address of the machine, the loopback one.
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

    /// Whether replicas over the same database would refuse each other's tokens: each is named after where it listens.
    #[must_use]
    pub fn is_named_by_chance(&self) -> bool {
        self.database_url.is_some() && self.base_url.is_none()
    }

    /// The file of the sample sign-ins.
    #[must_use]
    pub fn sign_ins_file(&self) -> PathBuf {
        self.folder.join("sign-ins.txt")
    }
}

/// One setting, as the README's table shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// The environment variable.
    pub variable: String,
    /// The flag, with its dashes.
    pub flag: String,
    /// The default as text. Empty: there is none.
    pub default: String,
    /// What it means, in one line.
    pub meaning: String,
}

/// All settings of `labs serve`, read from the command line's own definition.
#[must_use]
pub fn table() -> Vec<Row> {
    let command = Cli::command();
    let serve = command.find_subcommand("serve");
    let arguments = serve.into_iter().flat_map(clap::Command::get_arguments);
    arguments
        .filter_map(|argument| {
            let values = argument.get_default_values();
            let default = if argument.get_action().takes_values() { values } else { &[] };
            Some(Row {
                variable: argument.get_env()?.to_str()?.to_owned(),
                flag: format!("--{}", argument.get_long()?),
                default: default.first().and_then(|text| text.to_str()).unwrap_or_default().into(),
                meaning: argument.get_help()?.to_string(),
            })
        })
        .collect()
}

fn base_url(text: &str) -> anyhow::Result<Option<String>> {
    if text == "http://<listen>" {
        return Ok(None);
    }
    let text = text.trim_end_matches('/');
    let uri: http::Uri = text.parse().with_context(|| format!("the base address {text:?}"))?;
    let plain = matches!(uri.scheme_str(), Some("http" | "https")) && uri.query().is_none();
    if !plain || uri.path() != "/" || text.contains(['@', '#']) {
        bail!("the base address {text:?} is not http:// or https:// and a host");
    }
    Ok(Some(text.to_owned()))
}

fn origin(text: &str) -> anyhow::Result<String> {
    base_url(text.trim())?.context("an origin is http:// or https:// and a host")
}

fn network(text: &str) -> anyhow::Result<IpNet> {
    let text = text.trim();
    match text.parse::<IpAddr>() {
        Ok(address) => Ok(address.into()),
        Err(_) => text.parse().with_context(|| format!("{text:?} is no network such as 10.0.0.0/8")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::Command;
    use clap::Parser;
    use std::path::Path;

    fn config(arguments: &[&str]) -> anyhow::Result<Config> {
        let words = ["labs", "serve"].iter().chain(arguments);
        match Cli::try_parse_from(words)?.command {
            Command::Serve(serve) => serve.settle(),
            other => bail!("{other:?}"),
        }
    }

    #[test]
    fn paths_follow_the_folder_unless_they_are_given() {
        let config = config(&["--folder", "/srv/labs", "--media-folder", "/mnt/media"]).unwrap();
        assert_eq!(config.master_key_file, Path::new("/srv/labs/secrets/master.key"));
        assert_eq!(config.media_folder, Path::new("/mnt/media"));
        assert_eq!(config.mail_folder, Path::new("/srv/labs/mail"));
    }

    #[test]
    fn the_base_address_is_where_it_listens_unless_it_is_given() {
        let near = config(&[]).unwrap();
        let bound = "0.0.0.0:4711".parse().unwrap();
        assert_eq!(near.base_url(bound), "http://127.0.0.1:4711");
        let far = config(&["--base-url", "https://labs.example.com/"]).unwrap();
        assert_eq!(far.base_url(bound), "https://labs.example.com");
        for bad in ["labs.example.com", "ftp://labs.example.com", "https://a/b", "https://a?b"] {
            assert!(config(&["--base-url", bad]).is_err(), "{bad}");
        }
    }

    #[test]
    fn whoever_may_have_replicas_is_told_to_name_the_service() {
        let shared = ["--database-url", "postgres://db/labs"];
        assert!(config(&shared).unwrap().is_named_by_chance());
        let named = [shared.as_slice(), &["--base-url", "https://labs.example.com"]].concat();
        assert!(!config(&named).unwrap().is_named_by_chance());
        assert!(!config(&[]).unwrap().is_named_by_chance(), "the private database has one service");
    }

    #[test]
    fn sample_data_never_reach_somebody_elses_database() {
        assert!(config(&[]).unwrap().sample_data);
        assert!(!config(&["--empty"]).unwrap().sample_data);
        let elsewhere = config(&["--database-url", "postgres://ada:byron@db/labs"]).unwrap();
        assert!(!elsewhere.sample_data);
        assert!(!format!("{elsewhere:?}").contains("byron"), "{elsewhere:?}");
    }

    #[test]
    fn networks_may_be_single_addresses() {
        let config = config(&["--trusted-proxies", "10.0.0.0/8, ::1"]).unwrap();
        let expected: Vec<IpNet> = ["10.0.0.0/8", "::1/128"].map(|text| text.parse().unwrap()).into();
        assert_eq!(config.trusted_proxies, expected);
    }

    #[test]
    fn the_table_names_every_setting_with_its_default() {
        let table = table();
        let find = |variable: &str| table.iter().find(|row| row.variable == variable).unwrap();
        assert_eq!(find("LABS_LISTEN").default, "127.0.0.1:8080");
        assert_eq!(find("LABS_FOLDER").flag, "--folder");
        assert_eq!(find("LABS_SMTP_URL").default, "");
        assert!(table.iter().all(|row| !row.meaning.is_empty()));
        let command = Cli::command();
        let flags = command.find_subcommand("serve").unwrap().get_arguments().filter(|flag| flag.get_long().is_some());
        assert_eq!(table.len(), flags.count(), "a flag has no variable");
    }
}
