//! The contract's text with the address of the service. The committed text has a placeholder there.

use serde_json::Value;

/// The token endpoint in the committed text.
const TOKEN_URL: &str = " tokenUrl: /v1/oauth/token\n";
/// Headings of the replaced section and of the section after it.
const SERVERS: (&str, &str) = ("\nservers:\n", "\ntags:\n");

/// Returns the text with `base_url` as its only server and before the paths of its token endpoints. Missing parts are
/// not added.
pub(super) fn text(committed: &str, base_url: &str) -> String {
    let address = |path: &str| Value::from(format!("{base_url}{path}"));
    let servers = format!("\nservers:\n- url: {}\n  description: The service that serves this document.", address(""));
    let token_url = format!(" tokenUrl: {}\n", address("/v1/oauth/token"));
    let parts = committed.split_once(SERVERS.0).and_then(|(before, rest)| Some((before, rest.split_once(SERVERS.1)?)));
    let text = match parts {
        Some((before, (_, behind))) => [before, &servers, SERVERS.1, behind].concat(),
        None => committed.to_owned(),
    };
    text.replace(TOKEN_URL, &token_url)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::{EMBEDDED, yaml};

    #[test]
    fn served_contract_replaces_base_url_variable() {
        let committed = yaml::read(EMBEDDED).unwrap();
        assert_eq!(committed["servers"][0]["url"], "{base_url}");
        let mut served = yaml::read(&super::text(EMBEDDED, "https://labs.example.com")).unwrap();
        assert_eq!(
            served["servers"],
            json!([{ "url": "https://labs.example.com", "description": "The service that serves this document." }])
        );
        let token_url = json!("https://labs.example.com/v1/oauth/token");
        for flow in ["password", "clientCredentials"] {
            let pointer = format!("/components/securitySchemes/labs/flows/{flow}/tokenUrl");
            assert_eq!(*served.pointer(&pointer).unwrap(), token_url);
            *served.pointer_mut(&pointer).unwrap() = json!("/v1/oauth/token");
        }
        served["servers"] = committed["servers"].clone();
        assert!(served == committed, "nothing else changes");
    }
}
