//! Values of ports that threads read and write by calls.

use giornata_abi::call::Call;

use crate::micro::Port;
use crate::{Error, Kernel, Machine, Outcome, Process, Ref, Thread, same};

/// Bytes of a piece, and of the machine's scratch memory.
const PIECE: usize = 64;

impl Kernel {
    /// Copies the value of a port to memory of the caller, or (`WritePort`) from there.
    /// O(bytes), in pieces, as a call that begins again at `done`. Between them the caller is as
    /// urgent as the machine, so that no code sees half of a value. (A thread that is
    /// more urgent can.)
    #[inline(never)]
    #[allow(clippy::too_many_arguments)] // those of the call
    pub(crate) fn access_port<M: Machine>(
        &self,
        me: Ref<Thread>,
        number: usize,
        address: usize,
        length: usize,
        done: usize,
        call: Call,
    ) -> Outcome {
        let (micro, process) = (&self.micro, me.process);
        let write = call as usize == Call::WritePort as usize;
        let Some(port) = micro.ports.get(number) else {
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
        let mut done = done & !(PIECE - 1);
        let is_one = write && length <= PIECE;
        let mut reached =
            is_one || done != 0 || move_bytes::<M>(process, address, length, !write, None);
        while reached && done < length {
            let size = PIECE.min(length.wrapping_sub(done));
            let at = address.wrapping_add(done);
            if write {
                reached = move_bytes::<M>(process, at, size, false, Some(micro.scratch));
            }
            if crate::machine::waits::<M>() {
                let rank = micro.thread.rank.get();
                if done != 0 && rank.precedes(me.rank.get()) {
                    self.begin_behind::<M>(me);
                    self.set_rank(me, rank, false);
                }
                return self.again(me, call, [number, address, length, done, 0, 0]);
            }
            if !write {
                let place = port.place.wrapping_add(done);
                reached = move_bytes::<M>(process, at, size, true, Some(place));
            } else if reached {
                self.put_piece::<M>(port, done, size);
            }
            done = done.wrapping_add(size);
        }
        if same(me.rank.get(), micro.thread.rank.get()) {
            self.set_rank(me, me.own.get(), true);
        }
        me.answer(if reached { 0 } else { Error::EFAULT as usize });
        if write && reached {
            let now = M::now();
            self.begin_event(now);
            self.written::<M>(port, now);
            self.react::<M>();
        }
        self.go_from(me)
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
