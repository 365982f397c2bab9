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
  # .complete: all of it is there, of this list of packages.
  [[ -e $target/$version/.complete.2 ]] && continue
  work=$(mktemp -d "$target/fetching-XXXXXX")
  trap 'rm -rf "$work"' EXIT
  packages=("libomp5-$version")
  # From 17 on the part for devices tells tools what it does.
  ((version >= 17)) && packages+=("libomp-$version-dev" "libllvm$version")
  if ! (cd "$work" && apt-get -qq download "${packages[@]}" 2>apt.log); then
    cat "$work/apt.log" >&2
    echo "tests: cannot fetch ${packages[*]}; apt-get update may be needed" >&2
    exit 1
  fi
  for package in "$work"/*.deb; do dpkg -x "$package" "$work/unpacked"; done
  rm -rf "${target:?}/$version"
  touch "$work/unpacked/.complete.2"
  mv "$work/unpacked" "$target/$version"
  rm -rf "$work"
done
