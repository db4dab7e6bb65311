//! Every kind of wait, ended by every pair of what can end it at one instant, in both orders:
//! a thread returns from its wait once, with what one of the two says, and nobody who would
//! have woken it knows it any more.

mod planted;
mod stage;

use giornata_abi::Error;

use crate::stage::{Action, Stage, T, WAITER, Wait};

/// What a wait may return if it ended by one of these.
fn allowed(wait: Wait, action: Action) -> Vec<usize> {
    let errors: &[Error] = match action {
        Action::Event => return vec![0],
        Action::Death | Action::Priority => &[],
        Action::Timeout => &[Error::ETIMEDOUT],
        // (a call is not interrupted: its reply may be on the way)
        Action::Signal if wait.is_call() => &[],
        Action::Signal => &[Error::EINTR],
        Action::PartnerDeath if wait.is_call() => &[Error::EIDRM],
        Action::PartnerDeath => &[],
        // (a thread that waits for a condition finds that it is no more, or its mutex)
        Action::Delete => &[Error::EIDRM],
    };
    errors.iter().map(|error| *error as usize).collect()
}

/// One system: `wait` is ended by `first`, then by `second`, before the thread runs.
fn run(wait: Wait, first: Action, second: Action) {
    let name = format!("{wait:?}, {first:?} before {second:?}");
    let mut stage = Stage::new(wait, first, second);
    stage.begin();
    stage.advance_to(T);
    stage.act();
    stage.settle();
    let returned = stage.returned.clone();
    let actions = [first, second];
    assert!(returned.len() <= 1, "{name}: returned {returned:?}");
    if let [answer] = returned[..] {
        let possible = actions
            .iter()
            .any(|&action| action.is_possible(wait) && allowed(wait, action).contains(&answer));
        assert!(possible, "{name}: returned {answer}");
    }
    if actions.contains(&Action::Death) {
        let restarts = stage.rig.process(stage::OWN).generation.get();
        assert_eq!(restarts, 1, "{name}: the process was restarted once");
    }
    let ends = actions.iter().any(|&action| action.ends(wait));
    // (a partner that has begun anew does not serve what lies in the mailbox)
    let may_stay = wait == Wait::QueuedCall
        && actions.contains(&Action::PartnerDeath)
        && actions.contains(&Action::Event);
    assert!(
        may_stay || ends == (returned.len() == 1 || stage.restarted),
        "{name}: the wait has ended: {}",
        !ends
    );
    stage.probe(&name);
}

#[test]
fn a_wait_ends_once_by_whichever_of_two_causes_comes_first() {
    let mut runs = 0;
    for wait in Wait::ALL {
        let possible = Action::ALL.into_iter();
        let possible: Vec<Action> = possible.filter(|action| action.is_possible(wait)).collect();
        for &first in &possible {
            for &second in possible.iter().filter(|&&second| second != first) {
                run(wait, first, second);
                runs += 1;
            }
        }
    }
    assert!(runs > 300, "{runs} runs");
}

#[test]
fn a_line_whose_wait_was_interrupted_is_kept_for_the_next_that_awaits_it() {
    let mut stage = Stage::new(Wait::Line, Action::Signal, Action::Priority);
    stage.begin();
    stage.advance_to(T);
    stage.act();
    stage.raise();
    stage.signal_return();
    assert_eq!(stage.returned, [Error::EINTR as usize]);
    assert_eq!(stage.await_line(), Some(0), "the line has come");
    assert_eq!(stage.await_line(), None, "it has come once");
    stage.raise();
    assert_eq!(stage.rig.running(), WAITER);
}
