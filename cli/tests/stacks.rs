//! Whoever takes more of a stack than there is, is told, whatever the way: the build refuses
//! the function by its name, or the run ends with a fault that names the thread. No run
//! writes to another stack in silence.
//!
//! A *cell* is a way to take too much and a kind of thread that does; of each kind of thread a
//! system has one process, with threads beside it that look at what they keep on their stacks.
//! One system after the other has each kind of thread go another way, with other sizes. With
//! `GIORNATA_LONG` all cells run on all boards.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

const BOARDS: [&str; 3] = ["qemu-virt64", "qemu-virt32", "qemu-virt32-pmp"];

/// How a thread takes more than its stack has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    /// A function with such a frame is called by its name.
    Fixed,
    /// An array of a length that is known at run time.
    Computed,
    /// `alloca()`.
    Alloca,
    /// A function calls itself.
    Recursive,
    /// A function with such a frame is called by a pointer.
    Pointer,
    /// Two functions whose frames fit each, and are untouched but at the end.
    Several,
}

const WAYS: [Way; 6] = [
    Way::Fixed,
    Way::Computed,
    Way::Alloca,
    Way::Recursive,
    Way::Pointer,
    Way::Several,
];

impl Way {
    /// The function of which the build warns that nothing bounds what it takes, and what that
    /// does.
    fn warning(self) -> Option<(&'static str, &'static str)> {
        match self {
            Way::Computed => Some((
                "deep_computed",
                "takes as much of its stack as it computes:",
            )),
            Way::Alloca => Some(("deep_alloca", "takes as much of its stack as it computes:")),
            Way::Recursive => Some(("deep_recursive", "calls itself:")),
            Way::Fixed | Way::Pointer | Way::Several => None,
        }
    }
}

/// Whose stack it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Who {
    Task,
    Driver,
    Named,
    Created,
    Handler,
    Signal,
}

const ALL: [Who; 6] = [
    Who::Task,
    Who::Driver,
    Who::Named,
    Who::Created,
    Who::Handler,
    Who::Signal,
];

impl Who {
    fn name(self) -> &'static str {
        match self {
            Who::Task => "task",
            Who::Driver => "driver",
            Who::Named => "named",
            Who::Created => "created",
            Who::Handler => "handler",
            Who::Signal => "signal",
        }
    }

    /// The thread whose stack it is.
    fn thread(self) -> &'static str {
        match self {
            Who::Task => "work",
            Who::Driver => "upcall",
            Who::Named => "deep",
            Who::Created => "spare1",
            Who::Handler => "spare1",
            Who::Signal => "spare1",
        }
    }
}

/// Whether the build sees the frame and the stack on which it is bound to lie. A handler of a
/// signal runs on whichever stack there is.
fn is_refused(who: Who, way: Way) -> bool {
    way == Way::Fixed && who != Who::Signal
}

/// Numbers that look like random ones.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (self.0 >> 33) % bound
    }

    fn between(&mut self, from: u64, to: u64) -> u64 {
        from + self.below(to - from)
    }
}

/// The C function `go_deep()`, which takes more than `stack` bytes that way.
fn go_deep(way: Way, stack: u64, random: &mut Random) -> String {
    let touch = "for (int i = 0; i < 64; i++)\n        p[i] = 0x5a;\n    deepest += p[7];";
    let large = random.between(stack + 16, 4 * stack);
    let head = "static volatile long deepest;\n#define APART static __attribute__((noinline))\n";
    let array = |length: &str| format!("volatile char a[{length}], *p = a;\n    {touch}\n");
    let length = format!("static volatile unsigned length = {large};\n");
    let body = match way {
        Way::Fixed => format!(
            "APART void deep_fixed(void)\n{{\n    {}}}\nvoid go_deep(void) {{ deep_fixed(); }}\n",
            array(&large.to_string())
        ),
        // (of two parameters, so that no created thread may begin there, of whose stack the
        // build would say that it is too small)
        Way::Pointer => format!(
            "APART int deep_pointed(int unused, int other)\n{{\n    {}    \
             return unused + other;\n}}\n\
             static int (*volatile pointer)(int, int) = deep_pointed;\n\
             void go_deep(void) {{ deepest += pointer(1, 2); }}\n",
            array(&large.to_string())
        ),
        Way::Computed => format!(
            "{length}APART void deep_computed(unsigned n)\n{{\n    {}}}\n\
             void go_deep(void) {{ deep_computed(length); }}\n",
            array("n")
        ),
        Way::Alloca => format!(
            "{length}APART void deep_alloca(unsigned n)\n{{\n    \
             volatile char *p = __builtin_alloca(n);\n    {touch}\n}}\n\
             void go_deep(void) {{ deep_alloca(length); }}\n"
        ),
        Way::Recursive => {
            let each = random.between(64, stack / 2);
            format!(
                "APART long deep_recursive(int n)\n{{\n    {}    \
                 return n ? deep_recursive(n - 1) + p[3] : p[3];\n}}\n\
                 void go_deep(void) {{ deepest += deep_recursive({}); }}\n",
                array(&each.to_string()),
                2 + stack / each,
            )
        }
        Way::Several => {
            let outer = random.between(stack / 2 + 64, stack - 256);
            let inner = random.between(stack / 2 + 64, stack - 256);
            format!(
                "APART void deep_inner(volatile char *unused)\n{{\n    {}    (void)unused;\n}}\n\
                 APART void deep_outer(void)\n{{\n    volatile char unused[{outer}];\n    \
                 deep_inner(unused);\n    __asm__ volatile(\"\" : : \"r\"(unused));\n}}\n\
                 void go_deep(void) {{ deep_outer(); }}\n",
                array(&inner.to_string()),
            )
        }
    };
    format!("void go_deep(void);\n{head}{body}")
}

