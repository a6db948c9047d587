//! The page in a real browser: every control and key, two pages, loss and return, files, replays.

use serde_json::{Value, json};

use super::Tool;
use super::driver::{self, Browser};
use crate::{Scratch, success};

const TAB: &str = "\u{E004}";
const SHIFT: &str = "\u{E008}";
const CONTROL: &str = "\u{E009}";
const PAGE_UP: &str = "\u{E00E}";
const PAGE_DOWN: &str = "\u{E00F}";
const HOME: &str = "\u{E011}";
const ARROW_UP: &str = "\u{E013}";
const ARROW_RIGHT: &str = "\u{E014}";
const DELETE: &str = "\u{E017}";
const ESCAPE: &str = "\u{E00C}";

/// Keeps the sockets of a page within reach, so that a test can lose the connection.
const KEEP_SOCKETS: &str = "const Plain = WebSocket; window.sockets = []; window.WebSocket = class extends Plain { \
                            constructor(...all) { super(...all); window.sockets.push(this); } };";

/// The number behind what is shown.
fn value(browser: &Browser, id: &str) -> Value {
    let found = browser.run(&format!("return document.getElementById('{id}').dataset.value"));
    found.as_str().and_then(|text| text.parse::<f64>().ok()).map_or(found, Value::from)
}

fn text(browser: &Browser, id: &str) -> String {
    browser.run(&format!("return document.getElementById('{id}').textContent")).as_str().unwrap().to_owned()
}

/// Waits until what is shown is this number.
fn shows(browser: &Browser, id: &str, number: f64) {
    browser.until(&format!(
        "Math.abs(Number(document.getElementById('{id}').dataset.value) - ({number})) < 1e-9"
    ));
}

fn hash(browser: &Browser) -> String {
    browser.until("/^[0-9a-f]{16}$/.test(document.getElementById('hash').textContent)");
    text(browser, "hash")
}

/// The page of a tool, shown and connected.
fn open(tool: &Tool, browser: &Browser) {
    browser.go(&format!("http://{}/{}/", tool.host, tool.token));
    browser.until("document.getElementById('status').textContent.startsWith('stopped')");
    browser.until("document.getElementById('time').dataset.value !== undefined");
    browser.run("document.getElementById('stage').focus()");
}

fn check_console(browser: &Browser) {
    assert_eq!(browser.messages(), Vec::<String>::new());
}

#[test]
fn keys_do_what_the_document_says() {
    if !driver::is_there() {
        return;
    }
    let tool = Tool::start(&["head-on-vertical"]);
    let browser = Browser::open(1600, 1000, false);
    open(&tool, &browser);
    browser.press(&[], &["e"]);
    shows(&browser, "collisions", 1.0);
    shows(&browser, "time", 0.2);
    browser.press(&[], &[TAB]);
    shows(&browser, "ball-name", 0.0);
    shows(&browser, "ball-vy", -0.1);
    browser.press(&[], &[TAB]);
    shows(&browser, "ball-vy", 0.5);
    browser.press(&[SHIFT], &[TAB]);
    shows(&browser, "ball-name", 0.0);
    // Mass with radius, components of the velocity, place. Until they are apart balls cannot grow.
    browser.press(&[], &[".", ".", ".", ".", ".", "."]);
    browser.until("Number(document.getElementById('time').dataset.value) > 0.29");
    browser.press(&[], &["m"]);
    browser.press(&[], &["+"]);
    browser.until("Number(document.getElementById('ball-mass').dataset.value) > 0.01");
    let (mass, radius) = (value(&browser, "ball-mass"), value(&browser, "ball-radius"));
    assert!((mass.as_f64().unwrap() - radius.as_f64().unwrap()).abs() < 1e-12, "{mass} {radius}");
    browser.press(&[], &["-"]);
    shows(&browser, "ball-mass", 0.01);
    browser.press(&[], &["x", "+"]);
    browser.until("Number(document.getElementById('ball-vx').dataset.value) > 0");
    browser.press(&[], &["y", "-"]);
    browser.until("Number(document.getElementById('ball-vy').dataset.value) < -0.1");
    let x = value(&browser, "ball-x").as_f64().unwrap();
    browser.press(&[], &[ARROW_RIGHT]);
    browser.until(&format!("Number(document.getElementById('ball-x').dataset.value) > {x}"));
    browser.press(&[], &[ARROW_UP]);
    browser.press(&[], &["b"]);
    shows(&browser, "ball-name", 2.0);
    browser.press(&[], &["d"]);
    shows(&browser, "ball-name", 3.0);
    browser.press(&[], &[DELETE]);
    browser.until("document.getElementById('ball-name').textContent.includes('of 0 to 2') || document.getElementById('ball-name').dataset.value === '-1'");
    browser.press(&[CONTROL], &["z"]);
    browser.press(&[CONTROL, SHIFT], &["z"]);
    // Start, stop, back.
    browser.press(&[], &[" "]);
    browser.until("document.getElementById('run-text').textContent === 'Stop'");
    browser.until("Number(document.getElementById('time').dataset.value) > 0.2");
    browser.press(&[], &[" "]);
    browser.until("document.getElementById('run-text').textContent === 'Start'");
    browser.press(&[], &[HOME]);
    shows(&browser, "time", 0.0);
    browser.press(&[], &[".", "."]);
    browser.until("Number(document.getElementById('time').dataset.value) > 0.03");
    browser.press(&[], &[","]);
    shows(&browser, "time", 1.0 / 60.0);
    browser.press(&[], &["]"]);
    browser.until("Number(document.getElementById('speed-text').dataset.value) > 1");
    browser.press(&[], &["["]);
    browser.until("Number(document.getElementById('speed-text').dataset.value) === 1");
    for key in ["c", "v", "t", "g", "f", "l", "l", "+", "-"] {
        browser.press(&[], &[key]);
    }
    browser.press(&[], &["?"]);
    browser.until("document.getElementById('keys').open");
    browser.screenshot("keys");
    browser.press(&[], &[ESCAPE]);
    browser.until("!document.getElementById('keys').open");
    browser.run("document.getElementById('stage').focus()");
    browser.press(&[], &[PAGE_DOWN]);
    browser.until("document.getElementById('scene').value === 'oblique'");
    browser.press(&[], &[PAGE_UP]);
    browser.until("document.getElementById('scene').value === 'head-on-vertical'");
    browser.screenshot("head-on-vertical");
    check_console(&browser);
}

