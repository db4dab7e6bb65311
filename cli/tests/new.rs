//! `giornata new` as a shell sees it. Stage `project` of `./x test` builds and runs what
//! it makes.

mod folder;

use std::fs;

use folder::Folder;

#[test]
fn a_project_is_made_in_any_folder_and_its_system_is_sound() {
    let folder = Folder::new("new made");
    for (name, kind) in [("pump", "--rust"), ("cpump", "--c"), ("ppump", "--posix")] {
        let path = format!("my systems/{name}");
        let (code, out, err) = folder.outcome(&["new", &path, kind, "--board", "qemu-virt32"]);
        assert_eq!((code, err.as_str()), (0, ""), "{out}");
        assert!(out.starts_with(&format!("{path}: made.")), "{out}");
        let project = folder.0.join(&path);
        for file in [".gitignore", "README.md", "system.golden", "system.toml"] {
            assert!(project.join(file).is_file(), "{path}/{file}");
        }
        let readme = fs::read_to_string(project.join("README.md")).unwrap();
        assert!(readme.starts_with(&format!("# {name}\n")) && readme.lines().count() <= 15);
        let checked = folder.outcome(&["check", &format!("{path}/system.toml")]);
        assert_eq!((checked.0, checked.2.as_str()), (0, ""));
    }
    let json = folder.json(&["new", "other", "--name", "other2", "--json"]);
    assert_eq!((json.0, &json.1["name"]), (0, &"other2".into()));
}

#[test]
fn what_is_there_is_left_alone() {
    let folder = Folder::new("new there");
    folder.write("note", "mine");
    fs::create_dir(folder.0.join("full")).unwrap();
    folder.write("full/note", "mine");
    for (path, reason) in [
        ("full", "is not empty"),
        ("note", "is a file"),
        ("note/pump", ""),
    ] {
        let (code, out, err) = folder.outcome(&["new", path]);
        assert_eq!((code, out.as_str()), (2, ""));
        assert!(err.contains(reason) && err.contains("help: "), "{err}");
    }
    assert_eq!(fs::read(folder.0.join("note")).unwrap(), b"mine");
    assert_eq!(fs::read_dir(folder.0.join("full")).unwrap().count(), 1);
    fs::create_dir(folder.0.join("empty")).unwrap();
    assert_eq!(folder.outcome(&["new", "empty"]).0, 0);
}

#[test]
fn a_name_or_board_that_cannot_be_is_refused_with_one_that_can() {
    let folder = Folder::new("new refused");
    for (words, reason, help) in [
        (
            &["My Pump"][..],
            "`My Pump` cannot name a project",
            "--name my-pump",
        ),
        (
            &["pump", "--name", "match"],
            "is a keyword of Rust",
            "--name my-match",
        ),
        (&["core"], "there is a crate of that name", "--name my-core"),
        (
            &["pump", "--board", "qemu-virt46"],
            "no board `qemu-virt46`",
            "`qemu-virt64`?",
        ),
        (
            &["pump", "--board", "vax"],
            "no board `vax`",
            "known here: qemu-virt32",
        ),
    ] {
        let (code, _, err) = folder.outcome(&[&["new"], words].concat());
        assert_eq!(code, 2, "{err}");
        assert!(err.contains(reason) && err.contains(help), "{err}");
    }
    assert_eq!(folder.outcome(&["new", "pump", "--c", "--rust"]).0, 2);
    assert_eq!(fs::read_dir(&folder.0).unwrap().count(), 0);
}

#[test]
fn a_home_that_has_moved_is_said_to_have() {
    let folder = Folder::new("new moved");
    // boards, and nothing else: not a home
    fs::create_dir(folder.0.join("boards")).unwrap();
    for words in [
        &["new", "pump"][..],
        &["run", "."],
        &["test", "."],
        &["build", "."],
    ] {
        let (code, _, err) = folder.outcome(words);
        assert_eq!(code, 2, "{err}");
        let err: String = err.split_whitespace().filter(|word| *word != "│").collect();
        assert!(err.contains("GIORNATA_HOMEis"), "{err}");
        assert!(
            err.contains("whichisnotthere") || err.contains("wheregiornataisnot"),
            "{err}"
        );
    }
}
