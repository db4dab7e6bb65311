//! What diagnostics are about: a list of codes for each language.

/// How grave a diagnostic is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// The program has no meaning; nothing is generated.
    Error,
    /// The program has a meaning, probably not the intended one.
    Warning,
    /// Worth knowing.
    Note,
}

impl Severity {
    /// The word in reports.
    pub const fn name(self) -> &'static str {
        match self {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Note => "note",
        }
    }
}

/// What a diagnostic is about: an entry of its language's list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Code {
    /// Its position in the list: the order of findings at one place.
    position: u16,
    name: &'static str,
    severity: Severity,
    explanation: &'static str,
}

impl Code {
    /// Lists of languages are made by [`codes`].
    pub(crate) const fn new(
        position: u16,
        name: &'static str,
        severity: Severity,
        explanation: &'static str,
    ) -> Code {
        Code {
            position,
            name,
            severity,
            explanation,
        }
    }

    /// The name in reports: the language, `::` and what it is about.
    pub const fn name(self) -> &'static str {
        self.name
    }

    /// How grave diagnostics of this code are.
    pub const fn severity(self) -> Severity {
        self.severity
    }

    /// One sentence on it, for the generated table.
    pub const fn explanation(self) -> &'static str {
        self.explanation
    }
}

/// The list of a language: an enumeration `Code` of which each member is a
/// [`Code`](crate::code::Code), named, graded and explained.
macro_rules! codes {
    ($($(#[doc = $doc:literal])* $name:ident = $text:literal, $severity:ident;)*) => {
        /// What a diagnostic of this language is about.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Code { $($(#[doc = $doc])* $name,)* }

        impl Code {
            /// Every code.
            pub const ALL: &'static [Code] = &[$(Code::$name,)*];
        }

        impl From<Code> for $crate::code::Code {
            fn from(code: Code) -> $crate::code::Code {
                use $crate::code::Severity;
                let position = code as u16;
                match code {
                    $(Code::$name => $crate::code::Code::new(
                        position,
                        $text,
                        Severity::$severity,
                        concat!($($doc,)*),
                    ),)*
                }
            }
        }
    };
}

pub(crate) use codes;
