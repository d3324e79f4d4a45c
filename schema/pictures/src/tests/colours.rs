//! Tests with uploads whose colours are not sRGB.
use image::codecs::jpeg::JpegEncoder;
use image::codecs::png::PngEncoder;
use image::{GrayImage, ImageEncoder, Luma};
use moxcms::{ColorProfile, Layout};

use super::hostile::chunk;
use super::*;
use crate::colour::ColourSpace;

/// A colour in Display P3. Its sRGB value is computed with the formulas of IEC 61966-2-1 and the primaries of SMPTE EG
/// 432-1.
const OF_P3: [u8; 3] = [200, 100, 50];

fn p3_in_srgb(colour: [u8; 3]) -> [u8; 3] {
    let linear = colour.map(|value| {
        let value = f64::from(value) / 255.0;
        if value <= 0.040_45 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) }
    });
    let rows = [[1.2249, -0.2247, 0.0], [-0.0420, 1.0419, 0.0], [-0.0197, -0.0786, 1.0979]];
    rows.map(|row| {
        let value: f64 = row.iter().zip(linear).map(|(factor, value)| factor * value).sum();
        let value = value.clamp(0.0, 1.0);
        let value = if value <= 0.003_130_8 { value * 12.92 } else { 1.055 * value.powf(1.0 / 2.4) - 0.055 };
        (value * 255.0).round() as u8
    })
}

fn plain(colour: [u8; 3]) -> DynamicImage {
    RgbImage::from_pixel(640, 640, Rgb(colour)).into()
}

fn with_profile(picture: &DynamicImage, format: ImageFormat, profile: Vec<u8>) -> Vec<u8> {
    fn write(mut encoder: impl ImageEncoder, picture: &DynamicImage, profile: Vec<u8>) {
        encoder.set_icc_profile(profile).unwrap();
        picture.write_with_encoder(encoder).unwrap();
    }
    let mut out = Cursor::new(Vec::new());
    match format {
        ImageFormat::Jpeg => write(JpegEncoder::new_with_quality(&mut out, 100), picture, profile),
        ImageFormat::Png => write(PngEncoder::new(&mut out), picture, profile),
        _ => write(WebPEncoder::new_lossless(&mut out), picture, profile),
    }
    out.into_inner()
}

/// Builds a PNG with additional chunks after its header.
fn with_chunks(picture: &DynamicImage, chunks: &[(&[u8; 4], Vec<u8>)]) -> Vec<u8> {
    let mut png = encoded(picture, ImageFormat::Png);
    let header = 8 + 25;
    let further: Vec<u8> = chunks.iter().flat_map(|(name, content)| chunk(name, content)).collect();
    png.splice(header..header, further);
    png
}

fn numbers(values: &[u32]) -> Vec<u8> {
    values.iter().flat_map(|value| value.to_be_bytes()).collect()
}

/// `cHRM` of Display P3.
fn p3_points() -> Vec<u8> {
    numbers(&[31_270, 32_900, 68_000, 32_000, 26_500, 69_000, 15_000, 6_000])
}

/// Returns the colour in the middle of each picture made from an upload.
fn colours_of(upload: &[u8]) -> Vec<[u8; 3]> {
    let made = process(upload, PictureKind::Icon).unwrap();
    let variants = made.variants.iter().map(|copy| (&copy.bytes, made.media_type));
    let renditions = made.renditions.iter().map(|copy| (&copy.bytes, copy.media_type));
    let pictures = std::iter::once((&made.bytes, made.media_type)).chain(variants).chain(renditions);
    pictures
        .map(|(bytes, media_type)| {
            let picture = decoded(bytes, media_type);
            colour_at(&picture, picture.width() / 2, picture.height() / 2)
        })
        .collect()
}

fn assert_near(found: &[[u8; 3]], expected: [u8; 3], most: u8, what: &str) {
    let is_near = |colour: &[u8; 3]| colour.iter().zip(expected).all(|(one, other)| one.abs_diff(other) <= most);
    assert!(found.len() > 1 && found.iter().all(is_near), "{what}: {found:?} is not {expected:?}");
}

#[test]
fn wide_gamut_uploads_are_converted_in_all_sizes() {
    let profile = ColorProfile::new_display_p3().encode().unwrap();
    let expected = p3_in_srgb(OF_P3);
    assert!(expected.iter().zip(OF_P3).any(|(one, other)| one.abs_diff(other) > 5), "{expected:?}");
    for (format, most) in [(ImageFormat::Png, 2), (ImageFormat::WebP, 2), (ImageFormat::Jpeg, 4)] {
        let upload = with_profile(&plain(OF_P3), format, profile.clone());
        assert_near(&colours_of(&upload), expected, most, &format!("{format:?}"));
    }
}

