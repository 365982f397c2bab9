#!/usr/bin/env bash
# openmp_sparse_lu_test.sh PERSEID PROGRAM: the example computes the same on LLVM's runtime, and each of
# its tasks is created once, runs once, and has its arrow.
set -euo pipefail
perseid=$1
program=$2
unset PERSEID STARPU_TRACE_PLUGIN OMP_TOOL_LIBRARIES
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

export OMP_NUM_THREADS=3
"$program" 8 16 >untraced
"$perseid" run -q --openmp=llvm -o t.json -- "$program" 8 16 >traced
diff untraced traced
python3 -B - "$(grep -o '[0-9]* tasks' traced)" <<'PYTHON'
import json, sys
wanted = int(sys.argv[1].split()[0])
events = json.load(open("t.json"))["traceEvents"]
tasks = [e for e in events if e.get("cat") == "openmp.task"]
created = [e for e in events if e.get("cat") == "openmp.create"]
assert wanted > 50 and len(tasks) == len(created) == wanted, (wanted, len(tasks), len(created))
assert all(e["name"].startswith("factorise (sparse_lu.cpp:") for e in tasks), tasks[0]["name"]
assert len({e["name"] for e in tasks}) == 4, "four kinds of tasks, each at its line"
ends = [e for e in events if e["ph"] == "f"]
depends = sum(e["args"]["depends_on"] for e in tasks)
assert depends > wanted and len(ends) >= wanted + depends, (len(ends), wanted, depends)
PYTHON
