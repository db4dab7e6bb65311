//! What a program says, compared with what a page says it does: `...` stands for anything,
//! and any number of spaces for any other.

/// The first of the expected lines that is not said after those before it.
pub(crate) fn missing<'a>(said: &str, expected: &'a [String]) -> Option<&'a str> {
    let mut lines = said.lines();
    let wanted = expected
        .iter()
        .filter(|line| !matches!(line.trim(), "" | "..."));
    let mut wanted = wanted.map(String::as_str);
    wanted.find(|pattern| !lines.any(|line| fits(line, pattern)))
}

/// Whether a line is what a pattern says.
fn fits(line: &str, pattern: &str) -> bool {
    let line = line.split_whitespace().collect::<Vec<_>>().join(" ");
    let pattern = pattern.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut parts = pattern.split("...");
    let Some(mut rest) = parts.next().and_then(|first| line.strip_prefix(first)) else {
        return false;
    };
    let mut last = None;
    for part in parts {
        last = Some(part);
        match rest.find(part) {
            Some(at) => rest = &rest[at + part.len()..],
            None => return false,
        }
    }
    match last {
        Some(last) => line.ends_with(last),
        None => rest.is_empty(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_said_fits_what_the_page_says() {
        assert!(fits("#0  show (value=3)", "#0 show (value=3)"));
        assert!(fits("at 0.123 s", "at ... s"));
        assert!(fits(
            "panel/holder  sleeps  until 1.5 s   x",
            "panel/holder sleeps until ... x"
        ));
        assert!(!fits("at 0.123 ms", "at ... s."));
        assert!(!fits("at 1", "at"));
        let expected = ["b".into(), "...".into(), "a".into()];
        assert_eq!(missing("a\nb\n", &expected), Some("a"));
        assert_eq!(missing("b\nx\na\n", &expected), None);
    }
}
