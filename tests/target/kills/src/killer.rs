//! The supervisor that ends its processes, and counts before and after.

use giornata_rt::abi::trace::FaultCause;
use giornata_rt::supervisor::{self, Process};
use giornata_rt::time::{self, Instant};
use giornata_rt::{Error, log, shutdown, thread};

use crate::dice::Dice;
use crate::{AUDIT, BUS, LONGEST, REPLIES, REPORTS, REQUESTS, SCRATCH, STACK, TOP, us};

/// As the system files number them.
const VICTIMS: [(Process, &str); 4] = [
    (Process::new(2), "client"),
    (Process::new(3), "crew"),
    (Process::new(4), "net"),
    (Process::new(5), "service"),
];
/// The one that the kernel starts anew; the others are started by call.
const CREW: Process = VICTIMS[1].0;

#[thread]
pub(crate) fn kill_100() {
    kill(100);
}

#[thread]
pub(crate) fn kill_10000() {
    kill(10_000);
}

/// Ends so many lives, and the run: with status 0 if all is as it was.
fn kill(count: u32) {
    let mut watch = Watch {
        dice: Dice(0x6107),
        complaints: 0,
    };
    let before = VICTIMS.map(|victim| watch.count(victim.0));
    let mut lives = [0; VICTIMS.len()];
    while lives.iter().sum::<u32>() < count {
        let at = watch.dice.below(VICTIMS.len() as u64) as usize;
        watch.idle(1200);
        lives[at] += u32::from(watch.end(VICTIMS[at].0));
    }
    let after = watch.count_again();
    for (at, (_, name)) in VICTIMS.into_iter().enumerate() {
        let [messages, places, blocks] = after[at];
        log!(
            "{name} ended {} times: {messages} messages, {places} threads, {blocks} blocks",
            lives[at]
        );
        watch.expect(
            before[at] == after[at],
            "what it can take is another than before",
        );
    }
    watch.expect(BUS.lock_until(soon()).is_ok(), "the bus is lost");
    watch.expect(TOP.lock_until(soon()).is_ok(), "the top is lost");
    log!("{} complaints", watch.complaints);
    let _ = shutdown((watch.complaints > 0).into());
}

/// Longer than anything takes.
fn soon() -> Instant {
    time::now() + us(20_000)
}

struct Watch {
    dice: Dice,
    complaints: u32,
}

impl Watch {
    fn expect(&mut self, is_right: bool, complaint: &str) {
        if !is_right {
            self.complaints += 1;
            log!("{complaint}");
        }
    }

    /// Sleeps up to so many microseconds.
    fn idle(&mut self, most: u64) {
        let _ = time::sleep(us(self.dice.below(most)));
    }

    /// Ends a process and sees to it that it lives again; `false`: it did not live yet.
    fn end(&mut self, victim: Process) -> bool {
        self.see_faults();
        match victim.kill() {
            Ok(()) => {}
            Err(Error::ESRCH) => return false,
            Err(_) => self.expect(false, "the killer may not kill"),
        }
        self.see_end_of(victim);
        if victim != CREW {
            self.idle(200);
            self.expect(victim.start() == Ok(()), "a victim does not start");
        }
        true
    }

    /// Is told of ends that were not by its own hand.
    fn see_faults(&mut self) {
        while let Ok(end) = supervisor::await_end(Instant::START) {
            self.expect(false, "a victim found something wrong");
            let lives = end.is_restarted || end.process.start() == Ok(());
            self.expect(lives, "it cannot be started anew");
        }
    }

    /// Is told of an end by its own hand, and of no other.
    fn see_end_of(&mut self, victim: Process) {
        let Ok(end) = supervisor::await_end(soon()) else {
            return self.expect(false, "an end is not told");
        };
        self.expect(end.process == victim, "another end is told");
        self.expect(
            end.cause == Some(FaultCause::Killed),
            "its cause is another",
        );
        self.expect(
            end.is_restarted == (victim == CREW),
            "it lives, or does not",
        );
    }

    /// Starts a victim, which counts what it can take: messages, places for threads,
    /// blocks of memory.
    fn count(&mut self, victim: Process) -> [u32; 3] {
        self.see_faults();
        self.expect(AUDIT.release() == Ok(()), "nobody counts");
        match victim.kill() {
            Ok(()) => self.see_end_of(victim),
            Err(error) => self.expect(error == Error::ESRCH, "the killer may not kill"),
        }
        if victim.start() == Err(Error::EBUSY) {
            self.expect(false, "a victim neither lives nor is dead");
        }
        match REPORTS.receive_until(soon()) {
            Ok(report) if report.words[0] == u32::from(victim.index()) => {
                let [_, messages, places, blocks] = report.words;
                [messages, places, blocks]
            }
            _ => {
                self.expect(false, "no report");
                [0; 3]
            }
        }
    }

    /// The same when all have died, and what they left in mailboxes is gone.
    fn count_again(&mut self) -> [[u32; 3]; VICTIMS.len()] {
        for (victim, _) in VICTIMS {
            if victim != CREW && victim.kill() == Ok(()) {
                self.see_end_of(victim);
            }
        }
        for mailbox in [REQUESTS, REPLIES, STACK, SCRATCH] {
            let mut bytes = [0; LONGEST];
            while mailbox.receive_bytes(Instant::START, &mut bytes).is_ok() {}
        }
        VICTIMS.map(|victim| self.count(victim.0))
    }
}
