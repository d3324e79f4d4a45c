//! Putting letters into words: plain text, one language a file.
//!
//! A token always stands alone on a line of its own, short enough that no mail encoding breaks it.
//! What people called themselves or their company is tamed before it goes into a mail: it may have been
//! chosen to carry a link or a header.
use jiff::Timestamp;

use super::message::{Asking, Letter, Locale};
use crate::core::crypto::secret::SecretText;

mod english;
mod german;

/// Where mails come from and lead to.
pub(super) struct Places<'a> {
    /// What the platform is called.
    pub(super) platform: &'a str,
    /// The base address of the API, without a slash at its end.
    pub(super) base_url: &'a str,
    /// The base address of a partner portal that takes tokens behind `#`, if the operator has one.
    pub(super) portal_url: Option<&'a str>,
}

/// A letter in words.
struct Draft {
    subject: String,
    paragraphs: Vec<String>,
}

/// The longest line that is not a token or an address.
const COLUMNS: usize = 72;
/// The most that is shown of a name.
const LONGEST_NAME: usize = 80;
/// The most that is shown of a reason.
const LONGEST_REASON: usize = 500;

/// The subject of a letter.
pub(super) fn subject(letter: &Letter, locale: Locale, platform: &str) -> String {
    let places = Places { platform, base_url: "", portal_url: None };
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

    /// The token, and below it what to do with it: a link into the portal, or the operation to call.
    fn hand_over(self, token: &SecretText, way: Way<'_>, places: &Places<'_>) -> Draft {
        let token = token.expose();
        let draft = self.say(format!("    {token}"));
        match places.portal_url {
            Some(portal) => draft.say(way.link).say(format!("{portal}/{}#{token}", way.page)),
            None => draft.say(way.call).say(format!("    POST {}{}", places.base_url, way.path)),
        }
    }
}

/// Where a token goes.
struct Way<'a> {
    /// The portal's page.
    page: &'a str,
    /// The operation's path.
    path: &'a str,
    /// The sentence before the link.
    link: &'a str,
    /// The sentence before the operation.
    call: &'a str,
}

/// The portal's page and the operation's path that take a token of this kind.
fn address(about: &Asking) -> (&'static str, &'static str) {
    match about {
        Asking::VerifyEmail { .. } => ("verify-email", "/v1/auth/registrations:verify-email"),
        Asking::ResetPassword { .. } | Asking::StaffInvitation { .. } => {
            ("reset-password", "/v1/auth/password-resets:confirm")
        }
        Asking::ConfirmNewEmail { .. } => ("confirm-email", "/v1/auth/account:confirm-email"),
        Asking::CancelEmailChange { .. } => ("cancel-email-change", "/v1/auth/account:cancel-email-change"),
        Asking::Invitation { .. } | Asking::FirstAdministrator { .. } => ("invitation", "/v1/auth/invitations:accept"),
    }
}

/// What a person or company is called, made harmless: one line, not too long, and with nothing in it that a
/// mail program would turn into a link.
fn tame(name: &str) -> String {
    tame_to(name, LONGEST_NAME)
}

/// Whether a subject bears the address of a page or of a mailbox: a scheme, `www.`, an `@` within a word, or a host and a path.
/// That a company is called like a host alone, as many are, is no matter.
fn bears_address(name: &str) -> bool {
    let plain: String = name.chars().filter(|c| !is_invisible(*c)).collect();
    plain.split(|c: char| c.is_whitespace() || c.is_control()).any(|word| {
        let word = word.to_lowercase();
        let has_path = word.split_once('/').is_some_and(|(host, _)| host.contains('.') || host.contains(':'));
        let has_mailbox = word.split_once('@').is_some_and(|(user, host)| !user.is_empty() && host.contains('.'));
        word.contains("://") || word.contains("www.") || has_path || has_mailbox
    })
}

/// A reason that somebody wrote, made harmless in the same way.
fn tame_reason(reason: &str) -> String {
    tame_to(reason, LONGEST_REASON)
}

fn tame_to(name: &str, longest: usize) -> String {
    let mut tame = String::with_capacity(name.len());
    let mut last = ' ';
    let spaced = name.chars().map(|c| if c.is_control() || c.is_whitespace() { ' ' } else { c });
    for character in spaced.filter(|c| !is_invisible(*c)).take(longest) {
        if last == ' ' && character == ' ' {
            continue;
        }
        if matches!(last, '.' | '/' | ':' | '@' | '\u{3002}' | '\u{ff0e}' | '\u{ff61}') && !character.is_whitespace() {
            // A word joiner takes no room; programs that look for addresses stop at it.
            tame.push('\u{2060}');
        }
        tame.push(character);
        last = character;
    }
    tame.trim_end().to_owned()
}

/// Characters that change the reading direction or take no room.
fn is_invisible(c: char) -> bool {
    matches!(c, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
}

/// A moment, as both languages can read it.
fn moment(time: Timestamp) -> String {
    time.strftime("%Y-%m-%d %H:%M UTC").to_string()
}

/// Adds `line` to `text`, broken between words; indented lines and addresses stay whole.
fn wrap(line: &str, text: &mut String) {
    if line.starts_with(' ') || line.starts_with("http") {
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
