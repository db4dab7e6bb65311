//! Figures 5 to 9 of the paper, with our figures beside the published ones.
//! Drawn from the rows alone, but for the sizes of code, which are counted anew.

use anyhow::{Context, Result};
use giornata_bench::{Row, Series, plot};

use super::bars::{self, Group};
use super::case::{Case, Length, Mode, Pace, SIZES};
use super::code_size::{self, CodeSize};

/// A picture of a page.
pub(in crate::bench) struct Figure {
    /// What its file's name ends with.
    pub(in crate::bench) name: &'static str,
    /// What it is.
    pub(in crate::bench) title: String,
    /// What there is to know of it.
    pub(in crate::bench) note: &'static str,
    /// The picture.
    pub(in crate::bench) svg: String,
}

/// Cycles a microsecond of the paper's processor.
const PAPERS_MEGAHERTZ: f64 = 206.0;
/// What the schedulers are called, and the paper's figures of Table 2 (tasks of
/// medium length), in microseconds for 4, 10, 50 and 100 tasks: E code, and the
/// scheduler or S code. The code's sizes for 100 tasks.
const PAPER: [Published; 4] = [
    Published {
        mode: Mode::Edf,
        name: "EDF",
        reaction: [4.608, 8.647, 43.574, 81.655],
        decision: [1.384, 3.460, 16.983, 35.190],
        size: CodeSize { e: 318, s: 0 },
    },
    Published {
        mode: Mode::EdfCode,
        name: "EDF S code",
        reaction: [5.513, 9.588, 52.417, 113.880],
        decision: [1.428, 1.595, 2.152, 2.229],
        size: CodeSize { e: 318, s: 318 },
    },
    Published {
        mode: Mode::NonPreemptive,
        name: "non-preemptive S code",
        reaction: [5.528, 9.668, 52.701, 115.550],
        decision: [1.439, 1.601, 2.163, 2.230],
        size: CodeSize { e: 318, s: 320 },
    },
    Published {
        mode: Mode::Rm,
        name: "RM S code",
        reaction: [5.356, 9.340, 46.375, 95.773],
        decision: [1.639, 1.821, 2.442, 3.647],
        size: CodeSize { e: 312, s: 100 },
    },
];
/// What Figure 5 shows, in cycles of the paper's processor: an interrupt at which
/// nothing is due, with and without storing and loading registers, and a
/// completion. Beside each the row of the kernel's suite.
const SWITCHES: [(&str, u64, &str); 3] = [
    (
        "registers stored and loaded (A)",
        888,
        "interrupt-to-handler",
    ),
    ("left where they are (B)", 501, "interrupt-same-thread"),
    ("completion, next task (C)", 606, "completion"),
];

struct Published {
    mode: Mode,
    name: &'static str,
    reaction: [f64; 4],
    decision: [f64; 4],
    size: CodeSize,
}

/// All figures that the rows of this suite, and of the kernel's, can tell.
pub(in crate::bench) fn figures(rows: &[Row], kernel: &[Row]) -> Result<Vec<Figure>> {
    let all = [
        switches(kernel),
        Some(sizes()),
        reaction(rows),
        decision(rows),
        total(rows),
    ];
    all.into_iter().flatten().collect()
}

/// Figure 5: what leaving the registers where they are saves.
fn switches(kernel: &[Row]) -> Option<Result<Figure>> {
    let ours = |op: &str| {
        let row = kernel
            .iter()
            .find(|row| row.op == op && row.config == super::CONFIG);
        row.map(|row| row.median)
    };
    let groups: Option<Vec<Group>> = SWITCHES
        .iter()
        .map(|(what, paper, op)| {
            Some(Group {
                name: (*what).into(),
                bars: vec![vec![*paper], vec![ours(op)?]],
            })
        })
        .collect();
    let title = "Figure 5: context switches and their avoidance";
    let svg = bars::draw(title, "cycles", &["the paper", "here"], &[""], &groups?);
    Some(svg.map(|svg| Figure {
        name: "figure-5",
        title: title.into(),
        note: "The paper's (A) and (B) are the same interrupt, at which nothing is due, without \
               and with its optimisation. Here an entry is always optimised: what stands beside \
               (A) is an interrupt that changes the thread, and has to store and load registers; \
               beside (B) one that wakes a less urgent thread and does not.",
        svg,
    }))
}

/// Figure 6: the code of 100 tasks.
fn sizes() -> Result<Figure> {
    let title = "Figure 6: E and S code for 100 tasks";
    let groups: Vec<Group> = PAPER
        .iter()
        .map(|published| {
            let size = published.size;
            let mut bars = vec![vec![size.e, size.s]];
            let case = Case {
                mode: published.mode,
                tasks: 100,
                length: Length::Medium,
                pace: Pace::Tickless,
            };
            bars.extend(code_size::of(case)?.map(|ours| vec![ours.e, ours.s]));
            Ok(Group {
                name: published.name.into(),
                bars,
            })
        })
        .collect::<Result<_>>()?;
    let svg = bars::draw(
        title,
        "instructions",
        &["the paper", "here"],
        &["E code", "S code"],
        &groups,
    )?;
    Ok(Figure {
        name: "figure-6",
        title: title.into(),
        note: "Tasks of medium length. Here E code calls a driver for each task that it \
               releases, too, and the first instructions start both.",
        svg,
    })
}

