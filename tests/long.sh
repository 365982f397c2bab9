#!/usr/bin/env bash
# long.sh [storm|fuzz|fresh|events|zlib|tidy]...: proofs that take too long for every change; all without words.
#
#   storm   200 kills of recording programs, in all modes: no finished record may be missing   10 min
#   fuzz    30 minutes of damaged captures through the instrumented reader                     30 min
#   fresh   tests/run.sh in an empty Debian (root, scripts/fresh_machine.sh)                   25 min
#   events  100 million events: all in the timeline, none lost, bounded memory                  5 min
#   zlib    a build without libz.a: the library reports, the command line compresses            4 min
#   tidy    clang-tidy over all sources                                                         5 min
#
# tests/run.sh has a short form of each. Ends with a table; what each part printed is in .deps/long/.
set -euo pipefail
cd "$(dirname "$0")/.."
source scripts/progress.sh

# In a process of its own, whose first failure ends it.
run_part() {
  case $1 in
    storm)
      bash scripts/build_preset.sh release
      bash tests/storm/run.sh 200
      ;;
    fuzz)
      bash scripts/build_preset.sh asan reader_fuzz make_seeds
      bash tests/fuzz/run.sh build-asan 1800
      ;;
    fresh) bash scripts/fresh_machine.sh tests ;;
    events)
      bash scripts/build_preset.sh release perseid_library perseid_tool volume_ranges
      PERSEID_TOOL=$PWD/build/perseid PERSEID_RANGES=$PWD/build/tests/volume/ranges \
        python3 -B tests/run/volume/volume_test.py 100000000
      ;;
    tidy)
      bash scripts/build_preset.sh release perseid_library perseid_tool
      bash tests/unit/style/clang_tidy.sh "$PWD" "$PWD/build" all
      ;;
    zlib) bash tests/run/install/no_static_zlib_test.sh "$PWD" ;;
  esac
}
if [[ ${1-} == --part ]]; then
  run_part "$2"
  exit
fi

known=(storm fuzz fresh events zlib tidy)
parts=("$@")
[[ $# -gt 0 ]] || parts=("${known[@]}")
for part in "${parts[@]}"; do
  [[ " ${known[*]} " == *" $part "* ]] || { sed -n '2,/^set/{/^set/!s/^# \?//p}' tests/long.sh >&2; exit 2; }
done

bash scripts/install_packages.sh build test
mkdir -p .deps/long
rows=()
status=0
for part in "${parts[@]}"; do
  log=.deps/long/$part.log
  began=$SECONDS
  echo "== $part"
  result=passed
  bash tests/long.sh --part "$part" 2>&1 | tee "$log" || { result=FAILED; status=1; }
  rows+=("$(printf '%-8s %-8s %-14s %s' "$part" "$result" "$(duration_text $((SECONDS - began)))" "$(tail -n 1 "$log")")")
done
echo
printf '%-8s %-8s %-14s %s\n' part result time "last line"
printf '%s\n' "${rows[@]}"
exit "$status"
