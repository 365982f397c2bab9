#!/usr/bin/env bash
# clang_tidy.sh SOURCE BUILD [all]: clang-tidy, as .clang-tidy sets it up, finds nothing. Without "all"
# in what runs inside a user's threads, which takes 3 minutes of one core; all sources take 10, and
# tests/long.sh looks at them.
set -euo pipefail
cd "$1"
build=$2
if [[ ${3-} == all ]]; then
  folders='(capture|plugin|timeline|tools|[a-z_]+/(record|decode))/'
else
  folders='(plugin/(record|session)|[a-z_]+/record)/'
fi
commands=$(mktemp -d)
trap 'rm -rf "$commands"' EXIT

# What this build compiles, by its commands; not by those of tests that compile the same source again,
# with headers that gcc has precompiled.
mapfile -t sources < <(python3 -B - "$PWD/" "$build/compile_commands.json" "$folders" "$commands/compile_commands.json" <<'EOF'
import json, re, sys
root, database, folders, wanted = sys.argv[1:]
found = {}
for entry in json.load(open(database)):
    name = entry["file"].removeprefix(root)
    if re.match(folders, name) and "cmake_pch" not in entry["command"]:
        found[name] = entry
json.dump(list(found.values()), open(wanted, "w"))
print(*sorted(found), sep="\n")
EOF
)
if ((${#sources[@]} < 50)); then
  echo "only ${#sources[@]} sources were found in $build/compile_commands.json" >&2
  exit 1
fi
status=0
printf '%s\n' "${sources[@]}" |
  xargs -P "$(nproc)" -n 4 clang-tidy -p "$commands" --quiet --warnings-as-errors='*' 2>&1 |
  { grep -vE '^[0-9]+ warnings? (generated|treated as errors?)\.?$' || true; } || status=1
((status == 0)) || exit 1
echo "clang-tidy finds nothing in ${#sources[@]} sources"
