//! What a page tells the tool: JSON, checked like a scene file.

use serde::Deserialize;
use serde::de::{Deserializer, Error as _};
use serde_json::Value;

/// A command of a page with the number under which it is answered.
pub(super) struct Message {
    pub(super) id: Option<u64>,
    pub(super) command: Command,
}

#[derive(Debug, PartialEq, Deserialize)]
#[serde(tag = "do", rename_all = "snake_case", deny_unknown_fields)]
pub(super) enum Command {
    Start {},
    Stop {},
    Event {},
    Frame {},
    Speed {
        speed: Pace,
    },
    Seek {
        time: Number,
    },
    Restart {},
    Add(Addition),
    Set(Box<Change>),
    Duplicate {
        ball: usize,
        position: Option<Vec<Number>>,
    },
    Delete {
        ball: usize,
    },
    Walls {
        axis: usize,
        boundary: Option<String>,
        lower: Option<Number>,
        upper: Option<Number>,
    },
    Physics(Box<Physics>),
    Empty {},
    Scene {
        name: String,
    },
    NextScene {},
    PreviousScene {},
    Undo {},
    Redo {},
    Save {
        from: Option<From>,
    },
    Got {
        frame: u32,
    },
    Want(Sections),
    Select {
        balls: Vec<usize>,
    },
    Control {},
    Quit {},
    /// A file that was dropped on the page; it comes as a binary message.
    #[serde(skip)]
    Load {
        name: String,
        bytes: Vec<u8>,
    },
    /// The sections of frames or the selected balls have changed.
    #[serde(skip)]
    Refresh,
}

/// A new ball.
#[derive(Debug, Default, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct Addition {
    pub(super) position: Option<Vec<Number>>,
    pub(super) velocity: Option<Vec<Number>>,
    pub(super) mass: Option<Number>,
    pub(super) radius: Option<Number>,
    pub(super) fixed: Option<bool>,
}

/// What changes of a ball or body.
#[derive(Debug, Default, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct Change {
    pub(super) ball: usize,
    pub(super) position: Option<Vec<Number>>,
    pub(super) velocity: Option<Vec<Number>>,
    pub(super) mass: Option<Number>,
    pub(super) radius: Option<Number>,
    pub(super) fixed: Option<bool>,
    /// Whether the radius changes in proportion to the mass.
    pub(super) with_radius: bool,
    pub(super) angle: Option<Number>,
    pub(super) angular_velocity: Option<Number>,
    /// Whether it goes on with the last change of the same ball.
    pub(super) merge: bool,
}

/// What changes of forces and rules. Balls have other ones than worlds, and rigid bodies gravity alone.
#[derive(Debug, Default, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct Physics {
    pub(super) gravity: Option<Number>,
    pub(super) restitution: Option<Number>,
    pub(super) wall_restitution: Option<Number>,
    pub(super) contact_duration: Option<ContactDuration>,
    pub(super) integrator: Option<String>,
    /// The constant of the attraction.
    pub(super) attraction: Option<Number>,
    pub(super) law: Option<String>,
    pub(super) opening: Option<Number>,
    pub(super) softening: Option<Number>,
    pub(super) max_collisions: Option<Number>,
}

/// How long a contact lasts.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum ContactDuration {
    Seconds(f64),
    /// As gravity and the smallest ball say.
    Auto,
}

impl<'de> Deserialize<'de> for ContactDuration {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        number_or("auto", Self::Auto, Self::Seconds, deserializer)
    }
}

/// Which sections of frames a page uses.
#[derive(Debug, Default, Clone, Copy, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct Sections {
    pub(super) velocities: bool,
    pub(super) speeds: bool,
    pub(super) collisions: bool,
    pub(super) contacts: bool,
}

/// Which state is saved.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum From {
    Start,
    Now,
}

/// Simulated seconds per second.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Pace {
    Times(f64),
    /// As fast as possible.
    Max,
}

impl<'de> Deserialize<'de> for Pace {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        number_or("max", Self::Max, Self::Times, deserializer)
    }
}

/// A number, or what this word stands for.
fn number_or<'de, T, D: Deserializer<'de>>(
    word: &str,
    meaning: T,
    of_number: impl FnOnce(f64) -> T,
    deserializer: D,
) -> Result<T, D::Error> {
    match Value::deserialize(deserializer)? {
        Value::String(text) if text == word => Ok(meaning),
        other => Number::of(&other).map(|number| of_number(number.0)).map_err(D::Error::custom),
    }
}

/// A number as a user types it: JSON has no NaN, but the engine has words for it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Number(pub(super) f64);

impl Number {
    fn of(value: &Value) -> Result<Self, &'static str> {
        match value {
            Value::Number(number) => number.as_f64().map(Self).ok_or("not a number"),
            Value::String(text) => match text.as_str() {
                "NaN" => Ok(Self(f64::NAN)),
                "Infinity" => Ok(Self(f64::INFINITY)),
                "-Infinity" => Ok(Self(f64::NEG_INFINITY)),
                _ => Err("not a number"),
            },
            _ => Err("not a number"),
        }
    }
}

