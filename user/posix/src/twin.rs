//! Structures that C has too: `runtime/layout.h` says where their fields lie, and both
//! languages hold their own to it when they are compiled.

/// The lines that C includes.
const LAYOUT: &[u8] = include_bytes!("../runtime/layout.h");

/// Where a field of a structure of C lies, in bytes.
pub(crate) const fn offset(structure: &str, field: &str) -> usize {
    number(&["OFFSET(", structure, ", ", field, ", "])
}

/// The bytes of a structure of C.
pub(crate) const fn size(structure: &str) -> usize {
    number(&["SIZE(", structure, ", "])
}

/// The number for this width of the line that begins with these texts.
const fn number(begin: &[&str]) -> usize {
    let mut at = 0;
    while at < LAYOUT.len() {
        if let Some(first) = skip(at, begin) {
            let (narrow, next) = digits(first);
            return match cfg!(target_pointer_width = "64") {
                true => digits(next + 2).0,
                false => narrow,
            };
        }
        while at < LAYOUT.len() && LAYOUT[at] != b'\n' {
            at += 1;
        }
        at += 1;
    }
    panic!("runtime/layout.h has no such field")
}

/// What comes behind these texts at a place; `None`: others lie there.
const fn skip(mut at: usize, texts: &[&str]) -> Option<usize> {
    let mut text = 0;
    while text < texts.len() {
        let bytes = texts[text].as_bytes();
        let mut byte = 0;
        while byte < bytes.len() {
            if at >= LAYOUT.len() || LAYOUT[at] != bytes[byte] {
                return None;
            }
            at += 1;
            byte += 1;
        }
        text += 1;
    }
    Some(at)
}

/// A number, and the place behind it.
const fn digits(mut at: usize) -> (usize, usize) {
    let mut number = 0;
    while LAYOUT[at].is_ascii_digit() {
        number = 10 * number + (LAYOUT[at] - b'0') as usize;
        at += 1;
    }
    (number, at)
}

/// Holds a structure, all of whose fields are named, to that of C.
macro_rules! twin {
    ($c:literal, $own:ident { $($field:ident: $of_c:literal),+ }) => {
        const _: () = {
            $(assert!(
                core::mem::offset_of!($own, $field) == $crate::twin::offset($c, $of_c),
                concat!($c, ", ", $of_c, ": see runtime/layout.h")
            );)+
            assert!(
                size_of::<$own>() == $crate::twin::size($c),
                concat!($c, ": see runtime/layout.h")
            );
            // (a field that is not named here does not compile)
            const fn _all(own: &$own) {
                let $own { $($field: _),+ } = own;
            }
        };
    };
}
pub(crate) use twin;
