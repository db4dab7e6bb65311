//! Data that the server sends without a request for each message: the trace and
//! statistics.

use giornata_abi::{Duration, Instant};
use giornata_hostlink_wire::{Event, Message, RECORD, RECORDS, Statistics};
use giornata_rt::ring::{self, BYTES, Reader, Record};

use crate::line::Outbox;

const _: () = assert!(BYTES == RECORD);

/// Time between two messages with statistics.
const PERIOD: Duration = Duration(1_000_000_000);

/// The streams that the host has subscribed to.
pub(crate) struct Stream {
    trace: bool,
    statistics: bool,
    /// When the next statistics are due.
    due: Instant,
    /// A record that was read, but does not continue the numbers of the last frame.
    kept: Option<(u64, Record)>,
}

impl Stream {
    pub(crate) const fn new() -> Stream {
        Stream {
            trace: false,
            statistics: false,
            due: Instant(0),
            kept: None,
        }
    }

    /// Starts and stops the streams. A trace that starts here begins with the records
    /// written from now on.
    pub(crate) fn ask(
        &mut self,
        trace: bool,
        statistics: bool,
        reader: Option<&mut Reader>,
        now: Instant,
    ) {
        if let Some(reader) = reader.filter(|_| trace && !self.trace) {
            reader.skip();
            self.kept = None;
        }
        (self.trace, self.statistics, self.due) = (trace, statistics, now);
    }

    /// Sends whatever is due while there is room for it and for a reply; returns
    /// whether it sent anything.
    pub(crate) fn send(
        &mut self,
        out: &mut Outbox,
        reader: Option<&mut Reader>,
        counted: &mut Statistics,
        now: Instant,
    ) -> bool {
        let mut sent = false;
        if self.statistics && now >= self.due && out.has_room(2) {
            self.due = Instant(now.0.saturating_add(PERIOD.0));
            counted.clock = now.0;
            out.put(&Message::Event(Event::Statistics(*counted)));
            sent = true;
        }
        let Some(reader) = reader.filter(|_| self.trace) else {
            return sent;
        };
        while out.has_room(2) && self.send_records(out, reader, counted) {
            sent = true;
        }
        sent
    }

    /// Sends one frame of consecutive records; returns whether there were any.
    fn send_records(
        &mut self,
        out: &mut Outbox,
        reader: &mut Reader,
        counted: &mut Statistics,
    ) -> bool {
        let mut bytes = [0; BYTES * RECORDS];
        let (mut last, mut length) = (None, 0);
        while length < bytes.len() {
            let Some((number, record)) = self.kept.take().or_else(|| reader.next()) else {
                break;
            };
            if last.is_some_and(|last| last + 1 != number) {
                self.kept = Some((number, record));
                break;
            }
            let target = bytes.get_mut(length..).unwrap_or(&mut []);
            ring::write(&record, target);
            (last, length) = (Some(number), length + BYTES);
            match ring::lost(&record) {
                Some(count) => counted.lost = counted.lost.saturating_add(count),
                None => counted.records = counted.records.saturating_add(1),
            }
        }
        let Some(last) = last else { return false };
        let records = bytes.get(..length).unwrap_or(&[]);
        out.put(&Message::Event(Event::Trace { last, records }));
        true
    }
}
