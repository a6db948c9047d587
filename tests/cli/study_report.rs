//! The page of a study: what is on it, and how a browser shows it.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use carom::study::Summary;

use crate::study_fixtures::{nothing_found, one_axis, one_point, two_axes};
use crate::tools::has;
use crate::{Scratch, refusal, success, text};

const BROWSER: &str = "chromium";
const SERIES: [u8; 3] = [0x1f, 0x66, 0xb0];
const SERIES_IN_THE_DARK: [u8; 3] = [0x6f, 0xb3, 0xf7];
const PAPER: [u8; 3] = [0xff; 3];
const PAPER_IN_THE_DARK: [u8; 3] = [0x14, 0x17, 0x1c];

/// Writes a summary and returns the page that is made from it.
fn page(scratch: &Scratch, summary: &Summary) -> String {
    let results = scratch.file("summary.json", serde_json::to_string(summary).unwrap());
    success(&["report", &results]);
    fs::read_to_string(scratch.path("report.html")).unwrap()
}

fn count(page: &str, what: &str) -> usize {
    page.matches(what).count()
}

#[test]
fn one_point_has_its_table_and_plots() {
    let scratch = Scratch::new();
    let page = page(&scratch, &one_point());
    assert_eq!(
        (count(&page, "<table>"), count(&page, "<svg ")),
        (1, 5),
        "a table, 2 histograms and 3 curves of convergence"
    );
    for expected in [
        "0.01234",
        "0.01166 to 0.01302",
        "Foster &amp; &lt;Estes&gt;",
        "<td>0.35</td>",
        "miss distance (m)",
        "probability of collision",
        "number of samples",
        "time (10⁻⁶ s)",
        "100\u{202f}000",
        "1 min 23 s",
        "0123abc",
        "AMD EPYC 7B13",
        "95% interval",
    ] {
        assert!(page.contains(expected), "no {expected:?}");
    }
    assert!(page.contains("outside</small>"), "the time of 2.5 us is off the theory");
}

#[test]
fn a_sweep_has_curves_and_few_other_plots() {
    let scratch = Scratch::new();
    let page = page(&scratch, &one_axis());
    // Curves of 2 observables; 3 histograms; 3 curves of convergence of the pressure and 2 of the chance, which has no hits at the end.
    assert_eq!((count(&page, "<table>"), count(&page, "<svg ")), (3, 10));
    for expected in [
        "UNFINISHED: 900000 replicas, at most 900000 until the precision rel=0.01 is reached",
        "precision not reached",
        "3 of 100\u{202f}000 replicas failed",
        "spheres &lt;overlap&gt; &amp; &quot;more&quot;",
        "upper bound: no hits",
        "below 3.0×10⁻⁵",
        "Of 9 points 3 are drawn here",
        "gas.density = 0.5",
        "number density (1/m³)",
        "off theory by (%)",
        "rel=0.01",
    ] {
        assert!(page.contains(expected), "no {expected:?}");
    }
}

/// The plots of a sweep are as wide as the page; only those with theory have the distance from it below.
#[test]
fn plots_of_a_sweep_have_the_width_of_the_page() {
    let scratch = Scratch::new();
    let page = page(&scratch, &one_axis());
    assert_eq!(count(&page, "off theory by"), 1, "of the pressure, which has a theory");
    assert_eq!(
        count(
            &page,
            "<svg role=\"img\" aria-label=\"pressure against gas.density\" width=\"2400\" height=\"1370\""
        ),
        1
    );
    assert_eq!(count(&page, " width=\"2400\" height=\"940\""), 1, "without theory");
    assert!(!page.contains("max-width: 46rem"), "nothing keeps plots from the width");
}

#[test]
fn two_parameters_make_a_field() {
    let scratch = Scratch::new();
    let page = page(&scratch, &two_axes());
    assert_eq!((count(&page, "<table>"), count(&page, "<svg ")), (2, 2 + 3 + 6));
    assert!(page.contains("1 without estimate") && page.contains("Colours by ratio."));
    assert!(page.contains("<details><summary>48 points as numbers"), "long tables are folded up");
    assert!(page.contains("encounter.radius = 5, encounter.sd = 50"));
    assert!(page.contains("radius of body a (m)"), "in words, with the unit");
    assert_eq!(count(&page, "off theory by (%)"), 1, "of the chance, which has a theory");
    assert_eq!(count(&page, " width=\"2400\" height=\"1880\""), 1, "with theory");
    assert_eq!(count(&page, " width=\"2400\" height=\"940\""), 1, "without theory");
    assert!(page.contains("Below: estimates less theory (") && page.contains("of 48 intervals."));
}

