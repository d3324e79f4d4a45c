//! Tests with pictures made in code; damaged pictures are derived from them.
use std::io::Cursor;

use base64::Engine;
use image::codecs::webp::WebPEncoder;
use image::{DynamicImage, GrayImage, ImageFormat, Rgb, RgbImage, Rgba, RgbaImage};
use proptest::prelude::*;

use super::ImageProblem::*;
use super::*;

mod colours;
mod hostile;

/// Builds four colour fields (red, green / blue, white), so that rotation is visible.
fn fields(width: u32, height: u32) -> DynamicImage {
    RgbImage::from_fn(width, height, |x, y| match (x < width / 2, y < height / 2) {
        (true, true) => Rgb([255, 0, 0]),
        (false, true) => Rgb([0, 255, 0]),
        (true, false) => Rgb([0, 0, 255]),
        (false, false) => Rgb([255, 255, 255]),
    })
    .into()
}

fn encoded(picture: &DynamicImage, format: ImageFormat) -> Vec<u8> {
    let mut out = Cursor::new(Vec::new());
    picture.write_to(&mut out, format).unwrap();
    out.into_inner()
}

fn png(width: u32, height: u32) -> Vec<u8> {
    encoded(&fields(width, height), ImageFormat::Png)
}

fn decoded(bytes: &[u8], media_type: &str) -> DynamicImage {
    let format = ImageFormat::from_mime_type(media_type).unwrap();
    image::load_from_memory_with_format(bytes, format).unwrap()
}

fn colour_at(picture: &DynamicImage, x: u32, y: u32) -> [u8; 3] {
    picture.to_rgb8().get_pixel(x, y).0
}

fn is_near(one: [u8; 3], two: [u8; 3]) -> bool {
    one.iter().zip(two).all(|(a, b)| a.abs_diff(b) < 24)
}

fn sizes(made: &Processed) -> Vec<(&'static str, u32, u32)> {
    made.variants.iter().map(|variant| (variant.name, variant.width, variant.height)).collect()
}

#[test]
fn image_yields_full_copy_and_three_variants() {
    let made = process(&png(2_000, 2_000), PictureKind::Icon).unwrap();
    assert_eq!((made.media_type, made.width, made.height), ("image/png", 2_000, 2_000));
    assert_eq!(decoded(&made.bytes, made.media_type).to_rgb8(), fields(2_000, 2_000).to_rgb8());
    assert_eq!(sizes(&made), [("LARGE", 1_600, 1_600), ("MEDIUM", 800, 800), ("SMALL", 256, 256)]);
    for variant in &made.variants {
        let picture = decoded(&variant.bytes, made.media_type);
        let side = variant.width;
        assert_eq!((picture.width(), picture.height()), (side, side));
        assert!(is_near(colour_at(&picture, side / 8, side / 8), [255, 0, 0]));
        assert!(is_near(colour_at(&picture, side * 7 / 8, side / 8), [0, 255, 0]));
        assert!(is_near(colour_at(&picture, side / 8, side * 7 / 8), [0, 0, 255]));
    }
}

#[test]
fn image_keeps_aspect_ratio_and_is_not_enlarged() {
    let wide = process(&png(1_200, 675), PictureKind::Screenshot).unwrap();
    assert_eq!(sizes(&wide), [("LARGE", 1_200, 675), ("MEDIUM", 800, 450), ("SMALL", 256, 144)]);
    assert_eq!(wide.variants[0].bytes, wide.bytes, "and costs no room of its own");
    let high = process(&png(640, 1_280), PictureKind::Screenshot).unwrap();
    assert_eq!(sizes(&high), [("LARGE", 640, 1_280), ("MEDIUM", 400, 800), ("SMALL", 128, 256)]);
}

#[test]
fn each_format_gets_suitable_output_format() {
    let jpeg = encoded(&fields(640, 480), ImageFormat::Jpeg);
    assert_eq!(process(&jpeg, PictureKind::Screenshot).unwrap().media_type, "image/jpeg");
    let webp = encoded(&fields(640, 480), ImageFormat::WebP);
    let made = process(&webp, PictureKind::Screenshot).unwrap();
    assert_eq!(made.media_type, "image/webp");
    assert_eq!(decoded(&made.bytes, "image/webp").to_rgb8(), fields(640, 480).to_rgb8());
}

