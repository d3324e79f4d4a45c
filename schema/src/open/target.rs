//! The database that an address names, and the connection parameters.

use std::fs::File;
use std::net::IpAddr;
use std::str::FromStr;
use std::{env, fmt};

use sqlx::postgres::{PgConnectOptions, PgSslMode};

use super::address::Address;
use super::refusal::OpenRefusal;

/// Form of an address.
const FORM: &str = "postgres://user:password@host:5432/database";

/// Parameters of an address that the connection supports.
const PARAMETERS: &[&str] = &[
    "sslmode",
    "ssl-mode",
    "sslrootcert",
    "ssl-root-cert",
    "ssl-ca",
    "sslcert",
    "ssl-cert",
    "sslkey",
    "ssl-key",
    "statement-cache-capacity",
    "host",
    "hostaddr",
    "port",
    "dbname",
    "user",
    "password",
    "application_name",
    "options",
];

/// Parameters of PostgreSQL's own programs that have no effect on this connection. They are valid, so the service
/// reports and ignores them at start: database providers include some in their addresses.
const IGNORED: &[&str] = &[
    "channel_binding",
    "client_encoding",
    "connect_timeout",
    "fallback_application_name",
    "gssdelegation",
    "gssencmode",
    "gsslib",
    "keepalives",
    "keepalives_count",
    "keepalives_idle",
    "keepalives_interval",
    "krbsrvname",
    "load_balance_hosts",
    "max_protocol_version",
    "min_protocol_version",
    "passfile",
    "replication",
    "require_auth",
    "requirepeer",
    "requiressl",
    "service",
    "servicefile",
    "ssl_max_protocol_version",
    "ssl_min_protocol_version",
    "sslcertmode",
    "sslcompression",
    "sslcrl",
    "sslcrldir",
    "sslkeylogfile",
    "sslnegotiation",
    "sslpassword",
    "sslsni",
    "target_session_attrs",
    "tcp_user_timeout",
];

/// Values of `sslmode`.
const MODES: &[&str] = &["disable", "allow", "prefer", "require", "verify-ca", "verify-full"];

/// Parameters that name a file, and the equivalent environment variable.
const FILES: &[(&[&str], &str)] = &[
    (&["sslrootcert", "ssl-root-cert", "ssl-ca"], "PGSSLROOTCERT"),
    (&["sslcert", "ssl-cert"], "PGSSLCERT"),
    (&["sslkey", "ssl-key"], "PGSSLKEY"),
];

/// A database, described for an operator, never with its password.
pub(super) struct DatabaseTarget {
    host: String,
    pub(super) database: String,
    pub(super) user: String,
    /// Setting that contains the address.
    pub(super) setting: &'static str,
    mode: PgSslMode,
}

impl DatabaseTarget {
    /// Parses an address.
    ///
    /// # Errors
    /// If the address is invalid, or is not a PostgreSQL address.
    pub(super) fn of(address: &Address) -> Result<(Self, PgConnectOptions), OpenRefusal> {
        let Address { url, setting } = address;
        let Some((scheme, behind)) = url.split_once("://") else {
            return Err(OpenRefusal::new(format!("{setting} is not an address. Write {FORM}.")));
        };
        let authority = behind.find(['/', '?', '#']).unwrap_or(behind.len());
        if behind.get(authority..).is_some_and(|rest| rest.contains(['@', '#'])) {
            return Err(unreadable(setting, "an @ or a # follows the host"));
        }
        ensure_parameters(address)?;
        let options = PgConnectOptions::from_str(url).map_err(|error| match error {
            sqlx::Error::Configuration(cause) => unreadable(setting, &cause.to_string()),
            other => unreadable(setting, &other.to_string()),
        })?;
        let options = with_authority(address, with_tls(address, options))?;
        let place = Self::named(&options, setting);
        if !matches!(scheme, "postgres" | "postgresql") {
            return Err(place.of_another_kind(scheme));
        }
        Ok((place, options))
    }

    fn named(options: &PgConnectOptions, setting: &'static str) -> Self {
        let host = match options.get_socket() {
            Some(socket) => socket.display().to_string(),
            None => format!("{}:{}", options.get_host(), options.get_port()),
        };
        let user = options.get_username().to_owned();
        let database = options.get_database().unwrap_or(&user).to_owned();
        Self { host, database, user, setting, mode: options.get_ssl_mode() }
    }

