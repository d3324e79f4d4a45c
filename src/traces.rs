//! Traces by OTLP over HTTP, to the collector in OpenTelemetry's variables. Spans are in a bounded queue for a thread
//! that exports them; if the queue is full, spans are counted and dropped, so that a slow or unavailable collector
//! delays no request.

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

/// Maximum time that a graceful shutdown waits for the last export.
const PATIENCE: Duration = Duration::from_secs(3);

/// Outcomes of this process's spans.
#[derive(Debug)]
pub struct SpanCounts {
    /// The collector accepted them.
    pub sent: AtomicU64,
    /// The collector was unreachable, or rejected them.
    pub failed: AtomicU64,
    /// The queue was full.
    pub dropped: AtomicU64,
}

/// Counts of this process, which exports to one collector.
pub static COUNTS: SpanCounts =
    SpanCounts { sent: AtomicU64::new(0), failed: AtomicU64::new(0), dropped: AtomicU64::new(0) };

/// The trace export of this process.
pub struct Traces(SdkTracerProvider);

impl Traces {
    /// Starts creating and exporting spans.
    ///
    /// # Errors
    /// If the HTTP client cannot be created.
    pub fn begin(settings: &TraceSettings) -> anyhow::Result<Self> {
        let exporter = OtlpExporter::builder().with_http().build().context("traces")?;
        let waiting = Arc::new(AtomicUsize::new(0));
        let telling = LoggingExporter { exporter, waiting: Arc::clone(&waiting), is_failing: AtomicBool::new(false) };
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

    /// Exports queued spans within some seconds at most, and stops creating spans.
    pub async fn end(self) {
        let ended = tokio::task::spawn_blocking(move || self.0.shutdown_with_timeout(PATIENCE)).await;
        if !matches!(ended, Ok(Ok(()))) {
            tracing::warn!(seconds = PATIENCE.as_secs(), "the last trace spans could not be exported before shutdown");
        }
    }
}

/// Returns the resource of all spans: attributes from the variables, and defaults for missing ones.
fn resource(settings: &TraceSettings) -> Resource {
    let version = KeyValue::new("service.version", env!("CARGO_PKG_VERSION"));
    let resource = Resource::builder().with_attribute(version);
    if settings.is_named { resource.build() } else { resource.with_service_name("labs").build() }
}

/// Limits the number of queued spans, and counts dropped ones: the library counts them only for its own log.
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

/// Counts exported spans, and logs once when the export starts to fail and once when it works again.
#[derive(Debug)]
struct LoggingExporter {
    exporter: OtlpExporter,
    waiting: Arc<AtomicUsize>,
    is_failing: AtomicBool,
}

impl SpanExporter for LoggingExporter {
    async fn export(&self, batch: Vec<SpanData>) -> OTelSdkResult {
        let count = batch.len();
        self.waiting.fetch_sub(count, Ordering::Relaxed);
        let sent = self.exporter.export(batch).await;
        let counted = if sent.is_ok() { &COUNTS.sent } else { &COUNTS.failed };
        counted.fetch_add(count as u64, Ordering::Relaxed);
        let was_failing = self.is_failing.swap(sent.is_err(), Ordering::Relaxed);
        match &sent {
            Err(error) if !was_failing => {
                tracing::warn!(cause = %error, "the trace collector rejects spans; spans are lost until it accepts \
                                                them");
            }
            Ok(()) if was_failing => tracing::info!("the trace collector accepts spans again"),
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
