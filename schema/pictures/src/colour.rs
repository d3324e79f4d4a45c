//! Detects the colour space of an upload and converts its pixels to sRGB.
//!
//! Pictures are stored without a profile, and a picture without a profile is sRGB. Therefore, an upload in another
//! space is converted, for example a phone photo or a screenshot of a wide-gamut display. A PNG can name its space in
//! up to four ways. The first usable one of `cICP`, `iCCP`, `sRGB`, and `gAMA` with `cHRM` counts (PNG 3rd edition,
//! 4.3).
//!
//! A profile is used if it is not larger than [`LARGEST_PROFILE`] and is an RGB profile, or a grey profile in a grey
//! picture. The decoder has already converted a CMYK JPEG, so its profile no longer applies. Unusable colour data is
//! ignored: the upload is accepted as sRGB, as in browsers.

use moxcms::{
    Chromaticity, CicpColorPrimaries, CicpProfile, ColorPrimaries, ColorProfile, DataColorSpace, Layout,
    MatrixCoefficients, RenderingIntent, ToneReprCurve, TransferCharacteristics, TransformOptions,
};

/// Largest profile, in bytes. Profiles of displays and cameras have a few kilobytes, profiles of printers up to one or
/// two megabytes.
const LARGEST_PROFILE: usize = 4 * 1024 * 1024;
/// Largest number of PNG chunks that are read before the pixel data.
const MOST_CHUNKS: usize = 1_000;
/// `gAMA` value of files that are meant as sRGB, and the allowed deviation from it, as in libpng.
const SRGB_GAMMA: u32 = 45_455;
const NEAR_SRGB_GAMMA: u32 = SRGB_GAMMA / 20;
/// Accepted values of `gAMA`.
const GAMMAS: std::ops::RangeInclusive<u32> = 10_000..=1_000_000;
/// Number of values per channel that are tested to find out whether a conversion changes any pixel.
const TRIED: u8 = 6;

/// The colour space of an upload.
pub(super) struct ColourSpace(Option<Box<ColorProfile>>);

impl ColourSpace {
    /// Finds the colour space of an upload from its profile and, for a PNG, from its chunks.
    pub(super) fn find(png: Option<&[u8]>, profile: Option<&[u8]>, is_grey: bool) -> Self {
        let chunks = png.map(PngColours::read).unwrap_or_default();
        let found = chunks.code_points.and_then(from_code_points).or_else(|| from_profile(profile?, is_grey));
        let found =
            found.or_else(|| if chunks.is_srgb { None } else { from_gamma(chunks.gamma, chunks.chromaticities) });
        Self(found.map(Box::new))
    }

    /// Converts pixels of this space to sRGB, in place. Pixels that cannot be converted stay unchanged.
    pub(super) fn convert_to_srgb(&self, pixels: &mut [u8], layout: Layout) {
        let Some(profile) = &self.0 else { return };
        let srgb = ColorProfile::new_srgb();
        let intents = [RenderingIntent::RelativeColorimetric, RenderingIntent::Perceptual];
        let transform = intents.into_iter().find_map(|rendering_intent| {
            let options = TransformOptions { rendering_intent, ..TransformOptions::default() };
            profile.create_transform_8bit(layout, &srgb, layout, options).ok()
        });
        let Some(transform) = transform else { return };
        let convert = |from: &[u8]| {
            let mut to = vec![0; from.len()];
            transform.transform(from, &mut to).is_ok().then_some(to)
        };
        // Most profiles describe sRGB itself. Their pictures keep every pixel unchanged.
        let tried = grid(layout);
        let is_same = |after: &Vec<u8>| after.iter().zip(&tried).all(|(one, other)| one.abs_diff(*other) <= 1);
        if convert(&tried).is_none_or(|after| is_same(&after)) {
            return;
        }
        if let Some(converted) = convert(pixels) {
            pixels.copy_from_slice(&converted);
        }
    }
}

/// Returns pixels with all combinations of a few values per channel.
fn grid(layout: Layout) -> Vec<u8> {
    let value = |step: u8| step * (u8::MAX / (TRIED - 1));
    let mut pixels = Vec::new();
    for red in 0..TRIED {
        for green in 0..TRIED {
            for blue in 0..TRIED {
                pixels.extend([red, green, blue].map(value));
                if layout == Layout::Rgba {
                    pixels.push(u8::MAX);
                }
            }
        }
    }
    pixels
}

/// Returns the RGB colour space of an ICC profile.
fn from_profile(profile: &[u8], is_grey: bool) -> Option<ColorProfile> {
    if profile.len() > LARGEST_PROFILE {
        return None;
    }
    let profile = ColorProfile::new_from_slice(profile).ok()?;
    match profile.color_space {
        DataColorSpace::Rgb => Some(profile),
        DataColorSpace::Gray if is_grey => Some(with_curve(ColorProfile::new_srgb(), profile.gray_trc?)),
        _ => None,
    }
}

