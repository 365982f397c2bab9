#!/usr/bin/env bash
# user_build_test.sh SOURCE: who wants the library alone configures without the packages of tests and
# benchmarks, of examples and of CUDA, and sees no warning; one of the compiler is no error.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

absent=()
for package in GTest Protobuf PkgConfig StarPU OpenMP CUDAToolkit; do
  absent+=("-DCMAKE_DISABLE_FIND_PACKAGE_$package=ON")
done
cmake --no-warn-unused-cli -G Ninja -S "$1" -B "$work/build" "${absent[@]}" >"$work/stdout" 2>"$work/stderr" || {
  cat "$work/stderr" >&2
  exit 1
}
if [[ -s $work/stderr ]]; then
  echo "FAILED: cmake warns:" >&2
  cat "$work/stderr" >&2
  exit 1
fi
targets=$(cmake --build "$work/build" --target help)
if grep -E 'test_|bench_' <<<"$targets"; then
  echo "FAILED: a user's build has the targets above" >&2
  exit 1
fi
if grep -q -e -Werror "$work/build/compile_commands.json"; then
  echo "FAILED: a warning of a user's compiler ends the build" >&2
  exit 1
fi
echo "configures without what only tests need"
