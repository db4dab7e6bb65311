//! What the kernel's authors declare: bounds of loops, functions that stop the
//! machine, kinds of entries.

use crate::Error;
use crate::binary::Frame;
use crate::expression::Expression;
use serde::Deserialize;
use std::collections::BTreeMap;

/// The declarations of a kernel.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Declarations {
    /// The label at which the kernel is entered.
    pub(crate) entry: String,
    /// Functions that handle what is entered for, beside those of tables.
    #[serde(default)]
    pub(crate) entries: Vec<String>,
    /// Capacities that are made of those of a system, in order.
    #[serde(default)]
    pub(crate) capacity: Vec<Capacity>,
    /// Functions after which no process runs again.
    #[serde(default)]
    pub(crate) stop: Vec<Stop>,
    /// Loops.
    #[serde(default, rename = "loop")]
    pub(crate) loops: Vec<Passes>,
    /// How long what functions copy or fill is at most, where a call does not say.
    #[serde(default)]
    pub(crate) length: Vec<Length>,
    /// Functions of which it is known how often a stretch calls them.
    #[serde(default)]
    pub(crate) calls: Vec<Calls>,
    /// Functions that call themselves.
    #[serde(default)]
    pub(crate) recursion: Vec<Recursion>,
    /// Functions that kinds name together.
    #[serde(default)]
    pub(crate) group: BTreeMap<String, Vec<String>>,
    /// Kinds of entries.
    #[serde(default)]
    pub(crate) kind: Vec<Kind>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Capacity {
    pub(crate) name: String,
    pub(crate) value: Formula,
    pub(crate) why: String,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Stop {
    pub(crate) function: String,
    pub(crate) why: String,
}

/// The third argument of calls in a function.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Length {
    pub(crate) function: String,
    /// Made of capacities and of `length`, the function's own third argument.
    pub(crate) most: Formula,
    pub(crate) why: String,
}

/// How often a function is called, wherever from, until the kernel is left, waits or looks
/// at interrupts. Where the ways through the kernel have fewer calls, those count.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Calls {
    pub(crate) function: String,
    /// Only while one call of this function is under way, and not by what else is
    /// counted apart there.
    pub(crate) within: Option<String>,
    /// How often at most.
    pub(crate) most: Formula,
    /// Why not more often.
    pub(crate) why: String,
}

/// A function that is called again while it is under way.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Recursion {
    pub(crate) function: String,
    /// How often at most.
    pub(crate) times: usize,
    /// Why not more often.
    pub(crate) why: String,
}

/// How often a loop goes round each time control comes to it.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct Passes {
    /// The function whose loop it is, in the source.
    pub(crate) function: String,
    /// Only where that function was inlined into this one, or this one into it.
    pub(crate) inside: Option<String>,
    /// Only where so many loops of the function are around it, itself counted.
    pub(crate) nesting: Option<usize>,
    /// How often its top is reached at most, the test that ends it counted.
    pub(crate) passes: Option<Formula>,
    /// How often its body is executed at most, where one test decides about
    /// that: a `for`, or a walk of an iterator.
    pub(crate) times: Option<Formula>,
    /// The number is that of all passes that go back while the loop of this
    /// function around it runs, not of each time control comes to it.
    pub(crate) total_in: Option<String>,
    /// Why it is not more.
    pub(crate) why: String,
}

impl Passes {
    /// The declared number.
    pub(crate) fn formula(&self) -> Option<&Expression> {
        let formula = self.passes.as_ref().or(self.times.as_ref());
        formula.map(|formula| &formula.0)
    }
}

