//! `[stream.*]`

use crate::file::Spanned;
use crate::problem::Findings;
use crate::section::Section;

/// `[stream.*]`
#[derive(Clone, Debug)]
pub struct StreamSection {
    /// Its name.
    pub name: Spanned<String>,
    /// A program in Sigma.
    pub source: Spanned<String>,
    /// The process that runs filters of which nothing else is said.
    pub process: Option<Spanned<String>>,
    /// Most execution time of an instance, in ns, of filters of which nothing else is said.
    pub budget: Option<Spanned<u64>>,
    /// Bytes of the stack of each filter of which nothing else is said.
    pub stack: Option<Spanned<u64>>,
    /// What is said of single filters.
    pub filters: Vec<FilterEntry>,
}

/// `[stream.*.filters]`: what is said of a filter.
#[derive(Clone, Debug)]
pub struct FilterEntry {
    /// Its name in the program.
    pub name: Spanned<String>,
    /// The process that runs it.
    pub process: Option<Spanned<String>>,
    /// Most execution time of an instance, in ns.
    pub budget: Option<Spanned<u64>>,
    /// Bytes of its stack.
    pub stack: Option<Spanned<u64>>,
}

impl StreamSection {
    /// What is said of a filter.
    pub(super) fn entry(&self, filter: &str) -> Option<&FilterEntry> {
        let mut entries = self.filters.iter();
        entries.find(|entry| entry.name.get_ref() == filter)
    }
}

/// Reads the section of one stream.
pub(crate) fn section(
    findings: &mut Findings,
    name: Spanned<String>,
    section: &Section<'_>,
) -> Option<StreamSection> {
    let source = section.needed(findings, "source", "\"graph.sigma\"");
    let entries = section.sections(findings, "filters");
    let filters = entries.into_iter().map(|(name, section)| FilterEntry {
        name,
        process: section.text(findings, "process"),
        budget: section.duration(findings, "budget"),
        stack: section.size(findings, "stack"),
    });
    let filters = filters.collect();
    Some(StreamSection {
        name,
        process: section.text(findings, "process"),
        budget: section.duration(findings, "budget"),
        stack: section.size(findings, "stack"),
        filters,
        source: source?,
    })
}
