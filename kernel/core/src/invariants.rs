//! What must hold between two events.

use crate::core_state::Core;
use crate::hardware::Hardware;
use crate::port::masked;
use crate::process::Life;
use crate::thread::State;
use giornata_abi::id::NONE;

impl<H: Hardware> Core<'_, H> {
    /// The first invariant that does not hold. O(everything).
    pub(crate) fn check_invariants(&self) -> Result<(), &'static str> {
        self.ready.check_invariants()?;
        self.agenda.check_invariants()?;
        self.check_threads()?;
        self.check_processes()?;
        self.check_interrupts()?;
        self.check_ports()?;
        self.check_services()
    }

    fn check_threads(&self) -> Result<(), &'static str> {
        for index in 0..self.threads.len() {
            let thread = self.threads.at(index);
            if (thread.state == State::Ready) != self.ready.contains(index) {
                return Err("a thread is ready and not queued, or queued and not ready");
            }
            if thread.state == State::Ready && thread.governed && !thread.permitted {
                return Err("a task runs that S code does not permit");
            }
            let waits = self.interrupts.iter().filter(|i| i.waiter == index).count();
            let awaits = matches!(thread.state, State::Awaiting | State::Throttled);
            if waits != awaits as usize {
                return Err("a thread awaits an interrupt that does not know it");
            }
        }
        match self.hart.current {
            Some(thread) if self.threads.at(thread).state != State::Ready => {
                Err("the current thread is not ready")
            }
            _ => Ok(()),
        }
    }

    fn check_processes(&self) -> Result<(), &'static str> {
        let mut dying = 0;
        for index in 0..self.processes.len() {
            let process = self.processes.at(index);
            dying += matches!(process.life, Life::Dying(_) | Life::Restoring(_)) as u16;
            if matches!(process.life, Life::Dead | Life::Restoring(_)) && self.holds_objects(index)
            {
                return Err("a dead process holds objects");
            }
        }
        if dying == self.dying {
            Ok(())
        } else {
            Err("the count of dying processes is wrong")
        }
    }

    /// Whether a process holds objects: threads that are not dormant, interrupts
    /// that it has open.
    fn holds_objects(&self, process: u16) -> bool {
        let threads = self.process_entry(process).threads;
        let held = (threads.start..threads.start.saturating_add(threads.count))
            .any(|thread| self.threads.at(thread).state != State::Dormant);
        let open = self.interrupts.iter().zip(self.system.interrupts);
        let mut open =
            open.filter(|(i, entry)| i.open && entry.process == process && process != NONE);
        held || open.next().is_some()
    }

    fn check_ports(&self) -> Result<(), &'static str> {
        let in_arena = self.system.ports.iter().filter(|p| p.process == NONE);
        for port in in_arena.filter(|p| !p.size.is_multiple_of(8)) {
            let last = (port.place as usize + port.size as usize) / 8;
            let word = self.arena.get(last).copied().unwrap_or(0);
            if word != masked(word, port.size % 8) {
                return Err("a port's last word holds more than the port");
            }
        }
        Ok(())
    }

    fn check_interrupts(&self) -> Result<(), &'static str> {
        let latched = self.interrupts.iter().filter(|i| i.latched).count();
        if latched == self.latched as usize {
            Ok(())
        } else {
            Err("the count of latched interrupts is wrong")
        }
    }
}
