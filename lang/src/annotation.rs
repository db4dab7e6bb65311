//! What annotations of all languages are made of.

/// The non-empty pairs of a text that begins at `at`, each with its place.
pub(crate) fn pairs<'p>(
    mut at: usize,
    plain: &'p str,
    separators: &'p [char],
) -> impl Iterator<Item = (usize, &'p str)> {
    plain.split(separators).filter_map(move |piece| {
        let start = at + (piece.len() - piece.trim_start().len());
        at += piece.len() + 1;
        Some((start, piece.trim())).filter(|(_, pair)| !pair.is_empty())
    })
}

/// A fixed priority: 1 to 255.
pub(crate) fn priority(value: &str) -> Option<u8> {
    value.parse().ok().filter(|p| *p > 0)
}
