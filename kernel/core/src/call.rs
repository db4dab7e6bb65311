//! System calls: who may make them, and what they do.
//!
//! Arguments are numbers from an untrusted process. Each is checked against the
//! tables before it is used; a refusal is an error in the first result.

use crate::core_state::{Core, PendingCall};
use crate::dispatch::End;
use crate::hardware::Hardware;
use crate::thread::State;
use crate::transfer::{Purpose, Transfer};
use giornata_abi::call::{Answer, Call, Callers, Request};
use giornata_abi::id::NONE;
use giornata_abi::system::{
    GRANT_SHUTDOWN, GRANT_TRUSTED_DMA, MoveEntry, NOWHERE, Policy, Range, ThreadKind,
};
use giornata_abi::trace::{FaultCause, TraceKind};
use giornata_abi::{Error, Id, Instant};

/// What microcode has to hear of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Heard {
    Nothing,
    /// A task completed its job at this instant.
    Completed(u16, Instant),
}

/// Most bytes of a panic message that are recorded.
const PANIC_TEXT: usize = 96;

fn may_call(callers: Callers, kind: u8) -> bool {
    match callers {
        Callers::All => true,
        Callers::Any => kind != ThreadKind::Upcall as u8,
        Callers::Thread => kind == ThreadKind::Thread as u8,
        Callers::Task => kind == ThreadKind::Task as u8,
        Callers::Upcall => kind == ThreadKind::Upcall as u8,
    }
}

/// Two 32-bit halves as one number.
///
/// A register wider than 32 bits is taken at its low half.
pub(crate) fn wide(low: usize, high: usize) -> u64 {
    (high as u64 & 0xFFFF_FFFF) << 32 | low as u64 & 0xFFFF_FFFF
}

