//! Where in a scene file the balls of a scene come from.

use super::balls::{BALL, BALLS};
use super::{FILE, Source};
use crate::document::Fields;
use crate::error::{Error, Result};

/// The table that ball `index` comes from, as `ball[3]` or `balls[0]`, and its line.
pub(in crate::events::scenes) fn place_of_ball(text: &str, index: usize) -> Result<Option<(String, usize)>> {
    let source = Source::new(text, "scene");
    let table = source.parse()?;
    let fields = Fields::of_file(source, table.get_ref(), &FILE)?;
    let single = fields.tables("ball", &BALL)?;
    let mut before = single.len();
    if let Some(ball) = single.get(index) {
        return Ok(Some(place(ball)));
    }
    for group in fields.tables("balls", &BALLS)? {
        before += group.need("count")?.count(0)? as usize;
        if index < before {
            return Ok(Some(place(&group)));
        }
    }
    Ok(None)
}

/// The name of a table and its line.
fn place(table: &Fields<'_>) -> (String, usize) {
    let line = match table.error(String::new()) {
        Error::Syntax { line, .. } => line,
        _ => 0,
    };
    (table.path().to_owned(), line)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn balls_are_found_by_their_number() {
        let text = "dimension = 1\n[[balls]]\ncount = 3\nradius = 1\nmass = 1\nplacement = \"lattice\"\n\
                    [[ball]]\nposition = [1]\nradius = 1\nmass = 1\n[[ball]]\nposition = [5]\n";
        let found = |index| place_of_ball(text, index).unwrap();
        assert_eq!(found(0), Some(("ball[0]".into(), 7)));
        assert_eq!(found(1), Some(("ball[1]".into(), 11)));
        assert_eq!(found(2), Some(("balls[0]".into(), 2)));
        assert_eq!((found(4), found(5)), (Some(("balls[0]".into(), 2)), None));
    }
}
