//! The drawings: an icon and five kinds of screens.

use image::RgbImage;

use super::canvas::{Area, Canvas, Colour};
use super::letters::{plain, width};
use super::{Look, Scene, number};

const ICON: f32 = 512.0;
const WIDE: f32 = 1_280.0;
const HIGH: f32 = 800.0;
/// Upper left corner of a screen's content.
const LEFT: f32 = 136.0;
const TOP: f32 = 136.0;

/// Draws the icon: the first letter of the name, large.
pub(super) fn icon(name: &str, look: &Look) -> RgbImage {
    let [first, second] = look.colours.map(Colour::new);
    let mut canvas = Canvas::new(ICON as u32, ICON as u32, first);
    canvas.shade(first, first.mix(second, 0.55));
    let throw = number(name);
    let (x, y) = (90.0 + (throw % 330) as f32, 330.0 + (throw / 330 % 120) as f32);
    canvas.tint(Area::new(x - 210.0, y - 210.0, 420.0, 420.0), 210.0, second, 0.55);
    canvas.tint(Area::new(ICON - x - 70.0, 46.0, 110.0, 110.0), 55.0, second.lighten(0.4), 0.7);
    let letter: String = plain(name).chars().take(1).collect();
    let height = 250.0;
    let left = (ICON - height * 4.0 / 6.0) / 2.0;
    canvas.write_thick((left + 6.0, 137.0), height, 46.0, first.darken(0.45), &letter);
    canvas.write_thick((left, 131.0), height, 46.0, Colour::WHITE, &letter);
    canvas.finish()
}

/// Draws a screen of the app.
pub(super) fn screenshot(name: &str, look: &Look, scene: Scene) -> RgbImage {
    let ink = Ink::of(look);
    let mut canvas = Canvas::new(WIDE as u32, HIGH as u32, ink.ground);
    frame(&mut canvas, &ink, name);
    let mut dice = Dice(number(&format!("{name} {scene:?}")) | 1);
    match scene {
        Scene::List => list(&mut canvas, &ink, look.words, &mut dice),
        Scene::Board => board(&mut canvas, &ink, look.words, &mut dice),
        Scene::Room => room(&mut canvas, &ink, look.words, &mut dice),
        Scene::Week => week(&mut canvas, &ink, look.words, &mut dice),
        Scene::Cards => cards(&mut canvas, &ink, look.words, &mut dice),
    }
    canvas.finish()
}

/// The colours of a screen.
struct Ink {
    ground: Colour,
    main: Colour,
    second: Colour,
    text: Colour,
    faint: Colour,
}

impl Ink {
    fn of(look: &Look) -> Self {
        let [main, second] = look.colours.map(Colour::new);
        Self { ground: main.lighten(0.93), main, second, text: main.darken(0.6), faint: main.lighten(0.8) }
    }

    /// Returns a readable text colour for a background.
    fn on(&self, ground: Colour) -> Colour {
        if ground.brightness() > 0.6 { self.text } else { Colour::WHITE }
    }
}

/// Deterministic pseudo-random numbers (xorshift).
struct Dice(u32);

impl Dice {
    fn below(&mut self, end: u32) -> u32 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 17;
        self.0 ^= self.0 << 5;
        self.0 % end.max(1)
    }

    fn share(&mut self) -> f32 {
        self.below(1_000) as f32 / 1_000.0
    }
}

/// Draws the side bar and the header with the name, which every screen has.
fn frame(canvas: &mut Canvas, ink: &Ink, name: &str) {
    canvas.block(Area::new(0.0, 0.0, 88.0, HIGH), 0.0, ink.main.darken(0.25));
    for place in 0u8..6 {
        let colour = if place == 1 { ink.second } else { ink.main.lighten(0.35) };
        canvas.block(Area::new(26.0, 36.0 + f32::from(place) * 76.0, 36.0, 36.0), 11.0, colour);
    }
    canvas.block(Area::new(88.0, 0.0, WIDE - 88.0, 96.0), 0.0, Colour::WHITE);
    let title: String = plain(name).chars().take(26).collect();
    canvas.write((LEFT, 34.0), 28.0, ink.text, &title);
    canvas.disc((WIDE - 70.0, 48.0), 24.0, ink.second);
    canvas.block(Area::new(WIDE - 330.0, 30.0, 200.0, 36.0), 18.0, ink.faint);
}

/// Draws rows with a mark, a word and a number.
fn list(canvas: &mut Canvas, ink: &Ink, words: &[&str], dice: &mut Dice) {
    for (row, word) in (0u8..8).zip(words.iter().cycle()) {
        let top = TOP + f32::from(row) * 79.0;
        canvas.block(Area::new(LEFT, top, 1_096.0, 66.0), 14.0, Colour::WHITE);
        let mark = if dice.below(3) == 0 { ink.second } else { ink.main };
        canvas.disc((LEFT + 40.0, top + 33.0), 17.0, mark);
        canvas.write((LEFT + 82.0, top + 22.0), 22.0, ink.text, word);
        canvas.block(Area::new(LEFT + 560.0, top + 26.0, 80.0 + 160.0 * dice.share(), 14.0), 7.0, ink.faint);
        let figure = format!("{}.{:02}", dice.below(180) + 2, dice.below(20) * 5);
        let left = LEFT + 1_066.0 - width(&figure, 22.0);
        canvas.write((left, top + 22.0), 22.0, ink.text, &figure);
    }
}

