//! Scaling and encoding.
use std::io::Cursor;

use bytes::Bytes;
use image::codecs::jpeg::JpegEncoder;
use image::codecs::png::{CompressionType, FilterType as PngFilter, PngEncoder};
use image::codecs::webp::WebPEncoder;
use image::imageops::FilterType;
use image::{DynamicImage, RgbaImage};
use moxcms::Layout;

use super::ImageProblem;
use super::colour::ColourSpace;

/// Output encoding of a picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Encoding {
    Png,
    Jpeg,
    Webp,
    /// Output for a lossy WebP upload. The WebP encoder here is lossless and would make it many times larger.
    /// Therefore, it becomes a JPEG unless parts of it are transparent.
    JpegOrWebp,
}

/// Compression level of PNGs. The default of the library costs three to five times as much and saves a tenth of the
/// bytes.
const PNG_LEVEL: CompressionType = CompressionType::Level(3);
/// Quality of JPEGs, of 100: no visible loss compared with the upload.
const JPEG_QUALITY: u8 = 90;

impl Encoding {
    /// Returns the encoding for a picture with or without transparent parts.
    pub(super) fn for_transparency(self, has_alpha: bool) -> Encoding {
        match self {
            Encoding::JpegOrWebp if has_alpha => Encoding::Webp,
            Encoding::JpegOrWebp => Encoding::Jpeg,
            settled => settled,
        }
    }

    pub(super) fn media_type(self) -> &'static str {
        match self {
            Encoding::Png => "image/png",
            Encoding::Jpeg | Encoding::JpegOrWebp => "image/jpeg",
            Encoding::Webp => "image/webp",
        }
    }
}

/// A decoded picture in one of two forms: RGB, or RGBA if part of it is transparent.
pub(super) struct Canvas(DynamicImage);

impl Canvas {
    /// Converts to eight bits per channel and drops an alpha channel that is fully opaque.
    pub(super) fn new(picture: DynamicImage) -> Canvas {
        if !picture.color().has_alpha() {
            return Canvas(picture.into_rgb8().into());
        }
        let picture = picture.into_rgba8();
        if picture.pixels().all(|pixel| pixel.0[3] == u8::MAX) {
            Canvas(DynamicImage::from(picture).into_rgb8().into())
        } else {
            Canvas(picture.into())
        }
    }

    /// Converts the colours to sRGB.
    pub(super) fn convert_to_srgb(&mut self, colours: &ColourSpace) {
        match &mut self.0 {
            DynamicImage::ImageRgb8(pixels) => colours.convert_to_srgb(pixels, Layout::Rgb),
            DynamicImage::ImageRgba8(pixels) => colours.convert_to_srgb(pixels, Layout::Rgba),
            _ => {}
        }
    }

    pub(super) fn has_alpha(&self) -> bool {
        self.0.color().has_alpha()
    }

    /// Width and height in pixels.
    pub(super) fn size(&self) -> (u32, u32) {
        (self.0.width(), self.0.height())
    }

    /// Scales the picture down until its longer side is at most `side` pixels. Works in place where possible, because
    /// pictures are largest here.
    pub(super) fn shrink_to(&mut self, side: u32) {
        if let Some((width, height)) = self.fit_size(side) {
            let picture = std::mem::take(&mut self.0);
            self.0 = scale_weighted(picture, |picture| average_down(picture, width, height));
        }
    }

    /// Returns the picture scaled down to fit a square of `side` pixels; `None` if it already fits.
    pub(super) fn scale_to_fit(&self, side: u32) -> Option<Canvas> {
        let (width, height) = self.fit_size(side)?;
        Some(Canvas(scale_down(self.0.clone(), width, height)))
    }

    /// Returns the picture scaled down to this width; `None` if it is not wider.
    pub(super) fn scale_to_width(&self, width: u32) -> Option<Canvas> {
        let (own_width, own_height) = self.size();
        let height = scale_length(own_height, width, own_width);
        (own_width > width).then(|| Canvas(scale_down(self.0.clone(), width, height)))
    }

