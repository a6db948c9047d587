//! Every key of the list of keys, and everything else that the list has.

use super::cases::{Act, Case, GOES_BACK, SLOW_AFTER_A_COLLISION, case, check_all, start, texts};
use super::driver::{self, Browser};
use super::{
    ARROW_DOWN, ARROW_LEFT, ARROW_RIGHT, ARROW_UP, CONTROL, DELETE, END, ESCAPE, HOME, PAGE_DOWN, PAGE_UP,
    SHIFT, SPACE_SCENE, TAB, Tool,
};
use Act::{Hold, Press, Type, Until};

/// To time 0.65, where the two balls of this scene collide.
const COLLIDED: &[Act] = &[Press(&["e"]), Until("num('time') > 0.6")];
const CHOSEN: &[Act] = &[Press(&[TAB]), Until("num('ball-name') === 0 && page.app.told")];
const TEN_FRAMES: &[&str] = &[".", ".", ".", ".", ".", ".", ".", ".", ".", "."];

const TIME: [Case; 10] = [
    case(
        "Space",
        "oblique",
        &[],
        &[Press(&[" "]), Until("said('run-text') === 'Stop' && num('time') > 0.05"), Press(&[" "])],
        "said('run-text') === 'Start' && num('time') > 0.05",
    ),
    case("E", "oblique", &[], &[Press(&["e"])], "num('collisions') === 1 && num('time') > 0.6"),
    case(".", "oblique", &[], &[Press(&["."])], "near('time', 1 / 60)"),
    case(
        ",",
        "oblique",
        &[Press(&[".", "."]), Until("near('time', 2 / 60)")],
        &[Press(&[","])],
        "near('time', 1 / 60)",
    ),
    case(
        "R",
        "oblique",
        SLOW_AFTER_A_COLLISION,
        &[Press(&["r"]), Until(GOES_BACK), Type("speed", END)],
        "near('time', 0)",
    ),
    case("Home", "oblique", COLLIDED, &[Press(&[HOME])], "near('time', 0) && num('collisions') === 0"),
    case("[", "oblique", &[], &[Press(&["["])], "page.app.stats.speed === 0.631"),
    case("]", "oblique", &[], &[Press(&["]", "]"])], "page.app.stats.speed === 2.51"),
    case(
        "Page Down",
        "oblique",
        &[],
        &[Press(&[PAGE_DOWN])],
        "page.app.scene.name === 'three-balls' && at('scene').value === 'three-balls'",
    ),
    case("Page Up", "oblique", &[], &[Press(&[PAGE_UP])], "page.app.scene.name === 'head-on-vertical'"),
];

