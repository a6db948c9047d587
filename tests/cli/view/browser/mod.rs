//! The page in a real browser: every control and key, mouse and fingers, two pages, loss and return, files, replays.

mod cases;
mod controls;
mod driver;
mod editing;
mod figures;
mod files;
mod keys;
mod looks;
mod pages;
mod pointer;

use super::Tool;
use driver::Browser;

const TAB: &str = "\u{E004}";
const SHIFT: &str = "\u{E008}";
const CONTROL: &str = "\u{E009}";
const ESCAPE: &str = "\u{E00C}";
const PAGE_UP: &str = "\u{E00E}";
const PAGE_DOWN: &str = "\u{E00F}";
const END: &str = "\u{E010}";
const HOME: &str = "\u{E011}";
const ARROW_LEFT: &str = "\u{E012}";
const ARROW_UP: &str = "\u{E013}";
const ARROW_RIGHT: &str = "\u{E014}";
const ARROW_DOWN: &str = "\u{E015}";
const DELETE: &str = "\u{E017}";

const HELPERS: &str = include_str!("helpers.js");

/// Two balls at rest in space.
const SPACE_SCENE: &str = "name = \"in space\"\ndimension = 3\n[box]\nwalls = \"reflecting\"\nupper = [2, 2, 2]\n\
    [[ball]]\nposition = [1, 1, 0.5]\nradius = 0.2\nmass = 1\n[[ball]]\nposition = [1, 1, 1.5]\nradius = 0.2\nmass = 1\n";

/// Two particles of a world that attract each other.
const WORLD: &str = r#"{"format": "carom-world", "version": 1, "dim": 2,
    "settings": {"dt": 0.01, "attraction": {"constant": 0.5}},
    "particles": [{"position": [0, 0], "axes": [[0.1, 0], [0, 0.1]], "velocity": [0, -0.2], "mass": 1},
        {"position": [2, 0], "axes": [[0.1, 0], [0, 0.1]], "velocity": [0, 0.2], "mass": 1}]}"#;

/// A number that an expression gives.
fn number(browser: &Browser, expression: &str) -> f64 {
    let found = browser.run(&format!("return {expression}"));
    found.as_f64().unwrap_or_else(|| panic!("{expression} is {found}"))
}

/// Two numbers that an expression gives.
fn point(browser: &Browser, expression: &str) -> [f64; 2] {
    let found = browser.run(&format!("return {expression}"));
    [0, 1].map(|k| found[k].as_f64().unwrap_or_else(|| panic!("{expression} is {found}")))
}

fn text(browser: &Browser, id: &str) -> String {
    browser.run(&format!("return said('{id}')")).as_str().unwrap().to_owned()
}

/// The state hash that the page shows while the run is stopped.
fn hash(browser: &Browser) -> String {
    browser.until("/^[0-9a-f]{16}$/.test(said('hash'))");
    text(browser, "hash")
}

/// Loads the page of a tool and waits until it is connected and drawn; the picture has the focus.
fn load(tool: &Tool, browser: &Browser) {
    browser.go(&format!("http://{}/{}/", tool.host, tool.token));
    wait_until_loaded(browser);
}

fn wait_until_loaded(browser: &Browser) {
    browser.wait_for("import(new URL('main.js', location.href)).then(({ page }) => { window.page = page; })");
    browser.run(HELPERS);
    browser.until("page.app.state === 'open' && page.app.drawn && num('time') >= 0");
    browser.run("at('stage').focus()");
}

fn check_console(browser: &Browser) {
    assert_eq!(browser.messages(), Vec::<String>::new());
}
