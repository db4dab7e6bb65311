//! Threads that are created, joined, detached, and that exit.

use giornata_abi::Error;
use giornata_abi::call::Call;
use giornata_host::{MEMORY, Results, Rig};
use giornata_records::Description;

use crate::stage::*;

/// A process with a thread of priority 5 and two places (1, 2) for others, which may
/// have priorities up to 9.
fn family() -> Description {
    let mut description = system();
    process(&mut description, &[5]);
    description.processes[0].max_priority = 9;
    spares(&mut description, 2);
    description
}

fn create(rig: &mut Rig, priority: usize) -> Option<Results> {
    call(rig, Call::CreateThread, [0x4000, 7, priority])
}

fn join(rig: &mut Rig, [slot, serial]: [usize; 2], [low, high]: [usize; 2]) -> Option<Results> {
    call(rig, Call::JoinThread, [slot, serial, low, high])
}

fn detach(rig: &mut Rig, id: [usize; 2]) -> Option<Results> {
    call(rig, Call::DetachThread, id)
}

fn exit(rig: &mut Rig, value: usize) {
    assert_eq!(call(rig, Call::Exit, [value]), None);
}

#[test]
fn a_created_thread_begins_at_its_body_with_its_argument_on_its_stack() {
    let mut rig = Rig::boot(&family());
    let mark = control(0, 2) + 24;
    rig.set_word(mark, 77);
    assert_eq!(
        call(&mut rig, Call::CreateThread, [0x4000, 0xABCD, 5]),
        values([2, 1])
    );
    call(&mut rig, Call::Yield, []);
    assert_eq!(rig.running(), 2);
    assert_eq!(
        rig.take_results(2),
        Some([0xABCD, 0x4000, 0, 0, 0, 0, 0]),
        "a0 and a1"
    );
    let (thread, place) = (rig.thread(2), rig.thread(2).place);
    assert_eq!(thread.context.pc.get(), place.entry);
    assert_eq!(thread.context.sp.get(), place.stack_top);
    let stack = place.stack_top - place.stack_size;
    let own = values([2, 1, stack, place.stack_size]);
    assert_eq!(call(&mut rig, Call::Own, []), own);
    let page = [0, 4].map(|offset| rig.word(control(0, 2) + offset));
    assert_eq!(page, [2, 1], "its id is in its control page");
    assert_eq!(
        rig.word(mark),
        0,
        "a ceiling of the tenant before is not its"
    );
    assert_eq!(rig.thread(2).control, MEMORY + control(0, 2));
}

#[test]
fn a_created_thread_runs_by_its_priority_and_its_value_is_joined() {
    let mut rig = Rig::boot(&family());
    assert_eq!(create(&mut rig, 9), None, "the created is more urgent");
    assert_eq!(rig.running(), 2);
    exit(&mut rig, 42);
    assert_eq!(rig.take_results(0), values([2, 1]));
    assert_eq!(create(&mut rig, 3), values([1, 1]));
    assert_eq!(
        join(&mut rig, [2, 1], FOR_EVER),
        values([42]),
        "it had ended"
    );
    assert_eq!(join(&mut rig, [1, 1], FOR_EVER), None);
    assert_eq!(rig.running(), 1);
    exit(&mut rig, 43);
    assert_eq!((rig.running(), rig.take_results(0)), (0, values([43])));
    assert_eq!(create(&mut rig, 1), values([1, 2]), "a new tenant");
}

#[test]
fn the_argument_and_the_value_of_a_thread_are_whole_words() {
    let mut rig = Rig::boot(&family());
    let word = usize::MAX - 6;
    call(&mut rig, Call::CreateThread, [word, word, 9]);
    assert_eq!(rig.take_results(2), Some([word, word, 0, 0, 0, 0, 0]));
    exit(&mut rig, word);
    assert_eq!(join(&mut rig, [2, 1], AT_ONCE), values([word]));
}

#[test]
fn no_thread_is_created_in_the_deadline_band_or_above_what_is_granted() {
    let mut description = family();
    description.band = 7;
    let mut rig = Rig::boot(&description);
    for priority in [7, 10, 256, usize::MAX] {
        assert_eq!(create(&mut rig, priority), refused(Error::EPERM));
    }
    assert_eq!(create(&mut rig, 0), values([2, 1]));
}

