//! The bodies and tables that the attributes generate, called as the kernel
//! and the simulator call them.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use giornata_rt::abi::call::{Answer, Call};
use giornata_rt::abi::process::{Direction, Function, FunctionKind, TABLE_MAGIC};
use giornata_rt::host::{self, Memory};
use giornata_rt::{Control, driver, process, task, thread};

#[giornata_rt::value]
#[derive(Debug, Default, PartialEq)]
struct Pose {
    x: f32,
    y: f32,
    heading: f32,
}

mod flight {
    use super::Pose;
    use giornata_rt::{driver, task};

    /// Outputs before inputs, a bool among them: the block has inputs first.
    #[task]
    pub(super) fn steer(
        torque: &mut [f32; 2],
        pose: &super::Pose,
        armed: &bool,
        #[state(Default::default)] sum: &mut f32,
        saturated: &mut bool,
    ) {
        *sum += pose.heading;
        *torque = if *armed { [*sum, -*sum] } else { [0.0; 2] };
        *saturated = *sum > 1.0;
    }

    #[driver]
    pub(super) fn is_near(pose: &Pose, limit: &f32) -> bool {
        pose.x * pose.x + pose.y * pose.y < limit * limit
    }
}

#[driver]
fn origin() -> Pose {
    Pose {
        x: 1.0,
        y: 2.0,
        heading: 3.0,
    }
}

#[driver]
fn count(#[state(u32::default)] calls: &mut u32) -> usize {
    *calls += 1;
    *calls as usize
}

#[task]
fn fail(value: &u8, out: &mut u64) {
    *out = 99;
    giornata_rt::log!("on its way");
    assert!(*value == 0, "stopped on its way");
}

#[task]
fn idle() {}

#[thread]
fn serve(control: Control) -> ! {
    assert_eq!(control.job(), 4);
    giornata_rt::thread::exit()
}

#[thread]
fn once() {}

use flight::steer;
process! { tasks: [steer, fail, idle], drivers: [flight::is_near, origin, count], threads: [serve, once] }

fn function(name: &str) -> Function {
    *process()
        .functions
        .iter()
        .find(|function| function.name == name)
        .expect(name)
}

/// A block with these 8-byte words.
fn call<const N: usize>(name: &str, block: &mut [u64; N]) -> usize {
    (function(name).body)(block.as_mut_ptr().cast())
}

fn two(a: f32, b: f32) -> u64 {
    (b.to_bits() as u64) << 32 | a.to_bits() as u64
}

#[test]
fn the_table_lists_kinds_and_names_in_order() {
    let table = process();
    assert_eq!(table.magic, TABLE_MAGIC);
    let listed: Vec<_> = table
        .functions
        .iter()
        .map(|function| (function.kind, function.name))
        .collect();
    use FunctionKind::*;
    assert_eq!(
        listed,
        [
            (Task, "steer"),
            (Task, "fail"),
            (Task, "idle"),
            (Driver, "is_near"),
            (Driver, "origin"),
            (Driver, "count"),
            (Thread, "serve"),
            (Thread, "once"),
        ]
    );
}

#[test]
fn parameters_are_listed_in_block_order_and_states_last() {
    let parameters: Vec<_> = function("steer")
        .parameters
        .iter()
        .map(|p| (p.direction, p.size, p.type_name))
        .collect();
    use Direction::*;
    assert_eq!(
        parameters,
        [
            (Input, 12, "Pose"),
            (Input, 1, "bool"),
            (Output, 8, "[f32;2]"),
            (Output, 1, "bool"),
            (State, 4, "f32")
        ]
    );
}

#[test]
fn a_guard_has_a_trailing_bool_output_and_answers() {
    let parameters: Vec<_> = function("is_near")
        .parameters
        .iter()
        .map(|p| (p.direction, p.size, p.type_name))
        .collect();
    use Direction::*;
    assert_eq!(
        parameters,
        [(Input, 12, "Pose"), (Input, 4, "f32"), (Output, 1, "bool")]
    );
    let mut block = [two(3.0, 4.0), 0, two(6.0, 0.0), 7];
    assert_eq!((call("is_near", &mut block), block[3]), (1, 1));
    block[2] = two(4.0, 0.0);
    assert_eq!((call("is_near", &mut block), block[3]), (0, 0));
}

