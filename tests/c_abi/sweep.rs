//! Every function of rigid bodies with one bad argument at a time: what it returns, whether its description says so, and that
//! nothing has changed.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt::Write;
use std::path::Path;
use std::process::Command;

use carom::capi::status::*;

use crate::support::{Language, SANITIZE, build, command, has, has_sanitizer, root, run};

/// What any function may return, by the top of the header.
const ANYWHERE: [carom_status; 5] =
    [CAROM_OK, CAROM_NULL_POINTER, CAROM_MISALIGNED, CAROM_BUSY, CAROM_OUT_OF_MEMORY];
/// A call that fails stores these all the same, by its description.
const STORED_ON_FAILURE: [&str; 3] =
    ["carom_space_step_many", "carom_spaces_step_many", "carom_space_to_memory"];

/// A parameter of a function.
struct Parameter {
    /// Its type without `const` and `struct`.
    kind: String,
    name: String,
    is_const: bool,
    about: String,
}

struct Function {
    name: String,
    parameters: Vec<Parameter>,
    /// The part of its description after `\return`.
    returns: String,
}

/// A place where a call is made, as in `tests/c/sweep.h`.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Between,
    InContact,
    BusyHandle,
    AfterStep,
}

/// A call with one bad argument: its name, what is bad, and what to do before the call.
struct Variant {
    argument: String,
    value: String,
    prelude: String,
    arguments: Vec<String>,
}

/// The part of the header about rigid bodies.
fn section() -> String {
    let header = std::fs::read_to_string(root().join("include/carom.h")).unwrap();
    let (_, section) = header.split_once("\n * Rigid bodies\n").unwrap();
    section.split_once("\n * Studies\n").unwrap().0.to_owned()
}

/// The functions that return a status, with their descriptions.
fn functions(section: &str) -> Vec<Function> {
    let mut functions = Vec::new();
    for block in section.split("\n\n").filter(|block| block.contains("\ncarom_status ")) {
        let (comment, code) = block.split_once("\ncarom_status ").unwrap();
        let (name, rest) = code.split_once('(').unwrap();
        let comment: String =
            comment.lines().map(|line| line.trim_start_matches([' ', '*', '/']).to_owned() + "\n").collect();
        let (described, returns) = comment.split_once("\\return").unwrap_or((&comment, ""));
        let about = abouts(described);
        let parameters = rest.split_once(')').unwrap().0.split(',').map(|text| parameter(text, &about));
        functions.push(Function {
            name: name.into(),
            parameters: parameters.collect(),
            returns: returns.into(),
        });
    }
    functions
}

/// Names of the functions that are swept.
pub(crate) fn names() -> Vec<String> {
    functions(&section()).into_iter().map(|function| function.name).collect()
}

/// The description of each parameter.
fn abouts(described: &str) -> HashMap<String, String> {
    let parts = described.split("\\param ").skip(1);
    parts.filter_map(|part| part.split_once(' ')).map(|(name, about)| (name.into(), about.into())).collect()
}

fn parameter(text: &str, about: &HashMap<String, String>) -> Parameter {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let end = text.rfind([' ', '*']).unwrap() + 1;
    let (kind, name) = (text[..end].trim(), text[end..].to_owned());
    let is_const = kind.starts_with("const ");
    let kind = kind.trim_start_matches("const ").trim_start_matches("struct ").replace(" *", "*");
    let about = about.get(&name).cloned().unwrap_or_default();
    Parameter { kind, name, is_const, about }
}

/// Names and types of the numbers in each struct of the section: fields that are doubles, or vectors of them.
fn numbers(section: &str) -> HashMap<String, Vec<String>> {
    let mut structs = HashMap::new();
    for part in section.split("typedef struct ").skip(1) {
        let Some((name, rest)) = part.split_once(" {\n") else { continue };
        let Some((body, _)) = rest.split_once("\n}") else { continue };
        let mut fields = Vec::new();
        for line in body.lines().map(str::trim) {
            let field = |prefix: &str| line.strip_prefix(prefix).and_then(|rest| rest.strip_suffix(';'));
            if let Some(field) = field("double ") {
                fields.push(field.to_owned());
            } else if let Some(field) = field("struct carom_vec2 ") {
                fields.extend([format!("{field}.x"), format!("{field}.y")]);
            } else if let Some(field) = field("struct carom_bounds ") {
                let ends = ["min.x", "min.y", "max.x", "max.y"];
                fields.extend(ends.map(|end| format!("{field}.{end}")));
            }
        }
        structs.insert(name.to_owned(), fields);
    }
    structs
}

