use std::os::unix::fs::PermissionsExt;

use labs_core::email::EmailAddress;
use proptest::prelude::*;

use super::*;
use crate::message::tests::{at, one_of_each};
use crate::message::{Asking, Locale, MailContent, Notice};

mod server;

fn letterhead() -> MailSender {
    MailSender::new("Labs <no-reply@labs.example>", "https://labs.example/").unwrap()
}

fn message(content: MailContent) -> Message {
    Message {
        message_uuid: Uuid::from_u128(0x0193_4f3a_7b1c_7def_8000_1234_5678_90ab),
        recipient: EmailAddress::parse("marta@tischwerk.example").unwrap(),
        locale: Locale::English,
        written_at: at(0),
        content,
    }
}

fn first_letter(name: &str) -> MailContent {
    one_of_each(name).into_iter().next().unwrap()
}

fn written(message: &Message) -> String {
    String::from_utf8(letterhead().write(message, false).unwrap().formatted()).unwrap()
}

fn headers(mail: &str) -> Vec<&str> {
    mail.split("\r\n\r\n").next().unwrap().lines().collect()
}

/// Returns the header names of a message, in order.
fn names(mail: &str) -> Vec<&str> {
    let starts = headers(mail).into_iter().filter(|line| !line.starts_with(' '));
    starts.map(|line| line.split_once(':').map_or(line, |(name, _)| name)).collect()
}

#[test]
fn mail_has_all_headers_and_readable_text() {
    let mail = written(&message(first_letter("Marta")));
    let expected = [
        "From: Labs <no-reply@labs.example>",
        "To: marta@tischwerk.example",
        "Date: Sat, 21 Nov 2026 13:25:00 +0000",
        "Message-ID: <01934f3a-7b1c-7def-8000-1234567890ab@labs.example>",
        "Subject: =?utf-8?b?Q29uZmlybSB5b3VyIGUtbWFpbCBhZGRyZXNzIGZvciBMYWJz?=",
        "Auto-Submitted: auto-generated",
        "MIME-Version: 1.0",
        "Content-Type: text/plain; charset=utf-8",
        "Content-Transfer-Encoding: 7bit",
    ];
    assert_eq!(headers(&mail), expected);
    assert!(mail.contains("\r\nHello Marta,\r\n"));
    assert!(mail.contains("\r\n    https://labs.example/account/verify-email#labs_ot_"));
}

#[test]
fn same_message_yields_same_bytes() {
    for content in one_of_each("Jörg") {
        let message = message(content);
        assert_eq!(written(&message), written(&message));
    }
}

#[test]
fn link_and_command_can_be_copied_from_mail_file() {
    for name in ["Marta", "Jörg", "山田太郎", "www.evil.example"] {
        for locale in [Locale::English, Locale::German] {
            for content in one_of_each(name) {
                let MailContent::Asking { token, .. } = &content else { continue };
                let is_invitation = matches!(
                    &content,
                    MailContent::Asking {
                        about: Asking::Invitation { .. }
                            | Asking::FirstAdministrator { .. }
                            | Asking::StaffInvitation { .. },
                        ..
                    }
                );
                let token = token.expose().to_owned();
                let message = Message { locale, ..message(content) };
                let file = String::from_utf8(letterhead().write(&message, true).unwrap().formatted()).unwrap();
                assert!(file.lines().any(|line| line.ends_with(&format!("#{token}"))), "{file}");
                let is_command = |line: &str| line.contains("curl -sS") && line.contains(&format!(r#""{token}""#));
                assert_eq!(file.lines().any(is_command), !is_invitation, "{file}");
                assert!(written(&message).is_ascii(), "a server may take nothing else");
            }
        }
    }
}

#[test]
fn name_cannot_add_a_header() {
    let hostile = "x\r\nBcc: all@evil.example\r\n\r\nbody\n\nSubject: y";
    for (content, plain) in one_of_each(hostile).into_iter().zip(one_of_each("Marta")) {
        let mail = written(&message(content));
        assert_eq!(names(&mail), names(&written(&message(plain))), "{mail}");
        assert!(!headers(&mail).iter().any(|line| line.starts_with("Bcc")), "{mail}");
    }
}

#[test]
fn subject_is_parsed_equally_and_without_link() {
    let long = "Gastronomiebedarf und Küchentechnik Müller & Söhne im Norden ".repeat(3);
    let names =
        ["=?utf-8?q?Labs_Support?=", "=?utf-8?b?TGFicw==?= Team", "evil.example", "Käse e\u{301} 山田太郎", &long];
    for content in names.into_iter().flat_map(one_of_each) {
        let message = message(content);
        let expected = words::without_links(&message.content.subject(Locale::English, "Labs"));
        let mail = written(&message);
        let parsed = mailparse::parse_mail(mail.as_bytes()).unwrap();
        let other = mail_parser::MessageParser::default().parse(mail.as_bytes()).unwrap();
        assert_eq!(mailparse::MailHeaderMap::get_first_value(parsed.headers.as_slice(), "Subject").unwrap(), expected);
        assert_eq!(other.subject().unwrap(), expected);
        assert!(!expected.contains("evil.example"), "{expected}");
        let start = headers(&mail).into_iter().position(|line| line.starts_with("Subject: ")).unwrap();
        let lines = headers(&mail).into_iter().skip(start).enumerate();
        let mut lines = lines.take_while(|(place, line)| *place == 0 || line.starts_with(' ')).map(|(_, line)| line);
        let is_coded = |line: &str| {
            let word = line.trim_start_matches("Subject:").trim();
            line.len() <= 76 && word.starts_with("=?utf-8?b?") && word.ends_with("?=")
        };
        assert!(lines.all(is_coded), "{mail}");
    }
}

#[test]
fn only_weekly_mail_has_one_click_unsubscribe() {
    for content in one_of_each("Marta") {
        let weekly = matches!(content, MailContent::Telling(Notice::BoardWeek(_)));
        let mail = written(&message(content));
        for name in ["List-Unsubscribe", "List-Unsubscribe-Post"] {
            assert_eq!(names(&mail).contains(&name), weekly, "{mail}");
        }
    }
}

#[test]
fn recipient_domain_is_encoded_as_punycode() {
    let recipient = EmailAddress::parse("Marta@Müller.example").unwrap();
    let mail = written(&Message { recipient, ..message(first_letter("Marta")) });
    assert!(headers(&mail).contains(&"To: Marta@xn--mller-kva.example"), "{mail}");
}

#[tokio::test]
async fn mail_folder_gets_one_private_file_per_message() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("var/mail");
    let mailer = Mailer::folder(&path, letterhead()).unwrap();
    let message = message(first_letter("Marta"));
    mailer.send(&message).await.unwrap();
    let file = path.join("01934f3a-7b1c-7def-8000-1234567890ab.eml");
    let first = fs::read_to_string(&file).unwrap();
    assert_eq!(first, written(&message));
    mailer.send(&message).await.unwrap();
    assert_eq!(fs::read_to_string(&file).unwrap(), first);
    assert_eq!(fs::read_dir(&path).unwrap().count(), 1);
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode(&path), mode(&file)), (0o700, 0o600));
}

