//! The definition of a file as a page in Markdown: a section for each table, in the order
//! of the definition, each a table of its keys.
//!
//! What stands before the sections is written by hand, in `reference/`.

use std::fmt::Write;

use crate::definition::{Form, Key, Silent, Table};

/// What stands before the sections of system files.
const SYSTEM_HEAD: &str = include_str!("reference/system-file.md.in");
/// What stands before those of board files.
const BOARD_HEAD: &str = include_str!("reference/board-file.md.in");

/// The page about system files, or about board files.
pub fn reference(of_boards: bool) -> String {
    let (head, table) = match of_boards {
        false => (SYSTEM_HEAD, &crate::SYSTEM),
        true => (BOARD_HEAD, &crate::BOARD),
    };
    let mut page = head.to_owned();
    keys(&mut page, &Place::top(), table);
    sections(&mut page, &Place::top(), table);
    page
}

/// Where a table is in the file: the parts of its header, `process.NAME.grants`.
struct Place(String);

impl Place {
    fn top() -> Place {
        Place(String::new())
    }

    /// The table under a key, or under each name below the key.
    fn below(&self, key: &Key) -> Place {
        let name = match &key.form {
            Form::Named(_) => ".NAME",
            Form::Keyed(name, _) => &format!(".{name}"),
            _ => "",
        };
        let dot = if self.0.is_empty() { "" } else { "." };
        Place(format!("{}{dot}{}{name}", self.0, key.name))
    }

    /// A link to its section. The anchor is what GitHub and mdBook make of the heading:
    /// its letters, digits and hyphens.
    fn link(&self) -> String {
        let kept = |c: &char| c.is_ascii_alphanumeric() || *c == '-' || *c == '_';
        let anchor: String = self.0.to_lowercase().chars().filter(kept).collect();
        format!("[`[{}]`](#{anchor})", self.0)
    }
}

/// The sections of all tables below one, depth first.
fn sections(page: &mut String, place: &Place, table: &Table) {
    for key in table.keys {
        let Some(table) = key.form.table() else {
            continue;
        };
        let place = place.below(key);
        let _ = write!(page, "\n## `[{}]`\n\n{}.\n\n", place.0, table.about);
        keys(page, &place, table);
        sections(page, &place, table);
    }
}

/// The table of a table's keys.
fn keys(page: &mut String, place: &Place, table: &Table) {
    *page += "| key | value | meaning | if left out |\n|---|---|---|---|\n";
    for key in table.keys {
        let silent = match key.silent {
            Silent::Needed => "**required**".to_owned(),
            Silent::Value(value) => format!("`{value}`"),
            Silent::Means(words) => words.to_owned(),
        };
        let cells = [
            format!("`{}`", key.name),
            value(place, key),
            format!("{}.", key.meaning),
            silent,
        ];
        let cells = cells.map(|cell| cell.replace('|', "\\|"));
        let _ = writeln!(page, "| {} |", cells.join(" | "));
    }
}

/// What stands under a key.
fn value(place: &Place, key: &Key) -> String {
    let link = place.below(key).link();
    match &key.form {
        Form::Table(_) => format!("table {link}"),
        Form::Named(_) => format!("tables {link}"),
        Form::Keyed(_, form) if form.table().is_some() => format!("tables {link}"),
        Form::Keyed(name, form) => format!("table: for each {name}, {}", one(form)),
        form => one(form),
    }
}

/// One value of a form.
fn one(form: &Form) -> String {
    match form {
        Form::Text => "string".into(),
        Form::Flag => "`true` or `false`".into(),
        Form::Number(least, most) => format!("number from {} to {}", number(*least), number(*most)),
        Form::Size(most) if *most >= u64::from(u32::MAX) => "size".into(),
        Form::Size(most) => format!("size, up to {}", size(*most)),
        Form::Duration => "duration".into(),
        Form::Word(words) => any(words.iter().map(|word| format!("`\"{word}\"`"))),
        Form::List(form) => format!("list of {}", many(form)),
        Form::Either([Form::Word(words), Form::List(Form::Word(same))]) if words == same => {
            format!("{}, or a list of them", one(&Form::Word(words)))
        }
        Form::Either(forms) => any(forms.iter().map(one)),
        Form::Table(_) | Form::Named(_) | Form::Keyed(..) => "table".into(),
    }
}

/// Values of a form.
fn many(form: &Form) -> String {
    match form {
        Form::Text => "strings".into(),
        Form::Number(least, most) => {
            format!("numbers from {} to {}", number(*least), number(*most))
        }
        Form::List(form) => format!("lists of {}", many(form)),
        Form::Either(forms) => any(forms.iter().map(many)),
        form => one(form),
    }
}

fn any(words: impl Iterator<Item = String>) -> String {
    let words: Vec<String> = words.collect();
    match words.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, others)) => format!("{} or {last}", others.join(", ")),
        None => String::new(),
    }
}

/// A bound; powers of two that nobody knows by heart as such.
fn number(number: u64) -> String {
    match number {
        0..=65_535 => number.to_string(),
        _ if number.is_power_of_two() => format!("2^{}", number.ilog2()),
        _ if (number + 1).is_power_of_two() => format!("2^{} - 1", (number + 1).ilog2()),
        _ => number.to_string(),
    }
}

fn size(bytes: u64) -> String {
    match bytes {
        _ if bytes.is_multiple_of(1 << 20) => format!("{}M", bytes >> 20),
        _ if bytes.is_multiple_of(1 << 10) => format!("{}K", bytes >> 10),
        _ => bytes.to_string(),
    }
}
