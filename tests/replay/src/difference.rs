//! Where two kernels part.

use crate::observation::{Observation, Occurrence, Record, Runner, Touch};
use crate::scenario::{Event, Scenario};
use crate::system::Role;
use std::fmt;

/// Steps that are shown before the one at which two kernels part.
const SHOWN: usize = 8;

/// The first difference between what was recorded and what was replayed.
#[derive(Clone, Debug)]
pub struct Difference<'a> {
    scenario: &'a Scenario,
    record: &'a Record,
    replayed: &'a Observation,
    /// The step at which they part: 0 is the boot, `n` the `n`th event; one more
    /// than there are events if only the states at the end differ.
    pub step: usize,
}

/// The first difference; `None` if there is none.
pub fn difference<'a>(
    scenario: &'a Scenario,
    record: &'a Record,
    replayed: &'a Observation,
) -> Option<Difference<'a>> {
    let recorded = &record.observation;
    if recorded == replayed {
        return None;
    }
    let pairs = recorded.steps.iter().zip(&replayed.steps);
    let same = pairs.take_while(|(one, other)| one == other).count();
    Some(Difference {
        scenario,
        record,
        replayed,
        step: same,
    })
}

impl Difference<'_> {
    /// What had touched the scenario when they parted: what may explain it. A
    /// difference that nothing touches is a fault of one of the kernels.
    pub fn touches(&self) -> impl Iterator<Item = Touch> + '_ {
        let all = self.record.touches.iter().copied();
        all.filter(|touch| touch.step <= self.step)
    }

    /// The two states at the end, line by line where they differ.
    fn write_ends(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [recorded, replayed] = [&self.record.observation, self.replayed]
            .map(|observation| format!("{:#?}", observation.end));
        let mut recorded = recorded.lines();
        let mut replayed = replayed.lines();
        loop {
            match (recorded.next(), replayed.next()) {
                (None, None) => return Ok(()),
                (one, other) if one == other => writeln!(f, "      {}", one.unwrap_or(""))?,
                (one, other) => {
                    writeln!(f, "    - {}", one.unwrap_or(""))?;
                    writeln!(f, "    + {}", other.unwrap_or(""))?;
                }
            }
        }
    }
}

impl fmt::Display for Difference<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let recorded = &self.record.observation;
        let events = narrate(self.scenario, recorded);
        let what = events.get(self.step).map_or("the end", String::as_str);
        let number = self.scenario.number;
        writeln!(f, "scenario {number} parts at step {}: {what}", self.step)?;
        for Touch { kind, step } in self.touches() {
            writeln!(f, "  touched by {kind:?} from step {step} on")?;
        }
        let before = events.iter().zip(&recorded.steps).enumerate();
        let first = self.step.saturating_sub(SHOWN);
        for (step, (what, occurrences)) in before.take(self.step).skip(first) {
            writeln!(f, "  {step}: {what}")?;
            write_step(f, "     ", Some(occurrences))?;
        }
        let Some(what) = events.get(self.step) else {
            writeln!(f, "  the states at the end, recorded (-) and replayed (+):")?;
            return self.write_ends(f);
        };
        writeln!(f, "  {}: {what}", self.step)?;
        writeln!(f, "    recorded:")?;
        write_step(f, "    - ", recorded.steps.get(self.step))?;
        writeln!(f, "    replayed:")?;
        write_step(f, "    + ", self.replayed.steps.get(self.step))
    }
}

fn write_step(
    f: &mut fmt::Formatter<'_>,
    indent: &str,
    step: Option<&Vec<Occurrence>>,
) -> fmt::Result {
    for occurrence in step.into_iter().flatten() {
        writeln!(f, "{indent}{occurrence}")?;
    }
    Ok(())
}

/// By step, what happened: the event, who it happened to, and which call it made.
pub fn narrate(scenario: &Scenario, observation: &Observation) -> Vec<String> {
    let mut places = vec![0; scenario.system.threads.len()];
    let mut runner = Runner::Idle;
    let mut lines = vec!["boot".to_string()];
    for (step, occurrences) in observation.steps.iter().enumerate() {
        if let Some(event) = step.checked_sub(1).and_then(|at| scenario.events.get(at)) {
            lines.push(match event {
                Event::Step => format!("{runner}: {}", next_act(scenario, runner, &mut places)),
                Event::Call(_) | Event::Fault => format!("{runner}: {event}"),
                event => event.to_string(),
            });
        }
        for occurrence in occurrences {
            if let Occurrence::Switch(_, next) = occurrence {
                runner = *next;
            }
        }
    }
    lines
}

/// What a step lets whoever runs do.
fn next_act(scenario: &Scenario, runner: Runner, places: &mut [usize]) -> String {
    let thread = match runner {
        Runner::Thread(thread) => thread,
        Runner::Upcall(_) => return "return".into(),
        _ => return format!("advance {}", crate::IDLE_STEP),
    };
    if let Role::Task { .. } = scenario.system.threads[thread].role {
        return "complete".into();
    }
    let script = &scenario.scripts[thread];
    let Some(call) = script.get(places[thread] % script.len().max(1)) else {
        return "nothing to do".into();
    };
    places[thread] += 1;
    call.to_string()
}