/// A valid argument. Outputs get a buffer each.
fn valid(function: &str, parameter: &Parameter, outputs: &mut usize) -> String {
    let mut output = |kind: &str| {
        *outputs += 1;
        format!("({kind})out[{}]", *outputs - 1)
    };
    let (kind, name) = (parameter.kind.as_str(), parameter.name.as_str());
    match (kind, name) {
        ("carom_space*", _) => "in.space".into(),
        ("carom_spaces*", _) => "in.spaces".into(),
        ("carom_space_snapshot*", _) => "in.snapshot".into(),
        ("carom_arbiter*", _) => "in.arbiter".into(),
        ("carom_context*", _) => "NULL".into(),
        ("carom_body", _) if function == "carom_space_set_static_body" => "in.s.ground".into(),
        ("carom_body", _) => "in.s.ball".into(),
        ("carom_shape", "a") => "in.s.floor".into(),
        ("carom_shape", "b") => "in.s.round".into(),
        ("carom_shape", _) if function.contains("_polygon_") => "in.brick".into(),
        ("carom_shape", _) if function.contains("_segment_") && !function.ends_with("_query") => {
            "in.s.floor".into()
        }
        ("carom_shape", _) => "in.s.round".into(),
        ("carom_shape*", _) if parameter.is_const => "&in.of_ball".into(),
        ("carom_vec2", "b" | "end") => "vec2(1.25, 0.5)".into(),
        ("carom_vec2", _) => "vec2(0.25, 0.5)".into(),
        ("carom_bounds", _) => "in.box_queries[0].bounds".into(),
        ("double", "dt") => "1.0 / 60.0".into(),
        ("double", "tolerance" | "radius") => "0.25".into(),
        ("double", _) => "1.0".into(),
        ("carom_space_options*" | "carom_body_options*" | "carom_shape_options*", _)
            if !function.ends_with("_init") =>
        {
            format!("&in.{}", &kind["carom_".len()..kind.len() - 1])
        }
        ("carom_handler*", _) if parameter.is_const => "&in.handler".into(),
        ("carom_geometry*", _) if parameter.is_const => "&in.geometry".into(),
        ("carom_affine*", _) => "&in.affine".into(),
        ("carom_filter*", _) => "&in.filter".into(),
        ("carom_contact_set*", _) if parameter.is_const => "&in.set".into(),
        ("carom_vec2*", "previous" | "next") if parameter.is_const => format!("&in.{name}"),
        ("carom_vec2*", _) if parameter.is_const => "in.points".into(),
        ("double*", _) if parameter.is_const => "in.values".into(),
        ("uint32_t*", _) if parameter.is_const => "in.which".into(),
        ("uint64_t*", _) if parameter.is_const => "&in.seed".into(),
        ("size_t*", _) if parameter.is_const => "in.indices".into(),
        ("carom_space*const*" | "carom_space* const*", _) => "in.prototypes".into(),
        ("carom_point_query*" | "carom_segment_query*" | "carom_box_query*" | "carom_shape_query*", _) => {
            format!("in.{}ies", &kind["carom_".len()..kind.len() - 2])
        }
        ("char*", "name") => "\"stack\"".into(),
        ("char*", "text") => "in.toml".into(),
        ("char*", _) if function.contains("_save") => "in.copy".into(),
        ("char*", _) => "in.file".into(),
        ("FILE*", _) => "in.stream".into(),
        ("void*", "bytes") => "saved".into(),
        ("void*", "user") => "NULL".into(),
        ("carom_post_step_callback", _) => "after_step".into(),
        ("carom_velocity_callback", _) => "velocity_update".into(),
        ("carom_position_callback", _) => "position_update".into(),
        ("size_t", "size") => "saved_size".into(),
        ("size_t", "capacity") if function.contains("memory") => "OUTPUT_BYTES".into(),
        ("size_t", "capacity") => "4".into(),
        ("size_t", "index") => "0".into(),
        ("size_t", "prototype_count") => "1".into(),
        ("size_t", _) if function == "carom_space_set_column" => "in.rows".into(),
        ("size_t", _) if function.contains("_queries") || function == "carom_spaces_reset" => "2".into(),
        ("size_t", _) => "3".into(),
        ("carom_format", _) => "CAROM_FORMAT_SNAPSHOT".into(),
        ("carom_body_field", _) => "CAROM_BODY_VELOCITY_X".into(),
        ("carom_body_kind", _) => "CAROM_BODY_KINEMATIC".into(),
        ("uint32_t" | "uint64_t" | "int32_t", _) => "2".into(),
        _ if kind.ends_with('*') && !parameter.is_const => output(kind),
        _ => panic!("no valid argument for {name} of {function}, a {kind}"),
    }
}

