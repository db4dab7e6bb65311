//! What comes next in a task: statements become nodes, loops are unrolled.

use giornata_abi::Comparison;

use super::super::Code;
use super::super::model::{Constant, Node, Task};
use super::super::tree;
use super::{Step, Test, Times};
use crate::diagnostic::{Diagnostic, Findings, Span};

/// A task has at most so many nodes: each is an instruction at least.
const MOST_NODES: u64 = 60_000;

/// The nodes of a task. `None` if they are too many, or if a way leads through a
/// loop without an `advance`, which is reported.
pub(super) fn unroll(task: &tree::Task, body: &[Step], findings: &mut Findings) -> Option<Task> {
    if let Err(span) = check_loops(body) {
        let message = "a way through this loop has no `advance`";
        let help = "end a window on every way through it: `advance(1 ms);`";
        findings.report(Code::NoAdvance, span, message, help);
        // (of a loop of nothing no number of turns would be too many)
        return None;
    }
    let size = size(body);
    if size > MOST_NODES {
        let largest = largest_loop(body).unwrap_or(task.name.span);
        let message = format!(
            "task `{}` has more than {MOST_NODES} jobs, windows and tests when its loops are unrolled",
            task.name.text
        );
        let help =
            "let the loop run less often, or count in a job and let the task's round be the loop";
        findings.add(
            Diagnostic::new(Code::TooBig, largest, message, help)
                .also(task.name.span, "the task is declared here"),
        );
        return None;
    }
    // (node 0 is where the round begins anew)
    let mut nodes = vec![Node::Join { next: 0 }];
    let start = append(body, 0, &mut nodes);
    nodes[0] = Node::Join { next: start };
    Some(Task {
        name: task.name.text.clone(),
        nodes,
        start,
        span: task.name.span,
    })
}

/// Whether every way through some statements ends a window; `Err`: a loop in them
/// has a way that does not.
fn check_loops(steps: &[Step]) -> Result<bool, Span> {
    let mut advances = false;
    for step in steps {
        advances |= match step {
            Step::Job(..) => false,
            Step::Advance(..) => true,
            Step::If(arms, otherwise) => {
                let mut all = check_loops(otherwise)?;
                for (_, body) in arms {
                    all &= check_loops(body)?;
                }
                all
            }
            Step::Loop(times, body, span) => {
                if !check_loops(body)? {
                    return Err(*span);
                }
                matches!(times, Times::Constant(_))
            }
        };
    }
    Ok(advances)
}

/// How many nodes statements become. Saturates.
fn size(steps: &[Step]) -> u64 {
    let one = |step: &Step| match step {
        Step::Job(..) | Step::Advance(..) => 1,
        Step::If(arms, otherwise) => {
            let arms = arms.iter().map(|(condition, body)| {
                let tests: usize = condition.iter().map(Vec::len).sum();
                size(body).saturating_add(tests as u64)
            });
            arms.fold(size(otherwise), u64::saturating_add)
        }
        Step::Loop(Times::Constant(count), body, _) => size(body).saturating_mul(*count),
        Step::Loop(Times::Variable { most, .. }, body, _) => size(body)
            .saturating_add(1)
            .saturating_mul(*most)
            .saturating_add(1),
    };
    steps.iter().map(one).fold(0, u64::saturating_add)
}

/// The loop that becomes most nodes.
fn largest_loop(steps: &[Step]) -> Option<Span> {
    let loops = steps.iter().filter_map(|step| match step {
        Step::Loop(_, _, span) => Some((size(std::slice::from_ref(step)), *span)),
        Step::If(arms, otherwise) => {
            let bodies = arms.iter().map(|(_, body)| body);
            let bodies = bodies.chain(std::iter::once(otherwise));
            let inner = bodies.filter_map(|body| Some((size(body), largest_loop(body)?)));
            inner.max_by_key(|(size, _)| *size)
        }
        _ => None,
    });
    loops.max_by_key(|(size, _)| *size).map(|(_, span)| span)
}

fn push(node: Node, nodes: &mut Vec<Node>) -> usize {
    nodes.push(node);
    nodes.len() - 1
}

/// Adds the nodes of statements that lead on to `next`; where they begin.
fn append(steps: &[Step], next: usize, nodes: &mut Vec<Node>) -> usize {
    steps.iter().rev().fold(next, |next, step| match step {
        Step::Job(job, span) => push(
            Node::Job {
                job: *job,
                next,
                span: *span,
            },
            nodes,
        ),
        Step::Advance(width, span) => push(
            Node::Advance {
                width: *width,
                next,
                span: *span,
            },
            nodes,
        ),
        Step::If(arms, otherwise) => {
            let otherwise = append(otherwise, next, nodes);
            arms.iter()
                .rev()
                .fold(otherwise, |fails, (condition, body)| {
                    let holds = append(body, next, nodes);
                    decide(condition, holds, fails, nodes)
                })
        }
        Step::Loop(Times::Constant(count), body, _) => {
            (0..*count).fold(next, |next, _| append(body, next, nodes))
        }
        Step::Loop(Times::Variable { from, to, most }, body, span) => {
            let first = (0..*most).rev().fold(next, |again, done| {
                let holds = append(body, again, nodes);
                let test = Test {
                    port: *to,
                    comparison: Comparison::Greater,
                    constant: Constant(done),
                    span: *span,
                };
                push(node(test, holds, next), nodes)
            });
            push(
                Node::Note {
                    from: *from,
                    to: *to,
                    next: first,
                    span: *span,
                },
                nodes,
            )
        }
    })
}

/// Adds the tests of a condition; where they begin.
fn decide(condition: &[Vec<Test>], holds: usize, fails: usize, nodes: &mut Vec<Node>) -> usize {
    condition.iter().rev().fold(fails, |fails, tests| {
        tests
            .iter()
            .rev()
            .fold(holds, |holds, test| push(node(*test, holds, fails), nodes))
    })
}

fn node(test: Test, holds: usize, fails: usize) -> Node {
    Node::Test {
        port: test.port,
        comparison: test.comparison,
        constant: test.constant,
        holds,
        fails,
        span: test.span,
    }
}