#[test]
fn places_for_threads_are_limited_and_come_back() {
    let mut rig = Rig::boot(&family());
    let (again, invalid) = (refused(Error::EAGAIN), refused(Error::EINVAL));
    assert_eq!(create(&mut rig, 4), values([2, 1]));
    assert_eq!(create(&mut rig, 4), values([1, 1]));
    assert_eq!(create(&mut rig, 4), again);
    assert_eq!(detach(&mut rig, [2, 1]), DONE);
    assert_eq!(detach(&mut rig, [2, 1]), invalid);
    assert_eq!(join(&mut rig, [2, 1], FOR_EVER), invalid);
    sleep(&mut rig, 20);
    exit(&mut rig, 1);
    exit(&mut rig, 2);
    advance(&mut rig, 20);
    // one ended detached: its place is free; the other is to be joined
    assert_eq!(create(&mut rig, 4), values([2, 2]));
    assert_eq!(create(&mut rig, 4), again);
    assert_eq!(detach(&mut rig, [1, 1]), DONE, "it has ended");
    assert_eq!(create(&mut rig, 4), values([1, 2]));
}

#[test]
fn a_stale_id_names_nobody() {
    let mut rig = Rig::boot(&family());
    create(&mut rig, 9);
    exit(&mut rig, 1);
    join(&mut rig, [2, 1], FOR_EVER);
    let none = refused(Error::ESRCH);
    assert_eq!(join(&mut rig, [2, 1], FOR_EVER), none);
    assert_eq!(create(&mut rig, 1), values([2, 2]));
    for id in [[2, 1], [2, 3], [2, 0], [1, 0], [77, 1], [usize::MAX, 1]] {
        assert_eq!(join(&mut rig, id, FOR_EVER), none, "{id:?}");
        assert_eq!(detach(&mut rig, id), none, "{id:?}");
    }
}

#[test]
fn ids_do_not_repeat_after_65536_tenants_of_a_place() {
    let mut rig = Rig::boot(&family());
    for serial in 1..=65_600 {
        rig.call(Call::CreateThread, [0x4000, 7, 9, 0, 0, 0]);
        assert_eq!(rig.take_results(2), Some([7, 0x4000, 0, 0, 0, 0, 0]));
        rig.call(Call::Exit, [serial; 6]);
        assert_eq!(rig.take_results(0), values([2, serial]));
        let joined = rig.call(Call::JoinThread, [2, serial, 0, 0, 0, 0]);
        assert_eq!(joined, values([serial]));
    }
    rig.check_invariants();
    let stale = refused(Error::ESRCH);
    assert_eq!(create(&mut rig, 1), values([2, 65_601]));
    assert_eq!(join(&mut rig, [2, 65], AT_ONCE), stale);
}

#[test]
fn a_place_whose_serial_numbers_are_used_up_is_not_used_again() {
    let mut rig = Rig::boot(&family());
    rig.thread(2).serial.set(u32::MAX - 1);
    assert_eq!(create(&mut rig, 4), values([2, u32::MAX as usize]));
    detach(&mut rig, [2, u32::MAX as usize]);
    sleep(&mut rig, 20);
    exit(&mut rig, 1);
    advance(&mut rig, 20);
    assert_eq!(create(&mut rig, 4), values([1, 1]));
    assert_eq!(create(&mut rig, 4), refused(Error::EAGAIN));
}

