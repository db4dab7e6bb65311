//! The timer's thread against a kernel that expects certain calls.

use super::*;
use crate::script::{EVER, expect};
use giornata_abi::call::Call;
use std::vec::Vec;

const SEMAPHORE: Semaphore = Semaphore::new(5);
const GONE: Option<Error> = Some(Error::EIDRM);
const COMES: Option<Error> = Some(Error::ETIMEDOUT);

/// Puts the state where the thread finds it, and does what the thread does.
fn serve<S: Send>(timer: &'static Timer<S>, state: S) -> Error {
    let created = timer.start(9, state);
    assert!(created.is_ok());
    timer.serve()
}

fn note(expiries: &mut Vec<Instant>, expiry: Expiry) {
    expiries.push(expiry.at);
}

#[test]
fn a_timer_that_is_not_set_waits_for_ever() {
    static TIMER: Timer<Vec<Instant>> = Timer::new(SEMAPHORE, note);
    let script = expect([
        (Call::CreateThread, &[], None),
        (Call::Lock, &[5, EVER, EVER], GONE),
    ]);
    assert_eq!(serve(&TIMER, Vec::new()), Error::EIDRM);
    script.finish();
}

#[test]
fn one_shot_is_one_call_and_periods_do_not_drift() {
    static TIMER: Timer<Vec<Instant>> = Timer::new(SEMAPHORE, note);
    let script = expect([
        (Call::Unlock, &[5], None),
        (Call::CreateThread, &[], None),
        (Call::Lock, &[5, 40, 0], None),
        (Call::Lock, &[5, 40, 0], COMES),
        (Call::Clock, &[], None),
        (Call::Lock, &[5, EVER, EVER], GONE),
    ]);
    TIMER.set(Instant(40)).unwrap();
    assert_eq!(serve(&TIMER, Vec::new()), Error::EIDRM);
    script.finish();

    static PERIODIC: Timer<Vec<Instant>> = Timer::new(SEMAPHORE, note);
    let script = expect([
        (Call::Unlock, &[5], Some(Error::EOVERFLOW)),
        (Call::CreateThread, &[], None),
        (Call::Lock, &[5, 0, 0], Some(Error::EBUSY)),
        (Call::Clock, &[], None),
        (Call::Lock, &[5, 30, 0], COMES),
        (Call::Clock, &[], None),
        (Call::Lock, &[5, 60, 0], GONE),
    ]);
    let period = Duration(30);
    PERIODIC.set_periodic(Instant::START, period).unwrap();
    assert_eq!(serve(&PERIODIC, Vec::new()), Error::EIDRM);
    // SAFETY: the thread has ended.
    let expiries = unsafe { PERIODIC.seat.state() };
    assert_eq!(*expiries, [Instant(0), Instant(30)]);
    script.finish();
}

#[test]
fn a_handler_cancels_and_sets_its_own_timer() {
    static TIMER: Timer<u32> = Timer::new(SEMAPHORE, again);
    fn again(left: &mut u32, expiry: Expiry) {
        assert!(!TIMER.cancel(), "it runs");
        *left -= 1;
        if *left > 0 {
            TIMER.set(expiry.at + Duration(7)).unwrap();
        }
    }
    let script = expect([
        (Call::Unlock, &[5], None),
        (Call::CreateThread, &[], None),
        (Call::Lock, &[5, 10, 0], COMES),
        (Call::Clock, &[], None),
        (Call::Unlock, &[5], None),
        (Call::Lock, &[5, 17, 0], None),
        (Call::Lock, &[5, 17, 0], COMES),
        (Call::Clock, &[], None),
        (Call::Lock, &[5, EVER, EVER], GONE),
    ]);
    let period = Duration(1);
    TIMER.set_periodic(Instant(10), period).unwrap();
    assert_eq!(serve(&TIMER, 2), Error::EIDRM);
    assert!(!TIMER.cancel());
    script.finish();
}

#[test]
fn a_timer_whose_thread_cannot_be_woken_is_not_set() {
    let timer: Timer<()> = Timer::new(SEMAPHORE, |_, _| ());
    let script = expect([(Call::Unlock, &[5], Some(Error::ESRCH))]);
    assert_eq!(timer.set(Instant(1)), Err(Error::ESRCH));
    assert!(!timer.cancel());
    assert_eq!(
        timer.set_periodic(Instant(1), Duration::ZERO),
        Err(Error::EINVAL)
    );
    script.finish();
}
