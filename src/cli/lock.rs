//! One writer per folder of results: a lock that the system releases when its process ends, however it ends.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Read, Seek, Write};
use std::path::{Path, PathBuf};

use carom::study::environment;

use super::{Failure, Result, warn};

/// Name of the file in the folder that is locked.
const NAME: &str = ".carom-lock";
/// The holder wrote less than this about itself, in bytes.
const LONGEST_NOTE: u64 = 4096;

/// The right to write results into a folder, until it is dropped.
pub(super) struct FolderLock {
    path: PathBuf,
    /// Open as long as the lock is held; `None` where the file system has no locks.
    file: Option<File>,
    /// Whether the folder was made for the lock: it is removed again if it stays empty.
    made: bool,
}

impl FolderLock {
    /// Creates the folder unless it exists, and locks it; fails with the process that has locked it already.
    pub(super) fn take(directory: &Path) -> Result<Self> {
        let made = !directory.exists();
        let path = directory.join(NAME);
        let failure = |error: io::Error| Failure(format!("{}: {error}", path.display()));
        loop {
            super::make_directory(directory)?;
            let mut file = match open(&path) {
                // The last holder has removed the folder, which it had made and left empty.
                Err(error) if error.kind() == io::ErrorKind::NotFound && !directory.exists() => continue,
                opened => opened.map_err(failure)?,
            };
            match file.try_lock() {
                // The last holder may have removed the file between the two calls: then it is not the one in the folder.
                Ok(()) if !is_at(&file, &path) => {}
                Ok(()) => {
                    note_holder(&mut file).map_err(failure)?;
                    return Ok(Self { path, file: Some(file), made });
                }
                Err(TryLockError::WouldBlock) => return Err(held(directory, &mut file)),
                Err(TryLockError::Error(error)) => {
                    drop(file);
                    return Ok(Self::without(directory, path, made, &error));
                }
            }
        }
    }

    /// Goes on without a lock where there are none, as on some network file systems.
    fn without(directory: &Path, path: PathBuf, made: bool, error: &io::Error) -> Self {
        let directory = directory.display();
        warn(&format!(
            "warning: the file system of {directory} has no locks ({error}): make sure that no other run writes to {directory}"
        ));
        // An empty file that cannot be removed does no harm.
        let _ = fs::remove_file(&path);
        Self { path, file: None, made }
    }
}

impl Drop for FolderLock {
    fn drop(&mut self) {
        if self.file.is_some() {
            // Removed while the lock is held, so that it is never the file of another holder.
            let _ = fs::remove_file(&self.path);
        }
        if let Some(directory) = self.path.parent().filter(|_| self.made) {
            // A folder with results is not removed.
            let _ = fs::remove_dir(directory);
        }
    }
}

fn open(path: &Path) -> io::Result<File> {
    OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path)
}

/// Whether an open file is the one of this name.
#[cfg(unix)]
fn is_at(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let identity = |found: fs::Metadata| (found.dev(), found.ino());
    match (file.metadata(), fs::metadata(path)) {
        (Ok(open), Ok(named)) => identity(open) == identity(named),
        _ => false,
    }
}

/// Elsewhere an open file cannot be removed.
#[cfg(not(unix))]
fn is_at(_: &File, path: &Path) -> bool {
    path.exists()
}

/// Writes the process that holds the lock into its file, for the message of a second one.
fn note_holder(file: &mut File) -> io::Result<()> {
    let command: Vec<String> = std::env::args_os().map(|word| word.to_string_lossy().into_owned()).collect();
    let here = environment();
    let note = format!(
        "process {} on {} since {}: {}",
        std::process::id(),
        here.machine,
        here.started,
        command.join(" ")
    );
    // A character has at most 4 bytes.
    let note: String = note.chars().take(LONGEST_NOTE as usize / 4).collect();
    file.set_len(0)?;
    file.write_all(note.as_bytes())?;
    file.flush()
}

/// The failure of a second process, with the one that writes to the folder.
fn held(directory: &Path, file: &mut File) -> Failure {
    let mut note = Vec::new();
    // Where a lock keeps others from reading, the holder stays unknown.
    let _ = file.rewind().and_then(|()| file.take(LONGEST_NOTE).read_to_end(&mut note));
    let note = String::from_utf8_lossy(&note);
    let holder = if note.trim().is_empty() { "another process" } else { note.trim() };
    Failure(format!(
        "{} is being written to by {holder}\nwait until it ends, stop it, or choose another directory with --out (each \
         shard needs its own)",
        directory.display()
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_second_holder_is_refused_and_the_next_one_is_not() {
        let scratch = tempfile::tempdir().unwrap();
        let folder = scratch.path().join("results");
        let first = FolderLock::take(&folder).ok().unwrap();
        let Err(Failure(message)) = FolderLock::take(&folder) else { panic!("it is held") };
        assert!(message.contains(&format!("process {}", std::process::id())), "{message}");
        assert!(message.contains("results is being written to by"), "{message}");
        drop(first);
        assert!(!folder.exists(), "nothing is left");
        assert!(FolderLock::take(&folder).is_ok());
    }

    #[test]
    fn a_lock_file_that_was_left_behind_locks_nothing() {
        let scratch = tempfile::tempdir().unwrap();
        fs::write(scratch.path().join(NAME), "process 1 on nowhere").unwrap();
        assert!(FolderLock::take(scratch.path()).is_ok());
    }

    /// A file system without locks is simulated: there is none to test on.
    #[test]
    fn without_locks_a_run_goes_on() {
        let scratch = tempfile::tempdir().unwrap();
        let path = scratch.path().join(NAME);
        let lock =
            FolderLock::without(scratch.path(), path, false, &io::Error::from(io::ErrorKind::Unsupported));
        assert!(lock.file.is_none());
    }
}
