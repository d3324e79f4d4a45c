//! Documents at well-known addresses, from which programs find everything else: the OAuth server (RFC 8414), the
//! protected resource (RFC 9728), the catalogue of the API (RFC 9727), the security contact (RFC 9116), the page for a
//! new password, the skill for agents, and what crawlers read.

use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::routing::get;
use http::{HeaderValue, Response, StatusCode, header, request::Parts};
use labs_core::scope::Scope;
use labs_core::{Code, Fault};
use serde_json::{Value, json};

use super::{answer_anonymous, other_than_public_get, write_public};
use crate::request::Exchange;
use crate::rest::Rest;

/// Address of the metadata of the protected resource, which every 401 names (RFC 9728 section 5.1).
pub(crate) const PROTECTED_RESOURCE: &str = "/.well-known/oauth-protected-resource";
/// Address of the index of skills (Agent Skills Discovery 0.2.0).
const SKILLS: &str = "/.well-known/agent-skills/index.json";
/// Address of the only skill: the instructions by which an agent uses this API.
const SKILL: &str = "/.well-known/agent-skills/labs-api/SKILL.md";
const SKILL_TEXT: &str = include_str!("../../../contract/agents/SKILL.md");
/// Media type of the API catalogue (RFC 9264), with its profile (RFC 9727 section 4.2).
const LINKSET: &str = "application/linkset+json; profile=\"https://www.rfc-editor.org/info/rfc9727\"";
/// Days until the security contact must be read again. RFC 9116 recommends less than a year.
const CONTACT_DAYS: i64 = 180;
/// Seconds of a day.
const DAY: i64 = 86_400;

/// Returns the routes of the documents.
pub(super) fn router() -> Router<Arc<Rest>> {
    let document = get(document).fallback(other_than_public_get);
    [
        "/.well-known/oauth-authorization-server",
        PROTECTED_RESOURCE,
        "/.well-known/api-catalog",
        "/.well-known/security.txt",
        "/.well-known/change-password",
        SKILLS,
        SKILL,
        "/robots.txt",
        "/sitemap.xml",
        "/favicon.ico",
    ]
    .into_iter()
    .fold(Router::new(), |router, path| router.route(path, document.clone()))
}

/// Returns the links from the front page to the descriptions of the API.
pub(super) fn links_of_front_page() -> HeaderValue {
    HeaderValue::from_static(
        "</v1/system/contract>; rel=\"service-desc\"; type=\"application/yaml\", \
         </reference>; rel=\"service-doc\"; type=\"text/html\", \
         </llms.txt>; rel=\"alternate\"; type=\"text/markdown\", \
         </v1/system/readiness>; rel=\"status\"; type=\"application/json\", \
         </.well-known/api-catalog>; rel=\"api-catalog\"",
    )
}

async fn document(State(rest): State<Arc<Rest>>, request: Request) -> Response<Body> {
    let (parts, _) = request.into_parts();
    answer_anonymous(&rest, &parts, Exchange::spend_anonymous, async { find(&rest, &parts) }).await
}

fn find(rest: &Rest, parts: &Parts) -> Result<Response<Body>, Fault> {
    let base = &rest.settings.base_url;
    let (media_type, content) = match parts.uri.path() {
        "/.well-known/oauth-authorization-server" => ("application/json", authorization_server(rest).to_string()),
        PROTECTED_RESOURCE => ("application/json", protected_resource(base).to_string()),
        "/.well-known/api-catalog" => (LINKSET, api_catalog(base).to_string()),
        "/.well-known/security.txt" => ("text/plain; charset=utf-8", security_contact(rest)?),
        "/.well-known/change-password" => return Ok(redirect("/account/forgot-password")),
        SKILLS => ("application/json", skills(base).to_string()),
        SKILL => ("text/markdown; charset=utf-8", skill(base)),
        "/favicon.ico" => return Ok(redirect("/reference/icon.svg")),
        "/robots.txt" => ("text/plain; charset=utf-8", robots(base)),
        "/sitemap.xml" => ("application/xml", sitemap(rest)),
        _ => return Err(Fault::new(Code::NotFound, "This page does not exist. Start at /.")),
    };
    // Both change together with a release: a stored index would not match the new skill.
    let caching = if matches!(parts.uri.path(), SKILLS | SKILL) { "no-cache" } else { "public, max-age=3600" };
    write_public((media_type, caching), content, parts)
}

fn redirect(path: &'static str) -> Response<Body> {
    let mut response = Response::new(Body::empty());
    *response.status_mut() = StatusCode::FOUND;
    response.headers_mut().insert(header::LOCATION, HeaderValue::from_static(path));
    response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("public, max-age=3600"));
    response
}

