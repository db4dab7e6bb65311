//! A project of a user's: made, run and tested by the command alone, outside of the
//! repository, and what may go wrong there.

use std::ffi::OsStr;
use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, ensure};

use crate::crates::{self, BOARDS, root, selection};
use crate::process::{capture, cargo, check as run_to_end};
use crate::shell::{Shell, ends};

/// Makes, runs and tests a project of each kind. In the long form the command is
/// installed, and nothing that is compiled here is taken.
pub(crate) fn check(full: bool) -> Result<String> {
    let folder = tempfile::Builder::new().prefix("giornata ").tempdir()?;
    let shell = Shell::new(full, folder.path())?;
    let rust = shell.make(folder.path(), "pump", "--rust")?;
    shell.succeeds(&rust, &["run", "--headless"], "pump: ok | virtual 10.000 s")?;
    shell.succeeds(&rust, &["test"], "2 passed")?;
    shell.succeeds(&rust.join("src"), &["size"], "pump on qemu-virt64")?;
    shell.succeeds(&rust.join("src"), &["check"], "system.toml: ok")?;
    shell.succeeds(&rust, &["simulate"], "missed 0")?;
    shell.succeeds(&rust, &["trace", "--for", "1s"], "pump.trace.json: open it")?;
    two_at_once(&shell, &rust)?;
    half_built(&shell, &rust)?;
    asked_to_end(&shell, &rust)?;
    refused(&shell, &rust)?;
    let c = shell.make(folder.path(), "cpump", "--c")?;
    shell.succeeds(&c, &["run", "--headless"], "cpump: ok | virtual 10.000 s")?;
    shell.succeeds(&c, &["test"], "2 passed")?;
    let posix = shell.make(folder.path(), "ppump", "--posix")?;
    shell.succeeds(
        &posix,
        &["run", "--headless"],
        "ppump: ok | virtual 10.000 s",
    )?;
    shell.succeeds(&posix, &["test"], "2 passed")?;
    large_frame(&shell, &c)?;
    if full {
        other_boards(&shell, folder.path())?;
    }
    added(folder.path())?;
    let packages = packaged(full)?;
    let program = shell.program.display();
    Ok(format!(
        "a project in Rust, one in C and one after POSIX, by {program}; {packages} crates packaged"
    ))
}

/// Two runs of different lengths in one folder: each runs what it has built.
fn two_at_once(shell: &Shell, project: &Path) -> Result<()> {
    let lengths = [
        ["run", "--headless", "--for", "1s"],
        ["run", "--headless", "--for", "2s"],
    ];
    let start = |words: &[&str; 4]| {
        let mut command = shell.command(project, words);
        std::thread::spawn(move || command.output())
    };
    let runs = lengths.map(|words| (start(&words), words));
    for ((run, words), said) in runs.into_iter().zip(["virtual 1.000 s", "virtual 2.000 s"]) {
        let output = run.join().ok().context("a run")??;
        ends(&output, &words, 0, said)?;
    }
    Ok(())
}

/// What an interrupted build has left half done is done anew.
fn half_built(shell: &Shell, project: &Path) -> Result<()> {
    let out = project.join("target/giornata");
    for entry in fs::read_dir(&out).with_context(|| out.display().to_string())? {
        let path = entry?.path();
        if path.is_file() {
            let bytes = fs::read(&path)?;
            fs::write(&path, &bytes[..bytes.len() / 2])?;
        }
    }
    shell.succeeds(project, &["test", "system.toml"], "1 passed")
}

/// A run that would go on for a day of virtual time ends at Ctrl-C, with its summary.
fn asked_to_end(shell: &Shell, project: &Path) -> Result<()> {
    let words = ["run", "--headless", "--for", "86400s"];
    let mut command = shell.command(project, &words);
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().context("giornata")?;
    let mut out = BufReader::new(child.stdout.take().context("its output")?);
    let mut said = String::new();
    // it flies: what it builds before that ends at Ctrl-C as any build does
    while !said.contains("1.000 s") && out.read_line(&mut said)? > 0 {}
    let pid = child.id().to_string();
    run_to_end(Command::new("kill").args(["-INT", &pid]))?;
    out.read_to_string(&mut said)?;
    let mut output = child.wait_with_output()?;
    output.stdout = said.into_bytes();
    ends(&output, &words, 3, "pump: interrupted | virtual")
}

