//! Which database an address names, and how it is to be reached.

use std::fmt;
use std::fs::File;
use std::str::FromStr;

use sqlx::postgres::{PgConnectOptions, PgSslMode};

use super::address::Address;
use super::refusal::OpenRefusal;

/// What an address looks like.
const FORM: &str = "postgres://user:password@host:5432/database";

/// The parameters of an address that the connection understands.
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

/// Parameters that name a file, and the variable that says the same.
const FILES: &[(&[&str], &str)] = &[
    (&["sslrootcert", "ssl-root-cert", "ssl-ca"], "PGSSLROOTCERT"),
    (&["sslcert", "ssl-cert"], "PGSSLCERT"),
    (&["sslkey", "ssl-key"], "PGSSLKEY"),
];

/// Which database is meant, as an operator recognises it: never with its password.
pub(super) struct Place {
    host: String,
    pub(super) database: String,
    pub(super) user: String,
    /// The setting that names it.
    pub(super) setting: &'static str,
    mode: PgSslMode,
}

impl Place {
    /// The place that an address names.
    ///
    /// # Errors
    /// An address that cannot be read, or is not PostgreSQL's.
    pub(super) fn of(address: &Address) -> Result<(Self, PgConnectOptions), OpenRefusal> {
        let Address { url, setting } = address;
        let Some((scheme, behind)) = url.split_once("://") else {
            return Err(OpenRefusal::new(format!("{setting} is no address. Write {FORM}.")));
        };
        let authority = behind.find(['/', '?', '#']).unwrap_or(behind.len());
        if behind.get(authority..).is_some_and(|rest| rest.contains(['@', '#'])) {
            return Err(unreadable(setting, "an @ or a # stands behind the host"));
        }
        let options = PgConnectOptions::from_str(url).map_err(|error| match error {
            sqlx::Error::Configuration(cause) => unreadable(setting, &cause.to_string()),
            other => unreadable(setting, &other.to_string()),
        })?;
        let options = with_authority(address, options)?;
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

    /// The address is that of another kind of database.
    fn of_another_kind(&self, scheme: &str) -> OpenRefusal {
        let is_plain = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '+' | '-' | '.');
        let scheme: String = scheme.chars().filter(|letter| is_plain(*letter)).take(20).collect();
        let (host, _) = self.host.rsplit_once(':').unwrap_or((&self.host, ""));
        let setting = self.setting;
        OpenRefusal::new(format!(
            "{setting} names the database {} at {host} by {scheme}://, and Labs keeps its data in PostgreSQL alone. Write \
             {FORM}; or leave {setting} out, and a private PostgreSQL is started.",
            self.database
        ))
    }

    /// Host and port, or the socket's folder.
    pub(super) fn host(&self) -> &str {
        &self.host
    }

    /// The database with its name.
    pub(super) fn whole(&self) -> String {
        format!("The database {} at {}", self.database, self.host)
    }

    /// The user, as a statement names them.
    pub(super) fn quoted_user(&self) -> String {
        let is_plain = self.user.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_');
        if is_plain { self.user.clone() } else { format!("\"{}\"", self.user.replace('"', "\"\"")) }
    }

    /// Everything but the password, for a log.
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

impl fmt::Display for Place {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "The database at {}", self.host)
    }
}

fn unreadable(setting: &str, cause: &str) -> OpenRefusal {
    OpenRefusal::new(format!(
        "{setting} cannot be read: {cause}. Write {FORM}, and in the password %40 for @, %3A for :, %2F for /, %3F for ? and \
         %23 for #."
    ))
}

/// The same with an authority that is named and looked at: as PostgreSQL's own programs do, `require` then means
/// `verify-ca`. Files that cannot be read are told here, where it is known which they are.
fn with_authority(address: &Address, options: PgConnectOptions) -> Result<PgConnectOptions, OpenRefusal> {
    let Address { url: database_url, setting } = address;
    let mut names_authority = false;
    for (names, variable) in FILES {
        let named = parameters(database_url).filter(|(name, _)| names.contains(name)).last();
        let named = named.map(|(name, value)| (name.to_owned(), decoded(value)));
        let Some((name, file)) = named.or_else(|| Some(((*variable).to_owned(), std::env::var(variable).ok()?))) else {
            continue;
        };
        names_authority |= *variable == "PGSSLROOTCERT";
        // A certificate may stand there itself.
        if !file.trim_start().starts_with("-----BEGIN") {
            File::open(&file).map_err(|error| {
                OpenRefusal::new(format!("The file {file} cannot be read ({error}), which {name} of {setting} names."))
            })?;
        }
    }
    Ok(match options.get_ssl_mode() {
        PgSslMode::Require if names_authority => options.ssl_mode(PgSslMode::VerifyCa),
        _ => options,
    })
}