/// Returns the metadata of the OAuth server (RFC 8414 section 2). There is no authorization endpoint: users sign in with
/// `auth_sessions_create`, and machine clients need no browser. The list of response types is required and must not be
/// empty (section 3.2), so it has the response type that returns nothing.
fn authorization_server(rest: &Rest) -> Value {
    let base = &rest.settings.base_url;
    let mut grants = vec!["client_credentials", "password"];
    if !rest.engine.services().settings.trusted_issuers.is_empty() {
        grants.push("urn:ietf:params:oauth:grant-type:jwt-bearer");
    }
    let by_secret = json!(["client_secret_basic", "client_secret_post"]);
    json!({
        "issuer": base,
        "token_endpoint": format!("{base}/v1/oauth/token"),
        "jwks_uri": format!("{base}/v1/oauth/jwks"),
        "introspection_endpoint": format!("{base}/v1/oauth/introspect"),
        "revocation_endpoint": format!("{base}/v1/oauth/revoke"),
        "response_types_supported": ["none"],
        "grant_types_supported": grants,
        "token_endpoint_auth_methods_supported": by_secret,
        "introspection_endpoint_auth_methods_supported": by_secret,
        "revocation_endpoint_auth_methods_supported": by_secret,
        "scopes_supported": scopes(),
        "service_documentation": format!("{base}/reference"),
    })
}

/// Returns the metadata of the API as a protected resource (RFC 9728 section 2).
fn protected_resource(base: &str) -> Value {
    json!({
        "resource": base,
        "resource_name": "Labs",
        "authorization_servers": [base],
        "jwks_uri": format!("{base}/v1/oauth/jwks"),
        "bearer_methods_supported": ["header"],
        "scopes_supported": scopes(),
        "resource_documentation": format!("{base}/reference"),
    })
}

/// Returns the scopes that a caller outside the staff can have.
fn scopes() -> Vec<String> {
    Scope::all().filter(|scope| !scope.is_admin()).map(|scope| scope.to_string()).collect()
}

/// Returns the links from the API to its descriptions (RFC 9727 section 4).
fn api_catalog(base: &str) -> Value {
    let link = |path: &str, media_type: &str| json!([{ "href": format!("{base}{path}"), "type": media_type }]);
    json!({ "linkset": [{
        "anchor": format!("{base}/v1"),
        "service-desc": link("/v1/system/contract", "application/yaml"),
        "service-doc": link("/reference", "text/html"),
        "service-meta": link("/.well-known/oauth-protected-resource", "application/json"),
        "status": link("/v1/system/readiness", "application/json"),
        "alternate": link("/v1/publication/public/feeds/changelog", "application/atom+xml"),
    }]})
}

/// Returns the security contact (RFC 9116).
///
/// # Errors
/// [`Code::NotFound`] if the operator has set none.
fn security_contact(rest: &Rest) -> Result<String, Fault> {
    let missing = || Fault::new(Code::NotFound, "The operator of this service names no security contact.");
    let contact = rest.settings.security_contact.as_deref().ok_or_else(missing)?;
    let base = &rest.settings.base_url;
    // Whole days, so that the document has one entity tag for a day.
    let now = rest.engine.services().clock.now().whole_seconds();
    let expires = now.plus_seconds(CONTACT_DAYS * DAY - now.unix().rem_euclid(DAY));
    Ok(format!("Contact: {contact}\nExpires: {expires}\nCanonical: {base}/.well-known/security.txt\n"))
}

/// Returns the skill. It contains the address of the service, because an agent stores a skill as a file.
fn skill(base: &str) -> String {
    SKILL_TEXT.replace("{base_url}", base)
}

/// Returns the index of skills, with the description from the front matter of the skill.
fn skills(base: &str) -> Value {
    let front_matter = SKILL_TEXT.split("---\n").nth(1).unwrap_or_default();
    let about = |name: &str| front_matter.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(": "));
    let digest = aws_lc_rs::digest::digest(&aws_lc_rs::digest::SHA256, skill(base).as_bytes());
    json!({
        "$schema": "https://schemas.agentskills.io/discovery/0.2.0/schema.json",
        "skills": [{
            "name": about("name"),
            "type": "skill-md",
            "description": about("description"),
            "url": SKILL,
            "digest": format!("sha256:{}", hex::encode(digest)),
        }],
    })
}

/// Returns the rules for crawlers: they may read the pages, and not the API. Search engines and agents may use the
/// content (Content Signals). The rules neither allow nor forbid that it trains a model.
fn robots(base: &str) -> String {
    format!(
        "User-agent: *\nContent-Signal: search=yes, ai-input=yes\nDisallow: /v1/\nDisallow: /playground\nDisallow: /account/\nDisallow: /board/\n\nSitemap: {base}/sitemap.xml\n"
    )
}

/// Returns the addresses of all pages for readers.
fn sitemap(rest: &Rest) -> String {
    let base = &rest.settings.base_url;
    let operations =
        rest.contract().operations().iter().map(|operation| format!("/reference/operations/{}", operation.id));
    let pages = ["/".to_owned(), "/reference".to_owned()].into_iter().chain(operations);
    let entries: String = pages.map(|path| format!("<url><loc>{base}{path}</loc></url>\n")).collect();
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">\n{entries}</urlset>\n"
    )
}
