#!/usr/bin/env bash
# starpu_cholesky_test.sh PERSEID PROGRAM: the example computes rightly, and its timeline shows each
# task with its arrows.
set -euo pipefail
perseid=$1
program=$2
here=$(cd "$(dirname "$0")" && pwd)
unset PERSEID STARPU_TRACE_PLUGIN
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

# One worker, which then has a row for sure: of two, one may be faster than the other comes up.
export STARPU_NCPU=1
"$program" 6 32 >untraced
"$perseid" run -q -o t.json -- "$program" 6 32 >traced
diff untraced traced
# 6 tiles: 6 potrf, 15 trsm, 15 syrk, 20 gemm. The name of a submission is "submit " and the task's.
python3 -B "$here/expect.py" t.json \
  potrf=6 trsm=15 syrk=15 gemm=20 "submit potrf=6" "submit gemm=20" "iteration 5=1" \
  "wait for all tasks=1" starpu_init=1 starpu_shutdown=1 "thread=CPU 0" thread=StarPU
# By data: potrf waits for a syrk (5); trsm for potrf and a gemm (15 + 10); syrk for trsm and the
# syrk before (15 + 10); gemm for two trsm and the gemm before (40 + 10). Submissions: 56.
python3 -B - <<'PYTHON'
import json
events = json.load(open("t.json"))["traceEvents"]
ends = [e["id"] for e in events if e["ph"] == "f"]
begins = [e["id"] for e in events if e["ph"] == "s"]
assert len(begins) == len(set(begins)), "an arrow has two sources"
assert set(ends) <= set(begins), "an arrow has no source"
stolen = sum(1 for e in events if e["name"] == "queued, later stolen")
assert len(ends) - stolen == 56 + 105, f"{len(ends)} arrows, {stolen} of them of steals"
PYTHON
