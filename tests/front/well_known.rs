//! Tests of the documents at well-known addresses.

use serde_json::{Value, json};

use crate::harness::{Harness, ROOMY, contract};

const TEXTS: &[(&str, &str)] = &[
    ("/robots.txt", "text/plain; charset=utf-8"),
    ("/sitemap.xml", "application/xml"),
    ("/.well-known/oauth-authorization-server", "application/json"),
    ("/.well-known/oauth-protected-resource", "application/json"),
    ("/.well-known/api-catalog", "application/linkset+json; profile=\"https://www.rfc-editor.org/info/rfc9727\""),
    ("/.well-known/agent-skills/index.json", "application/json"),
    ("/.well-known/agent-skills/labs-api/SKILL.md", "text/markdown; charset=utf-8"),
];

async fn get(harness: &Harness, path: &str) -> reqwest::Response {
    harness.http().get(format!("{}{path}", harness.base_url)).send().await.unwrap()
}

async fn get_json(harness: &Harness, path: &str) -> Value {
    serde_json::from_slice(&get(harness, path).await.bytes().await.unwrap()).unwrap()
}

#[tokio::test]
async fn every_document_has_a_validator_and_any_page_may_read_it() {
    let harness = Harness::new().await;
    for (path, media_type) in TEXTS {
        let answer = get(&harness, path).await;
        let headers = answer.headers();
        assert_eq!((answer.status().as_u16(), headers["content-type"].to_str().unwrap()), (200, *media_type), "{path}");
        assert_eq!(headers["access-control-allow-origin"], "*", "{path}");
        assert_eq!(headers["access-control-expose-headers"], "etag", "{path}");
        let tag = headers["etag"].clone();
        let request = harness.http().get(format!("{}{path}", harness.base_url)).header("if-none-match", tag);
        assert_eq!(request.send().await.unwrap().status(), 304, "{path}");
        let request = harness.http().post(format!("{}{path}", harness.base_url));
        assert_eq!(request.send().await.unwrap().status(), 405, "{path}");
    }
}

#[tokio::test]
async fn preflight_of_any_page_is_accepted_for_public_documents() {
    let with_origins = [&["--cors-origins", "https://board.example"], ROOMY].concat();
    for harness in [Harness::new().await, Harness::with(&with_origins).await] {
        for (path, _) in TEXTS {
            let request = harness.http().request(reqwest::Method::OPTIONS, format!("{}{path}", harness.base_url));
            let request = request.header("origin", "https://anyone.example");
            let request = request.header("access-control-request-method", "GET");
            let answer = request.header("access-control-request-headers", "if-none-match").send().await.unwrap();
            let headers = answer.headers();
            assert_eq!(
                (answer.status().as_u16(), &headers["access-control-allow-origin"]),
                (204, &"*".parse().unwrap())
            );
            assert!(headers["access-control-allow-headers"].to_str().unwrap().contains("if-none-match"), "{path}");
        }
        let other = harness.http().request(reqwest::Method::OPTIONS, format!("{}/v1/system/me", harness.base_url));
        let other = other.header("origin", "https://anyone.example").header("access-control-request-method", "GET");
        assert!(!other.send().await.unwrap().headers().contains_key("access-control-allow-origin"));
    }
}

#[tokio::test]
async fn metadata_leads_from_a_rejection_to_a_token() {
    let harness = Harness::new().await;
    let bare = harness.call("system_me_get").expect(401).await;
    let challenge = bare.header("www-authenticate").to_owned();
    let (_, named) = challenge.split_once("resource_metadata=\"").unwrap();
    let place = named.strip_suffix('"').unwrap().strip_prefix(&harness.base_url).unwrap();
    let resource = get_json(&harness, place).await;
    assert_eq!(resource["resource"], harness.base_url, "{resource}");
    assert_eq!(resource["authorization_servers"], json!([harness.base_url]), "{resource}");
    let server = get_json(&harness, "/.well-known/oauth-authorization-server").await;
    assert_eq!(server["issuer"], harness.base_url, "{server}");
    let client = harness.program("finder", &["storefront"], None).await;
    let request = harness.http().post(server["token_endpoint"].as_str().unwrap());
    let form =
        [("grant_type", "client_credentials"), ("client_id", &client.client_id), ("client_secret", &client.secret)];
    let token: Value =
        serde_json::from_slice(&request.form(&form).send().await.unwrap().bytes().await.unwrap()).unwrap();
    harness.call("marketplace_listings_search").token(token["access_token"].as_str().unwrap()).expect(200).await;
    for endpoint in ["jwks_uri", "introspection_endpoint", "revocation_endpoint", "service_documentation"] {
        let answer = harness.http().get(server[endpoint].as_str().unwrap()).send().await.unwrap();
        assert_ne!(answer.status(), 404, "{endpoint}");
    }
    let scopes = server["scopes_supported"].as_array().unwrap();
    assert!(scopes.contains(&json!("marketplace.apps:write")), "{scopes:?}");
    assert!(!scopes.iter().any(|scope| scope.as_str().unwrap().starts_with("labs.admin")), "{scopes:?}");
}

