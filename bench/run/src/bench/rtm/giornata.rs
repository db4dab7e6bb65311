//! The experiment on Giornata: a system of one process, with as many threads and semaphores as
//! the channels take.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use giornata_launch::image;
use giornata_system::image::BuildOptions;

use super::experiment::Case;
use crate::crates::root;

/// The boards without and with the task manager.
pub(super) const BOARDS: [&str; 2] = ["rtl-pmp", "rtl-rtm"];
/// Bytes of each stack: of the thread that prepares the workload, and of those of tasks, which
/// have as much with the preemptive kernel.
const STACK: u32 = 16384;
const TASK_STACK: u32 = 4096;
/// A source of the process, beside the objects.
const SLOTS: &str = "slots.c";

/// Records of the task manager; the kernel's own threads (idle, the reaper of the process, the
/// machine of programs), which have records as well; and alarms of lines, which have the first.
const RECORDS: u32 = 64;
const KERNEL_THREADS: u32 = 3;
const LINES: u32 = 1;

/// A system that was built.
pub(super) struct Built {
    /// Its executable.
    pub(super) image: giornata_soc::Image,
    /// The kernel's, with its symbols.
    pub(super) kernel: PathBuf,
}

/// Semaphores of so many channels.
fn semaphores(channels: u32) -> u32 {
    2 * channels
}

/// Threads of so many channels: two each, the noise, the one that answers and that of the
/// interrupt.
pub(super) fn threads(channels: u32) -> u32 {
    2 * channels + 3
}

/// Those of them for whose alarms no record is left.
pub(super) fn listed_alarms(channels: u32) -> u32 {
    let threads = threads(channels);
    let left = RECORDS.saturating_sub(threads + KERNEL_THREADS + LINES);
    threads.saturating_sub(left)
}

/// The system file of so many channels, of a process that consists of objects.
fn system(name: &str, channels: u32, objects: &[String]) -> String {
    let mut text = format!(
        "name = \"{name}\"\nboard = \"{}\"\n\n[kernel]\nconfig = \"emeralds\"\n\
         trace-console = false\n\n",
        BOARDS[0]
    );
    let mut names = vec!["arrived".to_string()];
    text += "[semaphore.arrived]\n\n";
    for number in 0..semaphores(channels) {
        let _ = writeln!(text, "[semaphore.s{number}]\nprivate = true\n");
        names.push(format!("s{number}"));
    }
    // (the system file has that of the interrupt)
    let count = threads(channels) - 1;
    let mut sources = vec![SLOTS];
    sources.extend(objects.iter().map(String::as_str));
    let _ = write!(
        text,
        "[process.experiment]\nc = {sources:?}\nstack = {STACK}\n\
         spare-threads = {{ count = {count}, stack = {TASK_STACK} }}\n\
         max-priority = 100\nthreads = {{ arrivals = {{ priority = 99 }} }}\n\
         grants = {{ device = [\"generator\"], irq = [\"generator\"], semaphore = {names:?}, \
         shutdown = true }}\n"
    );
    text
}

/// What the system file names, for `bench/rtm/ports/giornata`.
fn slots(channels: u32) -> String {
    let names = (0..semaphores(channels)).map(|number| format!("    SEMAPHORE_S{number},\n"));
    format!(
        "#include <giornata.h>\n#include <identifiers.h>\n\nextern const gio_id port_slots[], \
         port_arrived;\nconst gio_id port_arrived = SEMAPHORE_ARRIVED;\n\
         const gio_id port_slots[] = {{\n{}}};\n",
        names.collect::<String>()
    )
}

/// Builds the system of a case in a folder, where its objects are.
///
/// # Errors
/// The system is refused.
pub(super) fn build(case: &Case, folder: &Path, objects: &[String]) -> Result<Built> {
    let channels = case.channels();
    let name = format!("rtm-{}-{channels}", case.workload.name());
    let path = folder.join("system.toml");
    fs::write(&path, system(&name, channels, objects))
        .with_context(|| path.display().to_string())?;
    fs::write(folder.join(SLOTS), slots(channels))?;
    let options = BuildOptions::new(&path, root());
    let built = image::build_as(options.on(case.tasks.board()))?;
    Ok(Built {
        image: giornata_soc::Image::read(built.to_boot())?,
        kernel: built.kernel,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn alarms_have_the_records_that_no_thread_has() {
        assert_eq!(listed_alarms(8), 0);
        assert_eq!(listed_alarms(14), 2);
        assert_eq!(listed_alarms(24), 42);
    }

    #[test]
    fn each_channel_has_two_threads_and_two_semaphores() {
        let system: toml::Table = toml::from_str(&system("two", 2, &["a.o".into()])).unwrap();
        assert_eq!(system["semaphore"].as_table().unwrap().len(), 5);
        let process = &system["process"]["experiment"];
        assert_eq!(process["spare-threads"]["count"].as_integer(), Some(6));
        assert_eq!(slots(2).matches("SEMAPHORE_S").count(), 4);
    }
}
