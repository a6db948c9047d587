//! Checkpoints: the state of a study in one file, and the one before it.
//!
//! The file is JSON behind the header of carom's own formats (magic `CAROMSTU`, version, length and checksums). It
//! appears whole or not at all, and the last one stays as `NAME.previous`, so at any moment a good one is there.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::state::State;
use crate::error::{Error, Result};
use crate::input;
use crate::io::file::WholeFile;
use crate::sealed::Seal;

pub(super) const NAME: &str = "study checkpoint";
const SEAL: Seal = Seal { name: NAME, magic: b"CAROMSTU", newest: 1 };

/// A checkpoint that was read.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Loaded {
    /// The state of the study.
    pub state: State,
    /// Why it is not from the newest file but from the one before it.
    pub warning: Option<String>,
}

impl State {
    /// Reads a checkpoint, or the one before it if the newest is missing, truncated or corrupt. All of its content is
    /// checked before any of it is used.
    ///
    /// Without any good one the error is that of the newest.
    pub fn load(path: &Path) -> Result<Loaded> {
        let error = match read(path) {
            Ok(state) => return Ok(Loaded { state, warning: None }),
            Err(error) => error,
        };
        let previous = previous_name(path);
        match read(&previous) {
            Ok(state) => Ok(Loaded {
                state,
                warning: Some(format!(
                    "{} cannot be used ({error}): continuing from {}",
                    path.display(),
                    previous.display()
                )),
            }),
            Err(_) => Err(error),
        }
    }

    /// Writes a checkpoint. What stood there before becomes `NAME.previous`.
    ///
    /// An error, such as a full disk, leaves the checkpoints that are there as they were.
    pub fn save(&self, path: &Path) -> Result<()> {
        let io_error = |error: io::Error| Error::io(path.display(), error);
        let mut file = WholeFile::create(path)?;
        write(self, &mut file).and_then(|()| file.flush()).map_err(io_error)?;
        keep_previous(path).map_err(io_error)?;
        file.commit()
    }
}

fn write(state: &State, out: &mut dyn Write) -> io::Result<()> {
    let payload = serde_json::to_vec(state)?;
    SEAL.write(1, out, |out| out.write_all(&payload))
}

fn read(path: &Path) -> Result<State> {
    let bytes = input::read_file(path, could_be_checkpoint)?;
    let (_, payload) = SEAL.open(&bytes)?;
    let mut state: State = serde_json::from_slice(payload).map_err(|error| SEAL.wrong(error.to_string()))?;
    state.origin = path.display().to_string();
    state.check_alone()?;
    Ok(state)
}

/// Whether an input can be a checkpoint, by its first bytes.
fn could_be_checkpoint(first: &[u8]) -> Result<()> {
    if SEAL.begins(first) {
        return Ok(());
    }
    Err(SEAL.wrong(format!("{}, or its first bytes are lost", input::appearance(first))))
}

/// The name under which the checkpoint before the newest is kept.
fn previous_name(path: &Path) -> PathBuf {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(".previous");
    path.with_file_name(name)
}

/// Keeps a good checkpoint under a second name; the first name stays until the new one replaces it.
fn keep_previous(path: &Path) -> io::Result<()> {
    let is_file = fs::metadata(path).is_ok_and(|found| found.is_file());
    if !is_file || !input::read_file(path, could_be_checkpoint).is_ok_and(|bytes| SEAL.open(&bytes).is_ok()) {
        return Ok(());
    }
    let previous = previous_name(path);
    match fs::remove_file(&previous) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    // Not every file system has second names.
    fs::hard_link(path, &previous).or_else(|_| fs::rename(path, &previous))
}

