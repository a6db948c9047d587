//! Files that appear whole or not at all.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use crate::error::{Error, Result};

/// A file that is written under a temporary name and gets its own with [`commit`](Self::commit).
///
/// Dropped without a commit it removes the temporary file, and an older file of its name is unchanged. A path
/// that names a device, pipe or socket is written to directly: it cannot be replaced.
#[derive(Debug)]
pub struct WholeFile {
    out: BufWriter<File>,
    target: PathBuf,
    temporary: Option<PathBuf>,
}

impl WholeFile {
    /// Opens a temporary file in the directory of `path`.
    pub fn create(path: &Path) -> Result<Self> {
        Self::open(path).map_err(|error| Error::io(path.display(), error))
    }

    fn open(path: &Path) -> io::Result<Self> {
        if fs::metadata(path).is_ok_and(|old| !old.is_file() && !old.is_dir()) {
            let out = BufWriter::new(OpenOptions::new().write(true).open(path)?);
            return Ok(Self { out, target: path.to_owned(), temporary: None });
        }
        // Through a symbolic link the file behind it is replaced, not the link.
        let target = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        let temporary = temporary_name(&target)?;
        let out = OpenOptions::new().write(true).create_new(true).open(&temporary)?;
        let file = Self { out: BufWriter::new(out), target, temporary: Some(temporary) };
        // The new file is readable for the same users as the old one.
        if let Ok(old) = fs::metadata(&file.target) {
            file.out.get_ref().set_permissions(old.permissions())?;
        }
        Ok(file)
    }

    /// Writes out what is buffered, waits until it is on the disk, and gives the file its name.
    pub fn commit(mut self) -> Result<()> {
        self.finish().map_err(|error| Error::io(self.target.display(), error))
    }

    fn finish(&mut self) -> io::Result<()> {
        self.out.flush()?;
        let Some(temporary) = &self.temporary else { return Ok(()) };
        self.out.get_ref().sync_all()?;
        fs::rename(temporary, &self.target)?;
        self.temporary = None;
        sync_directory(&self.target);
        Ok(())
    }
}

impl Write for WholeFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.out.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

impl Drop for WholeFile {
    fn drop(&mut self) {
        if let Some(temporary) = &self.temporary {
            // A destructor cannot report an error.
            let _ = fs::remove_file(temporary);
        }
    }
}

/// Writes a whole file through `fill`, or changes nothing.
pub fn write_whole(path: &Path, fill: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<()> {
    let mut file = WholeFile::create(path)?;
    fill(&mut file).map_err(|error| Error::io(path.display(), error))?;
    file.commit()
}

/// A hidden name next to the target that no other thread or process uses.
fn temporary_name(target: &Path) -> io::Result<PathBuf> {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let name = target
        .file_name()
        .filter(|_| !target.is_dir())
        .ok_or_else(|| io::Error::new(io::ErrorKind::IsADirectory, "this is a directory, not a file"))?;
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    let unique = format!(".{}.{}-{count}.tmp", name.to_string_lossy(), std::process::id());
    Ok(target.with_file_name(unique))
}

/// Makes the new name survive a power cut. Not every file system supports it; the file itself is safe either way.
fn sync_directory(file: &Path) {
    let directory = file.parent().filter(|path| !path.as_os_str().is_empty()).unwrap_or(Path::new("."));
    if let Ok(directory) = File::open(directory) {
        let _ = directory.sync_all();
    }
}
