#!/bin/sh
# Builds carom and installs it, or removes what it has installed.
#
#   packaging/install.sh [PART...] [--prefix DIR] [--libdir DIR] [--target-dir DIR] [--no-strip] [--built-tool FILE]
#   packaging/install.sh --uninstall [--prefix DIR]
#
# Parts; only what is asked for is built, and without any: shared static
#   shared        the C library libcarom.so, with headers, pkg-config file and CMake package
#   static        the C library libcarom.a, with the same
#   tool          the tool carom, its completions for bash, zsh and fish, and its manual pages
#
# Options
#   --prefix      where everything goes; default /usr/local
#   --libdir      where the libraries go; default PREFIX/lib
#   --target-dir  where cargo builds; default install in CARGO_TARGET_DIR or target
#   --no-strip    keep symbols and line numbers, for debuggers: the files are several times as large
#   --built-tool  install this carom instead of building one
#   --uninstall   remove all that PREFIX/share/carom/manifest lists, and folders that were made for it
#   DESTDIR       in the environment, is put before every path that is written to, and appears in none of the files
#
# It prints each step and each file. Run again it replaces the same files by the same ones. The list of them is
# PREFIX/share/carom/manifest.
# There is no option for a CPU: one build runs on every CPU of the architecture and chooses its instructions there.
set -eu

fail() {
    echo "install.sh: $1" >&2
    exit 2
}

step() {
    echo "install.sh: $1"
}

root=$(cd "$(dirname "$0")/.." && pwd)
prefix=/usr/local
libdir=
target_dir=${CARGO_TARGET_DIR:-$root/target}/install
shared=
static=
tool=
strip=yes
built_tool=
uninstall=

while [ $# -gt 0 ]; do
    case $1 in
    --prefix | --libdir | --target-dir | --built-tool) [ $# -ge 2 ] || fail "$1 needs a path" ;;
    esac
    case $1 in
    shared) shared=yes && shift ;;
    static) static=yes && shift ;;
    tool) tool=yes && shift ;;
    --prefix) prefix=$2 && shift 2 ;;
    --libdir) libdir=$2 && shift 2 ;;
    --target-dir) target_dir=$2 && shift 2 ;;
    --built-tool) built_tool=$2 && shift 2 ;;
    --prefix=*) prefix=${1#*=} && shift ;;
    --libdir=*) libdir=${1#*=} && shift ;;
    --target-dir=*) target_dir=${1#*=} && shift ;;
    --built-tool=*) built_tool=${1#*=} && shift ;;
    --no-strip) strip= && shift ;;
    --uninstall) uninstall=yes && shift ;;
    --cpu | --cpu=*) fail "there is no $1: one build runs on every CPU and chooses its instructions there" ;;
    -h | --help) sed -n '2,/^set -eu/s/^# \{0,1\}//p' "$0" && exit 0 ;;
    *) fail "unknown argument $1; --help lists them" ;;
    esac
