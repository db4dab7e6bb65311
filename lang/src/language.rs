//! The languages by the endings of their files.

use crate::diagnostic::{Code, Diagnostic};
use crate::index::{Index, Symbol};
use crate::options::Options;
use crate::{giotto, psi};

/// A timing language.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    /// Time-triggered programs with modes.
    Giotto,
    /// Time-triggered tasks with windows.
    Psi,
}

impl Language {
    /// Every language.
    pub const ALL: [Language; 2] = [Language::Giotto, Language::Psi];

    /// What its files end in, without the point.
    pub const fn extension(self) -> &'static str {
        match self {
            Language::Giotto => "giotto",
            Language::Psi => "psi",
        }
    }

    /// The language of files that end like this.
    pub fn of_extension(extension: &str) -> Option<Language> {
        let mut all = Language::ALL.into_iter();
        all.find(|language| language.extension() == extension)
    }

    /// The language of a file by its name, or by its address.
    pub fn of_file(name: &str) -> Option<Language> {
        Language::of_extension(name.rsplit_once('.')?.1)
    }

    /// Compiles a program to the bytes of a module; see [`giotto::compile`].
    pub fn compile(
        self,
        source_name: &str,
        source_text: &str,
        options: &Options,
    ) -> (Option<Vec<u8>>, Vec<Diagnostic>) {
        match self {
            Language::Giotto => giotto::compile(source_name, source_text, options),
            Language::Psi => psi::compile(source_name, source_text, options),
        }
    }

    /// All that [`compile`](Language::compile) has to say, without its result.
    pub fn check(self, source_name: &str, source_text: &str) -> Vec<Diagnostic> {
        self.compile(source_name, source_text, &Options::default())
            .1
    }

    /// The names of a program, as far as its text has come.
    pub fn index(self, source_text: &str) -> Index {
        match self {
            Language::Giotto => giotto::index::index(&giotto::parse("", source_text).0),
            Language::Psi => psi::index::index(&psi::parse("", source_text).0),
        }
    }

    /// When what a symbol of the program's index names happens, a line for each.
    pub fn instants(self, source_text: &str, symbol: &Symbol) -> Vec<String> {
        match self {
            Language::Giotto => giotto::index::instants(&giotto::parse("", source_text).0, symbol),
            Language::Psi => psi::index::instants(&psi::parse("", source_text).0, symbol),
        }
    }

    /// The budgets that a program states, by function, in nanoseconds.
    pub fn budgets(self, source_text: &str) -> Vec<(String, u64)> {
        match self {
            Language::Giotto => Vec::new(),
            Language::Psi => psi::budgets(source_text),
        }
    }
}

/// Whether a finding says that a job cannot be in time, whatever else runs.
pub fn is_late(found: &Diagnostic) -> bool {
    let late = [
        Code::from(giotto::Code::WorstCaseBeyondPeriod),
        Code::from(psi::Code::WorstCaseBeyondWindow),
    ];
    late.contains(&found.code)
}