#[test]
fn who_joins_waits_no_longer_than_it_says_and_not_for_itself() {
    let mut description = family();
    process(&mut description, &[4]);
    let mut rig = Rig::boot(&description);
    create(&mut rig, 4);
    assert_eq!(join(&mut rig, [2, 1], AT_ONCE), refused(Error::EBUSY));
    for until in [100, 200] {
        assert_eq!(join(&mut rig, [2, 1], [until, 0]), None);
        advance(&mut rig, 100);
        assert_eq!(rig.running(), 0);
        assert_eq!(rig.take_results(0), refused(Error::ETIMEDOUT));
    }
    let itself = [0, rig.thread(0).serial.get() as usize];
    assert_eq!(join(&mut rig, itself, FOR_EVER), refused(Error::EINVAL));
    assert_eq!(join(&mut rig, [2, 1], FOR_EVER), None);
    // another process knows no such thread
    assert_eq!(rig.running(), 3);
    assert_eq!(join(&mut rig, [2, 1], FOR_EVER), refused(Error::ESRCH));
    assert_eq!(detach(&mut rig, [2, 1]), refused(Error::ESRCH));
    exit(&mut rig, 0);
    assert_eq!(rig.running(), 2);
    assert_eq!(detach(&mut rig, [2, 1]), refused(Error::EINVAL), "joined");
    assert_eq!(join(&mut rig, [2, 1], FOR_EVER), refused(Error::EDEADLK));
    exit(&mut rig, 5);
    assert_eq!(rig.take_results(0), values([5]));
}

#[test]
fn a_created_thread_that_joins_itself_is_refused() {
    let mut rig = Rig::boot(&family());
    create(&mut rig, 9);
    assert_eq!(join(&mut rig, [2, 1], FOR_EVER), refused(Error::EDEADLK));
    // whoever else joins it
    sleep(&mut rig, 10);
    assert_eq!(join(&mut rig, [2, 1], FOR_EVER), None);
    advance(&mut rig, 10);
    assert_eq!(rig.running(), 2);
    assert_eq!(join(&mut rig, [2, 1], FOR_EVER), refused(Error::EDEADLK));
}

#[test]
fn a_thread_has_one_joiner_until_that_one_gives_up() {
    let mut rig = Rig::boot(&family());
    create(&mut rig, 4);
    create(&mut rig, 9);
    assert_eq!(
        join(&mut rig, [2, 1], [50, 0]),
        None,
        "the second joins the first"
    );
    assert_eq!((rig.running(), rig.take_results(0)), (0, values([1, 1])));
    assert_eq!(join(&mut rig, [2, 1], FOR_EVER), refused(Error::EINVAL));
    advance(&mut rig, 50);
    assert_eq!(
        (rig.running(), rig.take_results(1)),
        (1, refused(Error::ETIMEDOUT))
    );
    exit(&mut rig, 0);
    assert_eq!(join(&mut rig, [2, 1], FOR_EVER), None);
    exit(&mut rig, 6);
    assert_eq!(rig.take_results(0), values([6]));
}

#[test]
fn a_thread_of_the_system_file_is_not_joined_and_its_id_dies_with_it() {
    let mut description = family();
    process(&mut description, &[4, 3]);
    let mut rig = Rig::boot(&description);
    exit(&mut rig, 0);
    assert_eq!(rig.running(), 3);
    let id = [4, 1];
    assert_eq!(rig.thread(4).serial.get(), 1);
    assert_eq!(join(&mut rig, id, FOR_EVER), refused(Error::EINVAL));
    assert_eq!(detach(&mut rig, id), refused(Error::EINVAL));
    sleep(&mut rig, 10);
    exit(&mut rig, 0);
    advance(&mut rig, 10);
    assert_eq!(join(&mut rig, id, FOR_EVER), refused(Error::ESRCH));
}

#[test]
fn a_process_whose_threads_have_all_exited_stays_alive() {
    let mut rig = Rig::boot(&family());
    exit(&mut rig, 0);
    assert!(rig.is_idle());
    assert!(rig.process(0).is_alive());
}

#[test]
fn joiners_of_several_threads_get_each_its_value() {
    let mut description = system();
    process(&mut description, &[9, 8]);
    spares(&mut description, 2);
    let mut rig = Rig::boot(&description);
    // 0 joins 3, 1 joins 2
    create(&mut rig, 4);
    create(&mut rig, 5);
    join(&mut rig, [3, 1], FOR_EVER);
    assert_eq!(rig.running(), 1);
    join(&mut rig, [2, 1], FOR_EVER);
    assert_eq!(rig.running(), 2);
    exit(&mut rig, 22);
    assert_eq!((rig.running(), rig.take_results(1)), (1, values([22])));
    exit(&mut rig, 0);
    exit(&mut rig, 33);
    assert_eq!((rig.running(), rig.take_results(0)), (0, values([33])));
}
