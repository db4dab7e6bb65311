//! Interrupts that the system file grants to the process: a thread waits for one
//! after the other, or a function is called for each (EMERALDS, section 7.3).

use giornata_abi::Error;

use crate::handler::{Handling, Seat, owner};

/// Blocks until interrupt `number` comes; one that came before the call
/// counts. The line stays masked from the interrupt to the next call, so a
/// handler thread is a loop of `wait` and work.
///
/// `EPERM`: the process is not granted it. `EBUSY`: another thread waits.
pub fn wait(number: u16) -> Result<(), Error> {
    crate::call::await_interrupt(number as usize)
}

/// The interrupts of a line, for each of which a handler is called, with what it
/// keeps between its calls: the device, say.
///
/// A `static` of it. See [`crate::handler`] for what a handler is. The line is
/// masked while the handler runs, which makes the device take the line down.
///
/// ```
/// # extern crate giornata_rt;
/// use giornata_rt::device::{Device, Register, Registers};
/// use giornata_rt::interrupt::Interrupts;
/// use giornata_rt::Error;
///
/// # const DEVICE_PANEL_KEYS: Device = Device::new(0x4000_0000);
/// const PRESSED: Register<u32, 8> = Register::at(0);
/// const CLEAR: Register<u32, 8> = Register::at(4);
///
/// struct Keys {
///     registers: Registers<8>,
///     last: u32,
/// }
///
/// static KEYS: Interrupts<Keys> = Interrupts::new(17, press);
///
/// fn press(keys: &mut Keys) {
///     keys.last = keys.registers.read(PRESSED);
///     keys.registers.write(CLEAR, 1);
/// }
///
/// fn begin() -> Result<(), Error> {
///     let registers = DEVICE_PANEL_KEYS.registers()?;
///     KEYS.start(80, Keys { registers, last: 0 })?; // at priority 80
///     Ok(())
/// }
/// ```
pub struct Interrupts<S: 'static = ()> {
    number: u16,
    handler: fn(&mut S),
    seat: Seat<S>,
}

impl<S: Send> Interrupts<S> {
    /// The interrupts of line `number`, for this handler.
    pub const fn new(number: u16, handler: fn(&mut S)) -> Interrupts<S> {
        Interrupts {
            number,
            handler,
            seat: Seat::new(),
        }
    }

    /// Creates the thread that calls the handler, at this priority. O(1); does not
    /// block. The thread ends if the process may not wait for the line (`EPERM`), or
    /// another of its threads does (`EBUSY`).
    ///
    /// `EAGAIN`: the process has no place left for a thread. `EPERM`: the priority
    /// is above what the process is granted. `EEXIST`: it has been started.
    pub fn start(&'static self, priority: u8, state: S) -> Result<Handling, Error> {
        self.seat.start(self, Interrupts::<S>::run, priority, state)
    }

    extern "C" fn run(argument: usize) -> usize {
        // SAFETY: `start` created this thread.
        unsafe { owner::<Interrupts<S>>(argument) }.serve() as usize
    }

    /// What its thread does; returns why it ends.
    fn serve(&'static self) -> Error {
        // SAFETY: `start` created the calling thread, which asks once.
        let state = unsafe { self.seat.state() };
        loop {
            match wait(self.number) {
                Ok(()) => (self.handler)(state),
                Err(error) => return error,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::script::expect;
    use giornata_abi::call::Call;

    #[test]
    fn each_interrupt_is_one_call_of_the_handler() {
        static LINE: Interrupts<u32> = Interrupts::new(11, |count| *count += 1);
        let script = expect([
            (Call::CreateThread, &[], None),
            (Call::AwaitInterrupt, &[11], None),
            (Call::AwaitInterrupt, &[11], None),
            (Call::AwaitInterrupt, &[11], Some(Error::EBUSY)),
        ]);
        assert!(LINE.start(80, 5).is_ok());
        assert_eq!(LINE.serve(), Error::EBUSY);
        // SAFETY: the thread has ended.
        assert_eq!(*unsafe { LINE.seat.state() }, 7);
        script.finish();
    }
}
