//! What is signed where a machine asks for signatures.
//!
//! ```text
//! "giornata-hostlink deed 1"  24 bytes
//! nonce                       16 bytes    which boot of which machine
//! session, number             u32 each    which request
//! ticket                      u32         which upload; 0 = none
//! deed, detail                u8 each     what
//! length of the name          u8          which program
//! name
//! module file                             all the rest
//! ```
//! All little-endian. As sessions, numbers and tickets never come again in one
//! boot, a signature is good for one request. The nonce differs from boot to
//! boot as far as the machine has something to make it of: a clock and a seed.

use serde::{Deserialize, Serialize};

/// What every signed text begins with.
const DOMAIN: &[u8; 24] = b"giornata-hostlink deed 1";

/// An Ed25519 signature (RFC 8032): its two halves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Signature {
    /// The encoded point.
    pub point: [u8; 32],
    /// The encoded scalar.
    pub scalar: [u8; 32],
}

impl Signature {
    /// The signature of these 64 bytes.
    pub fn from_bytes(bytes: &[u8; 64]) -> Signature {
        let (point, scalar) = bytes.split_at(32);
        let half = |bytes: &[u8]| bytes.try_into().unwrap_or([0; 32]);
        Signature {
            point: half(point),
            scalar: half(scalar),
        }
    }

    /// Its 64 bytes.
    pub fn to_bytes(&self) -> [u8; 64] {
        let mut bytes = [0; 64];
        let both = self.point.iter().chain(&self.scalar);
        bytes
            .iter_mut()
            .zip(both)
            .for_each(|(to, from)| *to = *from);
        bytes
    }
}

/// What changes a machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Deed {
    /// [`Action::Commit`](crate::Action::Commit); detail: the change.
    Commit = 0,
    /// [`Action::Switch`](crate::Action::Switch); detail: the change.
    Switch = 1,
    /// [`Action::Unload`](crate::Action::Unload).
    Unload = 2,
    /// [`Action::Withdraw`](crate::Action::Withdraw).
    Withdraw = 3,
    /// [`Action::Shutdown`](crate::Action::Shutdown); detail: the status.
    Shutdown = 4,
}

/// Who may do what, once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Permission<'a> {
    /// As in the [`Greeting`](crate::Greeting).
    pub nonce: [u8; 16],
    /// The session of the request.
    pub session: u32,
    /// The number of the request.
    pub number: u32,
    /// The ticket of the upload; 0 = none.
    pub ticket: u32,
    /// What.
    pub deed: Deed,
    /// More of it, by the deed; else 0.
    pub detail: u8,
    /// The program; empty = none.
    pub program: &'a str,
    /// The module file; empty = none.
    pub module: &'a [u8],
}

impl Permission<'_> {
    /// Hands the text that is signed to `sink`, piece by piece. O(bytes).
    pub fn write(&self, sink: &mut dyn FnMut(&[u8])) {
        sink(DOMAIN);
        sink(&self.nonce);
        sink(&self.session.to_le_bytes());
        sink(&self.number.to_le_bytes());
        sink(&self.ticket.to_le_bytes());
        // Names are at most `NAME` bytes long, which a longer one is not.
        let length = u8::try_from(self.program.len()).unwrap_or(u8::MAX);
        sink(&[self.deed as u8, self.detail, length]);
        sink(self.program.as_bytes());
        sink(self.module);
    }
}
