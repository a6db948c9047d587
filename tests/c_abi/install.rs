//! Installs the C library into a temporary folder and uses it as a stranger would.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::support::{WARNINGS, command, has, output, root, run};

const SAID: &str = "1 collision; ball 0 now moves at (-1, 0) m/s\n";

/// In the target directory around this test, so that the library is not built from scratch each time.
fn target_dir() -> PathBuf {
    let test = std::env::current_exe().unwrap();
    let mut targets = test.ancestors().filter(|dir| dir.join("CACHEDIR.TAG").exists());
    targets.next().expect("cargo marks its target directory").join("install")
}

fn install(arguments: &[String], destdir: &str) -> String {
    let mut install = command(root().join("packaging/install.sh"), &["--target-dir"]);
    install.arg(target_dir()).args(arguments).env("DESTDIR", destdir);
    run(built_in_little_time(&mut install))
}

/// Settings of all builds of this test, the same so that there is only one: on all cores and hardly optimised, because what is
/// tested is where things go, not how fast they are, and not those that this test was built with.
fn built_in_little_time(command: &mut Command) -> &mut Command {
    command.env("CARGO_PROFILE_RELEASE_CODEGEN_UNITS", "16").env("CARGO_PROFILE_RELEASE_DEBUG", "false");
    command.env("CARGO_PROFILE_RELEASE_OPT_LEVEL", "1");
    command.env_remove("RUSTFLAGS").env_remove("CARGO_ENCODED_RUSTFLAGS")
}

fn first_c() -> PathBuf {
    root().join("c_examples/first.c")
}

/// What pkg-config says about the installed library.
fn pkg_config(libdir: &Path, arguments: &[&str]) -> Vec<String> {
    let mut query = command("pkg-config", arguments);
    query.arg("carom").env("PKG_CONFIG_PATH", libdir.join("pkgconfig"));
    run(&mut query).split_whitespace().map(String::from).collect()
}

fn compile(flags: &[String], program: &Path) {
    let mut compiler = command("cc", &["-std=c99"]);
    run(compiler.args(WARNINGS).arg("-o").arg(program).arg(first_c()).args(flags));
}

#[test]
fn installed_library_works_with_pkg_config_and_cmake() {
    let compilers = "a C and a C++ compiler (gcc and g++, or clang)";
    if !(has("cc", compilers)
        && has("c++", compilers)
        && has("pkg-config", "pkg-config")
        && has("cmake", "cmake"))
    {
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    let prefix = dir.path().join("prefix");
    let libdir = prefix.join("lib/test");
    let place = [format!("--prefix={}", prefix.display()), format!("--libdir={}", libdir.display())];
    install(&place, "");
    check_files(&prefix, &libdir);
    check_pkg_config(dir.path(), &prefix, &libdir);
    check_older_cpu(dir.path());
    check_cmake(dir.path(), &prefix);
    check_stripped(&libdir);
    check_destdir(dir.path());
    check_again_and_away(dir.path());
    check_readme(dir.path());
}

/// Nothing that only a debugger needs.
fn check_stripped(libdir: &Path) {
    for library in ["libcarom.so", "libcarom.a"] {
        let sections = run(command("readelf", &["-S", "-W"]).arg(libdir.join(library)));
        assert!(
            sections.contains(".text") && !sections.contains(".debug_"),
            "{library} has debug information"
        );
    }
    let shared = run(command("readelf", &["-S", "-W"]).arg(libdir.join("libcarom.so")));
    assert!(!shared.contains(".symtab"), "{shared}");
}

/// Files and links below a folder with their contents, in the order of their names.
fn contents(folder: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).into_iter().flatten().map(Result::unwrap) {
        if entry.file_type().unwrap().is_dir() {
            found.extend(contents(&entry.path()));
        } else {
            found.push((entry.path(), std::fs::read(entry.path()).unwrap()));
        }
    }
    found.sort();
    found
}

/// A second installation changes nothing, a part adds what belongs to it, and removal leaves what is not carom's.
fn check_again_and_away(dir: &Path) {
    let stage = dir.join("again");
    let destdir = stage.to_str().unwrap();
    let place: [String; 2] = ["--prefix".into(), "/opt/carom".into()];
    let said = install(&place, destdir);
    for step in ["builds the C library (cdylib and staticlib)", "installs", "carom.h", "to remove it:"] {
        assert!(said.contains(step), "no {step:?} in {said}");
    }
    let first = contents(&stage);
    install(&place, destdir);
    assert!(contents(&stage) == first, "installed again, something differs");

    let prefix = stage.join("opt/carom");
    if let Some(tool) = TOOL {
        install(&[&place[..], &["tool".into(), "--built-tool".into(), tool.into()]].concat(), destdir);
        check_tool(&prefix);
    }
    let foreign = prefix.join("include/other.h");
    std::fs::write(&foreign, "").unwrap();
    let away = [&place[..], &["--uninstall".into()]].concat();
    let said = install(&away, destdir);
    assert!(said.contains("removes") && said.contains("keeps"), "{said}");
    assert_eq!(contents(&stage), [(foreign.clone(), Vec::new())]);
    std::fs::remove_file(foreign).unwrap();
    assert!(install(&away, destdir).contains("nothing to remove"));
}

