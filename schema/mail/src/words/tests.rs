use super::*;
use crate::message::tests::{at, one_of_each};

const LOCALES: [Locale; 2] = [Locale::English, Locale::German];

fn places() -> MailLinks<'static> {
    MailLinks { platform: "Labs", base_url: "https://labs.example" }
}

fn written(letter: &MailContent, locale: Locale) -> String {
    text(letter, locale, &places()).expose().to_owned()
}

fn verification() -> MailContent {
    let about = Asking::VerifyEmail {
        name: "Marta Lindqvist".to_owned(),
        company: "Tischwerk GmbH".to_owned(),
        registered_at: Some(at(0)),
    };
    MailContent::with_token(about, SecretText::new("labs_ot_token"), at(3_600))
}

#[test]
fn verification_mail_matches_expected_text() {
    let expected = "\
Hello Marta Lindqvist,

Tischwerk GmbH was registered with Labs at 2026-11-21 13:25 UTC under
this address. If you did that, follow this link and confirm the
registration with the password that you chose:

    https://labs.example/account/verify-email#labs_ot_token

Or do it at a terminal, which asks for the password:

    printf 'Password: ' && sed 's/[\\\"]/\\\\&/g;s/.*/{\"token\":\"labs_ot_token\",\"password\":\"&\"}/;q' \
     | curl -sS 'https://labs.example/v1/auth/registrations:verify-email' -H 'Content-Type: application/json' -d @-

You can use one of them, once, until 2026-11-21 14:25 UTC.

If you did not register this company at that time, another person did.
Ignore this e-mail, and do not share the link.

-- 
Labs
https://labs.example
";
    assert_eq!(written(&verification(), Locale::English), expected);
    let subject = verification().subject(Locale::English, "Labs");
    assert_eq!(subject, "Confirm your e-mail address for Labs");
}

#[test]
fn each_mail_has_distinct_text_in_each_language() {
    let mut seen = std::collections::HashSet::new();
    for letter in one_of_each("Marta") {
        for locale in LOCALES {
            let mail = written(&letter, locale);
            assert!(mail.contains("Marta"), "{mail}");
            assert!(seen.insert(mail.clone()), "{mail}");
            let subject = letter.subject(locale, "Labs");
            assert!((8..=78).contains(&subject.chars().count()), "{subject}");
        }
    }
}

#[test]
fn token_is_on_separate_lines_and_not_in_subject() {
    for letter in one_of_each("Jörg") {
        let MailContent::Asking { token, .. } = &letter else { continue };
        for locale in LOCALES {
            let mail = written(&letter, locale);
            let lines: Vec<&str> = mail.lines().filter(|line| line.contains("labs_ot_")).map(str::trim).collect();
            let (link, command) = match (lines.as_slice(), is_invitation(&letter)) {
                ([link], true) => (*link, None),
                ([link, command], false) => (*link, Some(*command)),
                _ => panic!("{mail}"),
            };
            assert!(link.starts_with("https://labs.example/account/"), "{mail}");
            assert_eq!(link.split_once('#').unwrap().1, token.expose(), "nothing of the link is sent to a server");
            let submits = |command: &str| command.contains("curl -sS 'https://labs.example/v1/auth/");
            assert!(command.is_none_or(submits), "{mail}");
            assert!(lines.iter().all(|line| line.len() < 500), "mail has lines of 998 bytes at most (RFC 5322)");
            assert!(!letter.subject(locale, "Labs").contains("labs_ot_"));
        }
    }
}

fn is_invitation(letter: &MailContent) -> bool {
    let MailContent::Asking { about, .. } = letter else { return false };
    matches!(about, Asking::Invitation { .. } | Asking::FirstAdministrator { .. } | Asking::StaffInvitation { .. })
}

#[test]
fn each_mail_names_the_address_of_the_next_step() {
    for letter in one_of_each("Marta") {
        for locale in LOCALES {
            let mail = written(&letter, locale);
            let (body, _) = mail.split_once("-- \n").unwrap();
            let has_address = |line: &str| line.starts_with("    ") && line.contains("https://labs.example/");
            assert!(body.lines().any(has_address), "{mail}");
        }
    }
}

