//! Objects that threads synchronise by, and send messages to: what the system file
//! says of them, and who may do what with each.

use crate::config::{self, MAIL, SERVICES, SLOTS};
use crate::file::{Spanned, SystemFile};
use crate::mailboxes;
use crate::problem::{Findings, suggest};
use crate::section::{Section, as_text};
use giornata_abi::system::{RIGHT_DIRECT, RIGHT_FULL, RIGHT_MANAGE, RIGHT_RECEIVE, RIGHT_USE};
use giornata_abi::word;
use std::fmt;

/// Most that a semaphore may count to, as in POSIX (`SEM_VALUE_MAX`).
pub(crate) const MOST: u64 = i32::MAX as u64;

/// What the owner of a mutex runs as.
pub(crate) const PROTOCOLS: [&str; 2] = ["inherit", "ceiling"];

/// The kinds that system files describe.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A semaphore for mutual exclusion.
    Mutex,
    /// A semaphore that counts.
    Semaphore,
    /// A condition variable.
    Condition,
    /// A mailbox.
    Mailbox,
}

/// `[mutex.*]`, `[semaphore.*]`, `[condition.*]` or `[mailbox.*]`
#[derive(Clone, Debug)]
pub struct ObjectSection {
    /// Its name.
    pub name: Spanned<String>,
    /// What it is.
    pub shape: Shape,
    /// Whether it is there at the boot, or created by a call.
    pub at_boot: bool,
    /// Of a mutex or semaphore: whether it is of one process, whose threads take it
    /// by a word of its memory.
    pub is_private: bool,
    /// Of a mailbox: the mailbox of the server that it is attached to.
    pub server: Option<Spanned<String>>,
}

/// What an object is, and how it begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// A semaphore for mutual exclusion.
    Mutex {
        /// The priority of who has it; `None`: that of the most urgent that waits.
        ceiling: Option<u8>,
    },
    /// A semaphore that counts.
    Semaphore {
        /// Its count when it is created.
        initial: u32,
        /// Its highest count.
        most: u32,
    },
    /// A condition variable.
    Condition,
    /// A mailbox.
    Mailbox,
}

/// An object.
#[derive(Clone, Debug)]
pub struct Object {
    /// Its name.
    pub name: String,
    /// What it is.
    pub shape: Shape,
    /// Whether it is there at the boot.
    pub at_boot: bool,
    /// Whether it is of one process, whose threads take it by a word.
    pub is_private: bool,
    /// Whether it is the C library's, not of the system file.
    pub is_of_library: bool,
    /// Of a mailbox: the number of that of the server that it is attached to.
    pub server: Option<u16>,
    /// By process: `RIGHT_` bits.
    pub rights: Vec<u16>,
}

/// What processes are granted, as it is written.
#[derive(Clone, Debug, Default)]
pub struct ObjectGrants {
    /// Objects that it may use, each under its kind, and the `RIGHT_` bits.
    pub uses: Vec<(Kind, Spanned<String>, u16)>,
    /// Objects that it may create and delete.
    pub manages: Vec<Spanned<String>>,
}

impl Kind {
    /// All, in the order in which objects are numbered.
    pub(crate) const ALL: [Kind; 4] =
        [Kind::Mutex, Kind::Semaphore, Kind::Condition, Kind::Mailbox];

    /// What the system file calls it: the section and the grant.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Mutex => "mutex",
            Kind::Semaphore => "semaphore",
            Kind::Condition => "condition",
            Kind::Mailbox => "mailbox",
        }
    }

    /// The type of `giornata_rt` by which a process holds one.
    pub(crate) fn handle(self) -> &'static str {
        match self {
            Kind::Mutex => "sync::Mutex",
            Kind::Semaphore => "sync::Semaphore",
            Kind::Condition => "sync::Condition",
            Kind::Mailbox => "mailbox::Mailbox",
        }
    }

    /// How a system file grants one: a mailbox with a right.
    pub(crate) fn grant(self, name: &str, right: &str) -> String {
        match self {
            Kind::Mailbox => format!("mailbox = {{ {name} = \"{right}\" }}"),
            _ => format!("{} = [\"{name}\"]", self.name()),
        }
    }
}

