//! `LABS_LOG`: the filter of log lines.
//!
//! A level without a target applies to Labs' own crates. Dependencies log at most at `info` unless the filter names
//! them, and some of them less, because their lines may contain users' texts or credentials.

use std::collections::BTreeMap;

use anyhow::{anyhow, bail, ensure};
use labs_rest::contract::nearest;
use tracing::level_filters::LevelFilter;
use tracing_subscriber::filter::Targets;

/// Names of the levels.
const LEVELS: [(&str, LevelFilter); 6] = [
    ("off", LevelFilter::OFF),
    ("error", LevelFilter::ERROR),
    ("warn", LevelFilter::WARN),
    ("info", LevelFilter::INFO),
    ("debug", LevelFilter::DEBUG),
    ("trace", LevelFilter::TRACE),
];

/// Target prefix of Labs' own log lines: its crates, and `labs::requests`.
const OWN: &str = "labs";

/// Labs' own crates.
const CRATES: [&str; 16] = [
    "labs",
    "labs_admin",
    "labs_core",
    "labs_crypto",
    "labs_engagement",
    "labs_identity",
    "labs_mail",
    "labs_marketplace",
    "labs_media",
    "labs_pictures",
    "labs_publication",
    "labs_rest",
    "labs_schema",
    "labs_shared",
    "labs_statistics",
    "labs_subscription",
];

/// A target of a dependency.
struct Dependency {
    target: &'static str,
    /// The maximum level of its lines.
    most: LevelFilter,
    /// The reason, if lines are restricted.
    because: &'static str,
}

const fn reviewed(target: &'static str) -> Dependency {
    Dependency { target, most: LevelFilter::TRACE, because: "" }
}

const fn limited(target: &'static str, most: LevelFilter, because: &'static str) -> Dependency {
    Dependency { target, most, because }
}

/// Every linked crate that logs. Its lines were reviewed before it was listed: [`reviewed`] if none contains a user's
/// text or a credential. A test compares the list with Cargo.lock.
const DEPENDENCIES: &[Dependency] = &[
    limited("axum", LevelFilter::INFO, "its lines may quote requests"),
    limited("axum_core", LevelFilter::INFO, "its lines may quote requests"),
    reviewed("globset"),
    limited("h2", LevelFilter::INFO, "its lines may quote requests to other servers with their credentials"),
    limited("html5ever", LevelFilter::OFF, "its lines quote users' texts"),
    reviewed("hyper_util"),
    limited("jiff", LevelFilter::INFO, "its lines may quote requests"),
    limited("jiff_core", LevelFilter::INFO, "its lines may quote requests"),
    limited("markup5ever", LevelFilter::OFF, "its lines quote users' texts"),
    limited("object_store", LevelFilter::ERROR, "its lines may quote signed requests"),
    reviewed("reqwest"),
    limited("rmcp", LevelFilter::OFF, "its lines quote agents' messages"),
    reviewed("rustls"),
    reviewed("rustls_platform_verifier"),
    reviewed("sqlx"),
    reviewed("sqlx_core"),
    reviewed("sqlx_postgres"),
    // "already exists, skipping" is not useful for an operator.
    limited("sqlx::postgres::notice", LevelFilter::WARN, "notices of the database may quote its rows"),
    limited("sqlx_postgres::options::parse", LevelFilter::ERROR, "its lines quote parameters of DATABASE_URL"),
    reviewed("tower"),
    limited("tower_governor", LevelFilter::WARN, "its lines name callers' networks"),
];

/// The parsed `LABS_LOG`.
#[derive(Clone, Debug)]
pub struct LogFilter {
    /// The level of Labs' own crates.
    level: LevelFilter,
    /// Levels of the named targets.
    named: BTreeMap<String, LevelFilter>,
}

impl LogFilter {
    /// Parses a level, or pairs `target=level`, or both, separated by commas. An empty text means `info`.
    ///
    /// # Errors
    /// If a value is neither a level nor a target, if a second level is given, or if a target never logs at the level.
    /// The message says what to write.
    pub(crate) fn read(text: &str) -> anyhow::Result<Self> {
        let (mut level, mut named) = (None, BTreeMap::new());
        for word in text.split(',').map(str::trim).filter(|word| !word.is_empty()) {
            match (word.split_once('='), self::level(word)) {
                (Some((target, chosen)), _) => {
                    let chosen = self::level(chosen).ok_or_else(|| unknown_level(chosen))?;
                    named.insert(target.trim().to_owned(), ensure_target(target.trim(), chosen)?);
                }
                (None, Some(chosen)) => {
                    ensure!(level.is_none(), "two levels have no target: omit one of them");
                    level = Some(chosen);
                }
                (None, None) => {
                    ensure_known(word)?;
                    named.insert(word.to_owned(), ensure_target(word, most_of(word).0)?);
                }
            }
        }
        Ok(Self { level: level.unwrap_or(LevelFilter::INFO), named })
    }