impl<H: Hardware> Core<'_, H> {
    /// Carries out a system call of a thread that is no upcall.
    pub(crate) fn perform(&mut self, thread: u16, request: &Request, instant: Instant) -> Heard {
        let entry = self.thread_entry(thread);
        let [a, b, c, ..] = request.arguments;
        let Some(call) = Call::from_number(request.number) else {
            self.answer(thread, Answer::error(Error::ENOSYS));
            return Heard::Nothing;
        };
        if !may_call(call.callers(), entry.kind) {
            self.answer(thread, Answer::error(Error::EPERM));
            return Heard::Nothing;
        }
        let answer = match call {
            Call::Null => Some(Answer::DONE),
            Call::Yield => {
                self.requeue(thread, End::Tail);
                Some(Answer::DONE)
            }
            Call::Exit if self.part(thread) => {
                self.once_more(thread, call, &request.arguments);
                None
            }
            Call::Exit => {
                self.suspend(thread, State::Dormant);
                self.retire(thread, a);
                None
            }
            Call::Complete => return self.complete(thread, instant),
            Call::Return => Some(Answer::error(Error::EPERM)),
            Call::Clock => Some(Answer::wide(instant.0)),
            Call::Sleep => self.sleep(thread, Instant(wide(a, b))),
            Call::AwaitInterrupt => self.await_interrupt(thread, a),
            Call::ReadPort => self.access_port(thread, a, b, c, false),
            Call::WritePort => {
                self.instant = instant;
                self.access_port(thread, a, b, c, true)
            }
            Call::CpuTime => Some(Answer::wide(self.nanos(self.threads.at(thread).spent))),
            Call::Log => Some(self.log(thread, &request.arguments)),
            Call::Shutdown => Some(self.shut_down(entry.process, a)),
            Call::Panic => {
                self.panic(thread, a, b, c);
                None
            }
            Call::Own => {
                let id = Id::new(thread, self.threads.at(thread).generation).0;
                let stack = entry.stack_top.wrapping_sub(entry.stack_size);
                let (stack, length) = (stack as usize, entry.stack_size as usize);
                Some(Answer::words([id as usize, stack, length]))
            }
            Call::SetPriority => Some(self.set_priority(entry.process, a, b)),
            Call::StageProgram | Call::SwitchProgram | Call::ProgramStatus => {
                Some(self.change_program(thread, call, &request.arguments))
            }
            Call::DeviceAddress => Some(self.device_address(entry.process, a)),
            Call::CreateObject
            | Call::DeleteObject
            | Call::OpenObject
            | Call::Lock
            | Call::Unlock
            | Call::Wait
            | Call::Signal
            | Call::Broadcast
            | Call::Send
            | Call::SendBytes
            | Call::Receive
            | Call::ReceiveBytes
            | Call::CreateThread
            | Call::JoinThread
            | Call::DetachThread
            | Call::CreateProcess
            | Call::KillProcess
            | Call::AwaitProcess
            | Call::Allocate
            | Call::AttachRegion
            | Call::DetachRegion => {
                self.serve(thread, call, &request.arguments);
                None
            }
        };
        if let Some(answer) = answer {
            self.answer(thread, answer);
        }
        Heard::Nothing
    }

    /// A call that goes on with its next piece before anybody runs.
    pub(crate) fn once_more(&mut self, thread: u16, call: Call, arguments: &[usize; 6]) {
        let request = Request {
            number: call as usize,
            arguments: *arguments,
        };
        self.call = Some(PendingCall {
            thread,
            request,
            instant: self.now(),
        });
    }

    pub(crate) fn answer(&mut self, thread: u16, answer: Answer) {
        self.hardware.answer(thread, answer);
    }

    /// Nobody is this thread any more: its id names nothing.
    pub(crate) fn rename(&mut self, thread: u16) {
        let record = self.threads.at_mut(thread);
        record.generation = record.generation.wrapping_add(1);
    }

    /// Ends a job. A job that ends after its deadline is recorded as a miss.
    pub(crate) fn complete(&mut self, task: u16, instant: Instant) -> Heard {
        self.suspend(task, State::Dormant);
        let record = self.threads.at_mut(task);
        let (job, deadline) = (record.job, record.deadline);
        let used = giornata_abi::Ticks(record.spent.0.wrapping_sub(record.spent_before.0));
        let nanos = self.nanos(used);
        self.trace(TraceKind::Complete, task, job, instant.0, nanos);
        if instant > deadline {
            self.trace(TraceKind::Miss, task, job, deadline.0, 0);
        }
        Heard::Completed(task, instant)
    }

    fn sleep(&mut self, thread: u16, until: Instant) -> Option<Answer> {
        if until == Instant::NEVER {
            return Some(Answer::error(Error::EINVAL));
        }
        if until <= self.now() {
            return Some(Answer::DONE);
        }
        self.suspend(thread, State::Sleeping);
        self.agenda.insert(thread, until);
        None
    }

    /// `read_port` and `write_port`: the copy answers when it is whole.
    fn access_port(
        &mut self,
        thread: u16,
        port: usize,
        address: usize,
        length: usize,
        write: bool,
    ) -> Option<Answer> {
        let process = self.thread_entry(thread).process;
        let entry = self.process_entry(process);
        let granted: Range = if write {
            entry.writable
        } else {
            entry.readable
        };
        let Some(port) = u16::try_from(port)
            .ok()
            .filter(|p| (*p as usize) < self.system.ports.len())
        else {
            return Some(Answer::error(Error::ESRCH));
        };
        if !self.links(granted).contains(&port) {
            return Some(Answer::error(Error::EPERM));
        }
        let entry = self.port(port);
        if length != entry.size as usize {
            return Some(Answer::error(Error::EINVAL));
        }
        let Ok(address) = u32::try_from(address) else {
            return Some(Answer::error(Error::EFAULT));
        };
        self.transfer = Some(match write {
            true => {
                let probe = MoveEntry {
                    sink: NOWHERE,
                    port: NONE,
                    ..MoveEntry::output(process, address, entry, port)
                };
                Transfer::of_call(Purpose::Probe(thread, port), probe)
            }
            false => {
                let step = MoveEntry::input(entry, process, address);
                Transfer::of_call(Purpose::Read(thread), step)
            }
        });
        None
    }

    fn log(&mut self, thread: u16, arguments: &[usize; 6]) -> Answer {
        let [length, w0, w1, w2, w3, _] = *arguments;
        let bytes = length & !0x100;
        if bytes == 0 || bytes > 16 {
            return Answer::error(Error::EINVAL);
        }
        self.trace(
            TraceKind::Log,
            thread,
            length as u32,
            wide(w0, w1),
            wide(w2, w3),
        );
        Answer::DONE
    }

    fn shut_down(&mut self, process: u16, status: usize) -> Answer {
        if self.process_entry(process).grants & GRANT_SHUTDOWN == 0 {
            return Answer::error(Error::EPERM);
        }
        let Ok(status) = u8::try_from(status) else {
            return Answer::error(Error::EINVAL);
        };
        self.stop = Some(status);
        Answer::DONE
    }

    fn device_address(&mut self, process: u16, address: usize) -> Answer {
        if self.process_entry(process).grants & GRANT_TRUSTED_DMA == 0 {
            return Answer::error(Error::EPERM);
        }
        match self.hardware.device_address(process, address) {
            Some(place) => Answer::word(place),
            None => Answer::error(Error::EFAULT),
        }
    }

    /// The process faults by its own word; what can be read of the message is kept.
    pub(crate) fn panic(&mut self, thread: u16, address: usize, length: usize, line: usize) {
        let process = self.thread_entry(thread).process;
        let urgency = self.present_urgency(thread);
        let length = length.min(PANIC_TEXT);
        self.kill(
            process,
            FaultCause::Panic,
            address as u64,
            line as u64,
            urgency,
        );
        let mut offset = 0;
        while offset < length {
            let mut text = [0; 2];
            let (at, count) = (address.wrapping_add(offset), (length - offset).min(16));
            if self.hardware.read(process, at, &mut text, count).is_err() {
                return;
            }
            let [x, y] = text;
            self.trace(TraceKind::FaultText, process, offset as u32, x, y);
            offset += 16;
        }
    }

    /// Whether the threads of a process may have a fixed priority: none above what
    /// it is granted, and never that of the deadline band.
    pub(crate) fn may_have(&self, process: u16, priority: usize) -> bool {
        priority <= self.process_entry(process).max_priority as usize
            && priority != self.system.header.deadline_band as usize
    }

    fn set_priority(&mut self, process: u16, id: usize, priority: usize) -> Answer {
        let id = Id(id as u32);
        let thread = id.index();
        let known = self
            .threads
            .get(thread)
            .is_some_and(|t| t.generation == id.generation());
        if !known {
            return Answer::error(Error::ESRCH);
        }
        let entry = self.thread_entry(thread);
        if entry.process != process || !self.may_have(process, priority) {
            return Answer::error(Error::EPERM);
        }
        if entry.kind != ThreadKind::Thread as u8 || entry.policy == Policy::Deadline as u8 {
            return Answer::error(Error::EINVAL);
        }
        // POSIX pthread_setschedprio: a lowered thread goes before its equals
        let before = core::mem::replace(&mut self.threads.at_mut(thread).priority, priority as u8);
        let end = if (priority as u8) < before {
            End::Head
        } else {
            End::Tail
        };
        match self.threads.at(thread).state {
            State::Ready => self.requeue(thread, end),
            State::Waiting => self.reposition(thread, end),
            _ => {}
        }
        Answer::DONE
    }
}
