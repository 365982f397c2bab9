#!/usr/bin/env bash
# run.sh BUILD_DIRECTORY SECONDS: runs the reader's fuzzer for a bounded time, in a build of the preset
# asan, or in a directory that becomes one. An input that fails stays in BUILD_DIRECTORY/fuzz/failures,
# and `reader_fuzz FILE` runs it again.
set -euo pipefail
source=$(cd "$(dirname "$0")/../.." && pwd)
build=$1
seconds=$2

mkdir -p "$build/fuzz"
log=$build/fuzz/log
if [[ ! -f $build/build.ninja ]]; then
  (cd "$source" && cmake --preset asan -B "$(realpath "$build")") >"$log" 2>&1 || { cat "$log"; exit 1; }
fi
cmake --build "$build" --target reader_fuzz make_seeds >"$log" 2>&1 || { cat "$log"; exit 1; }

corpus=$build/fuzz/corpus
failures=$build/fuzz/failures
captures=$build/fuzz/captures
rm -rf "$corpus" "$failures" "$captures"
mkdir -p "$corpus" "$failures" "$captures"
for archive in "$source"/tests/golden/*/*.tar.xz; do
  python3 -m tarfile -e "$archive" "$captures"
done
"$build/make_seeds" "$corpus" "$captures"/*.capture
# Each input becomes files: in memory that is ten times faster than on disk.
if [[ -w /dev/shm ]]; then export TMPDIR=/dev/shm; fi
"$build/reader_fuzz" -max_total_time="$seconds" -max_len=262144 -timeout=20 -rss_limit_mb=1024 \
  -artifact_prefix="$failures/" -print_final_stats=1 "$corpus" >"$log" 2>&1 ||
  { cat "$log"; exit 1; }
grep '^stat::' "$log"