    /// Returns the error for the address of another kind of database.
    fn of_another_kind(&self, scheme: &str) -> OpenRefusal {
        let is_plain = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '+' | '-' | '.');
        let scheme: String = scheme.chars().filter(|letter| is_plain(*letter)).take(20).collect();
        let (host, _) = self.host.rsplit_once(':').unwrap_or((&self.host, ""));
        let setting = self.setting;
        OpenRefusal::new(format!(
            "{setting} names the database {} at {host} by {scheme}://, but Labs supports only PostgreSQL. Write \
             {FORM}; or omit {setting} to start a private PostgreSQL.",
            self.database
        ))
    }

    /// Returns host and port, or the socket's folder.
    pub(super) fn host(&self) -> &str {
        &self.host
    }

    /// Returns the database with its name.
    pub(super) fn whole(&self) -> String {
        format!("The database {} at {}", self.database, self.host)
    }

    /// Quotes the user for a statement.
    pub(super) fn quoted_user(&self) -> String {
        let is_plain = self.user.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_');
        if is_plain { self.user.clone() } else { format!("\"{}\"", self.user.replace('"', "\"\"")) }
    }

    /// Describes everything except the password, for a log.
    pub(super) fn describe(&self) -> String {
        let mode = match self.mode {
            PgSslMode::Disable => "disable",
            PgSslMode::Allow => "allow",
            PgSslMode::Prefer => "prefer",
            PgSslMode::Require => "require",
            PgSslMode::VerifyCa => "verify-ca",
            PgSslMode::VerifyFull => "verify-full",
        };
        format!("{} at {} as {}, sslmode {mode}", self.database, self.host, self.user)
    }
}

impl fmt::Display for DatabaseTarget {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "The database at {}", self.host)
    }
}

fn unreadable(setting: &str, cause: &str) -> OpenRefusal {
    OpenRefusal::new(format!(
        "{setting} cannot be parsed: {cause}. Write {FORM}, and in the password %40 for @, %3A for :, %2F for /, %3F \
         for ? and %23 for #."
    ))
}

/// Requires TLS for a server on another machine if no `sslmode` is set. With libpq's default, `prefer`, an attacker
/// between the two could remove it.
fn with_tls(Address { url, .. }: &Address, options: PgConnectOptions) -> PgConnectOptions {
    // An empty or misspelt variable would mean the default of libpq.
    let is_mode = |mode: String| MODES.iter().any(|known| known.eq_ignore_ascii_case(&mode));
    let is_set = parameters(url).any(|(name, _)| matches!(name, "sslmode" | "ssl-mode"))
        || env::var("PGSSLMODE").is_ok_and(is_mode);
    let host = options.get_host().trim_matches(['[', ']']);
    let is_loopback = host == "localhost" || host.parse::<IpAddr>().is_ok_and(|address| address.is_loopback());
    let is_here = options.get_socket().is_some() || host.starts_with('/') || is_loopback;
    if is_set || is_here { options } else { options.ssl_mode(PgSslMode::Require) }
}

/// Adds a certificate authority that the address names, and checks it. As in PostgreSQL's own programs, `require` then
/// means `verify-ca`. Unreadable files are reported here, because their names are available here.
fn with_authority(address: &Address, options: PgConnectOptions) -> Result<PgConnectOptions, OpenRefusal> {
    let Address { url: database_url, setting } = address;
    let mut names_authority = false;
    for (names, variable) in FILES {
        let named = parameters(database_url).filter(|(name, _)| names.contains(name)).last();
        let named = named.map(|(name, value)| (name.to_owned(), decoded(value)));
        let Some((name, file)) = named.or_else(|| Some(((*variable).to_owned(), env::var(variable).ok()?))) else {
            continue;
        };
        names_authority |= *variable == "PGSSLROOTCERT";
        // The value may be the certificate itself.
        if !file.trim_start().starts_with("-----BEGIN") {
            File::open(&file).map_err(|error| {
                OpenRefusal::new(format!("{name} of {setting} names the file {file}, which cannot be read ({error})."))
            })?;
        }
    }
    Ok(match options.get_ssl_mode() {
        PgSslMode::Require if names_authority => options.ssl_mode(PgSslMode::VerifyCa),
        _ => options,
    })
}