/// Draws four tiles with numbers, and bars below.
fn board(canvas: &mut Canvas, ink: &Ink, words: &[&str], dice: &mut Dice) {
    for (tile, word) in (0u8..4).zip(words) {
        let left = LEFT + f32::from(tile) * 279.0;
        let ground = if tile == 0 { ink.main } else { Colour::WHITE };
        canvas.block(Area::new(left, TOP, 259.0, 168.0), 18.0, ground);
        let short: String = word.chars().take(12).collect();
        canvas.write((left + 24.0, TOP + 28.0), 18.0, ink.on(ground), &short);
        let figure = format!("{}", dice.below(880) + 24);
        canvas.write((left + 24.0, TOP + 84.0), 52.0, ink.on(ground), &figure);
    }
    let floor = 740.0;
    canvas.block(Area::new(LEFT, 330.0, 1_096.0, 434.0), 18.0, Colour::WHITE);
    for bar in 0u8..14 {
        let high = 90.0 + 240.0 * dice.share();
        let left = LEFT + 40.0 + f32::from(bar) * 74.0;
        let colour = if bar % 7 == 5 { ink.second } else { ink.main.lighten(0.25) };
        canvas.block(Area::new(left, floor - high, 46.0, high), 9.0, colour);
    }
    for line in 1u8..4 {
        canvas.block(Area::new(LEFT + 30.0, floor - f32::from(line) * 100.0, 1_036.0, 2.0), 0.0, ink.faint);
    }
}

/// Draws tables in a room, some of them occupied.
fn room(canvas: &mut Canvas, ink: &Ink, words: &[&str], dice: &mut Dice) {
    canvas.block(Area::new(LEFT, TOP, 800.0, 628.0), 20.0, Colour::WHITE);
    for table in 0u8..15 {
        let middle = (LEFT + 100.0 + f32::from(table % 5) * 150.0, TOP + 120.0 + f32::from(table / 5) * 195.0);
        let colour = match dice.below(5) {
            0 | 1 => ink.main,
            2 => ink.second,
            _ => ink.faint,
        };
        for (x, y) in [(0.0, -62.0), (0.0, 62.0), (-62.0, 0.0), (62.0, 0.0)] {
            canvas.disc((middle.0 + x, middle.1 + y), 13.0, ink.main.lighten(0.7));
        }
        let round = dice.below(2) == 0;
        let radius = if round { 48.0 } else { 16.0 };
        canvas.block(Area::new(middle.0 - 48.0, middle.1 - 48.0, 96.0, 96.0), radius, colour);
        let label = format!("{}", table + 1);
        let left = middle.0 - width(&label, 26.0) / 2.0 + 3.0;
        canvas.write((left, middle.1 - 13.0), 26.0, ink.on(colour), &label);
    }
    for (row, word) in (0u8..5).zip(words) {
        let top = TOP + f32::from(row) * 127.0;
        canvas.block(Area::new(LEFT + 824.0, top, 272.0, 112.0), 16.0, Colour::WHITE);
        canvas.write((LEFT + 848.0, top + 26.0), 18.0, ink.text, &word.chars().take(12).collect::<String>());
        canvas.block(Area::new(LEFT + 848.0, top + 68.0, 60.0 + 150.0 * dice.share(), 14.0), 7.0, ink.second);
    }
}

/// Draws seven columns with coloured bars.
fn week(canvas: &mut Canvas, ink: &Ink, words: &[&str], dice: &mut Dice) {
    canvas.block(Area::new(LEFT, TOP, 1_096.0, 628.0), 20.0, Colour::WHITE);
    for column in 1u8..7 {
        canvas.block(Area::new(LEFT + 180.0 + f32::from(column) * 128.0, TOP + 20.0, 2.0, 588.0), 0.0, ink.faint);
    }
    for (row, word) in (0u8..6).zip(words.iter().cycle()) {
        let top = TOP + 30.0 + f32::from(row) * 97.0;
        canvas.write((LEFT + 22.0, top + 26.0), 18.0, ink.text, &word.chars().take(9).collect::<String>());
        let mut left = LEFT + 196.0 + 90.0 * dice.share();
        while left < LEFT + 960.0 {
            let long = 90.0 + 190.0 * dice.share();
            let colour = if dice.below(4) == 0 { ink.second } else { ink.main.lighten(0.15) };
            let fitting = long.min(LEFT + 1_076.0 - left);
            canvas.block(Area::new(left, top + 8.0, fitting, 54.0), 13.0, colour);
            left += long + 24.0 + 120.0 * dice.share();
        }
    }
}

/// Draws six cards, one of them selected.
fn cards(canvas: &mut Canvas, ink: &Ink, words: &[&str], dice: &mut Dice) {
    let chosen = dice.below(6);
    for (card, word) in (0u8..6).zip(words.iter().cycle()) {
        let left = LEFT + f32::from(card % 3) * 373.0;
        let top = TOP + f32::from(card / 3) * 322.0;
        let head = if u32::from(card) == chosen { ink.second } else { ink.main };
        canvas.block(Area::new(left, top, 350.0, 302.0), 20.0, Colour::WHITE);
        canvas.block(Area::new(left, top, 350.0, 112.0), 20.0, head);
        canvas.block(Area::new(left, top + 80.0, 350.0, 32.0), 0.0, head);
        canvas.write((left + 24.0, top + 44.0), 20.0, ink.on(head), &word.chars().take(16).collect::<String>());
        for line in 0u8..3 {
            let long = 120.0 + 170.0 * dice.share();
            canvas.block(Area::new(left + 24.0, top + 140.0 + f32::from(line) * 34.0, long, 14.0), 7.0, ink.faint);
        }
        canvas.block(Area::new(left + 24.0, top + 248.0, 112.0, 34.0), 17.0, head.lighten(0.3));
    }
}
