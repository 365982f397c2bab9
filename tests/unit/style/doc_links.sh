#!/usr/bin/env bash
# doc_links.sh SOURCE: every relative link in *.md names a file, and every docs/....md in a source exists.
set -euo pipefail
cd "$1"

documents=$(find . \( -name 'build*' -o -name node_modules -o -name '.[!.]*' \) -prune -o -name '*.md' -print)
failures=0
while IFS= read -r document; do
  while IFS= read -r target; do
    if [[ ! -e $(dirname "$document")/$target ]]; then
      echo "$document: there is no $target"
      failures=$((failures + 1))
    fi
  done < <(grep -oE '\]\([^)# ]+' "$document" | sed 's/^](//' | grep -vE '^[a-z]+:' || true)
done <<<"$documents"

while IFS=: read -r file mentioned; do
  if [[ ! -e $mentioned ]]; then
    echo "$file: there is no $mentioned"
    failures=$((failures + 1))
  fi
done < <(grep -rEo '\bdocs/[a-z/-]+\.md' --include='*.h' --include='*.cpp' --include='*.py' --include='*.sh' \
           --include='*.txt' --include='*.md' --exclude-dir='build*' --exclude-dir='.*' --exclude-dir=node_modules \
           -- * || true)
echo "$failures links without a file"
[[ $failures -eq 0 ]]