fn check_tool(prefix: &Path) {
    assert!(
        run(command(prefix.join("bin/carom"), &["--version"]).env_remove("CAROM_LEVEL"))
            .starts_with("carom ")
    );
    for file in [
        "share/bash-completion/completions/carom",
        "share/zsh/site-functions/_carom",
        "share/fish/vendor_completions.d/carom.fish",
        "share/man/man1/carom.1",
        "share/man/man1/carom-run.1",
    ] {
        assert!(std::fs::read_to_string(prefix.join(file)).unwrap().contains("carom"), "{file}");
    }
}

/// The tool, if it is built with these tests.
const TOOL: Option<&str> = option_env!("CARGO_BIN_EXE_carom");

/// The commands of the README, for a user whose home is elsewhere.
fn check_readme(dir: &Path) {
    let readme = std::fs::read_to_string(root().join("README.md")).unwrap();
    let blocks = readme.split("```sh\n").skip(1).map(|rest| rest.split("```").next().unwrap());
    let [script] = blocks.filter(|block| block.starts_with("packaging/install.sh")).collect::<Vec<_>>()[..]
    else {
        panic!("the README has one block that installs the library");
    };
    let home = dir.join("home");
    std::fs::create_dir(&home).unwrap();
    let (program, _) = readme.split_once("```c\n").unwrap().1.split_once("```").unwrap();
    std::fs::write(home.join("first.c"), program).unwrap();
    // Only the place of the source differs.
    let script =
        script.replace("packaging/install.sh", root().join("packaging/install.sh").to_str().unwrap());
    let mut shell = command("sh", &["-ec", &script]);
    shell.current_dir(&home).env("HOME", &home).env("CARGO_TARGET_DIR", target_dir().parent().unwrap());
    // Cargo and rustup have their own homes.
    let own = PathBuf::from(std::env::var_os("HOME").unwrap());
    for (name, folder) in [("CARGO_HOME", ".cargo"), ("RUSTUP_HOME", ".rustup")] {
        shell.env(name, std::env::var_os(name).map_or(own.join(folder), PathBuf::from));
    }
    let said = run(built_in_little_time(&mut shell));
    assert!(said.ends_with("1 collision\n"), "{said}");
}

fn check_files(prefix: &Path, libdir: &Path) {
    let version = env!("CARGO_PKG_VERSION");
    assert_eq!(std::fs::read_link(libdir.join("libcarom.so")).unwrap(), Path::new("libcarom.so.0"));
    let full = PathBuf::from(format!("libcarom.so.{version}"));
    assert_eq!(std::fs::read_link(libdir.join("libcarom.so.0")).unwrap(), full);
    let dynamic = run(command("readelf", &["-d"]).arg(libdir.join("libcarom.so.0")));
    assert!(dynamic.contains("soname: [libcarom.so.0]") && dynamic.contains("NODELETE"), "{dynamic}");
    for header in std::fs::read_dir(root().join("include")).unwrap() {
        let header = header.unwrap();
        let installed = std::fs::read(prefix.join("include").join(header.file_name())).unwrap();
        assert_eq!(installed, std::fs::read(header.path()).unwrap());
    }
    let names = run(command("nm", &["-D", "--defined-only"]).arg(libdir.join("libcarom.so")));
    assert!(names.contains("carom_world_step") && !names.contains("carom_test_panic"));
}

fn check_pkg_config(dir: &Path, prefix: &Path, libdir: &Path) {
    assert_eq!(pkg_config(libdir, &["--modversion"]), [env!("CARGO_PKG_VERSION")]);
    assert_eq!(pkg_config(libdir, &["--cflags"]), [format!("-I{}/include", prefix.display())]);
    let mut shared = pkg_config(libdir, &["--cflags", "--libs"]);
    shared.push(format!("-Wl,-rpath,{}", libdir.display()));
    compile(&shared, &dir.join("shared"));
    assert_eq!(run(&mut command(dir.join("shared"), &[])), SAID);

    let private = pkg_config(libdir, &["--cflags", "--libs", "--static"]);
    let wholly = |flag: String| if flag == "-lcarom" { "-l:libcarom.a".into() } else { flag };
    compile(&private.into_iter().map(wholly).collect::<Vec<_>>(), &dir.join("static"));
    assert_eq!(run(&mut command(dir.join("static"), &[])), SAID);
    let needed = run(command("readelf", &["-d"]).arg(dir.join("static")));
    assert!(!needed.contains("libcarom"), "{needed}");
}

