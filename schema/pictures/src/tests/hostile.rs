//! Tests with malicious uploads and uploads with false headers.
use super::*;

fn refusal(upload: &[u8]) -> ImageProblem {
    process(upload, PictureKind::Screenshot).unwrap_err()
}

/// Builds a PNG chunk with its checksum.
pub(super) fn chunk(name: &[u8; 4], content: &[u8]) -> Vec<u8> {
    let checked = [name.as_slice(), content].concat();
    let mut crc = u32::MAX;
    for byte in &checked {
        crc ^= u32::from(*byte);
        for _ in 0..8 {
            crc = if crc & 1 == 1 { crc >> 1 ^ 0xedb8_8320 } else { crc >> 1 };
        }
    }
    let length = u32::try_from(content.len()).unwrap().to_be_bytes();
    [&length, checked.as_slice(), &(!crc).to_be_bytes()].concat()
}

/// Builds a PNG that declares a size but has no pixels.
fn declared_png(width: u32, height: u32) -> Vec<u8> {
    let header = [&width.to_be_bytes()[..], &height.to_be_bytes(), &[8, 6, 0, 0, 0]].concat();
    let mut png = b"\x89PNG\r\n\x1a\n".to_vec();
    png.extend(chunk(b"IHDR", &header));
    png.extend(chunk(b"IDAT", &[0x78, 0x9c, 0x03, 0x00, 0x00, 0x00, 0x00, 0x01]));
    png.extend(chunk(b"IEND", &[]));
    png
}

fn jpeg(width: u32, height: u32) -> Vec<u8> {
    encoded(&fields(width, height), ImageFormat::Jpeg)
}

/// Builds a JPEG with an EXIF segment that contains only an orientation.
fn turned_jpeg(width: u32, height: u32, orientation: u8) -> Vec<u8> {
    let mut exif = b"Exif\0\0MM\0\x2a\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01\0".to_vec();
    exif.extend([orientation, 0, 0, 0, 0, 0, 0]);
    let plain = jpeg(width, height);
    let length = u16::try_from(exif.len() + 2).unwrap().to_be_bytes();
    [&plain[..2], &[0xff, 0xe1], &length, &exif, &plain[2..]].concat()
}

#[test]
fn non_image_upload_is_rejected() {
    let bmp = [b"BM".as_slice(), &[0; 60]].concat();
    let uploads: [&[u8]; 12] = [
        b"",
        b"\x89PNG",
        b"GIF89a\x01\x00\x01\x00\x80\x00\x00",
        b"<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"512\" height=\"512\"/>",
        b"<?xml version=\"1.0\"?><svg/>",
        b"<!doctype html><script>alert(1)</script>",
        b"%PDF-1.7",
        b"PK\x03\x04",
        b"RIFF\x00\x00\x00\x00WAVEfmt ",
        b"\x00\x00\x00\x1cftypavif",
        b"plain text",
        &bmp,
    ];
    for upload in uploads {
        assert_eq!(refusal(upload), UnknownType, "{upload:?}");
    }
}

#[test]
fn valid_signature_with_invalid_data_is_rejected() {
    let noise = [0x5a; 3_000];
    for start in [b"\x89PNG\r\n\x1a\n".as_slice(), b"\xff\xd8\xff\xe0", b"RIFF\x10\x00\x00\x00WEBPVP8 "] {
        assert_eq!(refusal(start), Damaged, "{start:?}");
        // Random bytes may declare a size beyond every limit.
        let refused = refusal(&[start, &noise].concat());
        assert!(matches!(refused, Damaged | TooManyPixels), "{start:?}");
    }
}

#[test]
fn truncated_image_is_damaged() {
    let busy = DynamicImage::from(RgbImage::from_fn(640, 480, |x, y| {
        Rgb([(x * 7 + y * 13) as u8, (x * y) as u8, (x ^ y) as u8])
    }));
    for format in [ImageFormat::Png, ImageFormat::Jpeg, ImageFormat::WebP] {
        let whole = encoded(&busy, format);
        assert!(process(&whole, PictureKind::Screenshot).is_ok(), "{format:?}");
        for part in [10, 25, 50, 75, 90, 99] {
            let cut = &whole[..whole.len() * part / 100];
            assert_eq!(refusal(cut), Damaged, "{format:?} cut at {part} %");
        }
    }
}

