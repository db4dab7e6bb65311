//! `[hostlink]`: whom the hostlink server of the system obeys.
//!
//! The server is compiled for the system, so both values reach it as
//! identifiers; no process gets a right by them.

use crate::file::{Spanned, SystemFile};
use crate::problem::{Findings, Problem, Refusal};
use crate::section::Section;

/// Most that a seed may be: what TOML can write.
pub(crate) const MOST: u64 = i64::MAX as u64;
/// The first line of a key file of `giornata key`, which has the secret half.
const SECRET: &str = "giornata key";

/// `[hostlink]` as it is written.
#[derive(Clone, Debug, Default)]
pub struct HostlinkSection {
    /// The public key, or the name of a file that has it.
    pub key: Option<Spanned<String>>,
    /// What tells this machine from others.
    pub seed: u64,
}

/// What it comes to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Hostlink {
    /// The public key that signs requests to change the machine; `None`: they need no signature.
    pub key: Option<[u8; 32]>,
    /// What tells this machine from others.
    pub seed: u64,
}

/// Reads the section's keys.
pub(crate) fn section(findings: &mut Findings, top: &Section<'_>) -> HostlinkSection {
    let Some(section) = top.section(findings, "hostlink") else {
        return HostlinkSection::default();
    };
    let seed = section.number(findings, "seed");
    HostlinkSection {
        key: section.text(findings, "key"),
        seed: seed.map_or(0, Spanned::into_inner),
    }
}

/// Finds the key. Reads its file, if one is named.
///
/// # Errors
/// The file cannot be read or has no public key; nobody would ask for one.
pub(crate) fn resolve(file: &SystemFile) -> Result<Hostlink, Refusal> {
    let section = &file.hostlink;
    let key = match &section.key {
        None => None,
        Some(word) => Some(key(file, word)?),
    };
    Ok(Hostlink {
        key,
        seed: section.seed,
    })
}

fn key(file: &SystemFile, word: &Spanned<String>) -> Result<[u8; 32], Refusal> {
    let refuse = |reason: String, mend: &str| -> Refusal {
        Problem::new(reason, mend)
            .at(&file.source, word.span())
            .into()
    };
    if !file.processes.iter().any(|p| !p.grants.programs.is_empty()) {
        let reason = "a key, and no process that may replace a program";
        let mend = "grant programs to the hostlink server: `grants = { program = [\"NAME\"] }`";
        return Err(refuse(reason.into(), mend));
    }
    let name = word.get_ref();
    if let Some(key) = unhex(name) {
        return Ok(key);
    }
    let path = file.relative(name);
    let text = std::fs::read_to_string(&path).map_err(|error| {
        let reason = format!("the key is not 64 hexadecimal digits, nor a file: {error}");
        refuse(
            reason,
            "write the public half that `giornata key FILE` prints, or the name of a file with it",
        )
    })?;
    if text.starts_with(SECRET) {
        let reason = format!("{} has the secret half of a key", path.display());
        let mend =
            "keep it from the machine: name the public half, the digits after `public` in it";
        return Err(refuse(reason, mend));
    }
    unhex(text.trim()).ok_or_else(|| {
        let reason = format!("{} is no public key", path.display());
        refuse(
            reason,
            "it has one line of 64 hexadecimal digits, which `giornata key FILE` prints",
        )
    })
}

/// The bytes of 64 hexadecimal digits.
fn unhex(text: &str) -> Option<[u8; 32]> {
    let (pairs, []) = text.as_bytes().as_chunks::<2>() else {
        return None;
    };
    let mut key = [0; 32];
    if pairs.len() != key.len() {
        return None;
    }
    let digit = |byte: u8| Some(char::from(byte).to_digit(16)? as u8);
    for (place, [high, low]) in key.iter_mut().zip(pairs) {
        *place = digit(*high)? << 4 | digit(*low)?;
    }
    Some(key)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    const DIGITS: &str = "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a";

    /// What a system file in a folder with the file `key` comes to.
    fn resolved(name: &str, text: &str, hostlink: &str) -> Result<Hostlink, Refusal> {
        let folder = std::env::temp_dir().join(format!("giornata-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join("key"), text).unwrap();
        let system = format!(
            "name = \"keyed\"\nboard = \"none\"\n[hostlink]\n{hostlink}\n\
             [process.hostlink]\ncrate = \"server\"\ngrants = {{ program = [\"p\"] }}\n"
        );
        let file = SystemFile::parse(Path::new(&folder.join("system.toml")), &system);
        let found = file.and_then(|file| resolve(&file));
        std::fs::remove_dir_all(&folder).unwrap();
        found
    }

    fn reason(found: Result<Hostlink, Refusal>) -> String {
        let refusal = found.unwrap_err();
        refusal.problems()[0].reason().to_owned()
    }

    #[test]
    fn a_key_is_written_or_lies_in_a_file() {
        let expected = unhex(DIGITS);
        assert_eq!(expected.map(|key| (key[0], key[31])), Some((0xd7, 0x1a)));
        let written = format!("key = \"{DIGITS}\"\nseed = 9");
        let found = resolved("written", "", &written).unwrap();
        assert_eq!((found.key, found.seed), (expected, 9));
        let found = resolved("file", &format!("{DIGITS}\n"), "key = \"key\"").unwrap();
        assert_eq!((found.key, found.seed), (expected, 0));
        assert_eq!(
            resolved("silent", "", "").unwrap(),
            Hostlink { key: None, seed: 0 }
        );
    }

    #[test]
    fn what_is_no_public_key_is_refused() {
        let short = &DIGITS[1..];
        let refused = reason(resolved("short", short, "key = \"key\""));
        assert!(refused.ends_with("is no public key"), "{refused}");
        let secret = format!("giornata key 1\nsecret {DIGITS}\npublic {DIGITS}\n");
        let refused = reason(resolved("secret", &secret, "key = \"key\""));
        assert!(refused.ends_with("the secret half of a key"), "{refused}");
        for word in [short, "absent"] {
            let refused = reason(resolved("absent", "", &format!("key = \"{word}\"")));
            assert!(refused.contains("nor a file"), "{refused}");
        }
    }
}
