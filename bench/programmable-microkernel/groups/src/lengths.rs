//! How long jobs are.

/// Microseconds of a job at 100 MHz, by length and count of the tasks: the
/// published utilisation less the published share of the microkernel, of 60 ms,
/// by the jobs in them ("A Programmable Microkernel for Real-Time Systems",
/// Tables 1 to 3, the rows of EDF S code). Also read by what runs the suite.
pub(crate) const LENGTHS: [(&str, u32); 12] = [
    ("long_4", 4_065),
    ("long_10", 1_409),
    ("long_50", 286),
    ("long_100", 102),
    ("medium_4", 1_730),
    ("medium_10", 576),
    ("medium_50", 125),
    ("medium_100", 72),
    ("short_4", 1_730),
    ("short_10", 576),
    ("short_50", 74),
    ("short_100", 38),
];
