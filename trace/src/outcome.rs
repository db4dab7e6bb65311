//! What a schedule came to, in words: a table of tasks, and each late job.

use giornata_abi::time::Timebase;
use giornata_abi::{Duration, Instant};
use giornata_system::NameMap;

use crate::gantt::{task_label, tasks};
use crate::narration::align;
use crate::notation::{logical, millis, percent};
use crate::schedule::{Late, Schedule};
use crate::statistics::{Spread, Statistics};

const TITLE: &str = "Times in ms; min, mean and max of the responses, from release to completion.";
const HEAD: [&str; 9] = [
    "task",
    "deadline",
    "releases",
    "min",
    "mean",
    "max",
    "missed",
    "preempted",
    "load %",
];

/// The table of all tasks until `end`, line by line. Times are rounded up to
/// microseconds.
pub fn task_table(
    names: &NameMap,
    totals: &Statistics,
    schedule: &Schedule,
    end: Instant,
) -> Vec<String> {
    let end = Timebase::new(names.timer_hertz).ticks(end);
    let processor = totals.processor(end);
    let mut rows = vec![HEAD.map(String::from)];
    for task in tasks(names) {
        let index = usize::from(task);
        let (total, row) = (&totals.threads[index], &schedule.rows[index]);
        let [least, mean, most] = spread(&total.response);
        rows.push([
            task_label(names, task),
            deadline(names.threads[index].deadline),
            total.releases.to_string(),
            least,
            mean,
            most,
            row.misses.to_string(),
            row.preemptions.to_string(),
            percent(processor[index], end.0),
        ]);
    }
    let mut lines = vec![TITLE.to_owned()];
    lines.extend(align(&rows, 1, 0));
    lines
}

fn spread(response: &Spread) -> [String; 3] {
    let all = [response.least, response.mean(), response.most];
    all.map(|time| match response.count {
        0 => "-".into(),
        _ => ms(Duration(time)),
    })
}

fn deadline(nanos: u64) -> String {
    match nanos {
        0 => "-".into(),
        nanos => ms(Duration(nanos)),
    }
}

/// A duration in ms without its unit.
fn ms(d: Duration) -> String {
    millis(d).trim_end_matches(" ms").to_owned()
}

/// A late job in words.
pub fn describe_late(late: &Late, names: &NameMap) -> String {
    let after = match late.completed {
        Some(at) => format!("completed {} later", millis(at.since(late.deadline))),
        None => "not completed".into(),
    };
    let task = task_label(names, late.thread);
    let deadline = logical(late.deadline);
    format!(
        "missed: task {task}, job {}, deadline {deadline}, {after}",
        late.job
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::*;

    #[test]
    fn a_table_row_holds_counts_responses_and_load() {
        let names = names();
        let mut totals = Statistics::new(&names);
        let mut schedule = Schedule::new(&names, Instant(0));
        for event in [
            release(0, 0, 1, 10),
            switch(0, Some(0)),
            complete(1_000, 0, 1),
            switch(1_000, None),
            release(10, 0, 2, 10),
            switch(10_000, Some(0)),
            complete(12_000, 0, 2),
            switch(12_000, None),
        ] {
            totals.observe(&event);
            schedule.observe(&event);
        }
        let end = Instant(20_000_000);
        schedule.close(end);
        let table = task_table(&names, &totals, &schedule, end);
        let words: Vec<Vec<&str>> = table
            .iter()
            .map(|line| line.split_whitespace().collect())
            .collect();
        assert_eq!(
            words[2].join(" "),
            "fast 10.000 2 1.000 1.500 2.000 0 0 15.00"
        );
        assert_eq!(words[3].join(" "), "slow 20.000 0 - - - 0 0 0.00");
    }

    #[test]
    fn a_late_job_tells_how_late() {
        let mut late = Late {
            thread: 1,
            job: 3,
            deadline: Instant(20_000_000),
            completed: Some(Instant(21_500_000)),
        };
        assert_eq!(
            describe_late(&late, &names()),
            "missed: task slow, job 3, deadline 20.000 ms, completed 1.500 ms later"
        );
        late.completed = None;
        assert!(describe_late(&late, &names()).ends_with("not completed"));
    }
}
