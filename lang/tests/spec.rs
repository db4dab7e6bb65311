//! The specification, executed: every fence of `spec/*.md` in one of the languages is
//! compiled, and the fence after it says what must come out.
//!
//! A `diagnostics` fence lists everything the compiler says; a `listing` fence
//! is the disassembly. With `GIORNATA_BLESS=1` the fences are rewritten instead,
//! for a human to read the difference.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::PathBuf;

use giornata_lang::sigma::{self, Format};
use giornata_lang::{Code, Diagnostic, Options, giotto, psi};

/// What fences of programs are marked with; `xml` are graphs of SDF3.
const LANGUAGES: [&str; 4] = ["giotto", "psi", "sigma", "xml"];

struct Example {
    /// Line of the program's fence, for messages.
    line: usize,
    /// The language of that fence.
    language: String,
    source: String,
    kind: String,
    expected: String,
}

fn spec_files() -> Vec<PathBuf> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("spec");
    let mut files: Vec<_> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    files.retain(|path| path.extension().is_some_and(|e| e == "md"));
    files.sort();
    files
}

/// (line, language, text) of each fence.
fn fences(text: &str) -> Vec<(usize, String, String)> {
    let mut fences = Vec::new();
    let mut open: Option<(usize, String, String)> = None;
    for (number, line) in text.lines().enumerate() {
        match (line.strip_prefix("```"), &mut open) {
            (Some(language), None) => open = Some((number + 1, language.to_owned(), String::new())),
            (Some(_), Some(_)) => fences.extend(open.take()),
            (None, Some((_, _, body))) => {
                body.push_str(line);
                body.push('\n');
            }
            (None, None) => {}
        }
    }
    fences
}

fn is_program(language: &str) -> bool {
    LANGUAGES.contains(&language)
}

impl Example {
    /// The module of a program, if its language has modules, and all that is said.
    fn compile(&self) -> (Option<Vec<u8>>, Vec<Diagnostic>) {
        let (source, options) = (&self.source, Options::default());
        match self.language.as_str() {
            "psi" => psi::compile("spec.psi", source, &options),
            "sigma" => (None, sigma::check("spec.sigma", source, Format::Sigma)),
            "xml" => (None, sigma::check("spec.xml", source, Format::Sdf3)),
            _ => giotto::compile("spec.giotto", source, &options),
        }
    }
}

fn examples(text: &str) -> Vec<Example> {
    let fences = fences(text);
    let mut examples = Vec::new();
    for pair in fences.windows(2) {
        let [(line, language, source), (_, kind, expected)] = pair else {
            continue;
        };
        if is_program(language) && !is_program(kind) {
            let (source, kind, expected) = (source.clone(), kind.clone(), expected.clone());
            examples.push(Example {
                line: *line,
                language: language.clone(),
                source,
                kind,
                expected,
            });
        }
    }
    examples
}

/// A diagnostic as the specification shows it: reason, line, mend.
fn show(diagnostics: &[Diagnostic]) -> String {
    let mut out = String::new();
    for d in diagnostics {
        let (line, column) = d.position();
        let severity = d.code.severity().name();
        writeln!(out, "{severity}[{}] {line}:{column} {d}", d.code.name()).unwrap();
        writeln!(out, "    {}", d.source_line()).unwrap();
        writeln!(out, "    help: {}", d.help).unwrap();
    }
    out
}

fn actual(example: &Example) -> String {
    let (bytes, diagnostics) = example.compile();
    match example.kind.as_str() {
        "diagnostics" => show(&diagnostics),
        "listing" => listing(&bytes.unwrap_or_else(|| panic!("{}", show(&diagnostics)))),
        other => panic!("line {}: a `{other}` fence after a program", example.line),
    }
}

fn listing(bytes: &[u8]) -> String {
    let module = giornata_abi::module::Module::parse(bytes).unwrap();
    let mut out = String::new();
    giornata_microcode::disassemble::listing(&module, &mut out).unwrap();
    out
}

#[test]
fn every_example_of_the_specification_holds() {
    let bless = std::env::var_os("GIORNATA_BLESS").is_some();
    for path in spec_files() {
        let mut text = std::fs::read_to_string(&path).unwrap();
        for example in examples(&text.clone()) {
            let actual = actual(&example);
            if bless {
                let old = format!(
                    "{}```\n\n```{}\n{}```",
                    example.source, example.kind, example.expected
                );
                let new = format!("{}```\n\n```{}\n{actual}```", example.source, example.kind);
                assert!(
                    text.contains(&old),
                    "line {}: one empty line between the fences",
                    example.line
                );
                text = text.replacen(&old, &new, 1);
            } else {
                let place = format!("{}:{}", path.display(), example.line);
                assert_eq!(actual, example.expected, "{place}");
            }
        }
        if bless {
            std::fs::write(&path, text).unwrap();
        }
    }
}

#[test]
fn every_code_is_explained_by_an_example() {
    let mut seen = BTreeSet::new();
    for path in spec_files() {
        for example in examples(&std::fs::read_to_string(path).unwrap()) {
            seen.extend(example.compile().1.iter().map(|found| found.code));
        }
    }
    let of_giotto = giotto::Code::ALL.iter().map(|code| Code::from(*code));
    let of_psi = psi::Code::ALL.iter().map(|code| Code::from(*code));
    let of_sigma = sigma::Code::ALL.iter().map(|code| Code::from(*code));
    let missing: Vec<&str> = of_giotto
        .chain(of_psi)
        .chain(of_sigma)
        .filter(|code| !seen.contains(code))
        .map(|code| code.name())
        .collect();
    assert!(missing.is_empty(), "no example brings {missing:?}");
}

/// What the page of Psi shows compiles, without a remark.
#[test]
fn the_programs_of_the_page_of_psi_are_correct() {
    let page = include_str!("../psi.md");
    let programs = fences(page).into_iter();
    let programs = programs.filter(|(_, language, _)| language == "psi");
    let mut count = 0;
    for (line, _, source) in programs {
        let (_, found) = psi::compile("page.psi", &source, &Options::default());
        assert!(found.is_empty(), "psi.md:{line}: {}", show(&found));
        count += 1;
    }
    assert!(count > 0);
}
