//! How the page looks: narrow and wide, light and dark, every kind of scene; and replays, which have no tool.
//!
//! With `CAROM_SCREENSHOTS=FOLDER` the pictures are kept, to be looked at.

use serde_json::json;

use super::driver::{self, Browser};
use super::{HOME, Tool, check_console, load};
use crate::{Scratch, success};

const SCENES: [&[&str]; 5] = [
    &["billiard-break"],
    &["pyramid", "--rows", "8"],
    &["gas", "--particles", "500"],
    &["gas", "--particles", "60", "--dim", "1"],
    &["gas", "--particles", "3000", "--dim", "2"],
];

/// Texts of the panels that are cut off or lie over each other; of outputs that may end in dots, those that do.
const CUT_OFF: &str = "return [...document.querySelectorAll('button, legend, h2, dt, dd, output, label, .note, .status')] \
    .filter((part) => part.offsetParent && !part.closest('.unseen') && part.scrollWidth > part.clientWidth + 1 \
      && getComputedStyle(part).display !== 'inline') \
    .map((part) => `${part.tagName} ${part.id} ${part.textContent.trim()}: ${part.scrollWidth} > ${part.clientWidth}`)";

fn look(scene: &[&str], width: u32, height: u32, is_dark: bool) {
    let tool = Tool::start(scene);
    let browser = Browser::open(width, height, is_dark);
    let theme = if is_dark { "dark" } else { "light" };
    let media = json!({"features": [{"name": "prefers-color-scheme", "value": theme}]});
    browser.tool("Emulation.setEmulatedMedia", &media);
    load(&tool, &browser);
    assert_eq!(browser.run("return document.documentElement.dataset.theme"), theme);
    browser.press(&[], &[" "]);
    browser.until("num('time') > 0.3");
    browser.press(&[], &[" "]);
    browser.until("said('run-text') === 'Start'");
    browser.press(&[], &["\u{E004}"]);
    browser.until("num('ball-name') === 0 && page.app.told");
    let across = browser.run("return [document.documentElement.scrollWidth, innerWidth]");
    let fits = across[0].as_f64() <= across[1].as_f64() && across[1] == width;
    assert!(fits, "{scene:?} at {width}: {across}");
    let name = format!("{}-{}-{width}-{theme}", scene[0], scene.last().unwrap());
    assert_eq!(browser.run(CUT_OFF), json!([]), "{name}");
    assert!(browser.screenshot(&name).len() > 8000, "{name} is empty");
    check_console(&browser);
}

#[test]
fn a_narrow_window_shows_every_kind() {
    if driver::is_there() {
        SCENES.iter().enumerate().for_each(|(index, scene)| look(scene, 320, 700, index % 2 == 1));
    }
}

#[test]
fn a_wide_window_shows_every_kind() {
    if driver::is_there() {
        SCENES.iter().enumerate().for_each(|(index, scene)| look(scene, 1600, 1000, index % 2 == 0));
    }
}

#[test]
fn replays_play_from_the_disk() {
    if !driver::is_there() {
        return;
    }
    let scratch = Scratch::new();
    for (scene, end) in [("billiard-break", 2.0), ("pyramid", 0.5), (crate::THREE_BALLS, 0.5)] {
        let page = scratch.name(&format!("{end}.html"));
        let until = end.to_string();
        success(&["sim", scene, "--until", &until, "--html", &page, "--force", "--quiet"]);
        let browser = Browser::open(1200, 800, false);
        browser.go(&format!("file://{page}"));
        browser.run(super::HELPERS);
        browser.until("num('time') >= 0");
        browser.run("at('stage').focus()");
        browser.press(&[], &[" "]);
        browser.until("num('time') > 0.1");
        browser.until(&format!("near('time', {end})"));
        browser.press(&[], &[HOME]);
        browser.until("near('time', 0)");
        browser.screenshot(&format!("replay-{end}"));
        check_console(&browser);
    }
}