impl<'de> Deserialize<'de> for Number {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::of(&Value::deserialize(deserializer)?).map_err(D::Error::custom)
    }
}

/// The numbers of a vector.
pub(super) fn numbers(vector: &[Number]) -> Vec<f64> {
    vector.iter().map(|number| number.0).collect()
}

impl Message {
    /// The command in a text message, or why there is none.
    pub(super) fn of_text(text: &str) -> Result<Self, String> {
        let mut value: Value = serde_json::from_str(text).map_err(|error| format!("not JSON: {error}"))?;
        let fields = value.as_object_mut().ok_or("not a JSON object")?;
        let id = match fields.remove("id") {
            None => None,
            Some(id) => Some(id.as_u64().ok_or("id must be a whole number")?),
        };
        let command = serde_json::from_value(value).map_err(|error| error.to_string())?;
        Ok(Self { id, command })
    }

    /// The file in a binary message: u8 1, u8 0, u16 length of the name, u32 id, name, bytes.
    pub(super) fn of_bytes(bytes: &[u8]) -> Result<Self, String> {
        let short = || "the message of a file is too short".to_owned();
        let (head, rest) = bytes.split_first_chunk::<8>().ok_or_else(short)?;
        if head[..2] != [1, 0] {
            return Err("an unknown binary message".into());
        }
        let length = usize::from(u16::from_le_bytes([head[2], head[3]]));
        let id = u32::from_le_bytes([head[4], head[5], head[6], head[7]]);
        let (name, bytes) = rest.split_at_checked(length).ok_or_else(short)?;
        let name = std::str::from_utf8(name).map_err(|_| "the name of a file is not UTF-8")?;
        let command = Command::Load { name: name.to_owned(), bytes: bytes.to_vec() };
        Ok(Self { id: Some(id.into()), command })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn command(text: &str) -> Result<Command, String> {
        Message::of_text(text).map(|message| message.command)
    }

    #[test]
    fn commands_are_read_with_their_fields() {
        let message = Message::of_text(r#"{"id":7,"do":"speed","speed":0.5}"#).unwrap();
        assert_eq!((message.id, message.command), (Some(7), Command::Speed { speed: Pace::Times(0.5) }));
        assert_eq!(command(r#"{"do":"start"}"#).unwrap(), Command::Start {});
        assert_eq!(command(r#"{"do":"speed","speed":"max"}"#).unwrap(), Command::Speed { speed: Pace::Max });
        let Command::Set(change) = command(r#"{"do":"set","ball":1,"velocity":["NaN",2]}"#).unwrap() else {
            panic!("a change")
        };
        let velocity = numbers(change.velocity.as_deref().unwrap());
        assert!(change.ball == 1 && velocity[0].is_nan() && velocity[1] == 2.0 && change.mass.is_none());
        assert_eq!(
            command(r#"{"do":"save","from":"now"}"#).unwrap(),
            Command::Save { from: Some(From::Now) }
        );
        let physics = |text: &str| match command(text).unwrap() {
            Command::Physics(physics) => physics,
            other => panic!("{other:?}"),
        };
        let balls = physics(r#"{"do":"physics","contact_duration":"auto"}"#);
        assert_eq!((balls.contact_duration, balls.gravity), (Some(ContactDuration::Auto), None));
        let world = physics(r#"{"do":"physics","law":"barnes-hut","contact_duration":0.25}"#);
        assert_eq!(world.law.as_deref(), Some("barnes-hut"));
        assert_eq!(world.contact_duration, Some(ContactDuration::Seconds(0.25)));
    }

    #[test]
    fn anything_else_is_refused() {
        for text in [
            "",
            "{",
            "[]",
            "7",
            "{}",
            r#"{"do":"fly"}"#,
            r#"{"do":"load"}"#,
            r#"{"do":"refresh"}"#,
            r#"{"do":"start","now":true}"#,
            r#"{"do":"set","ball":-1}"#,
            r#"{"do":"set","ball":0,"colour":3}"#,
            r#"{"do":"seek","time":"soon"}"#,
            r#"{"do":"speed"}"#,
            r#"{"do":"physics","contact_duration":"soon"}"#,
            r#"{"do":"physics","colour":1}"#,
            r#"{"id":"x","do":"start"}"#,
            &format!("{}{}", "[".repeat(100_000), "]".repeat(100_000)),
        ] {
            assert!(command(text).is_err(), "{text}");
        }
    }

    #[test]
    fn files_have_a_name_and_bytes() {
        let mut bytes = vec![1, 0, 3, 0, 9, 0, 0, 0];
        bytes.extend(b"abcdata");
        let message = Message::of_bytes(&bytes).unwrap();
        assert_eq!(message.id, Some(9));
        assert_eq!(message.command, Command::Load { name: "abc".into(), bytes: b"data".to_vec() });
        assert!(Message::of_bytes(&bytes[..10]).is_err());
        assert!(Message::of_bytes(&bytes[..7]).is_err());
        assert!(Message::of_bytes(&[2, 0, 0, 0, 0, 0, 0, 0]).is_err());
        assert!(Message::of_bytes(&[1, 0, 1, 0, 0, 0, 0, 0, 0xFF]).is_err());
    }
}
