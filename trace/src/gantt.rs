//! A schedule as a chart of text: two lines a task, marks above what it did.
//!
//! ```text
//! ms    0         5         10        15        20
//!       |    .    |    .    |    .    |    .    |
//!       ↕                   ↕                   ↓
//! t2    ██████··············██████··············
//! ```

use giornata_abi::{Duration, Instant};
use giornata_system::NameMap;
use giornata_system::names::ThreadRole;

use crate::scale::{STEP, Scale};
use crate::schedule::{Row, Schedule, Slice};

/// What the row of all upcalls is called.
pub(crate) const DRIVERS: &str = "(drivers)";
/// What the signs mean.
const LEGEND: &str = "█ runs  ▌ for part of the column  ░ released, waits  · no job";
/// What stands behind the legend where a job was late.
const LATE: &str = "  ▓ runs late";
/// The sign of a column in which a job runs after its deadline.
pub const RUNS_LATE: char = '▓';
const MARKS: &str = "↑ release  ↓ deadline  ↕ both  ! missed  x stopped";

/// The name of a task in charts and tables: with its program where another
/// program has a task of that name.
pub fn task_label(names: &NameMap, thread: u16) -> String {
    let Some(entry) = names.threads.get(usize::from(thread)) else {
        return format!("thread {thread}");
    };
    let is_task = |role| role == ThreadRole::Task;
    let same = names.threads.iter();
    let same = same.filter(|other| is_task(other.role) && other.name == entry.name);
    let program = entry
        .program
        .and_then(|p| names.programs.get(usize::from(p)));
    match program {
        Some(program) if same.count() > 1 => format!("{}.{}", program.name, entry.name),
        _ => entry.name.clone(),
    }
}

/// The threads that are tasks, in the order of the tables.
pub fn tasks(names: &NameMap) -> impl Iterator<Item = u16> + '_ {
    let threads = (0u16..).zip(&names.threads);
    threads.filter_map(|(index, thread)| (thread.role == ThreadRole::Task).then_some(index))
}

/// The times of all upcalls that begin before `end` and take any; `None` if
/// there are none.
pub(crate) fn upcalls(names: &NameMap, schedule: &Schedule, end: Instant) -> Option<Row> {
    let rows = names.threads.iter().zip(&schedule.rows);
    let rows = rows.filter(|(thread, _)| thread.role == ThreadRole::Upcall);
    let slices = rows.flat_map(|(_, row)| row.slices.iter().copied());
    let mut slices: Vec<Slice> = slices.filter(|slice| slice.from < end).collect();
    slices.sort_unstable_by_key(|slice| slice.from);
    (!slices.is_empty()).then(|| Row::of(slices))
}

/// Columns that names take in a chart of this system, with the gap behind them.
pub fn margin(names: &NameMap) -> usize {
    let labels = tasks(names).map(|task| task_label(names, task).chars().count());
    labels.chain([DRIVERS.len()]).max().unwrap_or(0) + 2
}

/// The chart, line by line.
pub fn gantt(names: &NameMap, schedule: &Schedule, scale: Scale) -> Vec<String> {
    let margin = margin(names);
    let line = |label: &str, cells: String| {
        let gap = " ".repeat(margin.saturating_sub(label.chars().count()));
        format!("{label}{gap}{cells}").trim_end().to_owned()
    };
    let mut lines = vec![line(scale.unit().0, numbers(scale)), line("", ruler(scale))];
    for task in tasks(names) {
        let Some(row) = schedule.rows.get(usize::from(task)) else {
            continue;
        };
        lines.push(line("", marks(row, scale)));
        lines.push(line(&task_label(names, task), cells(row, scale)));
    }
    if let Some(row) = upcalls(names, schedule, scale.end()) {
        lines.push(String::new());
        lines.push(line(DRIVERS, cells(&row, scale)));
    }
    let is_late = lines.iter().any(|line| line.contains(RUNS_LATE));
    let late = if is_late { LATE } else { "" };
    lines.extend([String::new(), format!("{LEGEND}{late}"), MARKS.into()]);
    lines
}

/// Numbers at every tenth column, as far as they do not touch.
fn numbers(scale: Scale) -> String {
    let mut text = String::new();
    for column in (0..=scale.columns).step_by(STEP) {
        let length = text.chars().count();
        if column == 0 || length < column {
            text.push_str(&" ".repeat(column - length));
            text.push_str(&scale.number(column));
        }
    }
    text
}

fn ruler(scale: Scale) -> String {
    let sign = |column: usize| match column % STEP {
        0 => '|',
        5 => '.',
        _ => ' ',
    };
    (0..=scale.columns).map(sign).collect()
}

