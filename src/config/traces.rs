//! Trace settings, from OpenTelemetry's own variables. Its library reads them too, and uses defaults for invalid
//! values; Labs refuses to start instead.

use anyhow::{anyhow, bail};
use http::{HeaderName, HeaderValue};
use reqwest::Url;

use super::values::switch;

/// Default maximum number of queued spans.
const QUEUE: usize = 2_048;
/// Upper limit of the queue size: the memory is allocated at startup.
const LARGEST_QUEUE: usize = 65_536;
/// Default number of spans per export.
const BATCH: usize = 512;
/// Samplers, which select the traced requests; samplers with a ratio are last.
const SAMPLERS: [&str; 6] = [
    "always_on",
    "always_off",
    "parentbased_always_on",
    "parentbased_always_off",
    "traceidratio",
    "parentbased_traceidratio",
];

/// The trace settings that the program needs. The library reads the rest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TraceSettings {
    /// Scheme, host and port of the collector, for a log.
    pub collector: String,
    /// Maximum number of queued spans.
    pub queue: usize,
    /// Whether the variables set another service name.
    pub is_named: bool,
}

/// Returns the trace settings, if a collector is configured.
///
/// # Errors
/// If a variable is invalid. No message contains the value of a header.
pub fn traces(variable: impl Fn(&str) -> Option<String>) -> anyhow::Result<Option<TraceSettings>> {
    let variables = Variables(variable);
    if variables.read("OTEL_SDK_DISABLED", switch)?.unwrap_or_default() {
        return Ok(None);
    }
    let exporter = variables.read("OTEL_TRACES_EXPORTER", |text| one_of(text, &["otlp", "none"]))?;
    let endpoint = variables.either("ENDPOINT", endpoint)?;
    let endpoint = match (exporter.as_deref(), endpoint) {
        (Some("none"), _) | (None, None) => return Ok(None),
        (Some(_), None) => {
            bail!("OTEL_TRACES_EXPORTER=otlp requires OTEL_EXPORTER_OTLP_ENDPOINT, for example http://127.0.0.1:4318")
        }
        (_, Some(endpoint)) => endpoint,
    };
    variables.ensure_transport()?;
    variables.ensure_sampler()?;
    variables.read("OTEL_RESOURCE_ATTRIBUTES", |text| pairs(text).map(drop))?;
    let attributes = variables.of("OTEL_RESOURCE_ATTRIBUTES").unwrap_or_default();
    let is_named = variables.of("OTEL_SERVICE_NAME").is_some()
        || pairs(&attributes)?.iter().any(|(name, _)| *name == "service.name");
    Ok(Some(TraceSettings { collector: endpoint.origin().ascii_serialization(), queue: variables.queue()?, is_named }))
}

struct Variables<V>(V);

impl<V: Fn(&str) -> Option<String>> Variables<V> {
    /// Returns the value of a variable; an empty one counts as unset.
    fn of(&self, name: &str) -> Option<String> {
        (self.0)(name).map(|text| text.trim().to_owned()).filter(|text| !text.is_empty())
    }

    fn read<T>(&self, name: &str, reader: impl Fn(&str) -> anyhow::Result<T>) -> anyhow::Result<Option<T>> {
        let Some(text) = self.of(name) else { return Ok(None) };
        let shown = if name.ends_with("_HEADERS") || name.ends_with("_ENDPOINT") { "…" } else { &text };
        reader(&text).map(Some).map_err(|cause| anyhow!("{name}={shown}: {cause}"))
    }

    /// Returns the traces-specific variable, else the general one of OpenTelemetry.
    fn either<T>(&self, name: &str, reader: impl Fn(&str) -> anyhow::Result<T>) -> anyhow::Result<Option<T>> {
        let of_traces = self.read(&format!("OTEL_EXPORTER_OTLP_TRACES_{name}"), &reader)?;
        let of_all = self.read(&format!("OTEL_EXPORTER_OTLP_{name}"), &reader)?;
        Ok(of_traces.or(of_all))
    }