#[test]
fn fields_take_numbers_and_show_what_the_engine_refuses() {
    if !driver::is_there() {
        return;
    }
    let tool = Tool::start(&["oblique"]);
    let browser = Browser::open(1600, 1000, false);
    open(&tool, &browser);
    browser.click("ball-next");
    shows(&browser, "ball-name", 0.0);
    browser.fill("ball-vy", "0.05");
    shows(&browser, "ball-vy", 0.05);
    browser.fill("ball-x", "0.26");
    browser.until("document.getElementById('ball-position-error').textContent.includes('overlap')");
    browser.screenshot("refused");
    let is_refused = |id: &str, typed: &str, place: &str, words: &str| {
        browser.fill(id, typed);
        browser.until(&format!("document.getElementById('{place}').textContent.includes('{words}')"));
    };
    is_refused("ball-x", "7", "ball-position-error", "outside the box");
    is_refused("ball-x", "NaN", "ball-position-error", "must be finite");
    is_refused("ball-mass", "-1", "ball-mass-error", "must not be negative");
    is_refused("ball-radius", "0", "ball-radius-error", "more than 0");
    is_refused("ball-vx", "fast", "ball-velocity-error", "not a number");
    is_refused("scene-restitution", "1.5", "scene-restitution-error", "from 0 to 1");
    browser.fill("scene-gravity", "9.81");
    browser.until("document.getElementById('scene-gravity').dataset.value === '9.81'");
    browser.fill("wall-x-upper", "0.7");
    browser.until("document.getElementById('wall-x-upper').dataset.value === '0.7'");
    browser.click("undo");
    browser.until("document.getElementById('wall-x-upper').dataset.value === '0.5'");
    browser.click("redo");
    browser.until("document.getElementById('wall-x-upper').dataset.value === '0.7'");
    browser.click("ball-add");
    shows(&browser, "ball-name", 2.0);
    browser.click("ball-duplicate");
    shows(&browser, "ball-name", 3.0);
    browser.click("ball-delete");
    browser.click("empty");
    browser.until("document.getElementById('ball-none').textContent.includes('There is none')");
    browser.click("undo");
    check_console(&browser);
}