done
[ -n "$shared$static$tool" ] || {
    shared=yes
    static=yes
}
libdir=${libdir:-$prefix/lib}
case $prefix in /*) ;; *) fail "--prefix must be an absolute path" ;; esac
case $libdir in /*) ;; *) fail "--libdir must be an absolute path" ;; esac
destdir=${DESTDIR:-}
manifest=$prefix/share/carom/manifest

# Removes what the manifest lists: files, then folders if they are empty.
remove_all() {
    if [ ! -e "$destdir$manifest" ]; then
        step "nothing to remove: there is no $destdir$manifest"
        return
    fi
    cp "$destdir$manifest" "$destdir$manifest.old"
    while read -r kind path; do
        [ "$kind" = file ] || continue
        step "removes $destdir$path"
        rm -f "$destdir$path"
    done <"$destdir$manifest.old"
    folders=$(sed -n 's/^folder //p' "$destdir$manifest.old" | sort -r)
    rm -f "$destdir$manifest" "$destdir$manifest.old"
    echo "$folders" | while read -r path; do
        [ -z "$path" ] || rmdir "$destdir$path" 2>/dev/null || step "keeps $destdir$path, which is not empty"
    done
}

if [ -n "$uninstall" ]; then
    remove_all
    exit 0
fi

version=$(sed -n 's/^version = "\(.*\)"$/\1/p' "$root/Cargo.toml" | head -n 1)
major=${version%%.*}
minor=${version#*.}
minor=${minor%%.*}
abi=$(sed -n 's/^#define CAROM_ABI_VERSION \(.*\)$/\1/p' "$root/include/carom.h")
soname=libcarom.so.$abi

# logged WORDS...: runs cargo and keeps what it says in build.log.
logged() {
    (cd "$root" && "$@") >"$target_dir/build.log" 2>&1 || {
        cat "$target_dir/build.log" >&2
        fail "the build failed"
    }
}

# Builds the libraries that are asked for.
build_library() {
    types=$([ -z "$shared" ] || printf cdylib,)$([ -z "$static" ] || printf staticlib)
    step "builds the C library ($(echo "${types%,}" | sed 's/,/ and /')) in $target_dir, in a few minutes"
    # Never unloaded, because threads of a context may still be ending.
    logged cargo rustc --locked --release --lib --no-default-features --features capi \
        --crate-type "${types%,}" --target-dir "$target_dir" -- \
        -C "link-arg=-Wl,-soname,$soname" -C link-arg=-Wl,-z,nodelete --print native-static-libs
    private_libs=$(sed -n 's/^.*native-static-libs: //p' "$target_dir/build.log" | tail -n 1)
    [ -z "$static" ] || [ -n "$private_libs" ] || fail "rustc did not say which libraries the static library needs"
}

build_tool() {
    step "builds the tool in $target_dir, in a few minutes"
    logged cargo build --locked --release --bin carom --target-dir "$target_dir"
    built_tool=$target_dir/release/carom
}

# without_symbols FROM HOW: a copy for installation, without what only a debugger needs.
without_symbols() {
    copy=$target_dir/stripped/$(basename "$1")
    mkdir -p "$target_dir/stripped"
    cp "$1" "$copy"
    [ -z "$strip" ] || strip "$2" "$copy" || fail "strip failed; --no-strip does without"
    echo "$copy"
}

note() {
    echo "$1 $2" >>"$target_dir/manifest"
}

# make_folder PATH: makes it, and notes what was not there before.
make_folder() {
    [ "$1" != / ] || mkdir -p "$destdir/"
    [ -d "$destdir$1" ] || {
        make_folder "$(dirname "$1")"
        mkdir "$destdir$1"
        note folder "$1"
    }
}

# put MODE FROM TO: copies a file into place.
put() {
    step "installs $destdir$3"
    make_folder "$(dirname "$3")"
    cp "$2" "$destdir$3.new"
    chmod "$1" "$destdir$3.new"
    mv -f "$destdir$3.new" "$destdir$3"
    note file "$3"
}

# put_link TARGET TO: a link in its place.
put_link() {
    step "installs $destdir$2, a link to $1"
    ln -sf "$1" "$destdir$2"
    note file "$2"
}

# put_template NAME TO: a file of packaging/ with the paths and versions filled in.
put_template() {
    sed -e "s|@PREFIX@|$prefix|g" -e "s|@LIBDIR@|$libdir|g" -e "s|@VERSION@|$version|g" -e "s|@ABI@|$abi|g" \
        -e "s|@MAJOR@|$major|g" -e "s|@MINOR@|$minor|g" -e "s|@POINTER_SIZE@|$pointer_size|g" \
        -e "s|@PRIVATE_LIBS@|$private_libs|g" -e "s|@PRIVATE_LIBS_CMAKE@|$private_libs_cmake|g" \
        -e "s|@INCLUDE_FROM_LIBDIR@|$include_from_libdir|g" "$root/packaging/$1.in" >"$target_dir/$1"
    put 644 "$target_dir/$1" "$2/$1"
}

put_library() {
    private_libs_cmake=$(echo "$private_libs" | tr -s ' ' ';')
    pointer_size=$(($(getconf LONG_BIT) / 8))
    case $libdir in
    "$prefix"/*) include_from_libdir=$(echo "${libdir#"$prefix"/}" | sed 's|[^/][^/]*|..|g')/include ;;
    *) include_from_libdir=$prefix/include ;;
    esac
    for header in "$root"/include/*; do
        put 644 "$header" "$prefix/include/$(basename "$header")"
    done
    [ -z "$static" ] || put 644 "$(without_symbols "$target_dir/release/libcarom.a" --strip-debug)" "$libdir/libcarom.a"
    [ -z "$shared" ] || {
        put 755 "$(without_symbols "$target_dir/release/libcarom.so" --strip-unneeded)" "$libdir/libcarom.so.$version"
        put_link "libcarom.so.$version" "$libdir/$soname"
        put_link "$soname" "$libdir/libcarom.so"
    }
    put_template carom.pc "$libdir/pkgconfig"
    put_template carom-config.cmake "$libdir/cmake/carom"
    put_template carom-config-version.cmake "$libdir/cmake/carom"
}

# The tool itself says what shells and man are to know.
put_tool() {
    put 755 "$(without_symbols "$built_tool" --strip-all)" "$prefix/bin/carom"
    for shell in bash zsh fish; do
        "$built_tool" completions $shell >"$target_dir/carom.$shell"
    done
    put 644 "$target_dir/carom.bash" "$prefix/share/bash-completion/completions/carom"
    put 644 "$target_dir/carom.zsh" "$prefix/share/zsh/site-functions/_carom"
    put 644 "$target_dir/carom.fish" "$prefix/share/fish/vendor_completions.d/carom.fish"
    rm -rf "$target_dir/man1"
    "$built_tool" man --out "$target_dir/man1"
    for page in "$target_dir"/man1/*.1; do
        put 644 "$page" "$prefix/share/man/man1/$(basename "$page")"
    done
}

# What was installed before stays in the list.
put_manifest() {
    make_folder "$(dirname "$manifest")"
    [ ! -e "$destdir$manifest" ] || cat "$destdir$manifest" >>"$target_dir/manifest"
    sort -u "$target_dir/manifest" >"$destdir$manifest.new"
    mv -f "$destdir$manifest.new" "$destdir$manifest"
}

mkdir -p "$target_dir"
: >"$target_dir/manifest"
private_libs=
[ -z "$shared$static" ] || build_library
[ -z "$tool" ] || [ -n "$built_tool" ] || build_tool
[ -z "$shared$static" ] || put_library
[ -z "$tool" ] || put_tool
put_manifest
step "installed carom $version in $destdir$prefix; to remove it: $0 --uninstall --prefix $prefix"
