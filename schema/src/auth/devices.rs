//! What somebody signed in with, in words that they recognise.

use sqlx::error::BoxDynError;
use sqlx::postgres::{PgTypeInfo, PgValueRef};
use sqlx::{Decode, Postgres, Type};

/// Longest answer, in characters.
const LONGEST: usize = 60;

/// Programs by a mark in their user agent. Those that name others as well come before them.
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

/// Systems, likewise.
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

/// A user agent in a few words, `Firefox on Windows` for example. What is not known is called by its own first word;
/// `None` when it says nothing.
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

/// A column of user agents, which a row holds in a few words.
pub(crate) struct UserAgent(Option<String>);

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
    fn people_recognise_what_they_signed_in_with() {
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
    fn what_says_nothing_is_nothing_and_what_says_much_is_cut() {
        assert_eq!(device(""), None);
        assert_eq!(device(" / "), None);
        assert_eq!(device(&"x".repeat(200)).unwrap().len(), LONGEST);
    }
}
