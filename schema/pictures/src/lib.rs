//! Converts an upload to the pictures that the service stores. The uploaded bytes are never served.
//!
//! The type is read from the content, and the size is checked before decoding. Decoding has limits. Every picture is
//! re-encoded, which removes metadata, trailing bytes and polyglot content
//! (docs/decisions/files.md#images-are-re-encoded). Its colours are converted to sRGB, because no profile is kept. The
//! same upload always produces the same bytes.
//!
//! This is a separate crate because loops over pixels are too slow without optimisation, and this crate is always
//! optimised. The pictures of the sample data are drawn here for the same reason.

mod colour;
pub mod draw;
mod renditions;
mod scale;
mod source;
#[cfg(test)]
mod tests;
mod webp;

use std::collections::HashSet;

use bytes::Bytes;

pub use renditions::Rendition;
use scale::{Canvas, Encoding};

/// Purpose of a picture. It decides the rules and the sizes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PictureKind {
    /// Square icon of an app or a partner.
    Icon,
    /// Screenshot of an app.
    Screenshot,
    /// Wide picture of a partner.
    Banner,
}

/// Requirements for a kind of picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PictureRules {
    /// Smallest width in pixels, after the EXIF orientation is applied.
    pub least_width: u32,
    /// Smallest height in pixels.
    pub least_height: u32,
    /// Required shape.
    pub shape: Shape,
}

/// Required proportion of a picture's sides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// Width and height are equal.
    Square,
    /// The width is larger than the height.
    Wide,
    /// Any proportion.
    Any,
}

/// Smaller sizes of every picture: the name, and the side in pixels of the square that the picture fits into. A smaller
/// picture is never enlarged. These are the values of the contract's `MediaVariantName`; its `ORIGINAL` is the
/// full-size picture.
pub const SIZES: [(&str, u32); 3] = [("LARGE", 1_600), ("MEDIUM", 800), ("SMALL", 256)];

/// Pictures made from one upload, all of one media type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Processed {
    /// `image/png`, `image/jpeg` or `image/webp`. A lossy WebP without transparency becomes a JPEG.
    pub media_type: &'static str,
    /// Width in pixels of the full-size picture, at most [`LONGEST_SIDE`].
    pub width: u32,
    /// Height in pixels of the full-size picture.
    pub height: u32,
    /// The full-size picture, re-encoded.
    pub bytes: Bytes,
    /// Smaller sizes: all of [`SIZES`], in that order.
    pub variants: Vec<Variant>,
    /// Renditions for pages, narrowest first.
    pub renditions: Vec<Rendition>,
}

/// A smaller size of a picture.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Variant {
    /// Name, as in [`SIZES`].
    pub name: &'static str,
    /// Width in pixels.
    pub width: u32,
    /// Height in pixels.
    pub height: u32,
    /// The encoded picture.
    pub bytes: Bytes,
}

/// Reason why an upload is rejected. The message says how to fix it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ImageProblem {
    /// The upload has more than [`LARGEST_UPLOAD`] bytes.
    #[error("the file is larger than 8 MB")]
    TooManyBytes,
    /// The content is neither PNG, JPEG nor WebP. The file name does not count.
    #[error("the file is not a PNG, JPEG or WebP image")]
    UnknownType,
    /// The picture has more than one frame.
    #[error("animated images are not accepted: upload a still image")]
    Animated,
    /// The picture has more than [`MOST_PIXELS`], a side longer than [`LONGEST_UPLOADED_SIDE`], or needs too much
    /// memory.
    #[error("the image has more than 24 megapixels, or a side longer than 16,384 pixels")]
    TooManyPixels,
    /// The picture is smaller than its kind requires.
    #[error("the image must be at least {width} pixels wide and {height} pixels high")]
    TooSmall {
        /// Smallest width in pixels.
        width: u32,
        /// Smallest height in pixels.
        height: u32,
    },
    /// The icon is not square.
    #[error("the image must be square")]
    NotSquare,
    /// The banner is not wider than high.
    #[error("the image must be wider than high")]
    NotWide,
    /// The file is truncated or cannot be decoded.
    #[error("the image is damaged and cannot be decoded")]
    Damaged,
}

/// Largest upload in bytes. Rule: docs/decisions/files.md#images-are-re-encoded.
pub const LARGEST_UPLOAD: usize = 8 * 1024 * 1024;
/// Largest number of pixels of an upload: the output of a 24 megapixel camera. Each pixel is decoded, rotated and
/// averaged, but the stored picture has at most 2,048 pixels a side. A higher limit would use CPU time of other
/// requests (docs/decisions/files.md#images-are-re-encoded).
pub const MOST_PIXELS: u64 = 24_000_000;
/// Longest side of an upload in pixels. The contract documents it in `MediaUpload`.
pub const LONGEST_UPLOADED_SIDE: u32 = 16_384;
/// Longest side of a stored picture in pixels; larger pictures are scaled down. Encoding 4,096 pixels a side would take
/// several seconds of CPU time.
pub const LONGEST_SIDE: u32 = 2_048;

