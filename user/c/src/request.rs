//! Requests that wait for their reply.

use core::ffi::c_int;

use giornata_rt::call::{self, Number, Requested};
use giornata_rt::{Error, Instant};

use crate::answer::{code, tell};

/// `struct gio_request`.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Request {
    words: [u32; 4],
    priority: u32,
    client: u32,
    token: u32,
}

impl From<Requested> for Request {
    fn from(requested: Requested) -> Request {
        Request {
            words: requested.words,
            priority: requested.priority,
            client: requested.client.into(),
            token: requested.token,
        }
    }
}

/// See `giornata.h`.
///
/// # Safety
/// `reply` is null or may be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gio_call(
    mailbox: Number,
    priority: u32,
    words: &[u32; 4],
    reply: *mut [u32; 4],
) -> c_int {
    // SAFETY: by contract.
    unsafe { tell(call::call(mailbox, priority, *words), reply) }
}

/// See `giornata.h`.
///
/// # Safety
/// `request` is null or may be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gio_receive_request(
    mailbox: Number,
    until: Instant,
    request: *mut Request,
) -> c_int {
    let received = call::receive_request(mailbox, until).map(Request::from);
    // SAFETY: by contract.
    unsafe { tell(received, request) }
}

/// See `giornata.h`.
#[unsafe(no_mangle)]
pub extern "C" fn gio_reply_receive(words: &[u32; 4], request: &mut Request) -> c_int {
    let client = u16::try_from(request.client).map_err(|_| Error::EINVAL);
    let next = client.and_then(|client| call::reply_receive(client, request.token, *words));
    code(next.map(|results| *request = Request::from(results)))
}

/// See `giornata.h`.
#[unsafe(no_mangle)]
pub extern "C" fn gio_forward(mailbox: Number, request: &Request) -> c_int {
    let client = u16::try_from(request.client).map_err(|_| Error::EINVAL);
    code(client.and_then(|client| call::forward(mailbox, client, request.token)))
}
