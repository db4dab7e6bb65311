//! Random programs of threads do what the model says.
//!
//! `MODEL_STEPS` and `MODEL_SEED` in the environment set how many steps are compared, from
//! which seed on.

use giornata_test_model::compare::compare;
use giornata_test_model::random::{Menu, Scope};
use giornata_test_model::{Request, System};

use crate::host::Host;

/// Steps of one system.
const LENGTH: usize = 150;
/// Steps in all.
const STEPS: usize = 100_000;

/// Locks, semaphores, conditions.
const LOCKS: Scope = Scope {
    ceilings: true,
    calls: |request| {
        matches!(
            request,
            Request::Yield
                | Request::Exit { .. }
                | Request::Sleep { .. }
                | Request::AwaitInterrupt { .. }
                | Request::SetPriority { .. }
                | Request::CreateObject { .. }
                | Request::DeleteObject { .. }
                | Request::OpenObject { .. }
                | Request::Lock { .. }
                | Request::Unlock { .. }
                | Request::Wait { .. }
                | Request::Signal { .. }
                | Request::Broadcast { .. }
        )
    },
    ..SCOPE
};

/// What the kernel can do so far.
const SCOPE: Scope = Scope {
    deadlines: false,
    ceilings: false,
    private: false,
    published: false,
    announced: false,
    interrupts: true,
    faults: true,
    calls: |request| {
        matches!(
            request,
            Request::Yield
                | Request::Exit { .. }
                | Request::Sleep { .. }
                | Request::AwaitInterrupt { .. }
                | Request::CreateThread { .. }
                | Request::JoinThread { .. }
                | Request::DetachThread { .. }
                | Request::CreateProcess { .. }
                | Request::KillProcess { .. }
                | Request::AwaitProcess { .. }
        )
    },
};

fn host(system: &System) -> Host {
    Host::new(system)
}

/// Seeds from the environment, to hunt for differences; else from 0.
fn first_seed() -> u64 {
    let seed = std::env::var("MODEL_SEED").ok();
    seed.and_then(|seed| seed.parse().ok()).unwrap_or(0)
}

fn steps() -> usize {
    let steps = std::env::var("MODEL_STEPS").ok();
    steps.and_then(|steps| steps.parse().ok()).unwrap_or(STEPS)
}

/// Compares a menu for its share of the steps.
fn hunt(menu: Menu, scope: Scope) {
    let (mut made, mut seed) = (0, first_seed());
    while made < steps() / Menu::ALL.len() {
        match compare(&host, menu, scope, seed, LENGTH) {
            Ok(steps) => made += steps,
            Err(difference) => panic!("{difference}"),
        }
        seed += 1;
    }
}

#[test]
fn threads_and_processes_come_and_go_as_the_model_says() {
    hunt(Menu::Lives, SCOPE);
}

#[test]
fn locks_semaphores_and_conditions_do_as_the_model_says() {
    hunt(Menu::Locks, LOCKS);
}
