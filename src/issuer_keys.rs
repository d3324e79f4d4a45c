//! Reads the public keys of identity issuers: from a file, or from the issuer's server by OpenID Connect Discovery.
//!
//! It calls only the issuers in the settings, with the guards of `outbound`. The keys must be on the same origin as the
//! issuer. A request is limited to five seconds and a document to 512 kB.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::bail;
use labs_schema::identity_issuers::{KeySetAnswer, KeySetSource};
use reqwest::header::ACCEPT;
use reqwest::{Client, StatusCode, Url};
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::outbound::{AddressRule, refused_address};

/// Maximum time of a request, from the first byte to the last.
const PATIENCE: Duration = Duration::from_secs(5);
/// Maximum size of a document in bytes.
const LARGEST: usize = 512 * 1024;

/// Allowed issuers, and where their keys are read.
#[derive(Clone, Debug, Default)]
pub struct IssuerSettings {
    allowed: Vec<String>,
    keys_file: Option<PathBuf>,
    allow_private: bool,
}

impl IssuerSettings {
    /// Creates the settings.
    ///
    /// # Errors
    /// If an issuer is not `https://` and a host with an optional path. Plain `http://` requires that private addresses
    /// are allowed.
    pub fn new(allowed: Vec<String>, keys_file: Option<PathBuf>, allow_private: bool) -> anyhow::Result<Self> {
        for issuer in &allowed {
            let url = Url::parse(issuer).ok().filter(is_plain);
            let has_scheme =
                url.is_some_and(|url| url.scheme() == "https" || (url.scheme() == "http" && allow_private));
            if !has_scheme {
                bail!(
                    "LABS_TRUSTED_ISSUERS {issuer:?} is not https:// and a host; http:// requires \
                     LABS_TRUSTED_ISSUERS_ALLOW_PRIVATE"
                );
            }
        }
        Ok(Self { allowed, keys_file, allow_private })
    }

    /// Returns the allowed issuers, exactly as in `iss`.
    #[must_use]
    pub fn allowed(&self) -> &[String] {
        &self.allowed
    }
}

fn is_plain(url: &Url) -> bool {
    let has_host = url.host_str().is_some_and(|host| !host.is_empty());
    let has_user = !url.username().is_empty() || url.password().is_some();
    has_host && !has_user && url.query().is_none() && url.fragment().is_none()
}

/// Reader of the keys of issuers.
pub struct IssuerKeyReader {
    settings: IssuerSettings,
    /// Clients for `https://` and `http://`.
    clients: (Client, Client),
}

impl IssuerKeyReader {
    /// Creates a reader.
    ///
    /// # Errors
    /// If the system has no trusted certificates.
    pub fn open(settings: IssuerSettings) -> anyhow::Result<Self> {
        let client = |only_private| {
            AddressRule { allow_private: settings.allow_private, only_private }.client("labs-identity", PATIENCE)
        };
        Ok(Self { clients: (client(false)?, client(true)?), settings })
    }

    /// Reads the JWK set of an issuer.
    async fn key_set(&self, issuer: &str) -> Result<Vec<u8>, String> {
        if let Some(file) = &self.settings.keys_file
            && let Some(key_set) = read_from_file(file, issuer).await?
        {
            return Ok(key_set);
        }
        let at = Url::parse(issuer).map_err(|error| error.to_string())?;
        let mut discovery = at.clone();
        if let Ok(mut path) = discovery.path_segments_mut() {
            path.pop_if_empty().extend([".well-known", "openid-configuration"]);
        }
        let document = self.get(&discovery).await?;
        let document: Discovery =
            serde_json::from_slice(&document).map_err(|error| format!("its discovery document is invalid: {error}"))?;
        if document.issuer != issuer {
            return Err("its discovery document names another issuer".to_owned());
        }
        let keys = Url::parse(&document.jwks_uri).map_err(|error| format!("its jwks_uri is invalid: {error}"))?;
        if keys.origin() != at.origin() || !keys.username().is_empty() || keys.password().is_some() {
            return Err("its jwks_uri is on another origin".to_owned());
        }
        self.get(&keys).await
    }