#[tokio::test]
async fn every_link_of_catalogue_and_front_page_leads_somewhere() {
    let harness = Harness::new().await;
    let catalogue = get_json(&harness, "/.well-known/api-catalog").await;
    let links = catalogue["linkset"][0].as_object().unwrap().iter().filter(|(name, _)| *name != "anchor");
    for (relation, targets) in links {
        for target in targets.as_array().unwrap() {
            let answer = harness.http().get(target["href"].as_str().unwrap()).send().await.unwrap();
            assert_eq!(answer.status(), 200, "{relation}");
            let media_type = answer.headers()["content-type"].to_str().unwrap();
            assert!(media_type.starts_with(target["type"].as_str().unwrap()), "{relation}: {media_type}");
        }
    }
    let front = get(&harness, "/").await;
    let links = front.headers()["link"].to_str().unwrap().to_owned();
    for relation in ["service-desc", "service-doc", "alternate", "status", "api-catalog"] {
        let link = links.split(", <").find(|link| link.contains(&format!("rel=\"{relation}\""))).unwrap();
        let path = link.trim_start_matches('<').split('>').next().unwrap();
        let answer = get(&harness, path).await;
        assert_eq!(answer.status(), 200, "{relation}: {path}");
        let media_type = answer.headers()["content-type"].to_str().unwrap().split(';').next().unwrap().to_owned();
        assert!(!link.contains("type=") || link.contains(&format!("type=\"{media_type}\"")), "{link}: {media_type}");
    }
    let map = get(&harness, "/sitemap.xml").await.text().await.unwrap();
    assert!(
        map.contains(&format!("<loc>{}/reference/operations/marketplace_apps_create</loc>", harness.base_url)),
        "{map}"
    );
    let robots = get(&harness, "/robots.txt").await.text().await.unwrap();
    assert!(
        robots.contains("Disallow: /v1/") && robots.contains("\nContent-Signal: search=yes, ai-input=yes\n"),
        "{robots}"
    );
}

#[tokio::test]
async fn security_contact_exists_only_if_set() {
    let harness = Harness::new().await;
    let missing = get(&harness, "/.well-known/security.txt").await;
    assert_eq!(missing.status(), 404);
    let flags: Vec<&str> =
        ROOMY.iter().copied().chain(["--security-contact", "mailto:security@labs.example"]).collect();
    let harness = Harness::with(&flags).await;
    let text = get(&harness, "/.well-known/security.txt").await.text().await.unwrap();
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines[0], "Contact: mailto:security@labs.example");
    let expires = lines[1].strip_prefix("Expires: ").unwrap();
    let rest = expires.parse::<jiff::Timestamp>().unwrap().as_second() - harness.clock.now().unix();
    assert!((150 * 86_400..365 * 86_400).contains(&rest), "{expires}");
    assert_eq!(lines[2], format!("Canonical: {}/.well-known/security.txt", harness.base_url));
}

#[tokio::test]
async fn new_password_and_icon_are_redirects_to_pages() {
    let harness = Harness::new().await;
    let client = reqwest::Client::builder().redirect(reqwest::redirect::Policy::none()).build().unwrap();
    for path in ["/.well-known/change-password", "/favicon.ico"] {
        let answer = client.get(format!("{}{path}", harness.base_url)).send().await.unwrap();
        assert_eq!(answer.status(), 302, "{path}");
        let target = answer.headers()["location"].to_str().unwrap();
        assert_eq!(get(&harness, target).await.status(), 200, "{path} leads to {target}");
    }
}

#[tokio::test]
async fn skill_is_intact_and_everything_in_it_exists() {
    let harness = Harness::new().await;
    let index = get_json(&harness, "/.well-known/agent-skills/index.json").await;
    let skill = &index["skills"][0];
    let text = get(&harness, skill["url"].as_str().unwrap()).await.text().await.unwrap();
    let digest = aws_lc_rs::digest::digest(&aws_lc_rs::digest::SHA256, text.as_bytes());
    assert_eq!(skill["digest"], format!("sha256:{}", hex::encode(digest)));
    for name in ["name", "description"] {
        assert!(text.contains(&format!("\n{name}: {}\n", skill[name].as_str().unwrap())), "{name}: {skill}");
    }
    let quoted = text.split('`').skip(1).step_by(2);
    let (mut pages, mut operations) = (0, 0);
    for quote in quoted {
        let (method, path) = quote.split_once(' ').unwrap_or(("GET", quote));
        assert!(!quote.contains("base_url"), "{quote}");
        if !path.starts_with('/') || path.contains("ai-catalog") || path == "/reference" || path.ends_with('}') {
            continue;
        }
        if path.starts_with("/v1/") {
            operations += 1;
            let known =
                contract().operations().iter().any(|operation| operation.method == method && operation.path == path);
            assert!(known, "{quote}");
        } else {
            pages += 1;
            let path = path.replace("{operation_id}", "system_me_get").replace("{code}", "NOT_FOUND");
            assert_eq!(get(&harness, &path).await.status(), 200, "{quote}");
        }
    }
    assert!(
        text.contains(&harness.base_url) && pages >= 5 && operations >= 3,
        "{pages} pages, {operations} operations"
    );
}
