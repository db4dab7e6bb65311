//! Binds streams to what processes provide: functions take the tokens of their filters; then
//! tokens have sizes, and buffers places.

use crate::functions::{Function, Functions};
use crate::model::{Model, kind_name};
use crate::problem::{Findings, suggest};
use crate::project::Project;
use crate::streams::{Channel, Does, Filter, Stream, StreamSection, Window};
use giornata_abi::process::{Direction, FunctionKind};
use std::collections::BTreeMap;

/// The most memory for the tokens of one channel.
const MOST_BYTES: u64 = 1 << 24;
/// Buffers begin at multiples of this.
const ALIGNMENT: u32 = 8;

/// Adds the sizes of tokens and the places of buffers to a model whose processes have their
/// functions.
pub(crate) fn bind(findings: &mut Findings, project: &Project, model: &mut Model) {
    let mut streams = std::mem::take(&mut model.streams);
    // who takes a function already
    let mut taken: BTreeMap<(u16, String), String> = BTreeMap::new();
    for (stream, section) in streams.iter_mut().zip(&project.file.streams) {
        let mut binding = Binding {
            findings,
            section,
            sized_by: vec![None; stream.channels.len()],
        };
        let calls = |filter: &&Filter| filter.does == Does::Calls;
        for filter in stream.filters.iter().filter(calls) {
            let owner = &model.processes[usize::from(filter.process)];
            for (at, position) in filter.positions.iter().enumerate() {
                let key = (filter.process, position.function.clone());
                let whose = format!("filter `{}` of stream `{}`", filter.name, stream.name);
                if let Some(other) = taken.insert(key, whose) {
                    binding.refuse_double(filter, &position.function, &other);
                }
                let found = binding.function(&owner.name, &owner.functions, filter, at);
                let is_untold = owner.functions.untold.contains(&position.function);
                if let Some(function) = found.filter(|_| !is_untold) {
                    binding.compare(&mut stream.channels, filter, &function);
                }
            }
        }
        binding.pass_sizes(stream);
        binding.check_sizes(stream);
    }
    model.windows = place(&mut streams);
    model.streams = streams;
}

/// Gives buffers places: those between two processes lie in one window.
fn place(streams: &mut [Stream]) -> Vec<Window> {
    let mut windows: Vec<Window> = Vec::new();
    for stream in streams {
        for channel in &mut stream.channels {
            let [writer, reader] = channel.filters.map(|filter| stream.filters[filter].process);
            let mut known = windows.iter();
            let is_theirs = |window: &Window| window.writer == writer && window.reader == reader;
            let index = known.position(is_theirs).unwrap_or_else(|| {
                windows.push(Window {
                    writer,
                    reader,
                    size: 0,
                });
                windows.len() - 1
            });
            let window = &mut windows[index];
            channel.place = (index, window.size);
            let bytes = channel.capacity.saturating_mul(channel.bytes);
            let end = window.size.saturating_add(bytes);
            window.size = end.checked_next_multiple_of(ALIGNMENT).unwrap_or(u32::MAX);
        }
    }
    windows
}

struct Binding<'a> {
    findings: &'a mut Findings,
    section: &'a StreamSection,
    /// By channel: the function that has told how large its tokens are.
    sized_by: Vec<Option<String>>,
}