    fn ensure_transport(&self) -> anyhow::Result<()> {
        self.either("PROTOCOL", |text| one_of(text, &["http/protobuf"]))?;
        self.either("COMPRESSION", |text| one_of(text, &["gzip", "none"]))?;
        self.either("TIMEOUT", |text| whole(text, 1, 600_000))?;
        self.either("HEADERS", headers)?;
        for name in ["CERTIFICATE", "CLIENT_CERTIFICATE", "CLIENT_KEY"] {
            self.either(name, |_| -> anyhow::Result<()> {
                bail!(
                    "this setting is not supported: the collector's certificate authority must be one of the \
                     system's, or in the file named by SSL_CERT_FILE"
                )
            })?;
        }
        self.read("OTEL_PROPAGATORS", |text| {
            let is_known = text.split(',').any(|word| word.trim() == "tracecontext");
            if is_known { Ok(()) } else { bail!("write tracecontext: the service does not support other headers") }
        })?;
        Ok(())
    }

    fn ensure_sampler(&self) -> anyhow::Result<()> {
        let sampler = self.read("OTEL_TRACES_SAMPLER", |text| one_of(text, &SAMPLERS))?.unwrap_or_default();
        let ratio = self.read("OTEL_TRACES_SAMPLER_ARG", |text| {
            let ratio = text.parse().ok().filter(|ratio| (0.0..=1.0).contains(ratio));
            ratio.ok_or_else(|| anyhow!("write a number from 0 to 1, for example 0.1 for every tenth request"))
        })?;
        if sampler.ends_with("traceidratio") && ratio.is_none() {
            bail!(
                "OTEL_TRACES_SAMPLER={sampler} requires OTEL_TRACES_SAMPLER_ARG, for example 0.1 for every tenth \
                 request"
            );
        }
        Ok(())
    }

    /// Returns the maximum number of queued spans.
    fn queue(&self) -> anyhow::Result<usize> {
        let queue = self.read("OTEL_BSP_MAX_QUEUE_SIZE", |text| whole(text, 1, LARGEST_QUEUE))?.unwrap_or(QUEUE);
        let batch = self.read("OTEL_BSP_MAX_EXPORT_BATCH_SIZE", |text| whole(text, 1, LARGEST_QUEUE))?;
        if batch.unwrap_or(BATCH.min(queue)) > queue {
            bail!("OTEL_BSP_MAX_EXPORT_BATCH_SIZE exceeds the queue size of {queue} spans (OTEL_BSP_MAX_QUEUE_SIZE)");
        }
        self.read("OTEL_BSP_SCHEDULE_DELAY", |text| whole(text, 1, 600_000))?;
        Ok(queue)
    }
}

fn one_of(text: &str, words: &[&str]) -> anyhow::Result<String> {
    if words.contains(&text) { Ok(text.to_owned()) } else { bail!("write {}", words.join(" or ")) }
}

fn whole(text: &str, least: usize, most: usize) -> anyhow::Result<usize> {
    let number = text.parse().ok().filter(|number| (least..=most).contains(number));
    number.ok_or_else(|| anyhow!("write a whole number from {least} to {most}"))
}

/// Parses the address of a collector.
fn endpoint(text: &str) -> anyhow::Result<Url> {
    let url = Url::parse(text).ok().filter(|url| matches!(url.scheme(), "http" | "https") && url.has_host());
    let url = url.ok_or_else(|| {
        anyhow!("write http:// or https://, and a host and a port, for example http://127.0.0.1:4318")
    })?;
    if !url.username().is_empty() || url.password().is_some() {
        bail!("set user and password in OTEL_EXPORTER_OTLP_HEADERS, for example authorization=Basic%20…");
    }
    Ok(url)
}

/// Parses names with values, as `name=value,other=value`.
fn pairs(text: &str) -> anyhow::Result<Vec<(&str, &str)>> {
    let pairs = text.split(',').map(str::trim).filter(|pair| !pair.is_empty()).map(|pair| {
        let pair = pair.split_once('=').filter(|(name, _)| !name.trim().is_empty());
        pair.map(|(name, value)| (name.trim(), value.trim()))
            .ok_or_else(|| anyhow!("write name=value, separated by commas"))
    });
    pairs.collect()
}

