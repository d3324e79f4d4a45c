//! Credentials in headers: each is read from exactly one place (RFC 6750; docs/decisions/credentials.md).

use base64::Engine as _;
use http::{HeaderMap, header};
use labs_core::{Code, Fault};

/// Name of the refresh cookie (docs/decisions/credentials.md).
pub const REFRESH_COOKIE: &str = "__Host-refresh";

/// Returns the access token of exactly one `Authorization: Bearer` header.
///
/// # Errors
/// [`Code::Unauthenticated`] if the header is missing, sent twice, or has another scheme.
pub fn token(headers: &HeaderMap) -> Result<&str, Fault> {
    let value = authorization(headers)?.ok_or_else(Fault::without_token)?;
    match value.split_once(' ') {
        Some((scheme, token)) if scheme.eq_ignore_ascii_case("bearer") && !token.is_empty() && !token.contains(' ') => {
            Ok(token)
        }
        _ => Err(err_unauthenticated("This operation requires an access token. Send `Authorization: Bearer <token>`.")),
    }
}

/// Returns client id and client secret from HTTP Basic, both form-encoded as RFC 6749 section 2.3.1 requires; `None`
/// without the header.
///
/// # Errors
/// [`Code::InvalidCredentials`] if the header cannot be read.
pub fn basic(headers: &HeaderMap) -> Result<Option<(String, String)>, Fault> {
    let unreadable = || {
        Fault::new(
            Code::InvalidCredentials,
            "The Authorization header is not valid HTTP Basic. Send the client id and the client secret by HTTP Basic.",
        )
        .oauth("invalid_client")
    };
    let Some(value) = authorization(headers).map_err(|_| unreadable())? else { return Ok(None) };
    let (scheme, encoded) = value.split_once(' ').ok_or_else(unreadable)?;
    if !scheme.eq_ignore_ascii_case("basic") {
        return Err(unreadable());
    }
    let decoded = base64::engine::general_purpose::STANDARD.decode(encoded.trim()).map_err(|_| unreadable())?;
    let text = String::from_utf8(decoded).map_err(|_| unreadable())?;
    let (id, secret) = text.split_once(':').ok_or_else(unreadable)?;
    Ok(Some((decode(id).ok_or_else(unreadable)?, decode(secret).ok_or_else(unreadable)?)))
}

/// Returns the refresh cookie, if exactly one was sent. The page's other cookies need not be valid text.
#[must_use]
pub fn refresh_cookie(headers: &HeaderMap) -> Option<String> {
    let mut found = refresh_cookies(headers);
    match (found.next(), found.next()) {
        (Some(token), None) => String::from_utf8(token.to_vec()).ok(),
        _ => None,
    }
}

/// Whether a refresh cookie was sent, valid or not.
#[must_use]
pub fn has_refresh_cookie(headers: &HeaderMap) -> bool {
    refresh_cookies(headers).next().is_some()
}

/// Returns the values of all refresh cookies in the request.
fn refresh_cookies(headers: &HeaderMap) -> impl Iterator<Item = &[u8]> {
    let lines = headers.get_all(header::COOKIE).iter();
    let pairs = lines.flat_map(|line| line.as_bytes().split(|byte| *byte == b';'));
    pairs.filter_map(|pair| pair.trim_ascii().strip_prefix(REFRESH_COOKIE.as_bytes())?.strip_prefix(b"="))
}

fn authorization(headers: &HeaderMap) -> Result<Option<&str>, Fault> {
    let mut sent = headers.get_all(header::AUTHORIZATION).iter();
    match (sent.next(), sent.next()) {
        (None, _) => Ok(None),
        (Some(value), None) => value.to_str().map(|text| Some(text.trim())).map_err(|_| {
            err_unauthenticated("The Authorization header is not valid text. Send only ASCII characters.")
        }),
        (Some(_), Some(_)) => Err(err_unauthenticated("Send one Authorization header, not several.")),
    }
}

/// Decodes a part; `None` if it is not text, or contains U+0000, which no id or secret has and the database rejects.
fn decode(text: &str) -> Option<String> {
    let spaced = text.replace('+', " ");
    let decoded = percent_encoding::percent_decode_str(&spaced).decode_utf8().ok()?;
    (!decoded.contains('\0')).then(|| decoded.into_owned())
}

fn err_unauthenticated(detail: &str) -> Fault {
    Fault::new(Code::Unauthenticated, detail)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(pairs: &[(http::HeaderName, &str)]) -> HeaderMap {
        pairs.iter().map(|(name, value)| (name.clone(), value.parse().unwrap())).collect()
    }

    #[test]
    fn only_single_well_formed_bearer_header_is_accepted() {
        assert_eq!(token(&headers(&[(header::AUTHORIZATION, "bearer abc")])).unwrap(), "abc");
        for bad in ["Basic abc", "Bearer", "Bearer ", "Bearer a b", "abc"] {
            assert!(token(&headers(&[(header::AUTHORIZATION, bad)])).is_err(), "{bad}");
        }
        let mut doubled = headers(&[(header::AUTHORIZATION, "Bearer abc")]);
        doubled.append(header::AUTHORIZATION, "Bearer def".parse().unwrap());
        assert!(token(&doubled).is_err());
    }

    #[test]
    fn basic_credentials_are_percent_decoded() {
        let encoded = base64::engine::general_purpose::STANDARD.encode("my%20id:a%2Bb+c");
        let found = basic(&headers(&[(header::AUTHORIZATION, &format!("Basic {encoded}"))])).unwrap();
        assert_eq!(found, Some(("my id".to_owned(), "a+b c".to_owned())));
    }

    #[test]
    fn basic_credentials_with_null_character_are_rejected() {
        for text in ["my%00id:secret", "my id:sec%00ret", "my\0id:secret", "my id:sec\0ret"] {
            let encoded = base64::engine::general_purpose::STANDARD.encode(text);
            let refused = basic(&headers(&[(header::AUTHORIZATION, &format!("Basic {encoded}"))])).unwrap_err();
            assert_eq!(refused.code(), Code::InvalidCredentials, "{text:?}");
        }
    }

    #[test]
    fn duplicate_or_unreadable_basic_returns_oauth_error() {
        let mut doubled = headers(&[(header::AUTHORIZATION, "Basic YTpi")]);
        doubled.append(header::AUTHORIZATION, "Basic YTpi".parse().unwrap());
        let mut beyond_ascii = HeaderMap::new();
        beyond_ascii.insert(header::AUTHORIZATION, http::HeaderValue::from_bytes(b"Basic \xff").unwrap());
        for sent in [doubled, beyond_ascii] {
            assert_eq!(basic(&sent).unwrap_err().code(), Code::InvalidCredentials, "{sent:?}");
        }
    }

    #[test]
    fn duplicate_refresh_cookies_are_ignored() {
        assert_eq!(refresh_cookie(&headers(&[(header::COOKIE, "a=1; __Host-refresh=xyz")])).as_deref(), Some("xyz"));
        assert_eq!(refresh_cookie(&headers(&[(header::COOKIE, "__Host-refresh=x; __Host-refresh=y")])), None);
    }

    #[test]
    fn other_cookies_do_not_hide_refresh_cookie() {
        let mut sent = HeaderMap::new();
        let cookies = http::HeaderValue::from_bytes(b"theme=caf\xe9; __Host-refresh=xyz; __Host-refresher=1").unwrap();
        sent.insert(header::COOKIE, cookies);
        assert_eq!(refresh_cookie(&sent).as_deref(), Some("xyz"));
    }
}
