//! Every button, field, list and slider of the page does something.

use super::cases::{Act, Case, GOES_BACK, SLOW_AFTER_A_COLLISION, case, check_all, start, texts};
use super::driver::{self, Browser};
use super::{ARROW_RIGHT, END, HOME, SPACE_SCENE, Tool, WORLD};
use Act::{Choose, Click, Fill, Press, Type, Until};

/// Time: buttons and sliders.
const TIME: [Case; 8] = [
    case("run", "oblique", &[], &[Click("run")], "said('run-text') === 'Stop' && num('time') > 0.05"),
    case("event", "oblique", &[], &[Click("event")], "num('collisions') === 1 && num('time') > 0.6"),
    case("frame", "oblique", &[], &[Click("frame")], "near('time', 1 / 60)"),
    case(
        "frame-back",
        "oblique",
        &[Click("frame"), Click("frame"), Click("frame"), Until("near('time', 3 / 60)")],
        &[Click("frame-back")],
        "near('time', 2 / 60)",
    ),
    case(
        "restart",
        "oblique",
        &[Click("event"), Until("num('time') > 0.6")],
        &[Click("restart")],
        "near('time', 0) && num('collisions') === 0",
    ),
    case(
        "backwards",
        "oblique",
        SLOW_AFTER_A_COLLISION,
        &[Click("backwards"), Until(GOES_BACK), Type("speed", END)],
        "near('time', 0) && at('backwards').getAttribute('aria-pressed') === 'false'",
    ),
    case(
        "past",
        "oblique",
        &[Click("event"), Until("num('time') > 0.6")],
        &[Click("past"), Until("Math.abs(num('time') / num('past-end') - 0.5) < 0.02"), Type("past", HOME)],
        "near('time', 0)",
    ),
    case(
        "speed",
        "oblique",
        &[],
        &[
            Type("speed", ARROW_RIGHT),
            Until("num('speed-text') > 1 && num('speed-text') < 2"),
            Type("speed", END),
        ],
        "page.app.stats.speed === 'max' && num('speed-text') === Infinity",
    ),
];

