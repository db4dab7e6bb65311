//! Messages (EMERALDS 6.1).
//!
//! Addresses go to the kernel as they are, which checks them: nothing here makes a
//! slice of what C says.

use core::ffi::{c_int, c_void};

use giornata_rt::abi::message::{Envelope, receive, send};
use giornata_rt::call::Number;
use giornata_rt::mailbox::Mailbox;
use giornata_rt::{Error, Id, Instant, call};

use crate::answer::{code, index, tell};
use crate::system::delete;

/// `GIO_NO_SERVER`.
const NO_SERVER: Number = u32::MAX as Number;

/// `struct gio_message`.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Message {
    length: usize,
    priority: u32,
    sender: Number,
    mailbox: Number,
    node: u16,
    incoming: u16,
}

/// See `giornata.h`.
///
/// # Safety
/// `mailbox` is null or may be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mbox_create(slot: Number, server: Number, mailbox: *mut Number) -> c_int {
    let made = index(slot).map(Mailbox::new).and_then(|slot| match server {
        NO_SERVER => slot.create(),
        server => slot.create_attached(Mailbox::from_id(Id(server))),
    });
    // SAFETY: by contract.
    unsafe { tell(made.map(|made| made.id().0), mailbox) }
}

/// See `giornata.h`.
#[unsafe(no_mangle)]
pub extern "C" fn mbox_delete(mailbox: Number) -> c_int {
    delete(mailbox)
}

/// See `giornata.h`.
#[unsafe(no_mangle)]
pub extern "C" fn msg_send(
    mailbox: Number,
    priority: u32,
    bytes: *const c_void,
    length: usize,
) -> c_int {
    send_bytes(mailbox, priority, bytes, length, 0, 0)
}

/// See `giornata.h`.
#[unsafe(no_mangle)]
pub extern "C" fn msg_send_words(mailbox: Number, priority: u32, words: &[u32; 4]) -> c_int {
    code(Mailbox::from_id(Id(mailbox)).send(priority, *words))
}

/// See `giornata.h`.
#[unsafe(no_mangle)]
pub extern "C" fn msg_send_via(
    server: Number,
    node: u16,
    mailbox: Number,
    priority: u32,
    bytes: *const c_void,
    length: usize,
) -> c_int {
    let via = u32::from(node) << 16 | u32::from(Id(server).index());
    send_bytes(mailbox, priority, bytes, length, send::VIA, via)
}

/// See `giornata.h`.
#[unsafe(no_mangle)]
pub extern "C" fn msg_send_direct(
    mailbox: Number,
    priority: u32,
    bytes: *const c_void,
    length: usize,
) -> c_int {
    send_bytes(mailbox, priority, bytes, length, send::DIRECT, 0)
}

fn send_bytes(
    mailbox: Number,
    priority: u32,
    bytes: *const c_void,
    length: usize,
    how: usize,
    via: u32,
) -> c_int {
    let address = bytes.expose_provenance();
    code(call::send_from(
        mailbox, priority, address, length, how, via,
    ))
}

/// See `giornata.h`.
///
/// # Safety
/// As [`msg_receive_until`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn msg_receive(
    mailbox: Number,
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
    mailbox: Number,
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
    mailbox: Number,
    until: Instant,
    bytes: *mut c_void,
    room: usize,
    message: *mut Message,
) -> c_int {
    // SAFETY: by contract.
    let received = unsafe { receive_bytes(mailbox, until, bytes, room, 0) };
    // only a server learns where a message was to go
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
    mailbox: Number,
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
    mailbox: Number,
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
    mailbox: Number,
    until: Instant,
    bytes: *mut c_void,
    room: usize,
    how: usize,
) -> Result<Message, Error> {
    let address = bytes.expose_provenance();
    // SAFETY: by contract.
    let delivery = unsafe { call::receive_at(mailbox, until, address, room, how) }?;
    let Envelope { node, incoming } = Envelope::from_word(delivery.from);
    Ok(Message {
        length: delivery.length,
        priority: delivery.priority,
        sender: delivery.sender,
        mailbox: delivery.destination,
        node,
        incoming: incoming.into(),
    })
}