/// The struct that a pointer leads to, if `in` has it: what stands before its fields.
fn struct_of(argument: &str) -> Option<String> {
    let place = argument.strip_prefix("&in.").map(|name| format!("in.{name}"));
    place.or_else(|| argument.ends_with("queries").then(|| format!("{argument}[1]")))
}

/// Bad values of one parameter, as (name, value, what to do first, argument).
fn bad(
    parameter: &Parameter,
    valid: &str,
    numbers: &HashMap<String, Vec<String>>,
) -> Vec<(String, String, String, String)> {
    let mut bad = Vec::new();
    let name = &parameter.name;
    let mut add = |value: &str, argument: String| {
        bad.push((name.clone(), value.to_owned(), String::new(), argument));
    };
    let infinite = ["NAN", "INFINITY", "-INFINITY", "-1.0"];
    match parameter.kind.as_str() {
        "double" => infinite.iter().for_each(|number| add(number, (*number).into())),
        "carom_vec2" => {
            for number in infinite {
                add(number, format!("vec2({number}, 0.5)"));
                add(number, format!("vec2(0.25, {number})"));
            }
        }
        "carom_body" => {
            ["dead", "none"].iter().zip(["in.dead_body", "in.no_body"]).for_each(|(v, a)| add(v, a.into()));
        }
        "carom_shape" => {
            ["dead", "none"].iter().zip(["in.dead_shape", "in.no_shape"]).for_each(|(v, a)| add(v, a.into()));
        }
        "size_t" if name == "index" => add("beyond", "99".into()),
        // So many bytes could be there, and the library would read them.
        "size_t" if valid == "saved_size" => {}
        "size_t" => add("huge", "SIZE_MAX / 2".into()),
        "uint32_t" | "uint64_t" | "int32_t" => {}
        kind if kind.starts_with("carom_") && !kind.ends_with(['*', 's']) => {
            add("unknown", if kind.ends_with("_callback") { "NULL".into() } else { "77".into() });
        }
        _ => {}
    }
    let kind = &parameter.kind;
    if kind.ends_with('*') && name != "user" {
        add("NULL", "NULL".into());
        if !["char*", "void*", "FILE*"].contains(&kind.as_str()) && valid != "NULL" {
            let constant = if parameter.is_const { "const " } else { "" };
            // The star of a pointer to a constant pointer stands after the constant.
            let cast = if kind.contains("const") {
                "const carom_space *const *".into()
            } else {
                format!("{constant}{kind}")
            };
            add("misaligned", format!("({cast})((uintptr_t){valid} + 1)"));
        }
    }
    if kind.as_str() == "carom_bounds" {
        for end in ["min.x", "min.y", "max.x", "max.y"] {
            for number in &infinite[..3] {
                let prelude = format!("{valid}.{end} = {number};");
                bad.push((format!("{name}.{end}"), (*number).into(), prelude, valid.into()));
            }
        }
    }
    if let (Some(place), Some(fields)) = (struct_of(valid), numbers.get(kind.trim_end_matches('*'))) {
        // What is only written may hold anything before.
        for field in fields.iter().filter(|_| parameter.is_const) {
            for number in infinite {
                let prelude = format!("{place}.{field} = {number};");
                bad.push((format!("{name}->{field}"), number.into(), prelude, valid.into()));
            }
        }
        let sizes = ["0", "4", "12", "5000"].iter().filter(|_| SIZED.contains(&kind.as_str()));
        for size in sizes {
            let prelude = format!("{place}.struct_size = {size};");
            bad.push((format!("{name}->struct_size"), "size".into(), prelude, valid.into()));
        }
    }
    bad
}

