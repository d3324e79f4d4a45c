//! Web addresses: accepted forms, and their ASCII form.
//!
//! The contract declares the fields with `format: web-address`, or with `format: redirect-uri` if the platform
//! redirects a customer to it. Stricter than RFC 3986 where it permits confusing forms: no user name, no IP address, no
//! bare host name. Letters beyond ASCII are accepted (RFC 3987, RFC 5890) and the text is stored as given.

use url::{Host, Url};

use super::email::{ascii_domain, is_unseen};

/// Longest address in bytes, which limits the work. The contract's limits are lower.
const LONGEST: usize = 8192;

/// Hosts of the customer's own machine (RFC 8252, section 7.3).
const LOOPBACK: [&str; 3] = ["localhost", "127.0.0.1", "[::1]"];

/// HTTPS address of a public host.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WebAddress {
    ascii: Url,
}

/// Reason why a text is not a web address.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WebAddressProblem {
    /// Longer than the parser accepts.
    #[error("the address is too long")]
    TooLong,
    /// It does not begin with `https://`.
    #[error("the address must begin with https://")]
    Scheme,
    /// A space, an invisible character, or a character that RFC 3987 requires to be percent-encoded.
    #[error("the address contains a character that must be percent-encoded")]
    Character,
    /// It has a user name or password before the host.
    #[error("the address must not contain a user name")]
    UserInfo,
    /// The host is not a public domain name.
    #[error("the host of the address is not valid")]
    Host,
    /// The port is not between 1 and 65535.
    #[error("the port of the address must be between 1 and 65535")]
    Port,
}

impl WebAddress {
    /// Parses an address.
    ///
    /// # Errors
    /// [`WebAddressProblem`]
    pub fn parse(text: &str) -> Result<Self, WebAddressProblem> {
        let (host, ascii) = parts("https://", text)?;
        match ascii.host() {
            Some(Host::Domain(_)) => {}
            _ => return Err(WebAddressProblem::Host),
        }
        ascii_domain(host).ok_or(WebAddressProblem::Host)?;
        Ok(Self { ascii })
    }

    /// Returns the address with its host in lower-case ASCII and its path percent-encoded. Two texts with the same
    /// ASCII form are the same address.
    #[must_use]
    pub fn ascii(&self) -> &str {
        self.ascii.as_str()
    }
}

/// Whether the platform may redirect a customer to `text`: a [`WebAddress`], or an http or https address on the
/// loopback interface (RFC 8252, section 7.3). A fragment and a wildcard are never allowed.
#[must_use]
pub fn is_redirect_uri(text: &str) -> bool {
    if text.contains(['#', '*']) {
        return false;
    }
    let is_loopback = |scheme| parts(scheme, text).is_ok_and(|(host, _)| LOOPBACK.contains(&host));
    WebAddress::parse(text).is_ok() || is_loopback("http://") || is_loopback("https://")
}

/// Returns the host as written, and the parsed address. The parser repairs input as browsers do (spaces, backslashes,
/// missing slashes), so all of that is rejected first.
fn parts<'t>(scheme: &str, text: &'t str) -> Result<(&'t str, Url), WebAddressProblem> {
    if text.len() > LONGEST {
        return Err(WebAddressProblem::TooLong);
    }
    let rest = text.strip_prefix(scheme).ok_or(WebAddressProblem::Scheme)?;
    let (authority, path) = rest.split_at(rest.find(['/', '?', '#']).unwrap_or(rest.len()));
    if !has_only_iri_characters(path) {
        return Err(WebAddressProblem::Character);
    }
    if authority.contains('@') {
        return Err(WebAddressProblem::UserInfo);
    }
    let (host, port) = match authority.rsplit_once(':') {
        Some((host, port)) if !port.ends_with(']') => (host, Some(port)),
        _ => (authority, None),
    };
    if port.is_some_and(|port| !is_port(port)) {
        return Err(WebAddressProblem::Port);
    }
    if host.chars().any(|letter| is_unseen(letter) || matches!(letter, '%' | '\\')) {
        return Err(WebAddressProblem::Host);
    }
    let ascii = Url::parse(text).map_err(|_| WebAddressProblem::Host)?;
    Ok((host, ascii))
}

/// Whether a text consists of characters of RFC 3987's `ipchar`, `iquery` and `ifragment`, with every `%` before two
/// hexadecimal digits and at most one `#`.
fn has_only_iri_characters(text: &str) -> bool {
    let is_allowed = |letter: char| !is_unseen(letter) && !r#"<>"{}|\^`[]"#.contains(letter);
    let mut encoded = text.split('%').skip(1);
    let is_encoded = |after: &str| {
        let mut digits = after.bytes().map(|digit| digit.is_ascii_hexdigit());
        digits.next() == Some(true) && digits.next() == Some(true)
    };
    text.chars().all(is_allowed) && encoded.all(is_encoded) && text.matches('#').nth(1).is_none()
}

