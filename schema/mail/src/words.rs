//! Text of mail messages: plain text, one file per language.
//!
//! A token appears in the link to the page that accepts it, after `#`, and, except in invitations, in a command that does
//! the same. Each is on a separate line, which is never wrapped. Names of users and companies are sanitised before they appear in a message,
//! because they can be chosen to contain a link or a header.
use jiff::Timestamp;
use labs_crypto::secret::SecretText;

use super::message::{Asking, Locale, MailContent};

mod command;
mod english;
mod german;
mod next_step;

/// Platform name and base address for the text.
pub(super) struct MailLinks<'a> {
    /// Name of the platform.
    pub(super) platform: &'a str,
    /// Base address of the service, without a trailing slash.
    pub(super) base_url: &'a str,
}

/// Rendered text of a message.
struct Draft {
    subject: String,
    paragraphs: Vec<String>,
}

/// Longest line that is not an address or a command.
const COLUMNS: usize = 72;
/// Maximum displayed length of a name.
const LONGEST_NAME: usize = 80;
/// Maximum displayed length of a reason.
const LONGEST_REASON: usize = 500;

/// Returns the subject of a message.
pub(super) fn subject(content: &MailContent, locale: Locale, platform: &str) -> String {
    let places = MailLinks { platform, base_url: "" };
    draft(content, locale, &places).subject
}

