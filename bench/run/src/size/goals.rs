//! What the kernel's bytes are to come to, and what others take.

use std::fmt::Write as _;

use serde::{Deserialize, Serialize};

use super::Measured;

/// Goals and others of a budget's file.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Goal {
    board: String,
    /// Of what is loaded, of the kernel in this configuration; without one it is the
    /// RAM of a thread.
    config: Option<String>,
    must: u64,
    aim: u64,
    /// Others, for comparison.
    #[serde(default)]
    peers: Vec<Peer>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Peer {
    name: String,
    bytes: u64,
}

/// A goal and how the kernel stands to it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(super) struct Reached {
    what: String,
    bytes: u64,
    must: u64,
    aim: u64,
    /// What others take, for people.
    peers: String,
}

impl Reached {
    fn verdict(&self) -> &'static str {
        match self.bytes {
            bytes if bytes > self.must => "MISSED",
            bytes if bytes > self.aim => "must",
            _ => "aim",
        }
    }
}

/// The goals of measured kernels.
pub(super) fn reached(goals: &[Goal], measured: &[Measured]) -> Vec<Reached> {
    goals
        .iter()
        .filter_map(|goal| goal.reached(measured))
        .collect()
}

impl Goal {
    fn reached(&self, measured: &[Measured]) -> Option<Reached> {
        let mut here = measured.iter().filter(|m| m.entry.board == self.board);
        let (what, bytes) = match &self.config {
            Some(config) => {
                let kernel = here.find(|m| m.entry.config == *config)?;
                (
                    format!("{config} text + rodata + data"),
                    kernel.size.loaded(),
                )
            }
            None => (
                "a thread beyond its registers".into(),
                here.next()?.thread.into(),
            ),
        };
        let mut peers = String::new();
        for Peer { name, bytes } in &self.peers {
            let _ = write!(
                peers,
                "{}{name} {bytes}",
                if peers.is_empty() { "" } else { ", " }
            );
        }
        Some(Reached {
            what: format!("{} {what}", self.board),
            bytes,
            must: self.must,
            aim: self.aim,
            peers,
        })
    }
}

/// The goals as lines.
pub(super) fn table(reached: &[Reached]) -> Vec<String> {
    let line = |what: &str, bytes: &str, must: &str, aim: &str, verdict: &str, peers: &str| {
        let line = format!("{what:<48} {bytes:>7} {must:>7} {aim:>7}  {verdict:<7} {peers}");
        line.trim_end().to_string()
    };
    let head = line("", "bytes", "must", "aim", "goal", "others");
    let row = |one: &Reached| {
        let [bytes, must, aim] = [one.bytes, one.must, one.aim].map(|figure| figure.to_string());
        line(&one.what, &bytes, &must, &aim, one.verdict(), &one.peers)
    };
    std::iter::once(head)
        .chain(reached.iter().map(row))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_goal_is_missed_from_the_first_byte_beyond_it() {
        let verdict = |bytes| {
            let reached = Reached {
                what: "all".into(),
                bytes,
                must: 20,
                aim: 10,
                peers: String::new(),
            };
            reached.verdict()
        };
        assert_eq!(
            [10, 11, 20, 21].map(verdict),
            ["aim", "must", "must", "MISSED"]
        );
    }
}