    async fn get(&self, url: &Url) -> Result<Vec<u8>, String> {
        let only_private = url.scheme() == "http";
        let rule = AddressRule { allow_private: self.settings.allow_private, only_private };
        rule.check_host(url.host_str().unwrap_or_default()).map_err(|refused| refused.to_string())?;
        let client = if only_private { &self.clients.1 } else { &self.clients.0 };
        let sent = client.get(url.clone()).header(ACCEPT, "application/json").send().await;
        let mut response = sent.map_err(|error| describe(&error))?;
        if response.status() != StatusCode::OK {
            return Err(format!("it answered {} at {}", response.status().as_u16(), url.path()));
        }
        let mut bytes = Vec::new();
        while let Some(piece) = response.chunk().await.map_err(|error| describe(&error))? {
            if bytes.len() + piece.len() > LARGEST {
                return Err(format!("its document at {} is larger than {LARGEST} bytes", url.path()));
            }
            bytes.extend_from_slice(&piece);
        }
        Ok(bytes)
    }
}

impl KeySetSource for IssuerKeyReader {
    fn read<'a>(&'a self, issuer: &'a str) -> KeySetAnswer<'a> {
        Box::pin(self.key_set(issuer))
    }
}

/// Fields of the discovery document that are read (OpenID Connect Discovery 1.0, section 3).
#[derive(Deserialize)]
struct Discovery {
    issuer: String,
    jwks_uri: String,
}

/// Reads the JWK set of an issuer from a JSON file with one JWK set for each issuer. `None` if the file has none for it.
async fn read_from_file(file: &Path, issuer: &str) -> Result<Option<Vec<u8>>, String> {
    let content = tokio::fs::read(file).await.map_err(|error| format!("the key file cannot be read: {error}"))?;
    let mut sets: HashMap<String, Box<RawValue>> =
        serde_json::from_slice(&content).map_err(|error| format!("the key file is invalid: {error}"))?;
    Ok(sets.remove(issuer).map(|set| set.get().as_bytes().to_vec()))
}

fn describe(error: &reqwest::Error) -> String {
    match refused_address(error) {
        Some(refused) => refused.to_string(),
        None if error.is_timeout() => format!("it did not answer within {} seconds", PATIENCE.as_secs()),
        None => "the connection failed".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(issuer: &str, allow_private: bool) -> anyhow::Result<IssuerSettings> {
        IssuerSettings::new(vec![issuer.to_owned()], None, allow_private)
    }

    #[test]
    fn issuer_must_be_a_plain_https_address() {
        for good in ["https://token.actions.githubusercontent.com", "https://ci.example:8443/oidc"] {
            assert!(settings(good, false).is_ok(), "{good}");
        }
        for bad in [
            "http://ci.example",
            "https://",
            "ci.example",
            "https://a:b@ci.example",
            "https://ci.example?a=b",
            "https://ci.example#a",
            "ftp://ci.example",
            "file:///etc/passwd",
        ] {
            assert!(settings(bad, false).is_err(), "{bad}");
        }
        assert!(settings("http://10.0.0.1:8000", true).is_ok());
    }

    #[tokio::test]
    async fn issuer_in_private_network_is_not_read() {
        let reader = IssuerKeyReader::open(settings("https://127.0.0.1:1", false).unwrap()).unwrap();
        assert!(reader.key_set("https://127.0.0.1:1").await.unwrap_err().contains("private network"));
        let reader = IssuerKeyReader::open(settings("http://93.184.215.14", true).unwrap()).unwrap();
        assert!(reader.key_set("http://93.184.215.14").await.unwrap_err().contains("requires https://"));
    }

    #[tokio::test]
    async fn key_file_answers_only_for_its_issuers() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("keys.json");
        std::fs::write(&file, r#"{"https://a.example": {"keys": []}}"#).unwrap();
        assert_eq!(read_from_file(&file, "https://a.example").await.unwrap().unwrap(), br#"{"keys": []}"#);
        assert!(read_from_file(&file, "https://b.example").await.unwrap().is_none());
        std::fs::write(&file, "[]").unwrap();
        assert!(read_from_file(&file, "https://a.example").await.is_err());
    }
}
