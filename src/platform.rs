//! Client of the platform's API for customer numbers per app (`contract/platform-statistics.yaml`).
//!
//! It calls only the host in the settings, with the guards of `outbound`. A request is limited to five seconds, and a
//! page to 8 MB.

use std::path::PathBuf;
use std::pin::Pin;
use std::time::Duration;

use anyhow::{Context as _, bail};
use labs_schema::jobs::statistics::{Day, ImportError, ImportErrorCode as Code, PageAnswer, UsageSource};
use labs_schema::services::StatisticsSettings;
use reqwest::header::{ACCEPT, CONTENT_TYPE};
use reqwest::{Client, Response, StatusCode, Url};

use crate::outbound::{AddressRule, refused_address};
use crate::traces::OutgoingSpan;

/// Maximum time of a request, from the first byte to the last.
const PATIENCE: Duration = Duration::from_secs(5);
/// Maximum size of a page in bytes.
const LARGEST: usize = 8 * 1024 * 1024;

/// Address of the platform's API, and options of the requests.
#[derive(Clone, Debug)]
pub struct PlatformSettings {
    base: Url,
    host: String,
    token_file: PathBuf,
    first_day: Option<Day>,
    allow_private: bool,
}

impl PlatformSettings {
    /// Creates the settings.
    ///
    /// # Errors
    /// If the address is not `https://host[:port][/path]`. Plain `http://` requires that private addresses are allowed.
    pub fn new(url: &str, token_file: PathBuf, first_day: Option<Day>, allow_private: bool) -> anyhow::Result<Self> {
        let base = Url::parse(url.trim_end_matches('/'))
            .with_context(|| format!("LABS_STATISTICS_URL {url:?} cannot be parsed"))?;
        let plain = base.username().is_empty() && base.password().is_none() && base.query().is_none();
        let has_scheme = base.scheme() == "https" || (base.scheme() == "http" && allow_private);
        let host = base.host_str().unwrap_or_default().to_owned();
        if !plain || !has_scheme || base.fragment().is_some() || host.is_empty() {
            bail!(
                "LABS_STATISTICS_URL {url:?} is not https:// and a host; http:// requires \
                 LABS_STATISTICS_ALLOW_PRIVATE"
            );
        }
        Ok(Self { base, host, token_file, first_day, allow_private })
    }

    /// Returns the settings that the schema crate needs.
    #[must_use]
    pub fn known(&self) -> StatisticsSettings {
        StatisticsSettings { host: self.host.clone(), first_day: self.first_day }
    }

    fn rule(&self) -> AddressRule {
        AddressRule { allow_private: self.allow_private, only_private: self.base.scheme() == "http" }
    }
}

/// Client of the platform's API.
pub struct Platform {
    settings: PlatformSettings,
    client: Client,
}

impl Platform {
    /// Creates a client.
    ///
    /// # Errors
    /// If the token cannot be read, or the system has no trusted certificates.
    pub fn open(settings: PlatformSettings) -> anyhow::Result<Self> {
        std::fs::read_to_string(&settings.token_file)
            .with_context(|| format!("cannot read {}", settings.token_file.display()))?;
        let client = settings.rule().client("labs-statistics", PATIENCE)?;
        Ok(Self { settings, client })
    }

    fn url(&self, day: Day, cursor: Option<&str>) -> Url {
        let mut url = self.settings.base.clone();
        if let Ok(mut path) = url.path_segments_mut() {
            path.pop_if_empty().extend(["v1", "app-usage", "days"]).push(&day.to_string());
        }
        if let Some(cursor) = cursor {
            url.query_pairs_mut().append_pair("cursor", cursor);
        }
        url
    }

    async fn ask(&self, day: Day, cursor: Option<&str>) -> PageAnswer {
        let checked = self.settings.rule().check_host(&self.settings.host);
        checked.map_err(|refused| ImportError::new(Code::PrivateAddress, refused.to_string()))?;
        let token = tokio::fs::read_to_string(&self.settings.token_file)
            .await
            .map_err(|error| ImportError::new(Code::TokenUnreadable, format!("The token cannot be read: {error}.")))?;
        let mut request =
            self.client.get(self.url(day, cursor)).bearer_auth(token.trim()).header(ACCEPT, "application/json");
        let span = OutgoingSpan::begin("GET", &self.settings.host);
        if let Some(span) = &span {
            request = request.header("traceparent", span.traceparent());
        }
        let sent = request.send().await.map_err(|error| failure(&error, Code::Unreachable));
        let status = sent.as_ref().ok().map(|response| response.status().as_u16());
        let answer = match sent.and_then(check_head) {
            Ok(response) => body(response).await,
            Err(error) => Err(error),
        };
        if let Some(span) = span {
            span.end(status, answer.as_ref().err().map(|error| error.code.name()));
        }
        answer
    }
}