/// The names of parameters that nothing comes of.
pub(super) fn unknown_parameters(database_url: &str) -> impl Iterator<Item = &str> {
    let names = parameters(database_url).map(|(name, _)| name);
    names.filter(|name| !PARAMETERS.contains(name) && !name.starts_with("options["))
}

fn parameters(database_url: &str) -> impl Iterator<Item = (&str, &str)> {
    let (_, query) = database_url.split_once('?').unwrap_or_default();
    query.split('&').filter(|pair| !pair.is_empty()).map(|pair| pair.split_once('=').unwrap_or((pair, "")))
}

/// A value without its percent-encoding.
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
        Place::of(&address(database_url)).err().unwrap().to_string()
    }

    #[test]
    fn a_place_is_told_without_its_password() {
        let (place, _) = Place::of(&address("postgres://labs:hush@db.example:5433/shop")).unwrap();
        assert_eq!(place.to_string(), "The database at db.example:5433");
        assert_eq!((place.database.as_str(), place.user.as_str()), ("shop", "labs"));
        assert_eq!(place.describe(), "shop at db.example:5433 as labs, sslmode prefer");
    }

    #[test]
    fn the_setting_that_is_wrong_is_named() {
        let of_migrations = Address { url: "db.example/shop".to_owned(), setting: "LABS_MIGRATE_URL" };
        let told = Place::of(&of_migrations).err().unwrap().to_string();
        assert!(told.starts_with("LABS_MIGRATE_URL is no address"), "{told}");
    }

    #[test]
    fn a_user_with_letters_of_their_own_is_quoted() {
        let user = |name: &str| Place::of(&address(format!("postgres://{name}@db/shop"))).unwrap().0.quoted_user();
        assert_eq!((user("labs_web"), user("labs-web")), ("labs_web".to_owned(), "\"labs-web\"".to_owned()));
    }

    #[test]
    fn an_address_that_cannot_be_used_is_told_with_what_to_write_and_without_its_password() {
        for (database_url, said) in [
            ("labs:hush@db.example/shop", "is no address"),
            ("mysql://labs:hush@db.example/shop", "names the database shop at db.example by mysql://"),
            ("postgres://labs:hush@db.example:port/shop", "cannot be read: invalid port number"),
            ("postgres://labs:1/hush@db.example/shop", "an @ or a # stands behind the host"),
            ("postgres://labs:1?hush@db.example/shop", "an @ or a # stands behind the host"),
            ("postgres://labs:1#hush", "an @ or a # stands behind the host"),
            ("postgres://labs:hush@db.example/shop?sslmode=full", "cannot be read"),
            ("postgres://labs:hush@db.example/shop?sslrootcert=no%2Dsuch.pem", "The file no-such.pem cannot be read"),
        ] {
            let told = refused(database_url);
            assert!(told.contains(said) && !told.contains("hush"), "{database_url}: {told}");
        }
    }

    #[test]
    fn an_authority_that_is_named_is_looked_at() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let place = |query: String| Place::of(&address(format!("postgres://labs@db.example/shop?{query}"))).unwrap().0;
        let named = format!("sslmode=require&sslrootcert={}", file.path().display());
        assert!(place(named).describe().ends_with("sslmode verify-ca"));
        assert!(place("sslmode=require".to_owned()).describe().ends_with("sslmode require"));
    }

    #[test]
    fn parameters_that_nothing_comes_of_are_known_by_name() {
        let url =
            "postgres://labs@db.example/shop?sslmode=require&channel_binding=require&options[role]=x&sslpassword=hush";
        assert_eq!(unknown_parameters(url).collect::<Vec<_>>(), ["channel_binding", "sslpassword"]);
    }
}