#[test]
fn decompression_bomb_is_rejected_before_decoding() {
    for (width, height) in [(50_000, 50_000), (u32::MAX / 2, 2), (6_000, 4_001), (2_147_483_647, 2_147_483_647)] {
        assert_eq!(refusal(&declared_png(width, height)), TooManyPixels, "{width}x{height}");
    }
    // The size is in the frame header: FF C0, length, depth, height, width.
    let mut bomb = jpeg(640, 480);
    let frame = bomb.windows(2).position(|pair| pair == [0xff, 0xc0]).unwrap();
    bomb[frame + 5..frame + 9].copy_from_slice(&[0xff, 0xff, 0xff, 0xff]);
    assert_eq!(refusal(&bomb), TooManyPixels);
}

#[test]
fn zero_size_image_is_rejected() {
    for (width, height) in [(0, 0), (640, 0), (0, 480)] {
        let refused = process(&declared_png(width, height), PictureKind::Screenshot);
        assert!(refused.is_err(), "{width}x{height}");
    }
}

#[test]
fn image_without_pixel_data_is_damaged() {
    assert_eq!(refusal(&declared_png(640, 480)), Damaged);
    assert_eq!(refusal(&declared_png(6_000, 4_000)), Damaged);
}

#[test]
fn upload_over_eight_megabytes_is_rejected() {
    let mut upload = png(640, 480);
    upload.resize(LARGEST_UPLOAD + 1, 0);
    assert_eq!(refusal(&upload), TooManyBytes);
    upload.truncate(LARGEST_UPLOAD);
    assert!(process(&upload, PictureKind::Screenshot).is_ok());
}

#[test]
fn animated_images_are_rejected() {
    let still = png(640, 480);
    let control = chunk(b"acTL", &[0, 0, 0, 2, 0, 0, 0, 0]);
    let animated_png = [&still[..33], &control, &still[33..]].concat();
    assert_eq!(refusal(&animated_png), Animated);
    let vp8x = [b"VP8X\x0a\0\0\0\x02\0\0\0".as_slice(), &[0x7f, 2, 0, 0xdf, 1, 0]].concat();
    let anim = b"ANIM\x06\0\0\0\0\0\0\0\0\0";
    for chunks in [vp8x, anim.to_vec()] {
        let length = u32::try_from(chunks.len() + 4).unwrap().to_le_bytes();
        let webp = [b"RIFF", &length, b"WEBP".as_slice(), &chunks].concat();
        assert_eq!(refusal(&webp), Animated);
    }
}

#[test]
fn camera_orientation_is_applied_and_removed() {
    // Expected position (column, row) of the red field, which is top left in the file.
    let cells =
        [(1, (0, 0)), (2, (1, 0)), (3, (1, 1)), (4, (0, 1)), (5, (0, 0)), (6, (1, 0)), (7, (1, 1)), (8, (0, 1))];
    for (orientation, (right, low)) in cells {
        let upload = turned_jpeg(960, 720, orientation);
        let made = process(&upload, PictureKind::Screenshot).unwrap();
        let size = if orientation < 5 { (960, 720) } else { (720, 960) };
        assert_eq!((made.width, made.height), size, "{orientation}");
        let picture = decoded(&made.bytes, made.media_type);
        let (x, y) = (size.0 / 4 + right * size.0 / 2, size.1 / 4 + low * size.1 / 2);
        assert!(is_near(colour_at(&picture, x, y), [255, 0, 0]), "{orientation}");
        assert!(!made.bytes.windows(4).any(|window| window == b"Exif"));
    }
}

#[test]
fn size_limits_apply_to_rotated_image() {
    let lying = turned_jpeg(640, 480, 6);
    assert!(matches!(refusal(&lying), TooSmall { .. }));
}

#[test]
fn hidden_metadata_is_removed() {
    const HIDDEN: &[u8] = b"<script>alert(1)</script>";
    let still = png(640, 480);
    let text = chunk(b"tEXt", &[b"Comment\0".as_slice(), HIDDEN].concat());
    let comment = [b"\xff\xfe\x00\x1b".as_slice(), HIDDEN].concat();
    let photo = jpeg(640, 480);
    let uploads = [
        [&still[..33], &text, &still[33..]].concat(),
        [still.as_slice(), HIDDEN].concat(),
        [&photo[..2], &comment, &photo[2..]].concat(),
        [photo.as_slice(), HIDDEN].concat(),
    ];
    for upload in uploads {
        let made = process(&upload, PictureKind::Screenshot).unwrap();
        let all = made.variants.iter().map(|v| &v.bytes).chain([&made.bytes]);
        for bytes in all {
            assert!(!bytes.windows(HIDDEN.len()).any(|window| window == HIDDEN));
        }
    }
}