/// Returns the full text of a message.
pub(super) fn text(content: &MailContent, locale: Locale, places: &MailLinks<'_>) -> SecretText {
    let mut text = String::new();
    for paragraph in draft(content, locale, places).paragraphs {
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

fn draft(content: &MailContent, locale: Locale, places: &MailLinks<'_>) -> Draft {
    let mut draft = match locale {
        Locale::English => english::render(content, places),
        Locale::German => german::render(content, places),
    };
    if let MailContent::Telling(notice) = content
        && let Some(operation) = next_step::next_operation(notice)
    {
        let sentence = match locale {
            Locale::English => english::NEXT_STEP,
            Locale::German => german::NEXT_STEP,
        };
        let address = format!("    {}{}", places.base_url, next_step::page_of(operation));
        draft = draft.push_paragraph(sentence).push_paragraph(address);
    }
    // Readers see a subject before its sender, so a name must not put an address into it.
    if has_address(&draft.subject) {
        let is_invitation = matches!(content, MailContent::Asking { .. });
        draft.subject = match locale {
            Locale::English => english::neutral_subject(is_invitation, places.platform),
            Locale::German => german::neutral_subject(is_invitation, places.platform),
        };
    }
    draft
}

impl Draft {
    fn new(subject: String, greeting: String) -> Draft {
        Draft { subject, paragraphs: vec![greeting] }
    }

    fn push_paragraph(mut self, paragraph: impl Into<String>) -> Draft {
        self.paragraphs.push(paragraph.into());
        self
    }

    /// Appends the link that submits the token.
    fn push_token_link(self, token: &SecretText, route: &TokenRoute, places: &MailLinks<'_>) -> Draft {
        // A browser never sends the part after `#` to a server, so no log contains the token.
        self.push_paragraph(format!("    {}/account/{}#{}", places.base_url, route.page, token.expose()))
    }

    /// Appends a command that submits the token as the link does. `from_terminal` is the sentence before the command,
    /// and the command's prompt.
    fn push_token_command(
        self,
        token: &SecretText,
        (route, asks): (&TokenRoute, TokenInput),
        from_terminal: (&str, &str),
        places: &MailLinks<'_>,
    ) -> Draft {
        let (sentence, prompt) = from_terminal;
        let url = format!("{}{}", places.base_url, route.path);
        let command = command::token_command(token.expose(), &url, asks, prompt);
        self.push_paragraph(sentence).push_paragraph(format!("    {command}"))
    }
}

/// Page and operation that accept a token.
struct TokenRoute {
    /// Page that accepts it, below `/account`.
    page: &'static str,
    /// Path of the operation that accepts it.
    path: &'static str,
    /// Further input of the operation, for the command. `None` if the link alone is sent: the recipient of an invitation
    /// has not asked for the e-mail, and may never have used a terminal.
    asks: Option<TokenInput>,
}

/// Input that a user adds to a token.
#[derive(Clone, Copy)]
enum TokenInput {
    Nothing,
    Password,
}

/// Returns the page and operation for a token of this kind.
fn token_route(about: &Asking) -> TokenRoute {
    let (page, path, asks) = match about {
        Asking::VerifyEmail { .. } => {
            ("verify-email", "/v1/auth/registrations:verify-email", Some(TokenInput::Password))
        }
        Asking::ResetPassword { .. } => {
            ("reset-password", "/v1/auth/password-resets:confirm", Some(TokenInput::Password))
        }
        Asking::StaffInvitation { .. } => ("reset-password", "/v1/auth/password-resets:confirm", None),
        Asking::ConfirmNewEmail { .. } => {
            ("confirm-email", "/v1/auth/account:confirm-email", Some(TokenInput::Nothing))
        }
        Asking::CancelEmailChange { .. } => {
            ("cancel-email-change", "/v1/auth/account:cancel-email-change", Some(TokenInput::Nothing))
        }
        Asking::Invitation { .. } | Asking::FirstAdministrator { .. } => {
            ("invitation", "/v1/auth/invitations:accept", None)
        }
    };
    TokenRoute { page, path, asks }
}

/// Sanitises the name of a user, a company or a version: one line, limited length, and no address that a mail program
/// would convert to a link. Everything else is unchanged, so that it can be copied and searched.
fn sanitize(name: &str) -> String {
    sanitize_to(name, LONGEST_NAME)
}

/// Whether a text contains the address of a page or mailbox, or a sanitised address.
fn has_address(text: &str) -> bool {
    let plain: String = text.chars().filter(|c| !is_invisible(*c)).collect();
    plain.split(|c: char| c.is_whitespace() || c.is_control()).any(|word| word.contains("[.]") || is_address(word))
}

/// Whether a word is an address: a scheme, `www.`, an `@` within it, or a host followed by more text. A host alone is
/// not: many companies use one as their name, and its link could only open that host.
fn is_address(word: &str) -> bool {
    let word: String = word.chars().map(|c| if is_dot(c) { '.' } else { c }).flat_map(char::to_lowercase).collect();
    let has_path = word.split_once(['/', '?', '#']).is_some_and(|(host, _)| is_host(host) || host.contains(':'));
    let has_mailbox = word.split_once('@').is_some_and(|(user, host)| !user.is_empty() && host.contains('.'));
    word.contains("://") || word.contains("www.") || has_path || has_mailbox
}

/// Whether a text has the form of a host: letters after its last dot, unlike a version number. One trailing dot is
/// ignored.
fn is_host(text: &str) -> bool {
    let text = text.strip_suffix('.').unwrap_or(text);
    text.rsplit_once('.').is_some_and(|(_, end)| end.starts_with(char::is_alphabetic))
}

/// Returns a subject in which no program finds a link: a word joiner (U+2060) follows each dot of a host. No host
/// contains it and no reader sees it.
pub(super) fn without_links(subject: &str) -> String {
    let words = subject.split(' ').map(|word| match is_host(word) {
        true => word.chars().flat_map(|c| [Some(c), is_dot(c).then_some('\u{2060}')]).flatten().collect(),
        false => word.to_owned(),
    });
    words.collect::<Vec<String>>().join(" ")
}

/// Whether the character separates the labels of a host (IDNA).
fn is_dot(c: char) -> bool {
    matches!(c, '.' | '\u{3002}' | '\u{ff0e}' | '\u{ff61}')
}

/// Sanitises a reason in the same way as a name.
fn sanitize_reason(reason: &str) -> String {
    sanitize_to(reason, LONGEST_REASON)
}

fn sanitize_to(name: &str, longest: usize) -> String {
    let spaced = name.chars().map(|c| if c.is_control() { ' ' } else { c });
    let visible: String = spaced.filter(|c| !is_invisible(*c)).take(longest).collect();
    let words = visible.split_whitespace().map(|word| match is_address(word) {
        true => defang(word),
        false => word.to_owned(),
    });
    words.collect::<Vec<_>>().join(" ")
}

/// Rewrites an address as security reports do: readable, but not recognised as a link by programs.
fn defang(word: &str) -> String {
    let mut defanged = String::with_capacity(word.len());
    for content in word.chars() {
        match content {
            dot if is_dot(dot) => defanged.push_str("[.]"),
            '@' => defanged.push_str("[at]"),
            ':' => defanged.push_str("[:]"),
            other => defanged.push(other),
        }
    }
    defanged
}

/// Whether the character changes the reading direction or has no width.
fn is_invisible(c: char) -> bool {
    matches!(c, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
}

/// Formats a moment for readers of both languages.
fn moment(time: Timestamp) -> String {
    time.strftime("%Y-%m-%d %H:%M UTC").to_string()
}

/// Appends `line` to `text`, wrapped between words; indented lines, such as addresses, are not wrapped.
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
