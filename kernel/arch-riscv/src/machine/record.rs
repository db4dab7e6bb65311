//! What the trap path reaches of the records that are once per hart, and where the lock is.

#[cfg(not(feature = "harts"))]
pub(super) use one::*;
#[cfg(feature = "harts")]
pub(super) use several::*;

/// `sp` is the record of the system, in which the hart's is.
#[cfg(not(feature = "harts"))]
mod one {
    use core::mem::offset_of;

    use giornata_core::System;

    use crate::board::RECORDS;

    pub(in super::super) const SINCE: usize = offset_of!(System, hart.0.since);
    pub(in super::super) const LOADED: usize = offset_of!(System, hart.0.loaded);
    pub(in super::super) const DONOR: usize = offset_of!(System, hart.0.donor);
    pub(in super::super) const ALARM: usize = offset_of!(System, hart.0.alarm);
    pub(in super::super) const OWN: usize = offset_of!(System, hart.0.own);
    pub(in super::super) const STACK_TOP: usize = RECORDS;
    // (there is none)
    pub(in super::super) const HART: usize = 0;
    pub(in super::super) const LOCK: usize = 0;
    pub(in super::super) const HERE: usize = 0;
    pub(in super::super) const CHANGED: usize = 0;
    pub(in super::super) const KICKED: usize = 0;
}

/// `sp` is the record of the hart, to which each thread leads that runs.
#[cfg(feature = "harts")]
mod several {
    use core::mem::offset_of;

    use giornata_core::{Hart, System, Thread};

    use crate::board::RECORDS;

    pub(in super::super) const STACK_TOP: usize = super::super::harts::place(0);
    pub(in super::super) const SINCE: usize = offset_of!(Hart, since);
    pub(in super::super) const LOADED: usize = offset_of!(Hart, loaded);
    pub(in super::super) const DONOR: usize = offset_of!(Hart, donor);
    pub(in super::super) const ALARM: usize = offset_of!(Hart, alarm);
    pub(in super::super) const OWN: usize = offset_of!(Hart, own);
    pub(in super::super) const HART: usize = offset_of!(Thread, on.0.hart);
    pub(in super::super) const LOCK: usize = RECORDS + offset_of!(System, harts.0.lock);
    pub(in super::super) const HERE: usize = RECORDS + offset_of!(System, harts.0.here);
    pub(in super::super) const CHANGED: usize = RECORDS + offset_of!(System, harts.0.changed);
    pub(in super::super) const KICKED: usize = offset_of!(Hart, member.0.kicked);
}
