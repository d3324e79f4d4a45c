//! Names of public images in their paths: `/media/<sha256>.<ending>`.

use crate::store::MediaKey;

/// Encoding of an image.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PictureFormat {
    /// PNG.
    Png,
    /// JPEG.
    Jpeg,
    /// WebP.
    Webp,
}

impl PictureFormat {
    const ALL: [Self; 3] = [Self::Png, Self::Jpeg, Self::Webp];

    /// Returns the media type.
    #[must_use]
    pub const fn media_type(self) -> &'static str {
        match self {
            Self::Png => "image/png",
            Self::Jpeg => "image/jpeg",
            Self::Webp => "image/webp",
        }
    }

    /// Returns the ending of file names.
    #[must_use]
    pub const fn extension(self) -> &'static str {
        match self {
            Self::Png => "png",
            Self::Jpeg => "jpg",
            Self::Webp => "webp",
        }
    }

    /// Returns the format of a media type.
    #[must_use]
    pub fn of(media_type: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|format| format.media_type() == media_type)
    }
}

/// Name in the path of a public image: SHA-256 of the content and its format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PictureName {
    key: MediaKey,
    format: PictureFormat,
}

impl PictureName {
    /// Parses the last segment of the path; `None` if it names no image. Each image has exactly one path, so the
    /// hexadecimal digits are lowercase.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        let (digest, ending) = name.split_once('.')?;
        let format = PictureFormat::ALL.into_iter().find(|format| format.extension() == ending)?;
        let key = MediaKey::from_name(digest).filter(|key| key.name() == digest)?;
        Some(Self { key, format })
    }

    /// Returns the media type of the content.
    #[must_use]
    pub fn media_type(&self) -> &'static str {
        self.format.media_type()
    }

    /// Returns the SHA-256 of the content, in hexadecimal.
    #[must_use]
    pub fn sha256(&self) -> String {
        self.key.name()
    }

    /// Returns the key of the content in the object storage.
    #[must_use]
    pub fn key(&self) -> MediaKey {
        self.key
    }

    /// Returns the format.
    #[must_use]
    pub fn format(&self) -> PictureFormat {
        self.format
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DIGEST: &str = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

    #[test]
    fn image_name_is_lower_case_digest_with_extension() {
        let name = |digest: &str, ending: &str| PictureName::parse(&format!("{digest}{ending}"));
        for (ending, media_type) in [(".png", "image/png"), (".jpg", "image/jpeg"), (".webp", "image/webp")] {
            let name = name(DIGEST, ending).unwrap();
            assert_eq!((name.sha256().as_str(), name.media_type()), (DIGEST, media_type));
        }
        for ending in ["", ".", ".jpeg", ".gif", ".PNG", ".png.png", ".png/", ".png%20"] {
            assert_eq!(name(DIGEST, ending), None, "{ending}");
        }
        let capitals = DIGEST.to_ascii_uppercase();
        for digest in ["", "../secrets/master.key", &DIGEST[1..], &format!("{DIGEST}00"), &capitals] {
            assert_eq!(name(digest, ".png"), None, "{digest}");
        }
    }
}
