#!/usr/bin/env bash
# build_preset.sh PRESET [TARGET...]: configures (once) and builds; several callers wait for each other.
set -euo pipefail
cd "$(dirname "$0")/.."
preset=$1
shift
directory=build
[[ $preset != release ]] && directory=build-$preset

mkdir -p .deps
exec 8>".deps/$directory.lock"
flock 8
if [[ ! -f $directory/build.ninja ]]; then
  launcher=()
  if command -v ccache >/dev/null; then
    launcher=(-DCMAKE_C_COMPILER_LAUNCHER=ccache -DCMAKE_CXX_COMPILER_LAUNCHER=ccache)
  fi
  cmake --preset "$preset" "${launcher[@]}" --log-level=WARNING
fi
cmake --build --preset "$preset" ${1:+--target "$@"} -- --quiet