#[test]
fn a_returned_value_is_the_last_output() {
    let mut block = [0, 0];
    assert_eq!(call("origin", &mut block), 0);
    assert_eq!(block, [two(1.0, 2.0), two(3.0, 0.0)]);
}

#[test]
fn a_returned_word_is_the_answer_and_has_no_place_in_the_block() {
    assert!(
        function("count")
            .parameters
            .iter()
            .all(|p| p.direction == Direction::State)
    );
    Memory::new().run(|| assert_eq!((call("count", &mut []), call("count", &mut [])), (1, 2)));
}

#[test]
fn states_last_from_job_to_job_and_begin_anew_after_a_restart() {
    let mut memory = Memory::new();
    let job = |memory: &mut Memory| {
        let mut block = [two(0.0, 0.0), two(0.75, 0.0), 2, 0, 0];
        memory.run(|| call("steer", &mut block));
        (block[3], block[4])
    };
    assert_eq!(job(&mut memory), (two(0.75, -0.75), 0));
    assert_eq!(job(&mut memory), (two(1.5, -1.5), 1));
    assert_eq!(job(&mut Memory::new()), (two(0.75, -0.75), 0));
}

#[test]
fn outputs_leave_a_job_at_its_end_only() {
    static SEEN: AtomicU64 = AtomicU64::new(0);
    let mut block = [0, 7];
    let output = &raw const block[1] as usize;
    host::set_hook(move |request| {
        assert_eq!(request.number, Call::Log as usize);
        // SAFETY: the block outlives the call of the body.
        let value = unsafe { (output as *const u64).read_volatile() };
        SEEN.store(value, Relaxed);
        Answer::DONE
    });
    call("fail", &mut block);
    host::clear_hook();
    assert_eq!((SEEN.load(Relaxed), block[1]), (7, 99));
}

#[test]
fn a_job_that_panics_faults_with_its_message_and_leaves_its_outputs() {
    static TEXT: Mutex<String> = Mutex::new(String::new());
    host::set_hook(|request| {
        let [address, length, ..] = request.arguments;
        if request.number == Call::Panic as usize {
            // SAFETY: the message of the panic that is being handled.
            let text = unsafe { std::slice::from_raw_parts(address as *const u8, length) };
            *TEXT.lock().unwrap() = String::from_utf8_lossy(text).into_owned();
        }
        Answer::DONE
    });
    let mut block = [1, 7];
    assert_eq!(call("fail", &mut block), 0);
    host::clear_hook();
    assert_eq!(
        (TEXT.lock().unwrap().as_str(), block[1]),
        ("stopped on its way", 7)
    );
}

#[test]
fn a_call_that_does_not_return_leaves_the_body_and_tells_the_hook() {
    static NUMBER: AtomicU64 = AtomicU64::new(99);
    host::set_hook(|request| {
        NUMBER.store(request.number as u64, Relaxed);
        Answer::DONE
    });
    let mut page = [0u64; 6];
    // the job is the third word
    page[1] = 4;
    assert_eq!(call("serve", &mut page), 0);
    host::clear_hook();
    assert_eq!(NUMBER.load(Relaxed), Call::Exit as u64);
}

#[test]
fn functions_stay_ordinary_functions() {
    assert_eq!(
        origin(),
        Pose {
            x: 1.0,
            y: 2.0,
            heading: 3.0
        }
    );
    let mut sum = 0.0;
    let (mut torque, mut saturated) = ([0.0; 2], false);
    steer(
        &mut torque,
        &Pose::default(),
        &true,
        &mut sum,
        &mut saturated,
    );
    assert!(!saturated);
    let mut block = [];
    assert_eq!((call("idle", &mut block), call("once", &mut [])), (0, 0));
    idle();
}
