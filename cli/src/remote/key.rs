//! `giornata key FILE`

use std::fs::OpenOptions;
use std::io::{self, Write};
use std::path::Path;

use giornata_link::Key;

use crate::arguments;
use crate::complaint::Complaint;
use crate::remote::wrong;
use crate::report::{Report, Verdict};

/// Makes a key that only its owner can read.
pub(crate) fn run(arguments: &arguments::Key, report: &mut Report) -> Verdict {
    let path = &arguments.file;
    report.tell("file", path.display().to_string());
    let made = Key::generate().and_then(|key| write(path, &key.write()).map(|()| key));
    match made {
        Ok(key) => {
            report.tell("public", key.public());
            report.say(format!(
                "{}: keep it secret; systems that shall obey it name its public half\n{}\n",
                path.display(),
                key.public()
            ));
            Verdict::Good
        }
        Err(error) => {
            let message = format!("{} cannot be made: {error}", path.display());
            let help = "name a file that is not there yet";
            wrong(
                Complaint::new("giornata::unwritable", message, help),
                report,
            )
        }
    }
}

fn write(path: &Path, text: &str) -> io::Result<()> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)?.write_all(text.as_bytes())
}
