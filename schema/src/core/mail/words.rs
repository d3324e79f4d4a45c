//! Putting letters into words: plain text, one language a file.
//!
//! A token stands in the link to the page that takes it, behind `#`, and in a command that does the same.
//! Each is a line of its own, which is never broken. What people called themselves or their company is tamed before
//! it goes into a mail: it may have been chosen to carry a link or a header.
use jiff::Timestamp;

use super::message::{Asking, Letter, Locale};
use crate::core::crypto::secret::SecretText;

mod command;
mod english;
mod german;

/// Where mails come from and lead to.
pub(super) struct Places<'a> {
    /// What the platform is called.
    pub(super) platform: &'a str,
    /// The base address of the service, without a slash at its end.
    pub(super) base_url: &'a str,
}

/// A letter in words.
struct Draft {
    subject: String,
    paragraphs: Vec<String>,
}

/// The longest line that is not an address or a command.
const COLUMNS: usize = 72;
/// The most that is shown of a name.
const LONGEST_NAME: usize = 80;
/// The most that is shown of a reason.
const LONGEST_REASON: usize = 500;

/// The subject of a letter.
pub(super) fn subject(letter: &Letter, locale: Locale, platform: &str) -> String {
    let places = Places { platform, base_url: "" };
    draft(letter, locale, &places).subject
}

/// The whole text of a letter.
pub(super) fn text(letter: &Letter, locale: Locale, places: &Places<'_>) -> SecretText {
    let mut text = String::new();
    for paragraph in draft(letter, locale, places).paragraphs {
        for line in paragraph.lines() {
            wrap(line, &mut text);
        }
        text.push('\n');
    }
    text.push_str("-- \n");
    text.push_str(places.platform);
    text.push('\n');
    text.push_str(places.base_url);
    text.push('\n');
    SecretText::new(text)
}

fn draft(letter: &Letter, locale: Locale, places: &Places<'_>) -> Draft {
    let mut draft = match locale {
        Locale::English => english::draft(letter, places),
        Locale::German => german::draft(letter, places),
    };
    // A subject is read before anybody looks at who wrote it, so nobody's name brings an address into one.
    if bears_address(&draft.subject) {
        let is_invitation = matches!(letter, Letter::Asking { .. });
        draft.subject = match locale {
            Locale::English => english::neutral(is_invitation, places.platform),
            Locale::German => german::neutral(is_invitation, places.platform),
        };
    }
    draft
}

impl Draft {
    fn new(subject: String, greeting: String) -> Draft {
        Draft { subject, paragraphs: vec![greeting] }
    }

    fn say(mut self, paragraph: impl Into<String>) -> Draft {
        self.paragraphs.push(paragraph.into());
        self
    }

    /// The link that takes the token, and below it a command that does the same. `from_terminal` is the sentence
    /// before the command, and what that asks for.
    fn hand_over(self, token: &SecretText, way: &Way, from_terminal: (&str, &str), places: &Places<'_>) -> Draft {
        let (sentence, prompt) = from_terminal;
        // A browser sends what stands behind `#` to no server, so that no log has the token.
        let link = format!("    {}/account/{}#{}", places.base_url, way.page, token.expose());
        let url = format!("{}{}", places.base_url, way.path);
        self.say(link)
            .say(sentence)
            .say(format!("    {}", command::handing_over(token.expose(), &url, way.asks, prompt)))
    }
}

/// Where a token goes.
struct Way {
    /// The page that takes it, below `/account`.
    page: &'static str,
    /// The path of the operation that takes it.
    path: &'static str,
    /// What the operation takes beside it.
    asks: Asks,
}

/// What a person adds to a token.
#[derive(Clone, Copy)]
enum Asks {
    Nothing,
    Password,
    NameAndPassword,
}

/// Where a token of this kind goes.
fn way(about: &Asking) -> Way {
    let (page, path, asks) = match about {
        Asking::VerifyEmail { .. } => ("verify-email", "/v1/auth/registrations:verify-email", Asks::Password),
        Asking::ResetPassword { .. } | Asking::StaffInvitation { .. } => {
            ("reset-password", "/v1/auth/password-resets:confirm", Asks::Password)
        }
        Asking::ConfirmNewEmail { .. } => ("confirm-email", "/v1/auth/account:confirm-email", Asks::Nothing),
        Asking::CancelEmailChange { .. } => {
            ("cancel-email-change", "/v1/auth/account:cancel-email-change", Asks::Nothing)
        }
        Asking::Invitation { .. } | Asking::FirstAdministrator { .. } => {
            ("invitation", "/v1/auth/invitations:accept", Asks::NameAndPassword)
        }
    };
    Way { page, path, asks }
}

