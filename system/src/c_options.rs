//! What a section of the system file says of how its C and C++ sources are compiled:
//! `c-include`, `c-define`, `c-flags`.

use crate::file::COptions;
use crate::problem::Findings;
use crate::section::{Section, as_text};
use toml::Spanned;

/// Flags about which the builder decides: where code goes, and that parts fit together.
const OWN: [&str; 11] = [
    "-c",
    "-E",
    "-S",
    "-M",
    "-MM",
    "-fpic",
    "-fPIC",
    "-fpie",
    "-fPIE",
    "-fexceptions",
    "-frtti",
];
/// The same by how they begin.
const OWN_BEGINNINGS: [&str; 14] = [
    "-o",
    "-x",
    "-l",
    "-L",
    "-T",
    "-Wl,",
    "-march=",
    "-mabi=",
    "-mcmodel=",
    "-mcpu=",
    "-ftls-model=",
    "-flto",
    "-specs=",
    "--specs=",
];
/// Beginnings of flags that name a folder or a file, which keys of their own do from the
/// system file on.
const PATHS: [&str; 4] = ["-I", "-isystem", "-iquote", "-include"];

impl COptions {
    /// The first that is listed of any kind.
    pub(crate) fn first(&self) -> Option<&Spanned<String>> {
        let all = [&self.include, &self.define, &self.flags];
        all.into_iter().flatten().next()
    }
}

/// Reads the three keys.
pub(crate) fn read(findings: &mut Findings, section: &Section<'_>) -> COptions {
    let mut texts = |key: &str, what: &str| -> Vec<Spanned<String>> {
        let values = section.list(findings, key);
        let texts = values
            .iter()
            .filter_map(|value| as_text(findings, value, what));
        texts.collect()
    };
    let options = COptions {
        include: texts("c-include", "a folder of `c-include`"),
        define: texts("c-define", "a macro of `c-define`"),
        flags: texts("c-flags", "a flag of `c-flags`"),
    };
    for entry in &options.define {
        let text = entry.get_ref();
        if !is_macro(text) {
            let reason = format!("`{text}` defines no macro");
            findings.refuse(entry.span(), reason, "write `NAME` or `NAME=VALUE`");
        }
    }
    for entry in &options.flags {
        if let Err((reason, mend)) = check_flag(entry.get_ref()) {
            findings.refuse(entry.span(), reason, mend);
        }
    }
    options
}

fn is_macro(text: &str) -> bool {
    let name = text.split('=').next().unwrap_or_default();
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let begins_well = name.starts_with(|c: char| is_part(c) && !c.is_ascii_digit());
    begins_well && name.chars().all(is_part)
}

/// Why a flag cannot be given, and what to do.
fn check_flag(flag: &str) -> Result<(), (String, String)> {
    let begins = |with: &&&str| flag.starts_with(**with);
    if !flag.starts_with('-') {
        let mend = "each flag is a text of its own and begins with `-`";
        return Err((format!("`{flag}` is no flag of a compiler"), mend.into()));
    }
    if PATHS.iter().any(|path| flag.starts_with(path)) {
        let mend = "list folders in `c-include`, from the system file on";
        return Err((format!("`{flag}` is relative to no folder"), mend.into()));
    }
    let whole = OWN.iter().find(|own| flag == **own);
    if let Some(own) = whole.or_else(|| OWN_BEGINNINGS.iter().find(begins)) {
        let mend = format!("leave it out: about `{own}` the builder decides");
        return Err((format!("`{flag}` does not fit the builder's flags"), mend));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn macros_have_names_of_c() {
        for good in ["A", "_a1", "A=", "A=1 + 2", "A=\"x=y\""] {
            assert!(is_macro(good), "{good}");
        }
        for bad in ["", "=1", "1A", "A B", "-DA", "A(x)=x"] {
            assert!(!is_macro(bad), "{bad}");
        }
    }

    #[test]
    fn flags_that_the_builder_decides_about_are_refused() {
        for good in [
            "-O3",
            "-std=c11",
            "-Wno-error",
            "-DX=1",
            "-funroll-loops",
            "-Wconversion",
        ] {
            assert_eq!(check_flag(good), Ok(()), "{good}");
        }
        for bad in OWN.iter().chain(&OWN_BEGINNINGS).chain(&PATHS) {
            assert!(check_flag(bad).is_err(), "{bad}");
        }
        for bad in ["O2", "", "-march=rv64i", "-ofile", "-Iinclude", "-lm"] {
            assert!(check_flag(bad).is_err(), "{bad}");
        }
    }
}
