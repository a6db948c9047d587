//! Two pages at once, a reload, a connection that is lost, a tool that ends, is killed or is started anew.

use super::driver::{self, Browser};
use super::{Tool, check_console, load, number, wait_until_loaded};

const CONTROLS: &str = "page.app.control && !at('run').disabled && at('notice').hidden";
const WATCHES: &str =
    "!page.app.control && at('run').disabled && at('ball-add').disabled && at('scene').disabled";

#[test]
fn two_pages_a_reload_a_loss_and_the_end() {
    if !driver::is_there() {
        return;
    }
    let mut tool = Tool::start(&["three-balls"]);
    let browser = Browser::open(1200, 800, false);
    load(&tool, &browser);
    let [first, second] = browser.second_window();
    load(&tool, &browser);
    browser.until("said('notice-text').includes('another page controls') && at('take-control').hidden");
    browser.until(WATCHES);
    browser.until("said('status') === 'stopped, watching, 2 pages'");
    browser.screenshot("watching");
    // What one does both show.
    browser.use_window(&first);
    browser.until(CONTROLS);
    browser.click("run");
    browser.until("num('time') > 0.1");
    browser.use_window(&second);
    browser.until("num('time') > 0.2 && said('status') === 'running, watching, 2 pages'");
    // A reload keeps the run, and the page controls again by itself.
    browser.use_window(&first);
    browser.reload();
    wait_until_loaded(&browser);
    assert!(number(&browser, "num('time')") > 0.2);
    browser.until(CONTROLS);
    browser.until("num('time') > 0.4");
    // So does a connection that was lost.
    browser.run("window.lost = page.app.source.socket; lost.close(4000)");
    browser.until("at('notice-text').textContent.includes('lost') || page.app.source.socket !== lost");
    browser.until(&format!("page.app.source.socket !== lost && {CONTROLS}"));
    browser.click("run");
    browser.until("said('run-text') === 'Start'");
    browser.use_window(&second);
    browser.until(&format!("said('status') === 'stopped, watching, 2 pages' && {WATCHES}"));
    check_console(&browser);
    // When the one that controls leaves, another may take over.
    browser.use_window(&first);
    browser.go("about:blank");
    browser.use_window(&second);
    browser.until("said('notice-text').includes('Nobody controls') && !at('take-control').hidden");
    browser.click("take-control");
    browser.until(CONTROLS);
    let time = number(&browser, "num('time')");
    browser.click("frame");
    browser.until(&format!("num('time') > {time}"));
    browser.use_window(&first);
    load(&tool, &browser);
    browser.until(WATCHES);
    browser.use_window(&second);
    browser.click("quit");
    browser.until("said('status') === 'the tool has ended' && said('notice-text').includes('has ended')");
    browser.until("at('run').disabled && at('quit').disabled && at('ball-add').disabled");
    browser.screenshot("ended");
    browser.use_window(&first);
    browser.until("said('status') === 'the tool has ended'");
    assert!(tool.wait().success());
    check_console(&browser);
}

/// The old page has an address that the new tool refuses. All messages in the console are of the browser itself.
#[test]
fn a_tool_that_is_killed_and_one_that_takes_its_port() {
    if !driver::is_there() {
        return;
    }
    let mut tool = Tool::start(&["three-balls"]);
    let browser = Browser::open(1200, 800, false);
    load(&tool, &browser);
    browser.click("run");
    browser.until("num('time') > 0.1");
    check_console(&browser);
    tool.process.kill().unwrap();
    tool.process.wait().unwrap();
    browser.until("said('status') === 'not connected' && said('notice-text').includes('connection to the tool is lost')");
    browser.until(
        "at('run').disabled && at('scene').disabled && at('quit').disabled && page.app.drawn.count === 3",
    );
    browser.screenshot("lost");
    let port = tool.host.split_once(':').unwrap().1.to_owned();
    let other = Tool::start(&["--port", &port, "oblique"]);
    assert_ne!(other.token, tool.token);
    browser.until("said('notice-text').includes('started anew') && said('status') === 'not connected'");
    let said = browser.messages();
    let is_of_the_browser =
        |text: &String| text.contains("net::ERR_CONNECTION_REFUSED") || text.contains("status of 403");
    assert!(!said.is_empty() && said.iter().all(is_of_the_browser), "{said:?}");
    // It does not go on trying.
    std::thread::sleep(std::time::Duration::from_millis(1500));
    check_console(&browser);
    load(&other, &browser);
    browser.until("page.app.scene.name === 'oblique' && page.app.control");
    check_console(&browser);
}
