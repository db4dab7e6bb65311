//! What a file in TOML may hold: for each table its keys, what stands under them and
//! what they mean.
//!
//! The reader refuses what is not defined here, and takes ranges from here; the JSON
//! schema for editors (`schema.rs`) and the reference (`reference.rs`) are made of it. So
//! there is one list of keys.

/// A table.
#[derive(Debug)]
pub struct Table {
    /// What it is about, in a sentence.
    pub about: &'static str,
    /// Its keys.
    pub keys: &'static [Key],
}

/// A key of a table.
#[derive(Debug)]
pub struct Key {
    /// As it is written.
    pub name: &'static str,
    /// What stands under it.
    pub form: Form,
    /// What it means: one to three sentences without the last full stop.
    pub meaning: &'static str,
    /// What holds without it.
    pub silent: Silent,
}

/// What a table without a key means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Silent {
    /// It is refused.
    Needed,
    /// This value, as it would be written.
    Value(&'static str),
    /// What these words say.
    Means(&'static str),
}

/// What stands under a key.
#[derive(Debug)]
pub enum Form {
    /// A string.
    Text,
    /// One of these strings.
    Word(&'static [&'static str]),
    /// `true` or `false`.
    Flag,
    /// A whole number from the first to the second.
    Number(u64, u64),
    /// Bytes up to a number: a number, or a string with a unit, as in `"4K"`.
    Size(u64),
    /// A string with a unit, as in `"20us"`.
    Duration,
    /// A list.
    List(&'static Form),
    /// A table of known keys.
    Table(&'static Table),
    /// A table whose keys are names that the file gives.
    Named(&'static Form),
    /// A table whose keys are names that are defined elsewhere, as of ports: what they
    /// name, and what stands under each.
    Keyed(&'static str, &'static Form),
    /// One of several.
    Either(&'static [Form]),
}

impl Table {
    /// The key of a name.
    pub fn key(&self, name: &str) -> Option<&'static Key> {
        self.keys.iter().find(|key| key.name == name)
    }
}

impl Form {
    /// The table that stands under a key, or under each name below it.
    pub fn table(&self) -> Option<&'static Table> {
        match self {
            Form::Table(table) => Some(table),
            Form::Named(form) | Form::Keyed(_, form) => form.table(),
            _ => None,
        }
    }

    /// Whether it, or one of several, is of a kind.
    pub(crate) fn is(&self, kind: &dyn Fn(&Form) -> bool) -> bool {
        match self {
            Form::Either(forms) => forms.iter().any(|form| form.is(kind)),
            form => kind(form),
        }
    }
}

/// A key with what is written without it.
pub(crate) const fn key(
    name: &'static str,
    form: Form,
    silent: Silent,
    meaning: &'static str,
) -> Key {
    Key {
        name,
        form,
        meaning,
        silent,
    }
}

/// The names of a list of names and what they mean.
pub(crate) const fn firsts<T, const N: usize>(pairs: &[(&'static str, T); N]) -> [&'static str; N] {
    let mut names = [""; N];
    let mut index = 0;
    while index < N {
        names[index] = pairs[index].0;
        index += 1;
    }
    names
}
