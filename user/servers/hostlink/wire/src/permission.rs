//! The bytes that are signed, for machines that require signatures.
//!
//! ```text
//! "giornata-hostlink deed 1"  24 bytes
//! nonce                       16 bytes    which boot of which machine
//! session, number             u32 each    which request
//! ticket                      u32         which upload; 0 = none
//! deed, detail                u8 each     what
//! length of the name          u8          which program
//! name
//! module file                             the remaining bytes
//! ```
//! All numbers are little-endian. Session numbers do not repeat while the server runs,
//! nor do request numbers within a session, so a signature is valid for one request. The
//! nonce distinguishes boots as far as the clock at the server's start and the seed do.

use serde::{Deserialize, Serialize};

/// The beginning of every signed text.
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
    /// The signature with these 64 bytes.
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

/// A kind of request that changes the machine.
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

/// The permission for one request: the contents of the signed text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Permission<'a> {
    /// The nonce of the [`Greeting`](crate::Greeting).
    pub nonce: [u8; 16],
    /// The session of the request.
    pub session: u32,
    /// The number of the request.
    pub number: u32,
    /// The ticket of the upload; 0 = none.
    pub ticket: u32,
    /// The kind of request.
    pub deed: Deed,
    /// A detail that depends on the kind; otherwise 0.
    pub detail: u8,
    /// The program; empty = none.
    pub program: &'a str,
    /// The module file; empty = none.
    pub module: &'a [u8],
}

impl Permission<'_> {
    /// Passes the signed text to `sink`, piece by piece. O(bytes).
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
