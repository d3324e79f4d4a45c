//! Signed notes (C2SP `signed-note`): a text, an empty line, and one line per signature.

use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use crate::key::{KeyKind, SigningKey, VerifyingKey, is_name};

/// Maximum size of a note in bytes, and maximum number of its signatures.
const LONGEST: usize = 64 * 1024;
const SIGNATURES: usize = 64;
/// First line of the message that a witness signs (C2SP `tlog-cosignature`).
const COSIGNATURE: &str = "cosignature/v1";

/// A text with signatures. The text is not trusted until a signature is verified.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SignedNote {
    text: String,
    signatures: Vec<Signature>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Signature {
    name: String,
    key_id: u32,
    bytes: Vec<u8>,
}

impl SignedNote {
    /// Creates a note without signatures. The text ends with a line end.
    pub(crate) fn new(text: String) -> Self {
        Self { text, signatures: Vec::new() }
    }

    /// Parses a note. `None` if it is malformed or has no signature.
    #[must_use]
    pub fn parse(note: &str) -> Option<Self> {
        let is_control = |letter: char| u32::from(letter) < 0x20 && letter != '\n';
        if note.len() > LONGEST || note.contains(is_control) {
            return None;
        }
        let end = note.rfind("\n\n")?;
        let (text, lines) = (note.get(..=end)?, note.get(end + 2..)?);
        let signatures: Option<Vec<_>> = lines.strip_suffix('\n')?.split('\n').map(Signature::parse).collect();
        let signatures = signatures.filter(|signatures| signatures.len() <= SIGNATURES)?;
        Some(Self { text: text.to_owned(), signatures })
    }

    /// Returns the text, with its last line end.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Whether a log's key signed the note.
    #[must_use]
    pub fn is_signed_by(&self, key: &VerifyingKey) -> bool {
        key.kind() == KeyKind::Log && self.signatures_of(key).any(|bytes| key.verifies(self.text.as_bytes(), bytes))
    }

    /// Returns the time at which a witness cosigned the note, in Unix seconds; the latest one if there are several.
    #[must_use]
    pub fn cosigned_at(&self, key: &VerifyingKey) -> Option<u64> {
        let signatures = self.signatures_of(key).filter(|_| key.kind() == KeyKind::Witness);
        let times = signatures.filter_map(|bytes| {
            let (time, signature) = bytes.split_first_chunk()?;
            let time = u64::from_be_bytes(*time);
            key.verifies(self.cosigned_message(time).as_bytes(), signature).then_some(time)
        });
        times.max()
    }

    /// Adds the signature of a log.
    pub fn sign(&mut self, key: &SigningKey) {
        let bytes = key.sign(self.text.as_bytes());
        self.add(key.public(), bytes);
    }

    /// Adds the cosignature of a witness at a time in Unix seconds.
    pub fn cosign(&mut self, key: &SigningKey, time: u64) {
        let signature = key.sign(self.cosigned_message(time).as_bytes());
        self.add(key.public(), [time.to_be_bytes().as_slice(), &signature].concat());
    }

    fn add(&mut self, key: &VerifyingKey, bytes: Vec<u8>) {
        self.signatures.push(Signature { name: key.name().to_owned(), key_id: key.id(), bytes });
    }

    fn cosigned_message(&self, time: u64) -> String {
        format!("{COSIGNATURE}\ntime {time}\n{}", self.text)
    }

    fn signatures_of(&self, key: &VerifyingKey) -> impl Iterator<Item = &[u8]> {
        let (name, id) = (key.name().to_owned(), key.id());
        let own = self.signatures.iter().filter(move |signature| signature.name == name && signature.key_id == id);
        own.map(|signature| signature.bytes.as_slice())
    }
}

impl Signature {
    fn parse(line: &str) -> Option<Self> {
        let (name, encoded) = line.strip_prefix("— ")?.split_once(' ')?;
        let bytes = STANDARD.decode(encoded).ok()?;
        let (key_id, bytes) = bytes.split_first_chunk()?;
        let signature = Self { name: name.to_owned(), key_id: u32::from_be_bytes(*key_id), bytes: bytes.to_vec() };
        (is_name(name) && !bytes.is_empty()).then_some(signature)
    }
}

