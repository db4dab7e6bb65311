//! A page is followed, in an empty folder and by the command alone, as a reader does.
//!
//! A block ```` ```c panel/panel.c ```` is a file, of any language; ```` ```toml >> system.toml ````
//! is added to the end of one. In a block ```` ```console ```` each line that begins with `$ ` is a
//! command, and the lines after it are what it says (see [`missing`]). `echo $?` is how the
//! command before ended, which is 0 unless the page says so.

use std::fs;
use std::io::Write;
use std::path::PathBuf;

use anyhow::{Context, Result, bail, ensure};

use crate::page::{Block, Page};
use crate::said::missing;
use crate::shell::Shell;

/// Programs that a page may call besides `giornata`.
const OTHERS: [&str; 2] = ["cargo", "mkdir"];

/// A reader, who has come so far.
pub(crate) struct Reader<'a> {
    shell: &'a Shell,
    folder: PathBuf,
    /// How the last command ended, and what it said, until the page says how.
    ended: Option<(Option<i32>, String)>,
    commands: usize,
}

impl Reader<'_> {
    /// A reader in a folder.
    pub(crate) fn new(shell: &Shell, folder: PathBuf) -> Reader<'_> {
        Reader {
            shell,
            folder,
            ended: None,
            commands: 0,
        }
    }

    /// Follows a page; returns how many commands it has.
    ///
    /// # Errors
    /// The first thing that is not as the page says, with its line.
    pub(crate) fn follow(&mut self, name: &str, page: &Page) -> Result<usize> {
        for block in &page.blocks {
            let place = || format!("{name}:{}", block.line);
            self.block(block).with_context(place)?;
        }
        self.settled().with_context(|| name.to_string())?;
        Ok(self.commands)
    }

    fn block(&mut self, block: &Block) -> Result<()> {
        match block.info.split_whitespace().collect::<Vec<_>>()[..] {
            ["console"] => self.console(&block.text),
            [_, file] => self.write(file, &block.text),
            [_, ">>", file] => self.add(file, &block.text),
            [] | [_] => Ok(()),
            _ => bail!("what is a block `{}`?", block.info),
        }
    }

    fn write(&self, file: &str, text: &str) -> Result<()> {
        let path = self.folder.join(file);
        let parent = path.parent().context("a file lies in a folder")?;
        fs::create_dir_all(parent).with_context(|| parent.display().to_string())?;
        fs::write(&path, text).with_context(|| path.display().to_string())
    }

    fn add(&self, file: &str, text: &str) -> Result<()> {
        let path = self.folder.join(file);
        let open = fs::OpenOptions::new().append(true).open(&path);
        let mut open = open.with_context(|| path.display().to_string())?;
        open.write_all(text.as_bytes()).context("added text")
    }

    fn console(&mut self, text: &str) -> Result<()> {
        let mut lines = text.lines().peekable();
        while let Some(line) = lines.next() {
            let command = line
                .strip_prefix("$ ")
                .context("a console begins with `$ `")?;
            let mut said = Vec::new();
            while let Some(line) = lines.next_if(|line| !line.starts_with("$ ")) {
                said.push(line.to_string());
            }
            self.call(command, &said)?;
        }
        Ok(())
    }

    fn call(&mut self, line: &str, expected: &[String]) -> Result<()> {
        let words: Vec<&str> = line.split_whitespace().collect();
        if words == ["echo", "$?"] {
            let (code, said) = self.ended.take().context("nothing has ended")?;
            let code = code.context("it was killed")?.to_string();
            ensure!(expected == [code.clone()], "it ended with {code}:\n{said}");
            return Ok(());
        }
        self.settled()?;
        let mut command = match words[..] {
            ["cd", folder] => {
                self.folder.push(folder);
                ensure!(self.folder.is_dir(), "there is no folder {folder}");
                return Ok(());
            }
            ["giornata", ref words @ ..] => self.shell.command(&self.folder, words),
            [program, ref words @ ..] if OTHERS.contains(&program) => {
                self.shell.other(&self.folder, program, words)
            }
            _ => bail!("a page does not call `{line}`"),
        };
        let output = command.output().with_context(|| line.to_string())?;
        let said = [output.stdout, output.stderr].concat();
        let said = String::from_utf8_lossy(&said);
        if let Some(missing) = missing(&said, expected) {
            bail!("`{line}` does not say\n  {missing}\nbut\n{said}");
        }
        self.commands += 1;
        self.ended = Some((output.status.code(), said.into()));
        Ok(())
    }

    /// The command before has ended well, or the page has said how.
    fn settled(&mut self) -> Result<()> {
        match self.ended.take() {
            None | Some((Some(0), _)) => Ok(()),
            Some((_, said)) => bail!("the command before failed:\n{said}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Follows a page whose `giornata` is `sh`: commands, or why not.
    fn follow(text: &str) -> Result<usize, String> {
        let folder = tempfile::tempdir().unwrap();
        let shell = Shell::with("sh");
        let mut reader = Reader::new(&shell, folder.path().to_path_buf());
        let followed = reader.follow("page.md", &Page::read(text));
        followed.map_err(|error| format!("{error:#}"))
    }

    /// A page with a file `a.sh`, which is called.
    fn page(file: &str, said: &str) -> String {
        format!("```sh a.sh\n{file}\n```\n\n```console\n$ giornata a.sh\n{said}```\n")
    }

    #[test]
    fn files_are_written_and_added_to_and_commands_say_what_the_page_says() {
        let more = "```sh >> b/a.sh\necho two\n```\n```console\n$ cd b\n$ giornata a.sh\none\n...\ntwo\n```\n";
        let text = format!("```sh b/a.sh\necho one\n```\n{more}");
        assert_eq!(follow(&text), Ok(1));
        assert_eq!(follow(&page("exit 3", "$ echo $?\n3\n")), Ok(1));
    }

    #[test]
    fn what_is_not_as_the_page_says_is_told_with_its_line() {
        let told = follow(&page("echo one", "two\n")).unwrap_err();
        assert!(
            told.starts_with("page.md:5: ") && told.contains("does not say"),
            "{told}"
        );
        for (file, said) in [
            ("exit 1", ""),
            ("exit 1", "$ echo $?\n2\n"),
            ("exit 0", "$ echo $?\n1\n"),
            ("", "$ cd nowhere\n"),
            ("", "$ rm a.sh\n"),
        ] {
            assert!(follow(&page(file, said)).is_err(), "{file} {said}");
        }
        assert!(follow("```toml >> nowhere.toml\n```\n").is_err());
        assert!(follow("```toml what is this\n```\n").is_err());
    }
}