/// The same library runs on a CPU without AVX.
#[cfg(target_arch = "x86_64")]
fn check_older_cpu(dir: &Path) {
    if has("qemu-x86_64", "qemu-user") {
        let mut older = command("qemu-x86_64", &["-cpu", "Nehalem"]);
        let older = run(older.arg(dir.join("shared")).env_remove("CAROM_LEVEL"));
        assert_eq!(older, SAID);
    }
}

#[cfg(not(target_arch = "x86_64"))]
fn check_older_cpu(_dir: &Path) {}

fn check_cmake(dir: &Path, prefix: &Path) {
    let source = dir.join("project");
    std::fs::create_dir(&source).unwrap();
    std::fs::copy(first_c(), source.join("first.c")).unwrap();
    std::fs::copy(root().join("c_examples/raii.cpp"), source.join("raii.cpp")).unwrap();
    std::fs::write(source.join("CMakeLists.txt"), PROJECT).unwrap();
    let build = dir.join("cmake");
    // lib/test is not where CMake looks on its own.
    let package = format!("-Dcarom_DIR={}/lib/test/cmake/carom", prefix.display());
    run(command("cmake", &[&package, "-S"]).arg(&source).arg("-B").arg(&build));
    run(command("cmake", &["--build"]).arg(&build));
    for program in ["with_shared", "with_static"] {
        assert_eq!(run(&mut command(build.join(program), &[])), SAID, "{program}");
    }
    assert!(run(&mut command(build.join("raii"), &[])).contains("caught: enough"));

    std::fs::write(source.join("CMakeLists.txt"), PROJECT.replace("carom 0.1", "carom 0.2")).unwrap();
    let refused = output(command("cmake", &[&package, "-S"]).arg(&source).arg("-B").arg(dir.join("newer")));
    let why = String::from_utf8_lossy(&refused.stderr);
    assert!(!refused.status.success() && why.contains("version: 0.1.0"), "{why}");
}

const PROJECT: &str = "\
cmake_minimum_required(VERSION 3.16)
project(stranger C CXX)
set(CMAKE_CXX_STANDARD 17)
find_package(carom 0.1 REQUIRED CONFIG)
add_executable(with_shared first.c)
target_link_libraries(with_shared PRIVATE carom::carom)
add_executable(with_static first.c)
target_link_libraries(with_static PRIVATE carom::static)
add_executable(raii raii.cpp)
target_link_libraries(raii PRIVATE carom::carom)
";

/// DESTDIR stands before what is written and in none of the files.
fn check_destdir(dir: &Path) {
    let stage = dir.join("stage");
    install(&["--prefix".into(), "/opt/carom".into()], stage.to_str().unwrap());
    let lib = stage.join("opt/carom/lib");
    assert!(lib.join("libcarom.a").exists() && stage.join("opt/carom/include/carom.h").exists());
    for file in ["pkgconfig/carom.pc", "cmake/carom/carom-config.cmake"] {
        let text = std::fs::read_to_string(lib.join(file)).unwrap();
        assert!(!text.contains(stage.to_str().unwrap()) && !text.contains('@'), "{text}");
    }
    let pc = std::fs::read_to_string(lib.join("pkgconfig/carom.pc")).unwrap();
    assert!(pc.contains("prefix=/opt/carom\nlibdir=/opt/carom/lib\n"), "{pc}");
}

#[test]
fn install_script_says_what_is_wrong_with_its_arguments() {
    for arguments in [&["--nonsense"][..], &["--prefix"], &["--prefix", "relative"], &["--cpu", "native"]] {
        let refused = output(&mut command(root().join("packaging/install.sh"), arguments));
        assert_eq!(refused.status.code(), Some(2), "{arguments:?}");
        assert!(String::from_utf8_lossy(&refused.stderr).contains("install.sh: "));
    }
    let help = run(&mut command(root().join("packaging/install.sh"), &["--help"]));
    for word in
        ["shared", "static", "tool", "--prefix", "--libdir", "--uninstall", "DESTDIR", "no option for a CPU"]
    {
        assert!(help.contains(word), "no {word} in {help}");
    }
}
