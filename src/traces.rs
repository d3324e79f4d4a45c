//! Traces by OTLP over HTTP, to the collector that OpenTelemetry's variables name. Spans wait in a bounded queue for a thread
//! that sends them; what finds it full is counted and gone, so that a collector that is slow or away slows nobody.

mod outgoing;
mod statements;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::time::Duration;

use anyhow::Context as _;
use opentelemetry::{Context, KeyValue, global};
use opentelemetry_otlp::SpanExporter as OtlpExporter;
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::error::OTelSdkResult;
use opentelemetry_sdk::trace::{BatchSpanProcessor, SdkTracerProvider, Span, SpanData, SpanExporter, SpanProcessor};

pub(crate) use self::outgoing::OutgoingSpan;
pub use self::statements::statements;
use crate::config::TraceSettings;

/// How long an orderly end waits for the last spans to be sent.
const PATIENCE: Duration = Duration::from_secs(3);

/// What became of the spans of this process so far.
#[derive(Debug)]
pub struct SpanCounts {
    /// The collector took them.
    pub sent: AtomicU64,
    /// It could not be reached, or did not take them.
    pub failed: AtomicU64,
    /// Too many waited already.
    pub dropped: AtomicU64,
}

/// Of this process, which makes spans for one collector.
pub static COUNTS: SpanCounts =
    SpanCounts { sent: AtomicU64::new(0), failed: AtomicU64::new(0), dropped: AtomicU64::new(0) };

/// Spans on their way to a collector.
pub struct Traces(SdkTracerProvider);

impl Traces {
    /// Begins to make spans and to send them, for this process.
    ///
    /// # Errors
    /// When the client cannot be made.
    pub fn begin(settings: &TraceSettings) -> anyhow::Result<Self> {
        let exporter = OtlpExporter::builder().with_http().build().context("traces")?;
        let waiting = Arc::new(AtomicUsize::new(0));
        let telling = TellingExporter { exporter, waiting: Arc::clone(&waiting), is_failing: AtomicBool::new(false) };
        let batches = BatchSpanProcessor::builder(telling).build();
        let provider = SdkTracerProvider::builder()
            .with_resource(resource(settings))
            .with_span_processor(BoundedProcessor { batches, waiting, most: settings.queue })
            .build();
        global::set_tracer_provider(provider.clone());
        labs_schema::trace::begin();
        tracing::info!(collector = settings.collector, "trace export is enabled");
        Ok(Self(provider))
    }

    /// Sends what waits, for some seconds at most, and makes no more spans.
    pub async fn end(self) {
        let ended = tokio::task::spawn_blocking(move || self.0.shutdown_with_timeout(PATIENCE)).await;
        if !matches!(ended, Ok(Ok(()))) {
            tracing::warn!(seconds = PATIENCE.as_secs(), "the last spans could not be exported in time");
        }
    }
}

/// What all spans have in common: what the variables say, and what they leave open.
fn resource(settings: &TraceSettings) -> Resource {
    let version = KeyValue::new("service.version", env!("CARGO_PKG_VERSION"));
    let resource = Resource::builder().with_attribute(version);
    if settings.is_named { resource.build() } else { resource.with_service_name("labs").build() }
}

/// Lets no more spans wait than may, and counts the others: the library counts them for its own log alone.
#[derive(Debug)]
struct BoundedProcessor {
    batches: BatchSpanProcessor,
    waiting: Arc<AtomicUsize>,
    most: usize,
}

impl SpanProcessor for BoundedProcessor {
    fn on_start(&self, span: &mut Span, now: &Context) {
        self.batches.on_start(span, now);
    }

    fn on_end(&self, span: SpanData) {
        if self.waiting.fetch_add(1, Ordering::Relaxed) >= self.most {
            self.waiting.fetch_sub(1, Ordering::Relaxed);
            COUNTS.dropped.fetch_add(1, Ordering::Relaxed);
            return;
        }
        self.batches.on_end(span);
    }

    fn force_flush(&self) -> OTelSdkResult {
        self.batches.force_flush()
    }

    fn shutdown_with_timeout(&self, timeout: Duration) -> OTelSdkResult {
        self.batches.shutdown_with_timeout(timeout)
    }

    fn set_resource(&mut self, resource: &Resource) {
        self.batches.set_resource(resource);
    }
}

/// Counts what was sent, and tells once that nothing can be, and once that it can again.
#[derive(Debug)]
struct TellingExporter {
    exporter: OtlpExporter,
    waiting: Arc<AtomicUsize>,
    is_failing: AtomicBool,
}

impl SpanExporter for TellingExporter {
    async fn export(&self, batch: Vec<SpanData>) -> OTelSdkResult {
        let count = batch.len();
        self.waiting.fetch_sub(count, Ordering::Relaxed);
        let sent = self.exporter.export(batch).await;
        let counted = if sent.is_ok() { &COUNTS.sent } else { &COUNTS.failed };
        counted.fetch_add(count as u64, Ordering::Relaxed);
        let was_failing = self.is_failing.swap(sent.is_err(), Ordering::Relaxed);
        match &sent {
            Err(error) if !was_failing => {
                tracing::warn!(cause = %error, "the collector rejects spans; they are lost until it accepts them");
            }
            Ok(()) if was_failing => tracing::info!("the collector accepts spans again"),
            _ => {}
        }
        sent
    }

    fn shutdown_with_timeout(&self, timeout: Duration) -> OTelSdkResult {
        self.exporter.shutdown_with_timeout(timeout)
    }

    fn set_resource(&mut self, resource: &Resource) {
        self.exporter.set_resource(resource);
    }
}
