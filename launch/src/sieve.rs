//! One line for two: the hostlink server and the kernel send over the same UART
//! where there is no second line. Frames of both end with a zero; what is whole
//! as a message of the hostlink, by its checksum, is for the tool at the other
//! end, and all else is the console's.

use giornata_hostlink_wire::Message;
use giornata_hostlink_wire::frame::{Collector, MAX};

/// Lets the console's bytes through.
#[derive(Debug, Default)]
pub(crate) struct Sieve {
    collector: Collector,
    /// Bytes since the last zero, and that.
    frame: Vec<u8>,
}

impl Sieve {
    /// What is the console's of the bytes so far, up to the last that is known.
    pub(crate) fn pass(&mut self, bytes: &[u8]) -> Vec<u8> {
        let mut passed = Vec::new();
        for &byte in bytes {
            self.frame.push(byte);
            let ended = self.collector.push(byte);
            let message = ended && self.collector.take::<Message<'_>>().is_ok();
            // No frame is longer: it is noise, whatever ends it.
            if !message && (byte == 0 || self.frame.len() > MAX) {
                passed.append(&mut self.frame);
            } else if message {
                self.frame.clear();
            }
        }
        passed
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use giornata_abi::ring::{Kind, head};
    use giornata_hostlink_wire::frame::encode;
    use giornata_hostlink_wire::{Code, Greeting, Reply};
    use giornata_trace::encode as encode_record;

    fn message(reply: Reply<'_>) -> Vec<u8> {
        let mut frame = [0; MAX];
        let answer = Message::Answer {
            session: 1,
            number: 7,
            reply,
        };
        let length = encode(&answer, &mut frame).unwrap();
        frame[..length].to_vec()
    }

    fn messages() -> [Vec<u8>; 2] {
        let greeting = Greeting {
            version: 1,
            session: 1,
            nonce: [9; 16],
            places: 2,
            signed: true,
            clock: 1 << 40,
        };
        let words = "no";
        let code = Code::Busy;
        [
            message(Reply::Greeting(greeting)),
            message(Reply::Refused { code, words }),
        ]
    }

    fn record(index: u64) -> Vec<u8> {
        let record = [index as u32, head(Kind::Release, 0, 3), 1, 0];
        let mut bytes = Vec::new();
        encode_record(index, &record, &mut bytes);
        bytes
    }

    #[test]
    fn messages_are_taken_out_and_records_stay() {
        let [greeting, refusal] = messages();
        let line = [&record(0)[..], &greeting, &record(1), &[0], &refusal].concat();
        for piece in 1..line.len() {
            let mut sieve = Sieve::default();
            let passed: Vec<u8> = line.chunks(piece).flat_map(|p| sieve.pass(p)).collect();
            assert_eq!(passed, [&record(0)[..], &record(1), &[0]].concat());
        }
    }

    #[test]
    fn a_message_that_is_broken_off_spoils_no_record() {
        let [greeting, _] = messages();
        let line = [&greeting[..9], &[0], &record(0)].concat();
        assert_eq!(Sieve::default().pass(&line), line);
    }

    #[test]
    fn noise_is_not_kept() {
        let mut sieve = Sieve::default();
        let noise = vec![7; 10_000];
        assert!(sieve.pass(&noise).len() >= noise.len() - MAX);
        assert_eq!(sieve.pass(&[0]).last(), Some(&0));
        let [greeting, _] = messages();
        assert!(sieve.pass(&greeting).is_empty());
    }
}
