#!/usr/bin/env bash
# Installs what is missing, builds, and runs all tests: everything in the release build, then unit,
# stream and host tests under AddressSanitizer and UBSan, and under ThreadSanitizer.
# With --fast: the release build only.
set -euo pipefail
cd "$(dirname "$0")/.."

presets=(release asan tsan)
case ${1-} in
  "") ;;
  --fast) presets=(release) ;;
  *) echo "usage: bash tests/run.sh [--fast]" >&2; exit 2 ;;
esac

bash scripts/install_packages.sh build test
mkdir -p .deps
exec 7>.deps/tests.lock
flock 7

failed=()
for preset in "${presets[@]}"; do
  echo "== $preset: build"
  bash scripts/build_preset.sh "$preset"
  echo "== $preset: tests"
  labels=()
  [[ $preset != release ]] && labels=(--label-regex '^(unit|stream|host)$')
  # On a busy machine a program may be too late for what a test waits for. It gets a second try, and
  # CTest shows both.
  ctest --preset "$preset" --no-tests=error --parallel "$(nproc)" --repeat until-pass:2 "${labels[@]}" ||
    failed+=("$preset")
done

if [[ ${#failed[@]} -gt 0 ]]; then
  echo "FAILED in: ${failed[*]}"
  exit 1
fi
echo "All tests passed: ${presets[*]}"
