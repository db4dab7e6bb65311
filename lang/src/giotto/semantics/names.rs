//! Name spaces, and what to suggest for a name that is in none.

use std::collections::BTreeMap;

use super::super::tree::Name;
use crate::diagnostic::{Code, Diagnostic, Findings, Span};

/// The names of one kind of thing, with the index of each.
#[derive(Debug, Default)]
pub(super) struct Names<'t> {
    entries: BTreeMap<&'t str, (usize, Span)>,
}

impl<'t> Names<'t> {
    /// Adds a name; reports it if it is there already (the first stays).
    pub(super) fn declare(
        &mut self,
        name: &'t Name,
        index: usize,
        what: &str,
        findings: &mut Findings,
    ) {
        if let Some((_, first)) = self.entries.get(name.text.as_str()) {
            let message = format!("{what} `{}` is declared twice", name.text);
            let found = Diagnostic::new(
                Code::Duplicate,
                name.span,
                message,
                "give one of the two another name",
            );
            findings.add(found.also(*first, "first declared here"));
            return;
        }
        self.entries.insert(&name.text, (index, name.span));
    }

    /// Where and as what a name was declared.
    pub(super) fn find(&self, name: &str) -> Option<(usize, Span)> {
        self.entries.get(name).copied()
    }

    /// The index of a name; reports it if there is none.
    pub(super) fn look_up(
        &self,
        name: &Name,
        code: Code,
        what: &str,
        findings: &mut Findings,
    ) -> Option<usize> {
        let found = self.find(&name.text);
        if found.is_none() {
            let message = format!("there is no {what} `{}`", name.text);
            findings.report(code, name.span, message, self.suggest(&name.text, what));
        }
        found.map(|(index, _)| index)
    }

    /// The mend for a name that is not there.
    fn suggest(&self, wanted: &str, what: &str) -> String {
        let near = self
            .entries
            .keys()
            .map(|name| (distance(wanted, name), *name))
            .min();
        match near {
            Some((steps, name)) if wanted.len() > 2 && steps <= 1 + wanted.len() / 4 => {
                format!("did you mean `{name}`?")
            }
            Some(_) => format!("name one that is declared: {}", self.list()),
            None => format!("declare {what} `{wanted}`: there is none yet"),
        }
    }

    /// The first few names.
    fn list(&self) -> String {
        const SHOWN: usize = 8;
        let names: Vec<String> = self
            .entries
            .keys()
            .take(SHOWN)
            .map(|name| format!("`{name}`"))
            .collect();
        let more = if self.entries.len() > SHOWN {
            ", ..."
        } else {
            ""
        };
        format!("{}{more}", names.join(", "))
    }
}

/// Letters to change, insert or remove to make one word of the other; words of
/// more than 64 letters count as far apart. O(length^2).
fn distance(a: &str, b: &str) -> usize {
    const FAR: usize = usize::MAX;
    if a.len().max(b.len()) > 64 {
        return FAR;
    }
    let (a, b) = (a.as_bytes(), b.as_bytes());
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.iter().enumerate() {
        let mut diagonal = i;
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let change = diagonal + usize::from(!x.eq_ignore_ascii_case(y));
            diagonal = row[j + 1];
            row[j + 1] = change.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distance_counts_single_letter_changes() {
        assert_eq!(distance("control", "control"), 0);
        assert_eq!(distance("controll", "control"), 1);
        assert_eq!(distance("navigate", "navigation"), 3);
        assert_eq!(distance("", "abc"), 3);
        assert_eq!(distance("a", &"b".repeat(65)), usize::MAX);
    }
}
