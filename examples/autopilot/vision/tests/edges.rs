//! The edges found step by step are those of the reference, bit by bit, and those that one sees.

use autopilot_vision::{Edges, Frame, HEIGHT, WIDTH, camera, edges, is_edge, reference};

fn picture(number: u32) -> Frame {
    let mut frame = [0; WIDTH * HEIGHT];
    camera::take(number, &mut frame);
    frame
}

fn show(edges: &Edges) -> String {
    let row = |y| (0..WIDTH).map(move |x| if is_edge(edges, x, y) { '#' } else { '.' });
    (0..HEIGHT).flat_map(|y| row(y).chain(['\n'])).collect()
}

#[test]
fn pictures_of_the_camera_have_the_same_edges_both_ways() {
    for number in 0..400 {
        let frame = picture(number);
        let (steps, once) = (edges(&frame), reference::edges(&frame));
        assert!(
            steps == once,
            "picture {number}\n{}\n{}",
            show(&steps),
            show(&once)
        );
    }
}

#[test]
fn noise_of_every_size_has_the_same_edges_both_ways() {
    let mut random = 1u32;
    for size in [1u32, 3, 20, 120, 256] {
        for _ in 0..40 {
            let frame: Frame = core::array::from_fn(|_| {
                random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                ((random >> 8) % size * 255 / (size - 1).max(1)) as u8
            });
            assert!(edges(&frame) == reference::edges(&frame), "size {size}");
        }
    }
}

#[test]
fn a_wrong_pixel_is_noticed() {
    let mut frame = picture(17);
    let before = reference::edges(&frame);
    frame[24 * WIDTH + 32] ^= 0xFF;
    assert_ne!(edges(&frame), before);
}

#[test]
fn the_outlines_of_the_disc_and_the_box_are_most_of_what_is_found() {
    for number in [0, 40, 90] {
        let found = edges(&picture(number));
        let count = found.iter().map(|bits| bits.count_ones()).sum::<u32>();
        // a circle of radius 9, a box of 16 x 11, a border across the picture
        assert!(
            (90..260).contains(&count),
            "picture {number}: {count}\n{}",
            show(&found)
        );
    }
}

#[test]
#[ignore = "prints edges, for people"]
fn print_edges() {
    for number in [0, 40, 90] {
        println!("{}", show(&edges(&picture(number))));
    }
}
