//! Typed reads out of a TOML table, each with its place in the text. What does
//! not read is noted as a problem and left out; nothing here fails or panics.

use crate::problem::{Findings, suggest};
use giornata_analysis::quantity;
use std::ops::{Range, RangeInclusive};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// A value of the tree.
pub(crate) type Value<'a> = Spanned<DeValue<'a>>;

/// One table of the file.
#[derive(Clone)]
pub(crate) struct Section<'a> {
    /// Its header as written, for messages: `[process.io]`.
    title: String,
    table: &'a DeTable<'a>,
    span: Range<usize>,
}

impl<'a> Section<'a> {
    /// The file's top level.
    pub(crate) fn top(table: &'a DeTable<'a>) -> Section<'a> {
        Section {
            title: "the top level".into(),
            table,
            span: 0..0,
        }
    }

    /// Where the table begins.
    pub(crate) fn span(&self) -> Range<usize> {
        self.span.clone()
    }

    fn value(&self, key: &str) -> Option<&'a Value<'a>> {
        self.table.get(key)
    }

    /// Whether a key is written, readable or not.
    pub(crate) fn has(&self, key: &str) -> bool {
        self.value(key).is_some()
    }

    /// Where a key is written; the table's own place if it is not.
    pub(crate) fn key_span(&self, key: &str) -> Range<usize> {
        self.table
            .get_key_value(key)
            .map_or(self.span(), |(k, _)| k.span())
    }

    /// The keys with their values, in the order of the file.
    pub(crate) fn entries(&self) -> Vec<(Spanned<String>, &'a Value<'a>)> {
        let mut entries: Vec<_> = self
            .table
            .iter()
            .map(|(key, value)| (Spanned::new(key.span(), key.get_ref().to_string()), value))
            .collect();
        entries.sort_by_key(|(key, _)| key.span().start);
        entries
    }

    /// Refuses every key that is not among `known`.
    pub(crate) fn only(&self, findings: &mut Findings, known: &[&str]) {
        for (key, _) in self.entries() {
            let word = key.get_ref();
            if !known.contains(&word.as_str()) {
                let reason = format!("{} has no key `{word}`", self.title);
                findings.refuse(key.span(), reason, suggest(word, known.iter().copied()));
            }
        }
    }

    /// A string.
    pub(crate) fn text(&self, findings: &mut Findings, key: &str) -> Option<Spanned<String>> {
        let value = self.value(key)?;
        as_text(findings, value, &format!("`{key}`"))
    }

    /// A string that must be there.
    pub(crate) fn needed(
        &self,
        findings: &mut Findings,
        key: &str,
        example: &str,
    ) -> Option<Spanned<String>> {
        if self.value(key).is_none() {
            let reason = format!("{} does not say `{key}`", self.title);
            findings.refuse(self.span(), reason, format!("add `{key} = {example}`"));
        }
        self.text(findings, key)
    }

    /// `true` or `false`, or nothing.
    pub(crate) fn flag(&self, findings: &mut Findings, key: &str) -> Option<bool> {
        let value = self.value(key)?;
        if let DeValue::Boolean(flag) = value.get_ref() {
            return Some(*flag);
        }
        refuse_kind(findings, value, &format!("`{key}`"), "true or false");
        None
    }

    /// A whole number in a range.
    pub(crate) fn number(
        &self,
        findings: &mut Findings,
        key: &str,
        range: RangeInclusive<u64>,
    ) -> Option<Spanned<u64>> {
        let value = self.value(key)?;
        as_number(findings, value, &format!("`{key}`"), range)
    }

    /// A duration in nanoseconds.
    pub(crate) fn duration(&self, findings: &mut Findings, key: &str) -> Option<Spanned<u64>> {
        let text = self.text(findings, key)?;
        let nanos = quantity::duration(text.get_ref());
        if nanos.is_none() {
            let reason = format!("`{key}` is not a duration: \"{}\"", text.get_ref());
            findings.refuse(
                text.span(),
                reason,
                "write a number and ns, us, ms or s, as in \"20us\"",
            );
        }
        Some(Spanned::new(text.span(), nanos?))
    }

    /// A size in bytes, as a string with a unit or a plain number.
    pub(crate) fn size(&self, findings: &mut Findings, key: &str) -> Option<Spanned<u64>> {
        let value = self.value(key)?;
        if let DeValue::Integer(_) = value.get_ref() {
            return as_number(
                findings,
                value,
                &format!("`{key}`"),
                0..=u64::from(u32::MAX),
            );
        }
        let text = as_text(findings, value, &format!("`{key}`"))?;
        let bytes = quantity::size(text.get_ref());
        if bytes.is_none() {
            let reason = format!("`{key}` is not a size: \"{}\"", text.get_ref());
            findings.refuse(
                text.span(),
                reason,
                "write a number and nothing, K or M, as in \"4K\"",
            );
        }
        Some(Spanned::new(text.span(), bytes?))
    }

    /// The elements of an array; none if there is no such key.
    pub(crate) fn list(&self, findings: &mut Findings, key: &str) -> Vec<&'a Value<'a>> {
        let Some(value) = self.value(key) else {
            return Vec::new();
        };
        if let DeValue::Array(array) = value.get_ref() {
            return array.iter().collect();
        }
        refuse_kind(
            findings,
            value,
            &format!("`{key}`"),
            "a list in square brackets",
        );
        Vec::new()
    }

    /// The table under a key.
    pub(crate) fn section(&self, findings: &mut Findings, key: &str) -> Option<Section<'a>> {
        let value = self.value(key)?;
        self.under(findings, key, self.key_span(key), value)
    }

    /// The tables in the table under a key, in the order of the file.
    pub(crate) fn sections(
        &self,
        findings: &mut Findings,
        key: &str,
    ) -> Vec<(Spanned<String>, Section<'a>)> {
        let Some(outer) = self.section(findings, key) else {
            return Vec::new();
        };
        let mut inner = Vec::new();
        for (name, value) in outer.entries() {
            let section = outer.under(findings, name.get_ref(), name.span(), value);
            inner.extend(section.map(|section| (name, section)));
        }
        inner
    }

    fn under(
        &self,
        findings: &mut Findings,
        key: &str,
        span: Range<usize>,
        value: &'a Value<'a>,
    ) -> Option<Section<'a>> {
        let outer = self.title.trim_matches(['[', ']']);
        let title = if self.title.starts_with('[') {
            format!("[{outer}.{key}]")
        } else {
            format!("[{key}]")
        };
        if let DeValue::Table(table) = value.get_ref() {
            return Some(Section { title, table, span });
        }
        refuse_kind(findings, value, &format!("`{key}`"), "a table");
        None
    }
}