    /// Returns the size that fits a square of `side` pixels; `None` if the picture already fits.
    fn fit_size(&self, side: u32) -> Option<(u32, u32)> {
        let (width, height) = self.size();
        let longer = width.max(height);
        (longer > side).then(|| (scale_length(width, side, longer), scale_length(height, side, longer)))
    }

    /// Encodes the picture without metadata.
    pub(super) fn encode(&self, encoding: Encoding) -> Result<Bytes, ImageProblem> {
        let mut out = Cursor::new(Vec::new());
        let written = match encoding {
            Encoding::Png => {
                self.0.write_with_encoder(PngEncoder::new_with_quality(&mut out, PNG_LEVEL, PngFilter::Adaptive))
            }
            Encoding::Jpeg | Encoding::JpegOrWebp => {
                self.0.write_with_encoder(JpegEncoder::new_with_quality(&mut out, JPEG_QUALITY))
            }
            Encoding::Webp => self.0.write_with_encoder(WebPEncoder::new_lossless(&mut out)),
        };
        written.map_err(|_| ImageProblem::Damaged)?;
        Ok(out.into_inner().into())
    }
}

/// Scales down in two steps: averages to twice the size, then applies a high-quality filter.
fn scale_down(picture: DynamicImage, width: u32, height: u32) -> DynamicImage {
    scale_weighted(picture, |picture| {
        let halfway = |own: u32, wanted: u32| own.min(wanted.saturating_mul(2));
        let (own_width, own_height) = (picture.width(), picture.height());
        let (middle_width, middle_height) = (halfway(own_width, width), halfway(own_height, height));
        let is_far = (middle_width, middle_height) != (own_width, own_height);
        let middle = is_far.then(|| average_down(picture, middle_width, middle_height));
        let picture = middle.as_ref().unwrap_or(picture);
        picture.resize_exact(width, height, FilterType::CatmullRom)
    })
}

/// Scales down by averaging. This is fast and avoids the sixteen bytes a pixel that the high-quality filter needs.
fn average_down(picture: &DynamicImage, width: u32, height: u32) -> DynamicImage {
    picture.thumbnail_exact(width, height)
}

/// Scales with colours weighted by their alpha. Otherwise, the invisible colour of transparent pixels would bleed into
/// the edges.
fn scale_weighted(mut picture: DynamicImage, scale: impl FnOnce(&DynamicImage) -> DynamicImage) -> DynamicImage {
    if let DynamicImage::ImageRgba8(pixels) = &mut picture {
        weigh(pixels);
    }
    let mut smaller = scale(&picture);
    if let DynamicImage::ImageRgba8(pixels) = &mut smaller {
        unweigh(pixels);
    }
    smaller
}

/// Computes `length` × `wanted` / `own`, rounded, at least one.
fn scale_length(length: u32, wanted: u32, own: u32) -> u32 {
    let own = u64::from(own.max(1));
    let scaled = (u64::from(length) * u64::from(wanted) + own / 2) / own;
    u32::try_from(scaled).unwrap_or(u32::MAX).max(1)
}

fn weigh(picture: &mut RgbaImage) {
    for pixel in picture.pixels_mut() {
        let [red, green, blue, alpha] = pixel.0;
        let scale_weighted = |colour: u8| ((u16::from(colour) * u16::from(alpha) + 127) / 255) as u8;
        pixel.0 = [scale_weighted(red), scale_weighted(green), scale_weighted(blue), alpha];
    }
}

fn unweigh(picture: &mut RgbaImage) {
    for pixel in picture.pixels_mut() {
        let [red, green, blue, alpha] = pixel.0;
        let divisor = u16::from(alpha.max(1));
        let plain = |colour: u8| ((u16::from(colour) * 255 + divisor / 2) / divisor).min(255) as u8;
        pixel.0 = [plain(red), plain(green), plain(blue), alpha];
    }
}