/// Threads that look at what they keep, on stacks of 4 KB.
const WATCHERS: &str = r#"
#include <giornata.h>

void low(void), high(void);
void *watch(void *name);

void *watch(void *name)
{
    volatile unsigned char mine[3000];
    for (unsigned i = 0; i < sizeof mine; i++)
        mine[i] = 0xa5;
    for (int k = 1; k < 5; k++) {
        gio_sleep_until(10 * k * GIO_MILLISECOND);
        int bad = 0;
        for (unsigned i = 0; i < sizeof mine; i++)
            bad += mine[i] != 0xa5;
        if (bad)
            gio_logf("OVERWRITTEN: %d bytes of %s", bad, (const char *)name);
    }
    return 0;
}

void low(void) { watch("low"); }
void high(void) { watch("high"); }
"#;

/// The C sources of a process, beside `go_deep()`.
fn source(who: Who) -> String {
    let own = match who {
        Who::Task | Who::Driver => "",
        Who::Named => {
            "void deep(void);\nvoid deep(void)\n{\n    gio_sleep_until(15 * GIO_MILLISECOND);\n    \
             go_deep();\n    gio_log(\"SURVIVED\");\n}\n"
        }
        // (the second place is that of who goes deep, between two that watch)
        Who::Created => {
            "void lead(void);\nstatic void *body(void *unused)\n{\n    \
             gio_sleep_until(15 * GIO_MILLISECOND);\n    go_deep();\n    gio_log(\"SURVIVED\");\n    \
             return unused;\n}\nvoid lead(void)\n{\n    \
             create_thread(watch, \"first\", 30, 0);\n    create_thread(body, 0, 20, 0);\n    \
             create_thread(watch, \"last\", 30, 0);\n}\n"
        }
        Who::Handler => {
            "void lead(void);\nstatic gio_time routine(void *unused)\n{\n    (void)unused;\n    \
             go_deep();\n    gio_log(\"SURVIVED\");\n    return 0;\n}\n\
             static struct gio_timer timer = { .routine = routine };\nvoid lead(void)\n{\n    \
             create_thread(watch, \"first\", 30, 0);\n    \
             start_timer_isr(&timer, 15 * GIO_MILLISECOND, 20, 0);\n    \
             create_thread(watch, \"last\", 30, 0);\n}\n"
        }
        Who::Signal => return SIGNAL.into(),
    };
    format!("{WATCHERS}\nvoid go_deep(void);\n{own}")
}

/// A handler on the stack of a thread between two that watch.
const SIGNAL: &str = r#"
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

void go_deep(void);

static void until(long ms)
{
    struct timespec at = { .tv_nsec = ms * 1000000 };
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, 0) != 0)
        ;
}

static void *watch(void *name)
{
    volatile unsigned char mine[2500];
    for (unsigned i = 0; i < sizeof mine; i++)
        mine[i] = 0xa5;
    for (int k = 1; k < 5; k++) {
        until(10 * k);
        int bad = 0;
        for (unsigned i = 0; i < sizeof mine; i++)
            bad += mine[i] != 0xa5;
        if (bad)
            printf("OVERWRITTEN: %d bytes of %s\n", bad, (const char *)name);
    }
    return 0;
}

static void handle(int number)
{
    (void)number;
    go_deep();
    puts("SURVIVED");
}

static void *interrupted(void *unused)
{
    until(60);
    return unused;
}

