//! Records of the first kernel's trace on the line.

use giornata_abi::Record;
use giornata_abi::trace::{TraceKind, TraceRecord};
use giornata_hostlink_wire::{Event, RECORD, RECORDS};

/// Bytes of a record.
pub(crate) const BYTES: usize = TraceRecord::SIZE;
/// Most records in one frame.
pub(crate) const MOST: usize = RECORDS;

const _: () = assert!(RECORD == BYTES);

/// Whole records that follow each other, to number `last`.
pub(crate) fn event(last: u64, records: &[u8]) -> Event<'_> {
    Event::Trace { last, records }
}

/// How many were lost, if the record says that some were.
pub(crate) fn lost(record: &TraceRecord) -> Option<u64> {
    (record.kind == TraceKind::Lost as u8).then_some(record.x)
}

/// The bytes of a record to the front of `target`.
pub(crate) fn write(record: &TraceRecord, target: &mut [u8]) {
    let mut places = target.iter_mut();
    record.encode(&mut |bytes| {
        let pairs = places.by_ref().zip(bytes);
        pairs.for_each(|(place, byte)| *place = *byte);
    });
}
