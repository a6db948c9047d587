//! One case for each control and key: what is done, and what becomes true by it.

use serde_json::{Value, json};

use super::driver::Browser;
use super::{HOME, Tool, load};

/// What a person does.
#[derive(Debug)]
pub(super) enum Act {
    Click(&'static str),
    Fill(&'static str, &'static str),
    Choose(&'static str, &'static str),
    /// Keys, or the name of a file, for the control of this id.
    Type(&'static str, &'static str),
    /// Keys one after the other, for the picture.
    Press(&'static [&'static str]),
    /// The same, while another is held.
    Hold(&'static str, &'static [&'static str]),
    /// Waits until an expression is true.
    Until(&'static str),
}

/// A collision, and then a thousandth of real time: however long the driver takes, there is time to see what goes on.
pub(super) const SLOW_AFTER_A_COLLISION: &[Act] = &[
    Act::Click("event"),
    Act::Until("num('time') > 0.6"),
    Act::Type("speed", HOME),
    Act::Until("page.app.stats.speed === 0.001"),
    Act::Until("(at('stage').focus(), true)"),
];

/// It runs backwards.
pub(super) const GOES_BACK: &str =
    "at('backwards').getAttribute('aria-pressed') === 'true' && num('time') < num('past-end')";

impl Act {
    pub(super) fn perform(&self, browser: &Browser) {
        match self {
            Self::Click(id) => browser.click(id),
            Self::Fill(id, text) => browser.fill(id, text),
            Self::Choose(id, value) => browser.choose(id, value),
            Self::Type(id, text) => browser.type_into(id, text),
            Self::Press(keys) => browser.press(&[], keys),
            Self::Hold(held, keys) => browser.press(&[*held], keys),
            Self::Until(expression) => browser.until(expression),
        }
    }

    /// The control that it is done to.
    pub(super) fn control(&self) -> Option<&'static str> {
        match self {
            Self::Click(id) | Self::Fill(id, _) | Self::Choose(id, _) | Self::Type(id, _) => Some(*id),
            Self::Press(_) | Self::Hold(..) | Self::Until(_) => None,
        }
    }
}

/// A control or key, and its effect.
#[derive(Debug)]
pub(super) struct Case {
    /// Id of the control, or the key as the list of keys has it.
    pub(super) name: &'static str,
    /// A ready-made scene, or the text of a scene file or of a world in JSON.
    pub(super) scene: &'static str,
    /// What is done before, so that there is something to do.
    pub(super) first: &'static [Act],
    pub(super) acts: &'static [Act],
    /// An expression that is false before and true afterwards.
    pub(super) then: &'static str,
}

pub(super) const fn case(
    name: &'static str,
    scene: &'static str,
    first: &'static [Act],
    acts: &'static [Act],
    then: &'static str,
) -> Case {
    Case { name, scene, first, acts, then }
}

impl Case {
    pub(super) fn check(&self, tool: &Tool, browser: &Browser) {
        start(tool, browser, self.scene);
        self.first.iter().for_each(|act| act.perform(browser));
        assert!(!browser.holds(self.then), "{}: {} is true before", self.name, self.then);
        self.acts.iter().for_each(|act| act.perform(browser));
        browser.until(self.then);
        // The theme is remembered.
        browser.run("localStorage.clear()");
    }
}

/// A fresh page with a scene at its start, as no case before has left it.
pub(super) fn start(tool: &Tool, browser: &Browser, scene: &str) {
    load(tool, browser);
    // The page before may be gone only now.
    browser.until("page.app.control");
    let shown = if scene.contains('\n') {
        let name = if scene.starts_with('{') { "world.json" } else { "scene.toml" };
        let bytes = format!("new TextEncoder().encode({})", json!(scene));
        browser.wait_for(&format!("page.app.source.sendFile('{name}', {bytes})"))
    } else {
        browser.wait_for(&format!("page.app.ask({})", json!({"do": "scene", "name": scene})))
    };
    assert_eq!(shown["ok"], true, "{scene}: {shown}");
    browser.wait_for("page.app.ask({ do: 'speed', speed: 1 })");
    browser.wait_for("page.app.ask({ do: 'stop' })");
    browser.until("page.app.stats && page.app.drawn && page.app.drawn.revision === page.app.scene.revision");
    browser.run("window.fitted = page.app.dim === 2 ? view().scale : 0; at('stage').focus()");
}

/// Checks cases in one browser.
pub(super) fn check_all(cases: &[Case]) {
    let tool = Tool::start(&["oblique"]);
    let browser = Browser::open(1600, 1000, false);
    for case in cases {
        case.check(&tool, &browser);
        let said = browser.messages();
        assert!(said.is_empty(), "{}: {said:?}", case.name);
    }
}

/// A list of texts that a script returns, sorted and each once.
pub(super) fn texts(browser: &Browser, script: &str) -> Vec<String> {
    let found = browser.run(script);
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let mut texts: Vec<String> = found.as_array().unwrap().iter().map(text).collect();
    texts.sort();
    texts.dedup();
    texts
}
