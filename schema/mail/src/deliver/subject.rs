//! Header `Subject`. It is encoded as a whole (RFC 2047), so that no part of it can act as a separate encoded word: a
//! name such as `=?utf-8?q?Labs?=` arrives as written.

use email_encoding::headers::rfc2047;
use email_encoding::headers::writer::EmailWriter;
use lettre::message::header::{HeaderName, HeaderValue};

const NAME: &str = "Subject";

/// Builds the header of a subject; `None` if it cannot be encoded.
pub(super) fn header(subject: &str) -> Option<HeaderValue> {
    let line: String = subject.chars().map(|letter| if letter.is_control() { ' ' } else { letter }).collect();
    let mut encoded = String::new();
    let mut writer = EmailWriter::new(&mut encoded, NAME.len() + ": ".len(), 0, false);
    rfc2047::encode(&line, &mut writer).ok()?;
    drop(writer);
    let name = HeaderName::new_from_ascii(NAME.to_owned()).ok()?;
    Some(HeaderValue::dangerous_new_pre_encoded(name, line, encoded))
}
