//! What processes take from while they run, in configurations with services: the
//! messages that they send, places for threads that they create, and memory. Each has its own, so that who takes too much harms
//! nobody else.

use crate::config::{self, MAIL, SERVICES};
use crate::file::{ProcessSection, Spanned, SystemFile};
use crate::model::{Model, Process};
use crate::objects::{Kind, Object};
use crate::problem::Findings;
use crate::section::Section;
use crate::supervisors;
use giornata_abi::id::NONE;
use giornata_abi::system::{RIGHT_DIRECT, RIGHT_USE};
use std::ops::Range;

/// Messages of a process that sends and does not say how many.
const DEFAULT_MESSAGES: u16 = 8;
/// The longest message: its length is 16 bits wide, and a multiple of 8.
pub(crate) const LONGEST_MESSAGE: u64 = 65528;
/// More bytes of messages are taken for a mistake.
const MOST_BYTES: u64 = 1 << 30;
/// Most threads that one process can have created.
pub(crate) const MOST_SPARE: u64 = 4096;
/// Larger heaps are taken for a mistake.
pub(crate) const MOST_HEAP: u64 = 1 << 28;
/// Memory is allocated in multiples of this.
pub(crate) const HEAP_GRAIN: u32 = 16;
/// Messages lie at multiples of this.
const GRAIN: u32 = 8;

/// The keys of `[process.*]` that need services.
#[derive(Clone, Debug, Default)]
pub struct ServicesSection {
    /// What is written of them: the keys, and where.
    pub written: Vec<(&'static str, Range<usize>)>,
    /// Messages that it can have under way.
    pub messages: Option<Spanned<u64>>,
    /// Bytes of the longest, where 16 are not enough.
    pub message_size: Option<Spanned<u64>>,
    /// Places for threads that it creates.
    pub spare_threads: Option<SpareThreads>,
    /// Bytes of memory that it can allocate.
    pub heap: Option<Spanned<u64>>,
    /// Whether it begins by a call of its supervisor.
    pub start: Option<Spanned<bool>>,
}

/// `spare-threads`: places for threads that a process creates.
#[derive(Clone, Debug)]
pub struct SpareThreads {
    /// How many there are.
    pub count: u16,
    /// Bytes of the stack of each, if not the process's.
    pub stack: Option<Spanned<u64>>,
}

/// The messages of a process.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Messages {
    /// The first, of those of all processes.
    pub first: u16,
    /// How many there are.
    pub count: u16,
    /// Bytes that each can carry beyond what fits into words; a multiple of 8.
    pub size: u32,
    /// Offset of the first one's bytes in the kernel's arena; 0 before binding.
    pub place: u32,
}

impl Messages {
    /// Bytes of all of them in the arena.
    fn bytes(&self) -> u64 {
        u64::from(self.count) * u64::from(self.size)
    }
}

/// The keys that are read here.
pub(crate) const KEYS: [&str; 5] = ["messages", "message-size", "spare-threads", "heap", "start"];

/// Reads them from the section of a process.
pub(crate) fn section(findings: &mut Findings, section: &Section<'_>) -> ServicesSection {
    let message_size = section.size(findings, "message-size");
    if let Some(size) = message_size
        .as_ref()
        .filter(|s| *s.get_ref() > LONGEST_MESSAGE)
    {
        let reason = format!("a message of {} bytes", size.get_ref());
        let mend = format!("{LONGEST_MESSAGE} are the most: send it in parts");
        findings.refuse(size.span(), reason, mend);
    }
    let written = KEYS.into_iter().filter(|key| section.has(key));
    ServicesSection {
        written: written.map(|key| (key, section.key_span(key))).collect(),
        messages: section.number(findings, "messages"),
        message_size: message_size.filter(|size| *size.get_ref() <= LONGEST_MESSAGE),
        spare_threads: spare_threads(findings, section),
        heap: heap(findings, section),
        start: supervisors::start(findings, section),
    }
}

fn heap(findings: &mut Findings, section: &Section<'_>) -> Option<Spanned<u64>> {
    let heap = section.size(findings, "heap")?;
    if *heap.get_ref() > MOST_HEAP {
        let reason = format!("a heap of {} bytes", heap.get_ref());
        findings.refuse(heap.span(), reason, "256M are the most");
        return None;
    }
    Some(heap)
}

