//! What is shown as a file that `carom sim` reads.

use carom::events::scenes::Scene;
use carom::io::Format;
use carom::rigid2d::{Space, SpaceFormat};
use data_encoding::BASE64;
use serde_json::{Value, json};

use super::command::From;
use super::matter::{Matter, Origin, Refusal, saved};
use super::session::Session;

/// A file: its extension, and its text or bytes.
struct File {
    extension: &'static str,
    text: Result<String, Vec<u8>>,
}

impl Session {
    /// The start of the present run, to be run until now, or the present state as a start.
    pub(super) fn save(&mut self, from: From) -> Result<Value, Refusal> {
        let File { extension, text } = match from {
            From::Start => self.start_file()?,
            From::Now => self.present_file()?,
        };
        let name = format!("{}.{extension}", file_name(&self.start.name));
        let options = &self.start.options;
        let is_present = matches!((from, &self.matter), (From::Now, Matter::Balls(_)));
        // Balls that start anew start at time 0, where they have the hash of now.
        let until = if is_present { 0.0 } else { self.matter.time() };
        let mut answer = json!({
            "ok": true, "name": name, "command": format!("carom sim {name} --until {until:?}{options}"),
            "time": self.matter.time(), "hash": self.hash(),
        });
        match text {
            Ok(text) => answer["text"] = text.into(),
            Err(bytes) => answer["base64"] = BASE64.encode(&bytes).into(),
        }
        Ok(answer)
    }

    fn start_file(&self) -> carom::Result<File> {
        Ok(match &self.start.origin {
            Origin::Scene(scene) => {
                let mut scene = scene.clone();
                scene.until = self.matter.time();
                scene.description.clone_from(&self.start.description);
                File { extension: "toml", text: Ok(scene.to_toml()?) }
            }
            Origin::Run(bytes) => File { extension: "carom", text: Err(bytes.clone()) },
            Origin::World(stepped) => of_world(stepped.world())?,
            Origin::Space(bytes, _) => of_space(&Space::from_bytes(bytes)?)?,
        })
    }

    fn present_file(&mut self) -> carom::Result<File> {
        let until = self.start.until;
        Ok(match &mut self.matter {
            Matter::Balls(engine) => {
                let mut scene = Scene::of_engine(&self.start.name, engine);
                scene.description.clone_from(&self.start.description);
                scene.until = until;
                File { extension: "toml", text: Ok(scene.to_toml()?) }
            }
            Matter::World(stepped) => of_world(stepped.world())?,
            Matter::Bodies(rigid) => of_space(rigid.space())?,
        })
    }
}

fn of_world(world: &carom::World) -> carom::Result<File> {
    let bytes = saved(|out| carom::io::write(world, Format::Json, out))?;
    Ok(File {
        extension: "json",
        text: String::from_utf8(bytes).map_err(std::string::FromUtf8Error::into_bytes),
    })
}

fn of_space(space: &Space) -> carom::Result<File> {
    let bytes = saved(|out| space.save_as(SpaceFormat::Json, out))?;
    Ok(File {
        extension: "json",
        text: String::from_utf8(bytes).map_err(std::string::FromUtf8Error::into_bytes),
    })
}

/// A name without anything that a shell or a file system might take for something else.
fn file_name(name: &str) -> String {
    let stem = std::path::Path::new(name)
        .file_stem()
        .map_or(name.into(), |stem| stem.to_string_lossy().into_owned());
    let plain: String = stem
        .chars()
        .map(|letter| if letter.is_ascii_alphanumeric() || "-_".contains(letter) { letter } else { '-' })
        .collect();
    let plain = plain.trim_matches('-');
    if plain.is_empty() { "scene".into() } else { plain.into() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_files_are_plain() {
        assert_eq!(file_name("billiard-break"), "billiard-break");
        assert_eq!(file_name("examples/worlds/orbit.json"), "orbit");
        assert_eq!(file_name("My scene; rm -rf \"/\""), "scene");
        assert_eq!(file_name("A b"), "A-b");
        assert_eq!(file_name("../.."), "scene");
    }
}