#[test]
fn same_upload_always_yields_same_bytes() {
    for format in [ImageFormat::Png, ImageFormat::Jpeg, ImageFormat::WebP] {
        let upload = encoded(&fields(700, 700), format);
        let one = process(&upload, PictureKind::Icon).unwrap();
        assert_eq!(one, process(&upload, PictureKind::Icon).unwrap());
    }
}

#[test]
fn transparency_is_kept_without_colour_bleeding() {
    // An opaque blue disc on a transparent background whose hidden colour is red.
    let disc = RgbaImage::from_fn(512, 512, |x, y| {
        let (dx, dy) = (i64::from(x) - 256, i64::from(y) - 256);
        if dx * dx + dy * dy < 200 * 200 { Rgba([0, 0, 255, 255]) } else { Rgba([255, 0, 0, 0]) }
    });
    let upload = encoded(&disc.into(), ImageFormat::Png);
    let made = process(&upload, PictureKind::Icon).unwrap();
    let small = decoded(&made.variants[2].bytes, made.media_type).to_rgba8();
    assert_eq!(small.dimensions(), (256, 256));
    assert_eq!(small.get_pixel(0, 0).0[3], 0);
    assert_eq!(small.get_pixel(128, 128).0, [0, 0, 255, 255]);
    let fringe = small.pixels().filter(|p| p.0[3] > 8 && p.0[3] < 248);
    assert!(fringe.clone().count() > 20, "the edge is smooth");
    for pixel in fringe {
        assert!(pixel.0[0] < 40 && pixel.0[2] > 215, "{pixel:?}");
    }
}

#[test]
fn opaque_alpha_channel_is_dropped() {
    let opaque = DynamicImage::from(fields(512, 512).to_rgba8());
    let made = process(&encoded(&opaque, ImageFormat::Png), PictureKind::Icon).unwrap();
    assert!(!decoded(&made.bytes, "image/png").color().has_alpha());
}

#[test]
fn grey_and_sixteen_bit_images_are_accepted() {
    let grey = DynamicImage::from(GrayImage::from_pixel(512, 512, image::Luma([77])));
    let made = process(&encoded(&grey, ImageFormat::Png), PictureKind::Icon).unwrap();
    assert_eq!(colour_at(&decoded(&made.bytes, "image/png"), 5, 5), [77, 77, 77]);
    let deep = DynamicImage::from(fields(512, 512).to_rgba16());
    let made = process(&encoded(&deep, ImageFormat::Png), PictureKind::Icon).unwrap();
    assert_eq!(colour_at(&decoded(&made.bytes, "image/png"), 5, 5), [255, 0, 0]);
}

#[test]
fn oversized_image_is_scaled_down() {
    let made = process(&png(4_400, 1_540), PictureKind::Screenshot).unwrap();
    assert_eq!((made.width, made.height), (2_048, 717));
    let whole = decoded(&made.bytes, made.media_type);
    assert_eq!((whole.width(), whole.height()), (2_048, 717));
    assert!(is_near(colour_at(&whole, 100, 100), [255, 0, 0]));
    let tall = Canvas::new(RgbaImage::new(20, 5_000).into());
    let mut shrunk = tall;
    shrunk.shrink_to(LONGEST_SIDE);
    assert_eq!((shrunk.size(), shrunk.has_alpha()), ((8, 2_048), true));
}

#[test]
fn size_limits_of_each_kind_are_inclusive() {
    use PictureKind::{Banner, Icon, Screenshot};
    let small = |width, height| Err(TooSmall { width, height });
    let cells = [
        (Icon, 256, 256, Ok(())),
        (Icon, 255, 255, small(256, 256)),
        (Icon, 256, 255, small(256, 256)),
        (Icon, 257, 256, Err(NotSquare)),
        (Icon, 256, 257, Err(NotSquare)),
        (Screenshot, 640, 400, Ok(())),
        (Screenshot, 639, 400, small(640, 400)),
        (Screenshot, 640, 399, small(640, 400)),
        (Screenshot, 1_464, 16_384, Ok(())),
        (Screenshot, 1_464, 16_385, Err(TooManyPixels)),
        (Screenshot, 6_000, 4_000, Ok(())),
        (Screenshot, 6_000, 4_001, Err(TooManyPixels)),
        (Banner, 1_120, 1, Ok(())),
        (Banner, 1_119, 400, small(1_120, 1)),
        (Banner, 1_120, 1_119, Ok(())),
        (Banner, 1_120, 1_120, Err(NotWide)),
        (Banner, 1_120, 1_121, Err(NotWide)),
    ];
    for (kind, width, height, expected) in cells {
        let result = check_size(width, height, &kind.rules());
        assert_eq!(result, expected, "{kind:?} {width}x{height}");
    }
    assert_eq!(process(&png(200, 200), Icon).map(|_| ()), small(256, 256));
    assert_eq!(process(&png(300, 299), Icon).map(|_| ()), Err(NotSquare));
}

