//! Mailer: sends a message to a mail server, or writes it to a folder as a file.
//!
//! The outbox decides when and how often to send; the mailer makes one attempt and reports the result. Sending the same
//! message again uses the same Message-ID, so that receivers recognise a repeat, and the same file.
mod subject;

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use lettre::message::header::{ContentTransferEncoding, ContentType, HeaderName, HeaderValue};
use lettre::message::{Body, Mailbox, SinglePart};
use lettre::transport::smtp::AsyncSmtpTransport;
use lettre::{Address, AsyncTransport, Tokio1Executor};
use tokio::task::spawn_blocking;
use tokio::time::timeout;
use uuid::Uuid;

use super::message::Message;
use super::words::{self, MailLinks};

/// Mailer. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Mailer {
    letterhead: MailSender,
    transport: Transport,
    /// Time limit for one message.
    patience: Duration,
}

/// Sender of the messages, and base address of their links.
#[derive(Clone, Debug)]
pub struct MailSender {
    from: Mailbox,
    base_url: String,
}

#[derive(Clone, Debug)]
enum Transport {
    Smtp(Box<AsyncSmtpTransport<Tokio1Executor>>),
    Folder(PathBuf),
}

/// Reason why the mailer cannot be created. Messages never contain the server's URL with its password.
#[derive(Debug, thiserror::Error)]
pub enum MailerError {
    /// The sender is not a valid mailbox.
    #[error("the sender of mails must have the form `Labs <no-reply@example.com>`")]
    Sender,
    /// The server's URL is invalid.
    #[error("the mail server's address must have the form smtps://user:password@host:port or smtp://host:port")]
    Server,
    /// A password would be sent without encryption.
    #[error("a password is sent to a mail server only under TLS: use smtps://, or smtp:// with ?tls=required")]
    Unprotected,
    /// The folder cannot be created.
    #[error("the mail folder cannot be created: {0}")]
    Folder(#[from] io::Error),
}

/// Reason why a message was not sent. Safe to store and log: contains no address and no content.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{detail}")]
pub struct DeliveryError {
    /// Whether a retry is useless.
    pub is_permanent: bool,
    /// Description of the error.
    pub detail: String,
}

/// Time limit for each command to a mail server, and for connecting.
const COMMAND_PATIENCE: Duration = Duration::from_secs(10);
/// Time limit for one message.
const MESSAGE_PATIENCE: Duration = Duration::from_secs(30);
/// Maximum bytes of a line, without its end.
const LONGEST_LINE: usize = 998;

impl Mailer {
    /// Creates a mailer for the mail server at `url`, of the form `smtps://user:password@host:port`. `smtp://` with
    /// `?tls=required` upgrades with STARTTLS; without it, mail is sent unencrypted.
    ///
    /// # Errors
    /// [`MailerError::Server`], or [`MailerError::Unprotected`] for a password without TLS.
    pub fn smtp(url: &str, letterhead: MailSender) -> Result<Mailer, MailerError> {
        let is_protected = url.starts_with("smtps://") || url.ends_with("?tls=required");
        if url.contains('@') && !is_protected {
            return Err(MailerError::Unprotected);
        }
        let server = AsyncSmtpTransport::<Tokio1Executor>::from_url(url)
            .map_err(|_| MailerError::Server)?
            .timeout(Some(COMMAND_PATIENCE))
            .build();
        Ok(Mailer { letterhead, transport: Transport::Smtp(Box::new(server)), patience: MESSAGE_PATIENCE })
    }

    /// Creates a mailer that writes every message to `folder` as `<message_uuid>.eml`. A missing folder is created with
    /// mode 0700; the files have mode 0600, because they contain tokens.
    ///
    /// # Errors
    /// [`MailerError::Folder`]
    pub fn folder(folder: &Path, letterhead: MailSender) -> Result<Mailer, MailerError> {
        DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
        Ok(Mailer { letterhead, transport: Transport::Folder(folder.to_owned()), patience: MESSAGE_PATIENCE })
    }

