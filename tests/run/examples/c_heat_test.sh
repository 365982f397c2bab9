#!/usr/bin/env bash
# c_heat_test.sh PERSEID PROGRAM: annotations from C arrive.
set -euo pipefail
perseid=$1
program=$2
here=$(cd "$(dirname "$0")" && pwd)
unset PERSEID STARPU_TRACE_PLUGIN
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

"$program" >untraced
"$perseid" run -q -o t.json -- "$program" >traced
diff untraced traced
python3 -B "$here/expect.py" t.json \
  relax=401 barrier=800 "warmest point#=200" check=1 "thread=left half" "thread=right half"
