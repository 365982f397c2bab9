#!/usr/bin/env bash
# annotated_test.sh PERSEID PROGRAM: the example computes rightly and shows what its README says.
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
  tile=64 pack=1024 multiply=513 "queue a tile=64" "collect a tile=64" "tile 3,5=1" "tiles done#=64" \
  "->=128" check=1 "set up=1" verdict=1 "thread=worker 1" "thread=worker 2" thread=main
