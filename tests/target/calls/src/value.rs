//! The values that registers are swept over.

use giornata_rt::call;

/// 0, 1, -1, least, greatest; ends of halves and of small tables; addresses of
/// the kernel, of devices, of memory that belongs to others or to nobody.
pub(crate) const VALUES: [usize; 16] = [
    0,
    1,
    2,
    3,
    100,
    101,
    255,
    0xFFFF,
    0x1_0000,
    0x0200_BFF9,
    0x3000_0000,
    0x8000_0000,
    0x8010_0000,
    usize::MAX / 2,
    usize::MAX / 2 + 1,
    usize::MAX,
];

/// Numbers that name no call.
pub(crate) const NO_CALLS: [usize; 8] = [
    16,
    17,
    64,
    255,
    256,
    0xFFFF_FFFF,
    usize::MAX / 2 + 1,
    usize::MAX,
];

/// Lengths of a value of four bytes, and what it is not.
pub(crate) const LENGTHS: [usize; 9] = [
    4,
    0,
    1,
    3,
    5,
    8,
    usize::MAX / 2 + 5,
    usize::MAX / 2 + 1,
    usize::MAX,
];

/// Lengths of a message.
pub(crate) const MESSAGES: [usize; 5] = [0, 4, 17, 96, usize::MAX];

/// An address for four bytes, and what the process may do there.
#[derive(Clone, Copy)]
pub(crate) struct Place {
    pub(crate) address: usize,
    pub(crate) readable: bool,
    pub(crate) writable: bool,
    pub(crate) is_text: bool,
}

static CONSTANT: [u8; 256] = [b'c'; 256];
static mut VARIABLE: [u8; 256] = [b'v'; 256];

/// Whether the guard below a stack is memory of the process, closed to user mode alone: where
/// regions confine it, on the boards without atomic instructions.
const GUARD_IS_OWN: bool = !cfg!(target_feature = "a");

/// How many places are known by what the process may do there.
const OWN: usize = 6;
/// How many places there are.
pub(crate) const PLACES: usize = OWN + VALUES.len();

/// The lowest address of the caller's stack, below which nothing is its own; an upcall is
/// not told it, and has no call for it.
fn stack_bottom() -> usize {
    call::own().map_or(0, |(_, lowest, _)| lowest)
}

/// Own places, aligned and not, and across the end of what is its own; then [`VALUES`], where nothing of the process lies.
pub(crate) fn places() -> [Place; PLACES] {
    let own = |address, readable, writable| Place {
        address,
        readable,
        writable,
        is_text: false,
    };
    let constant = (&raw const CONSTANT).addr();
    let variable = (&raw const VARIABLE).addr();
    let text = (places as fn() -> [Place; PLACES] as usize) & !7;
    let mut all = [own(0, false, false); PLACES];
    let first = [
        own(variable, true, true),
        own(variable + 3, true, true),
        own(constant, true, false),
        own(constant + 1, true, false),
        Place {
            is_text: true,
            ..own(text, true, false)
        },
        own(stack_bottom().wrapping_sub(2), GUARD_IS_OWN, GUARD_IS_OWN),
    ];
    let rest = VALUES.iter().map(|&address| own(address, false, false));
    for (place, value) in all.iter_mut().zip(first.into_iter().chain(rest)) {
        *place = value;
    }
    all
}
