//! The filters that find edges: each puts into its channels what a step of `vision` makes of
//! what it takes.

#![no_std]

use autopilot_vision::{
    Crossings, Edges, Frame, Laplacian, Smooth, Stripe, camera as scene, crossing, cut as cutting,
    laplace, smooth,
};
use giornata_rt::stream::{Room, Tokens};
use giornata_rt::{filter, process};

/// Takes one picture after the other.
#[filter]
pub fn camera(frame: &mut Room<Frame>, #[state(u32::default)] number: &mut u32) {
    scene::take(*number, &mut frame[0]);
    *number = number.wrapping_add(1);
}

/// A picture to its stripes, from above.
#[filter]
pub fn cut(frame: &Tokens<Frame>, stripes: &mut Room<Stripe>) {
    for (number, stripe) in stripes.iter_mut().enumerate() {
        cutting::cut(&frame[0], number, stripe);
    }
}

/// Filters that do the same, one for each stripe of a picture.
macro_rules! each {
    ($step:path, $from:ty, $to:ty, [$($name:ident),*]) => {$(
        /// One of the stripes.
        #[filter]
        pub fn $name(from: &Tokens<$from>, to: &mut Room<$to>) {
            $step(&from[0], &mut to[0]);
        }
    )*};
}

each!(
    smooth::smooth,
    Stripe,
    Smooth,
    [smooth_0, smooth_1, smooth_2, smooth_3]
);
each!(
    laplace::laplace,
    Smooth,
    Laplacian,
    [laplace_0, laplace_1, laplace_2, laplace_3]
);

/// The Laplacians of all stripes to the zero crossings of the picture.
#[filter]
pub fn crossings(laplacians: &Tokens<Laplacian>, crossings: &mut Room<Crossings>) {
    crossing::crossings(
        core::array::from_fn(|stripe| &laplacians[stripe]),
        &mut crossings[0],
    );
}

/// Zero crossings to edges.
#[filter]
pub fn threshold(crossings: &Tokens<Crossings>, edges: &mut Room<Edges>) {
    crossing::threshold(&crossings[0], &mut edges[0]);
}

process! {
    filters: [
        camera, cut,
        smooth_0, smooth_1, smooth_2, smooth_3,
        laplace_0, laplace_1, laplace_2, laplace_3,
        crossings, threshold,
    ],
}
