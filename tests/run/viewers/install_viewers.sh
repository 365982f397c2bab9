#!/usr/bin/env bash
# install_viewers.sh DIRECTORY: fetches the viewers that tests open timelines in, as npm packages ship
# them: speedscope's page (MIT), and Catapult's trace viewer (BSD), which is the page of
# chrome://tracing. `npm pack` takes the packages alone and none of their dependencies.
set -euo pipefail
packages=(speedscope@1.25.0 traceviewer@1.0.11)
target=$(realpath -m "$1")
parent=$(dirname "$target")

is_installed() {
  [[ -f $target/VERSION && $(<"$target/VERSION") == "${packages[*]}" ]]
}
is_installed && exit 0

mkdir -p "$parent"
exec 9>"$target.lock"
flock 9
is_installed && exit 0

if ! command -v npm >/dev/null; then
  echo "the viewers need npm: bash scripts/install_packages.sh test" >&2
  exit 1
fi
work=$(mktemp -d "$parent/fetching-XXXXXX")
trap 'rm -rf "$work"' EXIT
mkdir "$work/viewers"
for package in "${packages[@]}"; do
  name=${package%@*}
  mkdir "$work/$name" "$work/viewers/$name"
  if ! (cd "$work/$name" && npm pack --silent "$package" >packed.txt 2>npm.log); then
    cat "$work/$name/npm.log" >&2
    echo "cannot fetch $package; npm needs a registry or a cache that has it" >&2
    exit 1
  fi
  tar -xzf "$work/$name"/*.tgz -C "$work/viewers/$name" --strip-components 1
done
echo "${packages[*]}" >"$work/viewers/VERSION"
rm -rf "$target"
mv "$work/viewers" "$target"
echo "viewers: ${packages[*]} in $target"
