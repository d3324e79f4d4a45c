//! Short device names derived from user agents.

use sqlx::error::BoxDynError;
use sqlx::postgres::{PgTypeInfo, PgValueRef};
use sqlx::{Decode, Postgres, Type};

/// Longest device name, in characters.
const LONGEST: usize = 60;

/// Programs by a token in their user agent. A program that also contains the token of another comes before it.
const PROGRAMS: [(&str, &str); 12] = [
    ("Edg", "Edge"),
    ("OPR/", "Opera"),
    ("SamsungBrowser/", "Samsung Internet"),
    ("Firefox/", "Firefox"),
    ("FxiOS/", "Firefox"),
    ("CriOS/", "Chrome"),
    ("HeadlessChrome/", "Chrome"),
    ("Chrome/", "Chrome"),
    ("Safari/", "Safari"),
    ("PostmanRuntime/", "Postman"),
    ("insomnia/", "Insomnia"),
    ("curl/", "curl"),
];

/// Operating systems by a token in the user agent. A system that also contains the token of another comes before it.
const SYSTEMS: [(&str, &str); 8] = [
    ("iPhone", "iPhone"),
    ("iPad", "iPad"),
    ("Android", "Android"),
    ("Windows", "Windows"),
    ("CrOS", "ChromeOS"),
    ("Macintosh", "macOS"),
    ("Mac OS X", "macOS"),
    ("Linux", "Linux"),
];

/// Shortens a user agent, for example to `Firefox on Windows`. An unknown program is named by the first word of its
/// user agent; `None` if the user agent is empty.
fn device(user_agent: &str) -> Option<String> {
    let find = |known: &[(&str, &'static str)]| {
        known.iter().find(|(mark, _)| user_agent.contains(mark)).map(|(_, name)| *name)
    };
    match (find(&PROGRAMS), find(&SYSTEMS)) {
        (Some(program), Some(system)) => Some(format!("{program} on {system}")),
        (Some(name), None) | (None, Some(name)) => Some(name.to_owned()),
        (None, None) => {
            let first = user_agent.split(['/', ' ']).find(|word| !word.is_empty())?;
            Some(first.chars().filter(|letter| !letter.is_control()).take(LONGEST).collect())
        }
    }
}

/// A user agent column that a row converts to a short device name.
pub struct UserAgent(Option<String>);

impl From<UserAgent> for Option<String> {
    fn from(UserAgent(text): UserAgent) -> Self {
        text.as_deref().and_then(device)
    }
}

impl Type<Postgres> for UserAgent {
    fn type_info() -> PgTypeInfo {
        <str as Type<Postgres>>::type_info()
    }

    fn compatible(ty: &PgTypeInfo) -> bool {
        <str as Type<Postgres>>::compatible(ty)
    }
}

impl<'r> Decode<'r, Postgres> for UserAgent {
    fn decode(value: PgValueRef<'r>) -> Result<Self, BoxDynError> {
        <Option<String> as Decode<'r, Postgres>>::decode(value).map(Self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn user_agent_is_shown_as_browser_and_system() {
        let cases = [
            ("Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:144.0) Gecko/20100101 Firefox/144.0", "Firefox on Windows"),
            (
                "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/26.0 Safari/605.1.15",
                "Safari on macOS",
            ),
            (
                "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36 Edg/142.0.0.0",
                "Edge on Windows",
            ),
            (
                "Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Mobile Safari/537.36",
                "Chrome on Android",
            ),
            (
                "Mozilla/5.0 (iPhone; CPU iPhone OS 26_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) CriOS/142.0 Mobile/15E148 Safari/604.1",
                "Chrome on iPhone",
            ),
            ("curl/8.14.1", "curl"),
            ("till-sync/3.1 (build 7)", "till-sync"),
        ];
        for (user_agent, expected) in cases {
            assert_eq!(device(user_agent).as_deref(), Some(expected), "{user_agent}");
        }
    }

    #[test]
    fn empty_user_agent_has_no_device_and_long_is_truncated() {
        assert_eq!(device(""), None);
        assert_eq!(device(" / "), None);
        assert_eq!(device(&"x".repeat(200)).unwrap().len(), LONGEST);
    }
}
