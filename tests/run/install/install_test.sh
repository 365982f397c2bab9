#!/usr/bin/env bash
# install_test.sh SOURCE BUILD: installs into a fresh prefix, moves it, and uses it as a user would:
# with find_package, with pkg-config, and through the installed command line.
set -euo pipefail
source_dir=$1
build_dir=$2
unset PERSEID STARPU_TRACE_PLUGIN LD_PRELOAD

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

fail() {
  echo "FAILED: $*" >&2
  exit 1
}

expect() { # expect WORD COMMAND...
  local word=$1 output
  shift
  output=$("$@" 2>stderr) || fail "$* ended with $?: $(cat stderr)"
  [[ $output == "$word" ]] || fail "$* printed \"$output\", not \"$word\""
}

expect_timeline() {
  grep -q '"installed"' "$1" || fail "$1 does not show the range"
}

cmake --install "$build_dir" --prefix "$work/first" >install.log
mv first moved # nothing may depend on the place
prefix=$work/moved
perseid=$prefix/bin/perseid
libdir=$(dirname "$(find "$prefix" -name libperseid.so)")

expect "perseid $("$build_dir/perseid" --version | cut -d' ' -f2)" "$perseid" --version

cmake -G Ninja -S "$source_dir/tests/run/install/consumer" -B consumer -DCMAKE_PREFIX_PATH="$prefix" >configure.log
cmake --build consumer >build.log
expect untraced consumer/annotated_only
expect traced "$perseid" run -o launched.json -- consumer/annotated_only
expect_timeline launched.json

expect untraced consumer/linked
expect traced env PERSEID=linked.json consumer/linked
expect_timeline linked.json

export PKG_CONFIG_PATH=$libdir/pkgconfig
read -ra flags <<<"$(pkg-config --cflags --libs perseid)"
cc "$source_dir/tests/run/install/consumer/consumer.c" "${flags[@]}" "-Wl,-rpath,$libdir" -o by_pkg_config
expect traced env PERSEID=pkg.json ./by_pkg_config
expect_timeline pkg.json
echo "installed, moved, found and used"
