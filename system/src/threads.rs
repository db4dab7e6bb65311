//! The thread table of the outline: for each process its tasks in the order of
//! the programs, its ordinary threads, its filters, places for those that it creates, and the
//! thread of its upcalls.

use crate::board::PAGE;
use crate::file::{ProcessSection, ProgramSection, ProvidedFunction, Schedule, Spanned};
use crate::model::{Model, Thread};
use crate::names::ThreadRole;
use crate::outline::Providers;
use crate::problem::Findings;
use crate::project::Project;
use crate::streams;
use giornata_abi::Opcode;
use giornata_abi::module::{Module, TaskSymbol};
use giornata_abi::process::FunctionKind;
use giornata_abi::system::Policy;
use std::collections::BTreeSet;
use std::ops::Range;

/// The name of a process's upcall thread.
pub(crate) const UPCALL: &str = "upcall";
/// The names of a process's spare threads begin so; a number follows.
const SPARE: &str = "spare";
/// Larger stacks are taken for a mistake.
const MOST_STACK: u64 = 16 << 20;

/// A task of some program before it has a thread.
struct Task<'a> {
    program: u16,
    local: u16,
    name: &'a str,
    function: &'a str,
    wcet: u64,
    deadline: u64,
    policy: Policy,
    priority: u8,
    provider: Option<(u16, &'a ProvidedFunction)>,
}

/// Fills the thread table and the processes' parts of it.
pub(crate) fn add(
    findings: &mut Findings,
    project: &Project,
    modules: &[Module<'_>],
    providers: &Providers<'_>,
    model: &mut Model,
) {
    let mut tasks = Vec::new();
    for ((index, section), module) in (0u16..).zip(&project.file.programs).zip(modules) {
        tasks.extend(tasks_of(
            findings, project, section, index, module, providers,
        ));
    }
    check_bodies(findings, &tasks, project);
    for (index, section) in (0u16..).zip(&project.file.processes) {
        let start = model.threads.len() as u16;
        let own = tasks
            .iter()
            .filter(|t| t.provider.is_some_and(|(process, _)| process == index));
        for task in own {
            let limits = task.provider.map(|(_, function)| function);
            model
                .threads
                .push(task_thread(findings, section, index, task, limits));
        }
        add_threads(findings, project, section, index, model);
        streams::add_threads(findings, project, index, &section.stack, model);
        add_spare_threads(findings, section, index, model);
        let upcall = (!section.drivers.is_empty()).then_some(model.threads.len() as u16);
        if upcall.is_some() {
            model.threads.push(upcall_thread(findings, section, index));
        }
        check_names(findings, section, model, start);
        if let Some(process) = model.processes.get_mut(index as usize) {
            process.threads = (start, model.threads.len() as u16 - start);
            process.upcall = upcall;
        }
    }
}

fn tasks_of<'a>(
    findings: &mut Findings,
    project: &Project,
    section: &ProgramSection,
    program: u16,
    module: &Module<'a>,
    providers: &Providers<'a>,
) -> Vec<Task<'a>> {
    let symbols: Vec<TaskSymbol> = module.tasks().collect();
    let deadlines: Vec<u64> = (0..symbols.len() as u16)
        .map(|task| shortest_deadline(module, task))
        .collect();
    let priorities = priorities(findings, project, section, &deadlines);
    let mut tasks = Vec::new();
    for ((local, symbol), (deadline, priority)) in (0u16..)
        .zip(&symbols)
        .zip(deadlines.into_iter().zip(priorities))
    {
        let function = module.text(symbol.function);
        let provider = providers.get(FunctionKind::Task, function);
        if provider.is_none() {
            let reason = format!(
                "no process provides task function `{function}` of program `{}`",
                section.name.get_ref()
            );
            let mend = format!(
                "list it in its process: `tasks = {{ {function} = {{ budget = \"1ms\" }} }}`"
            );
            findings.refuse(
                section.source.span(),
                reason,
                providers.mend(FunctionKind::Task, function, mend),
            );
        }
        let annotated = u8::try_from(symbol.priority).unwrap_or(u8::MAX);
        let by_deadline = matches!(
            section.schedule.get_ref(),
            Schedule::Edf | Schedule::SCode(_)
        );
        tasks.push(Task {
            program,
            local,
            name: module.text(symbol.name),
            function,
            wcet: symbol.wcet,
            deadline,
            policy: if by_deadline {
                Policy::Deadline
            } else {
                Policy::Fifo
            },
            priority: if by_deadline || annotated == 0 {
                priority
            } else {
                annotated
            },
            provider,
        });
    }
    tasks
}

