//! What the service says about itself, on standard error: standard output is for whoever started it.

use crate::config::{Common, LogFormat};
use anyhow::anyhow;
use std::io::IsTerminal;
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::util::SubscriberInitExt as _;
use tracing_subscriber::{EnvFilter, Layer as _};

use crate::traces::statements;

/// What is not logged, whatever level is chosen.
///
/// PostgreSQL's notices ("already exists, skipping") tell an operator nothing. Values of parameters that DATABASE_URL has
/// too many may be secrets; our own line names the parameters alone. What a bucket is asked for again is told once it is given
/// up, without the body of its refusal, which may repeat what was signed.
const QUIET: &str = "sqlx::postgres::notice=warn,sqlx_postgres::options::parse=error,object_store=error";

/// Begins to log; requests too, a line each, where they are asked for. Where traces are collected, spans are made of what is
/// logged of statements, whether or not it comes through.
///
/// # Errors
/// When the filter cannot be understood, or logging began before.
pub fn start(common: &Common, log_requests: bool, is_traced: bool) -> anyhow::Result<()> {
    let filter = filter(&common.log, log_requests)?;
    let lines =
        tracing_subscriber::fmt::layer().with_writer(std::io::stderr).with_ansi(std::io::stderr().is_terminal());
    let lines = match common.log_format {
        LogFormat::Text => lines.boxed(),
        LogFormat::Json => lines.json().flatten_event(true).boxed(),
    };
    let lines = lines.with_filter(filter);
    let begun = tracing_subscriber::registry().with(lines).with(is_traced.then(statements)).try_init();
    begun.map_err(|error| anyhow!(error))
}

/// What is let through. Statements are many, and so are told at `trace` alone, or to whoever names them.
fn filter(chosen: &str, log_requests: bool) -> anyhow::Result<EnvFilter> {
    let requests = format!("{}={}", labs_rest::REQUESTS, if log_requests { "info" } else { "off" });
    let is_debug = chosen.split(',').any(|part| part.trim().eq_ignore_ascii_case("debug"));
    // Slow ones are warnings.
    let statements = if is_debug { "sqlx::query=warn," } else { "" };
    EnvFilter::builder().parse(format!("{QUIET},{statements}{chosen},{requests}")).map_err(|_| {
        anyhow!(
            "LABS_LOG={chosen:?} is no filter: write error, warn, info, debug or trace, perhaps with parts behind it, \
             as in info,labs_rest=debug"
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What comes through a filter, of these.
    fn through(chosen: &str, log_requests: bool) -> Vec<&'static str> {
        use std::sync::{Arc, Mutex};
        use tracing_subscriber::layer::{Context, Layer, SubscriberExt as _};

        struct Targets(Arc<Mutex<Vec<&'static str>>>);
        impl<S: tracing::Subscriber> Layer<S> for Targets {
            fn on_event(&self, event: &tracing::Event<'_>, _: Context<'_, S>) {
                self.0.lock().unwrap().push(event.metadata().target());
            }
        }
        let seen = Arc::new(Mutex::new(Vec::new()));
        let registry = tracing_subscriber::registry();
        let subscriber = registry.with(Targets(Arc::clone(&seen)).with_filter(filter(chosen, log_requests).unwrap()));
        tracing::subscriber::with_default(subscriber, || {
            tracing::debug!(target: "sqlx::query", "a statement");
            tracing::warn!(target: "sqlx::query", "a slow statement");
            tracing::info!(target: labs_rest::REQUESTS, "a request");
            tracing::debug!(target: "labs_rest::edge", "something else");
        });
        let seen = seen.lock().unwrap();
        seen.clone()
    }

    #[test]
    fn statements_are_told_at_trace_alone_and_requests_where_they_are_asked_for() {
        let (slow, other) = ("sqlx::query", "labs_rest::edge");
        assert_eq!(through("info", false), [slow]);
        assert_eq!(through("debug", false), [slow, other]);
        assert_eq!(through("trace", false), [slow, slow, other]);
        assert_eq!(through("info,sqlx::query=debug", false), [slow, slow]);
        assert_eq!(through("error", true), [labs_rest::REQUESTS]);
        assert_eq!(through("debug", true), [slow, labs_rest::REQUESTS, other]);
    }

    #[test]
    fn a_filter_that_is_none_is_told_with_what_to_write() {
        let told = filter("x=y=z", false).unwrap_err().to_string();
        assert!(told.starts_with("LABS_LOG=\"x=y=z\" is no filter: write error, warn"), "{told}");
    }
}
