//! Whether functions fit on the stacks that they run on, and how large the guards below these
//! have to be.
//!
//! A frame that is larger than the stack on which it is bound to lie is an error of the build.
//! Everything else ends in the guard below the stack, because that is larger than what any
//! two functions take together before they touch the upper of their frames
//! ([`Needs::untouched`]). What may end there is told: calls that together take more than a
//! stack has, functions that call themselves, and those that take what they compute.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use giornata_abi::posix::FRAME;
use giornata_abi::process::FunctionKind;
use giornata_symbols::{Deepest, Executable as Code, Needs, Prototype, Word};

use crate::board::{Board, PAGE, Protection};
use crate::file::{ProcessSection, SystemFile};
use crate::image::c;
use crate::image::executable::Executable;
use crate::model::{Model, Thread};
use crate::names::ThreadRole;
use crate::problem::{Problem, Refusal};
use crate::streams::Stream;

/// What is told of stacks that may be too small.
pub(crate) type Warnings = Vec<String>;

/// Looks at what each process's functions take, and sets the size of its guards, and which of
/// its threads need none. `paths` are the linked processes, which lie anywhere yet.
///
/// # Errors
/// A function's frame is larger than the stack of a thread that comes to it, or may be
/// created to run it.
pub(crate) fn fit(
    file: &SystemFile,
    model: &mut Model,
    executables: &[Executable],
    paths: &[PathBuf],
    root: &Path,
) -> Result<Warnings, Refusal> {
    let mut warnings = Warnings::new();
    // (of a file in the current folder, the path of the folder is empty)
    let roots = [file.relative("."), root.into()];
    let roots = roots.map(|root: PathBuf| root.canonicalize().unwrap_or(root));
    let processes = (0u16..).zip(&file.processes);
    for ((index, section), (executable, path)) in processes.zip(executables.iter().zip(paths)) {
        // (what cannot be read tells nothing: the process was linked before this)
        let Ok(code) = Code::read(path, &roots) else {
            model.processes[usize::from(index)].guard = PAGE;
            continue;
        };
        let stacks = Stacks {
            section,
            executable,
            needs: code.needs(),
            code,
            board: &model.board,
            streams: &model.streams,
            roots: &roots,
        };
        let mut is_told = BTreeSet::new();
        for (_, thread) in model.threads_of(index) {
            // (places for threads that are created are all alike)
            if !thread.spare || is_told.insert(thread.spare) {
                warnings.extend(stacks.check(thread)?);
            }
        }
        warnings.extend(stacks.unbounded());
        warnings.extend(stacks.unguarded()?);
        let guard = stacks.guard();
        let threads = model.threads_of(index);
        let fits = threads.map(|(number, thread)| (number, stacks.holds(thread)));
        let fits: Vec<(u16, bool)> = fits.collect();
        model.processes[usize::from(index)].guard = guard;
        for (number, fits) in fits {
            model.threads[usize::from(number)].fits = fits;
        }
    }
    Ok(warnings)
}

/// The functions of one process, and its stacks.
struct Stacks<'a> {
    section: &'a ProcessSection,
    executable: &'a Executable,
    code: Code,
    needs: Needs,
    board: &'a Board,
    streams: &'a [Stream],
    /// Folders that the project's own files are named from.
    roots: &'a [PathBuf],
}

