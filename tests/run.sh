#!/usr/bin/env bash
# Installs what is missing, builds, and runs all tests: everything in the release build, then unit,
# stream and host tests under AddressSanitizer and UBSan, with a short fuzzing of the reader, then what
# has threads under ThreadSanitizer. With --fast: the release build only.
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
began=$SECONDS
second_tries=$PWD/.deps/second_tries
rm -f "$second_tries"
for preset in "${presets[@]}"; do
  echo "== $preset: build"
  bash scripts/build_preset.sh "$preset"
  echo "== $preset: tests"
  labels=()
  [[ $preset != release ]] && labels=(--label-regex '^(unit|stream|host|fuzz)$')
  directory=build
  [[ $preset != release ]] && directory=build-$preset
  bash scripts/run_tests.sh "$directory" "$second_tries" "${labels[@]}" || failed+=("$preset")
done

if [[ -s $second_tries ]]; then
  echo "Passed at the second try only: $(paste -sd' ' "$second_tries")"
fi
if [[ ${#failed[@]} -gt 0 ]]; then
  echo "FAILED in: ${failed[*]}"
  exit 1
fi
echo "All tests passed: ${presets[*]}, in $(((SECONDS - began) / 60)) min $(((SECONDS - began) % 60)) s"
