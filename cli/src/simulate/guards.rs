//! What guards answer, whose functions are not there.

use giornata_lang::spelling::nearest;
use giornata_sim::{Act, Chance, Moment, Simulation, Work};

use super::machine::Machine;
use crate::complaint::Complaint;

/// The answers of one guard.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Answer {
    /// What its function answers, which is there.
    Function,
    Always(bool),
    Random,
}

/// A driver that is a guard.
#[derive(Clone, Debug)]
struct Guard {
    driver: u16,
    function: String,
    answer: Answer,
    /// Where in its block the answer goes: behind everything else.
    offset: usize,
}

/// The guards of a machine.
#[derive(Clone, Debug)]
pub(crate) struct Guards {
    all: Vec<Guard>,
    chance: Chance,
}

impl Guards {
    /// All guards: as their functions answer, or false where there are none, but for
    /// what `--guard` says.
    pub(crate) fn of(machine: &Machine, words: &[String], seed: u64) -> Result<Guards, Complaint> {
        let guard = |(driver, function): (u16, &str)| Guard {
            driver,
            function: function.to_owned(),
            answer: match machine.functions {
                Some(_) => Answer::Function,
                None => Answer::Always(false),
            },
            offset: machine.last_of_block(driver),
        };
        let mut guards = Guards {
            all: machine.guards().map(guard).collect(),
            chance: Chance::new(seed),
        };
        for word in words {
            guards.take(word)?;
        }
        Ok(guards)
    }

    fn take(&mut self, word: &str) -> Result<(), Complaint> {
        let (name, answer) = word.split_once('=').unwrap_or((word, ""));
        let answer = match answer {
            "true" => Answer::Always(true),
            "false" => Answer::Always(false),
            "random" => Answer::Random,
            _ => {
                let message = format!("`{word}` does not say what a guard answers");
                let help = "write GUARD=true, GUARD=false or GUARD=random";
                return Err(Complaint::new("giornata::guard", message, help));
            }
        };
        let mut found = false;
        for guard in self.all.iter_mut().filter(|guard| guard.function == name) {
            guard.answer = answer;
            found = true;
        }
        if found {
            Ok(())
        } else {
            Err(self.unknown(name))
        }
    }

    fn unknown(&self, name: &str) -> Complaint {
        let names = self.functions(|_| true);
        let help = match names.is_empty() {
            true => "the program has no guards".to_owned(),
            false => match nearest(name, names.iter().copied()) {
                Some(meant) => format!("did you mean `{meant}`?"),
                None => format!("there are {}", names.join(", ")),
            },
        };
        let message = format!("no guard is called `{name}`");
        Complaint::new("giornata::no-such-guard", message, help)
    }

    fn functions(&self, which: impl Fn(Answer) -> bool) -> Vec<&str> {
        let chosen = self.all.iter().filter(|guard| which(guard.answer));
        let mut names: Vec<&str> = chosen.map(|guard| guard.function.as_str()).collect();
        names.sort_unstable();
        names.dedup();
        names
    }

    /// The functions of guards that are always false.
    pub(crate) fn shut(&self) -> Vec<&str> {
        self.functions(|answer| answer == Answer::Always(false))
    }

    /// Lets the guards of a simulation answer so.
    pub(crate) fn connect(&self, simulation: &mut Simulation<'_>) {
        let known = |guard: &&Guard| guard.answer != Answer::Function;
        for guard in self.all.iter().filter(known) {
            let (driver, answer, offset) = (guard.driver, guard.answer, guard.offset);
            let chance = self.chance;
            simulation.set_driver(driver, move |moment: &mut Moment<'_>| {
                let yes = match answer {
                    Answer::Function => false,
                    Answer::Always(yes) => yes,
                    // one bit that hardly shows in an execution time drawn beside it
                    Answer::Random => chance.draw(Work::Upcall(driver), moment.number) & 1 == 1,
                };
                moment.store(offset, 1, u64::from(yes));
                Act::End(usize::from(yes))
            });
        }
    }
}