/// Structs that start with their size.
const SIZED: [&str; 5] = [
    "carom_space_options*",
    "carom_body_options*",
    "carom_shape_options*",
    "carom_handler*",
    "carom_geometry*",
];

/// All calls of a function: everything valid first, then one bad argument at a time.
fn variants(function: &Function, numbers: &HashMap<String, Vec<String>>) -> Vec<Variant> {
    let mut outputs = 0;
    let mut arguments: Vec<String> =
        function.parameters.iter().map(|parameter| valid(&function.name, parameter, &mut outputs)).collect();
    if let [options, _] = &function.parameters[..]
        && function.name.ends_with("_init")
    {
        arguments[1] = format!("sizeof({})", options.kind.trim_end_matches('*'));
    }
    let base = Variant {
        argument: String::new(),
        value: "valid".into(),
        prelude: String::new(),
        arguments: arguments.clone(),
    };
    let mut variants = vec![base];
    for (place, parameter) in function.parameters.iter().enumerate() {
        let mut all = bad(parameter, &arguments[place], numbers);
        if parameter.kind == "carom_geometry*" && parameter.is_const {
            // The same with a polygon, whose points and transform are looked at, too.
            for at in
                ["points[2].x", "points[0].y", "affine.x_axis.y", "affine.translation.x", "polygon.radius"]
            {
                for number in ["NAN", "INFINITY"] {
                    let prelude = format!("in.{at} = {number};");
                    all.push((
                        format!("{}->{at}", parameter.name),
                        number.into(),
                        prelude,
                        "&in.polygon".into(),
                    ));
                }
            }
        }
        for (argument, value, prelude, replaced) in all {
            let mut arguments = arguments.clone();
            arguments[place] = replaced;
            variants.push(Variant { argument, value, prelude, arguments });
        }
    }
    variants
}

/// What to destroy if a call succeeds.
fn clean_up(function: &Function, arguments: &[String]) -> String {
    let made = |kind: &str| match kind {
        "carom_space**" => Some("carom_space"),
        "carom_spaces**" => Some("carom_spaces"),
        "carom_space_snapshot**" => Some("carom_space_snapshot"),
        _ => None,
    };
    let objects = function.parameters.iter().zip(arguments);
    objects
        .filter(|(_, argument)| argument.ends_with(']'))
        .filter_map(|(parameter, argument)| Some((made(&parameter.kind)?, argument)))
        .map(|(object, argument)| format!("{object}_destroy(*{argument});"))
        .collect()
}

/// The program that makes all calls.
fn program(functions: &[Function], numbers: &HashMap<String, Vec<String>>) -> String {
    let (mut calls, mut table) = (String::new(), String::new());
    let mut count = 0;
    for function in functions {
        let is_of_contact = function.parameters[0].kind == "carom_arbiter*";
        for (number, variant) in variants(function, numbers).iter().enumerate() {
            let name = &function.name;
            let clean_up = clean_up(function, &variant.arguments);
            let arguments = variant.arguments.join(", ");
            writeln!(calls, "static carom_status call_{count}(void) {{ {}", variant.prelude).unwrap();
            writeln!(calls, "    const carom_status given_ = {name}({arguments});").unwrap();
            if !clean_up.is_empty() {
                writeln!(calls, "    if (given_ == CAROM_OK) {{ {clean_up} }}").unwrap();
            }
            writeln!(calls, "    return given_; }}").unwrap();
            let has_space = function.parameters.iter().any(|parameter| parameter.kind == "carom_space*");
            let places: &[Place] = match (is_of_contact, number) {
                (true, _) => &[Place::InContact],
                (false, 0) if has_space => {
                    &[Place::Between, Place::InContact, Place::BusyHandle, Place::AfterStep]
                }
                _ => &[Place::Between],
            };
            for &place in places {
                let Variant { argument, value, .. } = variant;
                writeln!(
                    table,
                    "{{\"{name}\", \"{argument}\", \"{value}\", {}, call_{count}}},",
                    place as u8
                )
                .unwrap();
            }
            count += 1;
        }
    }
    format!(
        "#include \"sweep.h\"\n{calls}static const test_case cases[] = {{\n{table}}};\n\
         int main(int count, char **arguments) {{\n    \
         const size_t calls_ = sizeof cases / sizeof *cases;\n    if (count != 3 && count != 4) return 2;\n    \
         return (count == 3 ? run_cases : run_without_memory)(cases, calls_, arguments[1], arguments[2]);\n}}\n"
    )
}