const BALLS: [Case; 23] = [
    case("Tab", "oblique", &[], &[Press(&[TAB, TAB])], "num('ball-name') === 1 && near('ball-x', 0.25)"),
    case(
        "Shift+Tab",
        "oblique",
        &[Press(&[TAB, TAB]), Until("num('ball-name') === 1")],
        &[Hold(SHIFT, &[TAB])],
        "num('ball-name') === 0 && near('ball-x', 0.1)",
    ),
    case("B", "oblique", &[], &[Press(&["b"])], "page.app.scene.count === 3 && num('ball-name') === 2"),
    case(
        "Arrows",
        "oblique",
        CHOSEN,
        &[Press(&[ARROW_RIGHT])],
        "near('ball-x', 0.102) && near('ball-y', 0.14)",
    ),
    case(
        "Arrows",
        "oblique",
        CHOSEN,
        &[Press(&[ARROW_LEFT])],
        "near('ball-x', 0.098) && near('ball-y', 0.14)",
    ),
    case("Arrows", "oblique", CHOSEN, &[Press(&[ARROW_UP])], "near('ball-x', 0.1) && near('ball-y', 0.142)"),
    case(
        "Arrows",
        "oblique",
        CHOSEN,
        &[Press(&[ARROW_DOWN])],
        "near('ball-x', 0.1) && near('ball-y', 0.138)",
    ),
    case(
        "Arrows",
        "oblique",
        CHOSEN,
        &[Hold(SHIFT, &[ARROW_DOWN])],
        "near('ball-x', 0.1) && near('ball-y', 0.12)",
    ),
    // Without a ball they move the view.
    case(
        "Arrows",
        "oblique",
        &[],
        &[Press(&[ARROW_RIGHT])],
        "page.app.stage.moved && view().x > 0.25 && view().scale === fitted",
    ),
    case(
        "M",
        "oblique",
        CHOSEN,
        &[Press(&["m", "+"])],
        "near('ball-mass', 0.011) && near('ball-radius', 0.011)",
    ),
    case(
        "M",
        "oblique",
        CHOSEN,
        &[Hold("m", &["-"])],
        "near('ball-mass', 0.009) && near('ball-radius', 0.009)",
    ),
    case("X", "oblique", CHOSEN, &[Press(&["x", "+"])], "near('ball-vx', 0.22) && near('ball-vy', 0)"),
    case("X", "oblique", CHOSEN, &[Hold("x", &["-"])], "near('ball-vx', 0.18)"),
    case("Y", "oblique", CHOSEN, &[Press(&["y", "-"])], "near('ball-vx', 0.2) && near('ball-vy', -0.02)"),
    case(
        "Z",
        SPACE_SCENE,
        CHOSEN,
        &[Press(&["z", "+"])],
        "num('ball-vz') > 0 && near('ball-vx', 0) && near('ball-vy', 0)",
    ),
    case(
        "D",
        "oblique",
        CHOSEN,
        &[Press(&["d"])],
        "page.app.scene.count === 3 && num('ball-name') === 2 && near('ball-vx', 0.2)",
    ),
    case("Delete", "oblique", CHOSEN, &[Press(&[DELETE])], "page.app.scene.count === 1"),
    case(
        "Ctrl+Z",
        "oblique",
        &[Press(&["b"]), Until("page.app.scene.count === 3")],
        &[Hold(CONTROL, &["z"])],
        "page.app.scene.count === 2",
    ),
    case(
        "Ctrl+Shift+Z",
        "oblique",
        &[
            Press(&["b"]),
            Until("page.app.scene.count === 3"),
            Hold(CONTROL, &["z"]),
            Until("page.app.scene.count === 2"),
        ],
        &[Hold(CONTROL, &["Z"])],
        "page.app.scene.count === 3",
    ),
    case(
        "Esc",
        "oblique",
        CHOSEN,
        &[Press(&[ESCAPE])],
        "num('ball-name') === -1 && at('ball-fields').hidden",
    ),
    case("Esc", "oblique", CHOSEN, &[Press(&[ESCAPE, ESCAPE])], "document.activeElement.id === 'run'"),
    case("+", "oblique", &[], &[Press(&["+"])], "Math.abs(view().scale / fitted - 1.25) < 1e-9"),
    case("−", "oblique", &[], &[Press(&["-"])], "Math.abs(view().scale / fitted - 0.8) < 1e-9"),
];

