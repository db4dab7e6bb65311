//! The ways through a task: where it may stand between two windows.
//!
//! The width of a window must be known when its job begins. Where every way from
//! a job on comes to the same width, nothing has to be decided before the window
//! ends, and what the job wrote may decide what comes next. Where widths differ,
//! the tests between the job and the end of its window are made before it begins.

use super::model::{Node, Task};

/// How a task stands at a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Mode {
    /// Between two windows: a job may begin.
    Free,
    /// The job is about to begin, once the width of its window is known.
    Begins(usize),
    /// The window has ended; its `advance` is still to come.
    Ended,
}

/// What the window of a job that begins at a node can be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Width {
    /// No `advance` comes.
    None,
    /// The same on every way, in nanoseconds.
    One(u64),
    /// Two widths of several.
    Several(u64, u64),
}

impl Width {
    fn or(self, other: Width) -> Width {
        match (self, other) {
            (Width::None, width) | (width, Width::None) => width,
            (Width::One(one), Width::One(other)) if one != other => {
                Width::Several(one.min(other), one.max(other))
            }
            (Width::Several(a, b), Width::One(c)) | (Width::One(c), Width::Several(a, b)) => {
                Width::Several(a.min(c), b.max(c))
            }
            (Width::Several(a, b), Width::Several(c, d)) => Width::Several(a.min(c), b.max(d)),
            (width, _) => width,
        }
    }
}

/// What is known of a task's nodes beforehand.
#[derive(Clone, Debug)]
pub(super) struct Ways {
    widths: Vec<Width>,
    /// Whether a way leads round the task without an `advance`.
    pub(super) is_endless: bool,
}

impl Ways {
    /// Looks at every node. O(nodes): each leads to earlier ones, but for the first,
    /// where the round begins anew.
    pub(super) fn of(task: &Task) -> Ways {
        let mut widths = vec![Width::None; task.nodes.len()];
        let mut is_round = vec![false; task.nodes.len()];
        for pass in 0..2 {
            for (index, node) in task.nodes.iter().enumerate() {
                let (width, round) = match *node {
                    Node::Join { next } => {
                        (if pass == 0 { Width::None } else { widths[next] }, true)
                    }
                    Node::Advance { width, .. } => (Width::One(width), false),
                    Node::Job { next, .. } | Node::Note { next, .. } => {
                        (widths[next], is_round[next])
                    }
                    Node::Test { holds, fails, .. } => (
                        widths[holds].or(widths[fails]),
                        is_round[holds] || is_round[fails],
                    ),
                };
                widths[index] = width;
                is_round[index] = round;
            }
        }
        Ways {
            is_endless: is_round[task.start],
            widths,
        }
    }

    /// The window of a job that leads on to a node.
    pub(super) fn width(&self, next: usize) -> Width {
        self.widths[next]
    }
}

/// Where a way goes on from a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Next {
    /// Here, at the same instant.
    Now(usize, Mode),
    /// At one of two places, at the same instant: where the test holds, and where not.
    Either([(usize, Mode); 2]),
    /// A window so wide begins, with the job if there is one; the way goes on at its end.
    Window {
        job: Option<usize>,
        width: u64,
        then: (usize, Mode),
    },
    /// Nowhere: a second function in one window, or no `advance`.
    Nowhere,
}

/// What comes after a node.
pub(super) fn next(task: &Task, ways: &Ways, node: usize, mode: Mode) -> Next {
    match (task.nodes[node], mode) {
        (Node::Join { next } | Node::Note { next, .. }, mode) => Next::Now(next, mode),
        (Node::Test { holds, fails, .. }, mode) => Next::Either([(holds, mode), (fails, mode)]),
        (Node::Job { job, next, .. }, Mode::Free) => match ways.width(next) {
            Width::None => Next::Nowhere,
            Width::One(width) => Next::Window {
                job: Some(job),
                width,
                then: (next, Mode::Ended),
            },
            Width::Several(..) => Next::Now(next, Mode::Begins(job)),
        },
        (Node::Job { .. }, _) => Next::Nowhere,
        (Node::Advance { next, .. }, Mode::Ended) => Next::Now(next, Mode::Free),
        (Node::Advance { width, next, .. }, mode) => Next::Window {
            job: match mode {
                Mode::Begins(job) => Some(job),
                _ => None,
            },
            width,
            then: (next, Mode::Free),
        },
    }
}
