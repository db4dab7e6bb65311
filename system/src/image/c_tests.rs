//! Processes in C, from the system file to the functions in their image, with a real
//! compiler.

use super::*;
use crate::image::BuildOptions;
use crate::image::executable::Executable;
use crate::image::tests::build_alone;
use crate::project::Project;
use std::fs;

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/..");

const SYSTEM: &str = r#"name = "c"
board = "qemu-virt32"
[kernel]
config = "emeralds"
trace = 64
[mutex.bus]
[process.crew]
c = ["*.c"]
threads = { low = {}, high = {} }
grants = { mutex = ["bus"] }
"#;

const LOW: &str = "#include <giornata.h>
#include <identifiers.h>
void low(void);
void low(void)
{
    sem_lock(MUTEX_BUS);
}
";

const HIGH: &str = "void high(void);
void high(void) {}
";

/// A folder of one test, with these files; options of a build in it.
fn folder(name: &str, files: &[(&str, &str)]) -> BuildOptions {
    let folder = std::env::temp_dir().join(format!("giornata-c-{name}-{}", std::process::id()));
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    for (file, text) in files {
        fs::write(folder.join(file), text).unwrap();
    }
    BuildOptions {
        out_dir: folder.join("out"),
        target_dir: Path::new(ROOT).join("target"),
        ..BuildOptions::new(&folder.join("system.toml"), Path::new(ROOT))
    }
}

fn remove(options: BuildOptions) {
    fs::remove_dir_all(options.system.parent().unwrap()).unwrap();
}

