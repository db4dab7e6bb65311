//! A camera that looks at a scene made for it: a disc, a box and a slanting border move over a
//! background that becomes brighter to the right, with noise. A picture is a function of its
//! number.

use crate::{Frame, HEIGHT, WIDTH};

/// Brightness of the disc, the box, and how much the border adds.
const DISC: i32 = 210;
const BOX: i32 = 25;
const BORDER: i32 = 60;
/// Radius of the disc, and width and height of the box, pixels.
const RADIUS: i32 = 9;
const SIZE: (i32, i32) = (16, 11);
/// The most that noise changes a pixel by.
const NOISE: i32 = 3;

/// Takes the picture with this number.
pub fn take(number: u32, frame: &mut Frame) {
    let scene = Scene::at(number);
    let mut random = Random::new(number);
    for (row, pixels) in (0..).zip(frame.chunks_exact_mut(WIDTH)) {
        for (column, pixel) in (0..).zip(pixels) {
            let bright = scene.brightness(column, row) + random.next(NOISE);
            *pixel = bright.clamp(0, 255) as u8;
        }
    }
}

/// Where things are.
struct Scene {
    disc: (i32, i32),
    corner: (i32, i32),
    border: i32,
}

impl Scene {
    fn at(number: u32) -> Scene {
        Scene {
            disc: (
                bounce(number, RADIUS, WIDTH as i32 - RADIUS),
                bounce(number / 3 * 2 + 7, RADIUS, HEIGHT as i32 - RADIUS),
            ),
            corner: (
                bounce(number / 2 + 31, 2, WIDTH as i32 - SIZE.0 - 2),
                bounce(number / 3 + 20, 2, HEIGHT as i32 - SIZE.1 - 2),
            ),
            border: bounce(number, 20, 90),
        }
    }

    fn brightness(&self, x: i32, y: i32) -> i32 {
        let (across, down) = (x - self.disc.0, y - self.disc.1);
        if across * across + down * down <= RADIUS * RADIUS {
            return DISC;
        }
        let (across, down) = (x - self.corner.0, y - self.corner.1);
        if (0..SIZE.0).contains(&across) && (0..SIZE.1).contains(&down) {
            return BOX;
        }
        let below = x + 2 * y > self.border;
        80 + x / 2 + if below { BORDER } else { 0 }
    }
}

/// To and fro between two ends, one step for each number.
fn bounce(number: u32, from: i32, to: i32) -> i32 {
    let way = (to - from) as u32;
    let at = number % (2 * way);
    from + at.min(2 * way - at) as i32
}

/// Noise of a picture: xorshift, begun anew with each.
struct Random(u32);

impl Random {
    fn new(number: u32) -> Random {
        Random(number.wrapping_mul(0x9E37_79B1) ^ 0x2545_F491 | 1)
    }

    /// From `-most` to `most`.
    fn next(&mut self, most: i32) -> i32 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 17;
        self.0 ^= self.0 << 5;
        (self.0 >> 16) as i32 * (2 * most + 1) / 0x1_0000 - most
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn picture(number: u32) -> Frame {
        let mut frame = [0; WIDTH * HEIGHT];
        take(number, &mut frame);
        frame
    }

    #[test]
    fn a_picture_comes_again_the_same_and_the_next_is_another() {
        assert_eq!(picture(5), picture(5));
        assert_ne!(picture(5), picture(6));
    }

    #[test]
    fn noise_is_centred_and_stays_within_its_size() {
        let mut random = Random::new(1);
        let mut counts = [0u32; 2 * NOISE as usize + 1];
        for _ in 0..9000 {
            counts[(random.next(NOISE) + NOISE) as usize] += 1;
        }
        assert!(
            counts.iter().all(|count| (1100..1500).contains(count)),
            "{counts:?}"
        );
    }

    #[test]
    fn things_stay_in_the_picture() {
        for number in 0..1000 {
            let Scene { disc, corner, .. } = Scene::at(number);
            assert!((RADIUS..=WIDTH as i32 - RADIUS).contains(&disc.0));
            assert!((RADIUS..=HEIGHT as i32 - RADIUS).contains(&disc.1));
            assert!(corner.0 >= 2 && corner.0 + SIZE.0 < WIDTH as i32);
            assert!(corner.1 >= 2 && corner.1 + SIZE.1 < HEIGHT as i32);
        }
    }
}