fn is_port(text: &str) -> bool {
    text.len() <= 5 && text.bytes().all(|digit| digit.is_ascii_digit()) && text.parse().is_ok_and(|port: u16| port > 0)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn public_https_addresses_are_accepted() {
        for (text, ascii) in [
            ("https://mise.example", "https://mise.example/"),
            ("https://mise.example/privacy?lang=de#top", "https://mise.example/privacy?lang=de#top"),
            ("https://a.example:8443/?next=1", "https://a.example:8443/?next=1"),
            ("https://a.example:443/", "https://a.example/"),
            ("https://Mise.Example/A%20b", "https://mise.example/A%20b"),
            ("https://bücher.example/ä?x=1#y", "https://xn--bcher-kva.example/%C3%A4?x=1#y"),
            ("https://xn--bcher-kva.example/%C3%A4?x=1#y", "https://xn--bcher-kva.example/%C3%A4?x=1#y"),
            ("https://例え.テスト/", "https://xn--r8jz45g.xn--zckzah/"),
        ] {
            assert_eq!(WebAddress::parse(text).as_ref().map(WebAddress::ascii), Ok(ascii), "{text}");
            assert!(is_redirect_uri(text) != text.contains('#'), "{text}");
        }
    }

    #[test]
    fn other_addresses_are_rejected_with_their_problem() {
        use WebAddressProblem::{Character, Host, Port, Scheme, TooLong, UserInfo};
        let long_label = format!("https://{}.example/", "a".repeat(64));
        let long_host = format!("https://{}example/", "abcdefg.".repeat(32));
        let endless = format!("https://mise.example/{}", "a".repeat(1_000_000));
        for (text, problem) in [
            ("", Scheme),
            ("http://mise.example/", Scheme),
            ("HTTPS://mise.example/", Scheme),
            ("https:/mise.example/", Scheme),
            ("https:mise.example", Scheme),
            ("javascript:alert(1)", Scheme),
            (" https://mise.example/", Scheme),
            ("https://", Host),
            ("https:///mise.example/", Host),
            ("https://.", Host),
            ("https://..", Host),
            ("https://mise", Host),
            ("https://localhost/", Host),
            ("https://mise.example./", Host),
            ("https://.mise.example/", Host),
            ("https://mise..example/", Host),
            ("https://-mise.example/", Host),
            ("https://mi_se.example/", Host),
            ("https://*.mise.example/", Host),
            ("https://m%69se.example/", Host),
            ("https://mi\u{ad}se.example/", Host),
            ("https://mise.example\\@evil.example/", UserInfo),
            ("https://mise.example\\evil", Host),
            ("https://192.0.2.7/", Host),
            ("https://0x7f.1/", Host),
            ("https://[2001:db8::1]/", Host),
            ("https://[::1]:8080/", Host),
            ("https://mise.example\n/", Host),
            (&long_label, Host),
            (&long_host, Host),
            ("https://user@mise.example/", UserInfo),
            ("https://user:word@mise.example/", UserInfo),
            ("https://@mise.example/", UserInfo),
            ("https://mise.example:99999/", Port),
            ("https://mise.example:0/", Port),
            ("https://mise.example:/", Port),
            ("https://mise.example:+80/", Port),
            ("https://mise.example/ x", Character),
            ("https://mise.example/\tx", Character),
            ("https://mise.example/\u{202e}x", Character),
            ("https://mise.example/a\\b", Character),
            ("https://mise.example/%zz", Character),
            ("https://mise.example/%4", Character),
            ("https://mise.example/<b>", Character),
            ("https://mise.example/#a#b", Character),
            (&endless, TooLong),
        ] {
            assert_eq!(WebAddress::parse(text), Err(problem), "{text:.60}");
            assert!(!is_redirect_uri(text) || text.contains("localhost") || text.contains("[::1]"), "{text:.60}");
        }
    }

    #[test]
    fn redirect_uri_must_be_https_or_loopback() {
        for uri in [
            "https://planner.mise.example/oauth/callback",
            "https://a.example:8443/?next=1",
            "https://localhost:3000/back",
            "http://localhost",
            "http://localhost:8123/back",
            "http://127.0.0.1:9000/?a=b",
            "http://[::1]:80/x",
            "http://[::1]",
        ] {
            assert!(is_redirect_uri(uri), "{uri} was rejected");
        }
        for uri in [
            "http://planner.mise.example/",
            "https:///path",
            "https://:443/",
            "https://a.example/#token",
            "http://localhost/#token",
            "https://*.mise.example/",
            "https://a.example/*",
            "http://user@localhost/",
            "http://localhost@evil.example/",
            "http://localhost.evil.example/",
            "http://localhost:99999/",
            "http://localhost:0/",
            "http://localhost:/",
            "http://[::1",
            "http://127.0.0.2/",
            "http://127.1/",
            "ftp://a.example/",
            "mise:/a",
        ] {
            assert!(!is_redirect_uri(uri), "{uri} was accepted");
        }
    }

    proptest! {
        #[test]
        fn ascii_form_is_a_valid_address_and_stable(text in "https://[a-zäß日.-]{1,12}\\.[a-z]{2,4}(:[0-9]{1,5})?/[a-zé%?#=/.]{0,12}") {
            if let Ok(address) = WebAddress::parse(&text) {
                let again = WebAddress::parse(address.ascii());
                prop_assert_eq!(again.as_ref().map(WebAddress::ascii), Ok(address.ascii()));
            }
        }

        #[test]
        fn arbitrary_text_does_not_panic(text in "(https?://)?\\PC{0,60}") {
            let _ = WebAddress::parse(&text);
            let _ = is_redirect_uri(&text);
        }
    }
}
