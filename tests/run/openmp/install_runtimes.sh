#!/usr/bin/env bash
# Unpacks the other versions of LLVM's OpenMP runtime that Debian offers into .deps/openmp/VERSION.
# Installed into the system they would push each other out; unpacked they live side by side.
set -euo pipefail
cd "$(dirname "$0")/../../.."
target=$PWD/.deps/openmp
mkdir -p "$target"
exec 9>.deps/openmp.lock
flock 9

for version in "$@"; do
  [[ -e $target/$version/usr/lib/llvm-$version/lib/libomp.so.5 ]] && continue
  work=$(mktemp -d "$target/fetching-XXXXXX")
  trap 'rm -rf "$work"' EXIT
  if ! (cd "$work" && apt-get -qq download "libomp5-$version" 2>apt.log); then
    cat "$work/apt.log" >&2
    echo "tests: cannot fetch libomp5-$version; apt-get update may be needed" >&2
    exit 1
  fi
  dpkg -x "$work"/*.deb "$work/unpacked"
  rm -rf "${target:?}/$version"
  mv "$work/unpacked" "$target/$version"
  rm -rf "$work"
done