impl Shape {
    /// The kind.
    pub fn kind(self) -> Kind {
        match self {
            Shape::Mutex { .. } => Kind::Mutex,
            Shape::Semaphore { .. } => Kind::Semaphore,
            Shape::Condition => Kind::Condition,
            Shape::Mailbox => Kind::Mailbox,
        }
    }

    /// The priority of who has it, where that is stated.
    pub fn ceiling(self) -> Option<u8> {
        match self {
            Shape::Mutex { ceiling } => ceiling,
            _ => None,
        }
    }
}

impl Object {
    /// The processes that have a right to it, by index.
    pub fn holders(&self, right: u16) -> impl Iterator<Item = u16> {
        let all = (0u16..).zip(&self.rights);
        all.filter(move |(_, rights)| **rights & right != 0)
            .map(|(process, _)| process)
    }

    /// The processes that lock, wait, signal or send.
    pub fn users(&self) -> impl Iterator<Item = u16> {
        self.holders(RIGHT_USE | RIGHT_DIRECT)
    }

    /// The processes that receive, of a mailbox.
    pub fn receivers(&self) -> impl Iterator<Item = u16> {
        self.holders(RIGHT_RECEIVE | RIGHT_FULL)
    }

    /// The processes that create and delete it.
    pub fn managers(&self) -> impl Iterator<Item = u16> {
        self.holders(RIGHT_MANAGE)
    }
}

/// Kind, name and how it works.
impl fmt::Display for Object {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.shape.kind().name(), self.name)?;
        match self.shape {
            Shape::Mutex { ceiling: None } => write!(f, ", inherits")?,
            Shape::Mutex { ceiling: Some(at) } => write!(f, ", ceiling {at}")?,
            Shape::Semaphore { most, .. } if self.is_private => write!(f, ", up to {most}")?,
            Shape::Semaphore { initial, most } => write!(f, ", {initial} of {most}")?,
            Shape::Condition | Shape::Mailbox => {}
        }
        match self.is_private {
            true => write!(f, ", private"),
            false => Ok(()),
        }
    }
}

/// Reads the section of one object.
pub(crate) fn section(
    findings: &mut Findings,
    kind: Kind,
    name: Spanned<String>,
    section: &Section<'_>,
) -> ObjectSection {
    let has_private = section.defines("private");
    let is_private = has_private && section.flag(findings, "private") == Some(true);
    if is_private && kind == Kind::Mutex && section.has("ceiling") {
        let reason = format!("mutex `{}` is private, and has a ceiling", name.get_ref());
        let mend = "leave one of them out: a private mutex is taken without the kernel";
        findings.refuse(section.key_span("private"), reason, mend);
    }
    let shape = match kind {
        Kind::Mutex => mutex(findings, &name, section),
        Kind::Semaphore => semaphore(findings, &name, section, is_private),
        Kind::Condition => Shape::Condition,
        Kind::Mailbox => Shape::Mailbox,
    };
    ObjectSection {
        shape,
        is_private,
        server: match section.defines("server") {
            true => section.text(findings, "server"),
            false => None,
        },
        at_boot: section.flag(findings, "at-boot").unwrap_or(true),
        name,
    }
}

fn mutex(findings: &mut Findings, name: &Spanned<String>, section: &Section<'_>) -> Shape {
    let protocol = section.text(findings, "protocol");
    let protocol = protocol.unwrap_or(Spanned::new(section.span(), "inherit".into()));
    let ceiling = section.number(findings, "ceiling");
    let has_ceiling = section.has("ceiling");
    let text = name.get_ref();
    match (protocol.get_ref().as_str(), has_ceiling) {
        ("inherit", false) | ("ceiling", true) => {}
        ("inherit", true) => findings.refuse(
            section.key_span("ceiling"),
            format!("mutex `{text}` inherits priorities, and has a ceiling"),
            "add `protocol = \"ceiling\"`, or leave `ceiling` out",
        ),
        ("ceiling", false) => findings.refuse(
            protocol.span(),
            format!("mutex `{text}` does not say its ceiling"),
            "add `ceiling = 120`: the highest priority of the threads that lock it",
        ),
        (other, _) => findings.refuse(
            protocol.span(),
            format!("there is no protocol \"{other}\""),
            suggest(other, PROTOCOLS),
        ),
    }
    let ceiling = ceiling.map(|number| *number.get_ref() as u8);
    Shape::Mutex { ceiling }
}

