//! When things happen: the exact instants of every mode.
//!
//! All times of a program are whole multiples of one unit, 1/denominator ns,
//! in `u128`: a period below 2^64 ns and a denominator below 2^32 stay below
//! 2^96. So nothing here rounds; only the kernel does, when it arms its alarm.

use super::Code;
use super::model::{Mode, Model};
use crate::diagnostic::{Findings, Span};
use crate::quantity;

/// A length of time, or the time since a mode's beginning, in units of
/// 1/denominator ns.
pub(super) type Units = u128;

/// Instants of one program, all modes together, are at most this many: each
/// needs more than one instruction, and a module holds 65,535.
const MOST_INSTANTS: u64 = 30_000;

/// The instants of one mode.
#[derive(Clone, Debug)]
pub(super) struct ModeTimes {
    /// Its period.
    pub(super) period: Units,
    /// Its distinct instants, ascending, the first 0.
    pub(super) instants: Vec<Units>,
}

impl ModeTimes {
    /// The time between two events of this frequency.
    pub(super) fn step(&self, frequency: u64) -> Units {
        self.period / Units::from(frequency)
    }

    /// Whether an event of this frequency is due at `phase`.
    pub(super) fn is_due(&self, frequency: u64, phase: Units) -> bool {
        phase.is_multiple_of(self.step(frequency))
    }

    /// The first instant after `phase`; the mode's end counts as one.
    pub(super) fn next(&self, phase: Units) -> Units {
        let index = self.instants.partition_point(|instant| *instant <= phase);
        self.instants.get(index).copied().unwrap_or(self.period)
    }

    /// The latest phase at which tasks of these periods are as far into them
    /// as they are at `phase` of another mode; 0 if there are none. Each of
    /// the periods divides this mode's.
    pub(super) fn entry(&self, phase: Units, periods: impl Iterator<Item = Units>) -> Units {
        match periods.reduce(lcm) {
            Some(common) => self.period - common + phase % common,
            None => 0,
        }
    }
}

/// The instants of a program.
#[derive(Clone, Debug)]
pub(super) struct Timing {
    /// Units in a nanosecond.
    pub(super) denominator: u32,
    /// By mode.
    pub(super) modes: Vec<ModeTimes>,
}

impl Timing {
    /// Whole nanoseconds and remaining units.
    pub(super) fn split(&self, time: Units) -> (u64, u32) {
        let unit = Units::from(self.denominator);
        ((time / unit) as u64, (time % unit) as u32)
    }
}

/// Lays out the instants of every mode. `None` if they are too many or too
/// close, which is then among the findings. O(instants * log instants).
pub(super) fn lay_out(model: &Model, findings: &mut Findings) -> Option<Timing> {
    count_instants(model, findings)?;
    let denominator = common_denominator(model, findings)?;
    let mut modes = Vec::new();
    for mode in &model.modes {
        let times = mode_times(mode, denominator);
        check_distances(mode, &times, denominator, findings)?;
        modes.push(times);
    }
    Some(Timing { denominator, modes })
}

/// The distinct frequencies of a mode, each with the first place that has it.
fn frequencies(mode: &Mode) -> Vec<(u64, Span)> {
    let mut all: Vec<(u64, Span)> = mode.frequencies().map(|f| (f.value, f.span)).collect();
    all.sort();
    all.dedup_by_key(|(frequency, _)| *frequency);
    all
}

fn count_instants(model: &Model, findings: &mut Findings) -> Option<()> {
    let mut sum = 0u64;
    for mode in &model.modes {
        for (frequency, span) in frequencies(mode) {
            sum = sum.saturating_add(frequency);
            if sum > MOST_INSTANTS {
                let message = format!(
                    "with this frequency the program has more than {MOST_INSTANTS} instants"
                );
                let help = "divide the period and every frequency of the mode by a common factor";
                findings.report(Code::TooBig, span, message, help);
                return None;
            }
        }
    }
    Some(())
}