/// The shortest relative deadline with which a task is released; 0 if never.
fn shortest_deadline(module: &Module<'_>, task: u16) -> u64 {
    let releases = module
        .instructions()
        .filter(|i| i.opcode() == Some(Opcode::Release) && i.a == task);
    releases
        .filter_map(|i| module.duration(i.b))
        .map(|d| d.nanos)
        .min()
        .unwrap_or(0)
}

/// The fixed priority of each task under the program's schedule.
fn priorities(
    findings: &mut Findings,
    project: &Project,
    section: &ProgramSection,
    deadlines: &[u64],
) -> Vec<u8> {
    let band = project.file.kernel.deadline_band;
    let schedule = *section.schedule.get_ref();
    if let Some(slot) = &section.slot {
        let reason = match schedule {
            Schedule::Edf => "a slot under \"edf\" is the deadline band itself",
            _ if *slot.get_ref() == band => "the slot lies in the deadline band",
            _ => "",
        };
        if !reason.is_empty() {
            findings.refuse(
                slot.span(),
                reason,
                "leave `slot` out, or use schedule \"rm\" or \"fifo\" beside the band",
            );
        }
    }
    let top = section
        .slot
        .as_ref()
        .map_or(top_priority(band), |s| *s.get_ref());
    if schedule != Schedule::RateMonotonic {
        return vec![if schedule == Schedule::Fifo { top } else { 0 }; deadlines.len()];
    }
    let ranks: BTreeSet<u64> = deadlines.iter().copied().collect();
    let levels: Vec<u8> = (0..=top).rev().filter(|p| *p != band).collect();
    if ranks.len() > levels.len() {
        let reason = format!(
            "{} different deadlines for {} fixed priorities up to the slot",
            ranks.len(),
            levels.len()
        );
        findings.refuse(
            section.schedule.span(),
            reason,
            "raise `slot`, or use schedule \"edf\"",
        );
    }
    let rank = |deadline: &u64| ranks.range(..*deadline).count();
    deadlines
        .iter()
        .map(|d| levels.get(rank(d)).copied().unwrap_or(0))
        .collect()
}

/// The slot of a program with fixed priorities that names none.
pub(crate) fn top_priority(band: u8) -> u8 {
    band.checked_sub(1).unwrap_or(u8::MAX)
}

