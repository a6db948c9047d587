//! `include/carom.h` is what cbindgen makes of `src/capi`, arranged in sections that read from top to bottom.

use std::collections::HashMap;
use std::path::PathBuf;

use carom::capi::status::STATUSES;

use crate::support::{command, has, library_dir, root, run};

/// A part of the header: everything that these files of `src/capi` declare, in their order.
struct Section {
    title: &'static str,
    about: &'static str,
    sources: &'static [&'static str],
}

/// The sections after the objects.
const SECTIONS: [Section; 9] = [
    Section { title: "Version", about: "Which header and which library these are.", sources: &["version"] },
    Section {
        title: "Status",
        about: "What every call that can fail returns, and the detail of the last failure.",
        sources: &["status"],
    },
    Section { title: "Contexts", about: "Threads that share the work of one call.", sources: &["context"] },
    Section {
        title: "Particles",
        about: "Stores of particles: one at a time, many at once, and columns shared without a copy.",
        sources: &["numbers", "particles", "batch", "rows", "columns", "particle_structs"],
    },
    Section {
        title: "Worlds",
        about: "Particles that are stepped through time, their collisions, and worlds in files.",
        sources: &["world", "collisions", "files"],
    },
    Section {
        title: "Frames",
        about: "Parallelograms, triangles, parallelepipeds and tetrahedra: which of them intersect, when and where.",
        sources: &[
            "frames",
            "frame_rows",
            "frame_columns",
            "frame_structs",
            "intersections",
            "hits",
            "hit_structs",
            "frame_contacts",
            "candidates",
        ],
    },
    Section {
        title: "Events",
        about: "Event-driven runs: balls in a box, from collision to collision.",
        sources: &["events", "events_run", "events_files"],
    },
    Section {
        title: "Rigid bodies",
        about: "Spaces of circles, segments and polygons in the plane that move, touch and stack.

carom_space_create() makes an empty space, carom_space_from_scene() a ready-made one, carom_space_load() one that was saved.
carom_body_add() adds a body and carom_shape_add_circle(), ..._box(), ..._polygon() and ..._segment() give it shapes; what never
moves belongs to carom_space_get_static_body(). carom_space_step() advances everything by a step of time, usually 1/60 s.
Bodies and shapes are ids, passed by value together with their space. carom_space_set_handler() has contacts of chosen shapes
reported to callbacks, which may change or ignore them; in a callback the space is used through the callback's own argument.
carom_space_point_query() and its like find shapes. carom_spaces_create() makes many copies that are stepped together.",
        sources: &[
            "rigid2d_ids",
            "rigid2d_space",
            "rigid2d_steps",
            "rigid2d_columns",
            "rigid2d_bodies",
            "rigid2d_body_set",
            "rigid2d_geometry",
            "rigid2d_shapes",
            "rigid2d_shape_set",
            "rigid2d_contacts",
            "rigid2d_handlers",
            "rigid2d_arbiter",
            "rigid2d_updates",
            "rigid2d_queries",
            "rigid2d_many_queries",
            "rigid2d_forms",
            "rigid2d_scenes",
            "rigid2d_files",
            "rigid2d_spaces",
        ],
    },
    Section {
        title: "Studies",
        about: "Monte Carlo studies: many replicas, with confidence intervals.",
        sources: &["study"],
    },
];

/// Comments up to this length stand on one line.
const WIDTH: usize = 120;

fn path_of(source: &str) -> PathBuf {
    root().join("src/capi").join(source).with_extension("rs")
}

fn generate() -> String {
    let config = cbindgen::Config::from_file(root().join("cbindgen.toml")).expect("cbindgen.toml is valid");
    let mut builder = cbindgen::Builder::new().with_config(config);
    for source in SECTIONS.iter().flat_map(|section| section.sources) {
        builder = builder.with_src(path_of(source));
    }
    let mut header = Vec::new();
    builder.generate().expect("src/capi is what cbindgen understands").write(&mut header);
    arrange(&String::from_utf8(header).expect("the header is UTF-8"))
}