fn spare_threads(findings: &mut Findings, section: &Section<'_>) -> Option<SpareThreads> {
    let table = section.section(findings, "spare-threads")?;
    let count = table.number(findings, "count");
    if !table.has("count") {
        let reason = "it is not said how many threads there may be";
        findings.refuse(table.span(), reason, "add `count = 4`");
    }
    Some(SpareThreads {
        count: *count?.get_ref() as u16,
        stack: table.size(findings, "stack"),
    })
}

/// Gives each process of a model what its section asks for.
pub(crate) fn resolve(findings: &mut Findings, file: &SystemFile, model: &mut Model) {
    check_config(findings, file);
    let mut first = 0u32;
    let mut bytes = 0;
    for (index, section) in (0u16..).zip(&file.processes) {
        let Some(process) = model.processes.get_mut(usize::from(index)) else {
            continue;
        };
        process.messages = messages(findings, section, &model.objects, index);
        process.messages.first = first as u16;
        let heap = section
            .services
            .heap
            .as_ref()
            .map_or(0, |heap| *heap.get_ref() as u32);
        process.heap = heap.next_multiple_of(HEAP_GRAIN);
        first = first.saturating_add(process.messages.count.into());
        bytes += process.messages.bytes();
    }
    if first >= NONE.into() {
        let reason = format!("the processes have {first} messages");
        findings.refuse(0..0, reason, "65,534 are the most: write fewer `messages`");
    }
    if bytes > MOST_BYTES {
        let reason = format!("the messages of the processes have {bytes} bytes");
        findings.refuse(
            0..0,
            reason,
            "write fewer `messages`, or a smaller `message-size`",
        );
    }
}

/// Only kernels that have services know these keys.
fn check_config(findings: &mut Findings, file: &SystemFile) {
    let config = file.kernel.config.get_ref();
    for process in &file.processes {
        for (key, span) in &process.services.written {
            let part = match *key {
                "messages" | "message-size" => MAIL,
                _ => SERVICES,
            };
            if config::has(config, part) {
                continue;
            }
            let reason = format!("configuration \"{config}\" knows no `{key}` of processes");
            findings.refuse(span.clone(), reason, config::mend(file, part));
        }
    }
}

fn messages(
    findings: &mut Findings,
    section: &ProcessSection,
    objects: &[Object],
    index: u16,
) -> Messages {
    let services = &section.services;
    let is_sender = |object: &Object| {
        let rights = object.rights.get(usize::from(index)).copied().unwrap_or(0);
        object.shape.kind() == Kind::Mailbox && rights & (RIGHT_USE | RIGHT_DIRECT) != 0
    };
    let sends = objects.iter().any(is_sender);
    let said = services
        .messages
        .as_ref()
        .or(services.message_size.as_ref());
    if let (Some(said), false) = (said, sends) {
        let reason = format!(
            "process `{}` has messages, and no mailbox to send them to",
            section.name.get_ref()
        );
        let mend = format!(
            "grant one: `grants = {{ {} }}`",
            Kind::Mailbox.grant("NAME", "send")
        );
        findings.refuse(said.span(), reason, mend);
    }
    let default = if sends { DEFAULT_MESSAGES } else { 0 };
    let count = services.messages.as_ref();
    let size = services.message_size.as_ref();
    Messages {
        first: 0,
        count: count.map_or(default, |count| *count.get_ref() as u16),
        size: size
            .map_or(0, |size| *size.get_ref() as u32)
            .next_multiple_of(GRAIN),
        place: 0,
    }
}

/// Gives the bytes of messages their offsets in the arena, from `at` on; answers
/// where they end.
pub(crate) fn place_messages(processes: &mut [Process], at: u32) -> u32 {
    let mut at = at.next_multiple_of(GRAIN);
    for process in processes {
        let messages = &mut process.messages;
        messages.place = if messages.bytes() == 0 { 0 } else { at };
        at = at.saturating_add(messages.bytes() as u32);
    }
    at
}