/// What a build of these files is refused with, as people read it.
fn refusal(name: &str, files: &[(&str, &str)]) -> String {
    let options = folder(name, files);
    let refusal = build_alone(&options)
        .err()
        .map(|refusal| format!("{refusal:?}"));
    remove(options);
    // a line that is too long for the terminal is broken
    let refusal = refusal.unwrap_or_else(|| panic!("{name} is accepted"));
    refusal.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn threads_are_the_functions_of_their_names_in_all_sources() {
    let files = [("system.toml", SYSTEM), ("low.c", LOW), ("high.c", HIGH)];
    let options = folder("threads", &files);
    let built = build_alone(&options).unwrap();
    let image = fs::read(&built.image).unwrap();
    let project = Project::open(&options.system, Path::new(ROOT), None).unwrap();
    let linked = fs::read(options.out_dir.join("crew.process.elf")).unwrap();
    let executable = Executable::read(&project.file.processes[0], &[], &linked).unwrap();
    let names: Vec<&str> = executable
        .functions
        .list
        .iter()
        .map(|f| f.name.as_str())
        .collect();
    assert_eq!(names, ["low", "high"]);
    let text = &executable.text;
    let end = text.address + text.bytes.len() as u32;
    let is_code = |body: u64| (u64::from(text.address)..u64::from(end)).contains(&body);
    assert!(executable.functions.list.iter().all(|f| is_code(f.body)));
    let again = BuildOptions {
        out_dir: options.out_dir.join("again"),
        ..options.clone()
    };
    assert!(image == fs::read(build_alone(&again).unwrap().image).unwrap());
    let checked = BuildOptions {
        debug: true,
        ..again
    };
    build_alone(&checked).unwrap();
    remove(options);
}

#[test]
fn a_program_after_posix_has_a_main_and_no_crate() {
    let system = SYSTEM.replace(
        "threads = { low = {}, high = {} }",
        "threads = { main = {} }",
    );
    let posix = system.replace("[process.crew]", "[process.crew]\nposix = true");
    let main = "#include <stdio.h>\nint main(void) { return printf(\"%d\", 7); }\n";
    let options = folder("posix", &[("system.toml", &posix), ("main.c", main)]);
    build_alone(&options).unwrap();
    remove(options);

    let without = refusal("no-main", &[("system.toml", &posix), ("low.c", LOW)]);
    assert!(without.contains("undefined symbol: main"), "{without}");

    let both = posix.replace(
        "posix = true",
        "posix = true\ncrate = \"giornata-trace-server\"",
    );
    let both = refusal("posix-crate", &[("system.toml", &both), ("main.c", main)]);
    assert!(
        both.contains("is written after POSIX, and has a crate"),
        "{both}"
    );

    for thread in [
        "policy = \"deadline\", deadline = \"1ms\"",
        "policy = \"round-robin\", quantum = \"1ms\"",
        "budget = \"1ms\"",
    ] {
        let told = posix.replace("main = {}", &format!("main = {{ {thread} }}"));
        let told = refusal("posix-policy", &[("system.toml", &told), ("main.c", main)]);
        assert!(told.contains("has more than a priority"), "{told}");
    }

    let nothing = posix.replace("c = [\"*.c\"]", "crate = \"giornata-trace-server\"");
    let nothing = refusal("posix-rust", &[("system.toml", &nothing)]);
    assert!(nothing.contains("and has a crate"), "{nothing}");
}

/// Functions of the executable of the sample's process, of those that have these beginnings,
/// that a debugger cannot leave.
fn without_frames(options: &BuildOptions, beginnings: &[&str]) -> (usize, Vec<String>) {
    let linked = options.out_dir.join("crew.process.elf");
    let executable = giornata_symbols::Executable::read(&linked, &[]).unwrap();
    let functions = executable.functions();
    let own: Vec<_> = functions
        .filter(|(name, _)| beginnings.iter().any(|begin| name.starts_with(begin)))
        .collect();
    let lacking = own
        .iter()
        .filter(|(_, range)| !executable.has_frame(range.start))
        .map(|(name, _)| name.to_string());
    (own.len(), lacking.collect())
}

#[test]
fn every_function_of_assembly_has_call_frame_information() {
    // what only a call by name brings
    let calls = "#include <pthread.h>
#include <stdatomic.h>
#include <time.h>
static pthread_mutex_t mutex;
static _Atomic unsigned char byte;
static _Atomic unsigned long long wide;
int main(void)
{
    pthread_mutex_lock(&mutex);
    byte++;
    wide++;
    nanosleep(&(struct timespec){ .tv_nsec = 1 }, 0);
    pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
    pthread_cond_wait(&condition, &mutex);
    return pthread_mutex_unlock(&mutex);
}
";
    for board in ["qemu-virt64", "qemu-virt32-pmp"] {
        let system = SYSTEM
            .replace(
                "threads = { low = {}, high = {} }",
                "threads = { main = {} }",
            )
            .replace(
                "[process.crew]",
                "[process.crew]\nposix = true\nheap = \"4K\"",
            )
            .replace("emeralds", "all-posix")
            .replace("qemu-virt32", board);
        let options = folder(board, &[("system.toml", &system), ("main.c", calls)]);
        build_alone(&options).unwrap();
        let own = ["giornata_", "pthread_", "__atomic_", "nanosleep"];
        let (count, lacking) = without_frames(&options, &own);
        assert!(count > 20, "{board}: {count}");
        assert_eq!(lacking, [""; 0], "{board}");
        remove(options);
    }
}

/// What is linked of a source that is added to the others.
fn linked_with(name: &str, more: &str) -> Executable {
    let files = [
        ("system.toml", SYSTEM),
        ("low.c", LOW),
        ("high.c", HIGH),
        ("more.c", more),
    ];
    let options = folder(name, &files);
    build_alone(&options).unwrap();
    let project = Project::open(&options.system, Path::new(ROOT), None).unwrap();
    let linked = fs::read(options.out_dir.join("crew.process.elf")).unwrap();
    remove(options);
    Executable::read(&project.file.processes[0], &[], &linked).unwrap()
}

#[test]
fn threads_have_room_for_their_local_variables_whether_these_are_zero_or_not() {
    let kept = "__attribute__((used, retain)) _Thread_local";
    let zero = format!("{kept} int zero;\n");
    let value = format!("{kept} char value = 7;\n");
    for (name, source, bytes, initial) in [
        ("plain", String::from("int plain;\n"), 0, 0),
        ("zero", zero.clone(), 8, 0),
        ("value", value.clone(), 8, 8),
        ("both", zero + &value, 16, 8),
    ] {
        let executable = linked_with(name, &source);
        assert_eq!(executable.functions.locals, bytes, "{name}");
        let constants = &executable.rodata.bytes;
        let last = constants.last_chunk::<8>().copied();
        assert_eq!(
            last == Some([7, 0, 0, 0, 0, 0, 0, 0]),
            initial > 0,
            "{name}"
        );
    }
}

#[test]
fn what_is_wrong_with_a_process_in_c_is_told() {
    let system = ("system.toml", SYSTEM);
    let wrong = LOW.replace("MUTEX_BUS", "MUTEX_BUSS");
    let told = refusal("name", &[system, ("low.c", &wrong), ("high.c", HIGH)]);
    assert!(told.contains("low.c does not compile"), "{told}");

    let other = "int other(void);\nint other(void) { return 1; }\n";
    let told = refusal("thread", &[system, ("other.c", other)]);
    for thread in ["low", "high"] {
        let reason = format!("process `crew` provides no thread `{thread}`");
        assert!(told.contains(&reason), "{told}");
    }
    assert!(
        told.contains("define `void high(void)`, not static"),
        "{told}"
    );

    let hidden = HIGH.replace("void high", "static void high");
    let told = refusal("static", &[system, ("low.c", LOW), ("high.c", &hidden)]);
    assert!(told.contains("high.c does not compile"), "{told}");

    let absent = HIGH.replace(
        "{}",
        "{ extern int printf(const char *, ...); printf(\"\"); }",
    );
    let told = refusal("absent", &[system, ("low.c", LOW), ("high.c", &absent)]);
    assert!(told.contains("undefined symbol: printf"), "{told}");
    assert!(told.contains("there is no C library"), "{told}");

    let late = "static volatile int count;
__attribute__((destructor)) static void end(void) { count++; }
";
    let late = format!("{late}{HIGH}");
    let told = refusal("late", &[system, ("low.c", LOW), ("high.c", &late)]);
    assert!(told.contains("has a section .fini_array"), "{told}");

    let own = HIGH.replace(
        "{}",
        "{ static _Thread_local volatile _Alignas(16) int own = 1; own++; }",
    );
    let told = refusal("own", &[system, ("low.c", LOW), ("high.c", &own)]);
    assert!(
        told.contains("has thread-local variables aligned to more"),
        "{told}"
    );

    let dated = HIGH.replace("{}", "{ static const char *volatile day; day = __DATE__; }");
    let told = refusal("dated", &[system, ("low.c", LOW), ("high.c", &dated)]);
    assert!(told.contains("high.c does not compile"), "{told}");

    let told = refusal("none", &[system]);
    assert!(told.contains("no file fits"), "{told}");

    let listed = SYSTEM.replace("*.c", "main.c");
    let told = refusal("file", &[("system.toml", &listed)]);
    assert!(told.contains("there is no file"), "{told}");

    let both = SYSTEM.replace("c = [", "crate = \"target-services\"\nc = [");
    let both = both.replace("{ low = {}, high = {} }", "{ lead = {} }");
    let twice = "void lead(void);\nvoid lead(void) {}\n";
    let told = refusal("twice", &[("system.toml", &both), ("lead.c", twice)]);
    assert!(
        told.contains("has two functions `lead`, in C and in Rust"),
        "{told}"
    );
}

/// The sample with these lines in its process.
fn with_lines(lines: &str) -> String {
    SYSTEM.replace(
        "c = [\"*.c\"]",
        &format!("c = [\"low.c\", \"high.*\"]\n{lines}"),
    )
}

const COUNTER: &str = "#include <giornata.h>
#include <pid.h>
#if !defined __cplusplus || __cplusplus != LANGUAGE
#error not the standard that the system file says
#endif
struct Counter { int count; Counter() : count(GAIN) { high(); } };
static Counter counter;
extern \"C\" void high(void) { counter.count++; }
";

#[test]
fn sources_are_compiled_with_the_folders_macros_and_flags_of_their_section() {
    let system = with_lines(
        "c-include = [\"include\"]\nc-define = [\"GAIN=3\", \"LANGUAGE=202002L\"]\nc-flags = [\"-std=c++20\", \"-std=c11\"]",
    );
    let pid = "#if !GAIN || !defined __cplusplus && __STDC_VERSION__ != 201112L
#error not as the system file says
#endif
#ifdef __cplusplus
extern \"C\"
#endif
void high(void);
";
    let low = format!("#include <pid.h>\n{LOW}");
    let files = [
        ("system.toml", &*system),
        ("low.c", &low),
        ("high.cpp", COUNTER),
    ];
    let options = folder("options", &files);
    let include = options.system.with_file_name("include");
    fs::create_dir_all(&include).unwrap();
    fs::write(include.join("pid.h"), pid).unwrap();
    build_alone(&options).unwrap();
    let linked = fs::read(options.out_dir.join("crew.process.elf")).unwrap();
    let project = Project::open(&options.system, Path::new(ROOT), None).unwrap();
    let executable = Executable::read(&project.file.processes[0], &[], &linked).unwrap();
    assert_eq!(executable.functions.locals, 0);
    let commands = fs::read_to_string(options.out_dir.join("compile_commands.json")).unwrap();
    assert!(
        commands.contains("-DGAIN=3") && commands.contains("-std=c++20"),
        "{commands}"
    );
    remove(options);
}

#[test]
fn options_of_sources_that_cannot_be_are_told_with_their_place() {
    let refused = |name: &str, lines: &str| {
        let system = with_lines(lines);
        let files = [("system.toml", &*system), ("low.c", LOW), ("high.c", HIGH)];
        refusal(name, &files)
    };
    let told = refused("folder", "c-include = [\"nowhere\"]");
    assert!(
        told.contains("there is no folder") && told.contains("system.toml:9"),
        "{told}"
    );
    let told = refused("macro", "c-define = [\"2X=1\"]");
    assert!(
        told.contains("`2X=1` defines no macro") && told.contains("system.toml:9"),
        "{told}"
    );
    let told = refused("flag", "c-flags = [\"-O2\", \"-march=rv64i\"]");
    assert!(
        told.contains("`-march=` the builder decides") && told.contains("system.toml:9"),
        "{told}"
    );
    let told = refused("kind", "c-flags = \"-O2\"");
    assert!(told.contains("a list in square brackets"), "{told}");
    let rust = SYSTEM.replace(
        "c = [\"*.c\"]",
        "crate = \"target-services\"\nc-define = [\"A\"]",
    );
    let told = refusal("rust", &[("system.toml", &rust)]);
    assert!(told.contains("has no C sources"), "{told}");
}

#[test]
fn a_pattern_stands_for_its_files_in_their_order_and_each_file_comes_once() {
    let sources_of = |pattern: &str| {
        let system = SYSTEM.replace("\"*.c\"", pattern);
        let files = ["b.c", "a.c", "ab.c", "ab.h"].map(|name| (name, ""));
        let files: Vec<_> = files
            .into_iter()
            .chain([("system.toml", &*system)])
            .collect();
        let options = folder("pattern", &files);
        let project = Project::open(&options.system, Path::new(ROOT), None).unwrap();
        let found = sources(&project.file, &project.file.processes[0]).unwrap();
        remove(options);
        let names = found
            .iter()
            .map(|path| path.file_name().unwrap().to_string_lossy());
        names.collect::<Vec<_>>().join(" ")
    };
    assert_eq!(sources_of("\"*.c\""), "a.c ab.c b.c");
    assert_eq!(sources_of("\"b.c\", \"a*.c\", \"b.c\""), "b.c a.c ab.c");
}

#[test]
fn a_target_of_rust_is_an_instruction_set_and_a_calling_convention() {
    let told = |target| machine(target).unwrap().join(" ");
    assert_eq!(
        told("riscv64gc-unknown-none-elf"),
        "-march=rv64gc -mabi=lp64d"
    );
    assert_eq!(
        told("riscv64imac-unknown-none-elf"),
        "-march=rv64imac -mabi=lp64"
    );
    assert_eq!(
        told("riscv32imac-unknown-none-elf"),
        "-march=rv32imac -mabi=ilp32"
    );
    assert_eq!(
        told("riscv32im-unknown-none-elf"),
        "-march=rv32im -mabi=ilp32"
    );
    assert!(machine("thumbv7em-none-eabi").is_err());
}
