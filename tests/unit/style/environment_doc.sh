#!/usr/bin/env bash
# environment_doc.sh SOURCE PERSEID: docs/user/environment.md repeats what `perseid env` prints.
set -euo pipefail
document=$1/docs/user/environment.md
perseid=$2
unset PERSEID STARPU_TRACE_PLUGIN

if [[ ${3-} == --renew ]]; then
  { sed '/^<!-- perseid env -->$/q' "$document"; echo '```'; "$perseid" env; echo '```'
    sed -n '/^<!-- end -->$/,$p' "$document"; } >"$document.new"
  mv "$document.new" "$document"
  exit
fi
written=$(sed -n '/^<!-- perseid env -->$/,/^<!-- end -->$/p' "$document" | grep -v -e '^<!--' -e '^```')
diff <(echo "$written") <("$perseid" env) || {
  echo "docs/user/environment.md is out of date; renew it: bash tests/unit/style/environment_doc.sh . build/perseid --renew"
  exit 1
}