/// The header, what is shown, and what is saved.
const AROUND: [Case; 20] = [
    case(
        "scene",
        "oblique",
        &[],
        &[Choose("scene", "three-balls")],
        "page.app.scene.name === 'three-balls' && page.app.drawn.count === 3",
    ),
    case(
        "undo",
        "oblique",
        &[Click("ball-add"), Until("page.app.scene.count === 3")],
        &[Click("undo")],
        "page.app.scene.count === 2",
    ),
    case(
        "redo",
        "oblique",
        &[
            Click("ball-add"),
            Until("page.app.scene.count === 3"),
            Click("undo"),
            Until("page.app.scene.count === 2"),
        ],
        &[Click("redo")],
        "page.app.scene.count === 3",
    ),
    case(
        "theme",
        "oblique",
        &[],
        &[Click("theme")],
        "document.documentElement.dataset.theme === 'dark' && colourAt(0.4, 0.222).every((part) => part < 60)",
    ),
    case(
        "help",
        "oblique",
        &[],
        &[Click("help")],
        "at('keys').open && said('keys-list').includes('start and stop')",
    ),
    case("keys-close", "oblique", &[Click("help")], &[Click("keys-close")], "!at('keys').open"),
    case(
        "colour",
        "head-on-horizontal",
        &[],
        &[Choose("colour", "speed"), Until("said('legend-name') === 'speed' && !at('legend').hidden")],
        // All are as fast as the fastest, and two of them are next to collide.
        "alike(colourAt(0.1, 0.2), [204, 236, 158]) && alike(colourAt(0.1, 0.1), [214, 30, 40])",
    ),
    case(
        "show-velocities",
        "oblique",
        &[],
        &[Click("show-velocities")],
        "at('show-velocities').checked && inked(21, 96, 168) > 40 && !at('arrow-note').hidden",
    ),
    case(
        "show-trails",
        "head-on-vertical",
        &[],
        &[Click("show-trails"), Press(&[".", ".", ".", ".", ".", ".", ".", ".", ".", "."])],
        "at('show-trails').checked && near('time', 1 / 6) && !alike(colourAt(0.1, 0.047), [247, 248, 250])",
    ),
    case(
        "show-contacts",
        "stack",
        &[Press(&["e", "e", "e", "e", "e", "e"]), Until("num('contacts') > 0")],
        &[Click("show-contacts")],
        "at('show-contacts').checked && inked(179, 21, 122) > 20",
    ),
    case(
        "show-grid",
        "oblique",
        &[Until("alike(colourAt(0.4, 0.222), [227, 231, 237])")],
        &[Click("show-grid")],
        "!at('show-grid').checked && alike(colourAt(0.4, 0.222), [247, 248, 250])",
    ),
    case(
        "fit",
        "oblique",
        &[Press(&["+", "+"])],
        &[Click("fit")],
        "Math.abs(view().scale / fitted - 1) < 1e-9",
    ),
    case(
        "save-scene",
        "oblique",
        &[],
        &[Click("save-scene")],
        "said('save-note').startsWith('oblique.toml is saved') && said('save-hash').length === 16",
    ),
    case(
        "save-now",
        "oblique",
        &[Click("event"), Until("num('time') > 0.6")],
        &[Click("save-now")],
        "said('save-note').includes('is saved') && said('save-hash') === said('hash')",
    ),
    case(
        "save-png",
        "oblique",
        &[],
        &[Click("save-png")],
        "said('save-note') === 'oblique-0s.png is saved.'",
    ),
    case(
        "save-svg",
        "oblique",
        &[],
        &[Click("save-svg")],
        "said('save-note') === 'oblique-0s.svg is saved.'",
    ),
    case(
        "save-webm",
        "oblique",
        &[],
        &[Click("save-webm"), Until("said('save-webm') === 'Stop recording'"), Click("save-webm")],
        "said('save-note') === 'oblique-0s.webm is saved.' && said('save-webm') === 'Record WebM'",
    ),
    case(
        "open",
        "oblique",
        &[],
        &[Type("open", concat!(env!("CARGO_MANIFEST_DIR"), "/examples/scenes/falling.toml"))],
        "page.app.scene.name === 'falling balls' && near('scene-gravity', 9.81)",
    ),
    case(
        "empty",
        "oblique",
        &[],
        &[Click("empty")],
        "page.app.scene.count === 0 && page.app.drawn?.count === 0",
    ),
    case(
        "units",
        "oblique",
        &[Click("ball-next"), Until("near('ball-x', 0.1)")],
        &[Choose("units", "cm, g, s"), Until("at('ball-x').value === '10' && near('ball-x', 0.1)")],
        "at('wall-x-upper').value === '50' && at('ball-mass').value === '10' && said('ball-position-name').includes('cm')",
    ),
];

const CHOSEN: &[Act] = &[Click("ball-next"), Until("num('ball-name') === 0 && page.app.told")];