/// The statuses that the description of each function names, those of functions that it refers to included.
fn documented(functions: &[Function]) -> HashMap<&str, BTreeSet<carom_status>> {
    let codes: HashMap<&str, carom_status> = STATUSES.iter().map(|&(name, code, _)| (name, code)).collect();
    let named = |text: &str| -> BTreeSet<carom_status> {
        let words = text.split(|c: char| !(c.is_alphanumeric() || c == '_'));
        words.filter_map(|word| codes.get(word).copied()).collect()
    };
    let mut all: HashMap<&str, BTreeSet<carom_status>> =
        functions.iter().map(|function| (function.name.as_str(), named(&function.returns))).collect();
    for function in functions {
        for other in functions {
            if function.name != other.name && function.returns.contains(&format!("{}()", other.name)) {
                let others = all[other.name.as_str()].clone();
                all.get_mut(function.name.as_str()).unwrap().extend(others);
            }
        }
    }
    all
}

/// What a line of the program says.
struct Outcome<'a> {
    function: &'a str,
    argument: &'a str,
    value: &'a str,
    place: u8,
    status: carom_status,
    is_same: bool,
    is_untouched: bool,
}

fn outcome(line: &str) -> Outcome<'_> {
    let parts: Vec<&str> = line.split('|').collect();
    let [function, argument, value, place, status, is_same, is_untouched] = parts[..] else {
        panic!("{line}")
    };
    Outcome {
        function,
        argument,
        value,
        place: place.parse().unwrap(),
        status: status.parse().unwrap(),
        is_same: is_same == "1",
        is_untouched: is_untouched == "1",
    }
}

/// What is wrong with an outcome, if anything.
fn complaint(outcome: &Outcome<'_>, about: &str, documented: &BTreeSet<carom_status>) -> Option<String> {
    let Outcome { function, argument, value, place, status, is_same, is_untouched } = *outcome;
    let is_too_long = value == "huge" && status == CAROM_OUT_OF_RANGE;
    if !(ANYWHERE.contains(&status) || is_too_long || documented.contains(&status)) {
        return Some("its description does not say so".into());
    }
    if status != CAROM_OK && !is_same {
        return Some("it has failed and changed something".into());
    }
    if status != CAROM_OK && !is_untouched && !STORED_ON_FAILURE.contains(&function) {
        return Some("it has failed and stored something".into());
    }
    let is_of_contact = function.starts_with("carom_arbiter_");
    let is_field = argument.contains("->");
    let may_be_null = about.contains("NULL") && !about.contains("NULL if");
    let expected: &[carom_status] = match value {
        "valid" if place == Place::BusyHandle as u8 => &[CAROM_BUSY],
        "valid" if place == Place::InContact as u8 && !is_of_contact => &[CAROM_OK, CAROM_LOCKED],
        "valid" => &[CAROM_OK],
        "NULL" if may_be_null => &[CAROM_OK],
        "NULL" => &[CAROM_NULL_POINTER],
        "misaligned" => &[CAROM_MISALIGNED],
        "dead" | "none" if function.ends_with("_exists") => &[CAROM_OK],
        "dead" | "none" => &[CAROM_DEAD_ID],
        "beyond" => &[CAROM_BAD_INDEX],
        "size" => &[CAROM_UNKNOWN_VALUE],
        "NAN" => &[CAROM_NOT_FINITE],
        "INFINITY" if about.contains("nfinity") => &[CAROM_OK],
        "INFINITY" if is_field => &[CAROM_NOT_FINITE, CAROM_OK],
        "INFINITY" => &[CAROM_NOT_FINITE],
        "-INFINITY" => &[CAROM_NOT_FINITE, CAROM_NEGATIVE, CAROM_OUT_OF_RANGE],
        _ => return None,
    };
    (!expected.contains(&status)).then(|| format!("expected is one of {expected:?}"))
}