/// The least common multiple of the denominators of all P/f; notes on the way
/// every frequency that does not divide its period.
fn common_denominator(model: &Model, findings: &mut Findings) -> Option<u32> {
    let mut common = 1u128;
    for mode in &model.modes {
        for (frequency, span) in frequencies(mode) {
            let rest = gcd(mode.period.value.into(), frequency.into());
            let own = u128::from(frequency) / rest;
            if own != 1 {
                note_rounding(mode, frequency, span, findings);
            }
            common = lcm(common, own);
            if u32::try_from(common).is_err() {
                let message =
                    "the exact distances of the instants have no common denominator below 2^32";
                let help = "choose frequencies that divide the period, or have common factors";
                findings.report(Code::Instants, span, message, help);
                return None;
            }
        }
    }
    Some(common as u32)
}

fn note_rounding(mode: &Mode, frequency: u64, span: Span, findings: &mut Findings) {
    let period = quantity::show(mode.period.value);
    let message = format!("{frequency} does not divide {period} into whole nanoseconds");
    let help = format!(
        "the instants lie at round(k * {period} / {frequency}) for ever, without drift; nothing needs to be done"
    );
    findings.report(Code::RoundedInstants, span, message, help);
}

fn mode_times(mode: &Mode, denominator: u32) -> ModeTimes {
    let period = Units::from(mode.period.value) * Units::from(denominator);
    let mut instants = vec![0];
    for (frequency, _) in frequencies(mode) {
        let step = period / Units::from(frequency);
        instants.extend((1..frequency).map(|k| step * Units::from(k)));
    }
    instants.sort();
    instants.dedup();
    ModeTimes { period, instants }
}

/// Distinct instants must stay distinct when rounded to nanoseconds.
fn check_distances(
    mode: &Mode,
    times: &ModeTimes,
    denominator: u32,
    findings: &mut Findings,
) -> Option<()> {
    let ends = times.instants.iter().skip(1).chain([&times.period]);
    let close = times
        .instants
        .iter()
        .zip(ends)
        .any(|(start, end)| end - start < Units::from(denominator));
    if close {
        let message = format!("mode `{}` has instants less than 1 ns apart", mode.name);
        findings.report(
            Code::Instants,
            mode.period.span,
            message,
            "lengthen the period or lower the frequencies",
        );
        return None;
    }
    Some(())
}

/// The greatest common divisor. The depth is logarithmic.
pub(super) fn gcd(a: u128, b: u128) -> u128 {
    if b == 0 { a } else { gcd(b, a % b) }
}

fn lcm(a: u128, b: u128) -> u128 {
    a / gcd(a, b) * b
}

#[cfg(test)]
mod tests {
    use super::*;

    fn times(period: Units, instants: &[Units]) -> ModeTimes {
        ModeTimes {
            period,
            instants: instants.to_vec(),
        }
    }

    #[test]
    fn a_mode_without_running_tasks_is_entered_at_its_beginning() {
        assert_eq!(times(60, &[0]).entry(25, [].into_iter()), 0);
    }

    #[test]
    fn the_target_is_entered_at_the_latest_phase_with_equal_progress() {
        // A task of period 20, 5 into it: 5, 25 and 45 agree; 45 is the latest.
        assert_eq!(times(60, &[0]).entry(5, [20].into_iter()), 45);
        // Periods 20 and 30 repeat together every 60.
        assert_eq!(times(120, &[0]).entry(5, [20, 30].into_iter()), 65);
        assert_eq!(times(60, &[0]).entry(50, [20, 30].into_iter()), 50);
    }

    #[test]
    fn after_the_last_instant_comes_the_end_of_the_period() {
        let mode = times(60, &[0, 20, 30]);
        assert_eq!(mode.next(0), 20);
        assert_eq!(mode.next(25), 30);
        assert_eq!(mode.next(30), 60);
    }

    #[test]
    fn events_are_due_at_multiples_of_their_step() {
        let mode = times(60, &[0]);
        assert!(mode.is_due(3, 40) && !mode.is_due(3, 30) && mode.is_due(2, 30));
    }
}