/// The selected ball, the walls and the rest of the scene.
const EDITS: [Case; 39] = [
    case(
        "ball-next",
        "oblique",
        &[],
        &[Click("ball-next")],
        "num('ball-name') === 0 && near('ball-vx', 0.2)",
    ),
    case(
        "ball-previous",
        "oblique",
        &[],
        &[Click("ball-previous")],
        "num('ball-name') === 1 && near('ball-vx', 0)",
    ),
    case(
        "ball-add",
        "oblique",
        &[],
        &[Click("ball-add")],
        "page.app.scene.count === 3 && num('ball-name') === 2",
    ),
    case(
        "ball-duplicate",
        "oblique",
        CHOSEN,
        &[Click("ball-duplicate")],
        "page.app.scene.count === 3 && num('ball-name') === 2 && near('ball-vx', 0.2)",
    ),
    case("ball-delete", "oblique", CHOSEN, &[Click("ball-delete")], "page.app.scene.count === 1"),
    case(
        "ball-x",
        "oblique",
        CHOSEN,
        &[Fill("ball-x", "0.12")],
        "near('ball-x', 0.12) && page.app.told.position[0] === 0.12",
    ),
    case(
        "ball-y",
        "oblique",
        CHOSEN,
        &[Fill("ball-y", "0.2")],
        "near('ball-y', 0.2) && page.app.told.position[1] === 0.2",
    ),
    case(
        "ball-z",
        SPACE_SCENE,
        CHOSEN,
        &[Fill("ball-z", "0.3")],
        "near('ball-z', 0.3) && page.app.told.position[2] === 0.3",
    ),
    case(
        "ball-vx",
        "oblique",
        CHOSEN,
        &[Fill("ball-vx", "-1e-1")],
        "near('ball-vx', -0.1) && near('ball-speed', 0.1)",
    ),
    case(
        "ball-vy",
        "oblique",
        CHOSEN,
        &[Fill("ball-vy", "0.15")],
        "near('ball-vy', 0.15) && near('ball-speed', 0.25)",
    ),
    case(
        "ball-vz",
        SPACE_SCENE,
        CHOSEN,
        &[Fill("ball-vz", "2")],
        "near('ball-vz', 2) && near('ball-speed', 2)",
    ),
    case(
        "ball-mass",
        "oblique",
        CHOSEN,
        &[Fill("ball-mass", "0.5")],
        "near('ball-mass', 0.5) && near('kinetic', 0.01)",
    ),
    case(
        "ball-radius",
        "oblique",
        CHOSEN,
        &[Fill("ball-radius", "0.03")],
        "near('ball-radius', 0.03) && near('ball-mass', 0.01)",
    ),
    case(
        "ball-fixed",
        "oblique",
        CHOSEN,
        &[Click("ball-fixed"), Until("page.app.told?.fixed === true"), Press(&["."])],
        "near('time', 1 / 60) && near('ball-x', 0.1) && at('ball-fixed').checked",
    ),
    case(
        "ball-angle",
        "stack",
        &[Click("ball-previous"), Until("page.app.told")],
        &[Fill("ball-angle", "0.1")],
        "near('ball-angle', 0.1)",
    ),
    case(
        "ball-angular-velocity",
        "stack",
        &[Click("ball-previous"), Until("page.app.told")],
        &[Fill("ball-angular-velocity", "1.5")],
        "near('ball-angular-velocity', 1.5)",
    ),
    case(
        "wall-x",
        "oblique",
        &[],
        &[Choose("wall-x", "periodic")],
        "page.app.scene.box[0].boundary === 'periodic' && at('wall-x').value === 'periodic'",
    ),
    case(
        "wall-y",
        "oblique",
        &[],
        &[Choose("wall-y", "open")],
        "page.app.scene.box[1].boundary === 'open' && at('wall-y-upper').disabled",
    ),
    case(
        "wall-z",
        SPACE_SCENE,
        &[],
        &[Choose("wall-z", "periodic")],
        "page.app.scene.box[2].boundary === 'periodic'",
    ),
    case(
        "wall-x-lower",
        "oblique",
        &[],
        &[Fill("wall-x-lower", "-0.2")],
        "near('wall-x-lower', -0.2) && page.app.scene.box[0].lower === -0.2",
    ),
    case(
        "wall-x-upper",
        "oblique",
        &[],
        &[Fill("wall-x-upper", "0.7")],
        "near('wall-x-upper', 0.7) && page.app.scene.box[0].upper === 0.7",
    ),
    case(
        "wall-y-lower",
        "oblique",
        &[],
        &[Fill("wall-y-lower", "0.05")],
        "near('wall-y-lower', 0.05) && page.app.scene.box[1].lower === 0.05",
    ),
    case(
        "wall-y-upper",
        "oblique",
        &[],
        &[Fill("wall-y-upper", "0.9")],
        "near('wall-y-upper', 0.9) && page.app.scene.box[1].upper === 0.9",
    ),
    case(
        "wall-z-lower",
        SPACE_SCENE,
        &[],
        &[Fill("wall-z-lower", "-3")],
        "page.app.scene.box[2].lower === -3",
    ),
    case("wall-z-upper", SPACE_SCENE, &[], &[Fill("wall-z-upper", "4")], "page.app.scene.box[2].upper === 4"),
    case(
        "scene-gravity",
        "oblique",
        &[],
        &[Fill("scene-gravity", "9.81"), Until("near('scene-gravity', 9.81)"), Press(&["."])],
        "page.app.scene.gravity === 9.81",
    ),
    case(
        "scene-restitution",
        "oblique",
        &[],
        &[Fill("scene-restitution", "0.5")],
        "near('scene-restitution', 0.5) && page.app.scene.restitution === 0.5",
    ),
    case(
        "scene-wall-restitution",
        "oblique",
        &[],
        &[Fill("scene-wall-restitution", "0.25")],
        "page.app.scene.wall_restitution === 0.25",
    ),
    case(
        "scene-contact-rule",
        "oblique",
        &[],
        &[Choose("scene-contact-rule", "given")],
        "page.app.scene.contact_rule === 'given' && page.app.scene.contact_duration === 0",
    ),
    case(
        "scene-contact-duration",
        "oblique",
        &[],
        &[Fill("scene-contact-duration", "0.002")],
        "near('scene-contact-duration', 0.002) && at('scene-contact-rule').value === 'given'",
    ),
    case(
        "scene-integrator",
        WORLD,
        &[],
        &[Choose("scene-integrator", "velocity-verlet")],
        "page.app.scene.integrator === 'velocity-verlet' && at('scene-integrator').value === 'velocity-verlet'",
    ),
    case(
        "scene-attraction",
        WORLD,
        &[],
        &[Fill("scene-attraction", "0.75")],
        "near('scene-attraction', 0.75) && page.app.scene.attraction === 0.75",
    ),
    case(
        "scene-law",
        WORLD,
        &[],
        &[Choose("scene-law", "barnes-hut")],
        "page.app.scene.law === 'barnes-hut' && near('scene-opening', 0.5) && !at('scene-opening').disabled",
    ),
    case(
        "scene-opening",
        WORLD,
        &[Choose("scene-law", "barnes-hut"), Until("near('scene-opening', 0.5)")],
        &[Fill("scene-opening", "0.3")],
        "page.app.scene.opening === 0.3",
    ),
    case(
        "scene-softening",
        WORLD,
        &[],
        &[Fill("scene-softening", "0.05")],
        "near('scene-softening', 0.05) && page.app.scene.softening === 0.05",
    ),
    case(
        "scene-max-collisions",
        WORLD,
        &[],
        &[Fill("scene-max-collisions", "500")],
        "page.app.scene.max_collisions === 500",
    ),
    // Bodies and spheres in space have the same lists as balls in the plane.
    case("scene-gravity", "stack", &[], &[Fill("scene-gravity", "1.62")], "near('scene-gravity', 1.62)"),
    case(
        "ball-x",
        "stack",
        &[Click("ball-previous"), Until("page.app.told")],
        &[Fill("ball-x", "0.25")],
        "near('ball-x', 0.25)",
    ),
    case("ball-add", SPACE_SCENE, &[], &[Click("ball-add")], "page.app.scene.count === 3"),
];

