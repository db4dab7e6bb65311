//! Requests in the registers of their calls.

use super::*;
use crate::Id;
use crate::host::{Reply, clear_hook, set_hook};
use giornata_abi::call::Call;

/// Answers the one call that is expected.
fn answer(call: Call, arguments: [usize; 6], reply: [usize; 7]) {
    set_hook(move |request| {
        assert_eq!(
            (request.number, request.arguments),
            (call as usize, arguments)
        );
        Reply(reply)
    });
}

const PUMP: Mailbox = Mailbox::from_id(Id::new(6, 1));

#[test]
fn a_call_carries_four_words_there_and_back() {
    answer(
        Call::Call,
        [9 << 16 | 6, 2, 1, 2, 3, 4],
        [0, 5, 6, 7, 8, 0, 0],
    );
    assert_eq!(PUMP.call(9, [1, 2, 3, 4]), Ok([5, 6, 7, 8]));
    clear_hook();
}

#[test]
fn a_client_is_replied_to_by_its_slot_and_token() {
    let request = [0, 1, 2, 3, 4, 7 << 16 | 200, 0x8000_0001];
    let ever = u32::MAX as usize;
    answer(Call::Receive, [6, 2, ever, ever, 0, 0], request);
    let Request {
        words,
        priority,
        client,
    } = PUMP.receive_request().unwrap();
    assert_eq!((words, priority), ([1, 2, 3, 4], 200));
    let next = [0, 1, 0, 0, 0, NOBODY << 16 | 3, 0];
    answer(Call::ReplyReceive, [7, 0x8000_0001, 4, 3, 2, 1], next);
    let next = reply_receive(client, [4, 3, 2, 1]).unwrap();
    assert_eq!((next.priority, next.client), (3, None));
    answer(
        Call::ReplyReceive,
        [NOBODY, 0, 0, 0, 0, 0],
        [11, 0, 0, 0, 0, 0, 0],
    );
    assert_eq!(reply_receive(None, [0; 4]), Err(Error::EIDRM));
    clear_hook();
}

#[test]
fn a_request_that_is_not_handed_on_stays_in_the_hand() {
    let client = || Client { slot: 7, token: 5 };
    answer(Call::Forward, [6, 2, 7, 5, 0, 0], [8, 0, 0, 0, 0, 0, 0]);
    assert_eq!(client().forward(PUMP), Err((Error::EDEADLK, client())));
    answer(Call::Forward, [6, 2, 7, 5, 0, 0], [0; 7]);
    assert_eq!(client().forward(PUMP), Ok(()));
    clear_hook();
}

#[test]
fn a_priority_that_its_register_has_no_room_for_is_refused_here() {
    clear_hook();
    assert_eq!(PUMP.call(0x1_0000, [0; 4]), Err(Error::EINVAL));
}
