#!/usr/bin/env bash
# run_tests.sh BUILD_DIRECTORY SECOND_TRIES [CTEST_OPTION...]: runs the tests of a build.
#
# Tests with the label "foreign" run other people's runtimes, whose timing on a busy machine is not ours:
# those that fail get a second try, alone. Everything else has one: a race of ours that shows every
# second time must fail. The file SECOND_TRIES gets a line with each test that needed its second one.
set -euo pipefail
build=$1
second_tries=$2
shift 2
ctest=(ctest --test-dir "$build" --output-on-failure --no-tests=error)

status=0
# One more than cores: some tests mostly wait.
"${ctest[@]}" --parallel "$(($(nproc) + 1))" "$@" || status=$?
[[ $status -ne 0 ]] || exit 0
failed_log=$build/Testing/Temporary/LastTestsFailed.log
[[ -s $failed_log ]] || exit "$status"
mapfile -t failed < <(cut -d: -f2- "$failed_log")
foreign=$("${ctest[@]}" --show-only -L '^foreign$' | sed -n 's/^ *Test *#[0-9]*: //p')
for name in "${failed[@]}"; do
  grep -qxF -- "$name" <<<"$foreign" || exit "$status"
done

echo "== second try: ${failed[*]}"
pattern=$(printf '%s\n' "${failed[@]}" | sed 's/[.+]/\\&/g' | paste -sd'|')
"${ctest[@]}" -R "^($pattern)\$"
printf '%s\n' "${failed[@]}" >>"$second_tries"
