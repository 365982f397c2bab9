#!/usr/bin/env bash
# Installs what is missing, builds, and records the first timelines. Arguments go to starpu_cholesky.
set -euo pipefail
cd "$(dirname "$0")/.."
unset PERSEID STARPU_TRACE_PLUGIN # the user's settings could send the timelines elsewhere

bash scripts/install_packages.sh build
echo "Building Perseid and its examples"
bash scripts/build_preset.sh user perseid_library perseid_tool starpu_cholesky annotated c_heat openmp_sparse_lu

mkdir -p build/timelines
echo "Tracing an OpenMP program, built by gcc: perseid run --openmp=llvm"
build/perseid run --openmp=llvm -o build/timelines/ -- build/examples/openmp_sparse_lu
echo "Tracing a StarPU program: perseid run"
build/perseid run -o build/timelines/ -- build/examples/starpu_cholesky "$@"

timeline=$PWD/$(ls -t build/timelines/perseid-starpu_cholesky-*.json | head -n 1)
answer=$(build/perseid report --short "$timeline" | sed -n 2p)
[[ -n $answer ]] || { echo "examples/run.sh: $timeline has no report" >&2; exit 1; }
cat <<TEXT

Answer:   $answer
Timeline: $timeline
To open:  drag the file onto https://ui.perfetto.dev; it stays in your browser
TEXT
