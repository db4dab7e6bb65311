//! Values of ports that threads read and write by calls.

use giornata_abi::call::Call;

use crate::micro::Port;
use crate::sched::thread::kind;
use crate::{Error, Machine, Outcome, Process, Rank, Ref, System, Thread, same};

/// Bytes of a piece, and of the machine's scratch memory.
const PIECE: usize = 64;

impl System {
    /// Copies the value of a port to memory of the caller, or (`WritePort`) from there.
    /// O(bytes), in pieces, as a call that continues in the kernel once a piece is done. Between
    /// them the caller is as urgent as the machine (see [`System::base`]), so that no code sees
    /// half of a value. (A thread that is more urgent can.)
    #[inline(never)]
    pub(crate) fn access_port<M: Machine>(
        &self,
        me: Ref<Thread>,
        number: usize,
        address: usize,
        length: usize,
        call: Call,
    ) -> Outcome {
        let process = me.process;
        let write = call as usize == Call::WritePort as usize;
        let Some(port) = self.micro.ports.get(number) else {
            return Outcome::error(Error::ESRCH);
        };
        let granted = if write { port.writers } else { port.readers };
        let mut is_granted = false;
        for other in granted {
            is_granted |= same(*other, process);
        }
        if !is_granted {
            return Outcome::error(Error::EPERM);
        }
        if length != port.size as usize {
            return Outcome::error(Error::EINVAL);
        }
        // (all of it can be reached before anything changes; what is written in one piece
        // shows that itself)
        let is_one = write && length <= PIECE;
        if !is_one && !move_bytes::<M>(process, address, length, !write, None) {
            return Outcome::error(Error::EFAULT);
        }
        me.set_call(call as usize, number, address, length, 0, 0, 0);
        self.copy_value::<M>(me)
    }

    /// Copies what is left of a value until an interrupt waits. The number of the call and its
    /// arguments lie in the caller's registers, and behind them how far it has come.
    #[inline(never)]
    pub(crate) fn copy_value<M: Machine>(&self, me: Ref<Thread>) -> Outcome {
        let (micro, process) = (&self.micro, me.process);
        let [number, address, length, progress, .., call] = &me.context.a;
        let Some(port) = micro.ports.get(number.get()) else {
            return self.dispatch_from(me);
        };
        let write = call.get() == Call::WritePort as usize;
        let (address, length, mut done) = (address.get(), length.get(), progress.get());
        let mut reached = true;
        while reached && done < length {
            let size = PIECE.min(length.wrapping_sub(done));
            let at = address.wrapping_add(done);
            if write {
                reached = move_bytes::<M>(process, at, size, false, Some(micro.scratch));
            }
            if crate::machine::waits::<M>() {
                progress.set(done);
                if done != 0 && me.kind.replace(kind::COPIES) != kind::COPIES {
                    self.begin_behind::<M>(me);
                    self.settle_place(me, false);
                }
                return self.dispatch_from(me);
            }
            if !write {
                let place = port.place.wrapping_add(done);
                reached = move_bytes::<M>(process, at, size, true, Some(place));
            } else if reached {
                self.put_piece::<M>(port, done, size);
            }
            done = done.wrapping_add(size);
        }
        let is_raised = me.kind.get() == kind::COPIES;
        me.end_call(if reached { 0 } else { Error::EFAULT as usize });
        if is_raised {
            self.settle_place(me, true);
        }
        if write && reached {
            let now = M::now();
            self.begin_event(now);
            self.written::<M>(port, now);
            self.react::<M>();
        }
        self.dispatch_from(me)
    }

    /// The place of a thread that copies a value and has this one else: that of the machine, if
    /// it is more urgent.
    #[inline(always)]
    pub(crate) fn place_of_copying(&self, rank: Ref<Rank>) -> Ref<Rank> {
        let machine = self.micro.thread.rank.get();
        match machine.level() <= rank.level() {
            true => machine,
            false => rank,
        }
    }

    /// Writes a piece of a value, which lies in scratch memory.
    #[inline(never)]
    fn put_piece<M: Machine>(&self, port: Ref<Port>, offset: usize, size: usize) {
        let mut at = 0;
        while at < size {
            let word = M::load(self.micro.scratch.wrapping_add(at));
            self.put_word::<M>(port, offset.wrapping_add(at) as u32, word);
            at = at.wrapping_add(4);
        }
    }
}

/// Copies bytes between a process and another place, if there is one: to the process if
/// `fill`. False: it may not touch all of them.
#[inline(never)]
fn move_bytes<M: Machine>(
    process: Ref<Process>,
    address: usize,
    length: usize,
    fill: bool,
    place: Option<usize>,
) -> bool {
    let mut at = 0;
    while at < length {
        let (bytes, found) = M::reach(
            process,
            address.wrapping_add(at),
            length.wrapping_sub(at),
            fill,
        );
        if bytes == 0 {
            return false;
        }
        if let Some(place) = place {
            let place = place.wrapping_add(at);
            match fill {
                true => M::copy(place, found, bytes),
                false => M::copy(found, place, bytes),
            }
        }
        at = at.wrapping_add(bytes);
    }
    true
}
