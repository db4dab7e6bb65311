//! Objects that come and go, and ids, which never name a stranger (KERNEL 7, rule 9).

use giornata_abi::Error;
use giornata_abi::call::Call;
use giornata_abi::control::TAKEN;
use giornata_records::ObjectKind;

use crate::stage::*;

impl Stage {
    #[track_caller]
    fn create(&mut self, thread: usize, slot: usize) -> &mut Stage {
        self.call(thread, Call::CreateObject, &[slot])
    }

    #[track_caller]
    fn delete(&mut self, thread: usize, slot: usize, serial: usize) -> &mut Stage {
        self.call(thread, Call::DeleteObject, &[slot, serial])
    }

    /// The last call of a thread has returned an id in a slot.
    #[track_caller]
    fn named(&mut self, thread: usize, slot: usize) -> usize {
        let results = self.rig.take_results(thread).expect("it has returned");
        assert_eq!(results[..2], [0, slot]);
        results[2]
    }
}

/// Of each slot, one after the other.
const TENANTS: usize = if cfg!(miri) { 300 } else { 70_000 };

#[test]
fn every_tenant_of_a_slot_has_another_id() {
    let mut system = threads(&[5]);
    let all = [
        semaphore(&mut system, 3),
        mutex(&mut system),
        condition(&mut system),
        object(&mut system, ObjectKind::Mailbox),
    ];
    let mut stage = Stage::new(&system);
    for slot in all {
        // more tenants than an id of 32 bits could tell apart
        for serial in 1..TENANTS {
            stage
                .rig
                .call(Call::DeleteObject, [slot, serial, 0, 0, 0, 0]);
            stage.rig.call(Call::CreateObject, [slot, 0, 0, 0, 0, 0]);
            assert_eq!(stage.named(0, slot), serial + 1);
        }
        for stale in [
            0,
            1,
            TENANTS.saturating_sub(0x1_0000),
            TENANTS - 1,
            TENANTS + 1,
        ] {
            stage.delete(0, slot, stale).refused(0, Error::ESRCH);
        }
        stage.call(0, Call::OpenObject, &[slot]);
        assert_eq!(stage.named(0, slot), TENANTS);
        stage.create(0, slot).refused(0, Error::EEXIST);
        stage.rig.check_invariants();
    }
}

#[test]
fn a_stale_id_names_nobody() {
    let mut system = threads(&[5]);
    let s = semaphore(&mut system, 1);
    let a = mutex(&mut system);
    let c = condition(&mut system);
    let mut stage = Stage::new(&system);
    for slot in [s, a, c] {
        stage.delete(0, slot, 1).returned(0, DONE);
        stage
            .call(0, Call::OpenObject, &[slot])
            .refused(0, Error::ESRCH);
        stage.delete(0, slot, 1).refused(0, Error::ESRCH);
        stage.create(0, slot).named(0, slot);
    }
    for slot in [s, a] {
        stage.lock(0, slot).refused(0, Error::ESRCH);
        stage.unlock(0, slot).refused(0, Error::ESRCH);
    }
    stage.signal(0, c).refused(0, Error::ESRCH);
    stage.broadcast(0, c).refused(0, Error::ESRCH);
    stage.wait(0, c, a).refused(0, Error::ESRCH);
}

#[test]
fn whoever_waits_for_what_is_deleted_is_told() {
    let mut system = threads(&[2, 5, 6]);
    let s = semaphore(&mut system, 0);
    let c = condition(&mut system);
    let a = mutex(&mut system);
    let mut stage = Stage::new(&system);
    stage.lock(2, a).wait(2, c, a).lock(1, s);
    stage
        .delete(0, s, 1)
        .runs(1)
        .refused(1, Error::EIDRM)
        .sleep(1, 100);
    stage.runs(0).returned(0, DONE).delete(0, c, 1);
    stage.runs(2).refused(2, Error::EIDRM);
    assert_eq!(stage.owner(a), None);
}

#[test]
fn what_a_thread_tells_counts_when_what_it_waits_for_is_deleted() {
    let mut system = threads(&[2, 5]);
    let a = mutex(&mut system);
    let s = semaphore(&mut system, 0);
    let mut stage = Stage::new(&system);
    stage.tell(1, a, 1).lock(1, s).lock(0, a);
    stage.delete(0, s, 1).runs(0).returned(0, DONE);
    stage.unlock(0, a).runs(1).refused(1, Error::EIDRM);
    assert_eq!((stage.owner(a), stage.told(1)), (Some(1), TAKEN));
}

