//! Names of functions that the compiler knows.
//!
//! Programs written for the Berkeley compiler name C functions for what needs
//! no function here: a guard that is always true, a driver that only copies, a
//! switch that sets nothing.

/// Guards that are always true, whatever their arguments: they are left out.
pub const TRUE: &[&str] = &["constant_true", "c_true", "true", "CondTrue"];

/// Functions that do nothing when they get no argument: they are left out.
pub const NOTHING: &[&str] = &["dummy", "nothing"];

/// The plain copy, whatever the types; `copy_<type>` copies ports of that type.
pub const COPY: &str = "copy";

/// Whether a guard is always true.
pub(super) fn is_true(function: &str) -> bool {
    TRUE.contains(&function)
}

/// Whether a function without arguments does nothing.
pub(super) fn is_nothing(function: &str) -> bool {
    NOTHING.contains(&function)
}

/// Whether a function copies values of one of these types.
pub(super) fn is_copy<'a>(function: &str, mut types: impl Iterator<Item = &'a str>) -> bool {
    let Some(rest) = function.strip_prefix(COPY) else {
        return false;
    };
    rest.is_empty()
        || rest
            .strip_prefix('_')
            .is_some_and(|of| types.any(|t| t == of))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_copy_names_the_type_it_copies() {
        assert!(is_copy("copy", [].into_iter()));
        assert!(is_copy("copy_real", ["real"].into_iter()));
        assert!(!is_copy("copy_real", ["f64"].into_iter()));
        assert!(!is_copy("copyreal", ["real"].into_iter()));
        assert!(!is_copy("recopy", ["real"].into_iter()));
    }

    #[test]
    fn berkeley_guards_are_known() {
        assert!(
            is_true("constant_true") && is_true("c_true") && is_true("true") && is_true("CondTrue")
        );
        assert!(!is_true("is_true"));
        assert!(is_nothing("dummy") && !is_nothing("reset"));
    }
}
