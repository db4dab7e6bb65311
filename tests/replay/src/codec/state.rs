//! The state at the end as bytes.

use super::{Reader, Writer};
use crate::observation::{Message, ObjectState, ProcessState, State, ThreadState};

const INACTIVE: u64 = 0;
const READY: u64 = 1;
const HELD: u64 = 2;
const SLEEPING: u64 = 3;
const AWAITS_INTERRUPT: u64 = 4;
const AWAITS_END: u64 = 5;
/// Behind the others: in which slot what it waits for lives.
const WAITS: u64 = 6;

const GONE: u64 = 0;
const FREE: u64 = 1;
const ABANDONED: u64 = 2;
const CONDITION: u64 = 3;
const SEMAPHORE: u64 = 4;
const MAILBOX: u64 = 5;
/// A mutex with an owner that has not been told that the last one died.
const OWNED_UNTOLD: u64 = 6;
/// Behind the others: which thread owns a mutex.
const OWNED: u64 = 7;

impl Writer {
    pub(super) fn state(&mut self, state: &State) {
        self.index(state.threads.len());
        state.threads.iter().for_each(|one| self.thread(one));
        self.index(state.objects.len());
        state.objects.iter().for_each(|one| self.object(one));
        self.index(state.processes.len());
        for process in &state.processes {
            self.number(match process {
                ProcessState::Alive => 0,
                ProcessState::Dead => 1,
                ProcessState::Changing => 2,
            });
        }
        self.index(state.ports.len());
        state
            .ports
            .iter()
            .for_each(|value| self.number((*value).into()));
    }

    fn thread(&mut self, thread: &ThreadState) {
        match *thread {
            ThreadState::Inactive => self.number(INACTIVE),
            ThreadState::Ready => self.number(READY),
            ThreadState::Held => self.number(HELD),
            ThreadState::Sleeping(until) => {
                self.number(SLEEPING);
                self.number(until);
            }
            ThreadState::AwaitsInterrupt(line) => {
                self.number(AWAITS_INTERRUPT);
                self.number(line.into());
            }
            ThreadState::AwaitsEnd(until) => {
                self.number(AWAITS_END);
                self.maybe(until);
            }
            ThreadState::Waits(slot, until) => {
                self.number(WAITS + slot as u64);
                self.maybe(until);
            }
        }
    }

    fn object(&mut self, object: &ObjectState) {
        match object {
            ObjectState::Gone => self.number(GONE),
            ObjectState::Condition => self.number(CONDITION),
            ObjectState::Semaphore(count) => {
                self.number(SEMAPHORE);
                self.number((*count).into());
            }
            ObjectState::Mutex(None, false) => self.number(FREE),
            ObjectState::Mutex(None, true) => self.number(ABANDONED),
            ObjectState::Mutex(Some(owner), false) => self.number(OWNED + *owner as u64),
            ObjectState::Mutex(Some(owner), true) => {
                self.number(OWNED_UNTOLD);
                self.index(*owner);
            }
            ObjectState::Mailbox(messages) => {
                self.number(MAILBOX);
                self.index(messages.len());
                for message in messages {
                    self.number(message.priority.into());
                    self.number(message.length.into());
                    self.number(message.content);
                }
            }
        }
    }
}

impl Reader<'_> {
    pub(super) fn state(&mut self) -> Option<State> {
        Some(State {
            threads: self.list(Self::thread)?,
            objects: self.list(Self::object)?,
            processes: self.list(Self::process)?,
            ports: self.list(Self::narrow)?,
        })
    }

    fn thread(&mut self) -> Option<ThreadState> {
        Some(match self.number()? {
            INACTIVE => ThreadState::Inactive,
            READY => ThreadState::Ready,
            HELD => ThreadState::Held,
            SLEEPING => ThreadState::Sleeping(self.number()?),
            AWAITS_INTERRUPT => ThreadState::AwaitsInterrupt(self.narrow()?),
            AWAITS_END => ThreadState::AwaitsEnd(self.maybe()?),
            tag => {
                let slot = tag.checked_sub(WAITS)?;
                ThreadState::Waits(slot.try_into().ok()?, self.maybe()?)
            }
        })
    }

    fn object(&mut self) -> Option<ObjectState> {
        Some(match self.number()? {
            GONE => ObjectState::Gone,
            FREE => ObjectState::Mutex(None, false),
            ABANDONED => ObjectState::Mutex(None, true),
            CONDITION => ObjectState::Condition,
            SEMAPHORE => ObjectState::Semaphore(self.narrow()?),
            MAILBOX => ObjectState::Mailbox(self.list(Self::message)?),
            OWNED_UNTOLD => ObjectState::Mutex(Some(self.index()?), true),
            tag => {
                let owner = tag.checked_sub(OWNED)?;
                ObjectState::Mutex(Some(owner.try_into().ok()?), false)
            }
        })
    }

    fn message(&mut self) -> Option<Message> {
        Some(Message {
            priority: self.narrow()?,
            length: self.narrow()?,
            content: self.number()?,
        })
    }

    fn process(&mut self) -> Option<ProcessState> {
        match self.number()? {
            0 => Some(ProcessState::Alive),
            1 => Some(ProcessState::Dead),
            2 => Some(ProcessState::Changing),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_state_comes_back() {
        let message = Message {
            priority: 31,
            length: 16,
            content: u64::MAX,
        };
        let state = State {
            threads: vec![
                ThreadState::Inactive,
                ThreadState::Ready,
                ThreadState::Held,
                ThreadState::Sleeping(70_000),
                ThreadState::AwaitsInterrupt(10),
                ThreadState::AwaitsEnd(None),
                ThreadState::AwaitsEnd(Some(0)),
                ThreadState::Waits(0, None),
                ThreadState::Waits(9, Some(5)),
            ],
            objects: vec![
                ObjectState::Gone,
                ObjectState::Mutex(None, false),
                ObjectState::Mutex(None, true),
                ObjectState::Mutex(Some(0), false),
                ObjectState::Mutex(Some(8), true),
                ObjectState::Semaphore(3),
                ObjectState::Condition,
                ObjectState::Mailbox(vec![message; 2]),
            ],
            processes: vec![
                ProcessState::Alive,
                ProcessState::Dead,
                ProcessState::Changing,
            ],
            ports: vec![0, u32::MAX],
        };
        let mut writer = Writer::default();
        writer.state(&state);
        let mut reader = Reader::new(&writer.bytes);
        assert_eq!(reader.state(), Some(state));
        assert!(reader.is_at_end());
    }
}
