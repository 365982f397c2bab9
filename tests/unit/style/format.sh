#!/usr/bin/env bash
# All sources are as clang-format leaves them.
set -euo pipefail
cd "$1"
find annotations bench capture examples mpi ompt plugin tests timeline tools \
  \( -name '*.h' -o -name '*.cpp' -o -name '*.c' \) -print0 |
  xargs -0 clang-format --dry-run -Werror
