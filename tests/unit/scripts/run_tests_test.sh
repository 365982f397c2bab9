#!/usr/bin/env bash
# run_tests_test.sh SOURCE: only tests of other people's runtimes get a second try, and it is reported.
set -euo pipefail
source_dir=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

fail() {
  echo "FAILED: $*" >&2
  cat output >&2
  exit 1
}

# write_tests LABEL...: tests first, second, ... that fail when they run for the first time.
write_tests() {
  rm -rf ran tries build
  mkdir ran build
  local number=0 label
  for label in "$@"; do
    number=$((number + 1))
    cat >>build/CTestTestfile.cmake <<END
add_test(run.test$number bash -c "[ -e $work/ran/$number ] || { touch $work/ran/$number; exit 1; }")
set_tests_properties(run.test$number PROPERTIES LABELS "$label")
END
  done
  echo 'add_test(run.passes true)' >>build/CTestTestfile.cmake
}
run_tests() { bash "$source_dir/scripts/run_tests.sh" build tries "$@" >output 2>&1; }

write_tests "run;foreign"
run_tests || fail "a foreign test got no second try"
[[ $(cat tries) == run.test1 ]] || fail "the second try is not reported"

write_tests "run"
! run_tests || fail "a test of ours got a second try"
[[ ! -e tries ]] || fail "a second try is reported that was none"

write_tests "run;foreign" "unit"
! run_tests || fail "a failure of ours was hidden by a foreign one"

write_tests
run_tests || fail "tests that pass do not pass"
[[ ! -e tries ]] || fail "a second try is reported that was none"

! run_tests -L no_such_label || fail "no tests at all is a success"
echo "second tries are for foreign tests"