fn semaphore(
    findings: &mut Findings,
    name: &Spanned<String>,
    section: &Section<'_>,
    is_private: bool,
) -> Shape {
    if is_private && section.has("initial") {
        let reason = format!(
            "semaphore `{}` is private: its count lies in its process",
            name.get_ref()
        );
        let mend = "leave `initial` out, and give the count in the code";
        findings.refuse(section.key_span("initial"), reason, mend);
        return Shape::Semaphore {
            initial: 0,
            most: word::MOST,
        };
    }
    let highest = if is_private { word::MOST.into() } else { MOST };
    let initial = section.number_in(findings, "initial", 0..=highest);
    let initial = initial.map_or(0, Spanned::into_inner);
    let most = section.number_in(findings, "most", 1..=highest);
    let most = most.map_or(highest, Spanned::into_inner);
    if initial > most {
        let reason = format!(
            "semaphore `{}` begins with {initial} and counts to {most}",
            name.get_ref()
        );
        let mend = format!("write `initial = {most}` or less, or `most = {initial}` or more");
        findings.refuse(section.key_span("initial"), reason, mend);
    }
    Shape::Semaphore {
        initial: initial as u32,
        most: most as u32,
    }
}

/// Reads what a process is granted.
pub(crate) fn grants(findings: &mut Findings, grants: &Section<'_>) -> ObjectGrants {
    let mut uses = Vec::new();
    for kind in Kind::ALL {
        if kind == Kind::Mailbox {
            uses.extend(mailboxes::grants(findings, grants));
            continue;
        }
        let key = kind.name();
        for value in grants.list(findings, key) {
            let name = as_text(findings, value, &format!("a {key}"));
            uses.extend(name.map(|name| (kind, name, RIGHT_USE)));
        }
    }
    let manages = grants.list(findings, "manage");
    let manages = manages
        .iter()
        .filter_map(|value| as_text(findings, value, "an object"));
    ObjectGrants {
        manages: manages.collect(),
        uses,
    }
}

/// All objects, with the rights of each process.
pub(crate) fn resolve(findings: &mut Findings, file: &SystemFile) -> Vec<Object> {
    check_config(findings, file);
    check_names(findings, &file.objects);
    let object = |section: &ObjectSection| Object {
        name: section.name.get_ref().clone(),
        shape: section.shape,
        at_boot: section.at_boot,
        is_private: section.is_private,
        is_of_library: false,
        server: None,
        rights: vec![0; file.processes.len()],
    };
    let mut objects: Vec<Object> = file.objects.iter().map(object).collect();
    mailboxes::attach(findings, &file.objects, &mut objects);
    let before = findings.count();
    for (index, process) in file.processes.iter().enumerate() {
        let ObjectGrants { uses, manages } = &process.grants.objects;
        for (kind, name, right) in uses {
            grant(findings, &mut objects, index, (Some(*kind), *right), name);
        }
        for name in manages {
            grant(findings, &mut objects, index, (None, RIGHT_MANAGE), name);
        }
    }
    // who is granted nothing may have been meant by a grant that names nothing
    if findings.count() == before {
        check_rights(findings, file, &objects);
    }
    objects
}

/// Gives a process a right to an object: to use it, as one of a kind, or to
/// manage it, whatever it is.
fn grant(
    findings: &mut Findings,
    objects: &mut [Object],
    process: usize,
    (kind, right): (Option<Kind>, u16),
    name: &Spanned<String>,
) {
    let text = name.get_ref();
    let what = kind.map_or("object", Kind::name);
    let fits = |object: &&mut Object| kind.is_none_or(|kind| object.shape.kind() == kind);
    let (reason, mend) = match objects.iter_mut().find(|object| object.name == *text) {
        Some(object) if fits(&object) => {
            let Some(rights) = object.rights.get_mut(process) else {
                return;
            };
            if *rights & right == 0 {
                *rights |= right;
                return;
            }
            let reason = format!("{what} `{text}` is granted twice");
            (reason, "name it once".into())
        }
        Some(object) => {
            let kind = object.shape.kind();
            let reason = format!("`{text}` is a {}, not a {what}", kind.name());
            (
                reason,
                format!("grant it as `{}`", kind.grant(text, "send")),
            )
        }
        None => {
            let known = objects.iter_mut().filter(fits);
            let known: Vec<&str> = known.map(|object| object.name.as_str()).collect();
            let reason = format!("there is no {what} `{text}`");
            (reason, suggest(text, known))
        }
    };
    findings.refuse(name.span(), reason, mend);
}

