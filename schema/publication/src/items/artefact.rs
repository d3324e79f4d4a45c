//! Rules on the files of developer resources.

use bytes::Bytes;
use labs_blocking::{BlockingError, BlockingPool};
use labs_core::fault::{Fault, FieldError};
use labs_media::store::MediaKey;

use super::content::PublicationArtefact;

/// Longest file name, in characters.
const LONGEST_NAME: usize = 100;
/// Magic bytes of a ZIP archive. The second value marks an empty archive.
const ZIP: [&[u8]; 2] = [b"PK\x03\x04", b"PK\x05\x06"];

/// Pool that checks one file at a time, outside the async threads.
pub(super) struct ArtefactPool(BlockingPool);

impl Default for ArtefactPool {
    fn default() -> Self {
        Self(BlockingPool::new(1, 4))
    }
}

impl ArtefactPool {
    /// Checks that the content of a file matches its name, and returns its artefact fields.
    ///
    /// # Errors
    /// [`labs_core::Code::ValidationFailed`] if it does not match, or the name is missing;
    /// [`labs_core::Code::Unavailable`] if too many files wait.
    pub(super) async fn validate(&self, file_name: &str, content: Bytes) -> Result<PublicationArtefact, Fault> {
        let file_name = clean_name(file_name).map_err(|error| Fault::invalid(vec![error]))?;
        let judged = self.0.run(move || {
            let media_type = media_type_of(&file_name, &content)?;
            let size_bytes = i64::try_from(content.len()).unwrap_or(i64::MAX);
            let (sha256, media_type) = (MediaKey::of(&content).name(), media_type.to_owned());
            Ok(PublicationArtefact { file_name, media_type, size_bytes, sha256 })
        });
        let judged: Result<_, FieldError> = judged.await.map_err(|error| match error {
            BlockingError::Overloaded => Fault::unavailable("Too many files are being checked. Try again in a moment."),
            BlockingError::Broken => Fault::internal(error),
        })?;
        judged.map_err(|error| Fault::invalid(vec![error]))
    }
}

/// Removes folders and control characters from a file name.
fn clean_name(sent: &str) -> Result<String, FieldError> {
    let last = sent.rsplit(['/', '\\']).next().unwrap_or_default();
    let name: String =
        last.chars().filter(|letter| !letter.is_control() && !matches!(letter, '"' | '<' | '>')).collect();
    let name = name.trim().trim_start_matches('.').to_owned();
    if name.is_empty() || name.chars().count() > LONGEST_NAME {
        let message = "Send the file name for downloads, with its extension, in 1 to 100 characters.";
        return Err(FieldError::of("file_name", "NAME", message));
    }
    Ok(name)
}

/// Returns the media type of a file, from its name and verified by its content.
fn media_type_of(file_name: &str, content: &[u8]) -> Result<&'static str, FieldError> {
    let (_, ending) = file_name.rsplit_once('.').unwrap_or_default();
    let (media_type, is_so) = match ending.to_ascii_lowercase().as_str() {
        "zip" => ("application/zip", ZIP.iter().any(|beginning| content.starts_with(beginning))),
        "pdf" => ("application/pdf", content.starts_with(b"%PDF-")),
        "json" => ("application/json", serde_json::from_slice::<serde::de::IgnoredAny>(content).is_ok()),
        "yaml" | "yml" => ("application/yaml", is_text(content)),
        "txt" => ("text/plain", is_text(content)),
        _ => {
            let message = "Allowed files are .zip, .json, .yaml, .yml, .pdf and .txt. Rename the file, or pack it \
                           into a .zip.";
            return Err(FieldError::of("file_name", "KIND", message));
        }
    };
    if !is_so {
        let message =
            format!("The content is not {media_type}, which the file name indicates. Check the file, or rename it.");
        return Err(FieldError::at("", "CONTENT", message));
    }
    Ok(media_type)
}

/// Whether the content is readable UTF-8.
fn is_text(content: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(content) else { return false };
    !text.is_empty() && !text.chars().any(|letter| letter.is_control() && !matches!(letter, '\n' | '\r' | '\t'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn file_content_must_match_its_extension() {
        for (name, content, expected) in [
            ("a.zip", &b"PK\x03\x04rest"[..], Some("application/zip")),
            ("a.ZIP", b"PK\x05\x06rest", Some("application/zip")),
            ("a.zip", b"%PDF-1.7", None),
            ("a.pdf", b"%PDF-1.7", Some("application/pdf")),
            ("a.pdf", b" %PDF-1.7", None),
            ("a.json", b" {\"a\": [1]}", Some("application/json")),
            ("a.json", b"{\"a\": [1]", None),
            ("a.json", b"\xff", None),
            ("a.yaml", b"a: 1\n", Some("application/yaml")),
            ("a.yml", b"a: \x00", None),
            ("a.txt", "Grüße\r\n\tan alle".as_bytes(), Some("text/plain")),
            ("a.txt", b"\xff\xfe", None),
            ("a.txt", b"\x1b[31m", None),
            ("a.txt", b"", None),
            ("a.exe", b"MZ", None),
            ("zip", b"PK\x03\x04", None),
        ] {
            assert_eq!(media_type_of(name, content).ok(), expected, "{name} {content:?}");
        }
    }

    #[test]
    fn file_name_loses_folders_and_invisible_characters() {
        for (sent, kept) in [
            ("../../etc/passwd.txt", "passwd.txt"),
            ("C:\\temp\\a.zip", "a.zip"),
            ("a\u{0}\n\".zip", "a.zip"),
            ("Größe 2.zip", "Größe 2.zip"),
            (".zip", "zip"),
        ] {
            assert_eq!(clean_name(sent).ok().as_deref(), Some(kept), "{sent}");
        }
        for bad in ["", "a/", "...", &"a".repeat(101)] {
            assert!(clean_name(bad).is_err(), "{bad}");
        }
    }
}
