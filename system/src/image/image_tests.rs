//! The whole way, with a real kernel and a real process.

use super::*;
use crate::place::USER_BASE;
use giornata_abi::process::FunctionKind;
use object::{Object, ObjectSegment};

const SYSTEM: &str = r#"name = "quiet"
board = "qemu-virt64"
[kernel]
trace = 64
[process.reader]
crate = "giornata-trace-server"
threads = { serve = { priority = 5 } }
grants = { device = ["uart0"], trace = true, trusted-dma = true }
"#;

/// The workspace.
const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/..");

/// A folder of one test, empty.
fn folder(name: &str) -> PathBuf {
    let folder =
        std::env::temp_dir().join(format!("giornata-system-{name}-{}", std::process::id()));
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

fn options(folder: &Path, out: &str) -> BuildOptions {
    let system = folder.join("system.toml");
    std::fs::write(&system, SYSTEM).unwrap();
    BuildOptions {
        out_dir: folder.join(out),
        target_dir: Path::new(ROOT).join("target"),
        ..BuildOptions::new(&system, Path::new(ROOT))
    }
}

/// Builds, and nobody else meanwhile.
pub(super) fn build_alone(options: &BuildOptions) -> Result<Built, miette::Report> {
    build(options, &TargetLock::take(&options.target_dir)?)
}

#[test]
fn equal_inputs_give_equal_images() {
    let folder = folder("image");
    let [first, second] = ["a", "b"].map(|out| build_alone(&options(&folder, out)).unwrap());
    let image = std::fs::read(&first.image).unwrap();
    assert_eq!(image, std::fs::read(&second.image).unwrap());
    assert_eq!(first.report, second.report);
    assert_eq!(
        NameMap::from_json(&std::fs::read_to_string(&first.names).unwrap()).unwrap(),
        first.name_map
    );
    let file = object::File::parse(&*image).unwrap();
    let blob = file
        .segments()
        .find(|s| s.address() == 0x8004_0000)
        .unwrap();
    let head = &blob.data().unwrap()[..64];
    assert!(
        head.windows(4)
            .any(|word| word == giornata_core::boot::MAGIC.to_le_bytes())
    );
    assert_eq!(file.entry(), 0x8000_0000);
    let report = first.report.to_string();
    assert!(
        report.contains("warning: reader may program DMA"),
        "{report}"
    );
    assert!(report.contains("reader may use: uart0, trace"), "{report}");
    damaged_executables_are_refused_without_panic(&folder);
    std::fs::remove_dir_all(folder).unwrap();
}

/// Reads the process that the builds left, whole and damaged.
fn damaged_executables_are_refused_without_panic(folder: &Path) {
    let whole = std::fs::read(folder.join("a/reader.process.elf")).unwrap();
    let project = Project::open(&folder.join("system.toml"), Path::new(ROOT), None).unwrap();
    let section = &project.file.processes[0];
    let executable = Executable::read(section, &[], &whole).unwrap();
    let serve = &executable.functions.list[0];
    assert_eq!(
        (serve.name.as_str(), serve.kind, serve.parameters.len()),
        ("serve", FunctionKind::Thread, 0)
    );
    assert_eq!(executable.text.address, USER_BASE);
    let text = USER_BASE..USER_BASE + executable.text.bytes.len() as u32;
    assert!(
        text.contains(&(serve.body as u32)) && executable.start.iter().all(|s| text.contains(s))
    );
    assert_eq!(
        executable.restartable,
        (0, 0),
        "nobody calls it, so it is not linked"
    );
    let writable = executable.data.address..executable.end;
    assert!(writable.contains(&executable.trace_cursor));
    let mut random = 1u64;
    let mut next = |bound: usize| {
        random = random
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (random >> 33) as usize % bound
    };
    for _ in 0..3000 {
        let mut bytes = whole.clone();
        for _ in 0..8 {
            let at = next(bytes.len());
            bytes[at] = next(256) as u8;
        }
        bytes.truncate(if next(4) == 0 {
            next(whole.len())
        } else {
            whole.len()
        });
        let _ = Executable::read(section, &[], &bytes);
        let board = crate::Board::parse(Path::new("b"), BOARD).unwrap();
        let _ = Kernel::read(&board, &bytes);
    }
}

const BOARD: &str = include_str!("../../../boards/qemu-virt64.toml");

/// A workspace of its own in a folder, with a process crate `pump-io` in `io`.
fn workspace(folder: &Path) {
    let home = Path::new(ROOT).canonicalize().unwrap();
    let write = |file: &str, text: &str| {
        let path = folder.join(file);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    };
    let package = |name: &str| {
        format!("[package]\nname = \"{name}\"\nversion = \"0.1.0\"\nedition = \"2024\"\n")
    };
    write(
        "Cargo.toml",
        "[workspace]\nresolver = \"3\"\nmembers = [\"io\", \"empty\"]\n",
    );
    let dependency = format!(
        "[dependencies]\ngiornata-rt = {{ path = {:?} }}\n",
        home.join("user/rt")
    );
    write("io/Cargo.toml", &(package("pump-io") + &dependency));
    write(
        "io/src/lib.rs",
        "#![no_std]\n#[giornata_rt::thread]\nfn serve() -> ! {\n    loop {\n        giornata_rt::thread::yield_now();\n    }\n}\ngiornata_rt::process! { threads: [serve] }\n",
    );
    write("empty/Cargo.toml", &package("pump-empty"));
    write("empty/src/main.rs", "fn main() {}\n");
}

#[test]
fn a_crate_is_a_folder_beside_the_system_file_or_a_package_by_its_name() {
    let folder = folder("crate");
    workspace(&folder);
    let options = options(&folder, "out");
    let find = |word: &str| {
        let text = SYSTEM.replace("giornata-trace-server", word);
        let file = SystemFile::parse(&options.system, &text).unwrap();
        package::find(
            &file,
            file.processes[0].code.package.as_ref().unwrap(),
            &options.root,
        )
    };
    let reason = |word: &str| {
        let refusal = find(word).unwrap_err();
        let problem = &refusal.problems()[0];
        format!(
            "{}; {}",
            problem.reason(),
            miette::Diagnostic::help(problem).unwrap()
        )
    };
    let by_folder = find("io").unwrap();
    assert_eq!(
        (by_folder.name.as_str(), by_folder.folder),
        ("pump-io", folder.join("io"))
    );
    assert_eq!(find("pump-io").unwrap().name, "pump-io");
    assert_eq!(find("giornata-trace-server").unwrap().folder, options.root);
    assert_eq!(
        reason("empty"),
        "crate `pump-empty` has no library; give it one: `src/lib.rs`"
    );
    assert_eq!(
        reason("pump-oi"),
        "there is no crate `pump-oi`; did you mean `pump-io`?"
    );
    std::fs::write(folder.join("io/Cargo.toml"), "[workspace]\n").unwrap();
    assert!(reason("io").contains("names no package"));
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn a_crate_of_another_workspace_is_built_by_its_own_manifest() {
    let folder = folder("elsewhere");
    workspace(&folder);
    let options = options(&folder, "out").on("qemu-virt32-pmp");
    let text = SYSTEM.replace("giornata-trace-server", "io").replace(
        "grants = { device = [\"uart0\"], trace = true, trusted-dma = true }\n",
        "",
    );
    std::fs::write(&options.system, text).unwrap();
    let built = build_alone(&options).unwrap_or_else(|why| panic!("{why:?}"));
    assert_eq!(built.report.processes[0].name, "reader");
    assert!(
        folder.join("Cargo.lock").is_file(),
        "it has a lock of its own"
    );
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn results_lie_under_out_by_folder_and_file() {
    let out = |file: &str| BuildOptions::new(Path::new(file), Path::new("/r")).out_dir;
    assert_eq!(out("examples/fly/system.toml"), Path::new("/r/out/fly"));
    assert_eq!(
        out("examples/fly/overload.toml"),
        Path::new("/r/out/fly/overload")
    );
    let folder = folder("results");
    let elsewhere = BuildOptions::new(&folder.join("system.toml"), Path::new(ROOT));
    assert_eq!(elsewhere.out_dir, folder.join("target/giornata"));
    let among = BuildOptions::new(&folder.join("fast.toml"), Path::new(ROOT));
    assert_eq!(among.out_dir, folder.join("target/giornata/fast"));
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn records_that_no_region_can_hold_alone_are_refused_where_they_are_granted() {
    let folder = folder("inspect");
    let options = options(&folder, "out");
    let text = SYSTEM.replace("trace = true,", "trace = true, inspect = true,");
    std::fs::write(&options.system, text).unwrap();
    let open = || Project::open(&options.system, Path::new(ROOT), Some("qemu-virt32-pmp"));
    let project = open().unwrap();
    let mut model = Model::outline(&project).unwrap();
    assert!(check_inspection(&project.file, &model, 5000).is_ok());
    model.board.system += 4096;
    let refusal = check_inspection(&project.file, &model, 5000).unwrap_err();
    let said = format!("{:?}", miette::Report::from(refusal));
    for part in [
        "system.toml:5:10",
        "no multiple of 0x2000",
        "leave out the grant `inspect`",
    ] {
        let said = said.replace("\n  │ ", " ");
        assert!(said.contains(part), "{part}: {said}");
    }
    model.processes[0].inspects = false;
    assert!(check_inspection(&project.file, &model, 5000).is_ok());
    std::fs::remove_dir_all(folder).unwrap();
}
