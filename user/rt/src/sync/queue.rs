//! Queues of one process: messages of 16 bytes, which its threads put and take without
//! entering the kernel as long as nobody has to wait.

use giornata_abi::{Error, Instant};

use super::PrivateSemaphore;
use crate::restartable::Messages;

/// A queue of up to `N` messages of 16 bytes between threads of one process: the oldest
/// comes first, without a priority or a sender. A message to another process, or one that
/// does not fit, is for a [`Mailbox`](crate::mailbox::Mailbox).
///
/// A `static` of it, over two semaphores of the system file that are `private` there: of
/// the free places and of the messages, with `most = N` both, and for nothing else.
/// Who waits is in the kernel's queue of the semaphore: the most urgent goes on first.
///
/// ```
/// # extern crate giornata_rt;
/// use giornata_rt::Error;
/// use giornata_rt::sync::PrivateQueue;
///
/// // [semaphore.free] and [semaphore.filled]
/// static SAMPLES: PrivateQueue<8> = PrivateQueue::new(0, 1);
///
/// fn measure(sample: u32) -> Result<(), Error> {
///     SAMPLES.send([sample, 0, 0, 0])
/// }
///
/// fn control() -> Result<u32, Error> {
///     SAMPLES.receive().map(|[sample, ..]| sample)
/// }
/// ```
#[repr(C)]
pub struct PrivateQueue<const N: usize> {
    places: PrivateSemaphore,
    filled: PrivateSemaphore,
    messages: Messages<N>,
}

impl<const N: usize> PrivateQueue<N> {
    /// The queue over the semaphores of these numbers in the system file: of its free
    /// places, and of its messages.
    ///
    /// # Panics
    /// When compiled with no place, or with more than 32,767.
    pub const fn new(places: u16, filled: u16) -> PrivateQueue<N> {
        assert!(N > 0, "a place for a message");
        PrivateQueue {
            places: PrivateSemaphore::new(places, N as u32),
            filled: PrivateSemaphore::new(filled, 0),
            messages: Messages::new(),
        }
    }

    /// Puts a message; blocks while the queue is full. Without a call, in about forty
    /// instructions, if it has a place and nobody waits for a message. Errors as of
    /// [`Semaphore`](super::Semaphore).
    #[inline]
    pub fn send(&self, words: [u32; 4]) -> Result<(), Error> {
        self.send_until(Instant::NEVER, words)
    }

    /// Puts a message if there is a place, else `EBUSY`; does not block.
    #[inline]
    pub fn try_send(&self, words: [u32; 4]) -> Result<(), Error> {
        self.send_until(Instant::START, words)
    }

    /// Puts a message; blocks until `instant` at most.
    #[inline]
    pub fn send_until(&self, instant: Instant, words: [u32; 4]) -> Result<(), Error> {
        self.places.acquire_until(instant)?;
        self.messages.put(words);
        self.filled.release()
    }

    /// Takes the oldest message; blocks while there is none. Cost and errors as of
    /// [`send`](Self::send).
    #[inline]
    pub fn receive(&self) -> Result<[u32; 4], Error> {
        self.receive_until(Instant::NEVER)
    }

    /// Takes the oldest message if there is any, else `EBUSY`; does not block.
    #[inline]
    pub fn try_receive(&self) -> Result<[u32; 4], Error> {
        self.receive_until(Instant::START)
    }

    /// Takes the oldest message; blocks until `instant` at most.
    #[inline]
    pub fn receive_until(&self, instant: Instant) -> Result<[u32; 4], Error> {
        self.filled.acquire_until(instant)?;
        let words = self.messages.take();
        self.places.release()?;
        Ok(words)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::script::expect;
    use giornata_abi::call::Call;
    use giornata_abi::word::LIMIT;

    #[test]
    fn messages_come_in_the_order_of_their_sending() {
        static QUEUE: PrivateQueue<3> = PrivateQueue::new(4, 5);
        QUEUE.places.set_word_for_test(3 | 3 << LIMIT);
        QUEUE.filled.set_word_for_test(3 << LIMIT);
        for round in 0..5 {
            for n in 0..=round % 3 {
                assert_eq!(QUEUE.send([round, n, 7, 8]), Ok(()));
            }
            for n in 0..=round % 3 {
                assert_eq!(QUEUE.receive(), Ok([round, n, 7, 8]));
            }
        }
    }

    #[test]
    fn an_empty_queue_and_a_full_one_are_the_kernels_to_wait_for() {
        static QUEUE: PrivateQueue<1> = PrivateQueue::new(4, 5);
        let [places, filled] = [&QUEUE.places, &QUEUE.filled].map(PrivateSemaphore::address);
        let script = expect([
            (Call::Lock, &[5, 0, 0, filled], Some(Error::EBUSY)),
            (Call::Unlock, &[5, filled], None),
            (Call::Lock, &[4, 0, 0, places], Some(Error::EBUSY)),
        ]);
        assert_eq!(QUEUE.try_receive(), Err(Error::EBUSY));
        assert_eq!(QUEUE.try_send([1, 2, 3, 4]), Ok(()));
        assert_eq!(QUEUE.try_send([5, 6, 7, 8]), Err(Error::EBUSY));
        script.finish();
    }
}
