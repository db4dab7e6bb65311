//! Random programs of threads do what the model says.
//!
//! `GIORNATA_LONG` in the environment makes it many more steps; `MODEL_STEPS` and `MODEL_SEED` in the environment set how many steps are compared, from
//! which seed on.

use giornata_test_model::System;
use giornata_test_model::compare::compare;
use giornata_test_model::random::{Menu, Scope};

use crate::host::Host;

/// Steps of one system.
const LENGTH: usize = 150;
/// Steps in all.
const STEPS: usize = if cfg!(miri) { 500 } else { 100_000 };
/// The same of the long form.
const LONG_STEPS: usize = 2_000_000;

/// What the kernel can do.
pub(crate) const SCOPE: Scope = Scope {
    // (threads have none, jobs have)
    deadlines: false,
    ..Scope::ALL
};

pub(crate) fn host(system: &System) -> Host {
    Host::new(system)
}

fn from_environment(name: &str) -> Option<u64> {
    std::env::var(name).ok()?.parse().ok()
}

/// Compares a menu for its share of the steps.
fn compare_random_programs(menu: Menu) {
    let usual = match std::env::var_os("GIORNATA_LONG") {
        Some(_) => LONG_STEPS,
        None => STEPS,
    };
    let steps = from_environment("MODEL_STEPS").map_or(usual, |steps| steps as usize);
    let mut seed = from_environment("MODEL_SEED").unwrap_or(0);
    let mut made = 0;
    while made < steps / Menu::ALL.len() {
        match compare(&host, menu, SCOPE, seed, LENGTH) {
            Ok(steps) => made += steps,
            Err(difference) => panic!("{difference}"),
        }
        seed += 1;
    }
}

#[test]
fn threads_lock_wait_and_signal_as_the_model_says() {
    compare_random_programs(Menu::Locks);
}

#[test]
fn messages_come_and_go_as_the_model_says() {
    compare_random_programs(Menu::Mailboxes);
}

#[test]
fn clients_and_servers_do_what_the_model_says() {
    compare_random_programs(Menu::Calls);
}

#[test]
fn threads_and_processes_come_and_go_as_the_model_says() {
    compare_random_programs(Menu::Lives);
}

#[test]
fn everything_together_does_what_the_model_says() {
    compare_random_programs(Menu::All);
}