impl Processed {
    /// Returns the bytes that the object storage uses for all sizes. Pictures with the same content are one object.
    pub fn stored_bytes(&self) -> i64 {
        let copies = self.variants.iter().map(|copy| &copy.bytes);
        let copies = copies.chain(self.renditions.iter().map(|copy| &copy.bytes));
        let objects: HashSet<&Bytes> = copies.chain(std::iter::once(&self.bytes)).collect();
        i64::try_from(objects.into_iter().map(Bytes::len).sum::<usize>()).unwrap_or(i64::MAX)
    }

    /// Returns the bytes of the full-size picture, which count against the tier's limit.
    pub fn size_bytes(&self) -> i64 {
        i64::try_from(self.bytes.len()).unwrap_or(i64::MAX)
    }
}

impl PictureKind {
    /// Returns the rules of this kind. The contract documents them in `MediaKind`.
    pub const fn rules(self) -> PictureRules {
        let (least_width, least_height, shape) = match self {
            PictureKind::Icon => (256, 256, Shape::Square),
            PictureKind::Screenshot => (640, 400, Shape::Any),
            PictureKind::Banner => (1_120, 1, Shape::Wide),
        };
        PictureRules { least_width, least_height, shape }
    }
}

impl ImageProblem {
    /// Returns the stable code of the field error at `/file`. `TOO_LARGE` is a body that is too large, not a field
    /// error.
    pub fn code(self) -> &'static str {
        match self {
            ImageProblem::TooManyBytes => "TOO_LARGE",
            ImageProblem::UnknownType | ImageProblem::Damaged => "NOT_AN_IMAGE",
            ImageProblem::Animated => "ANIMATED",
            ImageProblem::TooManyPixels => "TOO_MANY_PIXELS",
            ImageProblem::TooSmall { .. } => "TOO_SMALL",
            ImageProblem::NotSquare => "NOT_SQUARE",
            ImageProblem::NotWide => "NOT_WIDE",
        }
    }
}

/// Makes the stored pictures from `upload`. Uses up to 1.5 seconds of CPU time, mostly for PNGs (measured).
///
/// # Errors
/// [`ImageProblem`] if the upload is rejected.
pub fn process(upload: &[u8], kind: PictureKind) -> Result<Processed, ImageProblem> {
    let (mut made, whole, encoding) = make_sizes(upload, kind)?;
    let smaller = made.variants.iter().map(|copy| ((copy.width, copy.height), copy.bytes.clone()));
    let encoded: Vec<_> = std::iter::once((whole.size(), made.bytes.clone())).chain(smaller).collect();
    made.renditions = renditions::make(&whole, kind, encoding, &encoded)?;
    Ok(made)
}

/// Makes the stored pictures from `upload` without renditions, in about a third of the time of [`process`].
/// [`renditions_of`] makes them later.
///
/// # Errors
/// [`ImageProblem`] if the upload is rejected.
pub fn process_sizes(upload: &[u8], kind: PictureKind) -> Result<Processed, ImageProblem> {
    make_sizes(upload, kind).map(|(made, ..)| made)
}

fn make_sizes(upload: &[u8], kind: PictureKind) -> Result<(Processed, Canvas, Encoding), ImageProblem> {
    let rules = kind.rules();
    let source = source::read(upload)?;
    check_size(source.width, source.height, &rules)?;
    let (picture, encoding, colours) = source.decode()?;
    let mut whole = Canvas::new(picture);
    whole.shrink_to(LONGEST_SIDE);
    whole.convert_to_srgb(&colours);
    let encoding = encoding.for_transparency(whole.has_alpha());
    let bytes = whole.encode(encoding)?;
    let mut variants = Vec::with_capacity(SIZES.len());
    let mut last = None;
    for (name, side) in SIZES {
        let from = last.as_ref().unwrap_or(&whole);
        let bytes = match from.scale_to_fit(side) {
            Some(smaller) => last.insert(smaller).encode(encoding)?,
            None => bytes.clone(),
        };
        let (width, height) = last.as_ref().unwrap_or(&whole).size();
        variants.push(Variant { name, width, height, bytes });
    }
    let (width, height) = whole.size();
    let media_type = encoding.media_type();
    Ok((Processed { media_type, width, height, bytes, variants, renditions: Vec::new() }, whole, encoding))
}

/// Makes the renditions of a picture that is already stored.
///
/// # Errors
/// [`ImageProblem`] if the stored picture cannot be decoded.
pub fn renditions_of(kept: &Bytes, kind: PictureKind) -> Result<Vec<Rendition>, ImageProblem> {
    // Stored pictures are sRGB.
    let (picture, encoding, _) = source::read(kept)?.decode()?;
    let whole = Canvas::new(picture);
    let encoding = encoding.for_transparency(whole.has_alpha());
    renditions::make(&whole, kind, encoding, &[(whole.size(), kept.clone())])
}

fn check_size(width: u32, height: u32, rules: &PictureRules) -> Result<(), ImageProblem> {
    let pixels = u64::from(width).saturating_mul(u64::from(height));
    if pixels > MOST_PIXELS || width.max(height) > LONGEST_UPLOADED_SIDE {
        return Err(ImageProblem::TooManyPixels);
    }
    if width < rules.least_width || height < rules.least_height {
        return Err(ImageProblem::TooSmall { width: rules.least_width, height: rules.least_height });
    }
    match rules.shape {
        Shape::Square if width != height => Err(ImageProblem::NotSquare),
        Shape::Wide if width <= height => Err(ImageProblem::NotWide),
        _ => Ok(()),
    }
}
