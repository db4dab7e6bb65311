//! A trace as a file that Perfetto and `chrome://tracing` load: JSON trace
//! events, written as they come.
//!
//! Process 1 is the kernel: upcalls of the E machine as slices, interrupts,
//! violations and faults as instants, its load as a counter, port values as
//! counters at their logical instants. Every process of the system follows,
//! one track a thread: a slice whenever it has the processor, instants for
//! releases and completions.

use std::io::{self, Write};

use giornata_abi::time::Timebase;
use giornata_abi::{Instant, Ticks};
use giornata_symbols::Symbols;
use giornata_system::NameMap;
use serde_json::{Value, json};

use crate::event::{Content, Event, UpcallStep};
use crate::fault::clean;
use crate::message::{Assembly, Message};
use crate::narration::{change, describe_breach, driver_name, thread_name};
use crate::notation::{fields, number, value};
use crate::port;

const KERNEL: u32 = 1;
const KERNEL_TRACK: u32 = 1;
/// A colour of the format, red.
const LATE_COLOUR: &str = "terrible";

#[derive(Clone, Copy, Debug)]
struct Slice {
    thread: u16,
    job: u16,
    since: Ticks,
    deadline: Option<Instant>,
    /// What was before, of a job that ended late, is written.
    is_rest: bool,
}

/// Writes a trace file.
pub struct Perfetto<'a, W: Write> {
    out: W,
    names: &'a NameMap,
    symbols: Option<&'a Symbols>,
    base: Timebase,
    ports: port::Assembly,
    messages: Assembly,
    running: Vec<Option<Slice>>,
    upcall: Option<(u16, Ticks)>,
    empty: bool,
}

impl<'a, W: Write> Perfetto<'a, W> {
    /// Begins a file: names of processes and tracks.
    ///
    /// # Errors
    /// Those of the writer, here and below.
    pub fn new(out: W, names: &'a NameMap) -> io::Result<Perfetto<'a, W>> {
        Perfetto::with_symbols(out, names, None)
    }

    /// The same, with what addresses are called.
    ///
    /// # Errors
    /// As `new`.
    pub fn with_symbols(
        out: W,
        names: &'a NameMap,
        symbols: Option<&'a Symbols>,
    ) -> io::Result<Perfetto<'a, W>> {
        let mut file = Perfetto {
            out,
            names,
            symbols,
            base: Timebase::new(names.timer_hertz),
            ports: port::Assembly::new(names),
            messages: Assembly::new(names),
            running: Vec::new(),
            upcall: None,
            empty: true,
        };
        file.out
            .write_all(b"{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n")?;
        file.metadata(
            "process_name",
            KERNEL,
            None,
            &format!("kernel ({})", names.system),
        )?;
        file.metadata("thread_name", KERNEL, Some(KERNEL_TRACK), "kernel")?;
        for (index, process) in names.processes.iter().enumerate() {
            file.metadata(
                "process_name",
                process_id(index as u16),
                None,
                &process.name,
            )?;
        }
        for (index, thread) in names.threads.iter().enumerate() {
            let track = thread_track(index as u16);
            file.metadata(
                "thread_name",
                process_id(thread.process),
                Some(track),
                &thread.name,
            )?;
        }
        Ok(file)
    }

    /// Adds an event.
    pub fn push(&mut self, event: &Event) -> io::Result<()> {
        let mut messages = Vec::new();
        self.messages
            .push(event, |tick, message| messages.push((tick, message)));
        self.messages(&messages)?;
        match &event.content {
            Content::Switch {
                thread,
                job,
                deadline,
            } => self.switch(event, thread.map(|thread| (thread, *job, *deadline))),
            Content::Release {
                thread,
                job,
                deadline,
                ..
            } => {
                let args = json!({"job": job, "deadline ms": deadline.map(|d| d.0 as f64 / 1e6)});
                self.on_thread(event.tick, *thread, "release", args)
            }
            Content::Complete {
                thread,
                job,
                execution,
                ..
            } => {
                self.end_job(event, *thread)?;
                let args = json!({"job": job, "execution us": execution.0 as f64 / 1e3});
                self.on_thread(event.tick, *thread, "complete", args)
            }
            Content::Miss { thread, job, .. } => {
                self.on_thread(event.tick, *thread, "missed", json!({"job": job}))
            }
            Content::Violation(breach) => {
                self.on_kernel(event.tick, &describe_breach(breach, self.names))
            }
            Content::Interrupt { number, .. } => {
                self.on_kernel(event.tick, &format!("interrupt {number}"))
            }
            Content::Priority {
                thread,
                priority,
                by,
                policy,
            } => {
                let by = thread_name(self.names, *by);
                let policy = policy.map(policy_name);
                let args = json!({"priority": priority, "by": by, "policy": policy});
                self.on_thread(event.tick, *thread, &format!("priority {priority}"), args)
            }
            Content::Name { thread, text } => self.name(*thread, &clean(text)),
            Content::Process {
                process, restarted, ..
            } => {
                let what = if *restarted { "restarted" } else { "stopped" };
                self.on_process(event.tick, *process, what)
            }
            Content::Change {
                program, how, tag, ..
            } => self.on_kernel(event.tick, &change(*program, *how, *tag, self.names)),
            Content::Lost { count } => self.on_kernel(event.tick, &format!("{count} records lost")),
            Content::Upcall { driver, step, .. } => self.upcall(event.tick, *driver, *step),
            Content::Stop { .. } => self.stop(event),
            Content::Port { .. } => self.port(event),
            _ => Ok(()),
        }
    }

