//! A program without any clock: an interrupt and a port threshold drive it.

use crate::support::{trace, verified};

const THERMOSTAT: &str = "
    irq door
    port temperature f32 input
    port heater u8 output
    task control in reading out power
    driver sample reads temperature writes reading
    driver apply reads power writes heater
    driver off writes heater
    driver alarm writes heater
    start a
a:  future irq(door), opened
    future temperature < 18.5, cold
    future completed(control), settled
    return
opened:
    call off
    future irq(door), opened
    return
cold:
    call sample
    release control, 10ms
    future temperature > 22.0, hot
    future completed(control), done
    return
done:
    call apply
    return
hot:
    call off
    call alarm
    future temperature < 18.5, cold
    return
settled:
    return
";

#[test]
fn an_event_triggered_program_is_accepted() {
    let verified = verified(THERMOSTAT).expect("nothing repeats in no time");
    assert_eq!(verified.threads, 0);
}

#[test]
fn an_event_triggered_program_runs_without_a_clock() {
    let celsius = |t: f32| t.to_bits() as u64;
    let trace = trace(&[THERMOSTAT], 100, |world| {
        world.takes("control", &[2.5]);
        world.holds("temperature", celsius(20.0));
        world.write_at(10.0, "temperature", celsius(19.0));
        world.write_at(20.0, "temperature", celsius(18.0));
        world.interrupt_at(21.0, "door");
        world.interrupt_at(30.0, "door");
        world.write_at(40.0, "temperature", celsius(23.5));
        world.write_at(50.0, "temperature", celsius(-3.0));
    });
    let expected = "@0ms @10ms \
        @20ms sample control!30ms run:control \
        @21ms off \
        @22500us control-done apply run:idle \
        @30ms off \
        @40ms off alarm \
        @50ms sample control!60ms run:control \
        @52500us control-done apply run:idle";
    assert_eq!(trace, expected);
}
