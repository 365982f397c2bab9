#!/usr/bin/env bash
# progress_test.sh SOURCE: the line that shows how far a build is, on a terminal and in a log.
set -euo pipefail
source "$1/scripts/progress.sh"

expect() { # expect TEXT TEXT
  [[ $1 == "$2" ]] || { echo "FAILED: \"$1\" instead of \"$2\"" >&2; exit 1; }
}

# A third is done after 60 s: the rest takes 120. In a log, lines are at least 15 s apart.
in_a_log() {
  SECONDS=100
  progress_begin
  SECONDS=112
  progress_show "7 of 150 steps" 7 150
  SECONDS=160
  progress_show "50 of 150 steps" 50 150
  SECONDS=170
  progress_show "60 of 150 steps" 60 150
  SECONDS=190
  progress_show "149 of 150 steps" 149 150
  SECONDS=210
  progress_show "150 of 150 steps" 150 150
  progress_clear
}
expect "$(in_a_log)" "50 of 150 steps, about 2 min left
149 of 150 steps, about 10 s left
150 of 150 steps"

# On a terminal each line takes the place of the one before, and none of them stays.
on_a_terminal=$(script --quiet --return --command "bash -c 'source $1/scripts/progress.sh
  progress_begin
  progress_show one 1 2
  progress_show two 2 2
  progress_clear
  echo end'" /dev/null | tr -d '\n')
expect "$on_a_terminal" $'\r\e[Kone\r\e[Ktwo\r\e[Kend\r'

expect "$(estimate_text 41)" "50 s"
expect "$(estimate_text 89)" "1 min"
expect "$(duration_text 59)" "59 s"
expect "$(duration_text 151)" "2 min 31 s"
echo "shows how far it is"