/// A string, or a problem.
pub(crate) fn as_text(
    findings: &mut Findings,
    value: &Value<'_>,
    what: &str,
) -> Option<Spanned<String>> {
    if let DeValue::String(text) = value.get_ref() {
        return Some(Spanned::new(value.span(), text.to_string()));
    }
    refuse_kind(findings, value, what, "a string");
    None
}

/// A whole number in a range, or a problem.
pub(crate) fn as_number(
    findings: &mut Findings,
    value: &Value<'_>,
    what: &str,
    range: RangeInclusive<u64>,
) -> Option<Spanned<u64>> {
    let DeValue::Integer(integer) = value.get_ref() else {
        refuse_kind(findings, value, what, "a whole number");
        return None;
    };
    let number = u64::from_str_radix(integer.as_str(), integer.radix()).ok();
    let found = number.filter(|n| range.contains(n));
    if found.is_none() {
        let reason = format!("{what} is {integer}, out of its range");
        findings.refuse(
            value.span(),
            reason,
            format!("write {} to {}", range.start(), range.end()),
        );
    }
    Some(Spanned::new(value.span(), found?))
}

fn refuse_kind(findings: &mut Findings, value: &Value<'_>, what: &str, wanted: &str) {
    let found = match value.get_ref() {
        DeValue::String(_) => "a string",
        DeValue::Integer(_) => "a whole number",
        DeValue::Float(_) => "a number with a fraction",
        DeValue::Boolean(_) => "true or false",
        DeValue::Datetime(_) => "a date",
        DeValue::Array(_) => "a list",
        DeValue::Table(_) => "a table",
    };
    findings.refuse(
        value.span(),
        format!("{what} is {found}"),
        format!("write {wanted}"),
    );
}

/// Parses a text and hands its top level to `read`; `None` for a text that is
/// not TOML, whose errors are noted.
pub(crate) fn read_text<T>(
    findings: &mut Findings,
    text: &str,
    read: impl FnOnce(&mut Findings, Section<'_>) -> Option<T>,
) -> Option<T> {
    let (table, errors) = DeTable::parse_recoverable(text);
    for error in &errors {
        let span = error.span().unwrap_or(0..0);
        let reason = format!("not TOML: {}", error.message());
        findings.refuse(span, reason, "see https://toml.io for the notation");
    }
    if errors.is_empty() {
        read(findings, Section::top(table.get_ref()))
    } else {
        None
    }
}
