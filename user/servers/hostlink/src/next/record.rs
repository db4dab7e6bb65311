//! Records of the second kernel's trace on the line.

use giornata_abi::next::ring::{self, Kind, Words, split_head};
use giornata_hostlink_wire::{Event, NEXT_RECORD, NEXT_RECORDS};

/// Bytes of a record.
pub(crate) const BYTES: usize = ring::BYTES;
/// Most records in one frame.
pub(crate) const MOST: usize = NEXT_RECORDS;

const _: () = assert!(NEXT_RECORD == BYTES);

/// Whole records that follow each other, to number `last`.
pub(crate) fn event(last: u64, records: &[u8]) -> Event<'_> {
    Event::NextTrace { last, records }
}

/// How many were lost, if the record says that some were.
pub(crate) fn lost([_, head, count, _]: &Words) -> Option<u64> {
    let (kind, ..) = split_head(*head);
    (kind == Some(Kind::Lost)).then_some((*count).into())
}

/// The bytes of a record to the front of `target`.
pub(crate) fn write(record: &Words, target: &mut [u8]) {
    let (places, _) = target.as_chunks_mut();
    for (place, word) in places.iter_mut().zip(record) {
        *place = word.to_le_bytes();
    }
}
