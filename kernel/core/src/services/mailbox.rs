//! Mailboxes (EMERALDS, section 6.1): messages in order of priority, servers in
//! between, and the urgency that servers inherit from them.
//!
//! ```text
//!  send(m)                      m is attached to s          a server's thread
//!  ---------> m: [9][5][5]      ------------------> s: [7][2] ---> hand, direct
//!             |                                      urgency: the most urgent
//!             v receive                              of those in s and in hand
//! ```

use crate::core_state::Core;
use crate::hardware::Hardware;
use crate::services::inheritance::more_urgent;
use crate::services::pool::Cover;
use giornata_abi::Id;
use giornata_abi::id::NONE;
use giornata_queue::Urgency;

impl<H: Hardware> Core<'_, H> {
    /// Puts a message behind those of its priority. O(messages
    /// that stand before it).
    pub(crate) fn queue_message(&mut self, message: u16, mailbox: u16) {
        let services = &mut self.services;
        let letter = &services.letters.at(message).letter;
        let (priority, urgency) = (letter.priority, letter.cover.urgency);
        let object = services.objects.at_mut(mailbox);
        object.lends = more_urgent(object.lends, Some(urgency));
        let (mut before, mut at) = (NONE, object.letter);
        while let Some(other) = services.letters.get(at) {
            if other.letter.priority < priority {
                break;
            }
            (before, at) = (at, other.next);
        }
        services.letters.at_mut(message).next = at;
        match before {
            NONE => object.letter = message,
            before => services.letters.at_mut(before).next = message,
        }
    }

    /// Takes the first message out of a mailbox. O(messages) if it was the most
    /// urgent, else O(1).
    pub(crate) fn unqueue_message(&mut self, mailbox: u16) {
        let services = &mut self.services;
        let object = services.objects.at_mut(mailbox);
        let first = services.letters.at(object.letter);
        object.letter = first.next;
        if object.letter == NONE {
            object.lends = None;
        } else if object.lends == Some(first.letter.cover.urgency) {
            self.survey_letters(mailbox);
        }
    }

    /// Finds the most urgent message of a mailbox. O(messages).
    fn survey_letters(&mut self, mailbox: u16) {
        let services = &mut self.services;
        let object = services.objects.at_mut(mailbox);
        let mut most = None;
        let mut at = object.letter;
        while let Some(other) = services.letters.get(at) {
            most = more_urgent(most, Some(other.letter.cover.urgency));
            at = other.next;
        }
        object.lends = most;
    }

    /// The first message of a mailbox is nobody's any more; answers whether there
    /// was one.
    pub(crate) fn discard_letter(&mut self, mailbox: u16) -> bool {
        let first = self.services.objects.at(mailbox).letter;
        if first == NONE {
            return false;
        }
        self.unqueue_message(mailbox);
        self.free_message(first);
        true
    }

    /// A thread has begun to wait for a message: what it asked and what is on its
    /// way to it is as urgent as it is. O(messages of two mailboxes).
    pub(crate) fn lend_to_servers(&mut self, thread: u16) {
        let tie = self.services.ties.at(thread);
        let asks = tie.asked != NONE && !tie.wish.is_full();
        if !asks && self.services.objects.at(tie.waits_for).server == NONE {
            return;
        }
        if let Some(urgency) = self.services.waits.urgency_of(thread) {
            self.lend(thread, urgency);
        }
    }

    /// A thread that waits for a message is as urgent as `urgency` now: so are
    /// those that it waits for, what it asked and what is on its way to it.
    /// Answers the servers that have them. O(messages of two mailboxes).
    pub(crate) fn hasten_letters(&mut self, thread: u16, urgency: Urgency) -> [u16; 2] {
        let services = &self.services;
        let tie = services.ties.at(thread);
        let waits_for = tie.waits_for;
        let server = services.objects.at(waits_for).server;
        [tie.asked, server].map(|mailbox| match mailbox {
            NONE => NONE,
            mailbox => self.hasten_in(mailbox, thread, waits_for, urgency),
        })
    }

    /// The same in one mailbox; answers its server, if that has such a message.
    fn hasten_in(&mut self, mailbox: u16, thread: u16, waits_for: u16, urgency: Urgency) -> u16 {
        let sender = self.id_of(thread).0;
        let services = &mut self.services;
        let own = services.objects.at(waits_for);
        let destination = Id::new(waits_for, own.generation).0;
        // a server that asks for the next message waits for no answer
        let is_done = services.ties.at(thread).wish.is_full();
        let concerns = |cover: &Cover| match cover.incoming {
            true => cover.destination == destination,
            false => cover.sender == sender && !is_done,
        };
        // what comes in is for the first of those that wait
        let first = services.waits.urgency_of(own.waiter).unwrap_or(urgency);
        let urgency_of = |cover: &Cover| if cover.incoming { first } else { urgency };
        let object = *services.objects.at(mailbox);
        let mut has_any = false;
        let mut at = object.letter;
        while services.letters.get(at).is_some() {
            let message = services.letters.at_mut(at);
            if concerns(&message.letter.cover) {
                message.letter.cover.urgency = urgency_of(&message.letter.cover);
                has_any = true;
            }
            at = message.next;
        }
        if has_any {
            self.survey_letters(mailbox);
        }
        if object.owner == NONE {
            return NONE;
        }
        let tie = self.services.ties.at_mut(object.owner);
        let is_of_it = tie.taken_from == mailbox;
        let hand = tie.in_hand.as_mut().filter(|_| is_of_it);
        if let Some(cover) = hand.filter(|cover| concerns(cover)) {
            cover.urgency = urgency_of(cover);
            has_any = true;
        }
        if has_any { object.owner } else { NONE }
    }

    pub(crate) fn id_of(&self, thread: u16) -> Id {
        Id::new(thread, self.threads.at(thread).generation)
    }
}
