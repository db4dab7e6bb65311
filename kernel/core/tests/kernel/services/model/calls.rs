//! Calls, and what each is answered.

use super::mail::Wish;
use super::{Model, refused};
use giornata_abi::call::{Answer, Call, Request};
use giornata_abi::system::RIGHT_RECEIVE;
use giornata_abi::{Error, Id};

impl Model {
    /// What the caller is answered; `None`: nothing now.
    pub(super) fn perform(&mut self, caller: usize, request: &Request) -> Option<Answer> {
        let arguments @ [a, b, c, d, e, f] = request.arguments;
        let wide = |low: usize, high: usize| (high as u64) << 32 | low as u64;
        let call = Call::from_number(request.number).expect("a call");
        let outcome = match call {
            Call::Yield => {
                self.arrive(caller);
                Ok(Some(Answer::DONE))
            }
            Call::Exit => {
                self.exit(caller, a);
                Ok(None)
            }
            Call::Sleep => Ok(self.sleep(caller, wide(a, b))),
            Call::SetPriority => self.set_priority(caller, a, b),
            Call::CreateObject => self.create(caller, a, (b & 1 != 0).then_some(c)),
            Call::DeleteObject => self.delete(caller, a),
            Call::OpenObject => self.open(caller, a),
            Call::Lock => self.lock(caller, a, wide(b, c)),
            Call::Unlock => self.unlock(caller, a),
            Call::Wait => self.wait(caller, a, b, wide(c, d)),
            Call::Signal => self.signal(caller, a, 1),
            Call::Broadcast => self.signal(caller, a, usize::MAX),
            Call::Send => self.send(caller, arguments),
            Call::SendBytes => self.send_bytes(caller, arguments),
            Call::Receive => self.receive(caller, a, RIGHT_RECEIVE, wide(b, c), Wish::Words),
            Call::ReceiveBytes => self.receive_bytes(caller, [a, d, e, f], wide(b, c)),
            Call::CreateThread => self.create_thread(caller, c),
            Call::JoinThread => self.join(caller, a, wide(b, c)),
            Call::DetachThread => self.detach(caller, a),
            Call::CreateProcess => self.create_process(caller, a),
            Call::KillProcess => self.kill_process(caller, a),
            Call::AwaitProcess => self.await_process(caller, wide(a, b)),
            Call::Allocate => self.allocate(caller, a),
            other => unreachable!("{other:?} is not part of the model"),
        };
        outcome.unwrap_or_else(|error| Some(refused(error)))
    }

    fn set_priority(
        &mut self,
        caller: usize,
        id: usize,
        priority: usize,
    ) -> Result<Option<Answer>, Error> {
        let id = Id(id as u32);
        let index = usize::from(id.index());
        let thread = self.threads.get(index).ok_or(Error::ESRCH)?;
        if thread.generation != id.generation() {
            return Err(Error::ESRCH);
        }
        let process = self.threads[caller].process;
        if thread.process != process || !self.may_have(process, priority) {
            return Err(Error::EPERM);
        }
        if thread.deadline.is_some() {
            return Err(Error::EINVAL);
        }
        let is_same = usize::from(thread.priority) == priority;
        self.threads[index].priority = priority as u8;
        if is_same {
            self.arrive(index);
        }
        Ok(Some(Answer::DONE))
    }
}
