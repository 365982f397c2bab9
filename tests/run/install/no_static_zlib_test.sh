#!/usr/bin/env bash
# no_static_zlib_test.sh SOURCE: where there is no libz.a, libperseid.so needs no libz, says that it
# cannot compress, and what can; `perseid` compresses all the same.
set -euo pipefail
source_dir=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() {
  echo "FAILED: $*" >&2
  exit 1
}

launcher=()
if command -v ccache >/dev/null; then
  launcher=(-DCMAKE_C_COMPILER_LAUNCHER=ccache -DCMAKE_CXX_COMPILER_LAUNCHER=ccache)
fi
cmake -G Ninja -S "$source_dir" -B "$work/build" -DPERSEID_ZLIB_STATIC=OFF "${launcher[@]}" >"$work/log"
grep -q "libz.a was not found" "$work/log" || fail "cmake does not report that libz.a is missing"
ninja -C "$work/build" perseid_library perseid_tool annotated >"$work/log" || { cat "$work/log"; fail "no build"; }

! readelf -d "$work/build/libperseid.so" | grep -q 'NEEDED.*libz' || fail "libperseid.so needs libz"

cd "$work"
PERSEID=out=t.json.gz LD_PRELOAD=$work/build/libperseid.so build/examples/annotated >/dev/null 2>"$work/stderr"
[[ $(grep -c '^perseid: ' stderr) -eq 1 ]] || { cat stderr; fail "not one line"; }
grep -q 'cannot compress .*t.json.gz: the library was built without libz.a; the capture stays, make the timeline with: perseid export ' stderr ||
  { cat stderr; fail "the library does not say what to do"; }
[[ ! -e t.json.gz ]] || fail "the library wrote a file"

build/perseid export -qo again.json.gz ./*.capture || fail "perseid export failed"
gzip -t again.json.gz || fail "not gzip"
build/perseid check again.json.gz >/dev/null || fail "perseid check refuses it"
build/perseid run -qo run.json.gz -- build/examples/annotated >/dev/null || fail "perseid run failed"
gzip -t run.json.gz || fail "not gzip"
echo "compresses with the command line only"
