#!/usr/bin/env bash
# Installs what is missing, builds, and records the first timeline. Arguments go to the example.
set -euo pipefail
cd "$(dirname "$0")/.."

bash scripts/install_packages.sh build
echo "Building ..."
bash scripts/build_preset.sh release perseid_library perseid_tool starpu_cholesky annotated c_heat openmp_sparse_lu

mkdir -p build/timelines
echo "Running examples/starpu_cholesky under perseid run ..."
build/perseid run -o build/timelines/ -- build/examples/starpu_cholesky "$@"
echo "Running examples/openmp under perseid run, with LLVM's OpenMP runtime in libgomp's place ..."
build/perseid run --openmp=llvm -o build/timelines/ -- build/examples/openmp_sparse_lu

newest=$(ls -t build/timelines/perseid-starpu_cholesky-*.json* | head -n 1)
cat <<TEXT

The timeline is  $PWD/$newest
To look at it, open https://ui.perfetto.dev in a browser and drag the file onto the page; it is read
in the browser, nothing is uploaded. examples/starpu_cholesky/README.md says what there is to see.
To trace a program of yours:  $PWD/build/perseid run -- ./program
TEXT
