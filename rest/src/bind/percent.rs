//! Percent-encoding, read strictly (RFC 3986, section 2.1): malformed input is rejected, never guessed.

/// A malformed percent-encoded text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Malformed {
    /// A `%` without two hexadecimal digits after it.
    Escape,
    /// Bytes that are not UTF-8.
    Utf8,
}

impl Malformed {
    /// Returns a sentence that says what to do.
    pub(super) fn message(self) -> &'static str {
        match self {
            Malformed::Escape => "A `%` must be followed by two hexadecimal digits. Write a literal `%` as %25.",
            Malformed::Utf8 => "Encode the text as UTF-8 before percent-encoding it.",
        }
    }
}

/// Decodes a path segment.
pub(super) fn decode(text: &str) -> Result<String, Malformed> {
    decode_bytes(text, false)
}

/// Decodes a name or value of a query or form, where `+` is a space.
pub(super) fn decode_form(text: &str) -> Result<String, Malformed> {
    decode_bytes(text, true)
}

fn decode_bytes(text: &str, plus_is_space: bool) -> Result<String, Malformed> {
    let mut decoded = Vec::with_capacity(text.len());
    let mut bytes = text.bytes();
    while let Some(byte) = bytes.next() {
        decoded.push(match byte {
            b'%' => {
                let high = bytes.next().and_then(hex).ok_or(Malformed::Escape)?;
                let low = bytes.next().and_then(hex).ok_or(Malformed::Escape)?;
                high * 16 + low
            }
            b'+' if plus_is_space => b' ',
            byte => byte,
        });
    }
    String::from_utf8(decoded).map_err(|_| Malformed::Utf8)
}

fn hex(byte: u8) -> Option<u8> {
    char::from(byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok())
}

/// Returns the names and values of a query or form, still encoded. Empty pieces are skipped.
pub(super) fn pairs(text: &str) -> impl Iterator<Item = (&str, &str)> {
    text.split('&').filter(|piece| !piece.is_empty()).map(|piece| piece.split_once('=').unwrap_or((piece, "")))
}

/// Returns the decoded names and values of a query. Pieces that cannot be decoded are left out; another check rejects
/// them.
pub(crate) fn query_pairs(text: &str) -> impl Iterator<Item = (String, String)> {
    pairs(text).filter_map(|(name, value)| Some((decode_form(name).ok()?, decode_form(value).ok()?)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn valid_percent_encoding_is_decoded() {
        assert_eq!(decode("a%20b+c%C3%A9"), Ok("a b+cé".to_owned()));
        assert_eq!(decode_form("a%20b+c%2B%c3%a9"), Ok("a b c+é".to_owned()));
    }

    #[test]
    fn malformed_percent_encoding_is_rejected() {
        assert_eq!(decode("100%"), Err(Malformed::Escape));
        assert_eq!(decode("%4"), Err(Malformed::Escape));
        assert_eq!(decode("%zz"), Err(Malformed::Escape));
        assert_eq!(decode("%+1"), Err(Malformed::Escape));
        assert_eq!(decode("%ff"), Err(Malformed::Utf8));
        assert_eq!(decode("%C3"), Err(Malformed::Utf8));
        assert_eq!(decode("%ED%A0%80"), Err(Malformed::Utf8));
    }

    #[test]
    fn query_pairs_are_split() {
        let found: Vec<_> = pairs("a=1&&b=x=y&c&=d").collect();
        assert_eq!(found, [("a", "1"), ("b", "x=y"), ("c", ""), ("", "d")]);
    }
}
