#!/usr/bin/env bash
# format_doc.sh SOURCE PERSEID: docs/dev/capture-format.md repeats what `perseid check --schema` prints.
set -euo pipefail
document=$1/docs/dev/capture-format.md
perseid=$2

if [[ ${3-} == --renew ]]; then
  { sed '/^<!-- perseid check --schema -->$/q' "$document"; "$perseid" check --schema
    sed -n '/^<!-- end -->$/,$p' "$document"; } >"$document.new"
  mv "$document.new" "$document"
  exit
fi
written=$(sed -n '/^<!-- perseid check --schema -->$/,/^<!-- end -->$/p' "$document" | grep -v '^<!--')
diff <(echo "$written") <("$perseid" check --schema) || {
  echo "docs/dev/capture-format.md is behind; renew it: bash tests/unit/style/format_doc.sh . build/perseid --renew"
  exit 1
}
