#!/bin/sh
# Builds the C library and installs it: headers, shared and static library, pkg-config file and CMake package.
#
#   packaging/install.sh [--prefix DIR] [--libdir DIR] [--target-dir DIR]
#
# --prefix      where everything goes; default /usr/local
# --libdir      where the libraries go; default PREFIX/lib
# --target-dir  where cargo builds; default target/install
# DESTDIR       if set, is put before every path that is written to, and appears in none of the files
#
# The library runs on every CPU of the architecture and uses the instructions that it finds there.
set -eu

fail() {
    echo "install.sh: $1" >&2
    exit 2
}

root=$(cd "$(dirname "$0")/.." && pwd)
prefix=/usr/local
libdir=
target_dir=$root/target/install

while [ $# -gt 0 ]; do
    case $1 in
    --prefix | --libdir | --target-dir) [ $# -ge 2 ] || fail "$1 needs a directory" ;;
    esac
    case $1 in
    --prefix) prefix=$2 && shift 2 ;;
    --libdir) libdir=$2 && shift 2 ;;
    --target-dir) target_dir=$2 && shift 2 ;;
    --prefix=*) prefix=${1#*=} && shift ;;
    --libdir=*) libdir=${1#*=} && shift ;;
    --target-dir=*) target_dir=${1#*=} && shift ;;
    -h | --help) sed -n '2,11s/^# \{0,1\}//p' "$0" && exit 0 ;;
    *) fail "unknown argument $1; --help lists them" ;;
    esac
done
libdir=${libdir:-$prefix/lib}
case $prefix in /*) ;; *) fail "--prefix must be an absolute path" ;; esac
case $libdir in /*) ;; *) fail "--libdir must be an absolute path" ;; esac
destdir=${DESTDIR:-}

version=$(sed -n 's/^version = "\(.*\)"$/\1/p' "$root/Cargo.toml" | head -n 1)
major=${version%%.*}
minor=${version#*.}
minor=${minor%%.*}
abi=$(sed -n 's/^#define CAROM_ABI_VERSION \(.*\)$/\1/p' "$root/include/carom.h")
soname=libcarom.so.$abi

# Builds both libraries in target_dir.
build() {
    # Never unloaded, because threads of a context may still be ending.
    flags="-C link-arg=-Wl,-soname,$soname -C link-arg=-Wl,-z,nodelete --print native-static-libs"
    # shellcheck disable=SC2086 # the flags are words
    (cd "$root" && cargo rustc --locked --release --lib --no-default-features --features capi \
        --crate-type cdylib,staticlib --target-dir "$target_dir" -- $flags) >"$target_dir/build.log" 2>&1 || {
        cat "$target_dir/build.log" >&2
        fail "the build failed"
    }
}

# put MODE FROM TO: copies a file into place.
put() {
    mkdir -p "$destdir$(dirname "$3")"
    cp "$2" "$destdir$3.new"
    chmod "$1" "$destdir$3.new"
    mv -f "$destdir$3.new" "$destdir$3"
}

# put_template NAME TO: a file of packaging/ with the paths and versions filled in.
put_template() {
    sed -e "s|@PREFIX@|$prefix|g" -e "s|@LIBDIR@|$libdir|g" -e "s|@VERSION@|$version|g" -e "s|@ABI@|$abi|g" \
        -e "s|@MAJOR@|$major|g" -e "s|@MINOR@|$minor|g" -e "s|@POINTER_SIZE@|$pointer_size|g" \
        -e "s|@PRIVATE_LIBS@|$private_libs|g" -e "s|@PRIVATE_LIBS_CMAKE@|$private_libs_cmake|g" \
        -e "s|@INCLUDE_FROM_LIBDIR@|$include_from_libdir|g" "$root/packaging/$1.in" >"$target_dir/$1"
    put 644 "$target_dir/$1" "$2/$1"
}

mkdir -p "$target_dir"
build

private_libs=$(sed -n 's/^.*native-static-libs: //p' "$target_dir/build.log" | tail -n 1)
[ -n "$private_libs" ] || fail "rustc did not say which libraries the static library needs"
private_libs_cmake=$(echo "$private_libs" | tr -s ' ' ';')
pointer_size=$(($(getconf LONG_BIT) / 8))
case $libdir in
"$prefix"/*) include_from_libdir=$(echo "${libdir#"$prefix"/}" | sed 's|[^/][^/]*|..|g')/include ;;
*) include_from_libdir=$prefix/include ;;
esac

put 644 "$root/include/carom.h" "$prefix/include/carom.h"
put 644 "$root/include/carom.hpp" "$prefix/include/carom.hpp"
put 644 "$root/include/carom_frames.hpp" "$prefix/include/carom_frames.hpp"
put 644 "$root/include/carom_events.hpp" "$prefix/include/carom_events.hpp"
put 644 "$root/include/carom_rigid2d.hpp" "$prefix/include/carom_rigid2d.hpp"
put 644 "$root/include/carom_rigid2d_batch.hpp" "$prefix/include/carom_rigid2d_batch.hpp"
put 644 "$root/include/carom_rigid2d_bodies.hpp" "$prefix/include/carom_rigid2d_bodies.hpp"
put 644 "$target_dir/release/libcarom.a" "$libdir/libcarom.a"
put 755 "$target_dir/release/libcarom.so" "$libdir/libcarom.so.$version"
ln -sf "libcarom.so.$version" "$destdir$libdir/$soname"
ln -sf "$soname" "$destdir$libdir/libcarom.so"
put_template carom.pc "$libdir/pkgconfig"
put_template carom-config.cmake "$libdir/cmake/carom"
put_template carom-config-version.cmake "$libdir/cmake/carom"
echo "installed carom $version in $prefix"
