//! What happens in a small simulation, in lines of text.

use carom::events::EventKind;
use carom::simulation::{Impact, Sink};

use super::figure;
use crate::cli::say;

/// Most particles of a simulation whose events are printed, and most events.
pub(super) const MOST: usize = 20;

/// The first events of a run, printed at its end.
#[derive(Default)]
pub(super) struct Story {
    text: String,
    told: usize,
}

impl Sink for Story {
    fn impact(&mut self, impact: &Impact<'_>) -> carom::Result<()> {
        self.told += 1;
        if self.told <= MOST {
            self.text += &line(impact);
        } else if self.told == MOST + 1 {
            self.text += "...\n";
        }
        Ok(())
    }

    fn finish(self: Box<Self>) -> carom::Result<()> {
        say(&self.text)
    }
}

/// An event in a line of text.
pub(super) fn line(impact: &Impact<'_>) -> String {
    let Impact { first, second, .. } = impact;
    let (time, impulse) = (figure(impact.time), figure(impact.impulse));
    if impact.kind == EventKind::Wall {
        let (end, axis) = (if second % 2 == 0 { "lower" } else { "upper" }, second / 2);
        return format!("t = {time} s: {first} hits the {end} wall of axis {axis}, impulse {impulse} N s\n");
    }
    format!("t = {time} s: {first} and {second} collide, impulse {impulse} N s\n")
}