    /// Makes one attempt to send `message`.
    ///
    /// # Errors
    /// [`DeliveryError`]. After a timeout the message may have arrived nevertheless.
    pub async fn send(&self, message: &Message) -> Result<(), DeliveryError> {
        match &self.transport {
            Transport::Smtp(server) => {
                let mail = self.letterhead.write(message, false)?;
                match timeout(self.patience, server.send(mail)).await {
                    Ok(Ok(_)) => Ok(()),
                    Ok(Err(error)) => Err(smtp_error(&error)),
                    Err(_) => Err(temporary_error("the mail server did not answer in time")),
                }
            }
            Transport::Folder(folder) => {
                // Users copy links and commands from a file without decoding, and no server has to accept it.
                let mail = self.letterhead.write(message, true)?;
                let (folder, bytes) = (folder.clone(), mail.formatted());
                let message_uuid = message.message_uuid;
                run_in_background(move || write_file(&folder, message_uuid, &bytes)).await
            }
        }
    }

    /// Checks whether a message could be sent now. Opens a connection, so anonymous clients must not be able to call it
    /// freely.
    ///
    /// # Errors
    /// [`DeliveryError`]
    pub async fn ready(&self) -> Result<(), DeliveryError> {
        match &self.transport {
            Transport::Smtp(server) => match timeout(COMMAND_PATIENCE, server.test_connection()).await {
                Ok(Ok(true)) => Ok(()),
                Ok(Ok(false)) => Err(temporary_error("the mail server does not answer")),
                Ok(Err(error)) => Err(smtp_error(&error)),
                Err(_) => Err(temporary_error("the mail server did not answer in time")),
            },
            Transport::Folder(folder) => {
                let probe = folder.join(".ready");
                run_in_background(move || write_private(&probe, b"ready")).await
            }
        }
    }

    /// Returns the sender data; the outbox needs it for subjects.
    pub fn sender(&self) -> &MailSender {
        &self.letterhead
    }
}

impl MailSender {
    /// Creates the sender data from `from`, of the form `Labs <no-reply@example.com>`. `base_url` is the service's
    /// address, whose pages accept the tokens.
    ///
    /// # Errors
    /// [`MailerError::Sender`]
    pub fn new(from: &str, base_url: &str) -> Result<MailSender, MailerError> {
        // An encoded word in the sender's name would display another name than the operator configured.
        if from.contains("=?") {
            return Err(MailerError::Sender);
        }
        Ok(MailSender {
            from: from.parse().map_err(|_| MailerError::Sender)?,
            base_url: base_url.trim_end_matches('/').to_owned(),
        })
    }

    /// Returns the platform's name: the sender's name.
    pub fn platform(&self) -> &str {
        self.from.name.as_deref().unwrap_or("Labs")
    }

