//! Random programs: the model keeps its invariants in them, they reach what there is to
//! reach, and a kernel that is wrong is found and told in few steps.

mod faulty;

use giornata_test_model::compare::compare;
use giornata_test_model::model::Event;
use giornata_test_model::random::{Dice, Menu, Program, Scope, system};
use giornata_test_model::{Model, System};
use std::collections::BTreeMap;

/// Steps of one system.
const LENGTH: usize = 150;

fn model(system: &System) -> Model {
    Model::new(system)
}

#[test]
fn the_model_keeps_its_invariants_and_does_the_same_again() {
    let (mut made, mut seed) = (0, 0);
    while made < 60_000 {
        for menu in Menu::ALL {
            match compare(&model, menu, Scope::ALL, seed, LENGTH) {
                Ok(steps) => made += steps,
                Err(difference) => panic!("{difference}"),
            }
        }
        seed += 1;
    }
}

/// The name of a call, and what it came to.
fn outcome(event: &Event, model: &Model, before: Option<usize>) -> Option<(String, String)> {
    use giornata_test_model::model::Resumption::Returns;
    let Event::Call(request) = event else {
        return None;
    };
    let text = format!("{request:?}");
    let name = text.split([' ', '{']).next()?.to_owned();
    let came_to = match model.resumption(before?) {
        Returns(reply) if model.runs() == before => match reply.error() {
            Some(error) => format!("{error:?}"),
            None => "success".into(),
        },
        _ => "another runs".into(),
    };
    Some((name, came_to))
}

#[test]
fn random_programs_reach_what_calls_can_come_to() {
    let mut seen: BTreeMap<(String, String), usize> = BTreeMap::new();
    for seed in 0..250 {
        for menu in Menu::ALL {
            let dice = &mut Dice(seed);
            let system = system(dice, menu, Scope::ALL);
            let mut model = Model::new(&system);
            let mut program = Program::new(menu, Scope::ALL, system.threads.len());
            for _ in 0..LENGTH {
                let Some((event, now)) = program.next(dice, &mut model) else {
                    break;
                };
                let before = model.runs();
                model.apply(&event, now);
                model.check_invariants();
                if let Some(outcome) = outcome(&event, &model, before) {
                    *seen.entry(outcome).or_default() += 1;
                }
            }
        }
    }
    let expected = [
        (
            "Lock",
            "success another EBUSY EDEADLK EINVAL EPERM ESRCH ETIMEDOUT EOWNERDEAD",
        ),
        ("Unlock", "success another EPERM EINVAL ESRCH EOVERFLOW"),
        ("Wait", "another EPERM EINVAL ESRCH"),
        ("Signal", "success another EINVAL"),
        ("Broadcast", "success another EINVAL"),
        ("Send", "success another EAGAIN EINVAL EPERM ESRCH"),
        ("SendBytes", "success another EAGAIN EMSGSIZE EPERM ESRCH"),
        ("Receive", "success another EAGAIN EPERM ESRCH EMSGSIZE"),
        ("ReceiveBytes", "success another EAGAIN EBUSY EMSGSIZE"),
        ("Call", "another EDEADLK EAGAIN EPERM ESRCH"),
        ("ReplyReceive", "success another EINVAL"),
        ("Forward", "success another EINVAL EDEADLK"),
        ("CreateThread", "success another EAGAIN EPERM"),
        ("JoinThread", "success another EBUSY EDEADLK EINVAL ESRCH"),
        ("DetachThread", "success EINVAL ESRCH"),
        ("CreateProcess", "success EEXIST EPERM ESRCH"),
        ("KillProcess", "success EPERM ESRCH"),
        ("AwaitProcess", "success another EAGAIN EPERM"),
        ("CreateObject", "success EEXIST EPERM ESRCH"),
        ("DeleteObject", "success another EPERM ESRCH"),
        ("OpenObject", "success ESRCH"),
        ("SetPriority", "success another EINVAL EPERM ESRCH"),
        ("AwaitInterrupt", "success another EPERM EBUSY"),
        ("Yield", "success another"),
    ];
    for (name, outcomes) in expected {
        for outcome in outcomes.split(' ') {
            let is_it =
                |(call, came_to): &(String, String)| call == name && came_to.starts_with(outcome);
            let count: usize = seen
                .iter()
                .filter(|(key, _)| is_it(key))
                .map(|(_, n)| n)
                .sum();
            assert!(count > 0, "{name} never came to {outcome}");
        }
    }
}