#[test]
fn going_back_and_saving_give_the_same_hash() {
    if !driver::is_there() {
        return;
    }
    let tool = Tool::start(&[]);
    let browser = Browser::open(1600, 1000, false);
    open(&tool, &browser);
    for _ in 0..3 {
        browser.click("event");
    }
    browser.until("Number(document.getElementById('collisions').dataset.value) >= 3");
    let (then, time) = (hash(&browser), value(&browser, "time"));
    browser.click("run");
    browser.until("Number(document.getElementById('time').dataset.value) > 0.6");
    browser.click("run");
    let later = hash(&browser);
    assert_ne!(later, then);
    // The slider over the past, to the middle and back to that time.
    let slide = |time: &Value| {
        browser.run(&format!(
            "const past = document.getElementById('past'), end = Number(document.getElementById('past-end').dataset.value); \
             past.value = {time} / end; past.dispatchEvent(new Event('input')); past.dispatchEvent(new Event('change'))"
        ));
    };
    slide(&json!(0.3));
    browser.until("Math.abs(Number(document.getElementById('time').dataset.value) - 0.3) < 1e-3");
    browser.click("restart");
    shows(&browser, "time", 0.0);
    for _ in 0..3 {
        browser.click("event");
    }
    shows(&browser, "time", time.as_f64().unwrap());
    assert_eq!(hash(&browser), then);
    browser.click("save-scene");
    browser.until("document.getElementById('save-hash')");
    let scratch = Scratch::new();
    let file = scratch.file("saved.toml", browser.download("billiard-break.toml"));
    assert!(text(&browser, "save-command").starts_with("carom sim billiard-break.toml --until"));
    let summary = success(&["sim", &file, "--json", "--quiet", "--out", &scratch.name("out")]);
    let summary: Value = serde_json::from_str(&summary).unwrap();
    assert_eq!(summary["state_hash"].as_str(), Some(text(&browser, "save-hash").as_str()));
    browser.click("backwards");
    shows(&browser, "time", 0.0);
    for (button, name) in [("save-png", ".png is saved"), ("save-svg", ".svg is saved")] {
        browser.click(button);
        browser.until(&format!("document.getElementById('save-note').textContent.includes('{name}')"));
    }
    check_console(&browser);
}

#[test]
fn two_pages_a_reload_a_loss_and_the_end() {
    if !driver::is_there() {
        return;
    }
    let mut tool = Tool::start(&["three-balls"]);
    let browser = Browser::open(1200, 800, false);
    browser.tool("Page.addScriptToEvaluateOnNewDocument", &json!({"source": KEEP_SOCKETS}));
    open(&tool, &browser);
    let [first, second] = browser.second_window();
    browser.go(&format!("http://{}/{}/", tool.host, tool.token));
    browser.until("document.getElementById('notice-text').textContent.includes('another page controls')");
    browser.until("document.getElementById('run').disabled");
    browser.screenshot("watching");
    browser.use_window(&first);
    browser.click("run");
    browser.until("Number(document.getElementById('time').dataset.value) > 0.1");
    browser.use_window(&second);
    browser.until("Number(document.getElementById('time').dataset.value) > 0.2");
    // A reload keeps the run; the page controls again.
    browser.use_window(&first);
    browser.reload();
    browser.until("Number(document.getElementById('time').dataset.value) > 0.3");
    browser
        .until("!document.getElementById('run').disabled || !document.getElementById('take-control').hidden");
    browser.run("if (!document.getElementById('take-control').hidden) document.getElementById('take-control').click()");
    browser.until("!document.getElementById('run').disabled");
    // A connection that is lost comes back by itself.
    browser.run("window.sockets.at(-1).close(4000)");
    browser.until("window.sockets.length === 2 && document.getElementById('notice').hidden || !document.getElementById('take-control').hidden");
    browser.run("if (!document.getElementById('take-control').hidden) document.getElementById('take-control').click()");
    browser.until("!document.getElementById('run').disabled");
    browser.click("run");
    browser.until("document.getElementById('run-text').textContent === 'Start'");
    check_console(&browser);
    browser.click("quit");
    browser.until("document.getElementById('status').textContent.includes('ended')");
    browser.screenshot("ended");
    browser.use_window(&second);
    browser.until("document.getElementById('status').textContent.includes('ended')");
    assert!(tool.wait().success());
}

#[test]
fn files_are_opened_and_dropped() {
    if !driver::is_there() {
        return;
    }
    let tool = Tool::start(&[]);
    let browser = Browser::open(1600, 1000, true);
    open(&tool, &browser);
    let folder = std::env::current_dir().unwrap();
    browser.type_into("open", folder.join("examples/scenes/falling.toml").to_str().unwrap());
    browser.until("document.getElementById('scene-gravity').dataset.value === '9.81'");
    let drop = |name: &str, content: &str| {
        browser.run(&format!(
            "const data = new DataTransfer(); data.items.add(new File([{}], '{name}')); \
             for (const kind of ['dragenter', 'dragover', 'drop']) document.getElementById('stage').dispatchEvent( \
             new DragEvent(kind, {{ dataTransfer: data, bubbles: true, cancelable: true }}))",
            json!(content)
        ));
    };
    drop(
        "mine.toml",
        "name = \"mine\"\ndimension = 1\n[[ball]]\nposition = [0]\nradius = 1\nmass = 1\nvelocity = [1]\n[[ball]]\nposition = [9]\nradius = 1\nmass = 1\n",
    );
    browser.until("document.getElementById('ball-none').textContent !== '' && document.title.includes('mine') || document.body.innerText.includes('mine')");
    browser.click("event");
    shows(&browser, "time", 7.0);
    browser.screenshot("line-dark");
    drop("broken.toml", "dimension = 2\ncolour = 3\n");
    browser.until("document.getElementById('open-error').textContent.includes('line 2')");
    check_console(&browser);
}