/// `two_pages_a_reload_a_loss_and_the_end` uses these: they need a second page, or end the tool.
const WITH_TWO_PAGES: [&str; 2] = ["quit", "take-control"];

#[test]
fn time_has_buttons_and_sliders() {
    if driver::is_there() {
        check_all(&TIME);
    }
}

#[test]
fn what_is_around_the_picture_works() {
    if driver::is_there() {
        check_all(&AROUND);
    }
}

#[test]
fn balls_walls_and_physics_are_edited() {
    if driver::is_there() {
        check_all(&EDITS);
    }
}

/// A control without a case fails here.
#[test]
fn every_control_has_a_case() {
    if !driver::is_there() {
        return;
    }
    let cases: Vec<&Case> = TIME.iter().chain(&AROUND).chain(&EDITS).collect();
    for case in &cases {
        let uses = case.acts.iter().any(|act| act.control() == Some(case.name));
        assert!(uses, "the case of {} does not use it", case.name);
    }
    let mut tested: Vec<&str> = cases.iter().map(|case| case.name).chain(WITH_TWO_PAGES).collect();
    tested.sort_unstable();
    tested.dedup();
    let tool = Tool::start(&["oblique"]);
    let browser = Browser::open(1600, 1000, false);
    let mut found = Vec::new();
    for scene in ["oblique", SPACE_SCENE, WORLD, "stack"] {
        start(&tool, &browser, scene);
        let list = "button, input, select, textarea, a, summary, [role=button], [contenteditable]";
        found.extend(texts(
            &browser,
            &format!("return [...document.querySelectorAll('{list}')].map((control) => control.id || control.outerHTML)"),
        ));
    }
    found.sort();
    found.dedup();
    assert_eq!(found, tested);
}
