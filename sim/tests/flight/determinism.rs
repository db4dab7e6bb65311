//! LET determinism: the port trace does not depend on when jobs run, as long as
//! they are done in time.

use crate::system::{Flight, is_trouble};
use giornata_abi::{Duration, Instant};
use giornata_sim::trace::{port_piece, ports, switches};
use giornata_sim::{Chance, Scheduler, Work};
use giornata_trace::Event;

/// Ten seconds, and what happens at their last instant.
const FLIGHT: Instant = Instant(10_009_000_000);
/// Random assignments of execution times, and those of the short form.
const RUNS: [u64; 2] = [1_000, 200];

/// How many there are: many if `GIORNATA_LONG` is in the environment.
fn runs() -> u64 {
    RUNS[usize::from(std::env::var_os("GIORNATA_LONG").is_none())]
}

/// Longest jobs, in ns: within the budgets, and together, with all upcalls of
/// an instant, less than the shortest period; so any scheduler that does not
/// idle is in time.
fn longest(flight: &Flight) -> impl Fn(Work) -> u64 + use<> {
    let times = [
        ("navigation", 990_000),
        ("control", 1_990_000),
        ("move_body", 1_990_000),
    ];
    let mut limits = vec![0; flight.model.threads.len()];
    for (task, limit) in times.into_iter().chain([("logger", 4_000_000)]) {
        limits[flight.task(task) as usize] = limit;
    }
    move |work| match work {
        Work::Job(thread) => limits[thread as usize],
        Work::Upcall(_) => 20_000,
    }
}

/// One assignment: none, all or any part of the longest time.
fn time(seed: u64, work: Work, number: u32, longest: u64) -> Duration {
    let random = Chance::new(seed).draw(work, number);
    Duration(match random % 8 {
        0 => 0,
        1 => longest,
        _ => (random >> 8) % (longest + 1),
    })
}

#[test]
fn the_port_trace_is_the_same_under_all_execution_times_and_schedulers() {
    let flight = Flight::open("system");
    let longest = longest(&flight);
    let instant = flight.record(&flight.system, FLIGHT, |_, _| Duration::ZERO);
    assert!(!instant.iter().any(is_trouble));
    let reference = ports(&instant);
    assert!(reference.len() > 10_000, "{} pieces", reference.len());
    let schedules = Scheduler::ALL.map(|scheduler| flight.scheduled(scheduler));
    let fly = |seed: u64| {
        let system = &schedules[seed as usize % schedules.len()];
        let mut at = 0;
        let check = |event: &Event| {
            assert!(
                !is_trouble(event),
                "assignment {seed} is not time-safe: {event:?}"
            );
            if let Some(piece) = port_piece(event) {
                assert_eq!(Some(&piece), reference.get(at), "assignment {seed}");
                at += 1;
            }
        };
        let durations = |work, number| time(seed, work, number, longest(work));
        flight.fly(system, FLIGHT, durations, check);
        assert_eq!(at, reference.len(), "assignment {seed} wrote less");
    };
    // every thread has a part of them
    let parts = std::thread::available_parallelism().map_or(1, |n| n.get() as u64);
    std::thread::scope(|scope| {
        for part in 0..parts {
            let fly = &fly;
            scope.spawn(move || (part..runs()).step_by(parts as usize).for_each(fly));
        }
    });
}

#[test]
fn schedulers_decide_differently_and_the_port_trace_does_not_show_it() {
    let flight = Flight::open("system");
    let (longest, logger) = (longest(&flight), flight.task("logger"));
    let until = Instant(1_000_000_000);
    let runs = Scheduler::ALL.map(|scheduler| {
        let system = flight.scheduled(scheduler);
        flight.record(&system, until, |work, _| match work {
            // beyond the next release of the others: whoever preempts it shows
            Work::Job(thread) if thread == logger => Duration::from_millis(7),
            work => Duration(longest(work)),
        })
    });
    let [edf, _, fifo] = runs.each_ref().map(|events| switches(events));
    assert!(
        edf != fifo,
        "a logger that is not preempted delays the others"
    );
    let [edf, rm, fifo] = runs.map(|events| ports(&events));
    assert!(edf == rm && rm == fifo);
}

#[test]
fn generated_s_code_leaves_the_port_trace_as_it_is() {
    let default = Flight::open("system");
    let longest = longest(&default);
    let until = Instant(1_000_000_000);
    let programs = ["flight", "plant", "telemetry"];
    let fly = |schedules: [&str; 3]| {
        let changes = programs.into_iter().zip(schedules).map(|(name, schedule)| {
            let section =
                |schedule: &str| format!("source = \"{name}.giotto\"\nschedule = \"{schedule}\"");
            (section("edf"), section(schedule))
        });
        let changes: Vec<_> = changes.collect();
        let flight = Flight::changed("system", &changes);
        let coded = flight.names.programs.iter().filter(|p| p.schedule == "s");
        let events = flight.record(&flight.system, until, |work, _| Duration(longest(work)));
        assert!(!events.iter().any(is_trouble), "{schedules:?}");
        (coded.count(), ports(&events))
    };
    let (coded, reference) = fly(["edf", "edf", "edf"]);
    assert!(coded == 0 && reference.len() > 1_000);
    for schedules in [
        ["s:rm", "edf", "edf"],
        ["edf", "s:edf", "edf"],
        ["edf", "s:edf-nonpreemptive", "edf"],
        ["edf", "s:synchronous", "edf"],
    ] {
        let (coded, trace) = fly(schedules);
        assert!(coded == 1 && trace == reference, "{schedules:?}");
    }
}

#[test]
fn a_late_job_shows_in_the_port_trace_and_as_a_violation() {
    let flight = Flight::open("system");
    let reference = ports(&flight.record(&flight.system, FLIGHT, |_, _| Duration::ZERO));
    let late = flight.task("control");
    let events = flight.record(&flight.system, FLIGHT, |work, number| {
        match (work, number) {
            (Work::Job(thread), 100) if thread == late => Duration::from_millis(3),
            _ => Duration::ZERO,
        }
    });
    assert!(events.iter().any(is_trouble), "beyond its budget of 2 ms");
    assert!(ports(&events) != reference);
}
