//! Capital letters and digits drawn with thick lines, so that no font is needed.

use unicode_normalization::UnicodeNormalization;

use super::canvas::{Canvas, Colour, Stroke};

/// A letter is four units wide and six high; a space is two units wide.
const WIDTH: f32 = 4.0;
const HEIGHT: f32 = 6.0;
const GAP: f32 = 1.7;

impl Canvas {
    /// Writes a text. The position is the upper left corner, the height is the height of the letters. Returns the width
    /// of the text.
    pub(super) fn write(&mut self, place: (f32, f32), height: f32, colour: Colour, text: &str) -> f32 {
        self.write_thick(place, height, height / 6.5, colour, text)
    }

    /// Writes a text with lines of a given thickness.
    pub(super) fn write_thick(
        &mut self,
        place: (f32, f32),
        height: f32,
        thickness: f32,
        colour: Colour,
        text: &str,
    ) -> f32 {
        let unit = height / HEIGHT;
        let mut left = place.0;
        for letter in text.chars() {
            self.strokes(&strokes(letter, (left, place.1), unit), thickness, colour);
            left += (WIDTH + GAP) * unit;
        }
        left - place.0
    }
}

/// Returns the width of a text.
pub(super) fn width(text: &str, height: f32) -> f32 {
    text.chars().count() as f32 * (WIDTH + GAP) * height / HEIGHT
}

/// Converts a text to drawable letters: capitals without diacritics.
#[must_use]
pub fn plain(text: &str) -> String {
    text.nfd().flat_map(char::to_uppercase).filter(|letter| lines(*letter).is_some()).collect()
}

/// Whether every letter of a text can be drawn.
#[must_use]
pub fn is_drawable(text: &str) -> bool {
    text.chars().all(|letter| lines(letter).is_some())
}

fn strokes(letter: char, place: (f32, f32), unit: f32) -> Vec<Stroke> {
    let point = |pair: &[u8]| match pair {
        [x, y] => {
            let (x, y) = (f32::from(x.saturating_sub(b'0')), f32::from(y.saturating_sub(b'0')));
            (place.0 + x * unit, place.1 + y * unit)
        }
        _ => place,
    };
    let mut strokes = Vec::new();
    for line in lines(letter).unwrap_or_default().split(' ') {
        let points: Vec<(f32, f32)> = line.as_bytes().chunks_exact(2).map(point).collect();
        let pairs = points.iter().zip(points.iter().skip(1));
        strokes.extend(pairs.map(|(from, to)| Stroke { from: *from, to: *to }));
    }
    strokes
}

/// Returns the lines of a letter: points as two digits (column and row from the upper left). A space lifts the pen.
const fn lines(letter: char) -> Option<&'static str> {
    Some(match letter {
        ' ' => "",
        'A' => "062046 1434",
        'B' => "0006 003041423303 3344453606",
        'C' => "4130100105163645",
        'D' => "0006 003041453606",
        'E' => "40000646 0333",
        'F' => "400006 0333",
        'G' => "41301001051636454323",
        'H' => "0006 4046 0343",
        'I' => "1030 2026 1636",
        'J' => "4045361605",
        'K' => "0006 400346",
        'L' => "000646",
        'M' => "0600234046",
        'N' => "06004640",
        'O' => "103041453616050110",
        'P' => "06003041423303",
        'Q' => "103041453616050110 3446",
        'R' => "06003041423303 2346",
        'S' => "413010010213334445361605",
        'T' => "0040 2026",
        'U' => "000516364540",
        'V' => "002640",
        'W' => "0016233640",
        'X' => "0046 4006",
        'Y' => "002340 2326",
        'Z' => "00400646",
        '0' => "103041453616050110 3125",
        '1' => "112026 1636",
        '2' => "01103041420646",
        '3' => "0110304142334445361605 2333",
        '4' => "36300444",
        '5' => "400003334445361605",
        '6' => "4130100105163645443303",
        '7' => "004016",
        '8' => "103041423313020110 133344453616050413",
        '9' => "0516364541301001021343",
        '.' => "2626",
        ':' => "2222 2525",
        ',' => "2617",
        '-' => "1333",
        '+' => "1333 2224",
        '/' => "4006",
        '\'' => "2021",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_letter_and_digit_has_distinct_shape() {
        let letters: Vec<char> = ('A'..='Z').chain('0'..='9').collect();
        let shapes: std::collections::HashSet<&str> = letters.iter().filter_map(|letter| lines(*letter)).collect();
        assert_eq!(shapes.len(), letters.len());
    }

    #[test]
    fn strokes_stay_on_grid() {
        for letter in (' '..='Z').filter(|letter| lines(*letter).is_some()) {
            for stroke in strokes(letter, (0.0, 0.0), 1.0) {
                for (x, y) in [stroke.from, stroke.to] {
                    // A comma extends below the baseline.
                    assert!((0.0..=WIDTH).contains(&x) && (0.0..=HEIGHT + 1.0).contains(&y), "{letter} {x} {y}");
                }
            }
        }
    }

    #[test]
    fn undrawable_characters_are_removed_from_names() {
        assert_eq!(plain("Soirée à table"), "SOIREE A TABLE");
        assert_eq!(plain("Küche & Co"), "KUCHE  CO");
        assert!(is_drawable(&plain("„Straße“")) && !is_drawable("Straße"));
    }

    #[test]
    fn written_text_leaves_pixels() {
        let mut canvas = Canvas::new(100, 30, Colour::WHITE);
        let wide = canvas.write((5.0, 5.0), 20.0, Colour::new(0), "AB");
        assert!((wide - width("AB", 20.0)).abs() < 0.01);
        assert!(canvas.finish().pixels().any(|pixel| pixel.0 == [0, 0, 0]));
    }
}