/// A kind of entry: a beginning, and what does not happen in it.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Kind {
    pub(crate) name: String,
    pub(crate) from: From,
    /// Of what handles entries (functions of tables, and `entries`) these alone are
    /// executed; all where none is named.
    #[serde(default)]
    pub(crate) through: Vec<String>,
    /// Functions that are not executed, or names of groups of them, or labels of the
    /// assembly. `a > b` is `b` where it is called by `a`, or was inlined into it.
    #[serde(default)]
    pub(crate) without: Vec<String>,
    /// Functions of those that are executed all the same, or names of groups of them.
    #[serde(default)]
    pub(crate) with: Vec<String>,
    /// How long what functions copy or fill is at most in it, instead of what is declared
    /// for them.
    #[serde(default)]
    pub(crate) length: Vec<Length>,
    /// It stands for all other kinds that begin there: whatever happens is of one of them.
    #[serde(default)]
    pub(crate) all: bool,
    /// Only in kernels of these configurations; in all where none is named.
    #[serde(default)]
    pub(crate) configurations: Vec<String>,
    /// Measured operations that are such an entry, and what is around it in user
    /// mode.
    #[serde(default)]
    pub(crate) rows: Vec<String>,
    /// Why they are not.
    pub(crate) why: String,
}

/// Where a stretch of the kernel without interrupts begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum From {
    /// At a trap out of user mode.
    Trap,
    /// When interrupts have been looked at.
    Look,
    /// When an idle hart wakes.
    Wait,
}

/// An expression with its text.
#[derive(Clone, Debug, Deserialize)]
#[serde(try_from = "String")]
pub(crate) struct Formula(pub(crate) Expression);

impl TryFrom<String> for Formula {
    type Error = String;

    fn try_from(text: String) -> Result<Formula, String> {
        Expression::parse(&text).map(Formula)
    }
}

impl Declarations {
    /// Reads a file of declarations; `file` is what errors call it.
    ///
    /// # Errors
    /// It is none: the text says line and reason.
    pub fn parse(file: &str, text: &str) -> Result<Declarations, Error> {
        let declarations: Declarations =
            toml::from_str(text).map_err(|error| Error::Declarations {
                file: file.into(),
                reason: error.to_string().trim_end().to_string(),
            })?;
        declarations.check(file)?;
        declarations.check_loops(file)?;
        Ok(declarations)
    }

    /// Every loop has one number.
    fn check_loops(&self, file: &str) -> Result<(), Error> {
        let wrong = |l: &&Passes| l.passes.is_some() == l.times.is_some();
        match self.loops.iter().find(wrong) {
            None => Ok(()),
            Some(declared) => Err(Error::Declarations {
                file: file.into(),
                reason: format!(
                    "the loop of `{}` has one of `passes = \"...\"` and `times = \"...\"`",
                    declared.function
                ),
            }),
        }
    }

    /// Every declaration gives its reason.
    fn check(&self, file: &str) -> Result<(), Error> {
        let reasons = self
            .loops
            .iter()
            .map(|l| (&l.function, &l.why))
            .chain(self.stop.iter().map(|s| (&s.function, &s.why)))
            .chain(self.capacity.iter().map(|c| (&c.name, &c.why)))
            .chain(self.recursion.iter().map(|r| (&r.function, &r.why)))
            .chain(self.length.iter().map(|l| (&l.function, &l.why)))
            .chain(self.calls.iter().map(|c| (&c.function, &c.why)))
            .chain(self.kind.iter().map(|k| (&k.name, &k.why)))
            .chain(
                self.kind
                    .iter()
                    .flat_map(|k| k.length.iter().map(|l| (&l.function, &l.why))),
            );
        for (what, why) in reasons {
            if why.trim().is_empty() {
                return Err(Error::Declarations {
                    file: file.into(),
                    reason: format!("`{what}` says no reason: write `why = \"...\"`"),
                });
            }
        }
        Ok(())
    }

    /// Those of a kernel of this configuration: without the kinds of others.
    pub fn of(mut self, configuration: &str) -> Declarations {
        self.kind.retain(|kind| {
            let only = &kind.configurations;
            only.is_empty() || only.iter().any(|c| c == configuration)
        });
        self
    }

