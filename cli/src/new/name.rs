//! What a project may be called: its name becomes that of a crate and of a system.

/// Words that cargo does not take as a crate's name, and crates that a process has
/// anyway.
const TAKEN: [&str; 14] = [
    "alloc",
    "core",
    "std",
    "test",
    "proc_macro",
    "build",
    "deps",
    "examples",
    "incremental",
    "giornata",
    "giornata-rt",
    "giornata-abi",
    "giornata-c",
    "giornata-rt-macros",
];
/// Keywords of Rust.
const KEYWORDS: [&str; 48] = [
    "abstract", "as", "async", "await", "become", "box", "break", "const", "continue", "crate",
    "do", "dyn", "else", "enum", "extern", "false", "final", "fn", "for", "gen", "if", "impl",
    "in", "let", "loop", "macro", "match", "mod", "move", "mut", "override", "priv", "pub", "ref",
    "return", "self", "static", "struct", "super", "trait", "true", "try", "type", "typeof",
    "unsafe", "unsized", "use", "where",
];
/// The longest name of a system.
const LONGEST: usize = 64;

/// Why a word cannot be a name, and a name like it that can.
pub(crate) fn fault(word: &str) -> Option<(&'static str, Option<String>)> {
    let why = reason(word)?;
    let plain = word.chars().map(|c| match c {
        c if c.is_ascii_alphanumeric() || c == '_' => c.to_ascii_lowercase(),
        _ => '-',
    });
    let plain: String = plain.take(LONGEST).collect();
    let better = plain.trim_matches('-').to_string();
    let better = match reason(&better) {
        None => Some(better),
        Some(_) if better.is_empty() => None,
        Some(_) => Some(format!("my-{better}")).filter(|name| reason(name).is_none()),
    };
    Some((why, better))
}

fn reason(word: &str) -> Option<&'static str> {
    let fits = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_' || c == '-';
    if !word.starts_with(|c: char| c.is_ascii_lowercase()) || !word.chars().all(fits) {
        return Some(
            "use small letters, digits, - and _, beginning with a letter, as crates are called",
        );
    }
    if word.len() > LONGEST {
        return Some("it is longer than 64 letters");
    }
    if KEYWORDS.contains(&word) {
        return Some("it is a keyword of Rust");
    }
    if TAKEN.contains(&word) {
        return Some("there is a crate of that name already");
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_crates_are_names() {
        for name in ["pump", "water-pump2", "a_b"] {
            assert_eq!(fault(name), None, "{name}");
        }
    }

    #[test]
    fn a_word_that_is_none_is_told_one_like_it() {
        let better = |word| fault(word).unwrap().1;
        assert_eq!(better("My Pump").as_deref(), Some("my-pump"));
        assert_eq!(better("2nd").as_deref(), Some("my-2nd"));
        assert_eq!(better("loop").as_deref(), Some("my-loop"));
        assert_eq!(better("core").as_deref(), Some("my-core"));
        assert_eq!(better("Größe").as_deref(), Some("gr--e"));
        assert_eq!(better(""), None);
        assert_eq!(better(&"a".repeat(65)).unwrap().len(), 64);
    }
}
