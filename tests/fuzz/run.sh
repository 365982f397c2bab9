#!/usr/bin/env bash
# Builds the reader's fuzzer with clang, whatever compiler the rest is built with, and runs it
# for a bounded time: run.sh BUILD_DIRECTORY SECONDS. An input that fails stays in
# BUILD_DIRECTORY/failures, and `reader_fuzz FILE` runs it again.
set -euo pipefail
source=$(cd "$(dirname "$0")/../.." && pwd)
build=$1
seconds=$2

for tool in clang clang++; do
  if ! command -v "$tool" >/dev/null; then
    echo "tests: fuzzing needs $tool: apt-get install clang" >&2
    exit 1
  fi
done
cmake -S "$source" -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=RelWithDebInfo \
  -DCMAKE_C_COMPILER=clang -DCMAKE_CXX_COMPILER=clang++ -DPERSEID_TESTS=ON -DPERSEID_FUZZ=ON \
  -DPERSEID_SANITIZE=fuzzer-no-link,address,undefined >"$build.log" 2>&1 || { cat "$build.log"; exit 1; }
cmake --build "$build" --target reader_fuzz make_seeds >"$build.log" 2>&1 || { cat "$build.log"; exit 1; }

corpus=$build/corpus
failures=$build/failures
captures=$build/captures
rm -rf "$corpus" "$failures" "$captures"
mkdir -p "$corpus" "$failures" "$captures"
for archive in "$source"/tests/golden/*/*.tar.xz; do
  python3 -m tarfile -e "$archive" "$captures"
done
"$build/make_seeds" "$corpus" "$captures"/*.capture
# Each input becomes files: in memory that is ten times faster than on disk.
if [[ -w /dev/shm ]]; then export TMPDIR=/dev/shm; fi
"$build/reader_fuzz" -max_total_time="$seconds" -max_len=262144 -timeout=20 -rss_limit_mb=1024 \
  -artifact_prefix="$failures/" -print_final_stats=1 "$corpus" >"$build.log" 2>&1 ||
  { cat "$build.log"; exit 1; }
grep '^stat::' "$build.log"
