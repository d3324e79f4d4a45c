//! Pictures drawn in code: icons and what look like views of apps. No file, no font, no picture of anybody else.

mod canvas;
mod letters;
mod scenes;

use std::io::Cursor;

use image::codecs::jpeg::JpegEncoder;
use image::codecs::png::{CompressionType, FilterType, PngEncoder};
use image::{ImageResult, RgbImage};

pub use letters::{drawable, plain};

/// How an app's pictures look.
#[derive(Clone, Copy)]
pub struct Look {
    /// Two colours, `0xRRGGBB`.
    pub colours: [u32; 2],
    /// The words on its screens, in capital letters.
    pub words: &'static [&'static str],
    /// What its screenshots show, each with its caption.
    pub scenes: &'static [(Scene, &'static str)],
}

/// What a screenshot shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scene {
    /// Rows with figures at their end.
    List,
    /// Tiles, and bars under them.
    Board,
    /// A room with tables.
    Room,
    /// A week of coloured bars.
    Week,
    /// Cards side by side.
    Cards,
}

/// A number that depends on the name alone.
#[must_use]
pub fn number(name: &str) -> u32 {
    let digest = aws_lc_rs::digest::digest(&aws_lc_rs::digest::SHA256, name.as_bytes());
    digest.as_ref().last_chunk::<4>().map_or(0, |bytes| u32::from_be_bytes(*bytes))
}

/// The icon of an app: its first letter on its colours. A PNG.
///
/// # Errors
/// When the picture cannot be encoded.
pub fn icon(name: &str, look: &Look) -> ImageResult<Vec<u8>> {
    let mut out = Cursor::new(Vec::new());
    // It is encoded anew in a moment: quick matters, small does not.
    let encoder = PngEncoder::new_with_quality(&mut out, CompressionType::Fast, FilterType::Up);
    scenes::icon(name, look).write_with_encoder(encoder)?;
    Ok(out.into_inner())
}

/// A view of an app at work. A JPEG.
///
/// # Errors
/// When the picture cannot be encoded.
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
        scenes: &[],
    };

    #[test]
    fn an_icon_passes_as_one() {
        let made = process(&icon("Mise", &LOOK).unwrap(), PictureKind::Icon).unwrap();
        assert_eq!((made.media_type, made.width, made.height), ("image/png", 512, 512));
        assert!(made.bytes.len() < 60_000, "{} bytes", made.bytes.len());
    }

    #[test]
    fn every_scene_passes_as_a_screenshot_and_no_two_are_alike() {
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
    fn names_and_colours_make_icons_differ() {
        let first = icon("Mise", &LOOK).unwrap();
        assert_ne!(first, icon("Attente", &LOOK).unwrap());
        assert_ne!(first, icon("Mise", &Look { colours: [0x00_5f73, 0x11_1111], ..LOOK }).unwrap());
    }
}