#[test]
fn mail_lines_are_short_and_complete() {
    for letter in one_of_each("Marta") {
        for locale in LOCALES {
            for line in written(&letter, locale).lines().filter(|line| !line.starts_with("    ")) {
                assert!(line.chars().count() <= COLUMNS, "{line}");
                assert!(line == "-- " || line.trim() == line, "{line:?}");
            }
        }
    }
    let mut text = String::new();
    wrap(&"wort ".repeat(40), &mut text);
    assert_eq!(text.split_whitespace().count(), 40);
}

#[test]
fn names_lose_links_headers_and_bidi_characters() {
    let cells = [
        ("Tischwerk GmbH & Co. KG", "Tischwerk GmbH & Co. KG"),
        ("Jörg O'Neil, M.Sc", "Jörg O'Neil, M.Sc"),
        ("Booking.com", "Booking.com"),
        ("2.10.0-rc.1", "2.10.0-rc.1"),
        ("Versions 1.2/1.3", "Versions 1.2/1.3"),
        ("www.evil.example", "www[.]evil[.]example"),
        ("Prize: https://evil.example", "Prize: https[:]//evil[.]example"),
        ("evil\u{3002}example/x", "evil[.]example/x"),
        ("evil.example?x", "evil[.]example?x"),
        ("evil.example./x", "evil[.]example[.]/x"),
        ("Dr./Prof. Oetker", "Dr./Prof. Oetker"),
        ("me@evil.example", "me[at]evil[.]example"),
        ("mailto:me@evil.example", "mailto[:]me[at]evil[.]example"),
        ("Marta\r\nBcc: all@x", "Marta Bcc: all@x"),
        ("  much   room  ", "much room"),
        ("\u{202e}gnp.evil/x", "gnp[.]evil/x"),
        ("http:\u{2060}//evil", "http[:]//evil"),
        ("a.\u{200b}b", "a.b"),
        ("a\u{0}b", "a b"),
        ("", ""),
    ];
    for (name, tamed) in cells {
        assert_eq!(sanitize(name), tamed, "{name:?}");
    }
    assert!(sanitize(&"x".repeat(5_000)).chars().count() <= LONGEST_NAME);
    for letter in one_of_each("Tischwerk 2.10.0 \u{2060}") {
        assert!(!LOCALES.iter().any(|locale| written(&letter, *locale).contains(is_invisible)), "{letter:?}");
    }
}

#[test]
fn hostile_names_stay_on_their_line_in_every_mail() {
    let hostile = "Marta\r\n\r\nlabs_ot_false\nhttps://evil.example/x\r\nBcc: all@evil.example";
    for letter in one_of_each(hostile) {
        for locale in LOCALES {
            let mail = written(&letter, locale);
            assert!(!mail.contains("https://evil") && !mail.contains("evil.example"), "{mail}");
            assert!(!letter.subject(locale, "Labs").contains(['\r', '\n']));
        }
    }
}

#[test]
fn names_with_addresses_are_omitted_from_subject() {
    let baits = [
        "Prize https://evil.example",
        "Prize evil.example/win",
        "www.evil.example",
        "Prize http:\u{2060}//evil",
        "mail win@evil.example now",
        "\u{202e}evil.example/x",
        "Prize\r\nBcc: a@evil.example",
    ];
    for bait in baits {
        for letter in one_of_each(bait) {
            for locale in LOCALES {
                let subject = letter.subject(locale, "Labs");
                assert!(!subject.contains("evil") && subject.contains("Labs"), "{subject}");
                assert!(!subject.contains(char::is_control), "{subject:?}");
            }
        }
    }
    for name in ["Booking.com", "Fish & Chips / Bar", "A@Home", "Dr. Oetker", "24/7 Kassen"] {
        let about = Asking::Invitation { company: name.to_owned(), inviter: None, role: "EDITOR".to_owned() };
        let subject = MailContent::with_token(about, SecretText::new("labs_ot_token"), at(3_600))
            .subject(Locale::English, "Labs");
        assert_eq!(subject, format!("{name} invites you to Labs"));
    }
}
