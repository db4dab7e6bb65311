//! Programs of windows: several triggers, and blocks of one instant behind others.

use giornata_abi::Duration;
use giornata_abi::module::Module;
use giornata_analysis::job::Breach;
use giornata_analysis::{ECode, Program, Strategy, Times, Verdict, Walked, walk};
use giornata_lang::{Options, psi};

fn walked(text: &str) -> (Program, Walked) {
    let (bytes, findings) = psi::compile("w.psi", text, &Options::default());
    let bytes = bytes.unwrap_or_else(|| panic!("{findings:?}"));
    let program = Program::of(&Module::parse(&bytes).unwrap()).unwrap();
    let code = ECode::of(&program).unwrap();
    let times = Times::of(&program, None).unwrap();
    let walked = walk(&program, &code, &times, Strategy::EarliestDeadline);
    (program, walked)
}

fn figure(g2: &str) -> String {
    format!(
        "task T1 {{
           f1() [wcet 500us]; advance(1);
           f2() [wcet 1200us]; advance(3);
           f3() [wcet 600us]; advance(2);
         }}
         task T2 {{
           g1() [wcet 700us]; advance(2);
           g2() [wcet {g2}]; advance(1);
         }}"
    )
}

/// The program of Fig. 3 of the Psigma paper. By hand, in ms: f1 runs 0 to 0.5, g1 to
/// 1.2, f2 to 2, where g2 preempts it, whose deadline comes earlier; g2 to 2.5, f2 to 2.9;
/// g1 3 to 3.7, f3 4 to 4.6, g2 5 to 5.5; and at 6 all begins anew.
#[test]
fn the_program_of_figure_3_is_schedulable_with_its_responses() {
    let (program, walked) = walked(&figure("500us"));
    assert_eq!(walked.verdict, Verdict::Schedulable);
    let responses = program.tasks.iter().zip(&walked.tasks);
    let responses = responses.map(|(task, found)| (&task.name[..], found.unwrap().response));
    let micros = |micros: u64| Duration(micros * 1_000);
    let meant = [
        ("T1.f1", micros(500)),
        ("T1.f2", micros(1_900)),
        ("T1.f3", micros(600)),
        ("T2.g1", micros(1_200)),
        ("T2.g2", micros(500)),
    ];
    assert_eq!(responses.collect::<Vec<_>>(), meant);
}

#[test]
fn a_window_that_holds_too_much_is_witnessed() {
    // (f1 and g1 leave 0.8 ms of f2's first millisecond; g2 takes its window whole)
    let (program, walked) = walked(&figure("1ms").replace("f2() [wcet 1200us]", "f2() [wcet 2ms]"));
    let Verdict::NotSchedulable(witness) = walked.verdict else {
        panic!("{:?}", walked.verdict);
    };
    let Breach::Late { job } = witness.breach else {
        panic!("{:?}", witness.breach);
    };
    assert_eq!(program.task_name(job.task), "T1.f2");
    assert_eq!((job.deadline.0, job.left), (4_000_000, Duration(200_000)));
}

/// The reader's block comes behind the ends of all windows, at the same instant: the
/// writer's is released there too, and the reader's deadline counts from there.
#[test]
fn blocks_of_one_instant_are_one_step() {
    let text = "task r { read(v) [wcet 1ms]; advance(2 ms); }
                task w { export u32 v; write() -> v [wcet 1ms]; advance(2 ms); }";
    let (_, walked) = walked(text);
    assert_eq!(walked.verdict, Verdict::Schedulable);
    let released: Vec<usize> = walked
        .steps
        .iter()
        .map(|step| step.released.len())
        .collect();
    assert_eq!(released, [2, 2], "the start, and the round that repeats");
    let (_, late) =
        self::walked(&text.replace("write() -> v [wcet 1ms]", "write() -> v [wcet 1001us]"));
    assert!(matches!(late.verdict, Verdict::NotSchedulable(_)));
}

/// Two ways: the slow one does not fit beside the other task.
#[test]
fn both_ways_of_a_choice_are_walked() {
    let text = |slow: &str| {
        format!(
            "task a {{ state bool s; look() -> s [wcet 1ms]; advance(3 ms);
               if (s) {{ slow() [wcet {slow}]; advance(3 ms); }} else {{ fast() [wcet 1ms]; advance(3 ms); }} }}
             task b {{ beat() [wcet 1ms]; advance(3 ms); }}"
        )
    };
    assert_eq!(walked(&text("2ms")).1.verdict, Verdict::Schedulable);
    let verdict = walked(&text("2001us")).1.verdict;
    assert!(matches!(verdict, Verdict::NotSchedulable(_)), "{verdict:?}");
}
