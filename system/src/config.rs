//! Kernel configurations: which parts of the kernel there are.

/// Those that can be built, the least first.
pub const CONFIGS: [&str; 4] = ["es", "es-load", "emeralds", "all"];

/// The part that replaces programs while the system runs: a feature of the
/// kernel's image.
pub(crate) const LOAD: &str = "load";
/// The part that has objects which threads synchronise by.
pub(crate) const SERVICES: &str = "services";

/// The parts of a configuration.
pub(crate) fn parts(config: &str) -> &'static [&'static str] {
    match config {
        "es-load" => &[LOAD],
        "emeralds" => &[SERVICES],
        "all" => &[LOAD, SERVICES],
        _ => &[],
    }
}

/// Whether a configuration has a part.
pub(crate) fn has(config: &str, part: &str) -> bool {
    parts(config).contains(&part)
}

/// The least configuration that has a part and all that `config` has, as a mend.
pub(crate) fn mend(config: &str, part: &str) -> String {
    let wanted = |other: &str| has(other, part) && parts(config).iter().all(|p| has(other, p));
    let least = CONFIGS.into_iter().find(|other| wanted(other));
    let least = least.unwrap_or("all");
    format!("write `config = \"{least}\"` under [kernel]")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mend_adds_a_part_and_takes_none_away() {
        let write = |config| format!("write `config = \"{config}\"` under [kernel]");
        assert_eq!(mend("es", LOAD), write("es-load"));
        assert_eq!(mend("es", SERVICES), write("emeralds"));
        assert_eq!(mend("es-load", SERVICES), write("all"));
        assert_eq!(mend("emeralds", LOAD), write("all"));
    }
}