impl UsageSource for Platform {
    fn page<'a>(&'a self, day: Day, cursor: Option<&'a str>) -> Pin<Box<dyn Future<Output = PageAnswer> + Send + 'a>> {
        Box::pin(self.ask(day, cursor))
    }
}

/// Returns the response, if a page follows.
fn check_head(response: Response) -> Result<Response, ImportError> {
    let status = response.status();
    let refuse = |code, message: String| Err(ImportError::new(code, message));
    match status {
        StatusCode::OK => {}
        StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN => {
            return refuse(
                Code::Unauthorized,
                format!("The platform returned {} and rejected the token.", status.as_u16()),
            );
        }
        status if status.is_redirection() => {
            return refuse(
                Code::Redirected,
                format!("The platform returned {}, and the service does not follow redirects.", status.as_u16()),
            );
        }
        status => return refuse(Code::HttpStatus, format!("The platform returned {}.", status.as_u16())),
    }
    let sent = response.headers().get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let media_type = sent.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    if media_type != "application/json" {
        return refuse(
            Code::WrongContentType,
            format!("The platform returned {media_type:?} instead of application/json."),
        );
    }
    Ok(response)
}

/// Reads the body, up to the size limit.
async fn body(mut response: Response) -> PageAnswer {
    let mut bytes = Vec::new();
    while let Some(piece) = response.chunk().await.map_err(|error| failure(&error, Code::CutOff))? {
        if bytes.len() + piece.len() > LARGEST {
            return Err(ImportError::new(Code::TooLarge, format!("A page is larger than {LARGEST} bytes.")));
        }
        bytes.extend_from_slice(&piece);
    }
    Ok(bytes)
}

/// Returns the reason for a missing or incomplete response. It contains no part of the address, which may contain host
/// names.
fn failure(error: &reqwest::Error, otherwise: Code) -> ImportError {
    if let Some(refused) = refused_address(error) {
        return ImportError::new(Code::PrivateAddress, refused.to_string());
    }
    if error.is_timeout() {
        let seconds = PATIENCE.as_secs();
        return ImportError::new(
            Code::Timeout,
            format!("The platform did not send a complete response within {seconds} seconds."),
        );
    }
    let message = match otherwise {
        Code::CutOff => "The connection ended in the middle of a response.",
        _ => "The service could not connect to the platform or received no response.",
    };
    ImportError::new(otherwise, message)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unencrypted_platform_url_must_be_internal() {
        let settings = |url: &str, allow| PlatformSettings::new(url, PathBuf::new(), None, allow);
        assert!(settings("https://platform.example/api", false).is_ok());
        assert!(settings("http://10.0.0.1:8000", true).is_ok());
        for bad in ["http://platform.example", "https://a:b@platform.example", "https://a/?b=c", "ftp://a", "platform"]
        {
            assert!(settings(bad, false).is_err(), "{bad}");
        }
        let plain = settings("http://platform.example", true).unwrap().rule();
        assert!(
            plain.check("93.184.215.14".parse().unwrap()).is_err() && plain.check("10.0.0.1".parse().unwrap()).is_ok()
        );
        let safe = settings("https://platform.example", false).unwrap().rule();
        assert!(
            safe.check("93.184.215.14".parse().unwrap()).is_ok() && safe.check("10.0.0.1".parse().unwrap()).is_err()
        );
    }

    #[tokio::test]
    async fn host_that_resolves_to_internal_address_is_not_connected() {
        let folder = tempfile::tempdir().unwrap();
        let token = folder.path().join("token");
        std::fs::write(&token, "secret\n").unwrap();
        for host in ["https://localhost:1", "https://127.0.0.1:1", "https://[::1]:1"] {
            let settings = PlatformSettings::new(host, token.clone(), None, false).unwrap();
            let platform = Platform::open(settings).unwrap();
            let refused = platform.page("2026-11-24".parse().unwrap(), None).await.unwrap_err();
            assert_eq!(refused.code, Code::PrivateAddress, "{host}: {}", refused.message);
        }
    }

    #[test]
    fn platform_url_has_day_in_path_and_cursor_in_query() {
        let folder = tempfile::tempdir().unwrap();
        let token = folder.path().join("token");
        std::fs::write(&token, "secret").unwrap();
        let settings = PlatformSettings::new("https://platform.example/api/", token, None, false).unwrap();
        let url = Platform::open(settings).unwrap().url("2026-11-24".parse().unwrap(), Some("a b&c"));
        assert_eq!(url.as_str(), "https://platform.example/api/v1/app-usage/days/2026-11-24?cursor=a+b%26c");
    }
}
