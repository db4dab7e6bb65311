//! What ids are known of objects and threads, and how they are told.

use crate::call::Name;
use crate::machine::Machine;
use crate::system::System;

/// The ids seen so far. They differ from kernel to kernel, so none is ever written
/// down.
pub(crate) struct Names {
    /// By slot: the ids of its tenants, in order.
    objects: Vec<Vec<u64>>,
    /// By thread: the last id that it had.
    threads: Vec<Option<u64>>,
}

impl Names {
    pub(crate) fn of(system: &System) -> Names {
        Names {
            objects: vec![Vec::new(); system.objects.len()],
            threads: vec![None; system.threads.len()],
        }
    }

    /// Learns the ids that there are now.
    pub(crate) fn look(&mut self, machine: &mut impl Machine) {
        for (slot, ids) in self.objects.iter_mut().enumerate() {
            let now = machine.object_id(slot);
            ids.extend(now.filter(|now| ids.last() != Some(now)));
        }
        for (thread, id) in self.threads.iter_mut().enumerate() {
            *id = machine.thread_id(thread).or(*id);
        }
    }

    /// The id that a name stands for.
    pub(crate) fn object(&self, name: Name) -> Option<u64> {
        let ids = &self.objects[name.slot];
        let place = match name.is_stale {
            true => ids.len().saturating_sub(2),
            false => ids.len().saturating_sub(1),
        };
        ids.get(place).copied()
    }

    pub(crate) fn thread(&self, thread: usize) -> Option<u64> {
        self.threads[thread]
    }

    /// How an id is told: slot + 256 * tenant. The largest number there is for an
    /// id that nobody has seen.
    pub(crate) fn told(&self, id: u64) -> u64 {
        let tenant = |ids: &Vec<u64>| ids.iter().position(|one| *one == id);
        let mut slots = self.objects.iter().enumerate();
        let found = slots.find_map(|(slot, ids)| Some((slot, tenant(ids)?)));
        found.map_or(u64::MAX, |(slot, tenant)| (slot + 256 * tenant) as u64)
    }
}