impl Stacks<'_> {
    fn process(&self) -> &str {
        self.section.name.get_ref()
    }

    fn frame(&self, at: u64) -> u64 {
        self.needs.functions.get(&at).map_or(0, |need| need.frame)
    }

    /// The function that an instruction belongs to, with file and line.
    fn name(&self, at: u64) -> String {
        let frame = self.code.frames(at).pop();
        frame.map_or_else(|| format!("{at:#x}"), |frame| frame.to_string())
    }

    fn is_own(&self, at: u64) -> bool {
        let frame = self.code.frames(at).pop().filter(|frame| frame.is_own);
        // (where a library was compiled a file may have the name of one of the project's)
        frame.and_then(|frame| frame.file).is_some_and(|file| {
            let mut roots = self.roots.iter();
            roots.any(|root| root.join(&file).is_file())
        })
    }

    /// Compares what a thread may come to with its stack.
    fn check(&self, thread: &Thread) -> Result<Option<String>, Refusal> {
        let stack = u64::from(thread.stack);
        let bodies = match thread.spare {
            true => self.created(),
            false => self.bodies(thread),
        };
        let whose = match thread.spare {
            true => "a created thread".into(),
            false => format!("thread `{}`", thread.name),
        };
        let key = match thread.spare {
            true => "spare-threads = { stack = ",
            false => "stack = ",
        };
        let mend = |bytes: u64| {
            format!(
                "give it more: `{key}\"{}K\"` in [process.{}]",
                bytes.div_ceil(1024).next_power_of_two(),
                self.process()
            )
        };
        let all = bodies.iter().flat_map(|body| self.needs.reachable(*body));
        if let Some(large) = all.max_by_key(|at| self.frame(*at))
            && self.frame(large) > stack
        {
            let reason = format!(
                "function {} of process `{}` has a frame of {} bytes, and the stack of {whose}, \
                 which may call it, has {stack}",
                self.name(large),
                self.process(),
                self.frame(large),
            );
            return Err(Problem::new(reason, mend(self.frame(large))).into());
        }
        // (what libraries call by pointers is mostly known to be another kind of function)
        let ways = bodies.iter();
        let ways = ways.map(|body| self.needs.deepest(*body, |at| self.is_own(at)));
        let deepest = ways.max_by_key(|way| way.bytes).unwrap_or_default();
        Ok((deepest.bytes > stack).then(|| {
            format!(
                "{whose} of process `{}` may need {} bytes of stack, and has {stack}: {}; {}",
                self.process(),
                deepest.bytes,
                self.chain(&deepest),
                mend(deepest.bytes),
            )
        }))
    }

    fn chain(&self, way: &Deepest) -> String {
        let each = way.chain.iter();
        let each = each.map(|at| format!("{} ({} bytes)", self.name(*at), self.frame(*at)));
        each.collect::<Vec<_>>().join(", ")
    }

    /// The functions at which a thread of the system file begins.
    fn bodies(&self, thread: &Thread) -> Vec<u64> {
        let functions = self.executable.functions.list.iter();
        let streams = self.streams.iter().flat_map(|stream| &stream.filters);
        let filter = streams.filter(|filter| filter.is_run_by(thread));
        let positions = filter.flat_map(|filter| &filter.positions);
        let called: Vec<&str> = positions.map(|position| &*position.function).collect();
        let is_its = |kind: FunctionKind, name: &str| match thread.role {
            ThreadRole::Upcall => kind == FunctionKind::Driver,
            ThreadRole::Task => kind == FunctionKind::Task && name == thread.function,
            ThreadRole::Thread => kind == FunctionKind::Thread && name == thread.function,
            ThreadRole::Filter => kind == FunctionKind::Filter && called.contains(&name),
        };
        let own = functions.filter(|f| is_its(f.kind, &f.name));
        let runs = (thread.role == ThreadRole::Filter).then_some(self.executable.run_filter);
        let own = own.map(|function| function.body);
        own.chain(runs.map(u64::from)).collect()
    }

    /// The functions at which a thread that the process creates may begin: those of the right
    /// kind that a pointer may lead to, and that are nothing else.
    fn created(&self) -> Vec<u64> {
        let prototypes = self.code.prototypes();
        let listed = self.executable.functions.list.iter();
        let listed: BTreeSet<u64> = listed.map(|function| function.body).collect();
        let taken = self.needs.taken.difference(&listed);
        let bodies = taken.filter(|at| {
            let known = prototypes.get(at);
            known.is_some_and(|known| self.is_body(known))
        });
        bodies.copied().collect()
    }

    /// Whether a thread may begin in such a function: `void *(void *)` after POSIX, and
    /// `void (union sigval)` of a timer; else one of a word that returns a word, or a routine
    /// of a pointer.
    fn is_body(&self, prototype: &Prototype) -> bool {
        let word = u64::from(self.board.protection.word());
        let [parameter] = prototype.parameters[..] else {
            return false;
        };
        match (self.section.code.is_posix, parameter, prototype.returns) {
            (true, Word::Pointer, Some(Word::Pointer)) => true,
            (true, Word::Other, None) => true,
            (true, ..) => false,
            (false, Word::Integer(bytes), Some(Word::Integer(result))) => {
                bytes == word && result == word
            }
            (false, Word::Pointer, returned) => returned != Some(Word::Other),
            (false, ..) => false,
        }
    }

    /// What nothing bounds but the guard.
    fn unbounded(&self) -> Warnings {
        let mut told = Warnings::new();
        let process = self.process();
        for (at, need) in &self.needs.functions {
            if let Some(place) = need.grows {
                let name = self.name(place);
                match need.is_probed {
                    false => told.push(format!(
                        "function {name} of process `{process}` takes as much of its stack as it \
                         computes, and may reach beyond the guard below it; compile it with \
                         `-fstack-clash-protection`, or give it an array of a fixed size"
                    )),
                    true if self.is_own(*at) => told.push(format!(
                        "function {name} of process `{process}` takes as much of its stack as it \
                         computes: how much its threads need is known only when they run"
                    )),
                    true => {}
                }
            }
            if self.is_own(*at) && self.needs.is_recursive(*at) {
                let name = self.name(*at);
                told.push(format!(
                    "function {name} of process `{process}` calls itself: how much of a stack its \
                     threads need is known only when they run"
                ));
            }
        }
        told
    }

    /// Bytes of the largest frames for which guards are made: those that a stack may have,
    /// where guards are addresses only.
    fn most_guarded(&self) -> u64 {
        match self.board.protection {
            Protection::Sv39 | Protection::Sv32 => 16 << 20,
            Protection::Pmp { .. } => 64 << 10,
        }
    }

    /// Functions of larger frames, which may reach beyond a guard: compilers have made them,
    /// and they are refused; or they are assembly, which does as it likes with its stack
    /// pointer. Stacks with regions of their own need no guard.
    fn unguarded(&self) -> Result<Warnings, Refusal> {
        let has_regions = matches!(self.board.protection, Protection::Pmp { .. });
        let (mut told, most) = (Warnings::new(), self.most_guarded());
        if has_regions && self.section.has_private_stacks {
            return Ok(told);
        }
        let large = self.needs.functions.iter();
        for (at, need) in large.filter(|(_, need)| need.frame > most) {
            let reason = format!(
                "function {} of process `{}` has a frame of {} bytes, and a guard below a stack is \
                 made for {most} at most",
                self.name(*at),
                self.process(),
                need.frame,
            );
            if need.described > most {
                let mend = match has_regions {
                    true => "make it smaller, or say `stacks = \"private\"` in its process",
                    false => "make it smaller",
                };
                return Err(Problem::new(reason, mend).into());
            }
            told.push(reason);
        }
        Ok(told)
    }

    /// Bytes that the guard below each stack has to have.
    fn guard(&self) -> u32 {
        let word = u64::from(self.board.protection.word());
        let interval = c::probe_interval(self.board.protection);
        // (what the kernel writes to a stack for a handler of a signal)
        let frame = match self.section.code.is_posix {
            true => (FRAME as u64 + 2) * word,
            false => 0,
        };
        let bytes = self.needs.untouched(interval.into(), self.most_guarded()) + frame;
        u32::try_from(bytes.max(1)).unwrap_or(u32::MAX >> 1)
    }

    /// Whether the stack of a thread is known to hold all that it may call. Asked only where
    /// guards cost memory; no if the process handles signals, whose handlers run on any of
    /// its stacks.
    fn holds(&self, thread: &Thread) -> bool {
        let has_regions = matches!(self.board.protection, Protection::Pmp { .. });
        // (what runs a filter calls its functions by their addresses)
        let is_filter = thread.role == ThreadRole::Filter;
        if !has_regions || thread.spare || is_filter || self.section.code.is_posix {
            return false;
        }
        let [task, driver, other] = self.executable.start;
        let start = match thread.role {
            ThreadRole::Task => task,
            ThreadRole::Upcall => driver,
            ThreadRole::Thread | ThreadRole::Filter => other,
        };
        let start = self.needs.deepest(start.into(), |_| false).bytes;
        let bodies = self.bodies(thread);
        let mut bounds = bodies.iter().map(|body| self.needs.bound(*body));
        let bound = bounds.try_fold(0, |most: u64, bound| Some(most.max(bound?)));
        !bodies.is_empty() && bound.is_some_and(|bound| start + bound <= thread.stack.into())
    }
}
