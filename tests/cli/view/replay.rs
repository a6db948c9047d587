//! Pages that play a run without the tool.

use std::fs;

use serde_json::Value;

use crate::{Scratch, refusal, success};

/// The data in a page.
pub(super) fn data(page: &str) -> Value {
    let (_, rest) = page.split_once("id=\"carom-replay\">").expect("a page with data");
    let (data, _) = rest.split_once("</script>").unwrap();
    serde_json::from_str(data).unwrap()
}

#[test]
fn a_billiard_break_is_a_few_kilobytes_of_collisions() {
    let scratch = Scratch::new();
    let page = scratch.name("break.html");
    let told = success(&["sim", "billiard-break", "--html", &page, "--json"]);
    let summary: Value = serde_json::from_str(&told).unwrap();
    let text = fs::read_to_string(&page).unwrap();
    let data = data(&text);
    assert_eq!((data["format"].as_str(), data["kind"].as_str()), (Some("carom-replay"), Some("balls")));
    let impacts = summary["collisions"].as_u64().unwrap() + summary["wall_collisions"].as_u64().unwrap();
    assert_eq!(data["events"]["count"].as_u64(), Some(impacts));
    assert_eq!((data["end"].as_f64(), data["error"].as_f64()), (Some(2.0), Some(0.0)));
    assert!(data["states"].is_null() && data.to_string().len() < 40_000);
    let last = data["series"]["collisions"].as_array().unwrap().last().unwrap().as_u64();
    assert_eq!(last, summary["collisions"].as_u64());
    // Nothing from anywhere else.
    assert!(!text.contains("src=\"") && !text.contains("http://127"));
    assert!(refusal(&["sim", "billiard-break", "--html", &page]).contains("--force"));
}

#[test]
fn runs_in_time_steps_keep_states_and_state_their_error() {
    let scratch = Scratch::new();
    let page = scratch.name("stack.html");
    success(&["sim", "stack", "--until", "1", "--html", &page, "--quiet"]);
    let stack = data(&fs::read_to_string(&page).unwrap());
    assert_eq!((stack["kind"].as_str(), stack["states"]["count"].as_u64()), (Some("bodies"), Some(61)));
    let error = stack["error"].as_f64().unwrap();
    assert!(error > 0.0 && error < 1e-3 && stack["angle_error"].as_f64().unwrap() < 1e-4);
    assert!(stack["events"].is_null() && stack["states"]["angles"].is_string());
    let page = scratch.name("world.html");
    success(&["sim", crate::THREE_BALLS, "--html", &page, "--every", "0.1", "--quiet"]);
    let world = data(&fs::read_to_string(&page).unwrap());
    assert_eq!((world["kind"].as_str(), world["states"]["count"].as_u64()), (Some("world"), Some(11)));
    assert!(refusal(&["sim", "bin", "--spaces", "3", "--html", &page, "--force"]).contains("--spaces"));
}