/// What a person, a company or a version is called, made harmless: one line, not too long, and without an address that
/// a mail program would turn into a link. Anything else stays as it is, so that it can be copied and searched for.
fn tame(name: &str) -> String {
    tame_to(name, LONGEST_NAME)
}

/// Whether a text bears the address of a page or of a mailbox, or one that was made harmless.
fn bears_address(text: &str) -> bool {
    let plain: String = text.chars().filter(|c| !is_invisible(*c)).collect();
    plain.split(|c: char| c.is_whitespace() || c.is_control()).any(|word| word.contains("[.]") || is_address(word))
}

/// Whether a word is an address: a scheme, `www.`, an `@` within it, or a host and what follows one. A host alone is none:
/// many companies are called like theirs, and it cannot lead elsewhere than it says.
fn is_address(word: &str) -> bool {
    let word: String = word.chars().map(|c| if is_dot(c) { '.' } else { c }).flat_map(char::to_lowercase).collect();
    let has_path = word.split_once(['/', '?', '#']).is_some_and(|(host, _)| is_host(host) || host.contains(':'));
    let has_mailbox = word.split_once('@').is_some_and(|(user, host)| !user.is_empty() && host.contains('.'));
    word.contains("://") || word.contains("www.") || has_path || has_mailbox
}

/// Whether this has the form of a host: letters stand behind its last dot, as they do not in the number of a version.
/// One dot more at its end is none of them.
fn is_host(text: &str) -> bool {
    let text = text.strip_suffix('.').unwrap_or(text);
    text.rsplit_once('.').is_some_and(|(_, end)| end.starts_with(char::is_alphabetic))
}

/// A subject in which no program finds a link: the dots of a host are followed by a word joiner (U+2060), which no host
/// has and no reader sees.
pub(super) fn without_links(subject: &str) -> String {
    let words = subject.split(' ').map(|word| match is_host(word) {
        true => word.chars().flat_map(|c| [Some(c), is_dot(c).then_some('\u{2060}')]).flatten().collect(),
        false => word.to_owned(),
    });
    words.collect::<Vec<String>>().join(" ")
}

/// Whether this parts the labels of a host (IDNA).
fn is_dot(c: char) -> bool {
    matches!(c, '.' | '\u{3002}' | '\u{ff0e}' | '\u{ff61}')
}

/// A reason that somebody wrote, made harmless in the same way.
fn tame_reason(reason: &str) -> String {
    tame_to(reason, LONGEST_REASON)
}

fn tame_to(name: &str, longest: usize) -> String {
    let spaced = name.chars().map(|c| if c.is_control() { ' ' } else { c });
    let visible: String = spaced.filter(|c| !is_invisible(*c)).take(longest).collect();
    let words = visible.split_whitespace().map(|word| match is_address(word) {
        true => defang(word),
        false => word.to_owned(),
    });
    words.collect::<Vec<_>>().join(" ")
}

/// An address in the form in which security reports write one: legible, and no program makes a link of it.
fn defang(word: &str) -> String {
    let mut defanged = String::with_capacity(word.len());
    for letter in word.chars() {
        match letter {
            dot if is_dot(dot) => defanged.push_str("[.]"),
            '@' => defanged.push_str("[at]"),
            ':' => defanged.push_str("[:]"),
            other => defanged.push(other),
        }
    }
    defanged
}

/// Characters that change the reading direction or take no room.
fn is_invisible(c: char) -> bool {
    matches!(c, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
}

/// A moment, as both languages can read it.
fn moment(time: Timestamp) -> String {
    time.strftime("%Y-%m-%d %H:%M UTC").to_string()
}

/// Adds `line` to `text`, broken between words; indented lines, as those of addresses are, stay whole.
fn wrap(line: &str, text: &mut String) {
    if line.starts_with(' ') {
        text.push_str(line);
        text.push('\n');
        return;
    }
    let mut column = 0;
    for word in line.split(' ') {
        let width = word.chars().count();
        if column > 0 && column + 1 + width > COLUMNS {
            text.push('\n');
            column = 0;
        } else if column > 0 {
            text.push(' ');
            column += 1;
        }
        text.push_str(word);
        column += width;
    }
    text.push('\n');
}

#[cfg(test)]
mod tests;
