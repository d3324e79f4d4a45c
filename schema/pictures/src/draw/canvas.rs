//! Canvas with filled areas, rounded boxes and thick lines, all anti-aliased.

use image::{Rgb, RgbImage};

/// An RGB colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Colour(pub(super) [u8; 3]);

/// A rectangle in pixels.
#[derive(Clone, Copy, Debug)]
pub(super) struct Area {
    pub(super) left: f32,
    pub(super) top: f32,
    pub(super) width: f32,
    pub(super) height: f32,
}

/// A line with round ends.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stroke {
    pub(super) from: (f32, f32),
    pub(super) to: (f32, f32),
}

/// The picture that is drawn on.
pub(super) struct Canvas(RgbImage);

impl Canvas {
    /// Creates a picture filled with one colour.
    pub(super) fn new(width: u32, height: u32, ground: Colour) -> Self {
        Self(RgbImage::from_pixel(width, height, Rgb(ground.0)))
    }

    /// Returns the finished picture.
    pub(super) fn finish(self) -> RgbImage {
        self.0
    }

    /// Fills the picture with a vertical gradient.
    pub(super) fn shade(&mut self, top: Colour, bottom: Colour) {
        let height = self.0.height().max(1) as f32;
        for (line, row) in self.0.rows_mut().enumerate() {
            let colour = Rgb(top.mix(bottom, line as f32 / height).0);
            row.for_each(|pixel| *pixel = colour);
        }
    }

    /// Draws a box with rounded corners. If the radius is half of its side, the box is a disc.
    pub(super) fn block(&mut self, area: Area, radius: f32, colour: Colour) {
        let radius = area.most_radius(radius);
        let Area { left, top, width, height } = area;
        let cover = area.corner_coverage(radius);
        // Only the corners need anti-aliasing. The area between them is most of the box.
        self.paint(Area::new(left, top, width, radius), colour, &cover);
        self.paint(Area::new(left, top + radius, width, height - 2.0 * radius), colour, |_, _| 1.0);
        self.paint(Area::new(left, top + height - radius, width, radius), colour, &cover);
    }

    /// Draws a translucent box with rounded corners.
    pub(super) fn tint(&mut self, area: Area, radius: f32, colour: Colour, strength: f32) {
        let cover = area.corner_coverage(area.most_radius(radius));
        self.paint(area, colour, |x, y| cover(x, y) * strength);
    }

    /// Draws a disc.
    pub(super) fn disc(&mut self, middle: (f32, f32), radius: f32, colour: Colour) {
        let side = 2.0 * radius;
        self.block(Area::new(middle.0 - radius, middle.1 - radius, side, side), radius, colour);
    }

    /// Draws connected lines as one shape.
    pub(super) fn strokes(&mut self, strokes: &[Stroke], thickness: f32, colour: Colour) {
        let Some(bounds) = bounds(strokes, thickness / 2.0 + 1.0) else { return };
        self.paint(bounds, colour, |x, y| {
            let nearest = strokes.iter().map(|stroke| stroke.distance(x, y)).fold(f32::MAX, f32::min);
            (thickness / 2.0 - nearest + 0.5).clamp(0.0, 1.0)
        });
    }

    /// Paints an area. `cover` returns the opacity of each pixel, from 0 (none) to 1 (full).
    fn paint(&mut self, area: Area, colour: Colour, cover: impl Fn(f32, f32) -> f32) {
        let (left, right) = (area.left.round().max(0.0), (area.left + area.width).round().max(0.0));
        let (top, bottom) = (area.top.round().max(0.0), (area.top + area.height).round().max(0.0));
        let rows = self.0.rows_mut().enumerate().take(bottom as usize).skip(top as usize);
        for (y, row) in rows {
            for (x, pixel) in row.enumerate().take(right as usize).skip(left as usize) {
                let strength = cover(x as f32 + 0.5, y as f32 + 0.5);
                if strength >= 1.0 {
                    *pixel = Rgb(colour.0);
                } else if strength > 0.0 {
                    *pixel = Rgb(Colour(pixel.0).mix(colour, strength).0);
                }
            }
        }
    }
}

impl Colour {
    pub(super) const WHITE: Self = Self([255, 255, 255]);

    /// Creates a colour from `0xRRGGBB`.
    pub(super) fn new(code: u32) -> Self {
        let [_, red, green, blue] = code.to_be_bytes();
        Self([red, green, blue])
    }

    /// Returns this colour mixed with a share (0 to 1) of another.
    pub(super) fn mix(self, other: Self, share: f32) -> Self {
        let share = share.clamp(0.0, 1.0);
        let [red, green, blue] = self.0;
        let [other_red, other_green, other_blue] = other.0;
        let mix = |own: u8, other: u8| (f32::from(own) + (f32::from(other) - f32::from(own)) * share).round() as u8;
        Self([mix(red, other_red), mix(green, other_green), mix(blue, other_blue)])
    }