/// Figure 7: E code by the tasks that it releases.
fn reaction(rows: &[Row]) -> Option<Result<Figure>> {
    let ours = ours("here", |size| {
        value(rows, &format!("edf-medium-tickless-reaction/{size}"))
    })?;
    let paper = PAPER.iter().map(|p| of_paper(p.name, &p.reaction));
    let series: Vec<Series> = std::iter::once(ours).chain(paper).collect();
    Some(figure(
        "figure-7",
        "Figure 7: E code of an instant that releases tasks",
        "Here the same whoever schedules, and with what it makes the kernel do, but for the \
         ready queue.",
        &series,
    ))
}

/// Figure 8: what choosing the next task takes.
fn decision(rows: &[Row]) -> Option<Result<Figure>> {
    let edf = |size| value(rows, &format!("edf-medium-scheduler/{size}"));
    let others = |size| Some(value(rows, &format!("edf-medium/{size}"))? - edf(size)?);
    let mut series = vec![ours("here, EDF", edf)?];
    for (name, mode) in [("here, EDF S code", "edf"), ("here, RM S code", "rm")] {
        let code = |size| {
            let all = value(rows, &format!("{mode}-code-medium/{size}"))?;
            Some(all.saturating_sub(others(size)?))
        };
        series.push(ours(name, code)?);
    }
    let drawn = PAPER.iter().filter(|p| p.mode != Mode::NonPreemptive);
    series.extend(drawn.map(|p| of_paper(p.name, &p.decision)));
    Some(figure(
        "figure-8",
        "Figure 8: scheduling, a millisecond",
        "Here EDF is the ready queue and the choice of who runs; S code is all that the \
         microkernel takes with it beyond what it takes under EDF without those. The paper's \
         non-preemptive S code is as its EDF S code.",
        &series,
    ))
}

/// Figure 9: the microkernel in all.
fn total(rows: &[Row]) -> Option<Result<Figure>> {
    let modes = [
        ("EDF", "edf"),
        ("EDF S code", "edf-code"),
        ("RM S code", "rm-code"),
    ];
    let mut series = Vec::new();
    for (name, mode) in modes {
        let op = |size| format!("{mode}-medium/{size}");
        series.push(ours(&format!("here, {name}"), |size| {
            value(rows, &op(size))
        })?);
        let published = |size| find(rows, &op(size))?.published;
        series.push(ours(&format!("the paper, {name}"), published)?);
    }
    Some(figure(
        "figure-9",
        "Figure 9: the microkernel, a millisecond",
        "At 1 kHz, tasks of medium length. Non-preemptive S code is as EDF S code, here and \
         there.",
        &series,
    ))
}

fn figure(
    name: &'static str,
    title: &str,
    note: &'static str,
    series: &[Series],
) -> Result<Figure> {
    Ok(Figure {
        name,
        title: title.into(),
        note,
        svg: plot(title, "cycles", series).with_context(|| name)?,
    })
}

/// The row of an operation.
fn find<'a>(rows: &'a [Row], op: &str) -> Option<&'a Row> {
    rows.iter().find(|row| row.op == op)
}

fn value(rows: &[Row], op: &str) -> Option<u64> {
    find(rows, op).map(|row| row.median)
}

/// A series of all sizes; `None` if one is missing.
fn ours(name: &str, value: impl Fn(usize) -> Option<u64>) -> Option<Series> {
    let point = |size: usize| Some((size as u32, value(size)?));
    Some(Series {
        name: name.into(),
        points: SIZES.map(point).into_iter().collect::<Option<_>>()?,
    })
}

fn of_paper(name: &str, micros: &[f64; 4]) -> Series {
    let cycles = micros.map(|time| (time * PAPERS_MEGAHERTZ).round() as u64);
    Series {
        name: format!("the paper, {name}"),
        points: SIZES
            .map(|size| size as u32)
            .into_iter()
            .zip(cycles)
            .collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::crates::root;
    use giornata_bench::from_json;

    fn committed(suite: &str) -> Vec<Row> {
        let path = root().join(format!("docs/results/{suite}.json"));
        from_json(&std::fs::read_to_string(path).unwrap()).unwrap()
    }

    #[test]
    fn the_committed_rows_make_all_five() {
        let rows = committed("programmable-microkernel");
        let figures = figures(&rows, &committed("kernel")).unwrap();
        let names: Vec<&str> = figures.iter().map(|figure| figure.name).collect();
        let all = ["figure-5", "figure-6", "figure-7", "figure-8", "figure-9"];
        assert_eq!(names, all);
        for figure in figures {
            assert!(figure.svg.starts_with("<svg") && figure.svg.contains("the paper"));
        }
    }

    #[test]
    fn a_row_that_is_missing_leaves_its_figures_out() {
        let mut rows = committed("programmable-microkernel");
        rows.retain(|row| row.op != "edf-medium/50");
        let names: Vec<&str> = figures(&rows, &[])
            .unwrap()
            .iter()
            .map(|f| f.name)
            .collect();
        assert_eq!(names, ["figure-6", "figure-7"]);
    }

    #[test]
    fn published_times_agree_with_the_rows() {
        let rows = committed("programmable-microkernel");
        let edf = of_paper("EDF", &PAPER[0].reaction);
        for (size, cycles) in edf.points {
            let row = find(&rows, &format!("edf-medium-tickless-reaction/{size}"));
            assert_eq!(row.unwrap().published, Some(cycles));
        }
    }
}
