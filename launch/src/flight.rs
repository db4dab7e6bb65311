//! A system in the machine, from boot to stop, seen through its trace.

use std::time::Duration;

use anyhow::{Context, Result};
use giornata_symbols::Symbols;
use giornata_system::NameMap;
use giornata_trace::{
    Damage, Decoder, Event, Found, Judge, Judgement, Standing, StateRow, Statistics, state_rows,
};

use crate::Verdict;
use crate::image::Image;
use crate::machine::{Machine, Output, Patience};

/// How often an observer is asked at least, by the wall clock.
const PULSE: Duration = Duration::from_millis(50);

/// Who looks on.
pub trait Observer {
    /// Bytes have arrived, whatever they are: before the events that they end.
    ///
    /// # Errors
    /// As `see`.
    fn hear(&mut self, _bytes: &[u8]) -> Result<()> {
        Ok(())
    }

    /// An event, and the totals before it.
    ///
    /// # Errors
    /// What it writes cannot be written.
    fn see(&mut self, event: &Event, before: &Statistics) -> Result<()>;

    /// All that has arrived is seen: called [`PULSE`] apart or more often.
    ///
    /// # Errors
    /// As `see`.
    fn pause(&mut self, totals: &Statistics) -> Result<()>;
}

/// What is known when the machine has stopped.
#[derive(Debug)]
pub struct Landing {
    /// The totals.
    pub totals: Statistics,
    /// What went wrong.
    pub judge: Judge,
    /// What did not arrive whole.
    pub damage: Damage,
    /// The status of the machine.
    pub status: i32,
    /// How its threads stood when it stopped; `None` if it did not tell.
    pub standing: Option<Standing>,
}

/// Boots an image and shows its trace to an observer until the machine stops.
///
/// # Errors
/// The machine cannot be started, hangs, or breaks off; the observer fails.
pub fn fly(image: &Image, patience: Patience, observer: &mut dyn Observer) -> Result<Landing> {
    let mut machine = Machine::boot(image, patience)?;
    let mut decoder = Decoder::new(image.names.timer_hertz);
    let mut totals = Statistics::new(&image.names);
    let mut judge = Judge::new(&image.names);
    loop {
        match machine.read(PULSE).with_context(|| whereabouts(&totals))? {
            Output::Bytes(bytes) => {
                observer.hear(&bytes)?;
                show(&bytes, &mut decoder, (&mut totals, &mut judge), observer)?;
            }
            Output::Nothing => {}
            Output::End => break,
        }
        observer.pause(&totals)?;
    }
    let status = machine.wait()?;
    let standing = standing(image, &decoder, &judge);
    if let Some(standing) = &standing {
        totals.correct(standing);
    }
    Ok(Landing {
        standing,
        totals,
        judge,
        damage: decoder.damage(),
        status,
    })
}

/// How threads stood when the machine stopped, if it told all that says so.
fn standing(image: &Image, decoder: &Decoder, judge: &Judge) -> Option<Standing> {
    let read = Standing::read(&image.map, decoder.memory(), judge.running());
    let mut standing = read.ok()?;
    standing.settle(|thread| judge.has_job(thread));
    Some(standing)
}

fn show(
    bytes: &[u8],
    decoder: &mut Decoder,
    (totals, judge): (&mut Statistics, &mut Judge),
    observer: &mut dyn Observer,
) -> Result<()> {
    let mut result = Ok(());
    decoder.push(bytes, |event| {
        if result.is_ok() {
            result = observer.see(&event, totals);
        }
        totals.observe(&event);
        judge.observe(&event);
    });
    result
}

fn whereabouts(totals: &Statistics) -> String {
    format!(
        "after {} jobs, at tick {} of virtual time",
        totals.releases(),
        totals.now.0
    )
}

/// How a run is judged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Conclusion {
    /// What the closing line says behind the name of the system.
    pub word: String,
    /// The exit code.
    pub verdict: Verdict,
    /// A line for each cause, where it is not good; else one for what was expected and
    /// came, if anything was.
    pub reasons: Vec<String>,
    /// The threads that did not get on, and who is in their way.
    pub concerned: Vec<u16>,
    /// All that happened, expected or not.
    pub found: Vec<Found>,
    /// What was expected and did not happen.
    pub unmet: Vec<String>,
    /// What was expected and happened, with how often.
    pub expected: Vec<(String, u64)>,
}

/// Causes that the closing line names; of more it says how many.
const NAMED: usize = 8;