    /// What the loops that are declared are called, in their order.
    pub fn loops(&self) -> impl Iterator<Item = String> {
        self.loops.iter().map(|declared| {
            let inside = declared
                .inside
                .iter()
                .map(|inside| format!(" inside {inside}"));
            let nesting = declared.nesting.iter().map(|n| format!(" at nesting {n}"));
            [declared.function.clone()]
                .into_iter()
                .chain(inside)
                .chain(nesting)
                .collect()
        })
    }

    /// The functions of which it is declared how often a stretch calls them.
    pub fn called(&self) -> impl Iterator<Item = &str> {
        self.calls.iter().map(|declared| declared.function.as_str())
    }

    /// What a kind of entry does not execute, its groups opened; `handlers` are the
    /// functions of tables.
    pub(crate) fn left_out(&self, kind: &Kind, handlers: &[String]) -> LeftOut {
        let open = |names: &'_ [String]| -> Vec<String> {
            let opened = names.iter().flat_map(|name| {
                let group = self.group.get(name).map(Vec::as_slice);
                group.unwrap_or(std::slice::from_ref(name))
            });
            opened.cloned().collect()
        };
        let with = open(&kind.with);
        let through = open(&kind.through);
        let entries = handlers.iter().chain(&self.entries).cloned();
        let others = entries.filter(|name| !through.is_empty() && !through.contains(name));
        let named = open(&kind.without).into_iter();
        let out = named.filter(|name| !with.contains(name)).chain(others);
        LeftOut(
            out.map(|name| name.split(" > ").map(String::from).collect())
                .collect(),
            kind.length.clone(),
        )
    }

    /// A kind that goes through nothing would be bounded by what is around nothing.
    ///
    /// # Errors
    /// None of what it goes through handles entries of this kernel.
    pub(crate) fn check_through(&self, kind: &Kind, handlers: &[String]) -> Result<(), Error> {
        let handles = |name: &String| handlers.contains(name) || self.entries.contains(name);
        if kind.through.is_empty() || kind.through.iter().any(handles) {
            return Ok(());
        }
        Err(Error::Missing(format!(
            "`{}`, which the kind `{}` goes through, handles no entry; the tables have {}",
            kind.through.join("`, `"),
            kind.name,
            handlers.join(", ")
        )))
    }

    /// A kind that stands for all others is bounded by them.
    ///
    /// # Errors
    /// None of the others goes through something that handles entries.
    pub(crate) fn check_all(&self, kind: &Kind, handlers: &[String]) -> Result<(), Error> {
        let others = || self.kind.iter().filter(|k| !k.all && k.from == kind.from);
        let left_out: Vec<LeftOut> = others().map(|k| self.left_out(k, handlers)).collect();
        let mut handle = handlers.iter().chain(&self.entries);
        let lost = handle.find(|name| left_out.iter().all(|out| out.has(&[name.as_str()])));
        match lost {
            None => Ok(()),
            Some(name) => Err(Error::Missing(format!(
                "`{}` stands for all kinds, but none of the others goes through `{name}`",
                kind.name
            ))),
        }
    }

    /// How often a function is called again at most while it is under way.
    pub(crate) fn again(&self, function: &str) -> usize {
        let declared = self.recursion.iter().find(|r| r.function == function);
        declared.map_or(0, |recursion| recursion.times)
    }

    /// The longest that a call in these functions copies or fills, the outermost first.
    pub(crate) fn most(&self, functions: &[&str]) -> Option<&Expression> {
        let declared = |function: &&str| self.length.iter().find(|l| l.function == **function);
        functions.iter().rev().find_map(declared).map(|l| &l.most.0)
    }

    /// Names of the functions that stop the machine.
    pub(crate) fn stops(&self) -> Vec<&str> {
        self.stop
            .iter()
            .map(|stop| stop.function.as_str())
            .collect()
    }

    /// The declaration of a loop, by its place: of those that match the one that
    /// says most.
    pub(crate) fn passes(&self, found: &Place) -> Option<usize> {
        let says = |d: &Passes| usize::from(d.inside.is_some()) + usize::from(d.nesting.is_some());
        let matching = self
            .loops
            .iter()
            .enumerate()
            .filter(|(_, d)| found.matches(d));
        matching
            .max_by_key(|(_, d)| says(d))
            .map(|(index, _)| index)
    }
}

