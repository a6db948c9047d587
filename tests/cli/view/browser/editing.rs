//! Fields take numbers, and what the engine refuses is told at the field.

use super::cases::start;
use super::driver::{self, Browser};
use super::{Tool, check_console, number};

#[test]
fn fields_show_what_the_engine_refuses_and_nothing_has_changed() {
    if !driver::is_there() {
        return;
    }
    let (tool, browser) = (Tool::start(&["oblique"]), Browser::open(1600, 1000, false));
    start(&tool, &browser, "oblique");
    browser.click("ball-next");
    browser.until("num('ball-name') === 0 && page.app.told");
    let undo = number(&browser, "page.app.scene.undo");
    let is_refused = |id: &str, typed: &str, place: &str, words: &str| {
        let before = browser.run(&format!("return at('{id}').dataset.value"));
        browser.fill(id, typed);
        browser.until(&format!("said('{place}').includes('{words}') && at('{id}').ariaInvalid === 'true'"));
        assert_eq!(browser.run(&format!("return at('{id}').dataset.value")), before, "{id} {typed}");
        browser.until(&format!("at('{id}').value === '{typed}'"));
    };
    is_refused("ball-x", "0.26", "ball-position-error", "overlap");
    browser.screenshot("refused");
    is_refused("ball-x", "7", "ball-position-error", "outside the box");
    is_refused("ball-x", "NaN", "ball-position-error", "must be finite");
    is_refused("ball-mass", "-1", "ball-mass-error", "must not be negative");
    is_refused("ball-radius", "0", "ball-radius-error", "more than 0");
    is_refused("ball-vx", "fast", "ball-velocity-error", "not a number");
    is_refused("scene-restitution", "1.5", "scene-restitution-error", "from 0 to 1");
    is_refused("scene-contact-duration", "-1", "scene-contact-duration-error", "must not be negative");
    is_refused("wall-x-upper", "0.2", "wall-x-error", "outside");
    assert_eq!(number(&browser, "page.app.scene.undo"), undo);
    // A number that is taken clears what was said, and Escape takes back what was typed.
    browser.fill("ball-vx", "0.25");
    browser.until(
        "near('ball-vx', 0.25) && said('ball-velocity-error') === '' && said('ball-mass-error') === ''",
    );
    is_refused("ball-y", "-5", "ball-position-error", "outside the box");
    browser.type_into("ball-y", "\u{E00C}");
    browser.until("said('ball-position-error') === '' && at('ball-y').value === '0.14'");
    check_console(&browser);
}

#[test]
fn changes_are_undone_and_made_again() {
    if !driver::is_there() {
        return;
    }
    let (tool, browser) = (Tool::start(&["oblique"]), Browser::open(1600, 1000, false));
    start(&tool, &browser, "oblique");
    let undo = number(&browser, "page.app.scene.undo");
    browser.fill("wall-x-upper", "0.7");
    browser.until("near('wall-x-upper', 0.7)");
    browser.fill("scene-gravity", "9.81");
    browser.until("near('scene-gravity', 9.81)");
    browser.click("empty");
    browser.until("said('ball-none').includes('There is none') && page.app.scene.count === 0");
    for expected in ["page.app.scene.count === 2", "near('scene-gravity', 0)", "near('wall-x-upper', 0.5)"] {
        browser.click("undo");
        browser.until(expected);
    }
    browser.until(&format!("page.app.scene.undo === {undo} && !at('redo').disabled"));
    for expected in ["near('wall-x-upper', 0.7)", "near('scene-gravity', 9.81)", "page.app.scene.count === 0"]
    {
        browser.click("redo");
        browser.until(expected);
    }
    browser.until("!at('undo').disabled && at('redo').disabled");
    check_console(&browser);
}