#[tokio::test]
async fn partial_file_after_crash_does_not_block_retry() {
    let folder = tempfile::tempdir().unwrap();
    let mailer = Mailer::folder(folder.path(), letterhead()).unwrap();
    let message = message(first_letter("Marta"));
    fs::write(folder.path().join(format!(".{}.new", message.message_uuid)), "half a ma").unwrap();
    mailer.send(&message).await.unwrap();
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[tokio::test]
async fn missing_folder_is_temporary_error_without_addresses() {
    let folder = tempfile::tempdir().unwrap();
    let mailer = Mailer::folder(&folder.path().join("mail"), letterhead()).unwrap();
    assert_eq!(mailer.ready().await, Ok(()));
    fs::remove_dir_all(folder.path().join("mail")).unwrap();
    let error = mailer.send(&message(first_letter("Marta"))).await.unwrap_err();
    assert!(!error.is_permanent && !error.detail.contains("marta"), "{error:?}");
    assert!(mailer.ready().await.is_err());
}

#[test]
fn invalid_sender_or_server_is_rejected_without_showing_password() {
    for from in [
        "",
        "Labs",
        "Labs <>",
        "no-reply@",
        "Labs <no-reply@labs.example>\r\nBcc: x@y.example",
        "=?utf-8?q?Bank?= <no-reply@labs.example>",
    ] {
        assert!(MailSender::new(from, "https://labs.example").is_err(), "{from:?}");
    }
    for url in ["", "mail.example", "http://mail.example", "smtp://", "smtp://mail.example?tls=maybe"] {
        let refused = Mailer::smtp(url, letterhead());
        assert!(matches!(refused, Err(MailerError::Server)), "{url:?}");
    }
    for url in ["smtp://u:secret@mail.example", "smtp://u:secret@mail.example?tls=opportunistic"] {
        let refused = Mailer::smtp(url, letterhead()).unwrap_err();
        assert!(matches!(refused, MailerError::Unprotected), "{url:?}");
        assert!(!refused.to_string().contains("secret"));
    }
    assert!(Mailer::smtp("smtp://mail.example:25", letterhead()).is_ok());
}

proptest! {
    #[test]
    fn every_accepted_address_can_receive_mail(text in "[a-z0-9.+_äß'-]{1,20}@[a-zä-]{1,12}\\.[a-z]{2,5}") {
        if let Ok(recipient) = EmailAddress::parse(&text) {
            let message = Message { recipient, ..message(first_letter("Marta")) };
            prop_assert!(letterhead().write(&message, false).is_ok(), "{}", text);
        }
    }

    #[test]
    fn arbitrary_name_yields_valid_mail(name in "\\PC{0,120}|[ -~\r\n\t]{0,120}") {
        let mail = written(&message(first_letter(&name)));
        prop_assert!(mail.is_ascii());
        prop_assert_eq!(headers(&mail).iter().filter(|line| !line.starts_with(' ')).count(), 9);
        prop_assert!(mail.split("\r\n").all(|line| line.len() <= 998 && !line.contains(['\r', '\n'])));
    }
}