/// Returns the names of ignored parameters.
pub(super) fn ignored_parameters(database_url: &str) -> impl Iterator<Item = &str> {
    parameters(database_url).map(|(name, _)| name).filter(|name| IGNORED.contains(name))
}

/// Rejects an unknown parameter: a misspelt `sslmode` would leave the connection without TLS. If the name is not a
/// plain word, the error does not repeat it, because it may be part of a password.
fn ensure_parameters(Address { url, setting }: &Address) -> Result<(), OpenRefusal> {
    for (name, value) in parameters(url) {
        let is_mode = matches!(name, "sslmode" | "ssl-mode");
        if is_mode && !MODES.iter().any(|mode| mode.eq_ignore_ascii_case(&decoded(value))) {
            let modes = MODES.join(", ");
            return Err(OpenRefusal::new(format!("{setting} has an unknown value of {name}. Write one of {modes}.")));
        }
        if PARAMETERS.contains(&name) || IGNORED.contains(&name) || name.starts_with("options[") {
            continue;
        }
        let words = PARAMETERS.iter().chain(IGNORED).copied();
        let meant = nearest(name, words).map(|meant| format!(" Did you mean {meant}?")).unwrap_or_default();
        let is_word =
            name.len() <= 40 && name.bytes().all(|byte| byte.is_ascii_lowercase() || matches!(byte, b'_' | b'-'));
        let named = if is_word { format!("the parameter {name}, which") } else { "a parameter that".to_owned() };
        let known = PARAMETERS.join(", ");
        return Err(OpenRefusal::new(format!(
            "{setting} contains {named} is unknown.{meant} The known parameters are {known}."
        )));
    }
    Ok(())
}

/// Returns the most similar name, if one is similar enough.
fn nearest<'a>(name: &str, words: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let name = name.to_ascii_lowercase();
    let near = words.map(|word| (strsim::osa_distance(&name, word), word)).filter(|(errors, _)| *errors <= 2);
    near.min_by_key(|(errors, _)| *errors).map(|(_, word)| word)
}

fn parameters(database_url: &str) -> impl Iterator<Item = (&str, &str)> {
    let (_, query) = database_url.split_once('?').unwrap_or_default();
    query.split('&').filter(|pair| !pair.is_empty()).map(|pair| pair.split_once('=').unwrap_or((pair, "")))
}

