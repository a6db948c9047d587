//! Out of the page and into it: scenes, pictures, clips.

use serde_json::{Value, json};

use super::cases::start;
use super::driver::{self, Browser};
use super::{Tool, check_console, hash, number, point, text};
use crate::{Scratch, success};

/// What `carom sim` makes of a file that the page has saved, and what the page says it makes.
fn run_saved(browser: &Browser, name: &str) -> [String; 2] {
    let scratch = Scratch::new();
    let file = scratch.file(name, browser.download(name));
    let command = text(browser, "save-command");
    let arguments: Vec<&str> = command.split_whitespace().skip(3).collect();
    assert!(command.starts_with(&format!("carom sim {name}")), "{command}");
    let out = scratch.name("out");
    let summary = success(&[&["sim", &file][..], &arguments, &["--json", "--quiet", "--out", &out]].concat());
    let summary: Value = serde_json::from_str(&summary).unwrap();
    [summary["state_hash"].as_str().unwrap().to_owned(), text(browser, "save-hash")]
}

#[test]
fn going_back_and_saving_give_the_same_hash() {
    if !driver::is_there() {
        return;
    }
    let (tool, browser) = (Tool::start(&[]), Browser::open(1600, 1000, false));
    start(&tool, &browser, "billiard-break");
    for count in 1..=3 {
        browser.click("event");
        browser.until(&format!("num('collisions-all') === {count}"));
    }
    let (then, time) = (hash(&browser), number(&browser, "num('time')"));
    browser.click("run");
    browser.until("num('time') > 0.6");
    browser.click("run");
    browser.until("said('run-text') === 'Start'");
    assert_ne!(hash(&browser), then);
    // The slider over the past, to some time before, and then exactly to that time.
    let slide = |time: f64| {
        browser.run(&format!(
            "at('past').value = {time} / num('past-end'); at('past').dispatchEvent(new Event('input')); at('past').dispatchEvent(new Event('change'))"
        ));
    };
    slide(0.3);
    browser.until("Math.abs(num('time') - 0.3) < 1e-3");
    browser.wait_for(&format!("page.app.ask({{ do: 'seek', time: {time} }})"));
    browser.until(&format!("num('time') === {time}"));
    assert_eq!(hash(&browser), then);
    browser.click("restart");
    browser.until("num('time') === 0");
    for _ in 0..3 {
        browser.click("event");
    }
    browser.until(&format!("num('time') === {time}"));
    assert_eq!(hash(&browser), then);
    browser.click("save-scene");
    browser.until("at('save-hash')");
    assert!(text(&browser, "save-command").starts_with("carom sim billiard-break.toml --until"));
    let [made, told] = run_saved(&browser, "billiard-break.toml");
    assert_eq!(made, told);
    browser.click("backwards");
    browser.until("num('time') === 0");
    check_console(&browser);
}

/// From nothing: balls by button, field, key and mouse, walls, gravity, restitution and the duration of contacts.
#[test]
fn a_scene_built_by_hand_gives_the_same_hash_from_its_file() {
    if !driver::is_there() {
        return;
    }
    let (tool, browser) = (Tool::start(&[]), Browser::open(1600, 1000, false));
    start(&tool, &browser, "empty");
    let fill = |field: &str, value: f64| {
        browser.fill(field, &value.to_string());
        browser.until(&format!("near('{field}', {value})"));
    };
    for (field, value) in [
        ("wall-x-upper", 0.8),
        ("wall-y-lower", -0.1),
        ("scene-gravity", 9.81),
        ("scene-restitution", 0.9),
        ("scene-wall-restitution", 0.95),
        ("scene-contact-duration", 0.0005),
    ] {
        fill(field, value);
    }
    browser.click("ball-add");
    browser.until("num('ball-name') === 0 && page.app.told");
    for (field, value) in
        [("ball-x", 0.123_456_789), ("ball-y", 0.2), ("ball-vx", 1.0 / 3.0), ("ball-mass", 0.037)]
    {
        fill(field, value);
    }
    let place = point(&browser, "inWindow(0.6, 0.05)");
    browser.double_click(place);
    browser.until("num('ball-name') === 1 && page.app.told");
    fill("ball-radius", 0.03);
    browser.run("at('stage').focus()");
    browser.press(&[], &["d"]);
    browser.until("num('ball-name') === 2 && page.app.told");
    browser.press(&[], &["x", "+", "+", "+"]);
    browser.until("num('ball-vx') > 0");
    browser.click("ball-add");
    browser.until("num('ball-name') === 3 && page.app.told");
    browser.click("ball-fixed");
    browser.until("page.app.told?.fixed === true");
    browser.run("at('stage').focus()");
    for _ in 0..12 {
        browser.press(&[], &["e"]);
    }
    browser.until("num('collisions-all') >= 12");
    let shown = hash(&browser);
    browser.click("save-scene");
    browser.until("at('save-hash')");
    let name = browser.run("return said('save-note').split(' is saved')[0]");
    let [made, told] = run_saved(&browser, name.as_str().unwrap());
    assert_eq!([&made, &told], [&shown, &shown]);
    // The file opened again is the same scene.
    let path = browser.folder.path().join(name.as_str().unwrap());
    browser.type_into("open", path.to_str().unwrap());
    browser.until("num('time') === 0 && page.app.scene.count === 4");
    for _ in 0..12 {
        browser.press(&[], &["e"]);
    }
    browser.until("num('collisions-all') >= 12");
    assert_eq!(hash(&browser), shown);
    check_console(&browser);
}