int main(void)
{
    struct sigaction action = { .sa_handler = handle };
    sigaction(SIGUSR1, &action, 0);
    pthread_t first, deep, last;
    pthread_create(&first, 0, watch, "first");
    pthread_create(&deep, 0, interrupted, 0);
    pthread_create(&last, 0, watch, "last");
    until(15);
    pthread_kill(deep, SIGUSR1);
    until(70);
    return 0;
}
"#;

/// The section of a process. Its stacks lie in the order of its threads.
fn section(who: Who, stack: u64) -> String {
    let name = who.name();
    // (upcalls may call whatever is called by the task, so they have a stack as large)
    let rust = format!("crate = \"target-stacks\"\nstack = \"{stack}\"\n");
    let (head, threads) = match who {
        Who::Task => (
            format!(
                "{rust}drivers = {{ read_shallow = {{ budget = \"1ms\" }}, no_deep = {{ budget = \"1ms\" }} }}\n\
                 tasks = {{ run_deep = {{ budget = \"2ms\", stack = \"{stack}\" }} }}"
            ),
            "",
        ),
        Who::Driver => (
            format!(
                "{rust}drivers = {{ read_deep = {{ budget = \"1ms\" }}, no_shallow = {{ budget = \"1ms\" }} }}\n\
                 tasks = {{ run_shallow = {{ budget = \"2ms\" }} }}"
            ),
            "",
        ),
        Who::Named => (
            "stack = \"4K\"".into(),
            "deep = { priority = 20, stack = \"STACK\" }\n",
        ),
        Who::Created | Who::Handler => (
            format!("stack = \"4K\"\nspare-threads = {{ count = 3, stack = \"{stack}\" }}"),
            "lead = { priority = 35 }\n",
        ),
        Who::Signal => {
            return format!(
                "\n[process.signal]\nc = [\"signal.c\", \"deep-signal.c\"]\nposix = true\n\
                 stack = \"16K\"\nheap = \"4K\"\nspare-threads = {{ count = 3, stack = \"{stack}\" }}\n\
                 max-priority = 40\nthreads = {{ main = {{ priority = 30 }} }}\n"
            );
        }
    };
    let threads = threads.replace("STACK", &stack.to_string());
    format!(
        "\n[process.{name}]\n{head}\nc = [\"{name}.c\", \"deep-{name}.c\"]\nmax-priority = 40\n\
         [process.{name}.threads]\nlow = {{ priority = 30 }}\n{threads}high = {{ priority = 30 }}\n"
    )
}

/// A program with a task and a driver.
fn program(reads: &str, runs: &str, none: &str) -> String {
    format!(
        "sensor\n  u32 reading uses {reads};\noutput\n  u32 result := {none};\n\
         task work(u32 r) output (result) state () {{ schedule {runs}(r, result) }}\n\
         driver give(reading) output (u32 r) {{ if constant_true() then copy_u32(reading, r) }}\n\
         start deep {{ mode deep() period 20ms {{ taskfreq 1 do work(give); }} }}\n"
    )
}

/// Writes a system in which each goes deep its way.
fn write(folder: &Folder, cells: &[(Who, Way)], random: &mut Random) -> Vec<u64> {
    let mut system = String::from(
        "format = 1\nname = \"stacks\"\nboard = \"qemu-virt64\"\n\
         [kernel]\nconfig = \"all-posix\"\ntrace = 65536\n",
    );
    let mut stacks = Vec::new();
    for (who, way) in cells {
        let name = who.name();
        // a driver runs on the stack that is its process's; that of a handler of a signal also
        // has what the C library takes
        let stack = match who {
            Who::Driver => 4096,
            Who::Signal => 8192,
            _ => [4096, 8192][random.below(2) as usize],
        };
        stacks.push(stack);
        folder.write(&format!("{name}.c"), source(*who));
        folder.write(&format!("deep-{name}.c"), go_deep(*way, stack, random));
        let kind = ["shared", "shared", "private"][random.below(3) as usize];
        let head = format!("[process.{name}]\n");
        let said = format!("{head}stacks = \"{kind}\"\n");
        system += &section(*who, stack).replacen(&head, &said, 1);
        let (reads, runs, none) = match who {
            Who::Task => ("read_shallow", "run_deep", "no_deep"),
            Who::Driver => ("read_deep", "run_shallow", "no_shallow"),
            _ => continue,
        };
        folder.write(&format!("{name}.giotto"), program(reads, runs, none));
        let _ = write!(system, "\n[program.{name}]\nsource = \"{name}.giotto\"\n");
    }
    system += "\n[process.trace]\ncrate = \"giornata-trace-server\"\n\
               threads = { serve = { priority = 1 } }\n\
               grants = { device = [\"uart0\"], trace = true }\n";
    folder.write("system.toml", system);
    stacks
}