/// Puts the declarations, which cbindgen sorts by kind, into sections and the order of the sources.
fn arrange(sorted: &str) -> String {
    let (start, _) = sorted.split_once("\n\n/**\n").expect("there are declarations");
    let mut blocks: HashMap<String, String> = sorted[start.len()..]
        .split("\n\n")
        .filter_map(|block| Some((name(block)?.to_owned(), shorten(block))))
        .chain(STATUSES.iter().map(|status| (status.0.to_owned(), define(status))))
        .collect();
    join_constants(&mut blocks);
    let mut header = format!("{start}\n\n#ifdef __cplusplus\nextern \"C\" {{\n#endif\n");
    append_banner(&mut header, "Objects", "What calls create and destroy, always by pointer.");
    for name in SECTIONS.iter().flat_map(names) {
        if blocks.get(&name).is_some_and(|block| block.ends_with(&format!("typedef struct {name} {name};\n")))
        {
            append(&mut header, &blocks.remove(&name).expect("it was there"));
        }
    }
    for section in &SECTIONS {
        append_banner(&mut header, section.title, section.about);
        for name in names(section) {
            declare(&mut header, &mut blocks, &name);
        }
    }
    assert!(blocks.is_empty(), "in no section: {:?}", blocks.keys());
    header + "\n#ifdef __cplusplus\n}\n#endif\n\n#endif /* CAROM_H */\n"
}

/// Makes the constants that follow a type in the sources a part of its declaration.
fn join_constants(blocks: &mut HashMap<String, String>) {
    for section in &SECTIONS {
        let mut owner = None;
        for name in names(section) {
            let first = code(&blocks[&name]);
            if !first.starts_with("#define ") {
                owner =
                    (first.starts_with("typedef ") && !first.starts_with("typedef struct ")).then_some(name);
            } else if let Some(owner) = &owner {
                let constant = blocks.remove(&name).expect("it was there");
                append(blocks.get_mut(owner).expect("it is there"), &constant);
            }
        }
    }
}

/// Adds a declaration after those that it uses.
fn declare(header: &mut String, blocks: &mut HashMap<String, String>, name: &str) {
    let Some(block) = blocks.remove(name) else { return };
    for line in block.lines().filter(|line| !line.trim_start().starts_with(['/', '*'])) {
        line.split(|c: char| !is_word(c)).for_each(|word| declare(header, blocks, word));
    }
    append(header, &block);
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

fn append_banner(header: &mut String, title: &str, about: &str) {
    let rule = "=".repeat(WIDTH - 5);
    let about: String = about.lines().map(|line| format!(" * {line}").trim_end().to_owned() + "\n").collect();
    header.push_str(&format!("\n/* {rule}\n * {title}\n * {rule}\n *\n{about} */\n"));
}

/// Adds a declaration; constants follow each other without an empty line.
fn append(header: &mut String, block: &str) {
    let last = header.lines().next_back().unwrap_or_default();
    if !(last.starts_with("#define ") && code(block).starts_with("#define ")) {
        header.push('\n');
    }
    header.push_str(block);
}

/// What the sources of a section declare, in their order.
fn names(section: &Section) -> Vec<String> {
    let mut names = Vec::new();
    for source in section.sources {
        let text = std::fs::read_to_string(path_of(source)).unwrap();
        for line in text.lines().filter_map(|line| line.strip_prefix("pub ")) {
            let item = line.trim_start_matches("unsafe ").trim_start_matches("extern \"C\" ");
            let Some((kind, rest)) = item.split_once(' ') else { continue };
            let name = rest.split(|c: char| !is_word(c)).next().unwrap_or_default();
            if ["type", "const", "struct", "fn"].contains(&kind) && name.to_lowercase().starts_with("carom_")
            {
                names.push(name.to_owned());
            }
        }
        if *source == "status" {
            let mut statuses = STATUSES.to_vec();
            statuses.sort_by_key(|status| status.1);
            let success = names.iter().position(|name| name == "CAROM_OK").expect("it is there");
            names.splice(success + 1..success + 1, statuses.iter().map(|status| status.0.to_owned()));
        }
    }
    names
}

/// The constant of a status, which a macro makes, so that cbindgen does not see it.
fn define((constant, code, meaning): &(&str, i32, &str)) -> String {
    let (first, rest) = meaning.split_at(1);
    format!("/** {}{rest}. */\n#define {constant} {code}\n", first.to_uppercase())
}

/// The first line of a declaration after its comment.
fn code(block: &str) -> &str {
    block.lines().find(|line| !(line.is_empty() || line.starts_with(['/', ' ']))).unwrap_or_default()
}

/// The name that a block declares, if any.
fn name(block: &str) -> Option<&str> {
    let code = code(block);
    if let Some(constant) = code.strip_prefix("#define ") {
        return constant.split(' ').next();
    }
    if let Some((_, callback)) = code.split_once("(*") {
        return callback.split(')').next();
    }
    let end = code.find(['(', ';', '{'])?;
    code[..end].trim_end().rsplit([' ', '*']).next()
}

/// The same with comments of one line on one line.
fn shorten(block: &str) -> String {
    let lines: Vec<&str> = block.trim_matches('\n').lines().collect();
    let mut short = Vec::new();
    let mut rest = &lines[..];
    while let [first, tail @ ..] = rest {
        rest = tail;
        if let ("/**", [text, end, after @ ..]) = (first.trim_start(), tail)
            && end.trim_start() == "*/"
            && text.len() + " */".len() < WIDTH
        {
            short.push(format!("{} */", text.replacen(" * ", "/** ", 1)));
            rest = after;
        } else {
            short.push((*first).to_owned());
        }
    }
    short.join("\n") + "\n"
}

#[test]
fn committed_header_is_up_to_date() {
    let path = root().join("include/carom.h");
    let header = generate();
    if std::env::var_os("CAROM_BLESS").is_some() {
        std::fs::write(&path, &header).unwrap();
    }
    let committed = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        header == committed,
        "include/carom.h differs from src/capi: CAROM_BLESS=1 cargo test --test c_abi header writes it anew"
    );
}

