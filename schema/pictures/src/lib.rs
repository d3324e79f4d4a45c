//! From an upload to pictures of our own: what comes in is never what goes out.
//!
//! The type is read from the content, the size before anything is decoded, decoding has limits, and
//! every picture is encoded anew, which leaves metadata, trailing bytes and second meanings behind
//! (docs/decisions.md#edge). Its colours are converted to sRGB, since no profile is kept. The same upload always gives the
//! same bytes.
//!
//! A crate of its own, because loops over pixels are unusable where they are not optimised: this one always is. So the
//! pictures of the sample data are drawn here too.

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
use scale::Canvas;

/// What a picture is for; decides its rules and its sizes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PictureKind {
    /// An app's or a partner's icon: square.
    Icon,
    /// A view of the app at work.
    Screenshot,
    /// A partner's wide picture.
    Banner,
}

/// What a kind of picture must be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PictureRules {
    /// Least width in pixels, after the orientation in its metadata was applied.
    pub least_width: u32,
    /// Least height in pixels.
    pub least_height: u32,
    /// The shape.
    pub shape: Shape,
}

/// What a picture's sides must be to each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// Both the same.
    Square,
    /// The width larger than the height.
    Wide,
    /// Anything.
    Any,
}

/// The smaller sizes of every picture: name, and the side in pixels of the square that it fits into. A smaller
/// picture is never blown up. The contract's `MediaVariantName`; its `ORIGINAL` is the whole picture.
pub const SIZES: [(&str, u32); 3] = [("LARGE", 1_600), ("MEDIUM", 800), ("SMALL", 256)];

/// Pictures made of one upload, all of one media type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Processed {
    /// `image/png`, `image/jpeg` or `image/webp`. A lossy WebP without transparency becomes a JPEG.
    pub media_type: &'static str,
    /// Width in pixels of the whole picture, at most [`LONGEST_SIDE`].
    pub width: u32,
    /// Height in pixels of the whole picture.
    pub height: u32,
    /// The whole picture, encoded anew.
    pub bytes: Bytes,
    /// Its smaller sizes, all of [`SIZES`] in that order.
    pub variants: Vec<Variant>,
    /// Its copies for pages, the narrowest first.
    pub renditions: Vec<Rendition>,
}

/// A smaller size of a picture.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Variant {
    /// As [`SIZES`] names it.
    pub name: &'static str,
    /// Width in pixels.
    pub width: u32,
    /// Height in pixels.
    pub height: u32,
    /// The encoded picture.
    pub bytes: Bytes,
}

/// Why an upload is refused. The message says what to do about it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ImageProblem {
    /// More than [`LARGEST_UPLOAD`] bytes.
    #[error("the file is larger than 8 MB")]
    TooManyBytes,
    /// Neither PNG, JPEG nor WebP, whatever its name says.
    #[error("the file is not a PNG, JPEG or WebP picture")]
    UnknownType,
    /// More than one frame.
    #[error("animated pictures are not accepted: upload a still one")]
    Animated,
    /// More than [`MOST_PIXELS`], a side longer than [`LONGEST_UPLOADED_SIDE`], or too much memory needed.
    #[error("the picture has more than 24 megapixels, or a side longer than 16,384 pixels")]
    TooManyPixels,
    /// Smaller than its kind needs.
    #[error("the picture must be at least {width} pixels wide and {height} pixels high")]
    TooSmall {
        /// Least width in pixels.
        width: u32,
        /// Least height in pixels.
        height: u32,
    },
    /// An icon that is not square.
    #[error("the picture must be square")]
    NotSquare,
    /// A banner that is not wider than high.
    #[error("the picture must be wider than high")]
    NotWide,
    /// Cut off, or not decodable.
    #[error("the picture is damaged and cannot be decoded")]
    Damaged,
}

/// Largest upload in bytes. Rule: docs/decisions.md#edge.
pub const LARGEST_UPLOAD: usize = 8 * 1024 * 1024;
/// Most pixels of an upload: what a camera of 24 megapixels makes. Each is decoded, turned and averaged, for a picture that
/// is kept at 2,048 pixels a side, so more would be bought with other people's time (docs/decisions.md#edge).
pub const MOST_PIXELS: u64 = 24_000_000;
/// Longest side of an upload in pixels. The contract's `MediaUpload`.
pub const LONGEST_UPLOADED_SIDE: u32 = 16_384;
/// Longest side, in pixels, of a picture that is kept; larger ones are scaled down to it. To encode one of 4,096 a side
/// would cost several seconds of a core.
pub const LONGEST_SIDE: u32 = 2_048;

impl Processed {
    /// Bytes that the store takes for all sizes. Those of the same content are one object.
    pub fn stored_bytes(&self) -> i64 {
        let copies = self.variants.iter().map(|copy| &copy.bytes);
        let copies = copies.chain(self.renditions.iter().map(|copy| &copy.bytes));
        let objects: HashSet<&Bytes> = copies.chain(std::iter::once(&self.bytes)).collect();
        i64::try_from(objects.into_iter().map(Bytes::len).sum::<usize>()).unwrap_or(i64::MAX)
    }

    /// Bytes of the whole picture, which is what counts against a plan.
    pub fn size_bytes(&self) -> i64 {
        i64::try_from(self.bytes.len()).unwrap_or(i64::MAX)
    }
}

impl PictureKind {
    /// The rules of this kind. The contract's `MediaKind`.
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
    /// The stable code for the field error at `/file`. `TOO_LARGE` is a body too large, no field error.
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

/// Makes our pictures of `upload`. Burns a core for up to a second and a half, most of it over PNGs (measured).
///
/// # Errors
/// [`ImageProblem`]
pub fn process(upload: &[u8], kind: PictureKind) -> Result<Processed, ImageProblem> {
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
        let bytes = match from.within(side) {
            Some(smaller) => last.insert(smaller).encode(encoding)?,
            None => bytes.clone(),
        };
        let (width, height) = last.as_ref().unwrap_or(&whole).size();
        variants.push(Variant { name, width, height, bytes });
    }
    let (width, height) = whole.size();
    let smaller = variants.iter().map(|copy| ((copy.width, copy.height), copy.bytes.clone()));
    let encoded: Vec<_> = std::iter::once(((width, height), bytes.clone())).chain(smaller).collect();
    let renditions = renditions::make(&whole, kind, encoding, &encoded)?;
    Ok(Processed { media_type: encoding.media_type(), width, height, bytes, variants, renditions })
}

/// Makes the copies for pages of a picture that is kept already.
///
/// # Errors
/// [`ImageProblem`]
pub fn renditions_of(kept: &Bytes, kind: PictureKind) -> Result<Vec<Rendition>, ImageProblem> {
    // What is kept is sRGB.
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
