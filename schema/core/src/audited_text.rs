//! Search texts as audit records store them.

use labs_crypto::sealed::MasterKey;

use crate::email::EmailAddress;

/// Returns the trimmed text, or the keyed hash of an e-mail address. The hash does not depend on how the address is
/// written, so a reader can compare searches without reading the address.
pub fn to_recorded(text: &str, key: &MasterKey) -> String {
    let text = text.trim();
    if !text.contains('@') {
        return text.to_owned();
    }
    let normalised =
        EmailAddress::parse(text).map_or_else(|_| text.to_lowercase(), |address| address.normalised().to_owned());
    format!("hmac-sha256:{}", hex::encode(key.mac("audited-address", normalised.as_bytes())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn email_in_audit_record_is_stored_as_normalized_hash() {
        let key = MasterKey::from_bytes([7; 32]);
        assert_eq!(to_recorded(" Nordsee ", &key), "Nordsee");
        assert_eq!(to_recorded("Anna@Example.com", &key), to_recorded(" anna@EXAMPLE.com ", &key));
        for text in ["anna@example.com", "anna@exam", "@anna"] {
            assert!(to_recorded(text, &key).starts_with("hmac-sha256:"), "{text}");
        }
    }
}