    /// A thread has a name, for all of its track.
    fn name(&mut self, thread: u16, called: &str) -> io::Result<()> {
        let Some(entry) = self.names.threads.get(usize::from(thread)) else {
            return Ok(());
        };
        let name = match called {
            "" => entry.name.clone(),
            called => format!("{called} ({})", entry.name),
        };
        let (pid, tid) = self.track(thread);
        self.metadata("thread_name", pid, Some(tid), &name)
    }

    /// Ends the file and gives the writer back.
    pub fn finish(mut self) -> io::Result<W> {
        let mut messages = Vec::new();
        self.messages
            .flush(&mut |tick, message| messages.push((tick, message)));
        self.messages(&messages)?;
        self.out.write_all(b"\n]}\n")?;
        self.out.flush()?;
        Ok(self.out)
    }

    /// The job of a thread that runs has ended: what follows is not late.
    fn end_job(&mut self, event: &Event, thread: u16) -> io::Result<()> {
        let Some(Some(running)) = self.running.get_mut(usize::from(event.hart)) else {
            return Ok(());
        };
        if running.thread != thread {
            return Ok(());
        }
        let ended = *running;
        running.deadline = None;
        let is_late = |at| self.base.ticks(at) < event.tick;
        if !ended.deadline.is_some_and(is_late) {
            return Ok(());
        }
        running.since = event.tick;
        running.is_rest = true;
        self.slice(ended, event)
    }

    fn switch(
        &mut self,
        event: &Event,
        next: Option<(u16, u16, Option<Instant>)>,
    ) -> io::Result<()> {
        let hart = usize::from(event.hart);
        if self.running.len() <= hart {
            self.running.resize(hart + 1, None);
        }
        let since = event.tick;
        let next = next.map(|(thread, job, deadline)| Slice {
            thread,
            job,
            since,
            deadline,
            is_rest: false,
        });
        match std::mem::replace(&mut self.running[hart], next) {
            Some(slice) => self.slice(slice, event),
            None => Ok(()),
        }
    }

    /// A turn, in two where the deadline of the job lies in it: what is late has a name,
    /// and so a colour, of its own.
    fn slice(&mut self, slice: Slice, end: &Event) -> io::Result<()> {
        let due = slice.deadline.map_or(end.tick, |at| self.base.ticks(at));
        let due = due.clamp(slice.since, end.tick.max(slice.since));
        if due > slice.since || end.tick == slice.since && !slice.is_rest {
            self.part(slice, due, end.hart, false)?;
        }
        let late = Slice {
            since: due,
            ..slice
        };
        match end.tick > due {
            true => self.part(late, end.tick, end.hart, true),
            false => Ok(()),
        }
    }

    fn part(&mut self, slice: Slice, end: Ticks, hart: u8, is_late: bool) -> io::Result<()> {
        let name = thread_name(self.names, slice.thread);
        let (pid, tid) = self.track(slice.thread);
        let duration = Ticks(end.0.saturating_sub(slice.since.0));
        let mut part = json!({
            "ph": "X", "pid": pid, "tid": tid, "name": name,
            "ts": self.micros(slice.since), "dur": self.micros(duration),
            "args": {"job": slice.job, "hart": hart},
        });
        if is_late {
            part["name"] = json!(format!("{name} (late)"));
            // (red in chrome://tracing)
            part["cname"] = json!(LATE_COLOUR);
        }
        self.write(part)
    }

    fn upcall(&mut self, tick: Ticks, driver: u16, step: UpcallStep) -> io::Result<()> {
        if step == UpcallStep::Begun {
            self.upcall = Some((driver, tick));
            return Ok(());
        }
        let Some((begun, since)) = self.upcall.take() else {
            return Ok(());
        };
        let end = match step {
            UpcallStep::Overran => "overran its budget",
            UpcallStep::Faulted => "faulted",
            _ => "returned",
        };
        self.write(json!({
            "ph": "X", "pid": KERNEL, "tid": KERNEL_TRACK, "name": driver_name(self.names, begun),
            "ts": self.micros(since), "dur": self.micros(Ticks(tick.0.saturating_sub(since.0))),
            "args": {"end": end, "of": driver_name(self.names, driver)},
        }))
    }