impl Binding<'_> {
    /// A problem of a filter: where the system file says which process runs it.
    fn refuse(&mut self, filter: &Filter, reason: String, mend: &str) {
        let own = self.section.entry(&filter.name);
        let own = own.and_then(|entry| entry.process.as_ref());
        let process = own.or(self.section.process.as_ref());
        let span = process.map_or(self.section.name.span(), |process| process.span());
        self.findings.refuse(span, reason, mend);
    }

    fn refuse_double(&mut self, filter: &Filter, function: &str, other: &str) {
        let reason = format!(
            "filter `{}` calls function `{function}`, and so does {other}",
            filter.name
        );
        let mend = "give each position of a filter a function of its own: it holds its state";
        self.refuse(filter, reason, mend);
    }

    /// The function of a position, if the process provides one.
    fn function(
        &mut self,
        process: &str,
        functions: &Functions,
        filter: &Filter,
        at: usize,
    ) -> Option<Function> {
        let name = &filter.positions[at].function;
        let found = functions
            .list
            .iter()
            .find(|function| function.name == *name);
        let (reason, mend) = match found {
            Some(function) if function.kind == FunctionKind::Filter => {
                return Some(function.clone());
            }
            Some(function) => (
                format!(
                    "`{name}` is a {} in process `{process}`, and filter `{}` of {} calls it",
                    kind_name(function.kind),
                    filter.name,
                    self.section.source.get_ref()
                ),
                "put `#[filter]` before it, and list it under `filters` in `process!`".into(),
            ),
            None => {
                let list = functions.list.iter();
                let same = list.filter(|function| function.kind == FunctionKind::Filter);
                let meant = suggest(name, same.map(|function| function.name.as_str()));
                let mend = format!(
                    "write `#[filter] fn {name}(...)` and list it in `process!`, or in C \
                     `void {name}(const gio_port *ports)`, not static"
                );
                (
                    format!(
                        "process `{process}` provides no function `{name}`, which filter `{}` of \
                         {} calls",
                        filter.name,
                        self.section.source.get_ref()
                    ),
                    match meant.starts_with("did") {
                        true => format!("{mend}; {meant}"),
                        false => mend,
                    },
                )
            }
        };
        self.refuse(filter, reason, &mend);
        None
    }

    /// Compares the parameters of a function with the ports of its filter.
    fn compare(&mut self, channels: &mut [Channel], filter: &Filter, function: &Function) {
        let sides = [
            (Direction::Input, &filter.inputs, "inputs"),
            (Direction::Output, &filter.outputs, "outputs"),
        ];
        for (direction, ports, noun) in sides {
            let given: Vec<_> = function.parameters(direction).collect();
            if given.len() != ports.len() {
                let reason = format!(
                    "`{}` has {} {noun} in the code, and filter `{}` {} in {}",
                    function.name,
                    given.len(),
                    filter.name,
                    ports.len(),
                    self.section.source.get_ref()
                );
                let names = ports.iter().map(|port| {
                    let channel = &channels[*port];
                    format!("`{}`: {}", channel.name, channel.token())
                });
                let names: Vec<String> = names.collect();
                let mend = match names.is_empty() {
                    true => format!("the program has no {noun} there"),
                    false => format!("the program has {}", names.join(", ")),
                };
                self.refuse(filter, reason, &mend);
                continue;
            }
            for (parameter, port) in given.into_iter().zip(ports) {
                self.agree(channels, *port, filter, function, parameter);
            }
        }
    }

    /// A token has one size and, as far as the language knows its type, one type.
    fn agree(
        &mut self,
        channels: &mut [Channel],
        port: usize,
        filter: &Filter,
        function: &Function,
        parameter: &crate::functions::Parameter,
    ) {
        let channel = &mut channels[port];
        let written: String = parameter.type_name.split_whitespace().collect();
        let is_scalar = |name: &str| channel_scalar(name);
        let is_other = is_scalar(&channel.element)
            && match channel.count {
                1 => is_scalar(&written) && written != channel.element,
                count => written
                    .strip_prefix('[')
                    .and_then(|rest| rest.strip_suffix(']')?.split_once(';'))
                    .is_some_and(|(element, length)| {
                        is_scalar(element) && element != channel.element
                            || length.parse::<u32>().is_ok_and(|length| length != count)
                    }),
            };
        let size = parameter.size as u32;
        let mend = "write the same type in the program and in the code";
        if is_other || channel.bytes != 0 && size != channel.bytes && self.sized_by[port].is_none()
        {
            let reason = format!(
                "`{}` takes tokens of `{}` as `{}`, {size} bytes, and the program has {}",
                function.name,
                channel.name,
                parameter.type_name,
                channel.token(),
            );
            return self.refuse(filter, reason, mend);
        }
        if channel.bytes == 0 {
            channel.bytes = size;
            self.sized_by[port] = Some(function.name.clone());
        } else if size != channel.bytes
            && let Some(other) = self.sized_by[port].clone()
        {
            let reason = format!(
                "a token of `{}` has {size} bytes in `{}`, {} in `{other}`",
                channel.name, function.name, channel.bytes
            );
            self.refuse(filter, reason, "share one definition of the type");
        }
    }

    /// What passes through a filter without code has the size that it has elsewhere.
    fn pass_sizes(&self, stream: &mut Stream) {
        for _ in 0..stream.filters.len() {
            let mut has_changed = false;
            let passing = stream.filters.iter().filter(|f| f.does != Does::Calls);
            for filter in passing {
                let ports = || filter.inputs.iter().chain(&filter.outputs);
                let known = ports().map(|port| stream.channels[*port].bytes).max();
                for port in ports() {
                    let bytes = &mut stream.channels[*port].bytes;
                    if let (0, Some(known @ 1..)) = (*bytes, known) {
                        *bytes = known;
                        has_changed = true;
                    }
                }
            }
            if !has_changed {
                return;
            }
        }
    }

    fn check_sizes(&mut self, stream: &Stream) {
        if self.findings.count() > 0 {
            return;
        }
        for channel in &stream.channels {
            let bytes = u64::from(channel.bytes) * u64::from(channel.capacity);
            let (reason, mend) = match bytes {
                0 => (
                    format!("nobody says how large a token of `{}` is", channel.name),
                    "take a type of the language, or have a function in Rust at one of its ends",
                ),
                1..=MOST_BYTES => continue,
                _ => (
                    format!(
                        "channel `{}` needs {bytes} bytes for its {} tokens",
                        channel.name, channel.capacity
                    ),
                    "16M are the most: take smaller tokens, or a smaller capacity",
                ),
            };
            let span = self.section.source.span();
            self.findings.refuse(span, reason, mend);
        }
    }
}

/// Whether the language and Rust call a type the same.
fn channel_scalar(name: &str) -> bool {
    let all = [
        "u8", "i8", "u16", "i16", "u32", "i32", "u64", "i64", "f32", "f64",
    ];
    all.contains(&name)
}

impl Channel {
    /// The type of a token, as the program writes it.
    fn token(&self) -> String {
        match self.count {
            1 => format!("`{}`", self.element),
            count => format!("`{}[{count}]`", self.element),
        }
    }
}
