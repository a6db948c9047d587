//! `include/carom.h` is what cbindgen makes of `src/capi` today.

use std::path::Path;

/// In the order in which a reader of the header wants them.
const SOURCES: [&str; 20] = [
    "version",
    "status",
    "context",
    "particles",
    "batch",
    "rows",
    "columns",
    "world",
    "collisions",
    "files",
    "frames",
    "frame_rows",
    "frame_columns",
    "intersections",
    "hits",
    "candidates",
    "events",
    "events_run",
    "events_files",
    "study",
];

fn generate(root: &Path) -> String {
    let config = cbindgen::Config::from_file(root.join("cbindgen.toml")).expect("cbindgen.toml is valid");
    let builder = SOURCES.iter().fold(cbindgen::Builder::new().with_config(config), |builder, name| {
        builder.with_src(root.join("src/capi").join(name).with_extension("rs"))
    });
    let mut header = Vec::new();
    builder.generate().expect("src/capi is what cbindgen understands").write(&mut header);
    String::from_utf8(header).expect("the header is UTF-8")
}

#[test]
fn committed_header_is_up_to_date() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let path = root.join("include/carom.h");
    let header = generate(root);
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
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let header = generate(root);
    for file in std::fs::read_dir(root.join("src/capi")).unwrap() {
        let path = file.unwrap().path();
        let is_hook = path.file_stem().is_some_and(|stem| stem == "hooks");
        let source = std::fs::read_to_string(&path).unwrap();
        for (_, rest) in source.match_indices("extern \"C\" fn carom_").map(|(at, _)| source.split_at(at)) {
            let name = rest["extern \"C\" fn ".len()..].split('(').next().unwrap();
            assert_eq!(header.contains(&format!("{name}(")), !is_hook, "{name} of {}", path.display());
        }
    }
}
