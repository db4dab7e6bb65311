//! A system in the machine, from boot to stop, seen through its trace.

use std::time::Duration;

use anyhow::{Context, Result};
use giornata_trace::{Damage, Decoder, Event, Statistics};

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
    /// What did not arrive whole.
    pub damage: Damage,
    /// The status of the machine.
    pub status: i32,
}

/// Boots an image and shows its trace to an observer until the machine stops.
///
/// # Errors
/// The machine cannot be started, hangs, or breaks off; the observer fails.
pub fn fly(image: &Image, patience: Patience, observer: &mut dyn Observer) -> Result<Landing> {
    let mut machine = Machine::boot(image, patience)?;
    let mut decoder = Decoder::new(image.names.timer_hertz);
    let mut totals = Statistics::new(&image.names);
    loop {
        match machine.read(PULSE).with_context(|| whereabouts(&totals))? {
            Output::Bytes(bytes) => {
                observer.hear(&bytes)?;
                show(&bytes, &mut decoder, &mut totals, observer)?;
            }
            Output::Nothing => {}
            Output::End => break,
        }
        observer.pause(&totals)?;
    }
    let status = machine.wait()?;
    Ok(Landing {
        totals,
        damage: decoder.damage(),
        status,
    })
}

fn show(
    bytes: &[u8],
    decoder: &mut Decoder,
    totals: &mut Statistics,
    observer: &mut dyn Observer,
) -> Result<()> {
    let mut result = Ok(());
    decoder.push(bytes, |event| {
        if result.is_ok() {
            result = observer.see(&event, totals);
        }
        totals.observe(&event);
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

impl Landing {
    /// The verdict on a run, as a word of the closing line and as an exit
    /// code, and why where it is not good.
    pub fn verdict(&self) -> (&'static str, Verdict, Vec<String>) {
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
        let mut faults = Vec::new();
        let mut count = |count: u64, what: &str| {
            if count > 0 {
                faults.push(format!("{count} {what}"));
            }
        };
        count(totals.misses(), "deadlines missed");
        count(totals.unhandled, "violations that no handler took");
        if self.status != 0 {
            faults.push(format!("the machine stopped with status {}", self.status));
        }
        match (faults.is_empty(), doubts.is_empty()) {
            (true, true) => ("ok", Verdict::Good, doubts),
            (true, false) => ("unknown", Verdict::Unknown, doubts),
            (false, _) => {
                faults.extend(doubts);
                ("failed", Verdict::Negative, faults)
            }
        }
    }
}
