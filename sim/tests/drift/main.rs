//! Zero drift: the k-th release lies at round(k P / f), whatever the timer's rate.
//! The long form is the example `drift`.

mod releases;

#[test]
fn a_million_releases_at_rates_that_divide_nothing_do_not_drift() {
    for (hertz, period, frequency) in [(3_686_400, 10_000_000, 3), (9_999_991, 1_000_000, 7)] {
        let outcome = releases::release(500_000, hertz, period, frequency);
        assert_eq!(outcome.releases, 500_000);
        assert_eq!(outcome.wrong, 0);
        assert!(
            outcome.latest_ticks <= 1,
            "an alarm rings in the tick of its instant"
        );
    }
}

#[test]
fn a_coarse_timer_rounds_alarms_and_never_instants() {
    for frequency in [1, 11, 9_973] {
        let outcome = releases::release(20_000, 32_768, 1_000_000_000, frequency);
        assert_eq!((outcome.releases, outcome.wrong), (20_000, 0));
    }
}
