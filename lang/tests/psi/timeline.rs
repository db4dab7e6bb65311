//! The timelines of programs that the paper shows.

use giornata_lang::Options;
use giornata_lang::psi::compile;

use crate::machine::Machine;

const MS: u64 = 1_000_000;

/// Fig. 3 (a) of the Psigma paper, in its syntax.
const FIGURE: &str = "
task T1
{
  f1(); advance(1);
  f2(); advance(3);
  f3(); advance(2); /* loop */
}
task T2
{
  g1(); advance(2);
  g2(); advance(1); /* loop */
}
";

/// The windows of Fig. 3 (b). "The deadline of a job always matches the start time of
/// the succeeding job" (section 3.2.1), and `advance` "gives the width of the temporal
/// window": T1 has windows of 1, 3 and 2, [0,1] [1,4] [4,6], and its round begins anew
/// at 6; T2 of 2 and 1, [0,2] [2,3], and again from 3 on.
#[test]
fn the_program_of_figure_3_has_exactly_its_timeline() {
    let windows = [
        ("T1.f1", 0, 1),
        ("T2.g1", 0, 2),
        ("T1.f2", 1, 4),
        ("T2.g2", 2, 3),
        ("T2.g1", 3, 5),
        ("T1.f3", 4, 6),
        ("T2.g2", 5, 6),
    ];
    let (bytes, diagnostics) = compile("figure3.psi", FIGURE, &Options::default());
    assert!(diagnostics.is_empty());
    let bytes = bytes.unwrap();
    let mut machine = Machine::new(&bytes);
    let mut seen = Vec::new();
    while seen.len() < 1_000 {
        let moment = machine.moment();
        for job in moment.begun {
            seen.push((job.job, moment.at, moment.at + job.deadline));
        }
    }
    // (and then the same again, 6 ms later)
    for (index, (job, from, until)) in seen.iter().enumerate() {
        let (meant, begin, end) = windows[index % windows.len()];
        let round = 6 * (index / windows.len()) as u64;
        let (begin, end) = ((begin + round) * MS, (end + round) * MS);
        assert_eq!((job.as_str(), *from, *until), (meant, begin, end));
    }
}
