//! The gallery of replays: its commands write what its pages play.

use std::fs;
use std::path::Path;

use super::replay::data;
use crate::{Scratch, success};

const GALLERY: &str = "docs/replays";

/// The commands of the gallery, without `carom`.
fn commands(guide: &str) -> Vec<Vec<&str>> {
    let blocks = guide.split("```sh\n").skip(1).map(|rest| rest.split("```").next().unwrap());
    let lines = blocks.flat_map(str::lines).filter_map(|line| line.strip_prefix("carom "));
    lines.map(|line| line.split_whitespace().collect()).collect()
}

/// With `CAROM_BLESS=1` the pages are written anew.
#[test]
fn commands_of_the_gallery_write_its_pages() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(GALLERY);
    let guide = fs::read_to_string(folder.join("README.md")).unwrap();
    let scratch = Scratch::new();
    let commands = commands(&guide);
    assert_eq!(commands.len(), 5);
    for mut arguments in commands {
        let name = arguments.last().unwrap().strip_prefix("docs/replays/").unwrap();
        assert!(guide.contains(&format!("]({name})")), "{name} is not linked");
        let made = scratch.name(name);
        *arguments.last_mut().unwrap() = &made;
        success(&arguments);
        let page = fs::read_to_string(&made).unwrap();
        if std::env::var_os("CAROM_BLESS").is_some() {
            fs::write(folder.join(name), &page).unwrap();
        }
        let committed = fs::read_to_string(folder.join(name)).unwrap();
        let is_same = data(&committed) == data(&page);
        assert!(is_same, "{name} plays something else: CAROM_BLESS=1 cargo test --test cli gallery");
    }
}
