//! The figures and the colours of Sobieniak's document, read from the page after its scenes have run.

use super::cases::start;
use super::driver::{self, Browser};
use super::{Tool, check_console};

/// Adds a ball with the buttons and fields of the page.
fn add(browser: &Browser, ball: usize, numbers: &[(&str, f64)]) {
    browser.click("ball-add");
    browser.until(&format!("num('ball-name') === {ball} && page.app.told"));
    for (field, number) in numbers {
        browser.fill(&format!("ball-{field}"), &number.to_string());
        browser.until(&format!("near('ball-{field}', {number})"));
    }
}

/// Selects a ball and waits until its velocity is this one, to four digits.
fn moves_with(browser: &Browser, ball: usize, [vx, vy]: [f64; 2]) {
    browser.run(&format!("page.app.select({ball})"));
    browser.until(&format!(
        "num('ball-name') === {ball} && Math.abs(num('ball-vx') - {vx}) < 5e-5 && Math.abs(num('ball-vy') - {vy}) < 5e-5"
    ));
}

#[test]
fn scenes_of_the_document_give_its_figures() {
    if !driver::is_there() {
        return;
    }
    let (tool, browser) = (Tool::start(&["oblique"]), Browser::open(1600, 1000, false));
    // Equal balls exchange their velocities.
    start(&tool, &browser, "head-on-vertical");
    for (ball, numbers) in [[0.1, 0.01, 0.0, 0.5], [0.1, 0.15, 0.0, -0.1]].into_iter().enumerate() {
        browser.run(&format!("page.app.select({ball})"));
        for (field, number) in ["x", "y", "vx", "vy"].into_iter().zip(numbers) {
            browser.until(&format!("near('ball-{field}', {number})"));
        }
        browser.until("near('ball-mass', 0.01) && near('ball-radius', 0.01)");
    }
    browser.click("event");
    browser.until("num('collisions') === 1 && near('time', 0.2)");
    moves_with(&browser, 0, [0.0, -0.1]);
    moves_with(&browser, 1, [0.0, 0.5]);
    // A heavy and a light ball.
    start(&tool, &browser, "head-on-horizontal");
    browser.click("event");
    browser.until("num('collisions') === 1 && Math.abs(num('time') - 1.1) < 1e-9");
    moves_with(&browser, 2, [-0.0333, 0.0]);
    moves_with(&browser, 3, [0.1667, 0.0]);
    browser.until("said('next').includes('0 and 1')");
    check_console(&browser);
}

#[test]
fn the_same_scenes_are_built_by_hand() {
    if !driver::is_there() {
        return;
    }
    let (tool, browser) = (Tool::start(&["oblique"]), Browser::open(1600, 1000, false));
    start(&tool, &browser, "empty");
    add(&browser, 0, &[("x", 0.1), ("y", 0.1), ("mass", 0.02), ("radius", 0.02), ("vx", 0.1)]);
    add(&browser, 1, &[("x", 0.35), ("y", 0.1), ("mass", 0.01), ("radius", 0.01), ("vx", -0.1)]);
    browser.click("event");
    browser.until("num('collisions') === 1 && Math.abs(num('time') - 1.1) < 1e-9");
    moves_with(&browser, 0, [-0.0333, 0.0]);
    moves_with(&browser, 1, [0.1667, 0.0]);
    // A ball at the left wall is thrown back along x and goes on along y.
    start(&tool, &browser, "empty");
    add(&browser, 0, &[("x", 0.05), ("y", 0.05), ("vx", -1.5), ("vy", 6.0)]);
    browser.until("said('next').includes('lower x wall')");
    browser.click("event");
    browser.until("num('wall-collisions') === 1 && num('collisions') === 0");
    moves_with(&browser, 0, [1.5, 6.0]);
    browser.until("near('ball-x', 0.01)");
    check_console(&browser);
}

/// Yellow, red and black are those of the document; the exact shades are of this page.
#[test]
fn the_selected_ball_is_yellow_and_the_next_two_are_red() {
    if !driver::is_there() {
        return;
    }
    let (tool, browser) = (Tool::start(&["oblique"]), Browser::open(1600, 1000, false));
    start(&tool, &browser, "head-on-horizontal");
    let [yellow, red, black] =
        ["r > 230 && g > 180 && b < 60", "r > 190 && g < 80 && b < 80", "r < 60 && g < 60 && b < 60"];
    let is =
        |place: &str, colour: &str| browser.until(&format!("(([r, g, b]) => {colour})(colourAt({place}))"));
    // Balls 2 and 3 collide first.
    is("0.1, 0.1", red);
    is("0.35, 0.1", red);
    is("0.1, 0.2", black);
    is("0.35, 0.2", black);
    browser.press(&[], &["\u{E004}"]);
    is("0.1, 0.2", yellow);
    is("0.1, 0.1", red);
    browser.run("page.app.select(2)");
    is("0.1, 0.1", yellow);
    is("0.35, 0.1", red);
    is("0.1, 0.2", black);
    // After that collision balls 0 and 1 are the next.
    browser.press(&[], &["\u{E00C}", "e"]);
    browser.until("num('collisions') === 1");
    is("0.21, 0.2", red);
    is("0.24, 0.2", red);
    is("0.21, 0.1", black);
    // What the window shows is what the canvas has.
    let picture = browser.screenshot("colours");
    let mut decoder = png::Decoder::new(std::io::Cursor::new(picture)).read_info().unwrap();
    let mut pixels = vec![0; decoder.output_buffer_size().unwrap()];
    let frame = decoder.next_frame(&mut pixels).unwrap();
    let [x, y] = super::point(&browser, "inWindow(0.21, 0.2)").map(|at| at.round() as usize);
    let at = y * frame.line_size + x * frame.color_type.samples();
    assert!(pixels[at] > 190 && pixels[at + 1] < 80 && pixels[at + 2] < 80, "{:?}", &pixels[at..at + 3]);
    check_console(&browser);
}