/// Where the systems lie, gone at the end.
struct Folder(PathBuf);

impl Folder {
    fn new() -> Folder {
        let path = std::env::temp_dir().join(format!("giornata-stacks-{}", std::process::id()));
        fs::create_dir_all(&path).unwrap();
        Folder(path)
    }

    fn write(&self, name: &str, contents: String) {
        fs::write(self.0.join(name), contents).unwrap();
    }

    /// Exit code and both outputs of the command, which compiles into the folder of the
    /// repository: kernels are those of other tests.
    fn outcome(&self, arguments: &[&str]) -> (i32, String, String) {
        let program = Path::new(env!("CARGO_BIN_EXE_giornata"));
        let target = program.ancestors().nth(2).unwrap();
        let mut command = Command::new(program);
        let command = command.args(arguments).current_dir(&self.0);
        let output = command.env("CARGO_TARGET_DIR", target).output().unwrap();
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        let code = output.status.code().unwrap();
        (code, text(output.stdout), text(output.stderr))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Builds and runs a system on a board. Each cell has to end in a fault that names the thread.
fn faults(folder: &Folder, board: &str, cells: &[(Who, Way)], random: &mut Random) {
    let stacks = write(folder, cells, random);
    let arguments = [
        "run",
        "system.toml",
        "--board",
        board,
        "--for",
        "100ms",
        "--headless",
    ];
    let (code, out, err) = folder.outcome(&arguments);
    let all = format!("{cells:?} on {board}:\n{out}\n{err}");
    assert_eq!(code, 1, "{all}");
    assert!(
        !out.contains("OVERWRITTEN") && !out.contains("SURVIVED"),
        "{all}"
    );
    for ((who, way), stack) in cells.iter().zip(stacks) {
        let (process, thread) = (who.name(), who.thread());
        // (a task is known by its name alone)
        let thread = match who {
            Who::Task => thread.into(),
            _ => format!("{process}/{thread}"),
        };
        if let Some((function, does)) = way.warning() {
            let told = err.lines().any(|line| {
                line.contains(&format!("function {function} at deep-{process}.c:"))
                    && line.contains(&format!("of process `{process}` {does}"))
            });
            assert!(told, "{process}: no warning of {function}, of {all}");
        }
        let start = format!("fault of process {process}: stack overflow of thread {thread} by ");
        let told = out.lines().find_map(|line| line.split_once(&start));
        let (_, told) = told.unwrap_or_else(|| panic!("{process}: no such fault, of {all}"));
        let end = format!("bytes: its stack has {stack}, in deep_");
        assert!(told.contains(&end), "{process}: {told}, of {all}");
    }
}

/// Builds a system with one cell. The build names the function, and where it is.
fn is_refused_by_name(folder: &Folder, board: &str, who: Who, random: &mut Random) {
    write(folder, &[(who, Way::Fixed)], random);
    let (code, out, err) = folder.outcome(&["build", "system.toml", "--board", board]);
    // (a message is broken into lines)
    let words: Vec<&str> = err.split_whitespace().filter(|word| *word != "│").collect();
    let said = words.join(" ");
    let name = who.name();
    let told = format!("of process `{name}` has a frame of");
    let function = format!("function deep_fixed at deep-{name}.c:");
    assert!(
        code == 2 && said.contains(&told) && said.contains(&function),
        "{who:?} on {board}: {code}\n{out}\n{err}"
    );
}

#[test]
fn whatever_takes_more_than_a_stack_has_is_refused_or_faults_by_name() {
    let is_long = std::env::var_os("GIORNATA_LONG").is_some();
    let folder = Folder::new();
    let mut random = Random(0x5eed_57ac);
    for (number, board) in (0..).zip(BOARDS) {
        // (in the short form each board has other ways)
        let rounds = if is_long {
            0..12
        } else {
            2 * number..2 * number + 1
        };
        for round in rounds {
            let cells = (0..).zip(ALL).map(|(index, who)| {
                let way: usize = round + index;
                (who, WAYS[way % WAYS.len()])
            });
            let cells = cells.filter(|(who, way)| !is_refused(*who, *way));
            faults(&folder, board, &cells.collect::<Vec<_>>(), &mut random);
        }
        let refused = ALL.into_iter().filter(|who| is_refused(*who, Way::Fixed));
        let count = if is_long { ALL.len() } else { 1 };
        for who in refused.cycle().skip(number).take(count) {
            is_refused_by_name(&folder, board, who, &mut random);
        }
    }
}
