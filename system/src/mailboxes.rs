//! Mailboxes: who sends to each, who receives from it, and the server that it is
//! attached to.

use crate::file::Spanned;
use crate::objects::{Kind, Object, ObjectSection};
use crate::problem::{Findings, suggest};
use crate::section::{Section, Value, as_text};
use giornata_abi::system::{RIGHT_DIRECT, RIGHT_FULL, RIGHT_RECEIVE, RIGHT_USE};
use toml::de::DeValue;

/// What a system file calls the rights to a mailbox.
pub(crate) const RIGHTS: [(&str, u16); 4] = [
    ("send", RIGHT_USE),
    ("receive", RIGHT_RECEIVE),
    ("direct", RIGHT_DIRECT),
    ("full", RIGHT_FULL),
];

/// Reads `grants.mailbox`: by name a right, or a list of them.
pub(crate) fn grants(
    findings: &mut Findings,
    grants: &Section<'_>,
) -> Vec<(Kind, Spanned<String>, u16)> {
    let entries = grants.named(findings, Kind::Mailbox.name()).into_iter();
    let all = entries.map(|(name, value)| {
        let rights = match value.get_ref() {
            DeValue::Array(values) => {
                let mut rights = 0;
                for value in values {
                    rights |= right(findings, value);
                }
                if values.is_empty() {
                    let reason = format!("no right to mailbox `{}` is named", name.get_ref());
                    findings.refuse(value.span(), reason, "name one, or leave the mailbox out");
                }
                rights
            }
            _ => right(findings, value),
        };
        (Kind::Mailbox, name, rights)
    });
    all.collect()
}

fn right(findings: &mut Findings, value: &Value<'_>) -> u16 {
    let Some(text) = as_text(findings, value, "the right to a mailbox") else {
        return 0;
    };
    let word = text.get_ref().as_str();
    let found = RIGHTS.iter().find(|(name, _)| *name == word);
    if found.is_none() {
        let reason = format!("there is no right \"{word}\" to a mailbox");
        let known = RIGHTS.iter().map(|(name, _)| *name);
        findings.refuse(text.span(), reason, suggest(word, known));
    }
    found.map_or(0, |(_, right)| *right)
}

/// Resolves which server each mailbox is attached to.
pub(crate) fn attach(findings: &mut Findings, sections: &[ObjectSection], objects: &mut [Object]) {
    for (index, section) in sections.iter().enumerate() {
        let Some(server) = &section.server else {
            continue;
        };
        let found = server_of(findings, sections, server);
        if let Some(object) = objects.get_mut(index) {
            object.server = found;
        }
    }
    for (index, section) in (0u16..).zip(sections) {
        if let (Some(server), true) = (&section.server, is_in_circle(objects, index)) {
            let reason = format!(
                "mailbox `{}` is attached to itself, through its servers",
                section.name.get_ref()
            );
            let mend = "leave `server` out where messages shall arrive";
            findings.refuse(server.span(), reason, mend);
        }
    }
}

fn server_of(
    findings: &mut Findings,
    sections: &[ObjectSection],
    server: &Spanned<String>,
) -> Option<u16> {
    let name = server.get_ref();
    let is_mailbox = |section: &ObjectSection| section.shape.kind() == Kind::Mailbox;
    let found = sections.iter().position(|s| s.name.get_ref() == name);
    let (reason, mend) = match found.and_then(|index| sections.get(index)) {
        Some(section) if is_mailbox(section) => return found.map(|index| index as u16),
        Some(section) => (
            format!(
                "`{name}` is a {}, not the mailbox of a server",
                section.shape.kind().name()
            ),
            "name a mailbox that a process receives from in full".into(),
        ),
        None => {
            let known = sections.iter().filter(|section| is_mailbox(section));
            let known: Vec<&str> = known.map(|s| s.name.get_ref().as_str()).collect();
            (
                format!("there is no mailbox `{name}`"),
                suggest(name, known),
            )
        }
    };
    findings.refuse(server.span(), reason, mend);
    None
}

/// Whether the servers of a mailbox lead back to it.
fn is_in_circle(objects: &[Object], start: u16) -> bool {
    let server = |index: u16| objects.get(usize::from(index))?.server;
    let mut way = std::iter::successors(server(start), |at| server(*at));
    way.by_ref().take(objects.len()).any(|at| at == start)
}

/// Messages can come into a mailbox and out of it, and the one that others are
/// attached to has a server.
pub(crate) fn check_ends(
    findings: &mut Findings,
    section: &ObjectSection,
    mailbox: &Object,
    objects: &[Object],
) {
    let name = &mailbox.name;
    let index = objects.iter().position(|object| object.name == *name);
    let is_server = |object: &Object| object.server.map(usize::from) == index;
    let is_attached_to = objects.iter().any(is_server);
    let mut refuse = |reason: String, who: &str, right: &str| {
        let grant = Kind::Mailbox.grant(name, right);
        let mend = format!("grant it to {who}: `grants = {{ {grant} }}`");
        findings.refuse(section.name.span(), reason, mend);
    };
    let has_server = mailbox.holders(RIGHT_FULL).next().is_some();
    if is_attached_to && !has_server {
        let reason = format!("mailboxes are attached to `{name}`, and no process is its server");
        return refuse(reason, "the server", "full");
    }
    if mailbox.users().next().is_none() && !has_server {
        let reason = format!("no process may send to mailbox `{name}`");
        refuse(reason, "those that do", "send");
    }
    if mailbox.receivers().next().is_none() && mailbox.server.is_none() {
        let reason = format!("no process may receive from mailbox `{name}`");
        refuse(reason, "those that do", "receive");
    }
}
