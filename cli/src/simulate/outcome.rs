//! What a simulation came to: text for people, an object for programs.

use giornata_abi::time::Timebase;
use giornata_abi::{Duration, Instant, Ticks};
use giornata_system::NameMap;
use giornata_trace::{
    Breach, RUNS_LATE, Scale, Schedule, Statistics, brief, describe_breach, describe_late, gantt,
    share, task_label, task_table, tasks,
};
use serde_json::{Value, json};

use super::harts::Occupancy;
use super::times::Times;
use crate::report::{Report, Verdict};

/// Lines about what went wrong, at most.
const MOST_TROUBLE: usize = 12;

/// A finished simulation.
pub(crate) struct Outcome<'a> {
    pub(crate) names: &'a NameMap,
    pub(crate) totals: Statistics,
    pub(crate) schedule: Schedule,
    pub(crate) breaches: Vec<Breach>,
    pub(crate) occupancy: Occupancy,
    /// Harts that run threads.
    pub(crate) harts: u32,
    pub(crate) length: Duration,
    pub(crate) hyperperiod: Option<Duration>,
}

impl Outcome<'_> {
    fn end(&self) -> Instant {
        Instant(self.length.0)
    }

    /// Negative if a deadline was missed or a violation had no handler.
    pub(crate) fn verdict(&self) -> Verdict {
        if self.schedule.late.is_empty() && self.totals.unhandled == 0 {
            Verdict::Good
        } else {
            Verdict::Negative
        }
    }

    /// Which part the chart shows, in words.
    pub(crate) fn part(&self, scale: Scale) -> String {
        let shown = Duration(scale.end().0.min(self.length.0));
        let first = format!("the first {} of {}", brief(shown), brief(self.length));
        match self.hyperperiod {
            _ if shown == self.length => format!("all of {}", brief(shown)),
            Some(cycle) if shown == cycle => format!("{first}, one hyperperiod"),
            Some(cycle) => format!("{first}; the hyperperiod is {}", brief(cycle)),
            None => first,
        }
    }

    /// Chart, table, trouble and verdict.
    pub(crate) fn say(&self, title: &str, scale: Scale, notes: &[String], report: &Report) {
        let mut lines = vec![
            format!("{title}, {}", self.part(scale)),
            format!("a column is {}", brief(scale.column)),
            String::new(),
        ];
        let chart = gantt(self.names, &self.schedule, scale);
        lines.extend(chart.into_iter().map(|line| match report.is_coloured() {
            true => redden(&line),
            false => line,
        }));
        lines.push(String::new());
        lines.extend(task_table(
            self.names,
            &self.totals,
            &self.schedule,
            self.end(),
        ));
        lines.push(String::new());
        lines.extend(self.occupancy.say(self.length.0));
        lines.extend(self.trouble());
        lines.extend_from_slice(notes);
        lines.push(self.closing());
        report.say(lines.join("\n") + "\n");
    }

    /// Violations and late jobs in the order of their instants.
    fn trouble(&self) -> Vec<String> {
        let breaches = self.breaches.iter();
        let breaches = breaches.map(|breach| (breach.at, describe_breach(breach, self.names)));
        let late = self.schedule.late.iter();
        let late = late.map(|late| (late.deadline, describe_late(late, self.names)));
        let mut all: Vec<(Instant, String)> = late.chain(breaches).collect();
        all.sort_by_key(|(at, _)| *at);
        let rest = all.len().saturating_sub(MOST_TROUBLE);
        let mut lines: Vec<String> = all.into_iter().map(|(_, line)| line).collect();
        lines.truncate(MOST_TROUBLE);
        if rest > 0 {
            lines.push(format!("... and {rest} more: `--json` tells all"));
        }
        lines
    }

    fn closing(&self) -> String {
        let word = match self.verdict() {
            Verdict::Good => "ok",
            Verdict::Negative => "not in time",
            _ => "the kernel met what cannot happen",
        };
        let of = match self.harts {
            1 => String::new(),
            harts => format!(" of {harts} harts"),
        };
        let all = self.length.0.saturating_mul(self.harts.into());
        format!(
            "{}: {word} | simulated {} | releases {} | missed {} | violations {} | load {} %{of}",
            self.names.system,
            brief(self.length),
            self.totals.releases(),
            self.schedule.late.len(),
            self.totals.violations,
            share(self.processor().iter().sum(), all),
        )
    }

    /// By thread: how long it had the processor, in ns.
    fn processor(&self) -> Vec<u64> {
        let base = Timebase::new(self.names.timer_hertz);
        let ticks = self.totals.processor(base.ticks(self.end()));
        let nanos = ticks.into_iter().map(|ticks| base.instant(Ticks(ticks)).0);
        nanos.collect()
    }

    /// The same for programs.
    pub(crate) fn tell(&self, times: &Times, report: &mut Report) {
        report.tell("system", self.names.system.as_str());
        report.tell("simulated_ns", self.length.0);
        report.tell(
            "hyperperiod_ns",
            json!(self.hyperperiod.map(|cycle| cycle.0)),
        );
        report.tell("harts", self.occupancy.tell());
        let processor = self.processor();
        let rows = tasks(self.names).map(|task| self.task(task, times, &processor));
        report.tell("tasks", rows.collect::<Vec<Value>>());
        let late = self.schedule.late.iter().map(|late| {
            json!({
                "task": task_label(self.names, late.thread),
                "job": late.job,
                "deadline_ns": late.deadline.0,
                "completed_ns": late.completed.map(|at| at.0),
            })
        });
        report.tell("misses", late.collect::<Vec<Value>>());
        let breaches = self.breaches.iter().map(|breach| self.breach(breach));
        report.tell("violations", breaches.collect::<Vec<Value>>());
        report.tell(
            "totals",
            json!({
                "releases": self.totals.releases(),
                "misses": self.schedule.late.len(),
                "violations": self.totals.violations,
                "unhandled_violations": self.totals.unhandled,
                "preemptions": self.schedule.rows.iter().map(|row| row.preemptions).sum::<u64>(),
                "busy_ns": processor.iter().sum::<u64>(),
            }),
        );
    }

    fn task(&self, task: u16, times: &Times, processor: &[u64]) -> Value {
        let index = usize::from(task);
        let (thread, total) = (&self.names.threads[index], &self.totals.threads[index]);
        let row = &self.schedule.rows[index];
        let program = thread
            .program
            .and_then(|p| self.names.programs.get(usize::from(p)));
        let response = (total.response.count > 0).then(|| {
            json!({
                "min": total.response.least,
                "mean": total.response.mean(),
                "max": total.response.most,
            })
        });
        json!({
            "task": task_label(self.names, task),
            "program": program.map(|program| program.name.as_str()),
            "function": thread.function,
            "deadline_ns": thread.deadline,
            "execution_ns": times.range(task),
            "releases": total.releases,
            "completions": total.completions,
            "response_ns": response,
            "misses": row.misses,
            "violations": total.violations,
            "preemptions": row.preemptions,
            "busy_ns": processor[index],
        })
    }

    fn breach(&self, breach: &Breach) -> Value {
        let driver = breach
            .driver
            .and_then(|d| self.names.drivers.get(usize::from(d)));
        let program = self.names.programs.get(usize::from(breach.program));
        json!({
            "kind": breach.violation.map(|violation| violation.name()),
            "program": program.map(|program| program.name.as_str()),
            "task": breach.task.map(|task| task_label(self.names, task)),
            "driver": driver.map(|driver| driver.name.as_str()),
            "at_ns": breach.at.0,
            "handled": breach.handled,
        })
    }
}

/// A line of a chart in which what runs late is red.
fn redden(line: &str) -> String {
    let mut text = String::new();
    let mut is_red = false;
    for sign in line.chars() {
        if (sign == RUNS_LATE) != is_red {
            is_red = !is_red;
            text.push_str(if is_red { "\x1b[31m" } else { "\x1b[0m" });
        }
        text.push(sign);
    }
    if is_red {
        text.push_str("\x1b[0m");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_runs_late_is_red_and_nothing_else() {
        assert_eq!(redden("fast  ██▓▓··"), "fast  ██\x1b[31m▓▓\x1b[0m··");
        assert_eq!(redden("▓"), "\x1b[31m▓\x1b[0m");
        assert_eq!(redden("fast  ██··"), "fast  ██··");
    }
}
