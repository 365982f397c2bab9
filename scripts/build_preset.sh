#!/usr/bin/env bash
# build_preset.sh PRESET [TARGET...]: configures and builds, and shows how far it is. Several callers
# wait for each other. The presets user, bench and release share build/: each adds to the one before.
set -euo pipefail
cd "$(dirname "$0")/.."
source scripts/progress.sh
preset=$1
shift
case $preset in
  user | bench | release) directory=build ;;
  *) directory=build-$preset ;;
esac

mkdir -p .deps
exec 8>".deps/$directory.lock"
flock 8

if [[ -f $directory/CMakeCache.txt && ! -f $directory/build.ninja ]] &&
  ! grep -q '^CMAKE_GENERATOR:INTERNAL=Ninja$' "$directory/CMakeCache.txt"; then
  echo "$PWD/$directory was configured with a generator other than Ninja: remove it, or build there by hand" >&2
  exit 1
fi
# A user's build is part of any that is there; the others have variables of their own to set.
if [[ $preset != user || ! -f $directory/build.ninja ]]; then
  launcher=()
  if command -v ccache >/dev/null; then
    launcher=(-DCMAKE_C_COMPILER_LAUNCHER=ccache -DCMAKE_CXX_COMPILER_LAUNCHER=ccache)
  fi
  # Warnings come on stderr; what is on stdout (all variables of the preset) matters if it fails.
  cmake --preset "$preset" "${launcher[@]}" --log-level=WARNING >".deps/$directory.configure.log" || {
    cat ".deps/$directory.configure.log"
    exit 1
  }
fi

# What ccache asks for where headers are precompiled.
export CCACHE_SLOPPINESS=pch_defines,time_macros
show_steps() {
  local mark done total text steps=0
  progress_begin
  while IFS= read -r line; do
    if [[ $line == "@step "* ]]; then
      read -r mark done total text <<<"$line"
      steps=$done
      progress_show "  $done of $total steps" "$done" "$total"
    elif [[ $line != "-- "* && $line != "ninja: no work to do." ]]; then
      progress_clear
      printf '%s\n' "$line"
    fi
  done
  progress_clear
  if ((steps > 0)); then echo "  $steps steps in $(duration_text $((SECONDS - progress_began)))"; fi
}

NINJA_STATUS='@step %f %t ' cmake --build --preset "$preset" ${1:+--target "$@"} 2>&1 | show_steps