#[test]
fn jpeg_with_endless_scans_is_rejected_before_decoding() {
    let photo = jpeg(640, 480);
    let scan = photo.windows(2).position(|pair| pair == [0xff, 0xda]).unwrap();
    let end = photo.len() - 2;
    let mut endless = photo[..end].to_vec();
    while endless.len() < 4_000_000 {
        endless.extend(&photo[scan..end]);
    }
    endless.extend([0xff, 0xd9]);
    assert!(source::is_whole_jpeg(&photo) && !source::is_whole_jpeg(&endless), "only scans count");
    let scans = |most| [&photo[..scan], &photo[scan..end].repeat(most), &[0xff, 0xd9]].concat();
    assert!(source::is_whole_jpeg(&scans(20)) && !source::is_whole_jpeg(&scans(21)));
    assert_eq!(refusal(&endless), Damaged);
}

#[test]
fn lossless_webp_in_extended_format_is_accepted() {
    let mut plain = Vec::new();
    let picture = fields(640, 480).to_rgb8();
    WebPEncoder::new_lossless(&mut plain).encode(&picture, 640, 480, image::ExtendedColorType::Rgb8).unwrap();
    let extended = b"VP8X\x0a\0\0\0\0\0\0\0\x7f\x02\0\xdf\x01\0";
    let body = [b"WEBP".as_slice(), extended, &plain[12..]].concat();
    let length = u32::try_from(body.len()).unwrap().to_le_bytes();
    let upload = [b"RIFF".as_slice(), &length, &body].concat();
    let made = process(&upload, PictureKind::Screenshot).unwrap();
    assert_eq!((made.media_type, made.width, made.height), ("image/webp", 640, 480));
}

/// Builds a WebP of these chunks, each with its claimed length.
fn webp_of(chunks: &[(&[u8; 4], u32, &[u8])]) -> Vec<u8> {
    let mut body = b"WEBP".to_vec();
    for (name, length, content) in chunks {
        body.extend([name.as_slice(), &length.to_le_bytes(), content].concat());
    }
    [b"RIFF".as_slice(), &u32::try_from(body.len()).unwrap().to_le_bytes(), &body].concat()
}

/// The header of the extended format for 640 by 400 pixels.
const CANVAS: (&[u8; 4], u32, &[u8]) = (b"VP8X", 10, &[0, 0, 0, 0, 0x7f, 2, 0, 0x8f, 1, 0]);

#[test]
fn webp_with_oversized_chunks_is_rejected_before_decoding() {
    let frame = &lossy_webp()[20..];
    let picture = (b"VP8 ", u32::try_from(frame.len()).unwrap(), frame);
    let exif = b"MM\0\x2a\0\0\0\x08\0\0\0\0\0\0";
    let honest = webp_of(&[CANVAS, picture, (b"EXIF", 14, exif)]);
    assert_eq!(webp::read(&honest).map(|webp| webp.bytes.len()), Ok(honest.len()));
    assert!(process(&honest, PictureKind::Screenshot).is_ok());
    for claimed in [15, 0x7fff_ffff, u32::MAX] {
        let lying = webp_of(&[CANVAS, picture, (b"EXIF", claimed, exif)]);
        assert_eq!(webp::read(&lying).err(), Some(Damaged), "the decoder would take {claimed} bytes of memory");
        assert_eq!(refusal(&lying), Damaged);
    }
    let behind = [honest.as_slice(), b"EXIF\xff\xff\xff\x7f"].concat();
    assert_eq!(webp::read(&behind).map(|webp| webp.bytes.len()), Ok(honest.len()), "trailing bytes are not part of it");
    let mut longer = honest;
    longer[4..8].copy_from_slice(&u32::MAX.to_le_bytes());
    assert_eq!(webp::read(&longer).err(), Some(Damaged));
}

#[test]
fn webp_frame_larger_than_canvas_is_rejected_before_decoding() {
    let mut frame = lossy_webp()[20..].to_vec();
    frame[6..10].copy_from_slice(&[0xff, 0x3f, 0xff, 0x3f]);
    let lying = webp_of(&[CANVAS, (b"VP8 ", u32::try_from(frame.len()).unwrap(), &frame)]);
    assert_eq!(webp::read(&lying).err(), Some(Damaged));
    assert_eq!(refusal(&lying), Damaged);
    let plain = webp_of(&[(b"VP8 ", u32::try_from(frame.len()).unwrap(), &frame)]);
    assert_eq!(refusal(&plain), TooManyPixels, "where nothing else is said, the frame's own size counts");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn corrupted_image_never_panics(
        which in 0usize..3,
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..12),
    ) {
        let format = [ImageFormat::Png, ImageFormat::Jpeg, ImageFormat::WebP][which];
        let mut upload = encoded(&fields(640, 400), format);
        for (place, byte) in changes {
            let at = place.index(upload.len());
            upload[at] = byte;
        }
        let _ = process(&upload, PictureKind::Screenshot);
    }
}
