//! The header `Subject`. It is encoded whole (RFC 2047), so that nothing in it can be taken for an encoded word of its
//! own: a name such as `=?utf-8?q?Labs?=` arrives as it is written.

use email_encoding::headers::rfc2047;
use email_encoding::headers::writer::EmailWriter;
use lettre::message::header::{HeaderName, HeaderValue};

/// The header's name.
const NAME: &str = "Subject";

/// The header of a subject; none where it cannot be written.
pub(super) fn header(subject: &str) -> Option<HeaderValue> {
    let line: String = subject.chars().map(|letter| if letter.is_control() { ' ' } else { letter }).collect();
    let mut encoded = String::new();
    let mut writer = EmailWriter::new(&mut encoded, NAME.len() + ": ".len(), 0, false);
    rfc2047::encode(&line, &mut writer).ok()?;
    drop(writer);
    let name = HeaderName::new_from_ascii(NAME.to_owned()).ok()?;
    Some(HeaderValue::dangerous_new_pre_encoded(name, line, encoded))
}