#[test]
fn the_present_state_is_saved_as_a_start() {
    if !driver::is_there() {
        return;
    }
    let (tool, browser) = (Tool::start(&[]), Browser::open(1600, 1000, false));
    start(&tool, &browser, "oblique");
    browser.click("event");
    browser.until("num('collisions') === 1");
    browser.click("save-now");
    browser.until("at('save-hash')");
    let name = browser.run("return said('save-note').split(' is saved')[0]");
    let content = browser.download(name.as_str().unwrap());
    assert!(!content.is_empty());
    let [made, told] = run_saved(&browser, name.as_str().unwrap());
    assert_eq!(made, told);
    check_console(&browser);
}

#[test]
fn pictures_hold_what_is_shown() {
    if !driver::is_there() {
        return;
    }
    let (tool, browser) = (Tool::start(&[]), Browser::open(1600, 1000, false));
    start(&tool, &browser, "billiard-break");
    browser.click("save-png");
    let picture = browser.download("billiard-break-0s.png");
    let mut decoder = png::Decoder::new(std::io::Cursor::new(picture)).read_info().unwrap();
    let mut pixels = vec![0; decoder.output_buffer_size().unwrap()];
    let frame = decoder.next_frame(&mut pixels).unwrap();
    let size = point(&browser, "[page.app.stage.width, page.app.stage.height]");
    assert_eq!([frame.width, frame.height].map(f64::from), size);
    // The cue ball is next to collide, a ball of the last row is not.
    let colour = |x: f64, y: f64| {
        let place = point(&browser, &format!("view().toScreen({x}, {y})"));
        let [px, py] = place.map(|at| at.round() as usize);
        let at = py * frame.line_size + px * frame.color_type.samples();
        [pixels[at], pixels[at + 1], pixels[at + 2]]
    };
    assert_eq!(colour(0.635, 0.639), [214, 30, 40]);
    let last = point(
        &browser,
        "(({ places, origin }) => [places[30] + origin[0], places[31] + origin[1]])(page.app.drawn)",
    );
    assert_eq!(colour(last[0], last[1]), [38, 44, 54]);
    browser.click("save-svg");
    let drawing = String::from_utf8(browser.download("billiard-break-0s.svg")).unwrap();
    let read = format!("new DOMParser().parseFromString({}, 'image/svg+xml')", json!(drawing));
    assert_eq!(browser.run(&format!("return {read}.querySelector('parsererror')")), Value::Null);
    let filled = |colour: &str| {
        number(&browser, &format!("{read}.querySelectorAll('path[fill=\"{colour}\"]').length"))
    };
    assert_eq!([filled("rgb(214, 30, 40)"), filled("rgb(38, 44, 54)")], [2.0, 14.0]);
    assert!(drawing.contains("<title>billiard-break at 0 s</title>") && drawing.contains(">m</text>"));
    check_console(&browser);
}

#[test]
fn a_clip_is_a_webm_file() {
    if !driver::is_there() {
        return;
    }
    let (tool, browser) = (Tool::start(&[]), Browser::open(800, 600, false));
    start(&tool, &browser, "billiard-break");
    if browser.run("return MediaRecorder.isTypeSupported('video/webm')") != true {
        crate::tools::skip("a browser that records WebM");
        return;
    }
    browser.click("save-webm");
    browser.until("at('save-webm').getAttribute('aria-pressed') === 'true'");
    browser.press(&[], &[" "]);
    browser.until("num('time') > 1.2");
    browser.press(&[], &[" "]);
    browser.click("save-webm");
    browser.until("said('save-note') === 'billiard-break-0s.webm is saved.'");
    let clip = browser.download("billiard-break-0s.webm");
    assert!(clip.starts_with(&[0x1A, 0x45, 0xDF, 0xA3]), "{:?}", &clip[..clip.len().min(8)]);
    let holds = |word: &[u8]| clip.windows(word.len()).any(|part| part == word);
    assert!(holds(b"webm") && holds(b"V_VP") && clip.len() > 5000, "{} bytes", clip.len());
    check_console(&browser);
}

#[test]
fn files_are_opened_and_dropped() {
    if !driver::is_there() {
        return;
    }
    let (tool, browser) = (Tool::start(&[]), Browser::open(1600, 1000, true));
    start(&tool, &browser, "billiard-break");
    let folder = std::env::current_dir().unwrap();
    browser.type_into("open", folder.join("examples/scenes/falling.toml").to_str().unwrap());
    browser.until("near('scene-gravity', 9.81) && at('scene').value === 'falling balls'");
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
    browser.until("document.title === 'mine: carom' && page.app.dim === 1 && at('drop').hidden");
    browser.click("event");
    browser.until("near('time', 7)");
    browser.screenshot("line-dark");
    drop("broken.toml", "dimension = 2\ncolour = 3\n");
    browser.until("said('open-error').includes('line 2')");
    browser.until("near('time', 7) && document.title === 'mine: carom'");
    check_console(&browser);
}