#[test]
fn balls_are_dragged_in_the_picture() {
    if !driver::is_there() {
        return;
    }
    let tool = Tool::start(&["oblique"]);
    let browser = Browser::open(1600, 1000, false);
    open(&tool, &browser);
    let place = browser.run("const b = document.getElementById('stage').getBoundingClientRect(); return [b.x, b.y, b.width, b.height]");
    let [left, top, width, height] = [0, 1, 2, 3].map(|k| place[k].as_f64().unwrap());
    // Around the middle of the box, which is shown in the middle of the stage.
    let middle = [left + 0.5 * width, top + 0.5 * height];
    let found = (1..400).find_map(|step| {
        let x = middle[0] - 2.0 * f64::from(step);
        browser.drag([x, middle[1]], [x, middle[1]]);
        (value(&browser, "ball-name").as_f64() >= Some(0.0)).then_some(x)
    });
    let x = found.expect("a ball left of the middle");
    let ball = value(&browser, "ball-name").as_f64().unwrap();
    let before = value(&browser, "ball-x").as_f64().unwrap();
    browser.drag([x, middle[1]], [x - 40.0, middle[1] - 60.0]);
    browser.until(&format!("Number(document.getElementById('ball-x').dataset.value) < {before}"));
    assert_eq!(value(&browser, "ball-name").as_f64(), Some(ball));
    browser.click("undo");
    shows(&browser, "ball-x", before);
    check_console(&browser);
}

#[test]
fn narrow_wide_dark_and_every_kind_look_right() {
    if !driver::is_there() {
        return;
    }
    for (width, height, is_dark) in [(320, 700, false), (1600, 1000, true)] {
        for scene in [
            &["billiard-break"][..],
            &["pyramid", "--rows", "8"],
            &["gas", "--particles", "500"],
            &["gas", "--particles", "60", "--dim", "1"],
            &["gas", "--particles", "3000", "--dim", "2"],
        ] {
            let tool = Tool::start(scene);
            let browser = Browser::open(width, height, is_dark);
            if is_dark {
                let dark = json!({"features": [{"name": "prefers-color-scheme", "value": "dark"}]});
                browser.tool("Emulation.setEmulatedMedia", &dark);
            }
            open(&tool, &browser);
            browser.press(&[], &[" "]);
            browser.until("Number(document.getElementById('time').dataset.value) > 0.3");
            browser.press(&[], &[" "]);
            let across = browser.run("return [document.documentElement.scrollWidth, innerWidth]");
            assert!(
                across[0].as_f64() <= across[1].as_f64() && across[1] == width,
                "{scene:?} at {width}: {across}"
            );
            let name = format!("{}-{}-{width}", scene[0], scene.last().unwrap());
            assert!(browser.screenshot(&name).len() > 8000, "{name} is empty");
            check_console(&browser);
        }
    }
}

#[test]
fn replays_play_from_the_disk() {
    if !driver::is_there() {
        return;
    }
    let scratch = Scratch::new();
    for (scene, end) in [("billiard-break", 2.0), ("pyramid", 0.5), (crate::THREE_BALLS, 0.5)] {
        let page = scratch.name(&format!("{}.html", end));
        let until = end.to_string();
        success(&["sim", scene, "--until", &until, "--html", &page, "--force", "--quiet"]);
        let browser = Browser::open(1200, 800, false);
        browser.go(&format!("file://{page}"));
        browser.until("document.getElementById('time').dataset.value !== undefined");
        browser.run("document.getElementById('stage').focus()");
        browser.press(&[], &[" "]);
        browser.until("Number(document.getElementById('time').dataset.value) > 0.1");
        shows(&browser, "time", end);
        browser.press(&[], &[HOME]);
        shows(&browser, "time", 0.0);
        browser.screenshot(&format!("replay-{end}"));
        check_console(&browser);
    }
}