/// Decodes percent-encoding.
fn decoded(value: &str) -> String {
    let mut bytes = Vec::with_capacity(value.len());
    let mut rest = value.as_bytes();
    while let [first, behind @ ..] = rest {
        let hex = (*first == b'%').then(|| behind.get(..2)).flatten().and_then(|two| hex::decode(two).ok());
        rest = if hex.is_some() { behind.get(2..).unwrap_or_default() } else { behind };
        match hex {
            Some(byte) => bytes.extend(byte),
            None => bytes.push(if *first == b'+' { b' ' } else { *first }),
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn address(url: impl Into<String>) -> Address {
        Address { url: url.into(), setting: "DATABASE_URL" }
    }

    fn refused(database_url: &str) -> String {
        DatabaseTarget::of(&address(database_url)).err().unwrap().to_string()
    }

    #[test]
    fn database_target_is_described_without_password() {
        let (place, _) = DatabaseTarget::of(&address("postgres://labs:hush@db.example:5433/shop")).unwrap();
        assert_eq!(place.to_string(), "The database at db.example:5433");
        assert_eq!((place.database.as_str(), place.user.as_str()), ("shop", "labs"));
        assert_eq!(place.describe(), "shop at db.example:5433 as labs, sslmode require");
    }

    #[test]
    fn server_on_another_machine_needs_tls_unless_sslmode_is_set() {
        let mode = |rest: &str| {
            let (place, _) = DatabaseTarget::of(&address(format!("postgres://labs{rest}"))).unwrap();
            place.describe().rsplit_once(' ').unwrap().1.to_owned()
        };
        for remote in
            ["@db.example/shop", "@192.0.2.7/shop", "@[2001:db8::1]/shop", "@db.example/shop?application_name=a"]
        {
            assert_eq!(mode(remote), "require", "{remote}");
        }
        for near in
            ["@localhost/shop", "@127.0.0.1/shop", "@%2Frun%2Fpostgresql/shop", "@db.example/shop?sslmode=prefer"]
        {
            assert_eq!(mode(near), "prefer", "{near}");
        }
        assert_eq!(mode("@db.example/shop?sslmode=disable"), "disable");
    }

    #[test]
    fn invalid_setting_is_named() {
        let of_migrations = Address { url: "db.example/shop".to_owned(), setting: "LABS_MIGRATE_URL" };
        let told = DatabaseTarget::of(&of_migrations).err().unwrap().to_string();
        assert!(told.starts_with("LABS_MIGRATE_URL is not an address"), "{told}");
    }

    #[test]
    fn user_name_with_special_characters_is_quoted() {
        let user =
            |name: &str| DatabaseTarget::of(&address(format!("postgres://{name}@db/shop"))).unwrap().0.quoted_user();
        assert_eq!((user("labs_web"), user("labs-web")), ("labs_web".to_owned(), "\"labs-web\"".to_owned()));
    }

    #[test]
    fn invalid_database_url_error_states_fix_without_password() {
        for (database_url, said) in [
            ("labs:hush@db.example/shop", "is not an address"),
            ("mysql://labs:hush@db.example/shop", "names the database shop at db.example by mysql://"),
            ("postgres://labs:hush@db.example:port/shop", "cannot be parsed: invalid port number"),
            ("postgres://labs:1/hush@db.example/shop", "an @ or a # follows the host"),
            ("postgres://labs:1?hush@db.example/shop", "an @ or a # follows the host"),
            ("postgres://labs:1#hush", "an @ or a # follows the host"),
            (
                "postgres://labs:hush@db.example/shop?sslmode=full",
                "DATABASE_URL has an unknown value of sslmode. Write one of disable, allow, prefer, require, verify-ca, verify-full.",
            ),
            ("postgres://labs:hush@db.example/shop?ssl-mode=", "has an unknown value of ssl-mode"),
            (
                "postgres://labs:hush@db.example/shop?sslmod=require",
                "contains the parameter sslmod, which is unknown. Did you mean sslmode?",
            ),
            (
                "postgres://labs:hush@db.example/shop?a=b&sslrootcrt=x",
                "contains the parameter a, which is unknown. The known parameters are sslmode,",
            ),
            ("postgres://labs:hush@db.example/shop?sslmode=require&sslrootcrt=x", "Did you mean sslrootcert?"),
            (
                "postgres://labs@db.example/shop?SSLMODE=require",
                "contains a parameter that is unknown. Did you mean sslmode? The known parameters are",
            ),
            ("postgres://labs@db.example/shop?p=1&hush%20hush", "which is unknown"),
            (
                "postgres://labs@db.example/shop?sslmode=require&hush%20hush",
                "contains a parameter that is unknown. The known parameters are",
            ),
            (
                "postgres://labs:hush@db.example/shop?sslrootcert=no%2Dsuch.pem",
                "names the file no-such.pem, which cannot be read",
            ),
        ] {
            let told = refused(database_url);
            assert!(told.contains(said) && !told.contains("hush"), "{database_url}: {told}");
        }
    }

    #[test]
    fn certificate_authority_file_enables_verification() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let place =
            |query: String| DatabaseTarget::of(&address(format!("postgres://labs@db.example/shop?{query}"))).unwrap().0;
        let named = format!("sslmode=require&sslrootcert={}", file.path().display());
        assert!(place(named).describe().ends_with("sslmode verify-ca"));
        assert!(place("sslmode=require".to_owned()).describe().ends_with("sslmode require"));
    }

    #[test]
    fn ignored_parameters_are_accepted_and_listed() {
        let url =
            "postgres://labs@db.example/shop?sslmode=Require&channel_binding=require&options[role]=x&sslpassword=hush";
        assert_eq!(ignored_parameters(url).collect::<Vec<_>>(), ["channel_binding", "sslpassword"]);
        assert!(DatabaseTarget::of(&address(url)).is_ok());
    }
}
