//! Programs with S code of their own on one hart: what is said of them as one,
//! against the kernel that runs them as several.

use std::collections::BTreeMap;

use giornata_abi::Duration;
use giornata_analysis::job::Breach;
use giornata_analysis::{
    Checked, ECode, NoSCode, NoSlots, NotAnalysable, Part, Safety, Times, attach, check, compose,
    slots,
};

use crate::machine::{Lateness, Machine, listed};
use crate::programs::sample;
use crate::scode::Scheduled;
use crate::seed::{Seed, cases};
use crate::threads::{MS, Written};

/// Two tasks each.
type Millis = [[u64; 2]; 2];

fn times_of(millis: [u64; 2]) -> Times {
    Times::from_list(millis.map(Duration::from_millis))
}

/// What the checker says of two programs, and the times of all tasks.
fn checked(modules: &[Scheduled; 2], millis: Millis) -> (Result<Checked, NotAnalysable>, Times) {
    let each = millis.map(times_of);
    let mut parts = Vec::new();
    for (index, name) in ["one", "other"].into_iter().enumerate() {
        parts.push(Part {
            name,
            program: &modules[index].program,
            times: &each[index],
        });
    }
    let (program, times) = compose(&parts).unwrap();
    let code = ECode::of(&program).unwrap();
    (check(&program, &code, &times), times)
}

/// What the kernel does for a while with times between nothing and the worst.
fn run(machine: &Machine, times: &Times, salt: Option<u64>, length: Duration) -> Lateness {
    let worst = times.all();
    let time = |task: u16, job: u32| {
        let worst = worst[usize::from(task)];
        match salt {
            None => worst,
            Some(salt) => {
                let drawn = Seed(salt ^ u64::from(task) << 32 ^ u64::from(job)).next();
                Duration(drawn % (worst.0 + 1))
            }
        }
    };
    machine.run(length, time, |_, _| true)
}

/// Says what the checker says, after the kernel has said the same.
fn verdict(modules: &[Scheduled; 2], millis: Millis, seed: &mut Seed) -> Safety {
    let (checked, times) = checked(modules, millis);
    let safety = checked.unwrap().safety;
    let machine = Machine::load_all(&[&modules[0].bytes, &modules[1].bytes]);
    match &safety {
        Safety::Safe => {
            let salts = [
                None,
                Some(seed.next()),
                Some(seed.next()),
                Some(seed.next()),
            ];
            for salt in salts {
                let late = run(&machine, &times, salt, Duration(60 * MS));
                assert!(late.is_none(), "{late:?}");
            }
        }
        Safety::Unsafe(witness) => {
            let late = machine.follow(witness, &times, Duration(40 * MS));
            let shared = matches!(witness.breach, Breach::Shared { .. });
            assert!(!late.is_none(), "{witness:?}");
            assert!(!shared || late.unshared > 0, "{witness:?}, {late:?}");
        }
        Safety::Unknown { .. } => {}
    }
    safety
}

/// Each task in its slot of the 10 ms: `[from, until]`, in order.
fn cut(of: [[u64; 2]; 2]) -> Scheduled {
    let mut written = Written::with(&[0]);
    for (task, [from, until]) in of.into_iter().enumerate() {
        if from > 0 {
            written = written.idle_for(from);
        }
        written = written.dispatch_for(task as u16, until);
    }
    written.idle_for(10).again(0).finish()
}

#[test]
fn programs_in_slots_of_their_own_share_the_hart() {
    let modules = [cut([[0, 2], [5, 7]]), cut([[2, 5], [7, 10]])];
    let safety = verdict(&modules, [[2, 2], [3, 3]], &mut Seed(1));
    assert_eq!(safety, Safety::Safe);
    let safety = verdict(&modules, [[2, 2], [4, 3]], &mut Seed(1));
    assert!(matches!(safety, Safety::Unsafe(_)), "a slot is too short");
}

#[test]
fn slots_of_two_programs_that_overlap_violate_time_share() {
    let modules = [cut([[0, 3], [5, 7]]), cut([[2, 5], [7, 10]])];
    let Safety::Unsafe(witness) = verdict(&modules, [[3, 2], [3, 3]], &mut Seed(1)) else {
        panic!("accepted");
    };
    let Breach::Shared { at, .. } = witness.breach else {
        panic!("{witness:?}");
    };
    assert_eq!(at.0, 2 * MS);
    // who has completed before the other's slot begins claims nothing
    let safety = verdict(&modules, [[2, 2], [3, 3]], &mut Seed(1));
    assert_eq!(safety, Safety::Safe);
}

