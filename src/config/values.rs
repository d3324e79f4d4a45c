//! Parsers of setting values. An invalid value is rejected with a sentence about a valid one.

use std::fmt::Display;
use std::net::{IpAddr, SocketAddr, ToSocketAddrs};
use std::ops::RangeInclusive;
use std::str::FromStr;

use anyhow::{anyhow, bail};
use ipnet::IpNet;
use labs_schema::mail::deliver::MailSender;
use reqwest::Url;

/// Parses an address and a port to listen on. A name is resolved to its first address, preferably IPv4.
pub(super) fn listen(text: &str) -> anyhow::Result<SocketAddr> {
    let text = text.trim();
    if let Ok(address) = text.parse() {
        return Ok(address);
    }
    let form = "write an address and a port, for example 127.0.0.1:8080, or 0.0.0.0:8080 for every address of the \
                machine";
    match text.rsplit_once(':') {
        Some((host, port)) if !host.is_empty() && !host.contains([':', '/']) => {
            let port: u16 = port.parse().map_err(|_| anyhow!("{port:?} is not a port from 0 to 65535: {form}"))?;
            let found = (host, port).to_socket_addrs();
            let mut found: Vec<SocketAddr> =
                found.map_err(|error| anyhow!("{host} does not resolve to an address ({error}): {form}"))?.collect();
            found.sort_by_key(SocketAddr::is_ipv6);
            found.first().copied().ok_or_else(|| anyhow!("{host} does not resolve to an address: {form}"))
        }
        _ => bail!("this is not an address with a port: {form}"),
    }
}

/// Address of the metrics endpoint, if configured.
#[derive(Clone, Copy, Debug)]
pub struct MetricsListen(pub(super) Option<SocketAddr>);

impl MetricsListen {
    /// Parses an address and a port; an empty text means none.
    pub(super) fn read(text: &str) -> anyhow::Result<Self> {
        Ok(Self(if text.trim().is_empty() { None } else { Some(listen(text)?) }))
    }
}

/// Parses yes or no. An empty text means no.
pub(super) fn switch(text: &str) -> anyhow::Result<bool> {
    match text.trim().to_ascii_lowercase().as_str() {
        "true" | "1" | "yes" | "on" | "y" | "t" => Ok(true),
        "" | "false" | "0" | "no" | "off" | "n" | "f" => Ok(false),
        _ => bail!("write true or false"),
    }
}

/// Parses a whole number within these bounds.
pub(super) fn whole<N>(bounds: RangeInclusive<N>) -> impl Fn(&str) -> anyhow::Result<N> + Clone + Send + Sync + 'static
where
    N: Copy + Display + FromStr + PartialOrd + Send + Sync + 'static,
{
    move |text| match text.trim().parse() {
        Ok(number) if bounds.contains(&number) => Ok(number),
        _ => bail!("write a whole number from {} to {}", bounds.start(), bounds.end()),
    }
}

/// The base address; none if it follows from the listening address.
#[derive(Clone, Debug)]
pub struct BaseUrl(pub(super) Option<String>);

impl BaseUrl {
    pub(super) fn read(text: &str) -> anyhow::Result<Self> {
        if text == "http://<listen>" {
            return Ok(Self(None));
        }
        let read = host_alone(text).filter(|_| !text.contains('*'));
        read.map(|address| Self(Some(address))).ok_or_else(|| {
            anyhow!(
                "write http:// or https:// and a host, optionally with a port, and no path, for example \
                 https://labs.example.com"
            )
        })
    }
}

/// Checks a sender of mail, and returns it unchanged.
pub(super) fn mailbox(text: &str) -> anyhow::Result<String> {
    MailSender::new(text, "")
        .map(|_| text.to_owned())
        .map_err(|_| anyhow!("write a name and an address, for example Labs <no-reply@example.com>"))
}

/// Parses the address of the security contact (RFC 9116 section 2.5.3).
pub(super) fn contact(text: &str) -> anyhow::Result<String> {
    let text = text.trim();
    let uri: Option<http::Uri> = text.strip_prefix("https://").and_then(|_| text.parse().ok());
    let is_mailbox = text.strip_prefix("mailto:").is_some_and(|address| address.contains('@'));
    if (is_mailbox || uri.is_some()) && !text.contains(char::is_whitespace) {
        return Ok(text.to_owned());
    }
    bail!("write mailto: and an e-mail address, for example mailto:security@example.com, or an https address")
}

/// Parses a web origin.
pub(super) fn origin(text: &str) -> anyhow::Result<String> {
    let text = text.trim();
    if text.contains('*') {
        bail!(
            "an origin must not contain *: write http:// or https:// and the full host of each page that may send \
             requests, separated by commas, for example https://shop.example.com,https://admin.example.com"
        );
    }
    host_alone(text).ok_or_else(|| {
        let host = text.split_once("://").map_or(text, |(_, behind)| behind).split('/').next().unwrap_or_default();
        let example = if host.is_empty() { "shop.example.com" } else { host };
        anyhow!(
            "{text:?} is not an origin: write http:// or https:// and the host, without a path, for example \
             https://{example}"
        )
    })
}

/// Parses `http://` or `https://` and a host, with an optional port and nothing else.
fn host_alone(text: &str) -> Option<String> {
    let text = text.trim_end_matches('/');
    let uri: http::Uri = text.parse().ok()?;
    let plain = matches!(uri.scheme_str(), Some("http" | "https")) && uri.query().is_none();
    (plain && uri.path() == "/" && !text.contains(['@', '#'])).then(|| text.to_owned())
}

/// Parses a network, or a single address.
pub(super) fn network(text: &str) -> anyhow::Result<IpNet> {
    let text = text.trim();
    match text.parse::<IpAddr>() {
        Ok(address) => Ok(address.into()),
        Err(_) => text
            .parse()
            .map_err(|_| anyhow!("{text:?} is not a network: write an address or a network, for example 10.0.0.0/8")),
    }
}

/// Returns the address of a mail server, without user and password.
///
/// # Errors
/// If the address is not `smtp://` or `smtps://` with a host.
pub(super) fn mail_server(text: &str) -> anyhow::Result<String> {
    let url = Url::parse(text).ok().filter(|url| matches!(url.scheme(), "smtp" | "smtps"));
    let host = url.as_ref().and_then(|url| Some((url.scheme(), url.host_str()?, url.port())));
    match host {
        Some((scheme, host, Some(port))) => Ok(format!("{scheme}://{host}:{port}")),
        Some((scheme, host, None)) => Ok(format!("{scheme}://{host}")),
        None => bail!(
            "LABS_SMTP_URL is not the address of a mail server: write smtps://user:password@host:465 or the same \
             with smtp://, and in the password %40 for @, %2F for / and %23 for #"
        ),
    }
}