/// A task keeps its state in its function: one function, one task.
fn check_bodies(findings: &mut Findings, tasks: &[Task<'_>], project: &Project) {
    for (index, task) in tasks.iter().enumerate() {
        let earlier = tasks
            .iter()
            .take(index)
            .find(|t| t.function == task.function);
        if let (Some(other), Some(section)) =
            (earlier, project.file.programs.get(task.program as usize))
        {
            let reason = format!(
                "tasks `{}` and `{}` have one function, `{}`",
                other.name, task.name, task.function
            );
            findings.refuse(
                section.source.span(),
                reason,
                "give each task a function of its own: it holds the task's state",
            );
        }
    }
}

fn task_thread(
    findings: &mut Findings,
    section: &ProcessSection,
    process: u16,
    task: &Task<'_>,
    limits: Option<&ProvidedFunction>,
) -> Thread {
    let stack = limits
        .and_then(|f| f.stack.clone())
        .unwrap_or(section.stack.clone());
    Thread {
        name: task.name.into(),
        role: ThreadRole::Task,
        policy: task.policy,
        priority: task.priority,
        autostart: false,
        task: Some((task.program, task.local)),
        function: task.function.into(),
        budget: limits
            .and_then(|f| f.budget.as_ref())
            .map_or(0, |b| *b.get_ref()),
        wcet: task.wcet,
        deadline: task.deadline,
        stack: stack_bytes(findings, &stack),
        ..blank(process)
    }
}

fn upcall_thread(findings: &mut Findings, section: &ProcessSection, process: u16) -> Thread {
    let stack = stack_bytes(findings, &section.stack);
    Thread {
        name: UPCALL.into(),
        role: ThreadRole::Upcall,
        stack,
        ..blank(process)
    }
}

pub(crate) fn blank(process: u16) -> Thread {
    Thread {
        name: String::new(),
        process,
        role: ThreadRole::Thread,
        policy: Policy::Fifo,
        priority: 0,
        autostart: false,
        spare: false,
        task: None,
        function: String::new(),
        budget: 0,
        wcet: 0,
        deadline: 0,
        quantum: 0,
        stack: PAGE,
        fits: false,
        control: 0,
        block: 0,
        block_size: 0,
    }
}

fn add_threads(
    findings: &mut Findings,
    project: &Project,
    section: &ProcessSection,
    process: u16,
    model: &mut Model,
) {
    for thread in &section.threads {
        let band = project.file.kernel.deadline_band;
        if thread.policy != Policy::Deadline && thread.priority == band {
            let reason = format!("priority {band} is the deadline band");
            findings.refuse(
                thread.name.span(),
                reason,
                "take the priority above or below it",
            );
        }
        let stack = thread.stack.clone().unwrap_or(section.stack.clone());
        model.threads.push(Thread {
            name: thread.name.get_ref().clone(),
            policy: thread.policy,
            priority: thread.priority,
            autostart: thread.autostart,
            function: thread.name.get_ref().clone(),
            budget: thread.budget,
            deadline: thread.deadline,
            quantum: thread.quantum,
            stack: stack_bytes(findings, &stack),
            ..blank(process)
        });
    }
}

/// Places for threads that the process creates: what they run, and how urgently,
/// is said then.
fn add_spare_threads(
    findings: &mut Findings,
    section: &ProcessSection,
    process: u16,
    model: &mut Model,
) {
    let Some(spare) = &section.services.spare_threads else {
        return;
    };
    let stack = spare.stack.as_ref().unwrap_or(&section.stack);
    let stack = stack_bytes(findings, stack);
    let place = |number: u16| Thread {
        name: format!("{SPARE}{number}"),
        spare: true,
        stack,
        ..blank(process)
    };
    model.threads.extend((0..spare.count).map(place));
}

pub(crate) fn stack_bytes(findings: &mut Findings, stack: &Spanned<u64>) -> u32 {
    let bytes = *stack.get_ref();
    if bytes == 0 || bytes > MOST_STACK {
        let reason = format!("a stack of {bytes} bytes");
        findings.refuse(stack.span(), reason, "give it 4K to 16M");
        return PAGE;
    }
    bytes as u32
}

/// Names of a process's threads become identifiers.
fn check_names(findings: &mut Findings, section: &ProcessSection, model: &Model, start: u16) {
    let own = model.threads.get(start as usize..).unwrap_or(&[]);
    for (index, thread) in own.iter().enumerate() {
        if own
            .iter()
            .take(index)
            .any(|other| other.name == thread.name)
        {
            let reason = format!(
                "process `{}` has two threads called `{}`",
                section.name.get_ref(),
                thread.name
            );
            findings.refuse(span_of(section, &thread.name), reason, "rename one of them");
        }
    }
}

fn span_of(section: &ProcessSection, name: &str) -> Range<usize> {
    let threads = section.threads.iter().map(|t| &t.name);
    let mut all = threads.chain(section.tasks.iter().map(|t| &t.name));
    all.find(|n| n.get_ref() == name)
        .map_or(section.name.span(), |n| n.span())
}