#[test]
fn error_messages_state_limits() {
    let small = TooSmall { width: 640, height: 400 };
    assert_eq!(small.to_string(), "the image must be at least 640 pixels wide and 400 pixels high");
}

/// One blue, 640 by 400, as a lossy WebP: the only format that the encoders here cannot write.
const LOSSY_WEBP: &str = "UklGRlACAABXRUJQVlA4IEQCAACwPQCdASqAApABPzmcy18vKyklIAgB4CcJaW7hd2EfgmAAnsA99snIe+2TkPfbJyHvtk5D32ych77ZO\
     Q99snIe+2TkPfbJyHvtk5D32ych77ZOQ99snIe+2TkPfbJyHvtk5D32ych78AQD32ych77ZOQ99snIe+2Tkf9QID/nzL+w8xlrC+tSi0b\
     sWZ8zDaB1FsOiWsj/nzL+w8xlrC+mi0DbsWagQH/PmX9h5jLWF9alEMLGB9C+tSi0bsWagQH/PmX9h5QMxTZalFo3Ys1AgP+fMv7DzGWo\
     H61KLRuxZqBAf8+Zf2HmMtYX00WgbdizUCA/58y/sPMZawvrUohhYwPoX1qUWjdizUCA/58y/sPKBmKbLUotG7FmoEB/z5l/YeYy1A/Wp\
     RaN2LNQID/nzL+w8xlrC+mi0DbsWagQH/PmX9h5jLWF9alEMLGB9C+tSi0bsWagQH/PmX9h5QMxTZalFo3Ys1AgP+fMv7DzGWoH61KLRu\
     xZqBAf8+Zf2HmMtYX00WgbdizUCA/58y/sPMZawvrUohhYwPoX1qUWjdizUCA/58y/sPKBmKbLUotG7FmoEB/z5l/YeYy1A/WpRaN2LNQ\
     ID/nzL+w8xlrC+mi0DbsWagQH/PmX9h5jLWF9alEMLGB9C+tSi0bsWagQH/PmX9h1gAP7/kTf/+on9j/7vow/0nmrZjAe29y2Wy2Wy2Wy\
     2Wy2Wy2Wy2Wy2Wy2WqK8ryvK8ryvK8rygQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";

fn lossy_webp() -> Vec<u8> {
    base64::engine::general_purpose::STANDARD.decode(LOSSY_WEBP).unwrap()
}

#[test]
fn lossy_webp_becomes_jpeg() {
    let made = process(&lossy_webp(), PictureKind::Screenshot).unwrap();
    assert_eq!((made.media_type, made.width, made.height), ("image/jpeg", 640, 400));
    let colour = colour_at(&decoded(&made.bytes, "image/jpeg"), 320, 160);
    assert!(is_near(colour, [20, 60, 200]), "{colour:?}");
}

#[test]
fn lossy_webp_with_transparency_stays_webp() {
    // The same picture in the extended format, with an uncompressed alpha of one half everywhere.
    let mut alpha = vec![0u8];
    alpha.resize(1 + 640 * 400, 128);
    let mut chunks = b"WEBPVP8X\x0a\0\0\0\x10\0\0\0\x7f\x02\0\x8f\x01\0ALPH".to_vec();
    chunks.extend(u32::try_from(alpha.len()).unwrap().to_le_bytes());
    chunks.extend(&alpha);
    chunks.push(0);
    chunks.extend(&lossy_webp()[12..]);
    let length = u32::try_from(chunks.len()).unwrap().to_le_bytes();
    let upload = [b"RIFF".as_slice(), &length, &chunks].concat();
    let made = process(&upload, PictureKind::Screenshot).unwrap();
    assert_eq!(made.media_type, "image/webp");
    let pixel = decoded(&made.bytes, "image/webp").to_rgba8().get_pixel(9, 9).0;
    assert_eq!(pixel[3], 128);
}
