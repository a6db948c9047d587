//! The commands of the guide to rigid bodies run, and draw its pictures.

use std::fs;
use std::path::Path;

use crate::printed::lines_of_page;
use crate::{Scratch, text};

/// With `CAROM_BLESS=1` the pictures are written anew.
#[test]
fn commands_of_the_guide_run_and_draw_its_pictures() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let guide = fs::read_to_string(root.join("docs/rigid2d.md")).unwrap();
    let scratch = Scratch::new();
    let lines = lines_of_page("docs/rigid2d.md");
    let commands: Vec<Vec<&str>> =
        lines.iter().map(|line| line.split_whitespace().skip(1).collect()).collect();
    assert!(commands.len() >= 6, "{commands:?}");
    let mut pictures = 0;
    for arguments in &commands {
        let output = crate::carom(arguments).current_dir(scratch.0.path()).output().unwrap();
        assert!(output.status.success(), "{arguments:?}: {}", text(&output.stderr));
        let Some(at) = arguments.iter().position(|&word| word == "--svg") else { continue };
        let drawn = fs::read_to_string(scratch.0.path().join(arguments[at + 1])).unwrap();
        let committed = root.join("docs/pictures").join(arguments[at + 1]);
        if std::env::var_os("CAROM_BLESS").is_some() {
            fs::write(&committed, &drawn).unwrap();
        }
        assert!(guide.contains(&format!("pictures/{}", arguments[at + 1])));
        let is_same = fs::read_to_string(&committed).is_ok_and(|text| text == drawn);
        assert!(is_same, "{} differs: CAROM_BLESS=1 cargo test --test cli guide", committed.display());
        pictures += 1;
    }
    assert_eq!(pictures, 2);
}
