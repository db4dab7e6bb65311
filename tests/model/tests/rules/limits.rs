//! Rule 12: whose budget pays, and who falls when it is used up.

use super::stage::*;
use giornata_test_model::System;
use giornata_test_model::system::BudgetSpec;

const BUDGET: BudgetSpec = BudgetSpec {
    capacity: 10,
    period: 100,
    background: 1,
};

fn with_budgets(priorities: &[u8], whose: &[usize]) -> System {
    let mut system = threads(priorities);
    for thread in whose {
        system.threads[*thread].budget = Some(BUDGET);
    }
    system
}

#[test]
fn the_nearest_budget_from_the_head_of_the_chain_pays() {
    let mut system = with_budgets(&[9, 5], &[0, 1]);
    let m = system.mutex();
    let mut stage = Stage::new(&system);
    stage
        .sleep(0, 2)
        .lock(1, m)
        .pass(2)
        .lock(0, m)
        .runs(1)
        .pass(5);
    assert_eq!(stage.model.budget(1), 8, "two ticks of its own");
    assert_eq!(stage.model.budget(0), 7, "three for its owner");
}

#[test]
fn an_owner_pays_itself_for_a_donor_without_a_budget() {
    let mut system = with_budgets(&[9, 5], &[1]);
    let m = system.mutex();
    let mut stage = Stage::new(&system);
    stage
        .sleep(0, 2)
        .lock(1, m)
        .pass(2)
        .lock(0, m)
        .runs(1)
        .pass(5);
    assert_eq!(stage.model.budget(1), 5);
}

#[test]
fn exhaustion_moves_whom_the_budget_belongs_to() {
    let mut system = with_budgets(&[9, 5, 3], &[0]);
    let m = system.mutex();
    let mut stage = Stage::new(&system);
    stage
        .sleep(0, 2)
        .sleep(1, 3)
        .lock(2, m)
        .pass(2)
        .lock(0, m)
        .runs(2);
    stage.pass(3).runs(2);
    // the donor has paid ten ticks: it falls, and its owner with it
    stage.pass(12).runs(1);
    assert_eq!(stage.model.place(0).unwrap().priority, 1);
    stage.sleep(1, 200).runs(2).pass(100).runs(2);
    assert_eq!(stage.model.place(0).unwrap().priority, 9, "replenished");
}

#[test]
fn an_exhausted_owner_still_runs_on_the_place_of_a_donor() {
    let mut system = with_budgets(&[9, 5, 7], &[1]);
    let m = system.mutex();
    let mut stage = Stage::new(&system);
    stage.sleep(0, 20).sleep(2, 15).lock(1, m).pass(15).runs(2);
    assert_eq!(stage.model.place(1).unwrap().priority, 1);
    stage.pass(20).lock(0, m).runs(1).unlock(1, m).runs(0);
}
