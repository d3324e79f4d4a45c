//! Spans of SQL statements. They are created from sqlx's log event: the only place with the text and the duration of
//! every statement.

use std::time::Duration;

use labs_schema::trace::{self, StatementName};
use tracing::field::{Field, Visit};
use tracing::level_filters::LevelFilter;
use tracing::subscriber::Interest;
use tracing::{Event, Metadata, Subscriber};
use tracing_subscriber::layer::{Context, Filter, Layer};
use tracing_subscriber::registry::LookupSpan;

/// Target of sqlx's log events.
const TARGET: &str = "sqlx::query";

/// Returns the layer that creates spans for statements within a sampled span.
pub fn statements<S>() -> impl Layer<S>
where
    S: Subscriber + for<'a> LookupSpan<'a>,
{
    Statements.with_filter(OfSampled)
}

/// Enables statement events within a sampled span, at any log level.
struct OfSampled;

impl<S> Filter<S> for OfSampled {
    fn enabled(&self, metadata: &Metadata<'_>, _: &Context<'_, S>) -> bool {
        metadata.target() == TARGET && trace::is_sampled()
    }

    fn callsite_enabled(&self, metadata: &'static Metadata<'static>) -> Interest {
        if metadata.target() == TARGET { Interest::sometimes() } else { Interest::never() }
    }

    fn max_level_hint(&self) -> Option<LevelFilter> {
        Some(LevelFilter::DEBUG)
    }
}

struct Statements;

impl<S: Subscriber> Layer<S> for Statements {
    fn on_event(&self, event: &Event<'_>, _: Context<'_, S>) {
        let mut line = Line::default();
        event.record(&mut line);
        if let Some(name) = line.name {
            trace::statement(name, Duration::try_from_secs_f64(line.seconds).unwrap_or_default());
        }
    }
}

/// Content of a sqlx event.
#[derive(Default)]
struct Line {
    name: Option<StatementName>,
    seconds: f64,
}

impl Visit for Line {
    /// A statement of at most four words is in `summary` as a whole; a longer one is in `db.statement`, which comes
    /// later.
    fn record_str(&mut self, field: &Field, text: &str) {
        if matches!(field.name(), "summary" | "db.statement") && !text.is_empty() {
            self.name = Some(StatementName::of(text));
        }
    }

    fn record_f64(&mut self, field: &Field, value: f64) {
        if field.name() == "elapsed_secs" {
            self.seconds = value;
        }
    }

    fn record_debug(&mut self, _: &Field, _: &dyn std::fmt::Debug) {}
}
