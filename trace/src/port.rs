//! Values of ports, put together from their pieces: the port trace.

use giornata_abi::Instant;
use giornata_system::NameMap;

use crate::event::{Content, Event};

/// A port was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Write {
    /// Index of the port.
    pub port: u16,
    /// The logical instant.
    pub at: Instant,
    /// The value.
    pub value: Vec<u8>,
}

/// Joins the pieces of values.
///
/// The pieces of one value follow each other, first to last; pieces of a value
/// whose beginning was lost are dropped.
#[derive(Clone, Debug)]
pub struct Assembly {
    sizes: Vec<u16>,
    parts: Vec<Vec<u8>>,
}

impl Assembly {
    /// An assembly for the ports of a system.
    pub fn new(names: &NameMap) -> Assembly {
        let sizes: Vec<u16> = names.ports.iter().map(|port| port.size).collect();
        Assembly {
            parts: vec![Vec::new(); sizes.len()],
            sizes,
        }
    }

    /// Takes an event; the write that it completes, if any.
    pub fn push(&mut self, event: &Event) -> Option<Write> {
        let Content::Port {
            port,
            offset,
            at,
            ref piece,
        } = event.content
        else {
            return None;
        };
        let size = usize::from(*self.sizes.get(usize::from(port))?);
        let part = self.parts.get_mut(usize::from(port))?;
        if offset == 0 {
            part.clear();
        }
        if part.len() != offset as usize {
            part.clear();
            return None;
        }
        let wanted = size.saturating_sub(part.len());
        part.extend(piece.bytes().iter().take(wanted));
        (part.len() == size).then(|| Write {
            port,
            at,
            value: std::mem::take(part),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::{names, port_piece};

    fn writes(events: &[Event]) -> Vec<(u16, u64, Vec<u8>)> {
        let mut assembly = Assembly::new(&names());
        events
            .iter()
            .filter_map(|event| assembly.push(event))
            .map(|w| (w.port, w.at.0, w.value))
            .collect()
    }

    #[test]
    fn a_value_longer_than_a_record_is_joined() {
        let events = [
            port_piece(1, 0, 5, [1; 8]),
            port_piece(0, 0, 5, [9; 8]),
            port_piece(1, 8, 5, [2; 8]),
        ];
        let long = [1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 2, 2].to_vec();
        assert_eq!(writes(&events), [(0, 5, vec![9; 4]), (1, 5, long)]);
    }

    #[test]
    fn a_value_with_a_lost_piece_is_dropped_and_the_next_is_whole() {
        let events = [
            port_piece(1, 8, 5, [2; 8]),
            port_piece(1, 0, 6, [3; 8]),
            port_piece(1, 8, 6, [3; 8]),
        ];
        assert_eq!(writes(&events), [(1, 6, vec![3; 12])]);
    }

    #[test]
    fn a_port_that_the_system_does_not_have_is_ignored() {
        assert_eq!(writes(&[port_piece(77, 0, 5, [1; 8])]), []);
    }
}