#[test]
fn a_study_without_results_says_so() {
    let scratch = Scratch::new();
    let page = page(&scratch, &nothing_found());
    assert_eq!((count(&page, "<table>"), count(&page, "<svg ")), (1, 0));
    for expected in ["no hits: an upper bound only", "below 3.0×10⁻⁶", "no estimate", "too little data"]
    {
        assert!(page.contains(expected), "no {expected:?}");
    }
    assert!(!page.contains("NaN"));
}

#[test]
fn a_page_needs_nothing_else_and_suits_print_and_dark() {
    let scratch = Scratch::new();
    for summary in [one_point(), one_axis(), two_axes(), nothing_found()] {
        let page = page(&scratch, &summary);
        let foreign = page.replace("http://www.w3.org/2000/svg", "");
        for word in ["http:", "https:", "src=", "@import", "url(", "<script", "<link"] {
            assert!(!foreign.contains(word), "{word}");
        }
        assert!(page.contains("&lt;script&gt;alert(1)&lt;/script&gt;"), "the study file is text");
        assert!(page.contains("@media print") && page.contains("prefers-color-scheme: dark"));
        let is_field = summary.axes.len() == 2;
        assert!(is_field || !page.contains("=\"#"), "fixed colours do not suit the dark");
    }
}

#[test]
fn a_summary_that_calls_the_precision_until_still_loads() {
    let scratch = Scratch::new();
    let earlier = serde_json::to_string(&one_axis()).unwrap().replace("\"precision\":", "\"until\":");
    assert!(earlier.contains("\"until\":\"rel=0.01\""));
    success(&["report", &scratch.file("summary.json", earlier)]);
    assert!(fs::read_to_string(scratch.path("report.html")).unwrap().contains("rel=0.01"));
}

#[test]
fn what_is_no_summary_is_refused() {
    let scratch = Scratch::new();
    let said = refusal(&["report", &scratch.name("none.json")]);
    assert!(said.contains("none.json"), "{said}");
    let said = refusal(&["report", &scratch.file("summary.json", "{ \"format\": 1 }")]);
    assert!(said.contains("summary.json: ") && said.contains("line 1"), "{said}");
    let mut summary = one_axis();
    summary.points.pop();
    let odd = scratch.file("odd.json", serde_json::to_string(&summary).unwrap());
    assert!(refusal(&["report", &odd]).contains("do not fit"));
    assert!(!scratch.path("report.html").exists());
}

fn browse(scratch: &Scratch, arguments: &[&str]) -> Output {
    let profile = format!("--user-data-dir={}", scratch.name("profile"));
    let page = format!("file://{}", scratch.name("report.html"));
    let fixed =
        ["--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--enable-logging=stderr"];
    let output = Command::new(BROWSER).args(fixed).args(arguments).args([profile, page]).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success() && !said.contains("CONSOLE"), "{said}");
    output
}

/// The share of the pixels of a picture that has this colour.
fn share(picture: &Path, colour: [u8; 3]) -> f64 {
    let mut reader =
        png::Decoder::new(std::io::BufReader::new(fs::File::open(picture).unwrap())).read_info().unwrap();
    let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
    let frame = reader.next_frame(&mut pixels).unwrap();
    assert_eq!(frame.bit_depth, png::BitDepth::Eight);
    let pixels: Vec<&[u8]> = pixels[..frame.buffer_size()].chunks(frame.color_type.samples()).collect();
    pixels.iter().filter(|pixel| pixel.starts_with(&colour)).count() as f64 / pixels.len() as f64
}

#[test]
fn a_browser_shows_the_plots_in_the_light_and_in_the_dark() {
    if !has(BROWSER, BROWSER) {
        return;
    }
    let scratch = Scratch::new();
    page(&scratch, &one_axis());
    // As the browser has understood it: plots with axes, curves and labels of a size that can be seen.
    let understood = text(&browse(&scratch, &["--dump-dom"]).stdout);
    assert_eq!(count(&understood, "<svg "), 10);
    assert!(count(&understood, "<polyline ") > 50 && count(&understood, "<text ") > 100);
    let shot = |name: &str, scheme: &str| {
        let picture = format!("--screenshot={}", scratch.name(name));
        browse(&scratch, &[&picture, "--window-size=1200,2400", scheme]);
        scratch.path(name)
    };
    let light = shot("light.png", "--blink-settings=preferredColorScheme=1");
    assert!(share(&light, PAPER) > 0.6 && share(&light, SERIES) > 2e-4, "{}", share(&light, SERIES));
    let dark = shot("dark.png", "--blink-settings=preferredColorScheme=0");
    assert!(share(&dark, PAPER_IN_THE_DARK) > 0.6 && share(&dark, PAPER) < 0.01);
    assert!(share(&dark, SERIES_IN_THE_DARK) > 2e-4, "{}", share(&dark, SERIES_IN_THE_DARK));
}