/// Releases, deadlines, what was missed or stopped; the end of the chart has a
/// column of its own.
fn marks(row: &Row, scale: Scale) -> String {
    let mut signs = vec![' '; scale.columns + 1];
    let column = |at: Instant| usize::try_from(at.0 / scale.column.0).unwrap_or(usize::MAX);
    let mut put = |at: Instant, sign: char| {
        if let Some(old) = signs.get_mut(column(at)) {
            *old = match (*old, sign) {
                (' ', sign) => sign,
                ('↑', '↓') | ('↓', '↑') => '↕',
                (_, '!' | 'x') => sign,
                (old, _) => old,
            };
        }
    };
    for job in &row.jobs {
        // what begins at the end of the chart is not in it
        if job.released < scale.end() {
            put(job.released, '↑');
        }
        job.deadline.into_iter().for_each(|at| put(at, '↓'));
    }
    for job in &row.jobs {
        if let Some(deadline) = job.deadline.filter(|_| job.late) {
            put(deadline, '!');
        }
        if let Some(at) = job.end.filter(|_| job.stopped) {
            put(at, 'x');
        }
    }
    signs.into_iter().collect()
}

fn cells(row: &Row, scale: Scale) -> String {
    let released: Vec<Slice> = row
        .jobs
        .iter()
        .map(|job| Slice {
            from: job.released,
            to: job.end.unwrap_or(Instant::NEVER),
        })
        .collect();
    let late = row.ran_late();
    let cell = |column: usize| {
        let (from, to) = (scale.start(column), scale.start(column + 1));
        let ran = overlap(&row.slices, from, to);
        if overlap(&late, from, to).0 > 0 {
            RUNS_LATE
        } else if ran == scale.column {
            '█'
        } else if ran.0 > 0 {
            '▌'
        } else if overlap(&released, from, to).0 > 0 {
            '░'
        } else {
            '·'
        }
    };
    (0..scale.columns).map(cell).collect()
}

/// How much of a time lies in slices that do not overlap each other.
fn overlap(slices: &[Slice], from: Instant, to: Instant) -> Duration {
    let first = slices.partition_point(|slice| slice.to <= from);
    let inside = slices[first..].iter().take_while(|slice| slice.from < to);
    let parts = inside.map(|slice| slice.to.min(to).0 - slice.from.max(from).0);
    Duration(parts.sum())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::Event;
    use crate::sample::*;

    fn chart(events: &[Event], length: u64, columns: usize) -> String {
        let names = names();
        let scale = Scale::fit(Duration::from_millis(length), None, columns);
        let mut schedule = Schedule::new(&names, scale.end());
        events.iter().for_each(|event| schedule.observe(event));
        schedule.close(Instant(length * 1_000_000));
        gantt(&names, &schedule, scale).join("\n")
    }

    #[test]
    fn a_preempted_job_waits_between_its_parts() {
        let events = [
            release(0, 1, 1, 20),
            switch(0, Some(1)),
            release(10, 0, 1, 10),
            switch(10_000, Some(0)),
            complete(12_500, 0, 1),
            switch(12_500, Some(1)),
            complete(15_000, 1, 1),
            switch(15_000, None),
        ];
        let expected = "\
ms         0         10        20
           |    .    |    .    |
                     ↑         ↓
fast       ··········██▌·······
           ↑                   ↓
slow       ██████████░░▌██·····";
        let chart = chart(&events, 20, 20);
        assert!(chart.starts_with(expected), "{chart}");
        assert!(!chart.contains(DRIVERS) && chart.contains("░ released, waits"));
    }

    #[test]
    fn a_late_job_is_marked_at_its_deadline_and_upcalls_have_a_row() {
        let events = [
            release(0, 0, 1, 10),
            switch(0, Some(2)),
            switch(2_000, Some(0)),
            complete(12_000, 0, 1),
            switch(12_000, None),
        ];
        let expected = "\
           ↑         !
fast       ░░████████▓▓········";
        let chart = chart(&events, 20, 20);
        assert!(chart.contains(expected), "{chart}");
        assert!(chart.contains("(drivers)  ██··················"), "{chart}");
        assert!(chart.contains("· no job  ▓ runs late"), "{chart}");
    }

    #[test]
    fn tasks_of_one_name_are_told_apart_by_their_programs() {
        let mut names = names();
        assert_eq!(task_label(&names, 0), "fast");
        names.threads[1].name = "fast".into();
        assert_eq!(task_label(&names, 0), "flight.fast");
        assert_eq!(task_label(&names, 9), "thread 9");
    }
}
