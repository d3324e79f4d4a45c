//! What somebody searched for, as audit records hold it.

use crate::core::crypto::sealed::MasterKey;
use crate::core::email::EmailAddress;

/// The text, or the hash of an e-mail address, the same however that is written: who looked for whom can be compared, and not
/// read.
pub(crate) fn recorded(text: &str, key: &MasterKey) -> String {
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
    fn an_address_is_recorded_as_its_hash_however_it_is_written() {
        let key = MasterKey::from_bytes([7; 32]);
        assert_eq!(recorded(" Nordsee ", &key), "Nordsee");
        assert_eq!(recorded("Anna@Example.com", &key), recorded(" anna@EXAMPLE.com ", &key));
        for text in ["anna@example.com", "anna@exam", "@anna"] {
            assert!(recorded(text, &key).starts_with("hmac-sha256:"), "{text}");
        }
    }
}
