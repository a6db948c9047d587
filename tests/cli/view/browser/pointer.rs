//! Mouse and fingers on the picture.

use super::cases::start;
use super::driver::{self, Browser};
use super::{Tool, check_console, number, point};

/// A page with the scene `oblique`: balls at (0.1, 0.14) and (0.25, 0.15) in a box of 0.5 m by 0.3 m.
fn page() -> (Tool, Browser) {
    let (tool, browser) = (Tool::start(&["oblique"]), Browser::open(1600, 1000, false));
    start(&tool, &browser, "oblique");
    (tool, browser)
}

/// The whole pixel of the window where a place of the scene is shown.
fn pixel(browser: &Browser, x: f64, y: f64) -> [f64; 2] {
    point(browser, &format!("inWindow({x}, {y})")).map(f64::round)
}

fn beside([x, y]: [f64; 2], dx: f64, dy: f64) -> [f64; 2] {
    [x + dx, y + dy]
}

/// Waits until a ball that was at a place has been moved by so many pixels.
fn has_moved(browser: &Browser, [x, y]: [f64; 2], [dx, dy]: [f64; 2]) {
    let scale = number(browser, "view().scale");
    let (x, y) = (x + dx / scale, y - dy / scale);
    browser.until(&format!("Math.hypot(num('ball-x') - {x}, num('ball-y') - {y}) < 1e-5"));
}

/// The whole pixel of the tip of the selected ball's arrow and the time that the arrow stands for, when they no longer
/// change: the first numbers of the tool choose another length.
fn settled_tip(browser: &Browser) -> ([f64; 2], f64) {
    let now = || (point(browser, "tip()").map(f64::round), number(browser, "page.app.stage.scene.tau"));
    let mut before = now();
    loop {
        std::thread::sleep(std::time::Duration::from_millis(300));
        let after = now();
        if after == before {
            return after;
        }
        before = after;
    }
}

#[test]
fn a_click_selects_and_a_drag_moves_a_ball() {
    if !driver::is_there() {
        return;
    }
    let (_tool, browser) = page();
    let undo = number(&browser, "page.app.scene.undo");
    let second = pixel(&browser, 0.25, 0.15);
    browser.drag(second, second);
    browser.until("num('ball-name') === 1 && near('ball-x', 0.25)");
    let first = pixel(&browser, 0.1, 0.14);
    browser.drag(first, beside(first, 60.0, 45.0));
    browser.until("num('ball-name') === 0");
    has_moved(&browser, [0.1, 0.14], [60.0, 45.0]);
    // One drag is one change.
    browser.click("undo");
    browser.until(&format!("near('ball-x', 0.1) && near('ball-y', 0.14) && page.app.scene.undo === {undo}"));
    // Onto the other ball, which the engine refuses in its own words.
    browser.drag(first, second);
    browser.until("said('hint').includes('overlap') && said('ball-position-error').includes('overlap')");
    let place = number(&browser, "num('ball-x')");
    assert!(place < 0.231, "{place}");
    check_console(&browser);
}

#[test]
fn a_drag_of_the_tip_changes_the_velocity() {
    if !driver::is_there() {
        return;
    }
    let (_tool, browser) = page();
    browser.click("ball-next");
    browser.until("num('ball-name') === 0 && page.app.drawn.chosen && page.app.told");
    let (tip, tau) = settled_tip(&browser);
    browser.drag(tip, beside(tip, 0.0, -40.0));
    let scale = number(&browser, "view().scale");
    // From the centre to where the tip is now, less the radius.
    let centre = point(&browser, "inWindow(0.1, 0.14)");
    let [dx, dy] = [tip[0] - centre[0], centre[1] - tip[1] + 40.0];
    let away = dx.hypot(dy);
    let radius = 0.01_f64.max(8.0 / scale);
    let speed = (away / scale - radius) / tau;
    let expected = [dx, dy].map(|part| part / away * speed);
    browser.until(&format!(
        "Math.hypot(num('ball-vx') - {}, num('ball-vy') - {}) < 1e-5",
        expected[0], expected[1]
    ));
    browser.until("near('ball-x', 0.1) && near('ball-y', 0.14)");
    check_console(&browser);
}