/// Only kernels that have objects know them.
fn check_config(findings: &mut Findings, file: &SystemFile) {
    let config = file.kernel.config.get_ref();
    for object in &file.objects {
        let (kind, name) = (object.shape.kind().name(), object.name.get_ref());
        let part = match object.shape.kind() {
            Kind::Mailbox => MAIL,
            _ if !object.at_boot => SLOTS,
            _ => SERVICES,
        };
        if config::has(config, part) {
            continue;
        }
        let reason = format!("configuration \"{config}\" has no objects like {kind} `{name}`");
        findings.refuse(object.name.span(), reason, config::mend(file, part));
    }
}

/// A name means one object, whatever its kind.
fn check_names(findings: &mut Findings, objects: &[ObjectSection]) {
    for (index, object) in objects.iter().enumerate() {
        let name = object.name.get_ref();
        let mut before = objects.iter().take(index);
        if let Some(other) = before.find(|other| other.name.get_ref() == name) {
            let other = other.shape.kind().name();
            let reason = format!("there is a {other} `{name}` already");
            let mend = "rename one: `manage` tells objects by their names alone";
            findings.refuse(object.name.span(), reason, mend);
        }
    }
}

/// Somebody can use each object, and create it where it is not there at the boot.
fn check_rights(findings: &mut Findings, file: &SystemFile, objects: &[Object]) {
    for (section, object) in file.objects.iter().zip(objects) {
        let (kind, name) = (object.shape.kind().name(), &object.name);
        let has = |right| object.holders(right).next().is_some();
        if object.shape == Shape::Mailbox {
            mailboxes::check_ends(findings, section, object, objects);
        } else if !has(RIGHT_USE) {
            findings.refuse(
                section.name.span(),
                format!("no process may use {kind} `{name}`"),
                format!(
                    "grant it to those that do: `grants = {{ {} }}`",
                    object.shape.kind().grant(name, "")
                ),
            );
        }
        if object.is_private {
            check_private(findings, file, section, object);
        }
        if !object.at_boot && !has(RIGHT_MANAGE) {
            findings.refuse(
                section.name.span(),
                format!("{kind} `{name}` would never be created"),
                format!("grant it to who creates it: `grants = {{ manage = [\"{name}\"] }}`"),
            );
        }
    }
}

/// What is private is of one process: nobody else uses it, or manages it.
fn check_private(
    findings: &mut Findings,
    file: &SystemFile,
    section: &ObjectSection,
    object: &Object,
) {
    let mut holders = object.holders(RIGHT_USE | RIGHT_MANAGE);
    let name = |index: u16| {
        file.processes
            .get(usize::from(index))
            .map_or("", |p| p.name.get_ref())
    };
    if let (Some(first), Some(other)) = (holders.next(), holders.next()) {
        let reason = format!(
            "{} `{}` is private, and granted to `{}` and `{}`",
            object.shape.kind().name(),
            object.name,
            name(first),
            name(other)
        );
        let mend = "grant it to one process, or leave `private` out";
        findings.refuse(section.name.span(), reason, mend);
    }
}

/// The word of a private mutex says which thread has it, in as many bits as the
/// words leave free.
pub(crate) fn check_threads(findings: &mut Findings, file: &SystemFile, threads: usize) {
    let mut private = file.objects.iter().filter(|object| object.is_private);
    if let (Some(object), true) = (private.next(), threads > word::THREADS.into()) {
        let reason = format!("there are {threads} threads, too many for private mutexes");
        let mend = format!("{} are the most: leave `private` out", word::THREADS);
        findings.refuse(object.name.span(), reason, mend);
    }
}
