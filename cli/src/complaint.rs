//! What is wrong with a file as a whole.

use std::fmt::{self, Display};

use miette::Diagnostic;

/// A reason and a mend, without a place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Complaint {
    code: &'static str,
    message: String,
    help: String,
}

impl Complaint {
    pub(crate) fn new(
        code: &'static str,
        message: impl Into<String>,
        help: impl Into<String>,
    ) -> Complaint {
        Complaint {
            code,
            message: message.into(),
            help: help.into(),
        }
    }
}

impl Display for Complaint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Complaint {}

impl Diagnostic for Complaint {
    fn code<'a>(&'a self) -> Option<Box<dyn Display + 'a>> {
        Some(Box::new(self.code))
    }

    fn help<'a>(&'a self) -> Option<Box<dyn Display + 'a>> {
        Some(Box::new(&self.help))
    }
}
