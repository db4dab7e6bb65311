//! A task without a worst-case execution time.

use std::fmt::{self, Display};

use giornata_lang::{Language, SourceText};
use giornata_trace::task_label;
use miette::{Diagnostic, LabeledSpan, SourceCode, SourceSpan};

use super::machine::Machine;

/// Points at the task, where the program's text is at hand.
#[derive(Debug)]
pub(crate) struct Missing {
    task: String,
    help: String,
    /// The program, and where its declaration names the task.
    source: Option<(SourceText, SourceSpan)>,
}

impl Missing {
    pub(crate) fn of(machine: &Machine, task: u16) -> Missing {
        let thread = &machine.names.threads[usize::from(task)];
        let label = task_label(&machine.names, task);
        let program = thread
            .program
            .and_then(|p| machine.names.programs.get(usize::from(p)));
        let path = program.map_or("", |program| program.source.as_str());
        let budget = if machine.is_alone {
            String::new()
        } else {
            format!(", give `{}` a budget in the system file", thread.function)
        };
        let is_psi = Language::of_file(path) == Some(Language::Psi);
        let (name, place) = match is_psi {
            true => (&thread.function, format!("job `{}`", thread.function)),
            false => (&thread.name, format!("the ports of task `{}`", thread.name)),
        };
        let help = format!(
            "write `[wcet 1ms]` behind {place} in {path}{budget}, or pass `--exec-time {label}=1ms`"
        );
        let source = machine.text.as_ref().and_then(|text| {
            let at = match is_psi {
                true => call(text, name)?,
                false => declaration(text, name)?,
            };
            let span = SourceSpan::from((at, name.len()));
            Some((SourceText::new(path, text.as_str()), span))
        });
        Missing {
            task: label,
            help,
            source,
        }
    }
}

/// Where `task NAME` stands in a program.
fn declaration(text: &str, name: &str) -> Option<usize> {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    text.match_indices("task").find_map(|(at, word)| {
        let rest = &text[at + word.len()..];
        let follows = rest.trim_start();
        let ends = follows.strip_prefix(name)?;
        let begins = !text[..at].ends_with(is_word) && follows.len() < rest.len();
        (begins && !ends.starts_with(is_word))
            .then_some(at + word.len() + rest.len() - follows.len())
    })
}

/// Where a program of jobs calls a function first.
fn call(text: &str, function: &str) -> Option<usize> {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let mut places = text.match_indices(function);
    let found = places.find(|(at, _)| {
        let follows = text[at + function.len()..].trim_start();
        !text[..*at].ends_with(is_word) && follows.starts_with('(')
    });
    found.map(|(at, _)| at)
}

impl Display for Missing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "task `{}` has no worst-case execution time", self.task)
    }
}

impl std::error::Error for Missing {}

impl Diagnostic for Missing {
    fn code<'a>(&'a self) -> Option<Box<dyn Display + 'a>> {
        Some(Box::new("giornata::no-worst-case"))
    }

    fn help<'a>(&'a self) -> Option<Box<dyn Display + 'a>> {
        Some(Box::new(&self.help))
    }

    fn source_code(&self) -> Option<&dyn SourceCode> {
        self.source
            .as_ref()
            .map(|(text, _)| text as &dyn SourceCode)
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        let (_, span) = self.source.as_ref()?;
        let label =
            LabeledSpan::new_with_span(Some("how long does it take at most?".into()), *span);
        Some(Box::new(std::iter::once(label)))
    }
}

#[cfg(test)]
mod tests {
    use super::{call, declaration};

    #[test]
    fn a_task_is_found_where_it_is_declared() {
        let text = "// subtask t1\ntask t10() {}\ntask  t1() {}";
        assert_eq!(declaration(text, "t1"), text.rfind("t1"));
        assert_eq!(declaration(text, "t2"), None);
    }

    #[test]
    fn a_job_is_found_where_it_is_called() {
        let text = "// f is fast\ntask t { of(); f10(); f (); }";
        assert_eq!(call(text, "f"), text.rfind("f ()"));
        assert_eq!(call(text, "g"), None);
    }
}
