use super::*;
use crate::core::mail::message::tests::{at, one_of_each};

const LOCALES: [Locale; 2] = [Locale::English, Locale::German];

fn places(portal_url: Option<&'static str>) -> Places<'static> {
    Places { platform: "Labs", base_url: "https://labs.example", portal_url }
}

fn written(letter: &Letter, locale: Locale) -> String {
    text(letter, locale, &places(None)).expose().to_owned()
}

fn verification() -> Letter {
    let about = Asking::VerifyEmail {
        name: "Marta Lindqvist".to_owned(),
        company: "Tischwerk GmbH".to_owned(),
        registered_at: Some(at(0)),
    };
    Letter::asking(about, SecretText::new("labs_ot_token"), at(3_600))
}

#[test]
fn a_verification_reads_as_a_person_would_want_it() {
    let expected = "\
Hello Marta Lindqvist,

Tischwerk GmbH was registered with Labs at 2026-11-21 13:25 UTC under
this address. If you did that, confirm it with this token and the
password that you chose then:

    labs_ot_token

Your program hands it over with:

    POST https://labs.example/v1/auth/registrations:verify-email

The token works once, until 2026-11-21 14:25 UTC.

If you did not register this company at that time, somebody else did:
leave this mail alone, and nothing happens. Give the token to nobody.

-- 
Labs
https://labs.example
";
    assert_eq!(written(&verification(), Locale::English), expected);
    let subject = verification().subject(Locale::English, "Labs");
    assert_eq!(subject, "Confirm your e-mail address for Labs");
}

#[test]
fn with_a_portal_the_mail_has_a_link_that_keeps_the_token_from_servers() {
    let mail = text(&verification(), Locale::German, &places(Some("https://partners.example")));
    let link = "\nhttps://partners.example/verify-email#labs_ot_token\n";
    assert!(mail.expose().contains(link), "{}", mail.expose());
    assert!(!mail.expose().contains("POST "));
}

#[test]
fn every_letter_has_words_in_every_language_and_no_two_say_the_same() {
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
fn a_token_stands_once_alone_on_a_line_that_no_encoding_breaks_and_never_in_a_subject() {
    for letter in one_of_each("Jörg") {
        let Letter::Asking { token, .. } = &letter else { continue };
        for locale in LOCALES {
            let mail = written(&letter, locale);
            let lines: Vec<&str> = mail.lines().filter(|line| line.contains("labs_ot_")).collect();
            assert_eq!(lines.len(), 1, "{mail}");
            assert_eq!(lines[0].trim(), token.expose());
            assert!(lines[0].len() < 76);
            assert!(!letter.subject(locale, "Labs").contains("labs_ot_"));
        }
    }
}

#[test]
fn lines_are_short_and_none_is_lost() {
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
fn a_name_cannot_carry_a_link_a_header_or_a_hidden_turn() {
    let cells = [
        ("Tischwerk GmbH & Co. KG", "Tischwerk GmbH & Co. KG"),
        ("Jörg O'Neil, M.Sc", "Jörg O'Neil, M.\u{2060}Sc"),
        ("www.evil.example", "www.\u{2060}evil.\u{2060}example"),
        ("https://evil.example", "https:\u{2060}/\u{2060}/\u{2060}evil.\u{2060}example"),
        ("me@evil.example", "me@\u{2060}evil.\u{2060}example"),
        ("Marta\r\nBcc: all@x", "Marta Bcc: all@\u{2060}x"),
        ("  much   room  ", "much room"),
        ("\u{202e}gnp.evil", "gnp.\u{2060}evil"),
        ("a.\u{200b}b", "a.\u{2060}b"),
        ("a\u{0}b", "a b"),
        ("", ""),
    ];
    for (name, tamed) in cells {
        assert_eq!(tame(name), tamed, "{name:?}");
    }
    assert!(tame(&"x".repeat(5_000)).chars().count() <= LONGEST_NAME);
}

#[test]
fn hostile_names_stay_on_their_line_in_every_letter() {
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
fn a_name_that_bears_an_address_stands_in_no_subject() {
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
        let subject =
            Letter::asking(about, SecretText::new("labs_ot_token"), at(3_600)).subject(Locale::English, "Labs");
        assert!(subject.ends_with("invites you to Labs"), "{subject}");
        assert_eq!(subject.replace('\u{2060}', ""), format!("{name} invites you to Labs"));
    }
}
