//! Clocks, and how wide windows are.

use super::super::Code;
use super::super::tree::{Name, Program, Width};
use crate::diagnostic::{Diagnostic, Findings, Span};
use crate::names::Names;
use crate::quantity;

/// A declared clock.
#[derive(Debug)]
struct Clock {
    name: String,
    /// Nanoseconds.
    tick: u64,
    span: Span,
    is_used: bool,
}

/// The clocks of a program.
#[derive(Debug)]
pub(super) struct Clocks<'t> {
    names: Names<'t>,
    clocks: Vec<Clock>,
}

impl<'t> Clocks<'t> {
    /// Declares the clocks. A clock that is called like a unit must be it.
    pub(super) fn new(program: &'t Program, findings: &mut Findings) -> Clocks<'t> {
        let (mut names, mut clocks) = (Names::default(), Vec::new());
        for clock in &program.clocks {
            let name = &clock.name;
            names.declare(name, clocks.len(), "clock", Code::Duplicate, findings);
            if let Some(unit) = quantity::unit(&name.text)
                && unit != clock.tick.value
            {
                let message = format!("clock `{}` would be no {0}", name.text);
                let help = "call it otherwise: ns, us, ms and s are units";
                findings.report(Code::Window, clock.tick.span, message, help);
            }
            clocks.push(Clock {
                name: name.text.clone(),
                tick: clock.tick.value,
                span: name.span,
                is_used: false,
            });
        }
        Clocks { names, clocks }
    }

    /// Nanoseconds of a window; what is wrong with it is reported.
    pub(super) fn nanos(&mut self, width: &Width, findings: &mut Findings) -> Option<u64> {
        let tick = match &width.unit {
            Some(unit) => self.unit(unit, findings)?,
            None => self.only(width, findings)?,
        };
        let Some(nanos) = width.count.value.checked_mul(tick) else {
            let message = "this window is longer than 584 years";
            let help = "no time may exceed 584 years";
            findings.report(Code::Number, width.count.span, message, help);
            return None;
        };
        self.is_whole(nanos, width, findings).then_some(nanos)
    }

    /// The tick of a clock or unit.
    fn unit(&mut self, name: &Name, findings: &mut Findings) -> Option<u64> {
        if let Some((index, _)) = self.names.find(&name.text) {
            self.clocks[index].is_used = true;
            return Some(self.clocks[index].tick);
        }
        let unit = quantity::unit(&name.text);
        if unit.is_none() {
            let known = self.names.suggest(&name.text, "clock");
            let help = match self.clocks.is_empty() {
                true => format!(
                    "the units are ns, us, ms and s; or declare it: `clock {} = 1ms;`",
                    name.text
                ),
                false => known,
            };
            let message = format!("there is no clock `{}`", name.text);
            findings.report(Code::UnknownClock, name.span, message, help);
        }
        unit
    }

    /// The tick that a width without a unit counts.
    fn only(&mut self, width: &Width, findings: &mut Findings) -> Option<u64> {
        match &mut self.clocks[..] {
            [] => quantity::unit(""),
            [clock] => {
                clock.is_used = true;
                Some(clock.tick)
            }
            _ => {
                let message = "this program has several clocks, and the width names none";
                let help = format!("say which one counts: {}", self.names.list());
                findings.report(Code::UnknownClock, width.count.span, message, help);
                None
            }
        }
    }

    /// Whether a window is a whole number of ticks of one of the clocks, if there are
    /// any, and no less than one.
    fn is_whole(&self, nanos: u64, width: &Width, findings: &mut Findings) -> bool {
        if nanos == 0 {
            let message = "this window is shorter than a tick";
            let help = "a window takes a tick at least: `advance(1);`";
            findings.report(Code::Window, width.count.span, message, help);
            return false;
        }
        let shortest = self.clocks.iter().min_by_key(|clock| clock.tick);
        let Some(shortest) = shortest else {
            return true;
        };
        if self.clocks.iter().any(|c| nanos.is_multiple_of(c.tick)) {
            return true;
        }
        let tick = quantity::show(shortest.tick);
        let shown = quantity::show(nanos);
        let message = match nanos < shortest.tick {
            true => format!("this window of {shown} is shorter than a tick of {tick}"),
            false => format!("this window of {shown} is no whole number of ticks of {tick}"),
        };
        let help = "widen it, or let the clock tick faster";
        findings.add(
            Diagnostic::new(Code::Window, width.count.span, message, help)
                .also(shortest.span, "the clock is declared here"),
        );
        false
    }

    /// Warns of clocks that count nothing.
    pub(super) fn unused(&self, findings: &mut Findings) {
        for clock in self.clocks.iter().filter(|clock| !clock.is_used) {
            let message = format!("clock `{}` counts no window", clock.name);
            let help = format!("remove it, or count with it: `advance(3 {});`", clock.name);
            findings.report(Code::Unused, clock.span, message, help);
        }
    }
}
