//! Name spaces, and what to suggest for a name that is in none.

use std::collections::BTreeMap;

use crate::diagnostic::{Code, Diagnostic, Findings, Span};
use crate::spelling::nearest;
use crate::tree::Name;

/// The names of one kind of thing, with the index of each.
#[derive(Debug, Default)]
pub(crate) struct Names<'t> {
    entries: BTreeMap<&'t str, (usize, Span)>,
}

impl<'t> Names<'t> {
    /// Adds a name; reports it with this code if it is there already (the first stays).
    pub(crate) fn declare(
        &mut self,
        name: &'t Name,
        index: usize,
        what: &str,
        code: impl Into<Code>,
        findings: &mut Findings,
    ) {
        if let Some((_, first)) = self.entries.get(name.text.as_str()) {
            let message = format!("{what} `{}` is declared twice", name.text);
            let found =
                Diagnostic::new(code, name.span, message, "give one of the two another name");
            findings.add(found.also(*first, "first declared here"));
            return;
        }
        self.entries.insert(&name.text, (index, name.span));
    }

    /// Where and as what a name was declared.
    pub(crate) fn find(&self, name: &str) -> Option<(usize, Span)> {
        self.entries.get(name).copied()
    }

    /// The index of a name; reports it if there is none.
    pub(crate) fn look_up(
        &self,
        name: &Name,
        code: impl Into<Code>,
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
    pub(crate) fn suggest(&self, wanted: &str, what: &str) -> String {
        match self.nearest(wanted) {
            Some(name) => format!("did you mean `{name}`?"),
            None if self.entries.is_empty() => {
                format!("declare {what} `{wanted}`: there is none yet")
            }
            None => format!("name one that is declared: {}", self.list()),
        }
    }

    /// The name that was probably meant.
    pub(crate) fn nearest(&self, wanted: &str) -> Option<&'t str> {
        nearest(wanted, self.entries.keys().copied())
    }

    /// The first few names.
    pub(crate) fn list(&self) -> String {
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