#[test]
fn every_exported_function_is_in_the_header_and_hooks_are_not() {
    if !has("nm", "binutils") {
        return;
    }
    let header = std::fs::read_to_string(root().join("include/carom.h")).unwrap();
    let mut declared: Vec<&str> = header
        .split("\n\n")
        .filter(|block| code(block).contains('(') && !code(block).starts_with("typedef"))
        .filter_map(name)
        .collect();
    declared.push("carom_test_panic");
    declared.sort_unstable();
    let symbols = run(command("nm", &["-D", "--defined-only"]).arg(library_dir().join("libcarom.so")));
    let mut exported: Vec<&str> = symbols.lines().filter_map(|line| line.split(' ').next_back()).collect();
    exported.sort_unstable();
    assert!(declared.len() > 110);
    let only_in = |these: &[&str], those: &[&str]| -> Vec<String> {
        these.iter().filter(|name| !those.contains(name)).map(|&name| name.to_owned()).collect()
    };
    let differences = (only_in(&declared, &exported), only_in(&exported, &declared));
    assert_eq!(differences, (vec![], vec![]), "declared only, exported only");
}

/// Every parameter but the object of the call is described, and so is the status.
#[test]
fn every_parameter_is_described() {
    let header = generate();
    let (mut functions, mut missing) = (0, Vec::new());
    for block in header.split("\n\n").filter(|block| block.contains("\ncarom_status ")) {
        let (about, call) = block.split_once("\ncarom_status ").expect("it has a status");
        let (function, rest) = call.split_once('(').expect("it has parameters");
        let parameters = rest.split(')').next().unwrap_or_default().split(',');
        let name = |parameter: &str| parameter.rsplit([' ', '*']).next().unwrap_or_default().to_owned();
        let is_object = |parameter: &str| parameter.contains("struct carom_") && parameter.contains('*');
        let described = |parameter: &str| about.contains(&format!("\\param {} ", name(parameter)));
        let unknown = parameters
            .enumerate()
            .filter(|(place, parameter)| !(described(parameter) || *place == 0 && is_object(parameter)));
        missing.extend(unknown.map(|(_, parameter)| format!("{function}: {}", name(parameter))));
        if !about.contains("\\return ") {
            missing.push(format!("{function}: what it returns"));
        }
        functions += 1;
    }
    assert!(functions > 350, "{functions}");
    assert!(missing.is_empty(), "not described: {missing:#?}");
}
