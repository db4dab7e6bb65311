//! Which name was probably meant.

/// The one of the known names that a word is probably a misspelling of, if one is
/// near and no other as near: a third of its letters, and one more, may be changed, inserted, removed or
/// exchanged with the next. Case does not count.
/// O(known names * product of their and the word's length).
pub fn nearest<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    // what is longer is no word, and would only take time
    const LONGEST: usize = 64;
    if word.len() > LONGEST {
        return None;
    }
    let lower = word.to_lowercase();
    let known = known.into_iter().filter(|known| known.len() <= LONGEST);
    let edits = |known: &'a str| (strsim::osa_distance(&lower, &known.to_lowercase()), known);
    let mut all: Vec<(usize, &str)> = known.map(edits).collect();
    all.sort_unstable();
    all.dedup();
    let (edits, meant) = *all.first()?;
    let is_only = all.get(1).is_none_or(|(other, _)| *other > edits);
    (is_only && edits <= 1 + meant.len() / 3 && edits < meant.len()).then_some(meant)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exchanged_letters_are_one_mistake() {
        let boards = ["qemu-virt32", "qemu-virt32-pmp", "qemu-virt64", "rtl-mmu"];
        assert_eq!(nearest("qemu-virt46", boards), Some("qemu-virt64"));
        assert_eq!(nearest("qemu-virt23", boards), Some("qemu-virt32"));
        assert_eq!(nearest("RTL-MUM", boards), Some("rtl-mmu"));
    }

    #[test]
    fn what_is_far_is_not_meant() {
        assert_eq!(nearest("bananas", ["tasks", "drivers"]), None);
        assert_eq!(nearest("x", ["a", "b"]), None);
        assert_eq!(nearest("t3", ["t1", "t2"]), None);
        assert_eq!(nearest("t1", ["t1", "t2", "t1"]), Some("t1"));
        assert_eq!(nearest(&"a".repeat(100_000), ["a"]), None);
        assert_eq!(nearest("", ["a"]), None);
    }
}
