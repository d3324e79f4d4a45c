//! Checkpoints (C2SP `tlog-checkpoint`): size and root of the tree, as the text of a signed note.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use crate::key::{SigningKey, VerifyingKey};
use crate::merkle::Hash;
use crate::note::SignedNote;

/// Size and root of the tree of a log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Checkpoint {
    /// Name of the log.
    pub origin: String,
    /// Number of leaves.
    pub size: u64,
    /// Root of the tree.
    pub root: Hash,
}

/// Reason why a text is not a checkpoint of the log.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CheckpointError {
    /// The text is not a signed note with a checkpoint.
    #[error("the text is not a checkpoint")]
    Malformed,
    /// No given key signed it.
    #[error("the checkpoint has no valid signature of this key")]
    Unsigned,
    /// The origin is not the name of the key.
    #[error("the checkpoint belongs to another log")]
    OtherLog,
}

impl Checkpoint {
    /// Signs the checkpoint with these keys, whose name is its origin.
    #[must_use]
    pub fn sign<'a>(&self, keys: impl IntoIterator<Item = &'a SigningKey>) -> SignedNote {
        let text = format!("{}\n{}\n{}\n", self.origin, self.size, STANDARD.encode(self.root));
        let mut note = SignedNote::new(text);
        keys.into_iter().for_each(|key| note.sign(key));
        note
    }

    /// Parses a checkpoint and verifies its signature by one of these keys of its log.
    ///
    /// # Errors
    /// [`CheckpointError`]
    pub fn open<'a>(
        note: &str,
        keys: impl IntoIterator<Item = &'a VerifyingKey>,
    ) -> Result<(Self, SignedNote), CheckpointError> {
        let note = SignedNote::parse(note).ok_or(CheckpointError::Malformed)?;
        let key = keys.into_iter().find(|key| note.is_signed_by(key)).ok_or(CheckpointError::Unsigned)?;
        let checkpoint = Self::parse(note.text()).ok_or(CheckpointError::Malformed)?;
        if checkpoint.origin != key.name() {
            return Err(CheckpointError::OtherLog);
        }
        Ok((checkpoint, note))
    }

    fn parse(text: &str) -> Option<Self> {
        let mut lines = text.strip_suffix('\n')?.split('\n');
        let (origin, size, root) = (lines.next()?, lines.next()?, lines.next()?);
        let number: u64 = size.parse().ok().filter(|number: &u64| number.to_string() == size)?;
        let root = STANDARD.decode(root).ok()?.try_into().ok()?;
        let has_lines = !origin.is_empty() && lines.all(|extension| !extension.is_empty());
        has_lines.then(|| Self { origin: origin.to_owned(), size: number, root })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::key::KeyKind;

    fn key(name: &str) -> SigningKey {
        SigningKey::generate(name, KeyKind::Log).unwrap().0
    }

    #[test]
    fn signed_checkpoint_is_read_with_any_of_its_keys() {
        let (former, newest, other) = (key("labs.example/a"), key("labs.example/a"), key("labs.example/a"));
        let checkpoint = Checkpoint { origin: "labs.example/a".to_owned(), size: 7, root: [3; 32] };
        let note = checkpoint.sign([&newest, &former]).to_string();
        assert!(note.starts_with("labs.example/a\n7\nAwMDAwMD"));
        for key in [&former, &newest] {
            assert_eq!(Checkpoint::open(&note, [key.public()]).unwrap().0, checkpoint);
        }
        assert_eq!(Checkpoint::open(&note, [other.public()]).unwrap_err(), CheckpointError::Unsigned);
        let grown = note.replacen("\n7\n", "\n8\n", 1);
        assert_eq!(Checkpoint::open(&grown, [newest.public()]).unwrap_err(), CheckpointError::Unsigned);
    }

    #[test]
    fn checkpoint_of_another_log_is_rejected() {
        let key = key("labs.example/a");
        let note = Checkpoint { origin: "labs.example/b".to_owned(), size: 7, root: [3; 32] }.sign([&key]);
        assert_eq!(Checkpoint::open(&note.to_string(), [key.public()]).unwrap_err(), CheckpointError::OtherLog);
    }

    #[test]
    fn malformed_text_is_rejected() {
        let root = STANDARD.encode([3; 32]);
        let valid = |size: &str, root: &str, end: &str| Checkpoint::parse(&format!("o\n{size}\n{root}\n{end}"));
        assert_eq!(valid("0", &root, "").map(|checkpoint| checkpoint.size), Some(0));
        assert!(valid("7", &root, "extension\n").is_some());
        for (size, root, end) in [
            ("07", root.as_str(), ""),
            ("+7", &root, ""),
            ("-1", &root, ""),
            ("", &root, ""),
            ("7", "AAAA", ""),
            ("7", &root, "\n"),
        ] {
            assert_eq!(valid(size, root, end), None, "{size} {root} {end:?}");
        }
        assert_eq!(Checkpoint::parse("o\n7\n"), None);
    }
}