#[test]
fn wide_gamut_uploads_keep_transparency() {
    let profile = ColorProfile::new_display_p3().encode().unwrap();
    let [red, green, blue] = OF_P3;
    let picture = RgbaImage::from_pixel(300, 300, Rgba([red, green, blue, 77])).into();
    let made = process(&with_profile(&picture, ImageFormat::Png, profile), PictureKind::Icon).unwrap();
    let pixel = decoded(&made.bytes, made.media_type).to_rgba8().get_pixel(150, 150).0;
    assert_eq!(pixel[3], 77);
    assert_near(&[[pixel[0], pixel[1], pixel[2]]; 2], p3_in_srgb(OF_P3), 2, "RGBA");
}

#[test]
fn srgb_uploads_keep_each_pixel() {
    let profile = ColorProfile::new_srgb().encode().unwrap();
    for format in [ImageFormat::Png, ImageFormat::WebP] {
        let upload = with_profile(&fields(640, 640), format, profile.clone());
        let made = process(&upload, PictureKind::Icon).unwrap();
        assert_eq!(decoded(&made.bytes, made.media_type).to_rgb8(), fields(640, 640).to_rgb8(), "{format:?}");
    }
    for chunks in [
        vec![(b"sRGB", vec![0])],
        vec![(b"gAMA", numbers(&[45_455]))],
        vec![(b"sRGB", vec![0]), (b"gAMA", numbers(&[100_000])), (b"cHRM", p3_points())],
    ] {
        assert_eq!(colours_of(&with_chunks(&plain(OF_P3), &chunks))[0], OF_P3, "{chunks:?}");
    }
}

#[test]
fn png_colour_chunks_follow_standard_precedence() {
    let p3 = p3_in_srgb(OF_P3);
    let of_chunks = |chunks: &[(&[u8; 4], Vec<u8>)]| colours_of(&with_chunks(&plain(OF_P3), chunks));
    assert_near(&of_chunks(&[(b"cHRM", p3_points())]), p3, 2, "cHRM");
    assert_near(&of_chunks(&[(b"gAMA", numbers(&[45_455])), (b"cHRM", p3_points())]), p3, 2, "gAMA and cHRM");
    assert_near(&of_chunks(&[(b"cICP", vec![12, 13, 0, 1])]), p3, 2, "cICP");
    let both = [(b"cICP", vec![12, 13, 0, 1]), (b"sRGB", vec![0]), (b"gAMA", numbers(&[100_000]))];
    assert_near(&of_chunks(&both), p3, 2, "cICP before sRGB");
    // A linear value of 100 of 255 is 168 in sRGB.
    let linear = with_chunks(&plain([100, 100, 100]), &[(b"gAMA", numbers(&[100_000]))]);
    assert_near(&colours_of(&linear), [168, 168, 168], 2, "gAMA");
    // A profile has priority over other colour chunks.
    let mut profiled = with_profile(&plain(OF_P3), ImageFormat::Png, ColorProfile::new_display_p3().encode().unwrap());
    profiled.splice(33..33, chunk(b"gAMA", &numbers(&[100_000])));
    assert_near(&colours_of(&profiled), p3, 2, "iCCP before gAMA");
}

#[test]
fn invalid_png_colour_chunks_are_ignored() {
    for chunks in [
        vec![(b"gAMA", numbers(&[0]))],
        vec![(b"gAMA", numbers(&[u32::MAX]))],
        vec![(b"cHRM", numbers(&[0; 8]))],
        vec![(b"cHRM", numbers(&[u32::MAX; 8]))],
        vec![(b"cHRM", numbers(&[31_270, 32_900, 30_000, 30_000, 30_000, 30_000, 30_000, 30_000]))],
        vec![(b"cICP", vec![9, 16, 0, 1])],
        vec![(b"cICP", vec![0, 0, 0, 0])],
    ] {
        assert_eq!(colours_of(&with_chunks(&plain(OF_P3), &chunks))[0], OF_P3, "{chunks:?}");
    }
}

#[test]
fn grey_uploads_are_converted_by_grey_profiles_only() {
    let grey: DynamicImage = GrayImage::from_pixel(640, 640, Luma([100])).into();
    let linear = ColorProfile::new_gray_with_gamma(1.0).encode().unwrap();
    for format in [ImageFormat::Png, ImageFormat::Jpeg] {
        let upload = with_profile(&grey, format, linear.clone());
        assert_near(&colours_of(&upload), [168, 168, 168], 2, &format!("{format:?}"));
    }
    let upload = with_profile(&plain(OF_P3), ImageFormat::Png, linear);
    assert_eq!(colours_of(&upload)[0], OF_P3, "a colour has no profile of grey");
}

