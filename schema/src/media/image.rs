//! From an upload to pictures of our own: what comes in is never what goes out.
//!
//! The type is read from the content, the size before anything is decoded, decoding has limits, and
//! every picture is encoded anew, which leaves metadata, trailing bytes and second meanings behind
//! (specification: design/security.md, 14). The same upload always gives the same bytes.
use bytes::Bytes;

use crate::keep::lane::{Lane, LaneError};

mod scale;
mod source;
#[cfg(test)]
mod tests;

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

/// What a kind of picture must be, and the sizes that are made of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PictureRules {
    /// Least width in pixels, after the orientation in its metadata was applied.
    pub least_width: u32,
    /// Least height in pixels.
    pub least_height: u32,
    /// Narrowest shape allowed, as width to height.
    pub narrowest: (u32, u32),
    /// Widest shape allowed, as width to height.
    pub widest: (u32, u32),
    /// The variants: name, and width in pixels. A smaller picture is never blown up: its variant
    /// then has its own width.
    pub variants: &'static [(&'static str, u32)],
}

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
    /// Its smaller sizes, all those that the kind names, in that order.
    pub variants: Vec<Variant>,
}

/// A smaller size of a picture.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Variant {
    /// As the kind's rules name it.
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
    /// More than [`MOST_PIXELS`], or too much memory needed to decode it.
    #[error("the picture has more than 40 megapixels")]
    TooManyPixels,
    /// Smaller than its kind needs.
    #[error("the picture must be at least {width} pixels wide and {height} pixels high")]
    TooSmall {
        /// Least width in pixels.
        width: u32,
        /// Least height in pixels.
        height: u32,
    },
    /// Of another shape than its kind needs.
    #[error(
        "the picture's width must be between {}:{} and {}:{} of its height",
        narrowest.0, narrowest.1, widest.0, widest.1
    )]
    WrongShape {
        /// Narrowest shape allowed, as width to height.
        narrowest: (u32, u32),
        /// Widest shape allowed, as width to height.
        widest: (u32, u32),
    },
    /// Cut off, or not decodable.
    #[error("the picture is damaged and cannot be decoded")]
    Damaged,
}

/// Why an upload has no pictures.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ImageError {
    /// The upload is refused; the caller can mend it.
    #[error(transparent)]
    Refused(#[from] ImageProblem),
    /// Too many uploads wait already: 503 with Retry-After.
    #[error("too many pictures are being processed")]
    Overloaded,
}

/// Largest upload in bytes. specification: design/security.md, 14.
pub const LARGEST_UPLOAD: usize = 8 * 1024 * 1024;
/// Most pixels of an upload. specification: design/security.md, 14.
pub const MOST_PIXELS: u64 = 40_000_000;
/// Longest side, in pixels, of a picture that is kept; larger ones are scaled down to it.
pub const LONGEST_SIDE: u32 = 4_096;

impl PictureKind {
    /// The rules of this kind.
    pub const fn rules(self) -> PictureRules {
        match self {
            PictureKind::Icon => PictureRules {
                least_width: 512,
                least_height: 512,
                narrowest: (1, 1),
                widest: (1, 1),
                variants: &[("512", 512), ("128", 128), ("64", 64)],
            },
            PictureKind::Screenshot => PictureRules {
                least_width: 640,
                least_height: 320,
                narrowest: (1, 3),
                widest: (3, 1),
                variants: &[("1280", 1_280), ("640", 640), ("320", 320)],
            },
            PictureKind::Banner => PictureRules {
                least_width: 1_200,
                least_height: 300,
                narrowest: (2, 1),
                widest: (4, 1),
                variants: &[("1200", 1_200), ("600", 600), ("300", 300)],
            },
        }
    }
}

impl ImageProblem {
    /// The stable code for a field error.
    pub fn code(self) -> &'static str {
        match self {
            ImageProblem::TooManyBytes => "MEDIA_TOO_LARGE",
            ImageProblem::UnknownType => "MEDIA_TYPE_UNSUPPORTED",
            ImageProblem::Animated => "MEDIA_ANIMATED",
            ImageProblem::TooManyPixels => "MEDIA_TOO_MANY_PIXELS",
            ImageProblem::TooSmall { .. } => "MEDIA_TOO_SMALL",
            ImageProblem::WrongShape { .. } => "MEDIA_WRONG_SHAPE",
            ImageProblem::Damaged => "MEDIA_DAMAGED",
        }
    }
}

/// Processes pictures away from the async threads, few at a time. Cheap to clone.
///
/// A picture of 40 megapixels takes up to 460 MB while it is worked on (measured), so one permit is the right number for a
/// small machine.
#[derive(Clone, Debug)]
pub struct ImageWorkshop(Lane);

impl ImageWorkshop {
    /// A workshop that works on `permits` pictures at once and lets `queue` more wait.
    pub fn new(permits: usize, queue: usize) -> ImageWorkshop {
        ImageWorkshop(Lane::new(permits, queue))
    }

    /// [`process`], when it is its turn.
    ///
    /// # Errors
    /// [`ImageError`]. A decoder that panics has met a damaged picture.
    pub async fn process(&self, upload: Bytes, kind: PictureKind) -> Result<Processed, ImageError> {
        match self.0.run(move || process(&upload, kind)).await {
            Ok(result) => Ok(result?),
            Err(LaneError::Overloaded) => Err(ImageError::Overloaded),
            Err(LaneError::Broken) => Err(ImageProblem::Damaged.into()),
        }
    }
}

/// Makes our pictures of `upload`. Burns a core for up to a few seconds.
///
/// # Errors
/// [`ImageProblem`]
pub fn process(upload: &[u8], kind: PictureKind) -> Result<Processed, ImageProblem> {
    let rules = kind.rules();
    let source = source::read(upload)?;
    check_size(source.width, source.height, &rules)?;
    let (picture, encoding) = source.decode()?;
    let mut canvas = scale::Canvas::new(picture);
    canvas.shrink_to(LONGEST_SIDE);
    let encoding = encoding.for_transparency(canvas.has_alpha());
    let bytes = canvas.encode(encoding)?;
    let (width, height) = canvas.size();
    let mut variants = Vec::with_capacity(rules.variants.len());
    for &(name, wanted) in rules.variants {
        let smaller = canvas.at_width(wanted);
        let (width, height) = smaller.size();
        variants.push(Variant { name, width, height, bytes: smaller.encode(encoding)? });
    }
    Ok(Processed { media_type: encoding.media_type(), width, height, bytes, variants })
}

fn check_size(width: u32, height: u32, rules: &PictureRules) -> Result<(), ImageProblem> {
    let (wide, high) = (u64::from(width), u64::from(height));
    if wide.saturating_mul(high) > MOST_PIXELS {
        return Err(ImageProblem::TooManyPixels);
    }
    if width < rules.least_width || height < rules.least_height {
        return Err(ImageProblem::TooSmall { width: rules.least_width, height: rules.least_height });
    }
    let (narrowest, widest) = (rules.narrowest, rules.widest);
    let is_too_narrow = wide * u64::from(narrowest.1) < high * u64::from(narrowest.0);
    let is_too_wide = wide * u64::from(widest.1) > high * u64::from(widest.0);
    if is_too_narrow || is_too_wide {
        return Err(ImageProblem::WrongShape { narrowest, widest });
    }
    Ok(())
}