/// Removes temporary files of processes that were killed while they wrote this checkpoint.
pub(super) fn remove_leftovers(path: &Path) {
    let (Some(name), directory) = (path.file_name(), path.parent()) else { return };
    let start = format!(".{}.", name.to_string_lossy());
    let directory = directory.filter(|path| !path.as_os_str().is_empty()).unwrap_or(Path::new("."));
    for entry in fs::read_dir(directory).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let writer = name.to_str().and_then(|name| name.strip_prefix(&start)?.strip_suffix(".tmp"));
        let process = writer.and_then(|writer| writer.split_once('-')?.0.parse::<u32>().ok());
        if process.is_some_and(|id| !is_running(id)) {
            // A file that cannot be removed does no harm.
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// Whether a process exists; assumed if the system does not say.
fn is_running(id: u32) -> bool {
    !Path::new("/proc/self").exists() || Path::new(&format!("/proc/{id}")).exists()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::study::testing::{finished, study};

    fn place() -> (tempfile::TempDir, PathBuf) {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("checkpoint");
        (directory, path)
    }

    /// Two states of a study that differ, saved one after the other.
    fn two_saved(path: &Path) -> [State; 2] {
        let states = [40, 100].map(|replicas| finished(&study(replicas)));
        states.iter().for_each(|state| state.save(path).unwrap());
        states
    }

    fn replicas(loaded: &Loaded) -> u64 {
        loaded.state.replicas(&study(100))
    }

    #[test]
    fn the_newest_is_read_and_the_one_before_it_is_kept() {
        let (_directory, path) = place();
        let states = two_saved(&path);
        let loaded = State::load(&path).unwrap();
        let text = |state: &State| serde_json::to_string(state).unwrap();
        assert_eq!((text(&loaded.state), loaded.warning), (text(&states[1]), None));
        assert_eq!(text(&read(&previous_name(&path)).unwrap()), text(&states[0]));
    }

    #[test]
    fn damage_to_the_newest_falls_back_to_the_one_before() {
        let (_directory, path) = place();
        two_saved(&path);
        let good = fs::read(&path).unwrap();
        for length in [0, 5, 31, 32, good.len() / 2, good.len() - 1] {
            fs::write(&path, &good[..length]).unwrap();
            let loaded = State::load(&path).unwrap();
            assert_eq!(replicas(&loaded), 80, "{length}");
            assert!(loaded.warning.unwrap().contains("continuing from"));
        }
        for place in (0..good.len()).step_by(97) {
            let mut bad = good.clone();
            bad[place] ^= 4;
            fs::write(&path, &bad).unwrap();
            assert_eq!(replicas(&State::load(&path).unwrap()), 80, "{place}");
        }
        // The damaged one does not replace the good one.
        finished(&study(64)).save(&path).unwrap();
        assert_eq!(replicas(&Loaded { state: read(&previous_name(&path)).unwrap(), warning: None }), 80);
        fs::remove_file(&path).unwrap();
        assert_eq!(replicas(&State::load(&path).unwrap()), 80);
    }

    #[test]
    fn without_a_good_one_the_newest_says_why() {
        let (_directory, path) = place();
        assert!(matches!(State::load(&path), Err(Error::Io { .. })));
        two_saved(&path);
        fs::write(previous_name(&path), "rubbish").unwrap();
        let good = fs::read(&path).unwrap();
        fs::write(&path, &good[..good.len() - 9]).unwrap();
        assert!(matches!(State::load(&path), Err(Error::Truncated { format: NAME, .. })));
        fs::write(&path, "rubbish").unwrap();
        assert!(matches!(State::load(&path), Err(Error::Corrupt { format: NAME, .. })));
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_full_disk_leaves_what_was_there() {
        let state = finished(&study(40));
        let Err(Error::Io { source, .. }) = state.save(Path::new("/dev/full")) else { panic!("it is full") };
        assert_eq!(source.kind(), io::ErrorKind::StorageFull);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn leftovers_of_dead_processes_are_removed() {
        let (directory, path) = place();
        let own = format!(".checkpoint.{}-0.tmp", std::process::id());
        for name in [own.as_str(), ".checkpoint.4294967295-7.tmp", ".other.4294967295-7.tmp"] {
            fs::write(directory.path().join(name), "x").unwrap();
        }
        remove_leftovers(&path);
        let mut left: Vec<_> =
            fs::read_dir(directory.path()).unwrap().map(|e| e.unwrap().file_name()).collect();
        left.sort();
        assert_eq!(left, [own.as_str(), ".other.4294967295-7.tmp"]);
    }
}
