//! Messages (EMERALDS 6.1).
//!
//! Addresses go to the kernel as they are, which checks them: nothing here makes a
//! slice of what C says.

use core::ffi::{c_int, c_void};

use giornata_rt::abi::call::Call;
use giornata_rt::abi::message::{Envelope, receive, send};
use giornata_rt::mailbox::Mailbox;
use giornata_rt::{Error, Id, Instant, call};

use crate::answer::{code, index, tell};
use crate::system::delete;

/// `GIO_NO_SERVER`.
const NO_SERVER: u32 = u32::MAX;

/// `struct gio_message`.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Message {
    length: usize,
    priority: u32,
    sender: u32,
    mailbox: u32,
    node: u16,
    incoming: u16,
}

/// See `giornata.h`.
///
/// # Safety
/// `mailbox` is null or may be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mbox_create(slot: u32, server: u32, mailbox: *mut u32) -> c_int {
    let made = index(slot).map(Mailbox::new).and_then(|slot| match server {
        NO_SERVER => slot.create(),
        server => slot.create_attached(Mailbox::from_id(Id(server))),
    });
    // SAFETY: by contract.
    unsafe { tell(made.map(|made| made.id().0), mailbox) }
}

/// See `giornata.h`.
#[unsafe(no_mangle)]
pub extern "C" fn mbox_delete(mailbox: u32) -> c_int {
    delete(mailbox)
}

/// See `giornata.h`.
#[unsafe(no_mangle)]
pub extern "C" fn msg_send(
    mailbox: u32,
    priority: u32,
    bytes: *const c_void,
    length: usize,
) -> c_int {
    send_bytes(mailbox, priority, bytes, length, 0, 0)
}

/// See `giornata.h`.
#[unsafe(no_mangle)]
pub extern "C" fn msg_send_words(mailbox: u32, priority: u32, words: &[u32; 4]) -> c_int {
    code(Mailbox::from_id(Id(mailbox)).send(priority, *words))
}

/// See `giornata.h`.
#[unsafe(no_mangle)]
pub extern "C" fn msg_send_via(
    server: u32,
    node: u16,
    mailbox: u32,
    priority: u32,
    bytes: *const c_void,
    length: usize,
) -> c_int {
    let via = usize::from(node) << 16 | usize::from(Id(server).index());
    send_bytes(mailbox, priority, bytes, length, send::VIA, via)
}

/// See `giornata.h`.
#[unsafe(no_mangle)]
pub extern "C" fn msg_send_direct(
    mailbox: u32,
    priority: u32,
    bytes: *const c_void,
    length: usize,
) -> c_int {
    send_bytes(mailbox, priority, bytes, length, send::DIRECT, 0)
}

fn send_bytes(
    mailbox: u32,
    priority: u32,
    bytes: *const c_void,
    length: usize,
    how: usize,
    via: usize,
) -> c_int {
    let address = bytes.expose_provenance();
    let arguments = [
        mailbox as usize,
        priority as usize,
        address,
        length,
        how,
        via,
    ];
    // SAFETY: the kernel reads the bytes only.
    let [answer, ..] = unsafe { call::raw(Call::SendBytes as usize, arguments) };
    answer as c_int
}

/// See `giornata.h`.
///
/// # Safety
/// As [`msg_receive_until`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn msg_receive(
    mailbox: u32,
    bytes: *mut c_void,
    room: usize,
    message: *mut Message,
) -> c_int {
    // SAFETY: by contract.
    unsafe { msg_receive_until(mailbox, Instant::NEVER, bytes, room, message) }
}

/// See `giornata.h`.
///
/// # Safety
/// As [`msg_receive_until`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn try_msg_receive(
    mailbox: u32,
    bytes: *mut c_void,
    room: usize,
    message: *mut Message,
) -> c_int {
    // SAFETY: by contract.
    unsafe { msg_receive_until(mailbox, Instant::START, bytes, room, message) }
}

/// See `giornata.h`.
///
/// # Safety
/// What lies in `room` bytes at `bytes` is the caller's; `message` is null or may be
/// written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn msg_receive_until(
    mailbox: u32,
    until: Instant,
    bytes: *mut c_void,
    room: usize,
    message: *mut Message,
) -> c_int {
    // SAFETY: by contract.
    let received = unsafe { receive_bytes(mailbox, until, bytes, room, 0) };
    // only a server is told where a message was to go
    let received = received.map(|message| Message {
        mailbox: 0,
        node: 0,
        incoming: 0,
        ..message
    });
    // SAFETY: by contract.
    unsafe { tell(received, message) }
}

/// See `giornata.h`.
///
/// # Safety
/// `words` and `priority` are null or may be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn msg_receive_words(
    mailbox: u32,
    until: Instant,
    words: *mut [u32; 4],
    priority: *mut u32,
) -> c_int {
    let received = Mailbox::from_id(Id(mailbox)).receive_until(until);
    // SAFETY: by contract.
    match unsafe { tell(received.map(|message| message.words), words) } {
        // SAFETY: by contract.
        0 => unsafe { tell(received.map(|message| message.priority), priority) },
        refused => refused,
    }
}

/// See `giornata.h`.
///
/// # Safety
/// As [`msg_receive_until`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn msg_receive_full(
    mailbox: u32,
    bytes: *mut c_void,
    room: usize,
    message: *mut Message,
) -> c_int {
    // SAFETY: by contract.
    let received = unsafe { receive_bytes(mailbox, Instant::NEVER, bytes, room, receive::FULL) };
    // SAFETY: by contract.
    unsafe { tell(received, message) }
}

/// # Safety
/// As [`msg_receive_until`].
unsafe fn receive_bytes(
    mailbox: u32,
    until: Instant,
    bytes: *mut c_void,
    room: usize,
    how: usize,
) -> Result<Message, Error> {
    let (low, high) = (until.0 as u32 as usize, (until.0 >> 32) as usize);
    let address = bytes.expose_provenance();
    let arguments = [mailbox as usize, low, high, address, room, how];
    // SAFETY: the kernel writes into the room only, which is the caller's by contract.
    let answer = unsafe { call::raw(Call::ReceiveBytes as usize, arguments) };
    let [code, length, priority, mailbox, from, sender] = answer;
    if code != 0 {
        return Err(Error::from_code(code).unwrap_or(Error::EINVAL));
    }
    let Envelope { node, incoming } = Envelope::from_word(from);
    Ok(Message {
        length,
        priority: priority as u32,
        sender: sender as u32,
        mailbox: mailbox as u32,
        node,
        incoming: incoming.into(),
    })
}