/// What is wrong is refused, with its place and what to do.
fn refused(shell: &Shell, project: &Path) -> Result<()> {
    let system = project.join("system.toml");
    let text = fs::read_to_string(&system)?;
    let change = |from: &str, to: &str| fs::write(&system, text.replacen(from, to, 1));

    change("format = 1", "format = 2")?;
    shell.refuses(project, &["run"], "of format 2")?;
    change("crate = \".\"", "crate = \"pomp\"")?;
    shell.refuses(project, &["run"], "there is no crate `pomp`")?;
    fs::write(&system, &text)?;

    let library = project.join("src/lib.rs");
    fs::rename(&library, project.join("src/main.rs"))?;
    shell.refuses(project, &["run"], "crate `pump` has no library")?;
    fs::rename(project.join("src/main.rs"), &library)?;

    // a file where a folder is to be: nobody can write into it, whoever they are
    let nowhere = project.join("nowhere");
    fs::write(&nowhere, "")?;
    let mut command = shell.command(project, &["build"]);
    command.env("CARGO_TARGET_DIR", nowhere.join("target"));
    ends(
        &command.output()?,
        &["build"],
        2,
        "name another in CARGO_TARGET_DIR",
    )?;

    let mut command = shell.command(project, &["run"]);
    command.env("GIORNATA_HOME", OsStr::new("/nowhere"));
    ends(
        &command.output()?,
        &["run"],
        2,
        "GIORNATA_HOME is /nowhere, where giornata is not",
    )?;

    let mut command = shell.command(project, &["test", "system.toml"]);
    let golden = project.join("system.golden");
    let said = fs::read_to_string(&golden)?;
    fs::write(&golden, said.replacen("level 300", "level 301", 1))?;
    ends(
        &command.output()?,
        &["test"],
        1,
        "line 2 differs from the golden file",
    )?;
    fs::write(&golden, said)?;
    own_board(shell, project)
}

/// What is made for one board says the same on the others.
fn other_boards(shell: &Shell, folder: &Path) -> Result<()> {
    for board in &BOARDS[1..] {
        for kind in ["--rust", "--c", "--posix"] {
            let name = format!("pump{kind}-{board}");
            let new = ["new", &name, "--name", "pump", kind, "--board", board];
            shell.succeeds(folder, &new, "made")?;
            shell.succeeds(&folder.join(&name), &["test"], "2 passed")?;
        }
    }
    Ok(())
}

/// A function that would reach beyond the guard of a stack is named when the system is
/// built.
fn large_frame(shell: &Shell, project: &Path) -> Result<()> {
    let file = project.join("src/law.c");
    let text = fs::read_to_string(&file)?;
    let large = text.replacen(
        "int32_t opening = ",
        "volatile char past[65536];\n    past[0] = 1;\n    int32_t opening = past[0] * ",
        1,
    );
    ensure!(large != text, "{} has another text", file.display());
    fs::write(&file, large)?;
    let why = "function opening_for at src/law.c:7 of process `pump` has a frame of 65552";
    shell.refuses(project, &["build"], why)?;
    fs::write(&file, text)?;
    Ok(())
}

/// A board file of the project's own.
fn own_board(shell: &Shell, project: &Path) -> Result<()> {
    let text = fs::read_to_string(root().join("boards/qemu-virt64.toml"))?;
    let text = text.replacen("name = \"qemu-virt64\"", "name = \"mine\"", 1);
    fs::create_dir_all(project.join("boards"))?;
    let board = project.join("boards/mine.toml");
    fs::write(&board, &text)?;
    let run = [
        "run",
        "--headless",
        "--for",
        "1s",
        "--board",
        "boards/mine.toml",
    ];
    shell.succeeds(project, &run, "pump on mine")?;
    fs::write(
        &board,
        text.replacen("base = 0x1000_8000", "base = 0x1000_0080", 1),
    )?;
    let why = "device `virtio0` (0x10000080 to 0x1000107f) overlaps device `uart0`";
    shell.refuses(project, &run, why)
}

/// Crates that users' manifests name.
const NAMED: [&str; 5] = [
    "giornata-build",
    "giornata-rt",
    "giornata-rt-macros",
    "giornata-abi",
    "giornata-c",
];

/// A workspace of the user's own takes the runtime as any other crate.
fn added(folder: &Path) -> Result<()> {
    let workspace = folder.join("other");
    run_to_end(
        cargo()
            .args(["new", "--quiet", "--lib", "--vcs", "none"])
            .arg(&workspace),
    )?;
    let mut add = cargo();
    add.current_dir(&workspace)
        .args(["add", "--quiet", "--offline", "giornata-rt", "--path"]);
    run_to_end(add.arg(root().join("user/rt")))?;
    let mut tree = cargo();
    tree.current_dir(&workspace)
        .args(["tree", "--offline", "--depth", "1"]);
    let tree = capture(&mut tree)?;
    ensure!(tree.contains("giornata-rt v"), "`cargo add` leaves\n{tree}");
    Ok(())
}

/// Packs what may be published, as one would for a registry; in the long form each is
/// compiled from its package. Answers how many there are.
fn packaged(full: bool) -> Result<usize> {
    let packages = crates::all()?;
    let packages = packages.iter().filter(|package| package.is_published);
    let names: Vec<&str> = packages.map(|package| package.name.as_str()).collect();
    for name in NAMED {
        ensure!(names.contains(&name), "{name} may not be published");
    }
    let mut command = cargo();
    command.args(["package", "--quiet", "--locked", "--allow-dirty"]);
    if !full {
        command.args(["--no-verify", "--offline"]);
    }
    run_to_end(command.args(selection(names.iter().copied())))?;
    Ok(names.len())
}
