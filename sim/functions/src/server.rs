//! The end that has the functions.

use crate::body::run;
use crate::protocol::{Answer, Described, Parameter, Process, Request, receive, send};
use giornata_abi::Instant;
use giornata_abi::process::ProcessTable;
use giornata_rt::host::Memory;
use std::io::{self, Read, Write};

/// Serves the functions of processes, given with their names, over the standard input
/// and output until the input ends.
///
/// # Errors
/// A pipe breaks, or what comes is no request.
pub fn serve(processes: &[(&str, &'static ProcessTable)]) -> io::Result<()> {
    // what a panic says is in the trace of the simulation
    std::panic::set_hook(Box::new(|_| {}));
    serve_over(processes, &mut io::stdin().lock(), &mut io::stdout().lock())
}

fn serve_over(
    processes: &[(&str, &'static ProcessTable)],
    from: &mut impl Read,
    to: &mut impl Write,
) -> io::Result<()> {
    let mut memories: Vec<(u32, Memory)> = processes.iter().map(|_| (0, Memory::new())).collect();
    while let Some(request) = receive(from)? {
        let answer = match request {
            Request::Describe => Answer::Processes(processes.iter().map(describe).collect()),
            Request::Run {
                process,
                function,
                life,
                now,
                mut block,
            } => {
                let known = processes.get(usize::from(process)).and_then(|(_, table)| {
                    let function = table.functions.get(usize::from(function))?;
                    Some((function, memories.get_mut(usize::from(process))?))
                });
                match known {
                    None => Answer::Unknown,
                    Some((function, (last, memory))) => {
                        if std::mem::replace(last, life) != life {
                            *memory = Memory::new();
                        }
                        let ran = run(function.body, Instant(now), &mut block, memory);
                        let calls = ran.calls.into_iter();
                        let calls = calls.map(|made| {
                            let arguments = made.arguments.map(|argument| argument as u64);
                            (made.call as u32, arguments, made.text)
                        });
                        Answer::Ran {
                            block,
                            value: ran.value as u64,
                            calls: calls.collect(),
                        }
                    }
                }
            }
        };
        send(to, &answer)?;
    }
    Ok(())
}

fn describe((name, table): &(&str, &'static ProcessTable)) -> Process {
    let functions = table.functions.iter().map(|function| Described {
        name: function.name.into(),
        kind: function.kind as u8,
        parameters: function
            .parameters
            .iter()
            .map(|parameter| Parameter {
                direction: parameter.direction as u8,
                size: parameter.size as u32,
                type_name: parameter.type_name.into(),
            })
            .collect(),
    });
    Process {
        name: (*name).into(),
        functions: functions.collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use giornata_rt::{log, process, task};

    #[task]
    fn count(step: &u32, sum: &mut u32, #[state(u32::default)] kept: &mut u32) {
        assert!(*step != 13, "unlucky");
        *kept += *step;
        *sum = *kept;
        log!("sum {}", *kept);
    }

    process! { tasks: [count], drivers: [] }

    fn ask(requests: &[Request]) -> Vec<Answer> {
        let (mut from, mut to) = (Vec::new(), Vec::new());
        for request in requests {
            send(&mut from, request).unwrap();
        }
        serve_over(&[("counter", process())], &mut &from[..], &mut to).unwrap();
        let mut to = &to[..];
        std::iter::from_fn(|| receive(&mut to).unwrap()).collect()
    }

    fn job(life: u32, step: u64) -> Request {
        Request::Run {
            process: 0,
            function: 0,
            life,
            now: 0,
            block: vec![step, 0],
        }
    }

    fn sums(answers: &[Answer]) -> Vec<u64> {
        let sum = |answer: &Answer| match answer {
            Answer::Ran { block, .. } => block[1],
            other => panic!("{other:?}"),
        };
        answers.iter().map(sum).collect()
    }

    #[test]
    fn states_last_for_a_life_of_the_process() {
        let answers = ask(&[job(0, 1), job(0, 2), job(1, 5), job(1, 1)]);
        assert_eq!(sums(&answers), [1, 3, 5, 6]);
    }

    #[test]
    fn a_panic_is_a_call_with_its_text_and_the_next_job_runs() {
        let answers = ask(&[job(0, 13), job(0, 4)]);
        let Answer::Ran { calls, .. } = &answers[0] else {
            panic!("{answers:?}");
        };
        let [(number, _, text)] = &calls[..] else {
            panic!("{calls:?}");
        };
        assert_eq!(*number, giornata_abi::call::Call::Panic as u32);
        assert_eq!(text, b"unlucky");
        assert_eq!(sums(&answers[1..]), [4]);
    }

    #[test]
    fn functions_are_described_and_others_unknown() {
        let answers = ask(&[
            Request::Describe,
            Request::Run {
                process: 0,
                function: 9,
                life: 0,
                now: 0,
                block: Vec::new(),
            },
        ]);
        let Answer::Processes(processes) = &answers[0] else {
            panic!("{answers:?}");
        };
        let function = &processes[0].functions[0];
        assert_eq!(
            (processes[0].name.as_str(), function.name.as_str()),
            ("counter", "count")
        );
        let types = function
            .parameters
            .iter()
            .map(|p| (p.size, p.type_name.as_str()));
        assert_eq!(types.collect::<Vec<_>>(), [(4, "u32"); 3]);
        assert_eq!(answers[1], Answer::Unknown);
    }
}
