//! Pictures drawn in code: icons and fake screenshots of apps. They need no file, no font and no third-party picture.

mod canvas;
mod letters;
mod scenes;

use std::io::Cursor;

use image::codecs::jpeg::JpegEncoder;
use image::codecs::png::{CompressionType, FilterType, PngEncoder};
use image::{ImageResult, RgbImage};

pub use letters::{is_drawable, plain};

/// Visual style of an app's pictures.
#[derive(Clone, Copy)]
pub struct Look<'a> {
    /// Two colours as `0xRRGGBB`.
    pub colours: [u32; 2],
    /// Words on its screens, in capital letters.
    pub words: &'a [&'a str],
}

/// Content of a screenshot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scene {
    /// Rows with a number at the end.
    List,
    /// Tiles with bars below.
    Board,
    /// A room with tables.
    Room,
    /// A week of coloured bars.
    Week,
    /// Cards side by side.
    Cards,
}

/// Returns a number that depends only on the name.
#[must_use]
pub fn number(name: &str) -> u32 {
    let digest = aws_lc_rs::digest::digest(&aws_lc_rs::digest::SHA256, name.as_bytes());
    digest.as_ref().last_chunk::<4>().map_or(0, |bytes| u32::from_be_bytes(*bytes))
}

/// Draws the icon of an app as a PNG: its first letter on its colours.
///
/// # Errors
/// If the picture cannot be encoded.
pub fn icon(name: &str, look: &Look) -> ImageResult<Vec<u8>> {
    let mut out = Cursor::new(Vec::new());
    // The picture is encoded again afterwards, so speed matters more than size.
    let encoder = PngEncoder::new_with_quality(&mut out, CompressionType::Fast, FilterType::Up);
    scenes::icon(name, look).write_with_encoder(encoder)?;
    Ok(out.into_inner())
}

/// Draws a screenshot of an app as a JPEG.
///
/// # Errors
/// If the picture cannot be encoded.
pub fn screenshot(name: &str, look: &Look, scene: Scene) -> ImageResult<Vec<u8>> {
    let mut out = Cursor::new(Vec::new());
    let picture: RgbImage = scenes::screenshot(name, look, scene);
    picture.write_with_encoder(JpegEncoder::new_with_quality(&mut out, 92))?;
    Ok(out.into_inner())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{PictureKind, process};

    const LOOK: Look = Look {
        colours: [0x00_5f73, 0x94_d2bd],
        words: &["TABLE 14", "20:30", "WALK-IN 2", "TERRACE", "JUSQU'A 15 H", "9.50"],
    };

    #[test]
    fn drawn_icon_is_valid_icon() {
        let made = process(&icon("Mise", &LOOK).unwrap(), PictureKind::Icon).unwrap();
        assert_eq!((made.media_type, made.width, made.height), ("image/png", 512, 512));
        assert!(made.bytes.len() < 60_000, "{} bytes", made.bytes.len());
    }

    #[test]
    fn drawn_scenes_are_valid_distinct_screenshots() {
        let scenes = [Scene::List, Scene::Board, Scene::Room, Scene::Week, Scene::Cards];
        let drawn: Vec<Vec<u8>> = scenes.map(|scene| screenshot("Mise", &LOOK, scene).unwrap()).into();
        for picture in &drawn {
            let made = process(picture, PictureKind::Screenshot).unwrap();
            assert_eq!((made.media_type, made.width, made.height), ("image/jpeg", 1280, 800));
            assert!(made.bytes.len() < 160_000, "{} bytes", made.bytes.len());
            assert_eq!(drawn.iter().filter(|other| *other == picture).count(), 1);
        }
    }

    #[test]
    fn icons_differ_by_name_and_colours() {
        let first = icon("Mise", &LOOK).unwrap();
        assert_ne!(first, icon("Attente", &LOOK).unwrap());
        assert_ne!(first, icon("Mise", &Look { colours: [0x00_5f73, 0x11_1111], ..LOOK }).unwrap());
    }
}
