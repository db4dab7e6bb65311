//! What lies at an address.

use crate::Parameters;
use crate::register;

/// What a request is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// Status, priority and event of a record.
    Word(usize),
    Delay(usize),
    Key(usize),
    Question(Question),
    Advance,
    Cause,
    Enable,
    Tick,
    Config,
    Nothing,
}

/// Which of the records that are meant is the first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Question {
    Top,
    Expired,
    Next,
    Waiter(u8),
    Release(u8),
}

impl Place {
    /// What lies there, if it is the address of a word, of a task manager with these parameters.
    pub(crate) fn at(parameters: &Parameters, address: u16) -> Place {
        let count = parameters.records;
        let extension = |is_here: bool, place: Place| if is_here { place } else { Place::Nothing };
        let event = |base: u16| ((address - base) / register::WAITER_STRIDE) as u8;
        let index = |base: u16, stride: u16| usize::from((address - base) / stride);
        let delays = register::DELAYS - register::RECORDS;
        match address {
            at if at < count * register::RECORDS_STRIDE => {
                let record = index(register::RECORDS, register::RECORDS_STRIDE);
                match at % register::RECORDS_STRIDE == delays {
                    true => Place::Delay(record),
                    false => Place::Word(record),
                }
            }
            register::TOP => Place::Question(Question::Top),
            register::ADVANCE => Place::Advance,
            register::EXPIRED => {
                extension(parameters.interrupts, Place::Question(Question::Expired))
            }
            register::NEXT => extension(parameters.tells_many, Place::Question(Question::Next)),
            register::CAUSE => extension(parameters.interrupts, Place::Cause),
            register::ENABLE => extension(parameters.interrupts, Place::Enable),
            register::TICK => extension(parameters.interrupts, Place::Tick),
            register::CONFIG => Place::Config,
            register::WAITER..register::RELEASE => {
                Place::Question(Question::Waiter(event(register::WAITER)))
            }
            register::RELEASE..register::KEYS => {
                let question = Question::Release(event(register::RELEASE));
                extension(parameters.releases, Place::Question(question))
            }
            at if at >= register::KEYS && at < register::KEYS + count * register::KEYS_STRIDE => {
                let record = index(register::KEYS, register::KEYS_STRIDE);
                extension(parameters.key_bits != 0, Place::Key(record))
            }
            _ => Place::Nothing,
        }
    }
}
