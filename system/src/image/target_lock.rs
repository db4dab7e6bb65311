//! One build at a time in a target folder: what is built of a kernel or a process lies at one
//! place there, whatever it is for, and whichever program builds it.

use std::fs::{File, TryLockError};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, Once, PoisonError};

use crate::problem::{Problem, Refusal};

/// The file that is locked, in the target folder.
const FILE: &str = "building.lock";

/// Held by who builds in a target folder, until what was built has been read or copied.
#[derive(Debug)]
pub struct TargetLock {
    folder: PathBuf,
    /// Locked until it is closed, before the next one here is let in.
    _elsewhere: File,
    _here: MutexGuard<'static, ()>,
}

impl TargetLock {
    /// Blocks until nobody else builds in the target folder, which is made if it is not there;
    /// says so, once, if another program does. It must not be taken twice by a thread.
    ///
    /// # Errors
    /// The file that is locked cannot be made.
    pub fn take(folder: &Path) -> Result<TargetLock, miette::Report> {
        static BUILDING: Mutex<()> = Mutex::new(());
        let here = BUILDING.lock().unwrap_or_else(PoisonError::into_inner);
        Ok(TargetLock {
            folder: folder.into(),
            _elsewhere: lock(folder)?,
            _here: here,
        })
    }

    /// Where what is compiled goes.
    pub fn folder(&self) -> &Path {
        &self.folder
    }
}

/// The file of a target folder, locked.
fn lock(folder: &Path) -> Result<File, Refusal> {
    static TOLD: Once = Once::new();
    let path = folder.join(FILE);
    let unwritable = |error: std::io::Error| {
        let mend = "make its folder one that can be written, or name another in CARGO_TARGET_DIR";
        Problem::new(format!("cannot write {}: {error}", path.display()), mend)
    };
    std::fs::create_dir_all(folder).map_err(unwritable)?;
    let file = File::create(&path).map_err(unwritable)?;
    let locked = file.try_lock().or_else(|failed| match failed {
        TryLockError::WouldBlock => {
            TOLD.call_once(|| {
                let folder = folder.display();
                eprintln!("giornata: waits for another one that builds in {folder}");
            });
            file.lock()
        }
        TryLockError::Error(error) => Err(error),
    });
    locked.map_err(unwritable)?;
    Ok(file)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::thread;

    #[test]
    fn who_builds_in_a_folder_is_alone_there() {
        let folder = std::env::temp_dir().join(format!("giornata-lock-{}", std::process::id()));
        let builds = AtomicBool::new(false);
        thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for _ in 0..50 {
                        let lock = TargetLock::take(&folder).unwrap();
                        assert_eq!(lock.folder(), folder);
                        assert!(!builds.swap(true, Ordering::SeqCst));
                        thread::yield_now();
                        assert!(builds.swap(false, Ordering::SeqCst));
                    }
                });
            }
        });
        // (another program opens the file anew)
        let lock = TargetLock::take(&folder).unwrap();
        let other = File::create(folder.join(FILE)).unwrap();
        assert!(matches!(other.try_lock(), Err(TryLockError::WouldBlock)));
        drop(lock);
        other.try_lock().unwrap();
        std::fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn a_folder_that_cannot_be_made_is_refused_with_what_to_do() {
        let file = std::env::temp_dir().join(format!("giornata-no-folder-{}", std::process::id()));
        std::fs::write(&file, "").unwrap();
        let refusal = format!("{:?}", TargetLock::take(&file.join("target")).unwrap_err());
        assert!(refusal.contains("CARGO_TARGET_DIR"), "{refusal}");
        std::fs::remove_file(&file).unwrap();
    }
}