const LOOKS: [Case; 11] = [
    case(
        "C",
        "head-on-horizontal",
        &[],
        &[Press(&["c"])],
        "at('colour').value === 'speed' && alike(colourAt(0.1, 0.2), [204, 236, 158])",
    ),
    case(
        "C",
        "head-on-horizontal",
        &[],
        &[Press(&["c", "c", "c", "c", "c", "c"])],
        "at('colour').value === 'speed'",
    ),
    case("V", "oblique", &[], &[Press(&["v"])], "at('show-velocities').checked && inked(21, 96, 168) > 40"),
    case(
        "T",
        "head-on-vertical",
        &[],
        &[Press(&["t"]), Press(TEN_FRAMES)],
        "at('show-trails').checked && near('time', 1 / 6) && !alike(colourAt(0.1, 0.047), [247, 248, 250])",
    ),
    case(
        "G",
        "oblique",
        &[Until("alike(colourAt(0.4, 0.222), [227, 231, 237])")],
        &[Press(&["g"])],
        "!at('show-grid').checked && alike(colourAt(0.4, 0.222), [247, 248, 250])",
    ),
    case(
        "I",
        "stack",
        &[Press(&["e", "e", "e", "e", "e", "e"]), Until("num('contacts') > 0")],
        &[Press(&["i"])],
        "at('show-contacts').checked && inked(179, 21, 122) > 20",
    ),
    case(
        "F",
        "oblique",
        &[Press(&["+", "+", ARROW_RIGHT])],
        &[Press(&["f"])],
        "Math.abs(view().scale / fitted - 1) < 1e-9 && !page.app.stage.moved",
    ),
    case("S", "oblique", &[], &[Press(&["s"])], "said('save-note').startsWith('oblique.toml is saved')"),
    case("P", "oblique", &[], &[Press(&["p"])], "said('save-note') === 'oblique-0s.png is saved.'"),
    case(
        "L",
        "oblique",
        &[],
        &[Press(&["l"])],
        "document.documentElement.dataset.theme === 'dark' && colourAt(0.4, 0.222).every((part) => part < 60)",
    ),
    case("?", "oblique", &[], &[Press(&["?"])], "at('keys').open"),
];

/// What is done with a mouse or fingers; `pointer` has tests of each.
const POINTER: [&str; 4] = ["Double click", "Drag", "Wheel", "two fingers"];

#[test]
fn keys_of_time() {
    if driver::is_there() {
        check_all(&TIME);
    }
}

#[test]
fn keys_of_balls() {
    if driver::is_there() {
        check_all(&BALLS);
    }
}

#[test]
fn keys_of_what_is_shown_and_saved() {
    if driver::is_there() {
        check_all(&LOOKS);
    }
}

/// The keys of a line of the list: `X, Y, Z and + −` are five.
fn keys_of(line: &str) -> Vec<String> {
    let parts = line.split(" and ").flat_map(|part| part.split(" or "));
    let split = |part: &str| -> Vec<String> {
        let has_words = part.contains(char::is_alphanumeric);
        let keys: Vec<&str> =
            if has_words { part.split(", ").collect() } else { part.split_whitespace().collect() };
        keys.into_iter().map(|key| key.replace('-', "−")).collect()
    };
    parts.flat_map(split).collect()
}

fn sorted(keys: impl Iterator<Item = String>) -> Vec<String> {
    let mut keys: Vec<String> = keys.map(|key| key.to_lowercase()).collect();
    keys.sort();
    keys.dedup();
    keys
}

/// A key without a case fails here, and so does one that the guide does not have.
#[test]
fn every_key_has_a_case_and_is_in_the_guide() {
    if !driver::is_there() {
        return;
    }
    let tool = Tool::start(&["oblique"]);
    let browser = Browser::open(1600, 1000, false);
    start(&tool, &browser, "oblique");
    let lines = texts(
        &browser,
        "return [...document.querySelectorAll('#keys-list kbd')].map((key) => key.textContent)",
    );
    let shown = sorted(lines.iter().flat_map(|line| keys_of(line)));
    let cases = TIME.iter().chain(&BALLS).chain(&LOOKS).map(|case| case.name);
    assert_eq!(shown, sorted(cases.chain(POINTER).map(str::to_owned)));
    for key in texts(&browser, "return Object.keys(page.keys.plain)") {
        let name = match key.as_str() {
            " " => "space",
            "pagedown" => "page down",
            "pageup" => "page up",
            other => other,
        };
        assert!(shown.iter().any(|key| key == name), "{name} is not in the list of keys");
    }
    let guide = include_str!("../../../../docs/view.md");
    let (_, table) = guide.split_once("| key | what it does |\n|---|---|\n").unwrap();
    let rows =
        table.lines().map_while(|line| line.strip_prefix("| ")).map(|row| row.split(" | ").next().unwrap());
    let described = sorted(rows.flat_map(keys_of).chain(POINTER.map(str::to_owned)));
    assert_eq!(described, shown);
}
