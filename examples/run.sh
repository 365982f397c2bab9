#!/usr/bin/env bash
# Installs what is missing, builds, and records the first timeline. Arguments go to the example.
set -euo pipefail
cd "$(dirname "$0")/.."

bash scripts/install_packages.sh build
echo "Building ..."
bash scripts/build_preset.sh release perseid_library perseid_tool annotated c_heat

mkdir -p build/timelines
echo "Running examples/annotated under perseid run ..."
build/perseid run -o build/timelines/ -- build/examples/annotated "$@"

newest=$(ls -t build/timelines/perseid-annotated-*.json* | head -n 1)
cat <<TEXT

The timeline is  $PWD/$newest
To look at it, open https://ui.perfetto.dev in a browser and drag the file onto the page; it is read
in the browser, nothing is uploaded. examples/annotated/README.md says what there is to see.
To trace a program of yours:  $PWD/build/perseid run -- ./program
TEXT
