//! `carom fmb`, run as a user runs it.

use super::*;

const HEADER: &str = "a_type,a_o0,a_o1,a_c00,a_c01,a_c10,a_c11,b_type,b_o0,b_o1,b_c00,b_c01,b_c10,b_c11";
/// A unit square, and the same moved to the right.
const SQUARES: [&str; 3] =
    ["C,0,0,1,0,0,1,C,0.5,0.25,1,0,0,1", "C,0,0,1,0,0,1,C,1,0,1,0,0,1", "C,0,0,1,0,0,1,T,0.75,0,1,0,0,1"];

fn table(header: &str, lines: &[&str]) -> String {
    format!("{header}\n{}\n", lines.join("\n"))
}

/// Feeds text to a command and returns what it prints.
fn piped(arguments: &[&str], input: &str) -> Output {
    let mut child =
        carom(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
    child.wait_with_output().unwrap()
}

#[test]
fn pairs_are_tested_in_the_order_of_the_file() {
    let scratch = Scratch::new();
    let pairs = scratch.file("pairs.csv", table(HEADER, &SQUARES));
    assert_eq!(success(&["fmb", "test", "--in", &pairs]), "hit\n1\n0\n1\n");
    let out = scratch.name("results.csv");
    let told =
        success(&["fmb", "test", "--dim", "2", "--in", &pairs, "--out", &out, "--boxes", "--local-boxes"]);
    assert!(told.contains("2 of 3 pairs intersect"), "{told}");
    assert_eq!(
        header(&scratch.path("results.csv")),
        "hit,min0,min1,max0,max1,local_min0,local_min1,local_max0,local_max1"
    );
    let found = rows(&scratch.path("results.csv"));
    let close = |row: &[f64], expected: &[f64]| {
        assert_eq!(row.len(), expected.len());
        assert!(row.iter().zip(expected).all(|(x, y)| (x - y).abs() < 1e-12), "{row:?}");
    };
    close(&found[0], &[1.0, 0.5, 0.25, 1.0, 1.0, 0.0, 0.0, 0.5, 0.75]);
    assert!(found[1][0] == 0.0 && found[1].len() == 9 && found[1][1..].iter().all(|x| x.is_nan()));
    close(&found[2], &[1.0, 0.75, 0.0, 1.0, 1.0, 0.0, 0.0, 0.25, 1.0]);
    assert_eq!(names(scratch.0.path()), ["pairs.csv", "results.csv"]);
    // The pairs are not overwritten by mistake.
    let said = refusal(&["fmb", "test", "--in", &pairs, "--out", &scratch.name("./pairs.csv")]);
    assert!(said.contains("this is the table of pairs"), "{said}");
    assert_eq!(fs::read_to_string(&pairs).unwrap(), table(HEADER, &SQUARES));
}

#[test]
fn columns_are_found_by_name_and_input_may_come_through_a_pipe() {
    // Shuffled, quoted, with spaces, blank lines and the line ends and the mark of spreadsheets.
    let header =
        "\u{feff}b_c11, b_c10,b_c01,b_c00,b_o1,b_o0,\"b_type\",a_type,a_o0,a_o1,a_c00,a_c01,a_c10,a_c11";
    let text =
        format!("{header}\r\n\r\n1,0,0,1,0,0.5,\"T\",C,0,0, 1e0 ,0,0,1\r\n\r\n1,0,0,1,0,5,C,C,0,0,1,0,0,1");
    for threads in ["1", "2"] {
        let output = piped(&["fmb", "test", "--in", "-", "--out", "-", "--threads", threads], &text);
        assert_eq!((output.status.code(), text_of(&output).as_str()), (Some(0), "hit\n1\n0\n"));
    }
    let none = piped(&["fmb", "test", "--in", "-"], HEADER);
    assert_eq!((none.status.code(), text_of(&none).as_str()), (Some(0), "hit\n"));
}

fn text_of(output: &Output) -> String {
    text(&output.stdout) + &text(&output.stderr)
}

#[test]
fn moving_pairs_have_times() {
    let scratch = Scratch::new();
    let frame = |side: &str| {
        let name = |what: &str| format!("{side}_{what}");
        [
            "type", "o0", "o1", "o2", "c00", "c01", "c02", "c10", "c11", "c12", "c20", "c21", "c22", "v0",
            "v1", "v2",
        ]
        .map(name)
        .join(",")
    };
    let header = format!("{},{}", frame("a"), frame("b"));
    let unit = "1,0,0,0,1,0,0,0,1";
    let meet = format!("C,0,0,0,{unit},1,0,0,C,2,0,0,{unit},-1,0,0");
    let pairs = scratch.file("pairs.csv", table(&header, &[&meet, &meet.replace("-1,0,0", "1,0,0")]));
    let out = scratch.name("results.csv");
    success(&["fmb", "test", "--dim", "3", "--moving", "--times", "--boxes", "--in", &pairs, "--out", &out]);
    let found = rows(&scratch.path("results.csv"));
    // From contact at 0.5 s to the end at 1 s, when both are where the other one is.
    let expected = [1.0, 0.5, 1.0, 1.0, 0.0, 0.0, 2.0, 1.0, 1.0];
    assert!(found[0].iter().zip(expected).all(|(x, y)| (x - y).abs() < 1e-12), "{:?}", found[0]);
    assert_eq!((found[0].len(), found[1][0]), (9, 0.0));
    let short = ["fmb", "test", "--moving", "--duration", "0.5", "--in", &pairs];
    assert_eq!(success(&short), "hit\n0\n0\n");
    assert!(refusal(&["fmb", "test", "--duration", "0.5", "--in", &pairs]).contains("--moving"));
    assert!(refusal(&["fmb", "test", "--moving", "--duration", "0", "--in", &pairs]).contains("above 0"));
    let said = refusal(&["fmb", "test", "--in", &pairs]);
    assert!(said.contains("\"a_v0\": velocities need --moving"), "{said}");
}

#[test]
fn normals_are_columns_after_the_others() {
    let scratch = Scratch::new();
    let pairs = scratch.file("pairs.csv", table(HEADER, &SQUARES));
    let printed = success(&["fmb", "test", "--in", &pairs, "--normals"]);
    let lines: Vec<_> = printed.lines().collect();
    assert_eq!(lines[0], "hit,normal0,normal1,depth,point0,point1");
    assert_eq!(lines[1], "1,1.0,0.0,0.5,0.75,0.625");
    assert_eq!(lines[2], "0,,,,,");
    assert!(lines[3].starts_with("1,1.0,0.0,0.25,"), "{}", lines[3]);
    let both = success(&["fmb", "test", "--in", &pairs, "--normals", "--local-boxes"]);
    assert!(
        both.lines().next().unwrap().ends_with("local_max0,local_max1,normal0,normal1,depth,point0,point1")
    );
    // A square that arrives from the right after a quarter of a second.
    let header = HEADER.replace("a_c11,", "a_c11,a_v0,a_v1,") + ",b_v0,b_v1";
    let moving = scratch.file("moving.csv", table(&header, &["C,0,0,1,0,0,1,0,0,C,2,0.5,1,0,0,1,-4,0"]));
    success(&["fmb", "test", "--moving", "--normals", "--in", &moving, "--out", &scratch.name("out.csv")]);
    let found = &rows(&scratch.path("out.csv"))[0];
    let expected = [1.0, 1.0, 0.0, 0.0, 1.0, 0.75];
    assert!(found.iter().zip(expected).all(|(x, y)| (x - y).abs() < 1e-12), "{found:?}");
    assert_eq!(found.len(), expected.len());
}

#[test]
fn a_bad_line_is_named_and_nothing_is_written() {
    let scratch = Scratch::new();
    let good = SQUARES[0];
    for (bad, expected) in [
        (good.replace("0.25", "x"), "column b_o1: \"x\" is not a number"),
        (good.replace("0.25", ""), "column b_o1: \"\" is not a number"),
        (good.replace("0.25", "nan"), "column b_o1: \"nan\" is not finite"),
        (good.replace("0.25", "-inf"), "column b_o1: \"-inf\" is not finite"),
        (good.replace("0.25", "1e200"), "column b_o1: \"1e200\" is above 1e150"),
        (good.replacen('C', "Q", 1), "column a_type: \"Q\" is neither C nor T"),
        (
            good.replace("C,0,0,1,0,0,1", "C,0,0,1,2,2,4"),
            "columns a_c00 to a_c11: frame a: the components are dependent",
        ),
        (format!("{good},1"), "15 columns, the header has 14"),
        (good.replace(",0.25", ""), "13 columns, the header has 14: it ends before b_c11"),
        ("hello".into(), "1 columns, the header has 14: it ends before a_o0"),
    ] {
        let pairs = scratch.file("pairs.csv", table(HEADER, &[good, "", &bad, good]));
        let said = refusal(&["fmb", "test", "--in", &pairs, "--out", &scratch.name("results.csv")]);
        assert!(said.contains("pairs.csv: line 4: ") && said.contains(expected), "{said}");
        assert_eq!(names(scratch.0.path()), ["pairs.csv"]);
        let output = run(&["fmb", "test", "--in", &pairs]);
        assert!(output.stdout.is_empty() && output.status.code() == Some(2));
    }
}

#[test]
fn a_bad_header_is_named() {
    let scratch = Scratch::new();
    for (header, arguments, expected) in [
        (HEADER.replace(",a_c10", ""), vec![], "line 1: the column a_c10 is missing"),
        (HEADER.replace("a_c10", "a_x"), vec![], "line 1: there is no column \"a_x\""),
        (HEADER.replace("a_c10", "a_c00"), vec![], "line 1: the column a_c00 appears twice"),
        (HEADER.to_owned() + ",a_c22", vec![], "\"a_c22\": it needs --dim 3"),
        (HEADER.to_owned(), vec!["--dim", "3"], "the column a_o2 is missing"),
        (HEADER.to_owned(), vec!["--moving"], "the column a_v0 is missing"),
        (HEADER.to_owned(), vec!["--dim", "4"], "4 is not in 2..=3"),
        (SQUARES[0].to_owned(), vec![], "no column \"C\": the first line must name the columns"),
        (HEADER.replace(',', ";"), vec![], ": columns are separated by commas"),
        (HEADER.replace(',', "\t"), vec![], ": columns are separated by commas"),
        (String::new(), vec![], "pairs.csv: the file is empty: there is no header"),
    ] {
        let pairs = scratch.file("pairs.csv", table(&header, &[]));
        let said = refusal(&[&["fmb", "test", "--in", &pairs][..], &arguments].concat());
        assert!(said.contains(expected), "{header}: {said}");
    }
    assert!(
        refusal(&["fmb", "test", "--in", &scratch.name("missing.csv")]).contains("missing.csv: No such file")
    );
    assert!(refusal(&["fmb"]).contains("Usage"));
}

#[test]
fn many_lines_come_out_one_for_one() {
    let scratch = Scratch::new();
    let count = 70_000;
    let line =
        |n: usize| format!("C,0,0,1,0,0,1,C,{},0,1,0,0,1\n", if n.is_multiple_of(3) { "0.5" } else { "7" });
    let pairs = scratch.file("pairs.csv", format!("{HEADER}\n{}", (0..count).map(line).collect::<String>()));
    let found = success(&["fmb", "test", "--in", &pairs]);
    assert_eq!(found.lines().count(), count + 1);
    assert!(found.lines().skip(1).enumerate().all(|(n, hit)| (hit == "1") == n.is_multiple_of(3)));
}

#[test]
fn validation_finds_no_disagreement() {
    let told = success(&["fmb", "validate", "--pairs", "300", "--seed", "5"]);
    for case in ["2D static", "2D dynamic", "3D static", "3D dynamic"] {
        assert!(told.contains(&format!("===== {case} =====\n")), "{told}");
    }
    assert_eq!(told.matches("has succeeded.").count(), 4);
    assert_eq!(
        told.matches("300 pairs in both orders by batch, reference and SAT: 0 disagreements").count(),
        4
    );
}

#[test]
fn validation_for_scripts_is_the_same_for_any_number_of_threads() {
    let validate = |threads: &str, extra: &[&str]| {
        let arguments = ["fmb", "validate", "--pairs", "2000", "--dim", "2", "--json", "--threads", threads];
        success(&[&arguments[..], extra].concat())
    };
    let told = validate("1", &["--moving"]);
    assert_eq!(told, validate("3", &["--moving"]));
    let summary: serde_json::Value = serde_json::from_str(&told).unwrap();
    assert_eq!((&summary["agree"], &summary["seed"]), (&true.into(), &1.into()));
    let [case] = summary["cases"].as_array().unwrap().as_slice() else { panic!("{told}") };
    let count = |name: &str| case[name].as_u64().unwrap();
    assert_eq!((count("dim"), count("pairs"), count("disagreements")), (2, 2000, 0));
    assert_eq!(count("intersections") + count("no_intersections"), 4000);
    // Of random pairs in 2D 37 in 100 meet on their way; of pairs with overlapping boxes most do.
    assert!((1300..1700).contains(&count("intersections")), "{told}");
    let near: serde_json::Value = serde_json::from_str(&validate("2", &["--resting", "--near"])).unwrap();
    assert!(near["cases"][0]["intersections"].as_u64().unwrap() > 2000, "{near}");
    assert!(refusal(&["fmb", "validate", "--moving", "--resting"]).contains("--resting"));
    assert!(refusal(&["fmb", "validate", "--pairs", "0"]).contains("--pairs"));
}

#[test]
fn figures_of_the_bench_have_names() {
    let bench = |extra: &[&str]| {
        let arguments = ["fmb", "bench", "--pairs", "500", "--repeat", "2", "--json"];
        let told = success(&[&arguments[..], extra].concat());
        assert_eq!(told.lines().count(), 1);
        serde_json::from_str::<serde_json::Value>(&told).unwrap()
    };
    let figures = bench(&["--frames", "64", "--moving", "--threads", "2"]);
    for name in [
        "ns_per_pair",
        "pairs_per_second",
        "reference_ns_per_pair",
        "sat_ns_per_pair",
        "prepare_ns_per_frame",
        "batch_ns_per_pair",
        "reference_over_batch",
        "sat_over_prepared_batch",
        "cores",
    ] {
        assert!(figures[name].as_f64().unwrap() > 0.0, "{name}: {figures}");
    }
    let is = |name: &str, expected: serde_json::Value| assert_eq!(figures[name], expected, "{name}");
    is("dim", 3.into());
    is("moving", true.into());
    is("near", false.into());
    is("mix", "mix".into());
    is("threads", 2.into());
    is("frames", 64.into());
    is("bytes_per_pair", (2 * (80 + 32) + 8).into());
    assert!(figures["hits"].as_u64().unwrap() > 0 && figures["exact_redone"].is_u64());
    is("bounds_redone", 0.into());
    // Several threads have no clock of their own; the contenders run on one.
    is("clock", "wall clock".into());
    is("compared_by", "processor time of the thread".into());
    is("compared_pairs", 500.into());
    let number = |name: &str| figures[name].as_f64().unwrap();
    assert!(number("prepared_batch_ns_per_pair") > number("batch_ns_per_pair"));
    assert!(!figures["processor"].as_str().unwrap().is_empty() && figures["level"].is_string());

    // The same frames, now as two sets: no list of pairs to read.
    let paired = bench(&["--dim", "2", "--paired", "--near", "--mix", "CT", "--times", "--boxes"]);
    assert_eq!((&paired["bytes_per_pair"], &paired["frames"]), (&(2 * (32 + 32)).into(), &500.into()));
    assert!(paired["hits"].as_u64().unwrap() > 150, "{paired}");
    let told = success(&["fmb", "bench", "--pairs", "100", "--frames", "50", "--repeat", "1", "--mix", "TC"]);
    assert!(told.contains("ns/pair") && told.contains("million pairs/s"), "{told}");
    for said in [
        "all pairs, threads: 1, processor time of the thread:",
        "the same 100 pairs for each, one thread",
        "cores: ",
    ] {
        assert!(told.contains(said), "{told}");
    }
    success(&["fmb", "bench", "--mix", "ct", "--pairs", "1e3", "--frames", "1e2", "--repeat", "1"]);
    assert!(refusal(&["fmb", "bench", "--frames", "1"]).contains("at least 2"));
    assert!(refusal(&["fmb", "bench", "--pairs", "1e10"]).contains("at most 4294967295"));
    assert!(refusal(&["fmb", "bench", "--mix", "XX"]).contains("CC, CT, TC, TT"));
    assert!(refusal(&["fmb", "bench", "--paired", "--frames", "9"]).contains("--frames"));
}

#[test]
fn frames_of_each_orientation_are_validated() {
    for orientation in ["tilted", "upright", "aligned", "lattice"] {
        let arguments = ["fmb", "validate", "--pairs", "1500", "--json", "--orientation", orientation];
        let told = success(&arguments);
        let summary: serde_json::Value = serde_json::from_str(&told).unwrap();
        assert_eq!((&summary["agree"], &summary["orientation"]), (&true.into(), &orientation.into()));
        for case in summary["cases"].as_array().unwrap() {
            assert!(case["intersections"].as_u64().unwrap() > 0, "{told}");
            // Only frames that touch need exact arithmetic.
            let redone = case["exact_redone"].as_u64().unwrap();
            assert_eq!(redone > 0, orientation == "lattice", "{told}");
        }
    }
    let text = success(&["fmb", "validate", "--pairs", "50", "--dim", "3", "--orientation", "lattice"]);
    assert!(text.contains("3D static, lattice") && text.contains("by batch and SAT: 0 dis"), "{text}");
    let random = ["fmb", "validate", "--pairs", "300", "--dim", "3", "--json"];
    assert_eq!(success(&random), success(&[&random[..], &["--orientation", "random"]].concat()));
    let said = refusal(&["fmb", "validate", "--orientation", "sideways"]);
    assert!(said.contains("random, tilted, upright, aligned, lattice"), "{said}");
}

#[test]
fn the_bench_and_the_qualification_take_an_orientation() {
    let bench = ["fmb", "bench", "--pairs", "2000", "--frames", "256", "--repeat", "1"];
    let told = success(&[&bench[..], &["--orientation", "upright", "--json"]].concat());
    let figures: serde_json::Value = serde_json::from_str(&told).unwrap();
    assert_eq!((&figures["orientation"], &figures["exact_redone"]), (&"upright".into(), &0.into()));
    assert!(figures["hits"].as_u64().unwrap() > 100, "{told}");
    let told = success(&[&bench[..], &["--orientation", "lattice", "--mix", "CC"]].concat());
    assert!(told.contains("3D resting, CC, lattice: ") && !told.contains(" 0 decided in exact"), "{told}");

    let scratch = Scratch::new();
    let out = scratch.name("boxes");
    let qualify = ["fmb", "qualify", "--out", &out, "--dim", "3", "--pairs", "8", "--runs", "2", "--force"];
    for orientation in ["aligned", "lattice"] {
        success(&[&qualify[..], &["--orientation", orientation]].concat());
        let page = fs::read_to_string(scratch.path("boxes/index.html")).unwrap();
        assert!(page.contains(&format!("seed 1, {orientation}.")), "{orientation}");
    }
}

const QUALIFICATION: &str = "percPairInter,countInterTo,countNoInterTo,minInterTo,avgInterTo,maxInterTo,\
                             minNoInterTo,avgNoInterTo,maxNoInterTo,minTotalTo,avgTotalTo,maxTotalTo";

#[test]
fn the_qualification_has_tables_plots_and_a_page() {
    let scratch = Scratch::new();
    let out = scratch.name("all");
    let told = success(&["fmb", "qualify", "--out", &out, "--pairs", "8", "--runs", "2"]);
    assert!(told.contains("2D dynamic, overlapping boxes only") && told.contains("index.html"), "{told}");
    let mut expected = vec!["index.html".to_owned()];
    for case in ["2D", "2DTime", "3D", "3DTime"] {
        for class in ["", "CC", "CT", "TC", "TT"] {
            for end in ["", "NearOnly", "_batch", "NearOnly_batch", "_prepared", "NearOnly_prepared"] {
                let name = format!("qualification{case}{class}{end}");
                let columns = if class.is_empty() { "To" } else { class };
                let names = QUALIFICATION
                    .replace("To,", &format!("{columns},"))
                    .replace("TotalTo", &format!("Total{columns}"));
                assert_eq!(header(&scratch.path(&format!("all/{name}.csv"))), names, "{name}");
                let svg = fs::read_to_string(scratch.path(&format!("all/{name}.svg"))).unwrap();
                assert_well_formed(&svg);
                assert!(
                    svg.contains("share of hits")
                        && svg.contains("over SAT")
                        && svg.contains("\navg of hits\n"),
                    "{svg}"
                );
                expected.extend([format!("{name}.csv"), format!("{name}.svg")]);
            }
        }
    }
    expected.sort();
    assert_eq!(names(&scratch.path("all")), expected);
    let page = fs::read_to_string(scratch.path("all/index.html")).unwrap();
    assert_eq!((page.matches("<svg ").count(), page.matches("<table>").count()), (120, 120));
    assert!(page.contains("The FMB Algorithm") && page.contains("prefers-color-scheme: dark"));
    let headline = page.split_once("<table class=\"headline\">").unwrap().1.split_once("</table>").unwrap().0;
    assert!(
        headline.contains("<th scope=\"row\">3D dynamic</th>") && headline.contains("batch with preparation")
    );
    assert!(page.contains("processor time of the thread on one thread each") && page.contains("cores: "));
    // Plots take the colours of the page.
    assert!(
        page.contains("\"var(--paper)\"") && !page.contains("\"#FFFFFF\"") && !page.contains("\"#000000\"")
    );
    assert!(!page.contains("src=") && !page.contains("href="), "the page needs nothing else");
    assert_well_formed(page.split_once("<body>").unwrap().1.split_once("</body>").unwrap().0);
}

/// Every tag that opens closes again, in order.
fn assert_well_formed(markup: &str) {
    let mut open = Vec::new();
    for tag in markup.split('<').skip(1).map(|rest| rest.split_once('>').expect("a tag ends").0) {
        if let Some(name) = tag.strip_prefix('/') {
            assert_eq!(open.pop(), Some(name));
        } else if !tag.ends_with('/') {
            open.push(tag.split_whitespace().next().unwrap());
        }
    }
    assert!(open.is_empty(), "{open:?}");
}

#[test]
fn rows_of_the_qualification_add_up() {
    let scratch = Scratch::new();
    let out = scratch.name("one");
    let qualify =
        ["fmb", "qualify", "--out", &out, "--dim", "2", "--resting", "--pairs", "60", "--runs", "3"];
    success(&[&qualify[..], &["--no-near"]].concat());
    assert_eq!(names(&scratch.path("one")).len(), 2 * 3 * 5 + 1);
    let table = |name: &str| rows(&scratch.path(&format!("one/qualification2D{name}.csv")));
    for (end, pairs) in [("", 2.0 * 60.0), ("_batch", 16.0 * 2.0 * 60.0), ("_prepared", 16.0 * 2.0 * 60.0)] {
        let total = table(end);
        assert_eq!(total.iter().map(|row| row[0]).collect::<Vec<_>>(), [0.1, 0.5, 0.9]);
        for (n, row) in total.iter().enumerate() {
            assert_eq!(row[1] + row[2], pairs);
            let classes = ["CC", "CT", "TC", "TT"].map(|class| table(&format!("{class}{end}"))[n][1]);
            assert_eq!(classes.iter().sum::<f64>(), row[1]);
            for spread in row[3..].chunks(3) {
                assert!(spread[0] > 0.0 && spread[0] <= spread[1] && spread[1] <= spread[2], "{row:?}");
            }
            assert!((row[0] * row[4] + (1.0 - row[0]) * row[7] - row[10]).abs() < 1e-5, "{row:?}");
        }
    }
    let said = refusal(&qualify);
    assert!(said.contains("already exists") && said.contains("--force"), "{said}");
    success(&[&qualify[..], &["--near-only", "--force"]].concat());
    assert_eq!(names(&scratch.path("one")).len(), 2 * (2 * 3 * 5) + 1);
    let file = scratch.file("taken", "");
    assert!(refusal(&["fmb", "qualify", "--out", &file]).contains("taken"));
    assert!(refusal(&["fmb", "qualify", "--out", &out, "--runs", "1"]).contains("--runs"));
}

#[cfg(target_os = "linux")]
#[test]
fn a_closed_pipe_is_no_failure_and_a_full_disk_is_one() {
    let scratch = Scratch::new();
    let pairs = scratch.file("pairs.csv", table(HEADER, &SQUARES));
    let full = || fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let validate = vec!["fmb", "validate", "--pairs", "9", "--dim", "2"];
    for arguments in [vec!["fmb", "test", "--in", &pairs], validate, vec!["fmb", "--help"]] {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let output = carom(&arguments).stdout(writer).output().unwrap();
        assert!(output.status.code() == Some(0) && output.stderr.is_empty(), "{}", text(&output.stderr));
        let output = carom(&arguments).stdout(full()).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(text(&output.stderr).contains("standard output: No space"), "{}", text(&output.stderr));
    }
    let said = refusal(&["fmb", "test", "--in", &pairs, "--out", "/dev/full"]);
    assert!(said.contains("/dev/full: No space"), "{said}");
    let said = refusal(&["fmb", "test", "--in", &pairs, "--out", &scratch.name("no/such/results.csv")]);
    assert!(said.contains("results.csv: No such file"), "{said}");
}

#[cfg(unix)]
#[test]
fn an_interrupted_qualification_writes_nothing() {
    use std::time::{Duration, Instant};

    let scratch = Scratch::new();
    let mut child = carom(&["fmb", "qualify", "--pairs", "1000000", "--out", &scratch.name("run")])
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let deadline = Instant::now() + Duration::from_secs(60);
    // The directory is made once the signals are watched.
    while !scratch.path("run").exists() {
        assert!(Instant::now() < deadline, "it does not start");
        std::thread::sleep(Duration::from_millis(5));
    }
    let id = i32::try_from(child.id()).unwrap();
    // SAFETY: kill takes two integers and touches no memory of ours.
    assert_eq!(unsafe { libc::kill(id, libc::SIGINT) }, 0);
    let mut said = String::new();
    child.stderr.take().unwrap().read_to_string(&mut said).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(3), "{said}");
    assert!(said.contains("interrupted; nothing is written"), "{said}");
    assert!(!scratch.path("run").exists(), "the directory was made for the results");
}