#[test]
fn every_function_of_rigid_bodies_refuses_every_bad_argument() {
    let compilers = "a C compiler (gcc or clang)";
    if !has("cc", compilers) {
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    let flags: Vec<&str> = if has_sanitizer(dir.path()) { SANITIZE.split(' ').collect() } else { Vec::new() };
    let functions = build_program(dir.path(), &flags);
    let said = run(&mut program_with_files(dir.path()));
    check(&functions, &said);
}

/// Writes and builds the program; returns the functions that it calls.
fn build_program(dir: &Path, flags: &[&str]) -> Vec<Function> {
    let section = section();
    let (functions, numbers) = (functions(&section), numbers(&section));
    assert!(functions.len() > 200 && numbers["carom_body_options"].len() > 10);
    let source = dir.join("sweep.c");
    std::fs::write(&source, program(&functions, &numbers)).unwrap();
    build(Language::C99, &source, &dir.join("sweep"), flags);
    functions
}

fn program_with_files(dir: &Path) -> Command {
    let (file, copy) = (dir.join("saved.carom"), dir.join("copy.carom"));
    std::fs::write(&file, saved_space()).unwrap();
    let mut command = command(dir.join("sweep"), &[]);
    command.arg(&file).arg(&copy);
    command
}

/// Sanitizers have memory of their own.
#[test]
#[cfg(target_os = "linux")]
fn every_function_of_rigid_bodies_says_that_there_is_no_memory() {
    if !has("cc", "a C compiler (gcc or clang)") {
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    let functions = build_program(dir.path(), &[]);
    let said = run(program_with_files(dir.path()).arg("memory"));
    let mut lacking = BTreeSet::new();
    for line in said.lines() {
        let parts: Vec<&str> = line.split('|').collect();
        let [name, _, _, lacks] = parts[..] else { panic!("{line}") };
        if lacks != "0" {
            lacking.insert(name);
        }
    }
    for function in &functions {
        assert!(said.contains(&format!("{}|", function.name)), "{} is not called", function.name);
    }
    // What makes, adds and lists things takes memory.
    for name in ["carom_shape_add_box", "carom_space_step", "carom_convex_hull", "carom_spaces_create"] {
        assert!(lacking.contains(name), "{name} never lacks memory: {lacking:?}");
    }
}

fn saved_space() -> Vec<u8> {
    let mut bytes = Vec::new();
    carom::rigid2d::Space::new(&Default::default()).unwrap().save(&mut bytes).unwrap();
    bytes
}

fn check(functions: &[Function], said: &str) {
    let documented = documented(functions);
    let by_name: HashMap<&str, &Function> =
        functions.iter().map(|function| (function.name.as_str(), function)).collect();
    let (mut complaints, mut counts) = (Vec::new(), BTreeMap::<carom_status, usize>::new());
    for line in said.lines() {
        let outcome = outcome(line);
        *counts.entry(outcome.status).or_default() += 1;
        let function = by_name[outcome.function];
        let root = outcome.argument.split(['-', '.']).next().unwrap_or_default();
        let parameter = function.parameters.iter().find(|parameter| parameter.name == root);
        let about = parameter.map_or("", |parameter| &parameter.about);
        if let Some(why) = complaint(&outcome, about, &documented[outcome.function]) {
            complaints.push(format!("{line}: {why}"));
        }
    }
    println!("{} functions, {} calls; by status: {counts:?}", functions.len(), said.lines().count());
    assert!(complaints.is_empty(), "{} complaints:\n{}", complaints.len(), complaints.join("\n"));
    assert!(said.lines().count() > 2500, "only {} calls", said.lines().count());
}
