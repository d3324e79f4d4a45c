//! Documents for a client before it connects: the catalogue of the domain, and the card of the server (SEP-2127).

use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::routing::get;
use http::{Response, Uri};
use rmcp::model::{Icon, Implementation, ProtocolVersion};
use serde_json::{Value, json};

use super::{ENDPOINT, NAME};
use crate::exceptions::{answer_anonymous, other_than_public_get, write_public};
use crate::request::Exchange;
use crate::rest::Rest;

/// Address of the catalogue, which names the address of the card.
const CATALOGUE: &str = "/.well-known/ai-catalog.json";
/// Address of the card, which the extension reserves for it.
pub(crate) const CARD: &str = "/mcp/server-card";
/// Media type of a card.
const CARD_TYPE: &str = "application/mcp-server-card+json";

/// Returns the routes of the documents.
pub(super) fn router() -> Router<Arc<Rest>> {
    let document = get(document).fallback(other_than_public_get);
    Router::new().route(CATALOGUE, document.clone()).route(CARD, document)
}

async fn document(State(rest): State<Arc<Rest>>, request: Request) -> Response<Body> {
    let (parts, _) = request.into_parts();
    let base = &rest.settings.base_url;
    let (media_type, content) = match parts.uri.path() {
        CARD => (CARD_TYPE, card(base)),
        _ => ("application/ai-catalog+json", catalogue(base)),
    };
    let find = async { write_public((media_type, "public, max-age=3600"), content.to_string(), &parts) };
    answer_anonymous(&rest, &parts, Exchange::spend_anonymous, find).await
}

/// Returns the catalogue: one server.
fn catalogue(base: &str) -> Value {
    json!({
        "specVersion": "1.0",
        "entries": [{
            "identifier": format!("urn:air:{}:mcp:{NAME}", host_of(base)),
            "type": CARD_TYPE,
            "url": format!("{base}{CARD}"),
        }],
    })
}

/// Returns the identity of the server, for the card and for connected clients.
pub(super) fn identity(base: &str) -> Implementation {
    let icon = Icon::new(format!("{base}/reference/icon.svg")).with_mime_type("image/svg+xml");
    Implementation::new(format!("{}/{NAME}", namespace(&host_of(base))), env!("CARGO_PKG_VERSION"))
        .with_title("Labs")
        .with_description(
            "Finds and calls the operations of Labs, the developer platform of a hospitality marketplace.",
        )
        .with_website_url(format!("{base}/reference/concepts/agents"))
        .with_icons(vec![icon.with_sizes(vec!["any".to_owned()])])
}

/// Returns the card. It does not list tools, because the connected server does.
fn card(base: &str) -> Value {
    let identity = identity(base);
    let versions: Vec<&str> = ProtocolVersion::KNOWN_VERSIONS.iter().map(ProtocolVersion::as_str).collect();
    json!({
        "$schema": "https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json",
        "name": identity.name,
        "version": identity.version,
        "title": identity.title,
        "description": identity.description,
        "websiteUrl": identity.website_url,
        "icons": identity.icons,
        "remotes": [{
            "type": "streamable-http",
            "url": format!("{base}{ENDPOINT}"),
            "supportedProtocolVersions": versions,
            "headers": [{
                "name": "Authorization",
                "description": "`Bearer` and an access token. Without it, only operations that need no token can be called.",
                "isRequired": false,
                "isSecret": true,
            }],
        }],
    })
}

fn host_of(base: &str) -> String {
    base.parse::<Uri>().ok().and_then(|uri| uri.host().map(str::to_owned)).unwrap_or_default()
}

/// Returns the namespace of a host: its labels in reverse order. The name of a card has no place for an IPv6 address.
fn namespace(host: &str) -> String {
    if host.contains(':') || host.is_empty() {
        return "localhost".to_owned();
    }
    if host.parse::<std::net::Ipv4Addr>().is_ok() {
        return host.to_owned();
    }
    host.rsplit('.').collect::<Vec<_>>().join(".")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn namespace_is_host_in_reverse_order() {
        let of = |base: &str| namespace(&host_of(base));
        assert_eq!(of("https://api.labs.example:8443"), "example.labs.api");
        assert_eq!(of("http://127.0.0.1:8080"), "127.0.0.1");
        assert_eq!(of("http://[::1]:8080"), "localhost");
    }
}
