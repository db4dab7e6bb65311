//! Typed reads out of a TOML table, each with its place in the text. What does
//! not read is noted as a problem and left out; nothing here fails or panics.

use crate::definition::{Form, Table};
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
    /// What it may hold: what it holds beyond that has been refused.
    definition: &'static Table,
    span: Range<usize>,
}

impl<'a> Section<'a> {
    /// The file's top level, whose keys are not looked at yet: another format may have
    /// others.
    fn top(table: &'a DeTable<'a>, definition: &'static Table) -> Section<'a> {
        Section {
            title: "the top level".into(),
            table,
            definition,
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

    fn entries(&self) -> Vec<(Spanned<String>, &'a Value<'a>)> {
        entries(self.table)
    }

    /// Whether the definition has a key.
    pub(crate) fn defines(&self, key: &str) -> bool {
        self.definition.key(key).is_some()
    }

    /// Refuses every key that the definition does not have. Of the tables below the top
    /// level that is done when they are reached.
    pub(crate) fn refuse_unknown(&self, findings: &mut Findings) {
        for (key, _) in self.entries() {
            let word = key.get_ref();
            if !self.defines(word) {
                let reason = format!("{} has no key `{word}`", self.title);
                let known = self.definition.keys.iter().map(|key| key.name);
                findings.refuse(key.span(), reason, suggest(word, known));
            }
        }
    }

    /// What the definition says of a key. Whoever reads a key that it does not have, or
    /// as something else, is wrong: tests that read the key at all find it.
    fn form(&self, key: &str, is: impl Fn(&Form) -> bool) -> Option<&'static Form> {
        let form = self.definition.key(key).map(|key| &key.form);
        debug_assert!(
            form.is_some_and(|form| form.is(&is)),
            "{} has no `{key}` of this kind in its definition",
            self.title
        );
        form
    }

    /// A string.
    pub(crate) fn text(&self, findings: &mut Findings, key: &str) -> Option<Spanned<String>> {
        self.form(key, |form| matches!(form, Form::Text | Form::Word(_)));
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
        self.need(findings, key, example);
        self.text(findings, key)
    }

    /// A number that must be there.
    pub(crate) fn needed_number(
        &self,
        findings: &mut Findings,
        key: &str,
        example: &str,
    ) -> Option<Spanned<u64>> {
        self.need(findings, key, example);
        self.number(findings, key)
    }

    fn need(&self, findings: &mut Findings, key: &str, example: &str) {
        if self.value(key).is_none() {
            let reason = format!("{} does not say `{key}`", self.title);
            findings.refuse(self.span(), reason, format!("add `{key} = {example}`"));
        }
    }

    /// `true` or `false`, or nothing.
    pub(crate) fn flag(&self, findings: &mut Findings, key: &str) -> Option<bool> {
        self.form(key, |form| matches!(form, Form::Flag));
        let value = self.value(key)?;
        if let DeValue::Boolean(flag) = value.get_ref() {
            return Some(*flag);
        }
        refuse_kind(findings, value, &format!("`{key}`"), "true or false");
        None
    }

    /// A whole number in the range of its definition.
    pub(crate) fn number(&self, findings: &mut Findings, key: &str) -> Option<Spanned<u64>> {
        self.number_in(findings, key, 0..=u64::MAX)
    }

    /// A whole number in a range that other keys make narrower than its definition.
    pub(crate) fn number_in(
        &self,
        findings: &mut Findings,
        key: &str,
        range: RangeInclusive<u64>,
    ) -> Option<Spanned<u64>> {
        let form = self.form(key, |form| matches!(form, Form::Number(..)));
        let Some(Form::Number(least, most)) = form else {
            return None;
        };
        let (least, most) = (*least.max(range.start()), *most.min(range.end()));
        let value = self.value(key)?;
        as_number(findings, value, &format!("`{key}`"), least..=most)
    }

    /// A duration in nanoseconds.
    pub(crate) fn duration(&self, findings: &mut Findings, key: &str) -> Option<Spanned<u64>> {
        self.form(key, |form| matches!(form, Form::Duration));
        let text = as_text(findings, self.value(key)?, &format!("`{key}`"))?;
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
        self.form(key, |form| matches!(form, Form::Size(_)));
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
        self.form(key, |form| matches!(form, Form::List(_)));
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
        let form = self.form(key, |form| matches!(form, Form::Table(_)))?;
        let value = self.value(key)?;
        let table = self.table(findings, key, value)?;
        let section = Section {
            title: self.title_of(key),
            table,
            definition: form.table()?,
            span: self.key_span(key),
        };
        section.refuse_unknown(findings);
        Some(section)
    }

    /// The entries of the table under a key whose keys are names, in the order of the
    /// file.
    pub(crate) fn named(
        &self,
        findings: &mut Findings,
        key: &str,
    ) -> Vec<(Spanned<String>, &'a Value<'a>)> {
        self.form(key, |form| matches!(form, Form::Named(_) | Form::Keyed(..)));
        let value = self.value(key);
        let table = value.and_then(|value| self.table(findings, key, value));
        table.map_or(Vec::new(), entries)
    }

    /// The same where the entries are tables.
    pub(crate) fn sections(
        &self,
        findings: &mut Findings,
        key: &str,
    ) -> Vec<(Spanned<String>, Section<'a>)> {
        let definition = self.definition.key(key).and_then(|key| key.form.table());
        let Some(definition) = definition else {
            return Vec::new();
        };
        let mut inner = Vec::new();
        for (name, value) in self.named(findings, key) {
            let Some(table) = self.table(findings, name.get_ref(), value) else {
                continue;
            };
            let section = Section {
                title: self.title_of(&format!("{key}.{}", name.get_ref())),
                table,
                definition,
                span: name.span(),
            };
            section.refuse_unknown(findings);
            inner.push((name, section));
        }
        inner
    }

    fn title_of(&self, key: &str) -> String {
        match self.title.strip_prefix('[') {
            Some(outer) => format!("[{}.{key}]", outer.trim_end_matches(']')),
            None => format!("[{key}]"),
        }
    }

    fn table(
        &self,
        findings: &mut Findings,
        key: &str,
        value: &'a Value<'a>,
    ) -> Option<&'a DeTable<'a>> {
        if let DeValue::Table(table) = value.get_ref() {
            return Some(table);
        }
        refuse_kind(findings, value, &format!("`{key}`"), "a table");
        None
    }
}

/// The keys of a table with their values, in the order of the file.
fn entries<'a>(table: &'a DeTable<'a>) -> Vec<(Spanned<String>, &'a Value<'a>)> {
    let entries = table.iter();
    let entries =
        entries.map(|(key, value)| (Spanned::new(key.span(), key.get_ref().to_string()), value));
    let mut entries: Vec<_> = entries.collect();
    entries.sort_by_key(|(key, _)| key.span().start);
    entries
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

/// Errors of notation that are told at once.
const MOST_ERRORS: usize = 10;

/// Parses a text and hands its top level to `read`; `None` for a text that is
/// not TOML, whose errors are noted.
pub(crate) fn read_text<T>(
    findings: &mut Findings,
    text: &str,
    definition: &'static Table,
    read: impl FnOnce(&mut Findings, Section<'_>) -> Option<T>,
) -> Option<T> {
    let (table, errors) = DeTable::parse_recoverable(text);
    // what comes behind the first errors is mostly read wrongly because of them
    for error in errors.iter().take(MOST_ERRORS) {
        let span = error.span().unwrap_or(0..0);
        let reason = format!("not TOML: {}", error.message());
        findings.refuse(span, reason, "see https://toml.io for the notation");
    }
    if !errors.is_empty() {
        return None;
    }
    let top = Section::top(table.get_ref(), definition);
    read(findings, top)
}
