//! Values of ports that threads read and write by calls.

use giornata_abi::call::Call;

use crate::micro::Port;
use crate::thread::kind;
use crate::{Error, Kernel, Machine, Outcome, Process, Rank, Ref, Thread, same};

/// Bytes of a piece, and of the machine's scratch memory.
const PIECE: usize = 64;

impl Kernel {
    /// Copies the value of a port to memory of the caller, or (`WritePort`) from there.
    /// O(bytes), in pieces, as a call that continues in the kernel once a piece is done. Between
    /// them the caller is as urgent as the machine (see [`Kernel::base`]), so that no code sees
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
        if !granted.iter().any(|granted| same(*granted, process)) {
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
        self.move_value::<M>(me, port, write)
    }

    /// The next pieces of a call to a port.
    pub(crate) fn continue_port<M: Machine>(&self, me: Ref<Thread>) -> Outcome {
        let [number, .., call] = &me.context.a;
        match self.micro.ports.get(number.get()) {
            Some(port) => self.move_value::<M>(me, port, call.get() == Call::WritePort as usize),
            None => self.go_from(me),
        }
    }

    /// Copies what is left of a value until an interrupt waits. The arguments lie in the
    /// caller's registers, and behind them how far it has come.
    #[inline(never)]
    fn move_value<M: Machine>(&self, me: Ref<Thread>, port: Ref<Port>, write: bool) -> Outcome {
        let (micro, process) = (&self.micro, me.process);
        let [_, address, length, progress, ..] = &me.context.a;
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
                if done != 0 && me.kind.replace(kind::CONTINUES) != kind::CONTINUES {
                    self.begin_behind::<M>(me);
                    self.settle_place(me, false);
                }
                return self.go_from(me);
            }
            if !write {
                let place = port.place.wrapping_add(done);
                reached = move_bytes::<M>(process, at, size, true, Some(place));
            } else if reached {
                self.put_piece::<M>(port, done, size);
            }
            done = done.wrapping_add(size);
        }
        let is_raised = me.kind.get() == kind::CONTINUES;
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
        self.go_from(me)
    }

    /// The place of a thread whose call continues, which has this one else: that of the machine
    /// if it copies the value of a port and the machine is more urgent.
    #[inline(never)]
    pub(crate) fn place_by_port(&self, thread: Ref<Thread>, rank: Ref<Rank>) -> Ref<Rank> {
        const READ: usize = Call::ReadPort as usize;
        const WRITE: usize = Call::WritePort as usize;
        let [.., call] = &thread.context.a;
        let machine = self.micro.thread.rank.get();
        match call.get() {
            READ | WRITE if machine.precedes(rank) => machine,
            _ => rank,
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