#[test]
fn empty_space_moves_the_view_and_two_clicks_add_a_ball() {
    if !driver::is_there() {
        return;
    }
    let (_tool, browser) = page();
    let empty = pixel(&browser, 0.4, 0.222);
    let x = number(&browser, "view().x");
    browser.drag(empty, beside(empty, 80.0, 0.0));
    let moved = (x - number(&browser, "view().x")) * number(&browser, "view().scale");
    assert!((moved - 80.0).abs() < 1e-6, "{moved}");
    browser.until("num('ball-name') === -1 && page.app.stage.moved");
    // The wheel enlarges, and what is under the mouse stays there.
    browser.wheel(empty, -400);
    browser.until("view().scale > 1.5 * fitted");
    let [x, y] = point(&browser, "inWindow(0.4 - 80 / fitted, 0.222)");
    assert!((x - empty[0]).abs() < 1.0 && (y - empty[1]).abs() < 1.0, "{x} {y}");
    browser.wheel(empty, 400);
    browser.until("Math.abs(view().scale / fitted - 1) < 1e-9");
    browser.click("fit");
    browser.double_click(empty);
    browser.until("page.app.scene.count === 3 && num('ball-name') === 2");
    browser.until("Math.hypot(num('ball-x') - 0.4, num('ball-y') - 0.222) < 1 / fitted");
    // A double click on a ball adds none.
    let ball = pixel(&browser, 0.25, 0.15);
    browser.double_click(ball);
    browser.until("num('ball-name') === 1");
    assert_eq!(number(&browser, "page.app.scene.count"), 3.0);
    check_console(&browser);
}

#[test]
fn fingers_tap_drag_and_zoom() {
    if !driver::is_there() {
        return;
    }
    let (_tool, browser) = page();
    let first = pixel(&browser, 0.1, 0.14);
    browser.touch(&[&[first]]);
    browser.until("num('ball-name') === 0 && page.app.told");
    browser.touch(&[&[first, beside(first, 20.0, 30.0), beside(first, 40.0, 60.0)]]);
    has_moved(&browser, [0.1, 0.14], [40.0, 60.0]);
    assert_eq!(number(&browser, "view().scale / fitted"), 1.0);
    // One finger on nothing moves the view.
    let empty = pixel(&browser, 0.4, 0.222);
    let before = point(&browser, "[view().x, view().y]");
    browser.touch(&[&[empty, beside(empty, -30.0, 10.0), beside(empty, -60.0, 20.0)]]);
    let after = point(&browser, "[view().x, view().y]");
    let scale = number(&browser, "view().scale");
    let moved = [(before[0] - after[0]) * scale, (after[1] - before[1]) * scale];
    assert!((moved[0] + 60.0).abs() < 1e-6 && (moved[1] - 20.0).abs() < 1e-6, "{moved:?}");
    // Two fingers: the distance grows from 100 to 200 pixels, and nothing is selected or moved by them.
    let balls = "return JSON.stringify(page.app.scene.count) + num('ball-x') + num('ball-name')";
    let same = browser.run(balls);
    let steps = [50.0, 75.0, 100.0];
    let [left, right] = [-1.0, 1.0].map(|side| steps.map(|way| beside(empty, side * way, 0.0)));
    browser.touch(&[&left, &right]);
    let factor = number(&browser, "view().scale / fitted");
    assert!((factor - 2.0).abs() < 1e-6, "{factor}");
    let [left, right] = [left, right].map(|mut path| {
        path.reverse();
        path
    });
    browser.touch(&[&left, &right]);
    let factor = number(&browser, "view().scale / fitted");
    assert!((factor - 1.0).abs() < 1e-6, "{factor}");
    assert_eq!(browser.run(balls), same);
    check_console(&browser);
}

#[test]
fn spheres_in_space_are_turned_and_enlarged() {
    if !driver::is_there() {
        return;
    }
    let (tool, browser) = page();
    start(&tool, &browser, super::SPACE_SCENE);
    let stage = "at('stage').getBoundingClientRect()";
    let corner = point(&browser, &format!("[{stage}.left + 60, {stage}.top + 60]")).map(f64::round);
    let [turn, distance] = point(&browser, "[view().turn, view().distance]");
    browser.drag(corner, beside(corner, 60.0, 0.0));
    browser.until(&format!("Math.abs(view().turn - {turn} + 0.48) < 1e-9"));
    browser.wheel(corner, -300);
    browser.until(&format!("Math.abs(view().distance * Math.exp(0.45) / {distance} - 1) < 1e-9"));
    // A ball is selected, and then dragged in the plane of the picture.
    let ball = point(&browser, "(({ x, y }) => [x, y])(view().toScreen(1, 1, 0.5))");
    let ball =
        point(&browser, &format!("[{stage}.left + {}, {stage}.top + {}]", ball[0], ball[1])).map(f64::round);
    browser.drag(ball, ball);
    browser.until("num('ball-name') === 0 && page.app.told");
    let up = point(&browser, "[view().axes().up[2], view().toScreen(1, 1, 0.5).scale]");
    browser.drag(ball, beside(ball, 0.0, -30.0));
    let z = 0.5 + 30.0 * up[0] / up[1];
    browser.until(&format!("num('ball-name') === 0 && Math.abs(num('ball-z') - {z}) < 1e-4"));
    browser.click("fit");
    check_console(&browser);
}
