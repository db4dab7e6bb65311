//! How functions and files are called for people.

/// The path of a function, out of its name in the executable: without hash and generic
/// arguments.
pub(crate) fn function(name: &str) -> String {
    let path = format!("{:#}", rustc_demangle::demangle(name));
    body(&path).unwrap_or_else(|| without_arguments(&path))
}

/// The function that `#[task]`, `#[driver]` or `#[thread]` has made a body of.
fn body(path: &str) -> Option<String> {
    let (of, rest) = path.strip_prefix('<')?.split_once(" as ")?;
    let (kind, _) = rest.split_once(">::FUNCTION::body")?;
    kind.starts_with("giornata_rt::process::")
        .then(|| of.to_string())
}

/// `a::Mutex<T>::lock::<U>` is `a::Mutex::lock`; a type that stands in front for its
/// trait (`<a::Mutex<T> as Drop>::drop`) stays.
fn without_arguments(path: &str) -> String {
    let mut out = String::new();
    let mut depth = 0usize;
    let mut before = ' ';
    for letter in path.chars() {
        match letter {
            '<' if depth == 0 && out.is_empty() => out.push(letter),
            '<' => depth += 1,
            '>' if before == '-' => {}
            '>' if depth == 0 => out.push(letter),
            '>' => depth -= 1,
            _ if depth == 0 => out.push(letter),
            _ => {}
        }
        before = letter;
    }
    let out = out.replace("::::", "::");
    out.trim_end_matches("::").to_string()
}

/// A file from the first of the folders that it lies in; else a library's from the name of
/// its crate on, wherever that lies on this machine. And whether it is the project's own:
/// in the first folder, or named from there already.
pub(crate) fn file(path: &str, roots: &[String]) -> (String, bool) {
    let path = path.replace("/./", "/");
    // cargo names files of a workspace from its root
    let mut below = roots.iter().skip(1).map(|root| format!("{root}/{path}"));
    let path = match roots.first() {
        Some(own) if !path.starts_with('/') => below
            .find(|path| path.starts_with(&format!("{own}/")))
            .unwrap_or(path),
        _ => path,
    };
    let found = roots.iter().enumerate().find_map(|(index, root)| {
        let rest = path.strip_prefix(root.as_str())?;
        Some((rest.strip_prefix('/')?.to_string(), index == 0))
    });
    let is_relative = !path.starts_with('/');
    found.unwrap_or_else(|| (library(&path), is_relative))
}

fn library(path: &str) -> String {
    for (folder, skipped) in [("/library/", 0), ("/registry/src/", 1)] {
        if let Some((_, rest)) = path.split_once(folder) {
            let parts: Vec<&str> = rest.split('/').skip(skipped).collect();
            return parts.join("/");
        }
    }
    path.trim_start_matches("./").to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_lose_hashes_and_generic_arguments() {
        let cases = [
            (
                "_ZN4libm4math4cosf4cosf17hb262e49b39cc17d1E",
                "libm::math::cosf::cosf",
            ),
            (
                "_ZN86_$LT$flight_control_control..control$u20$as$u20$giornata_rt..process..TaskFunction$GT$8FUNCTION4body17h5e26a58dbf70a140E",
                "flight_control_control::control",
            ),
            ("a::Mutex<T>::lock", "a::Mutex::lock"),
            ("a::lock::<U, V<W>>", "a::lock"),
            (
                "<a::Mutex<T> as core::ops::Drop>::drop",
                "<a::Mutex as core::ops::Drop>::drop",
            ),
            ("call<fn(u8) -> u8>", "call"),
            ("memcpy", "memcpy"),
        ];
        for (name, expected) in cases {
            assert_eq!(function(name), expected, "{name}");
        }
    }

    #[test]
    fn files_are_told_from_the_folder_that_a_reader_knows() {
        let roots = [
            "/home/me/pump".to_string(),
            "/opt/giornata".into(),
            "/home/me".into(),
        ];
        let cases = [
            ("/home/me/pump/src/lib.rs", "src/lib.rs"),
            ("/home/me/pump/./src/pump.c", "src/pump.c"),
            ("src/pump.c", "src/pump.c"),
            ("./src/pump.c", "src/pump.c"),
            ("pump/src/lib.rs", "src/lib.rs"),
            ("/opt/giornata/user/rt/src/log.rs", "user/rt/src/log.rs"),
            ("/home/me/pumps/src/lib.rs", "pumps/src/lib.rs"),
            ("/home/you/src/lib.rs", "/home/you/src/lib.rs"),
            (
                "/rustc/0a1b/library/core/src/option.rs",
                "core/src/option.rs",
            ),
            (
                "/root/.cargo/registry/src/index.crates.io-1/heapless-0.9.1/src/vec.rs",
                "heapless-0.9.1/src/vec.rs",
            ),
        ];
        for (path, expected) in cases {
            let is_own = expected.starts_with("src/");
            assert_eq!(file(path, &roots), (expected.into(), is_own), "{path}");
        }
    }
}
