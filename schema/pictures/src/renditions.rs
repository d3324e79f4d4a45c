//! Renditions for pages: each has a width that pages request, in the smaller of two encodings.

use bytes::Bytes;

use super::scale::{Canvas, Encoding};
use super::{ImageProblem, PictureKind};

/// A rendition of a picture for pages.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rendition {
    /// The picture's own type, or `image/webp` if that is smaller.
    pub media_type: &'static str,
    /// Width in pixels.
    pub width: u32,
    /// Height in pixels.
    pub height: u32,
    /// The encoded rendition.
    pub bytes: Bytes,
}

/// A size, and the picture that is already encoded in it.
pub(super) type Encoded = ((u32, u32), Bytes);

/// Returns the widths of a picture's renditions, narrowest first. If the picture is narrower than a rendition, its own
/// width is the widest.
pub(super) fn widths(kind: PictureKind, width: u32) -> Vec<u32> {
    let wanted: &[u32] = match kind {
        PictureKind::Icon => &[48, 64, 128, 256, 512],
        PictureKind::Screenshot | PictureKind::Banner => &[480, 960, 1_600],
    };
    let mut widths: Vec<u32> = wanted.iter().map(|wanted| width.min(*wanted)).collect();
    widths.dedup();
    widths
}

/// Makes the renditions of a picture. Reuses the sizes that are already encoded.
pub(super) fn make(
    whole: &Canvas,
    kind: PictureKind,
    encoding: Encoding,
    encoded: &[Encoded],
) -> Result<Vec<Rendition>, ImageProblem> {
    let copy = |width| {
        let narrower = whole.scale_to_width(width);
        let picture = narrower.as_ref().unwrap_or(whole);
        let size = picture.size();
        let own = match encoded.iter().find(|(known, _)| *known == size) {
            Some((_, bytes)) => bytes.clone(),
            None => picture.encode(encoding)?,
        };
        let webp = picture.encode(Encoding::Webp)?;
        let (media_type, bytes) = smaller((encoding.media_type(), own), (Encoding::Webp.media_type(), webp));
        Ok(Rendition { media_type, width: size.0, height: size.1, bytes })
    };
    widths(kind, whole.size().0).into_iter().map(copy).collect()
}

/// Returns the WebP if it is smaller: every browser supports it.
fn smaller(own: (&'static str, Bytes), webp: (&'static str, Bytes)) -> (&'static str, Bytes) {
    if webp.1.len() < own.1.len() { webp } else { own }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn image_gets_renditions_up_to_its_width() {
        use PictureKind::{Banner, Icon, Screenshot};
        let cases: [(PictureKind, u32, &[u32]); 6] = [
            (Icon, 1_024, &[48, 64, 128, 256, 512]),
            (Icon, 300, &[48, 64, 128, 256, 300]),
            (Icon, 256, &[48, 64, 128, 256]),
            (Screenshot, 2_048, &[480, 960, 1_600]),
            (Screenshot, 640, &[480, 640]),
            (Banner, 1_120, &[480, 960, 1_120]),
        ];
        for (kind, width, expected) in cases {
            assert_eq!(widths(kind, width), expected, "{kind:?} {width}");
        }
    }

    #[test]
    fn smaller_encoding_wins_and_original_wins_ties() {
        let bytes = |count: usize| Bytes::from(vec![0; count]);
        assert_eq!(smaller(("image/png", bytes(9)), ("image/webp", bytes(8))).0, "image/webp");
        assert_eq!(smaller(("image/png", bytes(8)), ("image/webp", bytes(8))).0, "image/png");
    }
}
