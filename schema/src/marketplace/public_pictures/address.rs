//! Paths of public images: `/media/<sha256>.<ending>`.

use labs_core::describe::OutputType;
use labs_media::store::MediaKey;
use serde::Serialize;

use crate::marketplace::media::Size;

/// Encoding of an image.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PictureFormat {
    Png,
    Jpeg,
    Webp,
}

impl PictureFormat {
    const ALL: [Self; 3] = [Self::Png, Self::Jpeg, Self::Webp];

    const fn media_type(self) -> &'static str {
        match self {
            Self::Png => "image/png",
            Self::Jpeg => "image/jpeg",
            Self::Webp => "image/webp",
        }
    }

    const fn extension(self) -> &'static str {
        match self {
            Self::Png => "png",
            Self::Jpeg => "jpg",
            Self::Webp => "webp",
        }
    }

    /// Returns the format of a media type.
    pub(super) fn of(media_type: &str) -> Option<Self> {
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

    pub(super) fn key(&self) -> MediaKey {
        self.key
    }

    pub(super) fn format(&self) -> PictureFormat {
        self.format
    }
}

/// Rendition of an image, at a URL that requires no access token.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, OutputType)]
pub(in crate::marketplace) struct PictureSource {
    /// URL of the content, available while a published object contains the image.
    url: String,
    /// Width in pixels.
    width: i32,
    /// Height in pixels.
    height: i32,
    /// Media type of the content.
    media_type: String,
}

impl PictureSource {
    /// Returns the renditions of an image with URLs below `pictures_url`, narrowest first.
    pub(in crate::marketplace) fn all(pictures_url: &str, renditions: Vec<Size>) -> Vec<Self> {
        let source = |size: Size| {
            let ending = PictureFormat::of(&size.media_type)?.extension();
            let url = format!("{pictures_url}/{}.{ending}", size.object_key);
            Some(Self { url, width: size.width, height: size.height, media_type: size.media_type })
        };
        renditions.into_iter().filter_map(source).collect()
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

    #[test]
    fn rendition_url_is_parsed_to_its_image() {
        let (object_key, media_type) = (DIGEST.to_owned(), "image/jpeg".to_owned());
        let size = Size { object_key, media_type, width: 480, height: 300, size_bytes: 9 };
        let sources = PictureSource::all("https://labs.example.com/media", vec![size]);
        let name = sources[0].url.strip_prefix("https://labs.example.com/media/").unwrap();
        assert_eq!((sources[0].width, sources[0].height), (480, 300));
        assert_eq!(
            PictureName::parse(name).map(|name| (name.sha256(), name.media_type())),
            Some((DIGEST.to_owned(), "image/jpeg"))
        );
    }
}
