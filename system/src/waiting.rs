//! What the threads of a process after POSIX wait by: private objects which its C library
//! gives to the mutexes, semaphores and conditions of the program, for as long as a thread
//! waits for one.

use crate::config::{self, POSIX};
use crate::file::{ProcessSection, SystemFile};
use crate::objects::{Kind, Object, Shape};
use giornata_abi::system::RIGHT_USE;
use giornata_abi::word;

/// The kinds, in the order in which each process has its objects.
const KINDS: [Kind; 3] = [Kind::Mutex, Kind::Semaphore, Kind::Condition];

/// How many threads a process can have at a time.
pub(crate) fn places(section: &ProcessSection) -> usize {
    let spare = section.services.spare_threads.as_ref();
    section.threads.len() + spare.map_or(0, |spare| usize::from(spare.count))
}

/// How many objects of each kind a process has: as many as threads, each of which waits for
/// one at most. None where the kernel has not what POSIX asks for.
pub(crate) fn count(file: &SystemFile, section: &ProcessSection) -> usize {
    match section.code.is_posix && config::has(file.kernel.config.get_ref(), POSIX) {
        true => places(section),
        false => 0,
    }
}

/// Adds the objects of all processes.
pub(crate) fn add(file: &SystemFile, objects: &mut Vec<Object>) {
    for (index, section) in file.processes.iter().enumerate() {
        let mut rights = vec![0; file.processes.len()];
        if let Some(own) = rights.get_mut(index) {
            *own = RIGHT_USE;
        }
        let count = count(file, section);
        for kind in KINDS {
            let shape = match kind {
                Kind::Mutex => Shape::Mutex { ceiling: None },
                Kind::Semaphore => Shape::Semaphore {
                    initial: 0,
                    most: word::MOST,
                },
                _ => Shape::Condition,
            };
            objects.extend((0..count).map(|number| Object {
                name: format!("{}.{}.{number}", section.name.get_ref(), kind.name()),
                shape,
                at_boot: true,
                is_private: kind != Kind::Condition,
                is_of_library: true,
                server: None,
                rights: rights.clone(),
            }));
        }
    }
}

/// For each process that has some: its number, and the slot of the first.
pub(crate) fn first(objects: &[Object]) -> impl Iterator<Item = (u16, u16)> {
    let all = (0u16..).zip(objects).filter(|(_, o)| o.is_of_library);
    let mut last = None;
    all.filter_map(move |(slot, object)| {
        let owner = object.users().next();
        let is_first = owner != last;
        last = owner;
        owner.filter(|_| is_first).map(|owner| (owner, slot))
    })
}
