//! Which kinds of threads may make which calls.

use giornata_abi::Error;
use giornata_abi::call::{Call, Callers};
use giornata_abi::posix;

use crate::support::{CALL, End, World};

/// A task that is released once, behind an upcall.
const SOURCE: &str = "
    port p i32 output
    task t
    driver ask writes p
    start a
a:  call ask
    release t, 10ms
    return
";

/// A world in which the upcall runs.
fn in_upcall() -> World {
    let mut world = World::new(&[SOURCE]);
    world.answers("ask", &[End::Returned(0)]);
    world.system.budget = 1_000_000;
    world.holds_upcalls = true;
    world.begin();
    world
}

/// A world in which the task runs.
fn in_job() -> World {
    let mut world = in_upcall();
    let _ = world.rig().call(Call::Return, [0; 6]);
    world.attend();
    assert_eq!(world.running_task(), Some(0));
    world
}

/// A world in which an ordinary thread runs.
fn in_thread() -> World {
    let mut world = in_job();
    world.rig().raise(CALL);
    assert_eq!(world.rig().running(), 0);
    world
}

/// The running thread makes all calls that are not its own, and some that do not exist:
/// it is told so, and goes on. Returns how many there are that are not its own.
fn makes_no_call_of_others(mut world: World, may: fn(Callers) -> bool) -> usize {
    let running = world.rig().running();
    let forbidden = Call::ALL.iter().filter(|call| !may(call.callers()));
    let mut count = 0;
    for call in forbidden {
        let results = world.rig().call(*call, [0; 6]).expect("it goes on");
        assert_eq!(results[0], Error::EPERM as usize, "{call:?}");
        assert_eq!(world.rig().running(), running, "{call:?}");
        world.rig().check_invariants();
        count += 1;
    }
    let behind = posix::CALL + usize::from(may(Callers::Thread));
    for number in [Call::COUNT, behind, 255, 256, 0x1_0001, usize::MAX] {
        let results = world.rig().call_number(number, [0; 6]).expect("it goes on");
        assert_eq!(results[0], Error::ENOSYS as usize, "{number}");
        world.rig().check_invariants();
    }
    count
}

#[test]
fn an_upcall_is_refused_all_but_its_return_a_panic_and_nothing() {
    let may = |callers| matches!(callers, Callers::All | Callers::Upcall);
    assert_eq!(makes_no_call_of_others(in_upcall(), may), Call::COUNT - 3);
}

#[test]
fn a_task_is_refused_what_blocks_or_changes_others() {
    let may = |callers| matches!(callers, Callers::All | Callers::Any | Callers::Task);
    let count = Call::COUNT - Call::OF_TASKS + 1;
    assert_eq!(makes_no_call_of_others(in_job(), may), count);
}

#[test]
fn a_thread_neither_completes_nor_returns() {
    let may = |callers| !matches!(callers, Callers::Task | Callers::Upcall);
    assert_eq!(makes_no_call_of_others(in_thread(), may), 2);
}

#[test]
fn a_task_makes_the_calls_that_all_but_upcalls_make() {
    let mut world = in_job();
    let task = world.rig().running();
    let port = world.port("p");
    let mut call = |call, arguments| {
        let results = world.rig().call(call, arguments).expect("it goes on");
        assert_eq!(world.rig().running(), task);
        world.rig().check_invariants();
        results
    };
    for simple in [Call::Null, Call::Yield, Call::Clock, Call::CpuTime] {
        assert_eq!(call(simple, [0; 6])[0], 0, "{simple:?}");
    }
    assert_eq!(call(Call::Log, [4, 0, 0, 0, 0, 0])[0], 0);
    assert_eq!(call(Call::Own, [0; 6])[..2], [0, task]);
    // (its process is granted neither)
    for granted in [Call::Shutdown, Call::ReadPort] {
        let results = call(granted, [port, 0, 0, 0, 0, 0]);
        assert_eq!(results[0], Error::EPERM as usize, "{granted:?}");
    }
}
