//! Ids of objects and threads.

/// What an [`Id`] is made of: for the stubs of [`call`](crate::call).
pub type Number = u64;

/// A slot of the system file and which of its tenants lives there.
///
/// An id of a tenant that has gone never names a later one: the kernel counts the
/// tenants of a slot in 32 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(transparent)]
pub struct Id(pub u64);

impl Id {
    /// The id of slot `index` after `generation` tenants before.
    pub const fn new(index: u16, generation: u16) -> Id {
        Id((generation as u64) << 16 | index as u64)
    }

    /// The slot.
    pub const fn index(self) -> u16 {
        self.0 as u16
    }

    /// How many tenants the slot has had before, modulo 2^16.
    pub const fn generation(self) -> u16 {
        (self.0 >> 16) as u16
    }

    /// Slot and serial number as the kernel has them: the first tenant is number 1.
    pub const fn parts(self) -> (usize, usize) {
        let serial = ((self.0 >> 16) as u32).wrapping_add(1);
        (self.0 as u16 as usize, serial as usize)
    }

    /// The id of a slot and serial number of the kernel. Serial number 0 gives an id
    /// that names nothing.
    pub const fn of_parts(slot: usize, serial: usize) -> Id {
        let before = (serial as u32).wrapping_sub(1);
        Id((before as u64) << 16 | slot as u16 as u64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constants_of_the_system_file_name_the_first_tenant() {
        assert_eq!(Id(3), Id::new(3, 0));
        assert_eq!(Id::new(3, 0).parts(), (3, 1));
        assert_eq!((Id::new(7, 2).index(), Id::new(7, 2).generation()), (7, 2));
    }

    #[test]
    fn an_id_is_its_slot_and_serial_number() {
        for serial in [0, 1, 2, 0x1_0000, 0x1_0001, 0xFFFF_FFFF] {
            for slot in [0, 1, 0xFFFF] {
                assert_eq!(Id::of_parts(slot, serial).parts(), (slot, serial));
            }
        }
        assert_ne!(Id::of_parts(3, 0), Id::of_parts(3, 0x1_0000));
    }
}