/// Returns the colour space for the code points of a `cICP` chunk (ITU-T H.273). HDR code points need more than a
/// conversion and are ignored.
fn from_code_points([primaries, transfer, matrix, full_range]: [u8; 4]) -> Option<ColorProfile> {
    use TransferCharacteristics as Transfer;
    let transfer = match transfer {
        1 | 6 | 14 | 15 => Transfer::Bt709,
        4 => Transfer::Bt470M,
        5 => Transfer::Bt470Bg,
        8 => Transfer::Linear,
        13 => Transfer::Srgb,
        _ => return None,
    };
    let primaries = match primaries {
        1 => CicpColorPrimaries::Bt709,
        9 => CicpColorPrimaries::Bt2020,
        11 => CicpColorPrimaries::Smpte431,
        12 => CicpColorPrimaries::Smpte432,
        _ => return None,
    };
    if (matrix, full_range) != (0, 1) {
        return None;
    }
    Some(ColorProfile::new_from_cicp(CicpProfile {
        color_primaries: primaries,
        transfer_characteristics: transfer,
        matrix_coefficients: MatrixCoefficients::Identity,
        full_range: true,
    }))
}

/// Returns the colour space of a PNG's `gAMA` and `cHRM`. A missing chunk defaults to the sRGB value.
fn from_gamma(gamma: Option<u32>, chromaticities: Option<[u32; 8]>) -> Option<ColorProfile> {
    let gamma = gamma.filter(|gamma| GAMMAS.contains(gamma) && gamma.abs_diff(SRGB_GAMMA) > NEAR_SRGB_GAMMA);
    let chromaticities = chromaticities.and_then(points);
    if gamma.is_none() && chromaticities.is_none() {
        return None;
    }
    let mut profile = ColorProfile::new_srgb();
    profile.cicp = None;
    if let Some([white, red, green, blue]) = chromaticities {
        profile.update_rgb_colorimetry(white.to_xyyb(), ColorPrimaries { red, green, blue });
    }
    Some(match gamma {
        Some(gamma) => with_curve(profile, ToneReprCurve::Parametric(vec![100_000.0 / gamma as f32])),
        None => profile,
    })
}

/// Returns white, red, green and blue of a `cHRM` chunk, if they span a colour space.
fn points(written: [u32; 8]) -> Option<[Chromaticity; 4]> {
    let [white_x, white_y, red_x, red_y, green_x, green_y, blue_x, blue_y] =
        written.map(|value| value as f32 / 100_000.0);
    let points = [(white_x, white_y), (red_x, red_y), (green_x, green_y), (blue_x, blue_y)];
    let is_colour = |(x, y): (f32, f32)| x > 0.0 && y > 0.01 && x + y <= 1.0;
    let area = (green_x - red_x) * (blue_y - red_y) - (blue_x - red_x) * (green_y - red_y);
    let spans = points.into_iter().all(is_colour) && area.abs() > 0.01;
    spans.then(|| points.map(|(x, y)| Chromaticity::new(x, y)))
}

/// Returns the profile with this tone curve for all channels.
fn with_curve(mut profile: ColorProfile, curve: ToneReprCurve) -> ColorProfile {
    profile.cicp = None;
    profile.red_trc = Some(curve.clone());
    profile.green_trc = Some(curve.clone());
    profile.blue_trc = Some(curve);
    profile
}

/// Colour information of a PNG, except its ICC profile.
#[derive(Default)]
struct PngColours {
    /// `cICP`.
    code_points: Option<[u8; 4]>,
    /// `sRGB`.
    is_srgb: bool,
    /// `gAMA`.
    gamma: Option<u32>,
    /// `cHRM`.
    chromaticities: Option<[u32; 8]>,
}

impl PngColours {
    /// Reads the chunks before the pixel data. The decoder has already checked that the file is a PNG.
    fn read(png: &[u8]) -> Self {
        let mut colours = Self::default();
        let mut rest = png.get(8..).unwrap_or_default();
        for _ in 0..MOST_CHUNKS {
            let Some((name, content, after)) = next_chunk(rest) else { break };
            match name {
                b"IDAT" | b"IEND" => break,
                b"cICP" => colours.code_points = content.try_into().ok(),
                b"sRGB" => colours.is_srgb = true,
                b"gAMA" => colours.gamma = numbers(content).map(|[gamma]| gamma),
                b"cHRM" => colours.chromaticities = numbers(content),
                _ => {}
            }
            rest = after;
        }
        colours
    }
}

/// Returns the name and content of the first chunk, and the bytes after its checksum.
fn next_chunk(bytes: &[u8]) -> Option<(&[u8; 4], &[u8], &[u8])> {
    let (length, after) = bytes.split_first_chunk::<4>()?;
    let (name, after) = after.split_first_chunk::<4>()?;
    let (content, after) = after.split_at_checked(usize::try_from(u32::from_be_bytes(*length)).ok()?)?;
    Some((name, content, after.get(4..)?))
}

/// Returns the numbers of a chunk, if it contains exactly `N`.
fn numbers<const N: usize>(content: &[u8]) -> Option<[u32; N]> {
    let (numbers, rest) = content.as_chunks::<4>();
    let numbers: [[u8; 4]; N] = numbers.try_into().ok()?;
    rest.is_empty().then(|| numbers.map(u32::from_be_bytes))
}
