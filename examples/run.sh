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
# One event a line. The workers' time is counted from the first submission to the end of the last task.
answer=$(awk '
  function number(key) { return match($0, "\"" key "\":[0-9.]+") ? substr($0, RSTART + length(key) + 3) + 0 : 0 }
  /"name":"thread_name"/ && /"name":"CPU / { workers++ }
  /"cat":"submission"/ { if (!submissions++ || number("ts") < begin) begin = number("ts") }
  /"cat":"task"/ {
    tasks++
    work += number("dur")
    if (number("ts") + number("dur") > end) end = number("ts") + number("dur")
    match($0, /"name":"[^"]*/)
    of[substr($0, RSTART + 8, RLENGTH - 8)] += number("dur")
  }
  END {
    if (!tasks || !workers) { print "examples/run.sh: " FILENAME " has no task" >"/dev/stderr"; exit 1 }
    for (name in of) if (of[name] > of[most]) most = name
    printf "%d tasks kept %d workers %.0f %% busy for %.1f ms; %s was %.0f %% of it\n", tasks, workers,
      100 * work / (workers * (end - begin)), (end - begin) / 1000, most, 100 * of[most] / work
  }' "$timeline")
cat <<TEXT

Answer:   $answer
Timeline: $timeline
To open:  drag the file onto https://ui.perfetto.dev; it stays in your browser
TEXT
