//! Random systems.

use super::{Dice, Menu, Scope, UNIT};
use crate::system::{ALL_RIGHTS, Kind, Scheduling, System};
use giornata_abi::system::{RIGHT_FULL, RIGHT_MANAGE, RIGHT_USE};

/// A random system for a menu.
pub fn system(dice: &mut Dice, menu: Menu, scope: Scope) -> System {
    let mut system = System {
        band: 6,
        ..System::default()
    };
    let comes_and_goes = matches!(menu, Menu::Lives | Menu::All);
    let processes = match comes_and_goes {
        true => 2 + dice.below(2),
        false => 1 + dice.below(3),
    };
    let most = if dice.one_in(6) { 14 } else { 6 };
    let threads = processes.max(2 + dice.below(most - 1));
    for process in 0..processes {
        let share = threads / processes + usize::from(process < threads % processes);
        add_process(&mut system, dice, comes_and_goes);
        add_threads(&mut system, dice, scope, share);
        if comes_and_goes {
            for _ in 0..dice.below(4) {
                system.spare();
            }
        }
        if scope.interrupts && dice.one_in(3) {
            system.line();
        }
    }
    if menu == Menu::Locks || comes_and_goes {
        add_locks(&mut system, dice, scope, 4);
    } else {
        add_locks(&mut system, dice, scope, 2);
    }
    if matches!(menu, Menu::Mailboxes | Menu::Calls | Menu::All) {
        add_mailboxes(&mut system, dice, menu);
    }
    system
}

fn add_process(system: &mut System, dice: &mut Dice, comes_and_goes: bool) {
    let number = system.process();
    let process = &mut system.processes[number];
    process.max_priority = dice.pick(&[255, 255, 8, 4]);
    process.restarts = dice.one_in(2);
    process.messages = dice.pick(&[0, 1, 2, 4, 8]);
    process.message_size = dice.pick(&[0, 24, 48]);
    if comes_and_goes && number > 0 && !dice.one_in(4) {
        process.supervisor = Some(dice.below(number));
        process.by_call = dice.one_in(3);
    }
}

fn add_threads(system: &mut System, dice: &mut Dice, scope: Scope, count: usize) {
    for _ in 0..count {
        let scheduling = match dice.below(6) {
            0 if scope.deadlines => Scheduling::Deadline(dice.pick(&[8, 40, 40, 200]) * UNIT),
            _ => Scheduling::Fifo(dice.pick(&[3, 4, 5, 5, 7, 8])),
        };
        system.thread(scheduling);
    }
}

/// A mutex, and up to `most` others.
fn add_locks(system: &mut System, dice: &mut Dice, scope: Scope, most: usize) {
    for number in 0..1 + dice.below(most) {
        let kind = if number == 0 { 0 } else { dice.below(10) };
        let object = match kind {
            3 | 4 if scope.ceilings => system.ceiling_mutex(dice.pick(&[5, 7, 8, 9])),
            0..=4 => system.mutex(),
            5 | 6 => system.object(Kind::Semaphore {
                initial: dice.below(3) as u32,
                most: 2 + dice.below(2) as u32,
            }),
            7 if scope.private => add_private(system, dice),
            _ => system.object(Kind::Condition),
        };
        let all = RIGHT_USE | RIGHT_MANAGE;
        let rights = [all, all, all, all, RIGHT_USE, RIGHT_USE, RIGHT_MANAGE, 0];
        if kind != 7 {
            grant(system, dice, object, &rights);
        }
    }
}

/// A mutex of one process alone.
fn add_private(system: &mut System, dice: &mut Dice) -> usize {
    let object = system.object(Kind::Mutex {
        ceiling: None,
        private: true,
    });
    let owner = dice.below(system.processes.len());
    for (process, rights) in system.objects[object].rights.iter_mut().enumerate() {
        *rights = if process == owner { RIGHT_USE } else { 0 };
    }
    object
}

/// A server's mailbox, others that are attached to one, and others.
fn add_mailboxes(system: &mut System, dice: &mut Dice, menu: Menu) {
    let mut mailboxes = vec![system.mailbox()];
    for _ in 0..1 + dice.below(4) {
        let server = match dice.below(3) {
            0 if menu != Menu::Calls => Some(dice.pick(&mailboxes)),
            _ => None,
        };
        mailboxes.push(system.object(Kind::Mailbox { server }));
    }
    let all = ALL_RIGHTS;
    let some = [all & !RIGHT_MANAGE, RIGHT_USE, RIGHT_FULL, 0];
    let rights = [&[all; 5][..], &some].concat();
    for mailbox in mailboxes {
        grant(system, dice, mailbox, &rights);
    }
}

/// Each process has one of these rights to an object, which may not be there yet.
fn grant(system: &mut System, dice: &mut Dice, object: usize, rights: &[u16]) {
    for right in &mut system.objects[object].rights {
        *right = dice.pick(rights);
    }
    system.objects[object].at_boot = !dice.one_in(10);
}
