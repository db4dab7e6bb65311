//! What compilers of C call for operations on integers that the core has no instruction for.
//!
//! Rust's own have not all of them for every board: those that are compiled from C there are
//! for another floating-point ABI.

use core::ffi::c_int;

macro_rules! functions {
    ($($name:ident($value:ident: $type:ty) -> $answer:ty { $body:expr })*) => {
        $(
            /// See the integer library routines of the GCC manual. O(1); no entry.
            #[cfg_attr(target_os = "none", unsafe(no_mangle))]
            pub extern "C" fn $name($value: $type) -> $answer {
                $body
            }
        )*
    };
}

functions! {
    __bswapsi2(value: u32) -> u32 { value.swap_bytes() }
    __bswapdi2(value: u64) -> u64 { value.swap_bytes() }
    __popcountsi2(value: u32) -> c_int { value.count_ones() as c_int }
    __popcountdi2(value: u64) -> c_int { value.count_ones() as c_int }
    __paritysi2(value: u32) -> c_int { (value.count_ones() & 1) as c_int }
    __paritydi2(value: u64) -> c_int { (value.count_ones() & 1) as c_int }
    __ffssi2(value: u32) -> c_int { first_set(value.trailing_zeros(), value == 0) }
    __ffsdi2(value: u64) -> c_int { first_set(value.trailing_zeros(), value == 0) }
}

/// The place of the lowest bit that is set, from 1; 0: none is.
fn first_set(below: u32, is_zero: bool) -> c_int {
    match is_zero {
        true => 0,
        false => below as c_int + 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_does_what_its_name_says() {
        assert_eq!(__bswapsi2(0x0102_0304), 0x0403_0201);
        assert_eq!(__bswapdi2(0x0102_0304_0506_0708), 0x0807_0605_0403_0201);
        assert_eq!((__popcountsi2(0xF001), __popcountdi2(u64::MAX)), (5, 64));
        assert_eq!((__paritysi2(7), __paritydi2(1 << 63 | 1)), (1, 0));
        assert_eq!((__ffssi2(0), __ffssi2(8)), (0, 4));
        assert_eq!((__ffsdi2(0), __ffsdi2(1 << 40)), (0, 41));
    }
}