impl Landing {
    /// The verdict on a run; `symbols`: what addresses of its processes are called.
    pub fn conclude(&self, symbols: &Symbols) -> Conclusion {
        let totals = &self.totals;
        let mut doubts = Vec::new();
        if totals.stop.is_none() {
            doubts.push(format!(
                "the machine ended (status {}) without a stop in its trace",
                self.status
            ));
        }
        if self.damage.lost > 0 {
            doubts.push(format!(
                "{} trace records were lost, so the totals are too small",
                self.damage.lost
            ));
        }
        let judgement = self.judge.conclude(
            totals.now,
            self.status,
            doubts.is_empty(),
            (Some(symbols), self.standing.as_ref()),
        );
        conclude(judgement, doubts)
    }

    /// How threads stood when the machine stopped, and what they have gone through: those
    /// of `only`, or all if that is empty. `None` if it did not tell.
    pub fn states(
        &self,
        names: &NameMap,
        symbols: &Symbols,
        only: &[u16],
    ) -> Option<Vec<StateRow>> {
        let standing = self.standing.as_ref()?;
        let mut names = names.clone();
        for (thread, totals) in names.threads.iter_mut().zip(&self.totals.threads) {
            thread.called.clone_from(&totals.called);
        }
        let since = |thread| self.judge.since(thread);
        Some(state_rows((&names, Some(symbols)), standing, since, only))
    }
}

fn conclude(judgement: Judgement, doubts: Vec<String>) -> Conclusion {
    let mut reasons = judgement.reasons;
    let unmet = judgement.unmet.iter();
    reasons.extend(unmet.clone().map(|unmet| {
        format!("{unmet} was expected and did not happen: remove it from `expect`, or see why")
    }));
    let mut names = judgement.unexpected;
    names.extend(unmet.map(|unmet| format!("no {unmet}")));
    let (word, verdict) = match (names.len(), doubts.is_empty()) {
        (0, true) => ("ok".into(), Verdict::Good),
        (0, false) => ("unknown".into(), Verdict::Unknown),
        (count, _) => {
            names.truncate(NAMED);
            let others = count - names.len();
            let others = (others > 0).then(|| format!(" and {others} others"));
            let word = format!("failed: {}{}", names.join(", "), others.unwrap_or_default());
            (word, Verdict::Negative)
        }
    };
    if verdict == Verdict::Good && !judgement.expected.is_empty() {
        let times = |(name, count): &(String, u64)| format!("{name} ({count})");
        let expected: Vec<String> = judgement.expected.iter().map(times).collect();
        reasons.push(format!("as expected: {}", expected.join(", ")));
    }
    reasons.extend(doubts);
    Conclusion {
        word,
        verdict,
        reasons,
        concerned: judgement.concerned,
        found: judgement.found,
        unmet: judgement.unmet,
        expected: judgement.expected,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn strings(words: &[&str]) -> Vec<String> {
        words.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn the_last_line_names_what_was_not_expected_and_what_stayed_away() {
        let judgement = Judgement {
            unexpected: strings(&["overrun:control"]),
            reasons: strings(&["control overran"]),
            unmet: strings(&["restart:io"]),
            expected: vec![("panic:io".into(), 2)],
            ..Judgement::default()
        };
        let conclusion = conclude(judgement, strings(&["records were lost"]));
        assert_eq!(conclusion.word, "failed: overrun:control, no restart:io");
        assert_eq!(conclusion.verdict, Verdict::Negative);
        let reasons = [
            "control overran",
            "restart:io was expected and did not happen: remove it from `expect`, or see why",
            "records were lost",
        ];
        assert_eq!(conclusion.reasons, reasons);
    }

    #[test]
    fn a_good_run_says_what_was_expected_and_came() {
        let judgement = Judgement {
            expected: vec![("panic:io".into(), 2), ("overrun:control".into(), 14)],
            ..Judgement::default()
        };
        let conclusion = conclude(judgement, Vec::new());
        assert_eq!(
            (&*conclusion.word, conclusion.verdict),
            ("ok", Verdict::Good)
        );
        let reasons = ["as expected: panic:io (2), overrun:control (14)"];
        assert_eq!(conclusion.reasons, reasons);
    }

    #[test]
    fn a_run_of_which_records_are_lost_is_not_known_to_be_good() {
        let conclusion = conclude(Judgement::default(), strings(&["records were lost"]));
        assert_eq!(
            (&*conclusion.word, conclusion.verdict),
            ("unknown", Verdict::Unknown)
        );
    }

    #[test]
    fn of_many_causes_the_last_line_names_the_first() {
        let names: Vec<String> = (0..20).map(|n| format!("fault:p{n}")).collect();
        let judgement = Judgement {
            unexpected: names,
            ..Judgement::default()
        };
        let word = conclude(judgement, Vec::new()).word;
        assert!(word.ends_with("fault:p7 and 12 others"), "{word}");
    }
}
