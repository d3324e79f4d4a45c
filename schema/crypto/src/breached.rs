//! Passwords of known data breaches, in a file of the operator.
//!
//! The file has the form of the list of Have I Been Pwned that is ordered by hash: each line is the SHA-1 digest of a
//! password in upper-case hexadecimal, a colon and a number. The complete list has tens of gigabytes, so it is searched by
//! bisection and never loaded. A shorter list of the same form is searched in the same way.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt as _;
use std::path::Path;

use aws_lc_rs::digest;

/// Length of a digest in hexadecimal.
const DIGITS: usize = 40;
/// Maximum length of a line. Longer lines make the file invalid.
const LINE: usize = 80;
/// Length of the part of the file that is read at once.
const BLOCK: u64 = 4096;

/// List of breached passwords.
#[derive(Debug)]
pub struct BreachedPasswords {
    file: File,
    length: u64,
}

/// Reason why a list cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum BreachedListError {
    /// The file cannot be read.
    #[error("it cannot be read: {0}")]
    Unreadable(#[from] io::Error),
    /// The file has another form.
    #[error(
        "its first lines are not SHA-1 digests in upper-case hexadecimal in ascending order, each followed by a colon \
         and a number"
    )]
    Form,
}

impl BreachedPasswords {
    /// Opens a list and checks its first lines.
    ///
    /// # Errors
    /// If the file cannot be read, or has another form.
    pub fn open(path: &Path) -> Result<Self, BreachedListError> {
        let file = File::open(path)?;
        let list = Self { length: file.metadata()?.len(), file };
        let block = list.read(0)?;
        let lines: Vec<&[u8]> = complete_lines(&block).collect();
        let digests: Option<Vec<&[u8]>> = lines.iter().map(|line| digest_of(line)).collect();
        match digests {
            Some(digests) if !digests.is_empty() && digests.is_sorted() => Ok(list),
            _ => Err(BreachedListError::Form),
        }
    }

    /// Whether the list contains a password.
    ///
    /// # Errors
    /// If the file cannot be read any more.
    pub fn contains(&self, password: &str) -> io::Result<bool> {
        let digest = digest::digest(&digest::SHA1_FOR_LEGACY_USE_ONLY, password.as_bytes());
        let wanted = hex::encode_upper(digest.as_ref()).into_bytes();
        // The line of the digest, if there is one, begins in this range.
        let (mut low, mut high) = (0, self.length);
        while high - low > BLOCK / 2 {
            let middle = low + (high - low) / 2;
            let block = self.read(middle)?;
            // The block begins within a line, so its first complete line is the second.
            let Some(first) = lines_after_first(&block).find_map(digest_of) else { break };
            if first > wanted.as_slice() { high = middle } else { low = middle }
        }
        let block = self.read(low)?;
        let first = if low == 0 { complete_lines(&block).next() } else { None };
        let lines = first.into_iter().chain(lines_after_first(&block));
        Ok(lines.filter_map(digest_of).any(|digest| digest == wanted.as_slice()))
    }

    /// Reads a block from this position on, shorter at the end of the file.
    fn read(&self, position: u64) -> io::Result<Vec<u8>> {
        let length = (self.length - position).min(BLOCK);
        let mut block = vec![0; usize::try_from(length).unwrap_or(0)];
        self.file.read_exact_at(&mut block, position)?;
        if position + length == self.length && block.last() != Some(&b'\n') {
            block.push(b'\n');
        }
        Ok(block)
    }
}

/// Returns the lines of a block except a last one that is cut off.
fn complete_lines(block: &[u8]) -> impl Iterator<Item = &[u8]> {
    block.split_inclusive(|byte| *byte == b'\n').filter_map(|line| line.strip_suffix(b"\n"))
}

fn lines_after_first(block: &[u8]) -> impl Iterator<Item = &[u8]> {
    complete_lines(block).skip(1)
}

/// Returns the digest of a line; `None` if the line has another form.
fn digest_of(line: &[u8]) -> Option<&[u8]> {
    let digest = line.get(..DIGITS)?;
    let is_hex = digest.iter().all(|byte| byte.is_ascii_digit() || (b'A'..=b'F').contains(byte));
    let is_ended = matches!(line.get(DIGITS), Some(b':'));
    (is_hex && is_ended && line.len() <= LINE).then_some(digest)
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use proptest::prelude::*;
    use tempfile::NamedTempFile;

    use super::*;

    fn list_of(passwords: impl IntoIterator<Item = String>, end: &str) -> (NamedTempFile, BreachedPasswords) {
        let digest = |password: String| {
            let digest = digest::digest(&digest::SHA1_FOR_LEGACY_USE_ONLY, password.as_bytes());
            format!("{}:{}", hex::encode_upper(digest.as_ref()), password.len() * 977)
        };
        let mut lines: Vec<String> = passwords.into_iter().map(digest).collect();
        lines.sort();
        let mut file = NamedTempFile::new().unwrap();
        file.write_all(format!("{}{end}", lines.join(if end == "\n" { "\n" } else { "\r\n" })).as_bytes()).unwrap();
        let list = BreachedPasswords::open(file.path()).unwrap();
        (file, list)
    }

    #[test]
    fn each_password_of_large_list_is_found_and_no_other() {
        for end in ["\n", "\r\n", ""] {
            let (_file, list) = list_of((0..20_000).map(|number| format!("password {number}")), end);
            let missed = (0..20_000).find(|number| !list.contains(&format!("password {number}")).unwrap());
            assert_eq!(missed, None, "{end:?}");
            let wrong = (20_000..40_000).find(|number| list.contains(&format!("password {number}")).unwrap());
            assert_eq!(wrong, None, "{end:?}");
        }
    }

    #[test]
    fn file_of_another_form_is_rejected() {
        for text in ["", "password\n", "0000:1\n", "b1b3773a05c0ed0176787a4f1574ff0075f7521e:5\n"] {
            let mut file = NamedTempFile::new().unwrap();
            file.write_all(text.as_bytes()).unwrap();
            assert!(matches!(BreachedPasswords::open(file.path()), Err(BreachedListError::Form)), "{text:?}");
        }
        let missing = BreachedPasswords::open(Path::new("/no/such/list"));
        assert!(matches!(missing, Err(BreachedListError::Unreadable(_))));
    }

    proptest! {
        #[test]
        fn lists_of_any_length_are_searched_completely(count in 1_usize..400) {
            let (_file, list) = list_of((0..count).map(|number| format!("p{number}")), "\n");
            let missed = (0..count).find(|number| !list.contains(&format!("p{number}")).unwrap());
            prop_assert_eq!(missed, None);
            prop_assert!(!list.contains("another one").unwrap());
        }
    }
}
