//! What each call comes to.

use super::mail::Wish;
use super::{Model, Outcome, Resumption};
use crate::request::Request;

impl Model {
    /// A call of the running thread; `from`: where one that was put back goes on.
    pub(super) fn call(&mut self, caller: usize, request: &Request, from: Option<u64>) {
        let outcome = self.perform(caller, request, from);
        match outcome {
            Ok(None) => {}
            Ok(Some(reply)) => self.threads[caller].resumption = Resumption::Returns(reply),
            Err(error) => self.threads[caller].resumption = Resumption::Returns(error.into()),
        }
    }

    fn perform(&mut self, caller: usize, request: &Request, from: Option<u64>) -> Outcome {
        match *request {
            Request::Yield => self.yield_now(caller),
            Request::Exit { value } => self.exit(caller, value),
            Request::Sleep { until } => self.sleep(caller, until),
            Request::AwaitInterrupt { line } => self.await_interrupt(caller, line),
            Request::SetPriority { thread, priority } => {
                self.set_priority(caller, thread, priority)
            }
            Request::CreateObject { slot, server } => self.create(caller, slot, server),
            Request::DeleteObject { object } => self.delete(caller, object),
            Request::OpenObject { slot } => self.open(caller, slot),
            Request::Lock { object, until } => self.lock(caller, object, until),
            Request::Unlock { object } => self.unlock(caller, object),
            Request::Wait {
                condition,
                mutex,
                until,
            } => self.wait(caller, condition, mutex, until),
            Request::Signal { condition } => self.signal(caller, condition, 1),
            Request::Broadcast { condition } => self.broadcast(caller, condition, from),
            Request::Send {
                mailbox,
                priority,
                words,
            } => self.send(caller, mailbox, priority, words),
            Request::SendBytes {
                mailbox,
                priority,
                ref bytes,
                route,
            } => self.send_bytes(caller, mailbox, priority, bytes.clone(), route),
            Request::Receive { mailbox, until } => {
                self.receive(caller, mailbox, until, Wish::Words)
            }
            Request::ReceiveBytes {
                mailbox,
                until,
                capacity,
                full: false,
            } => self.receive(caller, mailbox, until, Wish::Bytes(capacity)),
            Request::ReceiveBytes {
                mailbox,
                until,
                capacity,
                full: true,
            } => self.receive(caller, mailbox, until, Wish::Full(capacity)),
            Request::CreateThread { priority } => self.create_thread(caller, priority),
            Request::JoinThread { thread, until } => self.join(caller, thread, until),
            Request::DetachThread { thread } => self.detach(caller, thread),
            Request::CreateProcess { process } => self.create_process(caller, process),
            Request::KillProcess { process } => self.kill_process(caller, process),
            Request::AwaitProcess { until } => self.await_process(caller, until),
            Request::Call {
                mailbox,
                priority,
                words,
            } => self.request(caller, mailbox, priority, words),
            Request::ReplyReceive {
                client,
                token,
                words,
            } => self.reply_receive(caller, client, token, words),
            Request::Forward {
                mailbox,
                client,
                token,
            } => self.forward(caller, mailbox, client, token),
        }
    }
}
