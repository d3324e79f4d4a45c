//! URLs of the renditions of public images. [`labs_media::name`] parses the names in them.

use labs_core::describe::OutputType;
use labs_media::name::PictureFormat;
use labs_shared::images::Size;
use serde::Serialize;

/// A copy of an image at a URL that requires no token.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, OutputType)]
pub(crate) struct PictureSource {
    /// URL of the image content.
    url: String,
    /// Size in pixels.
    width: i32,
    /// Size in pixels.
    height: i32,
    /// Media type of the copy: WebP if that takes fewer bytes than the image's own type.
    media_type: String,
}

impl PictureSource {
    /// Returns the renditions of an image with URLs below `pictures_url`, narrowest first.
    pub(crate) fn all(pictures_url: &str, renditions: Vec<Size>) -> Vec<Self> {
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
    use labs_media::name::PictureName;

    use super::*;

    const DIGEST: &str = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

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