#[test]
fn what_is_said_of_two_programs_is_what_the_kernel_does() {
    let mut seed = Seed(20);
    let runs = cases(400, 20_000);
    let mut found = BTreeMap::new();
    for _ in 0..runs {
        let mut draw = |most: u64| seed.next() % (most + 1);
        let mut millis = [[0; 2]; 2];
        // cuts of the 10 ms: mostly in turn, now and then over each other
        let mut cuts: Vec<u64> = (0..7).map(|_| draw(10)).collect();
        cuts.sort_unstable();
        let over = draw(3) / 3;
        let modules = [0, 1].map(|which| {
            let slot = |n: usize| [cuts[n].saturating_sub(over), cuts[n + 1].max(1)];
            cut([slot(which), slot(which + 3)])
        });
        for (which, times) in millis.iter_mut().enumerate() {
            for (task, time) in times.iter_mut().enumerate() {
                let at = which + 3 * task;
                *time = (cuts[at + 1] - cuts[at]).saturating_sub(draw(1)) + draw(9) / 9;
            }
        }
        let word = match verdict(&modules, millis, &mut seed) {
            Safety::Safe => "safe",
            Safety::Unsafe(witness) if matches!(witness.breach, Breach::Shared { .. }) => "shared",
            Safety::Unsafe(_) => "late",
            Safety::Unknown { .. } => "unknown",
        };
        *found.entry(word).or_insert(0) += 1;
    }
    assert!(!found.contains_key("unknown"), "{found:?}");
    let often = |word| found.get(word).is_some_and(|count| *count >= runs / 50);
    assert!(
        ["safe", "shared", "late"].into_iter().all(often),
        "{found:?}"
    );
}

/// Two programs of one mode, with slots if both together can be scheduled.
fn slotted(seed: &mut Seed) -> Option<([Scheduled; 2], [Times; 2], Duration)> {
    let samples = [sample(seed, 1), sample(seed, 1)];
    let each = samples.each_ref().map(|sample| {
        let halves = sample.times.all().iter().map(|time| Duration(time.0 / 2));
        Times::from_list(halves.collect::<Vec<_>>())
    });
    let part = |which: usize| Part {
        name: ["one", "other"][which],
        program: &samples[which].program,
        times: &each[which],
    };
    let (whole, times) = compose(&[part(0), part(1)]).unwrap();
    let threads = match slots(&whole, &times) {
        Ok(threads) => threads,
        Err(why) => {
            let none = matches!(
                why,
                NoSlots::Fractions | NoSlots::Schedule(NoSCode::Infeasible(_))
            );
            assert!(none, "{why:?}");
            return None;
        }
    };
    let mut modules = samples
        .iter()
        .zip(&threads)
        .map(|(sample, thread)| Scheduled::of(attach(&sample.bytes, thread).unwrap()));
    let both = [modules.next()?, modules.next()?];
    drop(modules);
    let length = samples[0].length.max(samples[1].length);
    Some((both, each, length))
}

#[test]
fn slots_that_are_made_for_two_programs_keep_every_job_in_time() {
    let mut seed = Seed(21);
    let (mut made, mut decided) = (0, 0);
    for _ in 0..cases(150, 2_500) {
        let Some((modules, each, length)) = slotted(&mut seed) else {
            continue;
        };
        made += 1;
        let part = |which: usize| Part {
            name: ["one", "other"][which],
            program: &modules[which].program,
            times: &each[which],
        };
        let (whole, times) = compose(&[part(0), part(1)]).unwrap();
        let code = ECode::of(&whole).unwrap();
        match check(&whole, &code, &times).unwrap().safety {
            Safety::Safe => decided += 1,
            Safety::Unknown { .. } => {}
            Safety::Unsafe(witness) => panic!("{witness:?}"),
        }
        let machine = Machine::load_all(&[&modules[0].bytes, &modules[1].bytes]);
        for salt in [None, Some(seed.next())] {
            let late = run(&machine, &times, salt, length);
            assert!(late.is_none(), "{late:?}");
        }
    }
    assert!(
        made >= 30 && decided * 10 >= made * 9,
        "{decided} of {made}"
    );
}

#[test]
fn a_program_without_s_code_beside_one_with_it_is_beyond_the_checker() {
    let modules = [cut([[0, 2], [5, 7]]), Written::with(&[]).finish()];
    let (refused, _) = checked(&modules, [[2, 2], [1, 1]]);
    let refused = refused.unwrap_err().to_string();
    assert!(
        refused.contains("leaves its tasks to the kernel"),
        "{refused}"
    );
}

#[test]
fn worst_case_times_hold_for_the_tasks_of_their_own_program() {
    let modules = [cut([[0, 4], [8, 9]]), cut([[4, 8], [9, 10]])];
    let times: Millis = [[4, 1], [4, 1]];
    assert_eq!(verdict(&modules, times, &mut Seed(3)), Safety::Safe);
    let (_, all) = checked(&modules, times);
    assert_eq!(all.all(), [4, 1, 4, 1].map(Duration::from_millis));
    let machine = Machine::load_all(&[&modules[0].bytes, &modules[1].bytes]);
    let executions = BTreeMap::new();
    let late = machine.run(Duration(40 * MS), listed(&executions, all.all()), |_, _| {
        true
    });
    assert_eq!(late.responses, [4, 9, 8, 10].map(|ms| ms * MS));
}