    /// Returns the filter, with or without request lines.
    pub(super) fn targets(&self, log_requests: bool) -> Targets {
        let of_others = self.level.min(LevelFilter::INFO);
        let limits = DEPENDENCIES.iter().map(|known| (known.target, known.most.min(of_others)));
        let named = self.named.iter().map(|(target, level)| (target.as_str(), *level));
        let requests = if log_requests { LevelFilter::INFO } else { LevelFilter::OFF };
        Targets::new()
            .with_default(of_others)
            .with_targets(limits)
            .with_target(OWN, self.level)
            .with_targets(named)
            .with_target(labs_rest::REQUESTS, requests)
    }
}

fn level(word: &str) -> Option<LevelFilter> {
    LEVELS.iter().find(|(name, _)| name.eq_ignore_ascii_case(word.trim())).map(|(_, level)| *level)
}

/// Returns the maximum level of a target, and the reason for it.
fn most_of(target: &str) -> (LevelFilter, &'static str) {
    let known = DEPENDENCIES.iter().filter(|known| is_within(target, known.target));
    let known = known.max_by_key(|known| known.target.len());
    known.map_or((LevelFilter::TRACE, ""), |known| (known.most, known.because))
}

fn is_within(target: &str, of: &str) -> bool {
    target.strip_prefix(of).is_some_and(|rest| rest.is_empty() || rest.starts_with("::"))
}

fn ensure_target(target: &str, chosen: LevelFilter) -> anyhow::Result<LevelFilter> {
    ensure_known(target)?;
    let (most, because) = most_of(target);
    if chosen > most {
        bail!("{target} is logged at {most} at most, because {because}");
    }
    Ok(chosen)
}

/// Checks that the crate of a target is linked and logs. Module names are not checked.
fn ensure_known(target: &str) -> anyhow::Result<()> {
    let name = target.split("::").next().unwrap_or_default();
    let crates = || CRATES.into_iter().chain(DEPENDENCIES.iter().map(|known| known.target));
    let is_path = target.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b':'));
    if is_path && crates().any(|known| known == name) {
        return Ok(());
    }
    let meant = hint(target, crates());
    bail!("{target:?} is neither a level nor a module that logs: {}.{meant}", advice())
}

fn unknown_level(word: &str) -> anyhow::Error {
    anyhow!("{word:?} is not a level: {}.{}", advice(), hint(word.trim(), std::iter::empty()))
}

/// Suggests the level or the target that is most similar to the value.
fn hint<'a>(word: &'a str, parts: impl Iterator<Item = &'a str>) -> String {
    let levels = || LEVELS.iter().map(|(level, _)| *level);
    let begun = levels().find(|level| word.to_ascii_lowercase().starts_with(level));
    let meant = begun.or_else(|| nearest(word, levels().chain(parts)));
    meant.map(|meant| format!(" Did you mean {meant}?")).unwrap_or_default()
}