    /// Returns this colour mixed with white.
    pub(super) fn lighten(self, share: f32) -> Self {
        self.mix(Self::WHITE, share)
    }

    /// Returns this colour mixed with a near-black.
    pub(super) fn darken(self, share: f32) -> Self {
        self.mix(Self([10, 14, 20]), share)
    }

    /// Brightness, from 0 to 1.
    pub(super) fn brightness(self) -> f32 {
        let [red, green, blue] = self.0.map(f32::from);
        (0.3 * red + 0.59 * green + 0.11 * blue) / 255.0
    }
}

impl Area {
    pub(super) const fn new(left: f32, top: f32, width: f32, height: f32) -> Self {
        Self { left, top, width, height }
    }

    /// Returns the radius, or the largest radius that fits.
    fn most_radius(self, radius: f32) -> f32 {
        radius.min(self.width / 2.0).min(self.height / 2.0)
    }

    /// Returns a function that computes the coverage of a point in a box with round corners.
    fn corner_coverage(self, radius: f32) -> impl Fn(f32, f32) -> f32 {
        let (half_width, half_height) = (self.width / 2.0, self.height / 2.0);
        let middle = (self.left + half_width, self.top + half_height);
        move |x, y| {
            let aside = (x - middle.0).abs() - half_width + radius;
            let above = (y - middle.1).abs() - half_height + radius;
            let beyond = aside.max(0.0).hypot(above.max(0.0)) + aside.max(above).min(0.0);
            (radius - beyond + 0.5).clamp(0.0, 1.0)
        }
    }
}

impl Stroke {
    /// Returns the distance of a point from the line.
    fn distance(&self, x: f32, y: f32) -> f32 {
        let (along_x, along_y) = (self.to.0 - self.from.0, self.to.1 - self.from.1);
        let length = along_x * along_x + along_y * along_y;
        let share = ((x - self.from.0) * along_x + (y - self.from.1) * along_y) / length.max(1e-6);
        let share = share.clamp(0.0, 1.0);
        (x - self.from.0 - share * along_x).hypot(y - self.from.1 - share * along_y)
    }
}

/// Returns the bounding box of the lines, with a margin.
fn bounds(strokes: &[Stroke], margin: f32) -> Option<Area> {
    let ends = || strokes.iter().flat_map(|stroke| [stroke.from, stroke.to]);
    let left = ends().map(|end| end.0).reduce(f32::min)? - margin;
    let right = ends().map(|end| end.0).reduce(f32::max)? + margin;
    let top = ends().map(|end| end.1).reduce(f32::min)? - margin;
    let bottom = ends().map(|end| end.1).reduce(f32::max)? + margin;
    Some(Area::new(left, top, right - left, bottom - top))
}

#[cfg(test)]
mod tests {
    use super::*;

    const RED: Colour = Colour([200, 0, 0]);

    #[test]
    fn block_fills_only_its_area() {
        let mut canvas = Canvas::new(40, 20, Colour::WHITE);
        canvas.block(Area::new(10.0, 5.0, 20.0, 10.0), 0.0, RED);
        let picture = canvas.finish();
        let painted = picture.enumerate_pixels().filter(|(_, _, pixel)| pixel.0 == RED.0);
        assert!(painted.clone().all(|(x, y, _)| (10..30).contains(&x) && (5..15).contains(&y)));
        assert_eq!(painted.count(), 200);
    }

    #[test]
    fn disc_corners_are_round() {
        let mut canvas = Canvas::new(20, 20, Colour::WHITE);
        canvas.disc((10.0, 10.0), 10.0, RED);
        let picture = canvas.finish();
        assert_eq!(picture.get_pixel(0, 0).0, Colour::WHITE.0);
        assert_eq!(picture.get_pixel(10, 10).0, RED.0);
    }

    #[test]
    fn drawing_outside_canvas_is_clipped() {
        let mut canvas = Canvas::new(10, 10, Colour::WHITE);
        canvas.block(Area::new(-5.0, -5.0, 100.0, 8.0), 0.0, RED);
        canvas.strokes(&[Stroke { from: (-20.0, 9.0), to: (50.0, 9.0) }], 1.0, RED);
        let picture = canvas.finish();
        assert_eq!(picture.get_pixel(9, 1).0, RED.0);
        assert_eq!(picture.get_pixel(9, 5).0, Colour::WHITE.0);
    }

    #[test]
    fn mixed_colours_are_averaged() {
        assert_eq!(Colour::new(0x00_80ff), Colour([0, 128, 255]));
        assert_eq!(Colour([0, 0, 0]).mix(Colour::WHITE, 0.5), Colour([128, 128, 128]));
        assert_eq!(RED.lighten(1.0), Colour::WHITE);
        assert!(Colour::WHITE.brightness() > RED.brightness());
    }
}