#[test]
fn whoever_wants_a_mutex_that_is_deleted_is_told() {
    let mut system = threads(&[2, 5, 6, 7]);
    let a = mutex(&mut system);
    let mut stage = Stage::new(&system);
    // one hangs on the owner, which sleeps, and one comes later
    stage
        .sleep(3, 30)
        .sleep(2, 20)
        .sleep(1, 10)
        .lock(0, a)
        .sleep(0, 40);
    stage
        .advance(10)
        .lock(1, a)
        .advance(20)
        .lock_until(2, a, 500);
    stage
        .advance(30)
        .delete(3, a, 1)
        .returned(3, DONE)
        .sleep(3, 50);
    stage.runs(2).refused(2, Error::EIDRM).sleep(2, 100);
    stage.runs(1).refused(1, Error::EIDRM).sleep(1, 100);
    // its owner has nothing to give back
    stage.advance(40).unlock(0, a).refused(0, Error::ESRCH);
    assert_eq!(stage.place(0), 2);
    stage.create(0, a);
    assert_eq!(stage.named(0, a), 2);
    assert_eq!(stage.owner(a), None);
}

#[test]
fn those_that_wanted_a_mutex_do_not_get_the_next_tenant_of_its_slot() {
    let mut system = threads(&[2, 5, 7]);
    let a = mutex(&mut system);
    let mut stage = Stage::new(&system);
    stage.sleep(2, 20).sleep(1, 10).lock(0, a).advance(10);
    stage.lock(1, a).runs(0).advance(20);
    // before the other has had its turn
    stage.delete(2, a, 1).create(2, a);
    assert_eq!(stage.named(2, a), 2);
    stage
        .call(2, Call::Lock, &[a, 2, 0, 0])
        .returned(2, DONE)
        .sleep(2, 30);
    stage.runs(1).refused(1, Error::EIDRM);
    assert_eq!(stage.owner(a), Some(2));
}

#[test]
fn a_mutex_that_is_created_anew_has_no_past() {
    let mut system = threads(&[2, 5]);
    let a = ceiling_mutex(&mut system, 9);
    let s = semaphore(&mut system, 3);
    let mut stage = Stage::new(&system);
    stage.lock(1, a).delete(1, a, 1);
    assert_eq!(stage.place(1), 5);
    stage
        .create(1, a)
        .call(1, Call::Lock, &[a, 2, 0, 0])
        .exit(1);
    // its owner ended, and nobody was told
    stage.delete(0, a, 2).create(0, a);
    stage.call(0, Call::Lock, &[a, 3, 0, 0]).returned(0, DONE);
    assert_eq!(stage.place(0), 9);
    stage.lock(0, s).delete(0, s, 1).create(0, s);
    assert_eq!(stage.rig.object(s).count(), 3);
}

#[test]
fn only_who_may_manage_a_slot_creates_and_deletes() {
    let mut system = threads(&[5]);
    let [a, b] = mutexes(&mut system);
    system.objects[a].rights[0].managed = false;
    system.objects[b].rights[0].used = false;
    let mut stage = Stage::new(&system);
    stage.create(0, a).refused(0, Error::EPERM);
    stage.delete(0, a, 7).refused(0, Error::EPERM);
    stage.call(0, Call::OpenObject, &[a]);
    assert_eq!(stage.named(0, a), 1);
    stage
        .call(0, Call::OpenObject, &[b])
        .lock(0, b)
        .refused(0, Error::EPERM);
    stage.delete(0, b, 1).returned(0, DONE);
    for call in [Call::CreateObject, Call::DeleteObject, Call::OpenObject] {
        stage.call(0, call, &[99, 1]).refused(0, Error::ESRCH);
        stage.call(0, call, &[1 << 17, 1]).refused(0, Error::ESRCH);
    }
}

#[test]
fn many_that_wait_are_told_in_pieces() {
    let mut system = threads(&[2, 11, 12, 13, 14, 15, 16, 17, 18, 19, 201]);
    let s = semaphore(&mut system, 0);
    let mut stage = Stage::new(&system);
    stage.sleep(10, 5);
    for thread in (1..=9).rev() {
        stage.lock(thread, s);
    }
    stage.rig.set_piece_time(5);
    stage.delete(0, s, 1).interrupted().runs(10);
    assert_eq!(stage.waiters(s), [8, 7, 6, 5, 4, 3, 2, 1]);
    stage.rig.set_piece_time(0);
    stage.sleep(10, 100);
    for thread in (1..=9).rev() {
        stage
            .runs(thread)
            .refused(thread, Error::EIDRM)
            .sleep(thread, 100);
    }
    stage.runs(0).returned(0, DONE);
}

#[test]
fn a_slot_whose_ids_are_used_up_stays_empty() {
    let mut system = threads(&[5]);
    let s = semaphore(&mut system, 0);
    let mut stage = Stage::new(&system);
    let (last, before) = (u32::MAX as usize, u32::MAX - 1);
    stage.rig.object(s).serial.set(before);
    stage.delete(0, s, before as usize).create(0, s);
    assert_eq!(stage.named(0, s), last);
    stage
        .delete(0, s, last)
        .create(0, s)
        .refused(0, Error::EAGAIN);
    stage
        .call(0, Call::OpenObject, &[s])
        .refused(0, Error::ESRCH);
    stage.delete(0, s, last).refused(0, Error::ESRCH);
}