    fn port(&mut self, event: &Event) -> io::Result<()> {
        let Some(write) = self.ports.push(event) else {
            return Ok(());
        };
        let Some(entry) = self.names.ports.get(usize::from(write.port)) else {
            return Ok(());
        };
        let (value_type, ts) = (entry.value_type(), logical_micros(write.at));
        let name = format!("port {}", self.names.port(write.port).unwrap_or_default());
        let mut parts = fields(&write.value, entry).peekable();
        if parts.peek().is_some() {
            let values: Vec<(String, Option<f64>)> = parts
                .map(|(field, bytes)| {
                    let value = number(bytes, field.value_type());
                    (format!("{name}.{}", field.name), value)
                })
                .collect();
            return values
                .into_iter()
                .try_for_each(|(name, value)| match value {
                    Some(value) => self.counter(ts.clone(), &name, json!(value)),
                    None => Ok(()),
                });
        }
        match number(&write.value, value_type) {
            Some(number) => self.counter(ts, &name, json!(number)),
            None => {
                let text = value(&write.value, value_type);
                self.instant(ts, (KERNEL, KERNEL_TRACK), &name, json!({"value": text}))
            }
        }
    }

    fn stop(&mut self, event: &Event) -> io::Result<()> {
        for hart in 0..self.running.len() {
            self.switch(
                &Event {
                    hart: hart as u8,
                    ..event.clone()
                },
                None,
            )?;
        }
        self.on_kernel(event.tick, "stop")
    }

    fn messages(&mut self, messages: &[(Ticks, Message)]) -> io::Result<()> {
        messages
            .iter()
            .try_for_each(|(tick, message)| self.message(*tick, message))
    }

    fn message(&mut self, tick: Ticks, message: &Message) -> io::Result<()> {
        match message {
            Message::Log { thread, text } => self.on_thread(tick, *thread, text, json!({})),
            Message::Fault(fault) => {
                let explanation = fault.explain(self.names, self.symbols);
                let what = format!("fault: {}", explanation.line());
                self.on_process(tick, fault.process, &what)
            }
        }
    }

    fn on_thread(&mut self, tick: Ticks, thread: u16, name: &str, args: Value) -> io::Result<()> {
        self.instant(self.micros(tick), self.track(thread), name, args)
    }

    fn on_process(&mut self, tick: Ticks, process: u16, what: &str) -> io::Result<()> {
        let name = self
            .names
            .processes
            .get(usize::from(process))
            .map_or("?", |p| p.name.as_str());
        self.on_kernel(tick, &format!("process {name} {what}"))
    }

    fn on_kernel(&mut self, tick: Ticks, name: &str) -> io::Result<()> {
        self.instant(self.micros(tick), (KERNEL, KERNEL_TRACK), name, json!({}))
    }

    fn instant(&mut self, ts: Value, track: (u32, u32), name: &str, args: Value) -> io::Result<()> {
        let (pid, tid) = track;
        self.write(json!({"ph": "i", "s": "t", "pid": pid, "tid": tid, "name": name, "ts": ts, "args": args}))
    }

    fn counter(&mut self, ts: Value, name: &str, value: Value) -> io::Result<()> {
        self.write(
            json!({"ph": "C", "pid": KERNEL, "name": name, "ts": ts, "args": {"value": value}}),
        )
    }

    fn metadata(&mut self, what: &str, pid: u32, tid: Option<u32>, name: &str) -> io::Result<()> {
        let mut event = json!({"ph": "M", "name": what, "pid": pid, "args": {"name": name}});
        if let Some(tid) = tid {
            event["tid"] = json!(tid);
        }
        self.write(event)
    }

    fn write(&mut self, event: Value) -> io::Result<()> {
        if !std::mem::replace(&mut self.empty, false) {
            self.out.write_all(b",\n")?;
        }
        serde_json::to_writer(&mut self.out, &event)?;
        Ok(())
    }

    fn track(&self, thread: u16) -> (u32, u32) {
        let process = self
            .names
            .threads
            .get(usize::from(thread))
            .map_or(0, |entry| entry.process);
        (process_id(process), thread_track(thread))
    }

    fn micros(&self, ticks: Ticks) -> Value {
        logical_micros(self.base.instant(ticks))
    }
}

/// Microseconds, the unit of the format; nanoseconds are kept up to 2^53 ns.
fn logical_micros(at: Instant) -> Value {
    json!(at.0 as f64 / 1000.0)
}

fn process_id(process: u16) -> u32 {
    KERNEL + 1 + u32::from(process)
}

fn thread_track(thread: u16) -> u32 {
    KERNEL_TRACK + 1 + u32::from(thread)
}

/// A policy of [`giornata_abi::posix::policy`].
fn policy_name(policy: u8) -> &'static str {
    use giornata_abi::posix::policy;
    match policy.into() {
        policy::ROUND_ROBIN => "SCHED_RR",
        policy::SPORADIC => "SCHED_SPORADIC",
        policy::DEADLINE => "SCHED_DEADLINE",
        _ => "SCHED_FIFO",
    }
}

#[cfg(test)]
mod tests;
