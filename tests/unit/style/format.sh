#!/usr/bin/env bash
# All sources are as clang-format leaves them.
set -euo pipefail
cd "$1"
find . -mindepth 1 -maxdepth 1 -type d ! -name 'build*' ! -name '.*' -print0 |
  xargs -0 -I{} find {} -path '*/node_modules' -prune -o \
    \( -name '*.h' -o -name '*.cpp' -o -name '*.c' \) -print0 |
  xargs -0 clang-format --dry-run -Werror
