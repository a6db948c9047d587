//! What a user may have meant, as a command line that works.

use std::path::{Path, PathBuf};

use carom::events::scenes::{SCENES, Scene, is_scene};
use carom::rigid2d::scenes as rigid_scenes;
use carom::{Error, nearest_name};

use super::{Failure, quoted};

/// The names of all ready-made scenes.
fn scene_names() -> Vec<&'static str> {
    let bodies = rigid_scenes::SCENES.iter().map(|scene| scene.name);
    SCENES.iter().map(|scene| scene.name).chain(bodies).collect()
}

/// What `carom run` says of a study that is not there.
pub(super) fn missing_study(path: &Path) -> String {
    let name = path.to_string_lossy();
    if scene_names().contains(&&*name) {
        return format!("; it is a ready-made scene, not a study: carom sim {name}");
    }
    if let Some(file) = with_toml(path) {
        return format!("; did you mean: carom run {}", quoted(&file));
    }
    let stem = path.with_extension("");
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    match folder {
        Some(folder) if !folder.is_dir() => String::new(),
        _ => format!("; to write a study file to start from: carom new {}", quoted(&stem)),
    }
}

/// What `carom sim` says of a scene that is not there.
pub(super) fn missing_scene(path: &Path) -> String {
    if let Some(file) = with_toml(path) {
        return format!("; did you mean: carom sim {}", quoted(&file));
    }
    match nearest_name(&path.to_string_lossy(), &scene_names()) {
        Some(near) => format!("; nor is it a ready-made scene; did you mean: carom sim {near}"),
        None => "; nor is it a ready-made scene; to see them: carom sim --list".into(),
    }
}

/// The file whose name lacks its extension, if it is there.
fn with_toml(path: &Path) -> Option<PathBuf> {
    let mut name = path.as_os_str().to_owned();
    name.push(".toml");
    Some(PathBuf::from(name)).filter(|file| file.is_file())
}

/// The failure of `carom run` with what `carom sim` runs; `None` if it is something else.
pub(super) fn instead_of_study(path: &Path, bytes: &[u8]) -> Option<Failure> {
    let text = std::str::from_utf8(bytes).unwrap_or_default();
    let what = match text {
        _ if bytes.starts_with(b"CAROM") => "a saved simulation",
        _ if text.trim_start().starts_with('{') => "a world",
        _ if carom::study::is_study(text) => return None,
        _ if is_scene(text) || rigid_scenes::is_rigid(text) => "a scene",
        _ => return None,
    };
    Some(Failure(format!(
        "{}: this is {what}, not a study; to run it: carom sim {}",
        path.display(),
        quoted(path)
    )))
}

/// The failure of `carom sim` with a study; `None` if it is something else.
pub(super) fn instead_of_scene(path: &Path, text: &str) -> Option<Failure> {
    carom::study::is_study(text).then(|| {
        let command = format!("carom run {}", quoted(path));
        Failure(format!("{}: this is a study, not a scene; to run it: {command}", super::display(path)))
    })
}

/// An error about the start of a scene file; overlaps are named by the lines of the balls.
pub(super) fn about_scene(path: &Path, text: &str, error: &Error) -> Failure {
    let Error::Overlap { pairs, total } = error else { return Failure::about(path, error) };
    let place = |ball: usize| Scene::place_of_ball(text, ball).ok().flatten();
    let lines: Option<Vec<String>> =
        pairs.iter().map(|&[one, two]| Some(overlap([one, two], [place(one)?, place(two)?]))).collect();
    let Some(lines) = lines else { return Failure::about(path, error) };
    let more = match total - pairs.len() {
        0 => String::new(),
        more => format!("\n  and {more} more pairs"),
    };
    let count = if *total == 1 {
        "1 pair of balls overlaps".into()
    } else {
        format!("{total} pairs of balls overlap")
    };
    Failure(format!(
        "{}: {count}; move them apart or make them smaller\n  {}{more}",
        super::display(path),
        lines.join("\n  ")
    ))
}

fn overlap([one, two]: [usize; 2], [(name, line), (other, other_line)]: [(String, usize); 2]) -> String {
    if one == two {
        return format!("line {line}: {name} overlaps its own image in the periodic box");
    }
    format!("line {line}: {name} overlaps {other} of line {other_line}")
}