fn advice() -> String {
    let parts = CRATES
        .into_iter()
        .chain(DEPENDENCIES.iter().filter(|known| known.most > LevelFilter::INFO).map(|known| known.target));
    format!(
        "write off, error, warn, info, debug or trace, which applies to Labs itself, or a module with a level, for \
         example info,labs_rest=debug; the modules are {}",
        parts.collect::<Vec<_>>().join(", ")
    )
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::sync::{Arc, Mutex};

    use tracing_subscriber::layer::{Context, Layer, SubscriberExt as _};

    use super::*;

    /// Returns the events in this list that pass a filter.
    fn passed(chosen: &str, log_requests: bool) -> Vec<(&'static str, &'static str)> {
        struct Seen(Arc<Mutex<Vec<(&'static str, &'static str)>>>);
        impl<S: tracing::Subscriber> Layer<S> for Seen {
            fn on_event(&self, event: &tracing::Event<'_>, _: Context<'_, S>) {
                let metadata = event.metadata();
                self.0.lock().unwrap().push((metadata.target(), metadata.level().as_str()));
            }
        }
        let seen = Arc::new(Mutex::new(Vec::new()));
        let filter = LogFilter::read(chosen).unwrap().targets(log_requests);
        let subscriber = tracing_subscriber::registry().with(Seen(Arc::clone(&seen)).with_filter(filter));
        tracing::subscriber::with_default(subscriber, || {
            tracing::debug!(target: "sqlx::query", "a statement");
            tracing::warn!(target: "sqlx::query", "a slow statement");
            tracing::info!(target: "sqlx::postgres::notice", "already exists, skipping");
            tracing::warn!(target: "html5ever::serialize", "a user's text");
            tracing::trace!(target: "reqwest::connect", "a connection");
            tracing::info!(target: "some_dependency", "something");
            tracing::debug!(target: "some_dependency", "something");
            tracing::info!(target: labs_rest::REQUESTS, "a request");
            tracing::debug!(target: "labs_rest::front", "something of Labs");
            tracing::trace!(target: "labs_core::engine", "something of Labs");
        });
        let seen = seen.lock().unwrap();
        seen.clone()
    }

    #[test]
    fn level_without_target_applies_to_own_crates() {
        let (slow, other) = (("sqlx::query", "WARN"), ("some_dependency", "INFO"));
        let (debug, trace) = (("labs_rest::front", "DEBUG"), ("labs_core::engine", "TRACE"));
        assert_eq!(passed("", false), [slow, other]);
        assert_eq!(passed("info", false), [slow, other]);
        assert_eq!(passed("DEBUG", false), [slow, other, debug]);
        assert_eq!(passed("trace", false), [slow, other, debug, trace]);
        assert_eq!(passed("error", true), [(labs_rest::REQUESTS, "INFO")]);
        assert_eq!(passed("off", false), []);
    }

    #[test]
    fn named_target_is_logged_at_its_level() {
        let (slow, other) = (("sqlx::query", "WARN"), ("some_dependency", "INFO"));
        assert_eq!(passed("info,sqlx::query=debug", false), [("sqlx::query", "DEBUG"), slow, other]);
        assert_eq!(passed("sqlx=debug", false), [("sqlx::query", "DEBUG"), slow, other]);
        assert_eq!(passed("info,reqwest", false), [slow, ("reqwest::connect", "TRACE"), other]);
        assert_eq!(passed("warn, labs=debug", false), [slow, ("labs_rest::front", "DEBUG")]);
        assert_eq!(passed("debug,labs::requests=trace", false).len(), 3, "requests have a setting of their own");
    }

    #[test]
    fn unknown_log_filter_word_is_rejected_with_fix() {
        for (text, said) in [
            ("warning", "\"warning\" is neither a level nor a module that logs: write off, error, warn, info, debug"),
            ("info,Warning", "Did you mean warn?"),
            ("infoo", "Did you mean info?"),
            ("info,labs_rset=debug", "Did you mean labs_rest?"),
            ("labs_rest=verbose", "\"verbose\" is not a level: write off, error, warn"),
            ("labs_rest=debg", "Did you mean debug?"),
            ("3", "\"3\" is neither a level"),
            ("x=y=z", "\"y=z\" is not a level"),
            ("info,debug", "two levels have no target"),
            ("labs[request]=debug", "neither a level nor a module"),
            ("html5ever=warn", "html5ever is logged at off at most, because its lines quote users' texts"),
            ("object_store::aws=info", "object_store::aws is logged at error at most"),
            ("sqlx_postgres::options::parse=warn", "is logged at error at most"),
        ] {
            let told = LogFilter::read(text).unwrap_err().to_string();
            assert!(told.contains(said), "{text}: {told}");
        }
    }

    /// A new dependency that logs must be reviewed before it is listed.
    #[test]
    fn every_linked_crate_that_logs_is_listed() {
        // Not linked, or without log lines.
        let silent = [
            "cookie_store",
            "generator",
            "iana_time_zone",
            "jni",
            "loom",
            "quinn",
            "quinn_proto",
            "quinn_udp",
            "sqlx_mysql",
            "sqlx_sqlite",
            "tracing",
            "tracing_log",
            "tracing_serde",
            "tracing_subscriber",
        ];
        let lock = include_str!("../../Cargo.lock");
        let of = |package: &str| {
            let name = package.lines().find_map(|line| line.strip_prefix("name = \""))?.trim_end_matches('"');
            let is_logging = |line: &str| {
                let line = line.trim().trim_start_matches('"');
                ["log", "tracing", "tracing-core"].contains(&line.split(['"', ' ']).next().unwrap_or_default())
            };
            package.lines().any(is_logging).then(|| name.replace('-', "_"))
        };
        let logging: BTreeSet<String> = lock.split("[[package]]").filter_map(of).collect();
        assert!(logging.contains("html5ever") && logging.len() > 20, "{logging:?}");
        let is_listed = |name: &String| {
            let own_or_silent = CRATES.into_iter().chain(silent);
            own_or_silent.chain(DEPENDENCIES.iter().map(|known| known.target)).any(|listed| listed == name)
        };
        let missing: Vec<_> = logging.iter().filter(|name| !is_listed(name)).collect();
        assert!(missing.is_empty(), "read what these log at debug and trace, and list them: {missing:?}");
        let crates = DEPENDENCIES.iter().map(|known| known.target).filter(|target| !target.contains("::"));
        let gone: Vec<_> = crates.filter(|name| *name != "sqlx" && !logging.contains(*name)).collect();
        assert!(gone.is_empty(), "these log no more: {gone:?}");
    }
}