/// What a kind of entry does not execute: functions, each with what calls it.
#[derive(Clone, Debug, Default)]
pub(crate) struct LeftOut(Vec<Vec<String>>, Vec<Length>);

impl LeftOut {
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether one of them is among these functions of the kernel, the outermost
    /// first.
    pub(crate) fn has(&self, functions: &[&str]) -> bool {
        let is_in = |out: &Vec<String>| functions.windows(out.len()).any(|part| part == *out);
        self.0.iter().any(is_in)
    }

    /// How long what a call in these functions copies or fills is at most, if that is another
    /// length there.
    pub(crate) fn most(&self, functions: &[&str]) -> Option<&Expression> {
        let of = |length: &&Length| functions.contains(&length.function.as_str());
        self.1.iter().find(of).map(|length| &length.most.0)
    }
}

/// Where a loop stands in the source.
#[derive(Clone, Debug)]
pub(crate) struct Place {
    /// The function whose loop it is.
    pub(crate) function: String,
    /// File and line; empty if unknown.
    pub(crate) line: String,
    /// All functions that all of it lies in.
    pub(crate) around: Vec<String>,
    /// Loops of the same function around it, itself counted.
    pub(crate) nesting: usize,
}

impl Place {
    /// Of frames from the outermost on; without any it is the binary's function.
    pub(crate) fn of(frames: &[Frame], procedure: &str) -> Place {
        let own = frames.iter().rfind(|frame| frame.names_a_function());
        let frame = own.or(frames.last());
        Place {
            function: frame.map_or(procedure, |frame| &*frame.function).into(),
            line: frame.map_or_else(String::new, |frame| frame.line.to_string()),
            around: frames.iter().map(|f| f.function.to_string()).collect(),
            nesting: 1,
        }
    }

    fn matches(&self, declared: &Passes) -> bool {
        declared.function == self.function
            && declared
                .inside
                .as_ref()
                .is_none_or(|inside| self.around.contains(inside))
            && declared
                .nesting
                .is_none_or(|nesting| nesting == self.nesting)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const KINDS: &str = r#"
        entry = "entry"
        [group]
        calls = ["a::send", "a::receive", "a::sleep"]
        mail = ["a::send", "a::receive"]
        [[kind]]
        name = "mail"
        from = "trap"
        configurations = ["large"]
        without = ["calls"]
        with = ["mail"]
        why = "nobody sleeps"
        [[kind]]
        name = "quiet"
        from = "trap"
        without = ["calls"]
        why = "nobody calls"
    "#;

    fn names(configuration: &str) -> Vec<String> {
        let declarations = Declarations::parse("test.toml", KINDS).unwrap();
        let kinds = declarations.of(configuration).kind;
        kinds.into_iter().map(|kind| kind.name).collect()
    }

    #[test]
    fn a_kind_is_one_of_the_configurations_that_it_names() {
        assert_eq!(names("large"), ["mail", "quiet"]);
        assert_eq!(names("small"), ["quiet"]);
    }

    #[test]
    fn what_is_executed_all_the_same_may_be_a_group() {
        let declarations = Declarations::parse("test.toml", KINDS).unwrap();
        let mail = declarations.left_out(&declarations.kind[0], &[]);
        assert!(mail.has(&["a::sleep"]) && !mail.has(&["a::send"]) && !mail.has(&["a::receive"]));
        let quiet = declarations.left_out(&declarations.kind[1], &[]);
        assert!(quiet.has(&["a::send"]) && quiet.has(&["a::receive"]));
    }
}