impl fmt::Display for SignedNote {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(out, "{}", self.text)?;
        for Signature { name, key_id, bytes } in &self.signatures {
            let encoded = STANDARD.encode([key_id.to_be_bytes().as_slice(), bytes].concat());
            writeln!(out, "— {name} {encoded}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Note of the tests of golang.org/x/mod/sumdb/note.
    const NOTE: &str = "If you think cryptography is the answer to your problem,\nthen you don't know what your problem is.\n\n\
         — PeterNeumann x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM=\n";

    fn peter() -> VerifyingKey {
        VerifyingKey::parse("PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW").unwrap()
    }

    #[test]
    fn known_note_verifies_and_altered_one_does_not() {
        let note = SignedNote::parse(NOTE).unwrap();
        assert!(note.is_signed_by(&peter()));
        assert_eq!(note.to_string(), NOTE);
        assert!(!SignedNote::parse(&NOTE.replace("answer", "Answer")).unwrap().is_signed_by(&peter()));
        assert!(!SignedNote::parse(&NOTE.replace("— Peter", "— Petra")).unwrap().is_signed_by(&peter()));
    }

    #[test]
    fn known_cosignature_has_its_layout() {
        // Example of C2SP tlog-cosignature. Its keys are not published, so only the time and the key id are compared.
        let note = "example.com/behind-the-sofa\n20852163\nCsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=\n\n\
             — witness.example.com/w1 jWbPPwAAAABkGFDLEZMHwSRaJNiIDoe9DYn/zXcrtPHeolMI5OWXEhZCB9dlrDJsX3b2oyin1nPZqhf5nNo0xUe+mbIUBkBIfZ+qnA==\n";
        let note = SignedNote::parse(note).unwrap();
        let time = u64::from_be_bytes(*note.signatures[0].bytes.first_chunk().unwrap());
        assert_eq!((time, note.signatures[0].key_id), (1_679_315_147, 0x8d66_cf3f));
        assert_eq!(
            note.cosigned_message(time).lines().take(2).collect::<Vec<_>>(),
            ["cosignature/v1", "time 1679315147"]
        );
    }

    #[test]
    fn signature_and_cosignature_are_not_interchangeable() {
        let (log, _) = SigningKey::generate("labs.example/audit-log", KeyKind::Log).unwrap();
        let (witness, _) = SigningKey::generate("witness.example/w1", KeyKind::Witness).unwrap();
        let mut note = SignedNote::new("labs.example/audit-log\n1\nroot\n".to_owned());
        note.sign(&log);
        note.cosign(&witness, 1_700_000_000);
        let note = SignedNote::parse(&note.to_string()).unwrap();
        assert!(note.is_signed_by(log.public()) && !note.is_signed_by(witness.public()));
        assert_eq!(note.cosigned_at(witness.public()), Some(1_700_000_000));
        assert_eq!(note.cosigned_at(log.public()), None);
        let mut other = note.clone();
        other.signatures[1].bytes[7] ^= 1;
        assert_eq!(other.cosigned_at(witness.public()), None, "the time is signed");
    }

    #[test]
    fn malformed_notes_are_rejected() {
        for note in [
            "",
            "text\n",
            "text\n\n",
            "text\n\n— name AAAAAA==",
            "text\n\nname AAAAAA==\n",
            "text\n\n— name AAAA\n",
            "text\n\n— na+me AAAAAAA=\n",
            "te\txt\n\n— name AAAAAAA=\n",
            "text\n\n— name AAAAAAA=\r\n",
        ] {
            assert_eq!(SignedNote::parse(note), None, "{note:?}");
        }
        assert!(SignedNote::parse("a\n\nb\n\n— name AAAAAAA=\n").is_some());
        assert!(SignedNote::parse(&format!("text\n\n{}", "— name AAAAAAA=\n".repeat(65))).is_none());
    }
}
