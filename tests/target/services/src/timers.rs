//! Timers of one process, as `timers.toml` has them.

use giornata_rt::sync::Semaphore;
use giornata_rt::time::{self, Duration, Instant};
use giornata_rt::timer::{Expiry, Periodic, Timer};
use giornata_rt::{Error, log, shutdown, thread, yield_now};

use crate::{at, name, sleep_until, spend};

const ONCE_WAKES: Semaphore = Semaphore::new(0);
const SLOW_WAKES: Semaphore = Semaphore::new(1);
const OWN_WAKES: Semaphore = Semaphore::new(2);

/// More urgent than who sets it.
static ONCE: Timer = Timer::new(ONCE_WAKES, |_, expiry| tell("once", expiry));
/// Less urgent; its first call in a row takes two and a half periods.
static SLOW: Timer<bool> = Timer::new(SLOW_WAKES, overrun);
/// Less urgent; calls itself off.
static OWN: Timer<u32> = Timer::new(OWN_WAKES, stop_at_third);
/// For which there is no place.
static LEFT_OUT: Timer = Timer::new(OWN_WAKES, |_, expiry| tell("left out", expiry));

fn tell(who: &str, Expiry { at, missed }: Expiry) {
    let late = time::now().since(at) > Duration::from_micros(100);
    let late = if late { ", late" } else { "" };
    log!("{who}: {} us, missed {missed}{late}", at.0 / 1000);
}

fn overrun(is_quick: &mut bool, expiry: Expiry) {
    tell("slow", expiry);
    if !*is_quick {
        spend(Duration::from_micros(2500));
    }
    *is_quick = !*is_quick;
}

fn stop_at_third(calls: &mut u32, expiry: Expiry) {
    tell("own", expiry);
    *calls += 1;
    if *calls == 3 {
        log!("own cancels: {}", OWN.cancel());
    }
}

/// A thousand periods of 100 us beside threads that are more and less urgent.
#[thread]
pub(crate) fn every() {
    const PERIOD: Duration = Duration::from_micros(100);
    let Ok(mut every) = Periodic::new(at(5), PERIOD) else {
        return;
    };
    log!("no period: {}", name(&Periodic::new(at(5), Duration::ZERO)));
    let (mut missed, mut late) = (0, 0);
    let mut expected = at(5);
    for _ in 0..1000 {
        let Ok(expiry) = every.wait() else { return };
        missed += expiry.missed;
        let is_late = expiry.at != expected || time::now().since(expected) >= PERIOD;
        late += u32::from(is_late);
        expected = expected + PERIOD;
    }
    log!("1000 periods, {missed} missed, {late} late");
    for periods in [1, 3, 0] {
        spend(Duration(periods * PERIOD.0 + PERIOD.0 / 4));
        if let Ok(expiry) = every.wait() {
            tell("every", expiry);
        }
    }
}

/// Takes 30 us of each millisecond from everybody.
#[thread]
pub(crate) fn burst() {
    let every = Periodic::new(at(1), Duration::from_millis(1));
    let Ok(mut every) = every else { return };
    while every.wait().is_ok_and(|expiry| expiry.at < at(104)) {
        spend(Duration::from_micros(30));
    }
}

/// Takes what is left.
#[thread]
pub(crate) fn load() {
    loop {
        yield_now();
    }
}

/// Sets timers and cancels them.
#[thread]
pub(crate) fn drive() {
    sleep_until(120);
    log!("set before its start: {}", name(&ONCE.set(at(121))));
    log!("too urgent: {}", name(&ONCE.start(71, ())));
    let once = ONCE.start(50, ());
    log!("start: {}", name(&once));
    log!("start again: {}", name(&ONCE.start(50, ())));
    log!("slow: {}", name(&SLOW.start(30, false)));
    log!("own: {}", name(&OWN.start(30, 0)));
    log!("no place: {}", name(&LEFT_OUT.start(30, ())));
    sleep_until(122);

    log!("is passed: {}", name(&ONCE.set(Instant(119_999_000))));
    log!("at the start: {}", name(&ONCE.set(Instant::START)));
    log!("set: {}", name(&ONCE.set(at(125))));
    log!("set again: {}", name(&ONCE.set(at(124))));
    sleep_until(127);

    log!("set: {}", name(&ONCE.set(at(129))));
    log!("cancel: {}", ONCE.cancel());
    log!("cancel again: {}", ONCE.cancel());
    let never = ONCE.set_periodic(at(128), Duration::ZERO);
    log!("no period: {}", name(&never));
    sleep_until(130);

    log!("due while others run: {}", name(&SLOW.set(at(131))));
    spend(Duration::from_millis(2));
    log!("cancel in time: {}", SLOW.cancel());
    sleep_until(134);

    log!("set: {}", name(&SLOW.set(at(135))));
    sleep_until(136);
    log!("cancel while it runs: {}", SLOW.cancel());
    sleep_until(139);
    log!("cancel when it is done: {}", SLOW.cancel());

    let period = Duration::from_millis(1);
    let _ = SLOW.set(at(140));
    sleep_until(141);
    log!("periods: {}", name(&SLOW.set_periodic(at(142), period)));
    // between its third expiry, which comes late, and its fourth
    let _ = time::sleep_until(at(144) + Duration::from_micros(800));
    log!("cancel periods: {}", SLOW.cancel());
    sleep_until(150);

    log!("periods: {}", name(&OWN.set_periodic(at(151), period)));
    sleep_until(157);
    log!("cancelled: {}", OWN.cancel());
    log!(
        "set to periods: {}",
        name(&ONCE.set_periodic(at(158), period))
    );
    spend(Duration::from_micros(1400));
    log!("set to one: {}", name(&ONCE.set(at(161))));
    sleep_until(164);

    log!("delete: {}", name(&ONCE_WAKES.delete()));
    let end: Option<Error> = once.and_then(|once| once.join()).ok().flatten();
    log!("it ends with {}", end.map_or("nothing", Error::name));
    log!("set: {}", name(&ONCE.set(at(165))));
    log!("not stopped: {}", shutdown(0).name());
}
