//! Reads an upload: checks its type, size and completeness, then decodes it.
use std::io::Cursor;

use image::codecs::jpeg::JpegDecoder;
use image::codecs::png::PngDecoder;
use image::codecs::webp::WebPDecoder;
use image::error::ImageError as CodecError;
use image::metadata::Orientation;
use image::{DynamicImage, ImageDecoder, Limits};

use super::colour::ColourSpace;
use super::scale::Encoding;
use super::{ImageProblem, LARGEST_UPLOAD, MOST_PIXELS, webp};

/// Most memory that a decoder may allocate: 24 megapixels of four bytes, plus a margin.
const MOST_MEMORY: u64 = 4 * MOST_PIXELS + 16 * 1024 * 1024;
/// Most scans of a progressive JPEG. Encoders write about ten; each scan costs a pass over all pixels.
const MOST_SCANS: usize = 20;

/// An upload whose headers describe a picture of an accepted size.
pub(super) struct Source<'a> {
    bytes: &'a [u8],
    format: Format,
    orientation: Orientation,
    /// Width in pixels after rotation.
    pub(super) width: u32,
    /// Height in pixels after rotation.
    pub(super) height: u32,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Format {
    Png,
    Jpeg,
    LosslessWebp,
    LossyWebp,
}

/// Inspects an upload without decoding its pixels.
pub(super) fn read(bytes: &[u8]) -> Result<Source<'_>, ImageProblem> {
    if bytes.len() > LARGEST_UPLOAD {
        return Err(ImageProblem::TooManyBytes);
    }
    let (format, bytes) = format_of(bytes)?;
    let size = imagesize::blob_size(bytes).map_err(|_| ImageProblem::Damaged)?;
    let pixels = (size.width as u64).saturating_mul(size.height as u64);
    if pixels > MOST_PIXELS {
        return Err(ImageProblem::TooManyPixels);
    }
    if format == Format::Jpeg && !is_whole_jpeg(bytes) {
        return Err(ImageProblem::Damaged);
    }
    let mut decoder = decoder_of(bytes, format)?;
    let orientation = decoder.orientation().map_err(problem)?;
    // From here on, the dimensions of the decoder count. The library may have read another header before.
    let (mut width, mut height) = decoder.dimensions();
    if u64::from(width).saturating_mul(u64::from(height)) > MOST_PIXELS {
        return Err(ImageProblem::TooManyPixels);
    }
    if is_turned_sideways(orientation) {
        (width, height) = (height, width);
    }
    Ok(Source { bytes, format, orientation, width, height })
}

impl Source<'_> {
    /// Decodes the pixels and applies the EXIF orientation. Also returns the best encoding and the colour space.
    pub(super) fn decode(self) -> Result<(DynamicImage, Encoding, ColourSpace), ImageProblem> {
        let mut decoder = decoder_of(self.bytes, self.format)?;
        if decoder.total_bytes() > MOST_MEMORY {
            return Err(ImageProblem::TooManyPixels);
        }
        let is_grey = !decoder.color_type().has_color();
        // An unreadable profile is treated as missing.
        let profile = decoder.icc_profile().ok().flatten();
        let png = (self.format == Format::Png).then_some(self.bytes);
        let colours = ColourSpace::find(png, profile.as_deref(), is_grey);
        let mut picture = DynamicImage::from_decoder(decoder).map_err(problem)?;
        picture.apply_orientation(self.orientation);
        let encoding = match self.format {
            Format::Png => Encoding::Png,
            Format::Jpeg => Encoding::Jpeg,
            Format::LosslessWebp => Encoding::Webp,
            Format::LossyWebp => Encoding::JpegOrWebp,
        };
        Ok((picture, encoding, colours))
    }
}

fn decoder_of(bytes: &[u8], format: Format) -> Result<Box<dyn ImageDecoder + '_>, ImageProblem> {
    let mut limits = Limits::default();
    limits.max_alloc = Some(MOST_MEMORY);
    let input = Cursor::new(bytes);
    let mut decoder: Box<dyn ImageDecoder + '_> = match format {
        Format::Png => {
            let decoder = PngDecoder::with_limits(input, limits.clone()).map_err(problem)?;
            if decoder.is_apng().map_err(problem)? {
                return Err(ImageProblem::Animated);
            }
            Box::new(decoder)
        }
        Format::Jpeg => Box::new(JpegDecoder::new(input).map_err(problem)?),
        Format::LosslessWebp | Format::LossyWebp => Box::new(WebPDecoder::new(input).map_err(problem)?),
    };
    decoder.set_limits(limits).map_err(problem)?;
    Ok(decoder)
}

fn problem(error: CodecError) -> ImageProblem {
    match error {
        CodecError::Limits(_) => ImageProblem::TooManyPixels,
        _ => ImageProblem::Damaged,
    }
}

fn is_turned_sideways(orientation: Orientation) -> bool {
    matches!(
        orientation,
        Orientation::Rotate90 | Orientation::Rotate270 | Orientation::Rotate90FlipH | Orientation::Rotate270FlipH
    )
}

/// Returns the format by the first bytes, and the file without the data after a WebP. The uploaded name and media type
/// are never used.
fn format_of(bytes: &[u8]) -> Result<(Format, &[u8]), ImageProblem> {
    if bytes.starts_with(b"\x89PNG\r\n\x1a\n") {
        Ok((Format::Png, bytes))
    } else if bytes.starts_with(&[0xff, 0xd8, 0xff]) {
        Ok((Format::Jpeg, bytes))
    } else if bytes.starts_with(b"RIFF") && bytes.get(8..12) == Some(b"WEBP") {
        let webp = webp::read(bytes)?;
        Ok((if webp.is_lossless { Format::LosslessWebp } else { Format::LossyWebp }, webp.bytes))
    } else {
        Err(ImageProblem::UnknownType)
    }
}

/// Whether a JPEG reaches its end marker, with no more scans than an encoder writes. The decoder would fill missing
/// data with grey and continue.
pub(super) fn is_whole_jpeg(bytes: &[u8]) -> bool {
    const END: u8 = 0xd9;
    const SCAN: u8 = 0xda;
    let mut rest = bytes.get(2..).unwrap_or_default();
    let mut scans = 0;
    while let Some((marker, after)) = next_marker(rest) {
        if marker == END {
            return scans > 0 && scans <= MOST_SCANS;
        }
        let Some((length, _)) = after.split_first_chunk::<2>() else {
            return false;
        };
        let Some(content) = after.get(usize::from(u16::from_be_bytes(*length))..) else {
            return false;
        };
        rest = content;
        if marker == SCAN {
            scans += 1;
            rest = after_scan(content);
        }
    }
    false
}

/// Returns the marker at the start of `bytes` and the bytes after it. Any number of 0xFF bytes may precede it.
fn next_marker(bytes: &[u8]) -> Option<(u8, &[u8])> {
    let (&first, mut rest) = bytes.split_first()?;
    if first != 0xff {
        return None;
    }
    loop {
        let (&byte, after) = rest.split_first()?;
        if byte != 0xff {
            return Some((byte, after));
        }
        rest = after;
    }
}

/// Skips the data of a scan, up to the next marker that is neither a stuffed zero nor a restart.
fn after_scan(bytes: &[u8]) -> &[u8] {
    let end = bytes
        .windows(2)
        .position(|pair| matches!(pair, [0xff, second] if !matches!(second, 0x00 | 0xd0..=0xd7 | 0xff)));
    end.and_then(|end| bytes.get(end..)).unwrap_or_default()
}
