//! Identifiers for the code of processes: threads, ports, drivers, devices,
//! interrupts, objects, shared regions and supervised processes as constants, so
//! that names are checked when compiling.

use crate::hostlink::Hostlink;
use crate::image::layout::device_address;
use crate::model::Model;
use crate::objects::{Kind, Object};
use crate::problem::{Problem, Refusal};
use crate::shared::Region;
use crate::waiting;
use giornata_abi::system::REGION_WRITE;
use std::collections::BTreeMap;

/// A constant: its name, value and meaning.
struct Constant {
    name: String,
    value: u32,
    note: String,
    /// What it is in Rust.
    form: Form,
}

/// What a number becomes in Rust.
#[derive(Clone, Copy)]
enum Form {
    /// The number itself.
    Word,
    /// The number, of an interrupt: 16 bits, as `giornata_rt::interrupt` takes it.
    Line,
    /// The number, of a slot for what the process itself declares: this type in
    /// `giornata_rt`.
    Slot(&'static str),
    /// A constant of this type in `giornata_rt`.
    Handle(&'static str),
    /// The same, of an address.
    Place(&'static str),
    /// The only value of this type in `giornata_rt`.
    Single(&'static str),
}

/// The constants of a system as a Rust module's text.
pub fn rust(model: &Model) -> Result<String, Refusal> {
    let mut text = format!("// Identifiers of the system `{}`.\n\n", model.name);
    for constant in constants(model)? {
        let (name, value) = (&constant.name, constant.value);
        let made = |handle| {
            format!("{name}: ::giornata_rt::{handle} = ::giornata_rt::{handle}::new({value})")
        };
        let declared = match constant.form {
            Form::Word => format!("const {name}: u32 = {value:#x}"),
            Form::Line | Form::Slot(_) => format!("const {name}: u16 = {value}"),
            Form::Handle(handle) => format!("const {}", made(handle)),
            Form::Place(handle) => format!(
                "const {name}: ::giornata_rt::{handle} = ::giornata_rt::{handle}::new({value:#x})"
            ),
            Form::Single(handle) => format!("static {}", made(handle)),
        };
        let purpose = match constant.form {
            Form::Slot(handle) => format!(": for a `static` of `giornata_rt::{handle}`"),
            _ => String::new(),
        };
        text += &format!("/// {}{purpose}.\npub {declared};\n", constant.note);
    }
    text += &loadable(model);
    text += &lines(model);
    text += &hostlink(model);
    Ok(text)
}

/// Whose requests a hostlink server accepts.
fn hostlink(model: &Model) -> String {
    let Hostlink { key, seed } = model.hostlink;
    format!(
        "/// The public key that signs requests to change the machine; `None`: they need no\n\
         /// signature.\n\
         pub const HOSTLINK_KEY: Option<[u8; 32]> = {key:?};\n\
         /// A number that distinguishes this machine from others.\n\
         pub const HOSTLINK_SEED: u64 = {seed};\n"
    )
}

/// The kind of each thread's first device, which selects its driver.
fn lines(model: &Model) -> String {
    let mut text = String::from(
        "/// Threads of processes whose first device is of a kind that the board's file\n\
         /// names: index, device, kind.\n\
         pub const FIRST_DEVICES: &[(u16, &str, &str)] = &[\n",
    );
    for (index, thread) in (0u16..).zip(&model.threads) {
        let owner = model.processes.get(thread.process as usize);
        let first = owner.and_then(|owner| model.board.devices.get(*owner.devices.first()?));
        if let Some((device, kind)) = first.and_then(|device| Some((device, device.kind?))) {
            let (name, kind) = (&device.name, kind.name());
            text += &format!("    ({index}, {name:?}, {kind:?}),\n");
        }
    }
    text + "];\n"
}

/// The programs that a loader may replace, and what their modules may use.
fn loadable(model: &Model) -> String {
    let mut text = String::from(
        "/// Programs that may be replaced: name, index, process that may replace it, room for\n\
         /// instructions, predicates, durations, steps, triggers and threads, the module\n\
         /// whose names a new module may use, and whether that module runs from the start.\n\
         #[allow(clippy::type_complexity)]\n\
         pub const LOADABLE: &[(&str, u16, &str, [u32; 6], &[u8], bool)] = &[\n",
    );
    for (index, program) in model.programs.iter().enumerate() {
        let Some(room) = &program.room else { continue };
        let owner = model.processes.get(room.loader as usize);
        let owner = owner.map_or("", |process| process.name.as_str());
        let limits = room.limits.words();
        let bytes = program.module.escape_ascii();
        let (name, boots) = (&program.name, room.boots);
        text +=
            &format!("    ({name:?}, {index}, {owner:?}, {limits:?}, b\"{bytes}\", {boots}),\n");
    }
    text += "];\n\
             /// Modules that may replace a program: its name, their source, and the file's\n\
             /// bytes.\n\
             pub const MODULES: &[(&str, &str, &[u8])] = &[\n";
    for program in &model.programs {
        for (source, bytes) in &program.known {
            let (name, bytes) = (&program.name, bytes.escape_ascii());
            text += &format!("    ({name:?}, {source:?}, b\"{bytes}\"),\n");
        }
    }
    text + "];\n"
}

/// The constants of a system as a C header's text.
pub fn c(model: &Model) -> Result<String, Refusal> {
    let guard = format!("GIORNATA_{}_IDENTIFIERS_H", upper(&model.name));
    let mut text = format!(
        "/* Identifiers of the system `{}`, written by the builder. */\n",
        model.name
    );
    text += &format!("#ifndef {guard}\n#define {guard}\n\n");
    for constant in constants(model)? {
        let (name, value, note) = (&constant.name, constant.value, &constant.note);
        let purpose = match constant.form {
            Form::Slot(_) => ": for GIO_PRIVATE_SEMAPHORE",
            Form::Single(_) => ": for GIO_PRIVATE_MUTEX",
            Form::Word | Form::Line | Form::Handle(_) | Form::Place(_) => "",
        };
        text += &format!("/* {note}{purpose}. */\n#define {name} {value:#x}u\n");
    }
    text += "\n#endif\n";
    Ok(text)
}

/// All constants, in the order of the tables; refuses names that become equal.
fn constants(model: &Model) -> Result<Vec<Constant>, Refusal> {
    let process = |index: u16| {
        model
            .processes
            .get(index as usize)
            .map_or("", |p| p.name.as_str())
    };
    let program = |index: u16| {
        model
            .programs
            .get(index as usize)
            .map_or("", |p| p.name.as_str())
    };
    let mut all = Vec::new();
    // the thread of a spare place is known only when it is created
    let lasting = (0u16..).zip(&model.threads).filter(|(_, t)| !t.spare);
    for (index, thread) in lasting {
        let owner = process(thread.process);
        let note = format!("Thread `{}` of process `{owner}`", thread.name);
        all.push(constant(
            "THREAD",
            &[owner, &thread.name],
            u32::from(index),
            note,
        ));
    }
    for (index, port) in (0u32..)
        .zip(&model.ports)
        .filter(|(_, p)| !p.kind.is_task_local())
    {
        let owner = program(port.program);
        let note = format!(
            "Port `{}` of program `{owner}`, a {}",
            port.name, port.type_name
        );
        all.push(constant("PORT", &[owner, &port.name], index, note));
    }
    for (index, driver) in (0u32..).zip(&model.drivers) {
        let owner = program(driver.program);
        let note = format!("Driver `{}` of program `{owner}`", driver.name);
        all.push(constant("DRIVER", &[owner, &driver.name], index, note));
    }
    for line in &model.interrupts {
        let note = format!("Interrupt of `{}`", line.name);
        all.push(Constant {
            form: Form::Line,
            ..constant("INTERRUPT", &[&line.name], line.number.into(), note)
        });
    }
    let objects = (0u16..).zip(&model.objects);
    for (index, object) in objects.filter(|(_, object)| !object.is_of_library) {
        let kind = object.shape.kind();
        let constant = constant(
            &upper(kind.name()),
            &[&object.name],
            u32::from(index),
            rights(model, object),
        );
        all.push(Constant {
            form: form(object),
            ..constant
        });
    }
    for (owner, slot) in waiting::first(&model.objects) {
        let owner = process(owner);
        let note = format!("First object by which the C library of `{owner}` waits");
        all.push(constant("WAITING", &[owner], slot.into(), note));
    }
    for (index, region) in (0u32..).zip(&model.regions) {
        let (writers, readers) = sharers(model, region);
        let note = format!("Shared {region}, written by {writers}{readers}");
        all.push(Constant {
            form: Form::Handle("region::Region"),
            ..constant("REGION", &[&region.name], index, note)
        });
    }
    for (index, owner) in (0u32..).zip(&model.processes) {
        if let Some(supervisor) = owner.supervisor {
            let note = format!(
                "Process `{}`, supervised by `{}`",
                owner.name,
                process(supervisor)
            );
            all.push(Constant {
                form: Form::Handle("supervisor::Process"),
                ..constant("PROCESS", &[&owner.name], index, note)
            });
        }
    }
    for owner in &model.processes {
        for index in &owner.devices {
            let Some(device) = model.board.devices.get(*index) else {
                continue;
            };
            let note = format!(
                "Address of device `{}` in process `{}`",
                device.name, owner.name
            );
            let address = device_address(&model.board, owner, *index).unwrap_or(0);
            all.push(Constant {
                form: Form::Place("device::Device"),
                ..constant("DEVICE", &[&owner.name, &device.name], address, note)
            });
        }
    }
    check(&all)?;
    Ok(all)
}

/// How a process holds an object. What is private holds its own word: a mutex is
/// declared here, once; a semaphore by its process, which knows how many there are.
fn form(object: &Object) -> Form {
    match (object.is_private, object.shape.kind()) {
        (true, Kind::Mutex) => Form::Single("sync::PrivateMutex"),
        (true, _) => Form::Slot("sync::PrivateSemaphore"),
        (false, kind) => Form::Handle(kind.handle()),
    }
}

/// Who writes a region, and who only reads it.
fn sharers(model: &Model, region: &Region) -> (String, String) {
    let all = 0..model.processes.len() as u16;
    let (writers, readers): (Vec<u16>, Vec<u16>) = all
        .filter(|process| region.granted(*process) != 0)
        .partition(|process| region.granted(*process) & REGION_WRITE != 0);
    let readers = match &readers[..] {
        [] => String::new(),
        readers => format!(", read by {}", names(model, readers)),
    };
    (names(model, &writers), readers)
}

/// The names of processes, as a list.
fn names(model: &Model, processes: &[u16]) -> String {
    let processes = processes.iter();
    let processes = processes.filter_map(|index| model.processes.get(usize::from(*index)));
    let names: Vec<String> = processes
        .map(|process| format!("`{}`", process.name))
        .collect();
    names.join(", ")
}

/// What an object is, and who has a right to it.
fn rights(model: &Model, object: &Object) -> String {
    let users = match object.shape.kind() {
        Kind::Mailbox => "sent to by",
        _ => "used by",
    };
    let roles = [
        (users, object.users().collect()),
        ("received from by", object.receivers().collect()),
        ("created and deleted by", object.managers().collect()),
    ];
    let handle = object.shape.kind().handle();
    let noun = handle.rsplit("::").next().unwrap_or(handle);
    let noun = match (object.is_private, form(object)) {
        (true, Form::Slot(_)) => format!("Slot of the private {}", object.shape.kind().name()),
        (true, _) => format!("Private {}", object.shape.kind().name()),
        (false, _) => noun.into(),
    };
    let mut note = format!("{noun} `{}`", object.name);
    for (role, holders) in
        roles.map(|(role, holders): (_, Vec<u16>)| (role, names(model, &holders)))
    {
        if !holders.is_empty() {
            note += &format!(", {role} {holders}");
        }
    }
    note
}

/// The name of a constant.
pub(crate) fn name(kind: &str, parts: &[&str]) -> String {
    let parts: Vec<String> = parts.iter().map(|p| upper(p)).collect();
    format!("{kind}_{}", parts.join("_"))
}

fn constant(kind: &str, parts: &[&str], value: u32, note: String) -> Constant {
    // notes are comments: nothing in a name may end one
    let note = note.replace("*/", "* /").replace(['\n', '\r'], " ");
    Constant {
        name: name(kind, parts),
        value,
        note,
        form: Form::Word,
    }
}

/// A name as a part of a constant's name.
fn upper(name: &str) -> String {
    name.chars()
        .map(|c| {
            if c.is_ascii_alphanumeric() {
                c.to_ascii_uppercase()
            } else {
                '_'
            }
        })
        .collect()
}

fn check(all: &[Constant]) -> Result<(), Refusal> {
    let mut seen: BTreeMap<&str, &Constant> = BTreeMap::new();
    for constant in all {
        if let Some(other) = seen.insert(&constant.name, constant) {
            let reason = format!(
                "{} and {} have one identifier, {}",
                other.note, constant.note, constant.name
            );
            return Err(Problem::new(
                reason,
                "rename one: letters count without case, - and _ are one",
            )
            .into());
        }
    }
    Ok(())
}