#[test]
fn unusable_profiles_are_ignored() {
    let p3 = ColorProfile::new_display_p3().encode().unwrap();
    let mut cmyk = p3.clone();
    cmyk[16..20].copy_from_slice(b"CMYK");
    let mut large = p3.clone();
    large.resize(5 * 1024 * 1024, 0);
    let cases = [Vec::new(), b"no profile".to_vec(), p3[..p3.len() / 2].to_vec(), cmyk, large];
    for (number, profile) in cases.into_iter().enumerate() {
        for format in [ImageFormat::Png, ImageFormat::WebP, ImageFormat::Jpeg] {
            let upload = with_profile(&plain(OF_P3), format, profile.clone());
            let most = if format == ImageFormat::Jpeg { 2 } else { 0 };
            if upload.len() <= LARGEST_UPLOAD {
                assert_near(&colours_of(&upload), OF_P3, most, &format!("{number} {format:?}"));
            }
        }
    }
}

/// Builds a one-colour CMYK JPEG, as used for print, with a CMYK profile.
fn cmyk_jpeg(width: u16, height: u16, profile: &[u8]) -> Vec<u8> {
    let segment = |marker: u8, content: &[u8]| {
        let length = u16::try_from(content.len() + 2).unwrap().to_be_bytes();
        [&[0xff, marker], &length[..], content].concat()
    };
    let (high, wide) = (height.to_be_bytes(), width.to_be_bytes());
    let frame = [&[8], &high[..], &wide, &[4, 1, 0x11, 0, 2, 0x11, 0, 3, 0x11, 0, 4, 0x11, 0]].concat();
    // One code of one bit in each table: no difference and end of block.
    let table = |class: u8| [&[class << 4, 1], &[0; 15][..], &[0]].concat();
    let blocks = usize::from(width).div_ceil(8) * usize::from(height).div_ceil(8);
    [
        vec![0xff, 0xd8],
        segment(0xee, b"Adobe\0\x64\0\0\0\0\0"),
        segment(0xe2, &[b"ICC_PROFILE\0\x01\x01", profile].concat()),
        segment(0xdb, &[&[0], &[1; 64][..]].concat()),
        segment(0xc0, &frame),
        segment(0xc4, &table(0)),
        segment(0xc4, &table(1)),
        segment(0xda, &[4, 1, 0, 2, 0, 3, 0, 4, 0, 0, 63, 0]),
        vec![0; blocks],
        vec![0xff, 0xd9],
    ]
    .concat()
}

#[test]
fn cmyk_jpeg_is_accepted_and_its_profile_ignored() {
    let mut profile = ColorProfile::new_display_p3().encode().unwrap();
    profile[16..20].copy_from_slice(b"CMYK");
    let plain = colours_of(&cmyk_jpeg(640, 640, b""));
    assert_eq!(colours_of(&cmyk_jpeg(640, 640, &profile)), plain);
    assert!(plain[0].iter().all(|value| (20..=140).contains(value)), "{plain:?}");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, ..ProptestConfig::default() })]

    #[test]
    fn damaged_profiles_do_not_panic(
        kind in 0..4,
        changes in proptest::collection::vec((any::<proptest::sample::Index>(), any::<u8>()), 1..20),
        kept in any::<proptest::sample::Index>(),
        is_cut in any::<bool>(),
        is_grey in any::<bool>(),
    ) {
        let profile = match kind {
            0 => ColorProfile::new_display_p3(),
            1 => ColorProfile::new_adobe_rgb(),
            2 => ColorProfile::new_bt2020_pq(),
            _ => ColorProfile::new_gray_with_gamma(1.8),
        };
        let mut profile = profile.encode().unwrap();
        for (place, value) in changes {
            let place = place.index(profile.len());
            profile[place] = value;
        }
        if is_cut {
            profile.truncate(kept.index(profile.len()));
        }
        let colours = ColourSpace::find(None, Some(&profile), is_grey);
        for (layout, channels) in [(Layout::Rgb, 3), (Layout::Rgba, 4)] {
            let mut pixels: Vec<u8> = (0..=u8::MAX).cycle().take(300 * channels).collect();
            colours.convert_to_srgb(&mut pixels, layout);
            prop_assert_eq!(pixels.len(), 300 * channels);
        }
    }
}
