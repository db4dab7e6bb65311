//! Mailboxes and messages.

use giornata_abi::message::INLINE;
use giornata_abi::system::{RIGHT_DIRECT, RIGHT_FULL, RIGHT_MANAGE, RIGHT_RECEIVE, RIGHT_USE};
use giornata_core::sched::ready::level;
use giornata_core::sched::thread::role;
use giornata_core::sync::object::kind;
use giornata_core::{Mail, Message, Object, Process, Thread};

use crate::arena::{Arena, At, Run};
use crate::build::Parts;
use crate::description::{self, Description, ObjectKind, Rights};
use crate::program::Wait;

/// The rights of a process as the kernel tells them.
pub(crate) fn bits(rights: Rights) -> u32 {
    let all = [
        (rights.used, RIGHT_USE),
        (rights.managed, RIGHT_MANAGE),
        (rights.received, RIGHT_RECEIVE),
        (rights.direct, RIGHT_DIRECT),
        (rights.full, RIGHT_FULL),
    ];
    let all = all.iter().filter(|(has, _)| *has);
    all.fold(0, |bits, (_, right)| bits | u32::from(*right))
}

/// The mark that a mailbox has when it is made, and what it needs for it.
pub(crate) fn lay_mailbox(
    arena: &mut Arena,
    parts: &Parts,
    description: &Description,
    index: usize,
) -> u32 {
    let object = &description.objects[index];
    let waits = description
        .programs
        .programs
        .iter()
        .flat_map(|program| &program.waits);
    let lists = description
        .programs
        .programs
        .iter()
        .filter_map(|program| program.change.as_ref());
    let is_heard = waits.clone().any(|wait| *wait == Wait::Message(index))
        || lists
            .clone()
            .any(|change| change.mailboxes.contains(&index));
    let heard = if is_heard { kind::HEARD } else { 0 };
    let is_routed = object.server.is_some() || object.rights.iter().any(|rights| rights.full);
    let can_be_created = !object.at_boot || object.rights.iter().any(|rights| rights.managed);
    if object.kind != ObjectKind::Mailbox || !(is_routed || can_be_created) {
        return heard;
    }
    let (record, mail) = (parts.objects.at(index, arena), arena.one::<Mail>());
    arena.set(record, "mail", mail);
    let server = object.server.map(|slot| parts.objects.at(slot, arena));
    arena.set(mail, "made", server);
    if object.at_boot {
        arena.set(mail, "server", server);
    }
    arena.set(mail, "hand.level", level::IDLE);
    let band = level::LOWEST - u32::from(description.band);
    arena.set(mail, "rank.level", band);
    arena.set(mail, "rank.unmarked", 1u32);
    heard | if is_routed { kind::ROUTED } else { 0 }
}

/// The messages of a process, all free.
pub(crate) fn lay_messages(
    arena: &mut Arena,
    record: At<Process>,
    process: &description::Process,
    idle: At<Thread>,
) {
    let (count, size) = process.messages;
    let (count, words) = (count as usize, (size as usize).max(INLINE).div_ceil(4));
    let rooms = match process.rooms {
        Some(address) => Run::elsewhere(address, count * words),
        None => arena.many::<u32>(count * words),
    };
    let messages = arena.many::<Message>(count);
    arena.set(record, "messages", messages);
    arena.set(record, "message_size", size);
    let mut next = None;
    for number in (0..count).rev() {
        let message = messages.at(number, arena);
        arena.set(message, "next", message);
        arena.set(message, "prev", message);
        arena.set(message, "below", next);
        arena.set(message, "length", INLINE as u32);
        arena.set(message, "pool", record);
        arena.set(message, "sender", idle);
        arena.set(message, "number", number as u32);
        let room = rooms.at(number * words, arena).0;
        arena.set(message, "room", room);
        next = Some(message);
    }
    arena.set(record, "free", next);
}

/// The one message of the idle process: what is handed over from registers to registers
/// lies in it for a moment, where that is seldom.
pub(crate) fn lay_spare(arena: &mut Arena, (idle, thread): (At<Process>, At<Thread>)) {
    let message = arena.one::<Message>();
    for link in ["next", "prev"] {
        arena.set(message, link, message);
    }
    arena.set(message, "length", INLINE as u32);
    arena.set(message, "pool", idle);
    arena.set(message, "sender", thread);
    arena.set(idle, "free", message);
}

/// What clients want whose requests a thread has: its own, if it can receive.
pub(crate) fn lay_hand(
    arena: &mut Arena,
    parts: &Parts,
    description: &Description,
    number: usize,
) -> At<Object> {
    let Some(thread) = description.threads.get(number) else {
        return parts.no_list;
    };
    let receives = |object: &description::Object| {
        let rights = object.rights.get(thread.process);
        rights.is_some_and(|rights| rights.received || rights.full)
    };
    if thread.role & (role::TASK | role::UPCALL) != 0 || !description.objects.iter().any(receives) {
        return parts.no_list;
    }
    let hand = arena.one::<Object>();
    arena.set(hand, "kind", kind::HAND);
    let owner = parts.threads.at(number, arena);
    arena.set(hand, "owner", owner);
    hand
}