    /// Builds the message in transfer form (RFC 5322); `takes_8bit` says whether the receiver accepts bytes beyond
    /// ASCII. The same message always gives the same bytes.
    fn write(&self, message: &Message, takes_8bit: bool) -> Result<lettre::Message, DeliveryError> {
        let unwritable = |_| permanent_error("the mail message cannot be composed");
        let recipient = Address::new(message.recipient.local(), message.recipient.ascii_domain())
            .map_err(|_| permanent_error("the recipient's address is not a deliverable address"))?;
        let places = MailLinks { platform: self.platform(), base_url: &self.base_url };
        let text = words::text(&message.content, message.locale, &places);
        let written_at = u64::try_from(message.written_at.as_second()).unwrap_or_default();
        let automatic = HeaderName::new_from_ascii("Auto-Submitted".to_owned())
            .map_err(|_| permanent_error("the mail message cannot be composed"))?;
        let subject = words::without_links(&message.content.subject(message.locale, self.platform()));
        let subject =
            subject::header(&subject).ok_or_else(|| permanent_error("the mail message cannot be composed"))?;
        let mut mail = lettre::Message::builder()
            .from(self.from.clone())
            .to(Mailbox::new(None, recipient))
            .date(SystemTime::UNIX_EPOCH + Duration::from_secs(written_at))
            .message_id(Some(format!("<{}@{}>", message.message_uuid, self.from.email.domain())))
            .raw_header(subject)
            // RFC 3834: prevents replies by absence notices and other automatic senders.
            .raw_header(HeaderValue::new(automatic, "auto-generated".to_owned()));
        if let Some(address) = message.content.unsubscribe_at(&self.base_url) {
            let header = |name: &str, value: String| {
                let name = HeaderName::new_from_ascii(name.to_owned());
                name.map(|name| HeaderValue::new(name, value))
                    .map_err(|_| permanent_error("the mail message cannot be composed"))
            };
            mail = mail
                .raw_header(header("List-Unsubscribe", format!("<{address}>"))?)
                .raw_header(header("List-Unsubscribe-Post", "List-Unsubscribe=One-Click".to_owned())?);
        }
        let body = encode_text(text.expose(), takes_8bit)?;
        mail.singlepart(SinglePart::builder().header(ContentType::TEXT_PLAIN).body(body)).map_err(unwritable)
    }
}

/// Unencoded if allowed, otherwise quoted-printable, never base64, so that people and tools can read it. The library
/// rejects lines over 76 bytes; lines with links and commands are longer, and mail allows lines of up to 998 (RFC
/// 5322).
fn encode_text(text: &str, takes_8bit: bool) -> Result<Body, DeliveryError> {
    let is_in_lines = !text.contains(['\0', '\r']) && text.lines().all(|line| line.len() <= LONGEST_LINE);
    if is_in_lines && (takes_8bit || text.is_ascii()) {
        let encoding =
            if text.is_ascii() { ContentTransferEncoding::SevenBit } else { ContentTransferEncoding::EightBit };
        return Ok(Body::dangerous_pre_encoded(text.replace('\n', "\r\n").into_bytes(), encoding));
    }
    Body::new_with_encoding(text.to_owned(), ContentTransferEncoding::QuotedPrintable)
        .map_err(|_| permanent_error("the mail message cannot be composed"))
}

/// Servers often repeat the address in their answers, so only the status is kept.
fn smtp_error(error: &lettre::transport::smtp::Error) -> DeliveryError {
    let what = match error.status() {
        Some(status) => format!("the mail server answered {status}"),
        None if error.is_timeout() => "the mail server did not answer in time".to_owned(),
        None if error.is_tls() => "no secure connection to the mail server".to_owned(),
        None if error.is_client() => "the mail server lacks a feature that this mail message requires".to_owned(),
        None => "no connection to the mail server".to_owned(),
    };
    DeliveryError { is_permanent: error.is_permanent(), detail: what }
}

fn temporary_error(detail: &str) -> DeliveryError {
    DeliveryError { is_permanent: false, detail: detail.to_owned() }
}

fn permanent_error(detail: &str) -> DeliveryError {
    DeliveryError { is_permanent: true, detail: detail.to_owned() }
}

async fn run_in_background(work: impl FnOnce() -> io::Result<()> + Send + 'static) -> Result<(), DeliveryError> {
    match spawn_blocking(work).await {
        Ok(Ok(())) => Ok(()),
        Ok(Err(error)) => {
            Err(temporary_error(&format!("the mail message could not be written to its folder: {}", error.kind())))
        }
        Err(_) => Err(temporary_error("the mail message could not be written to its folder")),
    }
}

/// Writes a message file that appears complete or not, and is synced to disk before this returns.
fn write_file(folder: &Path, message_uuid: Uuid, bytes: &[u8]) -> io::Result<()> {
    let staged = folder.join(format!(".{message_uuid}.new"));
    write_private(&staged, bytes)?;
    fs::rename(&staged, folder.join(format!("{message_uuid}.eml")))?;
    File::open(folder)?.sync_all()
}

/// Writes a file that only its owner can read, and replaces a leftover of a crash.
fn write_private(path: &Path, bytes: &[u8]) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)?;
    file.write_all(bytes)?;
    file.sync_all()
}

#[cfg(test)]
mod tests;
