//! Whether functions fit on the stacks that they run on: a frame that is larger than the
//! stack below which it lies may end in other memory of the process, beyond any guard, so
//! it is an error of the build; calls that together take more are told, because the
//! program may never make them so.

use std::path::{Path, PathBuf};

use crate::file::SystemFile;
use crate::model::{Model, Thread};
use crate::names::{NameMap, ThreadRole};
use crate::problem::{Problem, Refusal};
use giornata_symbols::{Executable, deepest};

/// What is told of stacks that may be too small.
pub(crate) type Warnings = Vec<String>;

/// Looks at each thread whose function is known, with what that calls by name.
///
/// # Errors
/// A function's frame is larger than the stack of a thread that comes to it.
pub(crate) fn check(
    file: &SystemFile,
    model: &Model,
    names: &NameMap,
    executables: &[PathBuf],
    root: &Path,
) -> Result<Warnings, Refusal> {
    let mut warnings = Warnings::new();
    // (of a file in the current folder, the path of the folder is empty)
    let roots = [file.relative("."), root.into()];
    let roots = roots.map(|root: PathBuf| root.canonicalize().unwrap_or(root));
    for (index, path) in (0u16..).zip(executables) {
        // (what cannot be read tells nothing: the process was linked before this)
        let Ok(executable) = Executable::read(path, &roots) else {
            continue;
        };
        let needs = executable.needs();
        let process = &model.processes[usize::from(index)].name;
        for (number, thread) in model.threads_of(index) {
            let mut deepest_known = giornata_symbols::Deepest::default();
            for body in bodies(names, index, number, thread) {
                let way = deepest(&needs, body);
                if way.bytes > deepest_known.bytes {
                    deepest_known = way;
                }
            }
            let stack = u64::from(thread.stack);
            if deepest_known.bytes <= stack {
                continue;
            }
            let frame = |at: &u64| needs.get(at).map_or(0, |need| need.frame);
            let name = |at: u64| {
                let frame = executable.frames(at).pop();
                frame.map_or_else(|| format!("{at:#x}"), |frame| frame.to_string())
            };
            let large = deepest_known.chain.iter().max_by_key(|at| frame(at));
            let large = large.copied().unwrap_or_default();
            let mend = format!("give it more: `stack = \"{}K\"` in [process.{process}]", {
                deepest_known.bytes.div_ceil(1024).next_power_of_two()
            });
            if frame(&large) > stack {
                let reason = format!(
                    "function {} has a frame of {} bytes, and the stack of thread `{}` of \
                     process `{process}`, which calls it, has {stack}",
                    name(large),
                    frame(&large),
                    thread.name,
                );
                return Err(Problem::new(reason, mend).into());
            }
            let chain: Vec<String> = deepest_known
                .chain
                .iter()
                .map(|at| format!("{} ({} bytes)", name(*at), frame(at)))
                .collect();
            warnings.push(format!(
                "thread `{}` of process `{process}` may need {} bytes of stack, and has {stack}: {}; {mend}",
                thread.name,
                deepest_known.bytes,
                chain.join(", "),
            ));
        }
    }
    Ok(warnings)
}

/// The functions at which a thread begins: of a spare one nobody knows them.
fn bodies(names: &NameMap, process: u16, number: u16, thread: &Thread) -> Vec<u64> {
    let own = names.threads.get(usize::from(number)).map_or(0, |t| t.body);
    let mut bodies = vec![u64::from(own)];
    if thread.role == ThreadRole::Upcall {
        let drivers = names.drivers.iter();
        let own = drivers.filter(|driver| driver.process == Some(process));
        bodies.extend(own.map(|driver| u64::from(driver.body)));
    }
    bodies.retain(|body| *body != 0);
    bodies
}