fn headers(text: &str) -> anyhow::Result<()> {
    for (name, value) in pairs(text)? {
        let is_good = name.parse::<HeaderName>().is_ok() && value.parse::<HeaderValue>().is_ok();
        if !is_good {
            bail!("the header {name:?} cannot be sent: write name=value, and %20 for a space");
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const COLLECTOR: (&str, &str) = ("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:4318");

    fn read(set: &[(&str, &str)]) -> anyhow::Result<Option<TraceSettings>> {
        traces(|name| set.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned()))
    }

    #[test]
    fn traces_are_exported_only_if_collector_is_configured() {
        assert_eq!(read(&[]).unwrap(), None);
        assert_eq!(read(&[("OTEL_EXPORTER_OTLP_ENDPOINT", " ")]).unwrap(), None, "nothing is none");
        let usual = TraceSettings { collector: "http://127.0.0.1:4318".to_owned(), queue: QUEUE, is_named: false };
        assert_eq!(read(&[COLLECTOR]).unwrap(), Some(usual.clone()));
        for off in [("OTEL_SDK_DISABLED", "true"), ("OTEL_TRACES_EXPORTER", "none")] {
            assert_eq!(read(&[COLLECTOR, off]).unwrap(), None, "{off:?}");
        }
        let chosen = read(&[
            COLLECTOR,
            ("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "https://traces.example/otlp/v1/traces"),
            ("OTEL_TRACES_EXPORTER", "otlp"),
            ("OTEL_TRACES_SAMPLER", "parentbased_traceidratio"),
            ("OTEL_TRACES_SAMPLER_ARG", "0.1"),
            ("OTEL_EXPORTER_OTLP_PROTOCOL", "http/protobuf"),
            ("OTEL_EXPORTER_OTLP_HEADERS", "authorization=Basic%20aHVzaA==,x-tenant=labs"),
            ("OTEL_EXPORTER_OTLP_COMPRESSION", "gzip"),
            ("OTEL_EXPORTER_OTLP_TIMEOUT", "2000"),
            ("OTEL_RESOURCE_ATTRIBUTES", "service.name=shop,deployment.environment.name=production"),
            ("OTEL_PROPAGATORS", "tracecontext,baggage"),
            ("OTEL_BSP_MAX_QUEUE_SIZE", "100"),
        ]);
        let elsewhere = TraceSettings { collector: "https://traces.example".to_owned(), queue: 100, is_named: true };
        assert_eq!(chosen.unwrap(), Some(elsewhere));
        assert!(read(&[COLLECTOR, ("OTEL_SERVICE_NAME", "shop")]).unwrap().unwrap().is_named);
    }

    #[test]
    fn invalid_trace_setting_error_states_name_and_fix() {
        for (name, value, said) in [
            ("OTEL_SDK_DISABLED", "maybe", "write true or false"),
            ("OTEL_TRACES_EXPORTER", "zipkin", "write otlp or none"),
            ("OTEL_EXPORTER_OTLP_ENDPOINT", "collector:4318", "write http:// or https://"),
            ("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "https://ada:hush@traces.example", "OTEL_EXPORTER_OTLP_HEADERS"),
            ("OTEL_EXPORTER_OTLP_PROTOCOL", "grpc", "write http/protobuf"),
            ("OTEL_EXPORTER_OTLP_TRACES_COMPRESSION", "zstd", "write gzip or none"),
            ("OTEL_EXPORTER_OTLP_TIMEOUT", "10s", "write a whole number from 1"),
            ("OTEL_EXPORTER_OTLP_HEADERS", "hush", "write name=value"),
            ("OTEL_EXPORTER_OTLP_HEADERS", "a b=hush", "the header \"a b\" cannot be sent"),
            ("OTEL_EXPORTER_OTLP_CERTIFICATE", "/etc/ca.pem", "SSL_CERT_FILE"),
            ("OTEL_PROPAGATORS", "b3", "write tracecontext"),
            ("OTEL_TRACES_SAMPLER", "jaeger_remote", "write always_on or"),
            ("OTEL_TRACES_SAMPLER", "traceidratio", "requires OTEL_TRACES_SAMPLER_ARG, for example 0.1"),
            ("OTEL_TRACES_SAMPLER_ARG", "10", "write a number from 0 to 1"),
            ("OTEL_RESOURCE_ATTRIBUTES", "shop", "write name=value"),
            ("OTEL_BSP_MAX_QUEUE_SIZE", "0", "write a whole number from 1"),
            ("OTEL_BSP_MAX_EXPORT_BATCH_SIZE", "4096", "exceeds the queue size of 2048 spans"),
            ("OTEL_BSP_SCHEDULE_DELAY", "soon", "write a whole number from 1"),
        ] {
            let told = read(&[(name, value), COLLECTOR]).unwrap_err().to_string();
            assert!(told.starts_with(name) && told.contains(said) && !told.contains("hush"), "{name}: {told}");
        }
        let told = read(&[("OTEL_TRACES_EXPORTER", "otlp")]).unwrap_err().to_string();
        assert!(told.contains("requires OTEL_EXPORTER_OTLP_ENDPOINT, for example http://"), "{told}");
    }
}
