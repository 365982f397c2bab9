# scripts/progress.sh: shows how far long work is. Sourced by scripts that build or install.
#
# On a terminal one line is written over and over; elsewhere, in the log of a job, a line is added
# every 15 seconds. All of it goes to stdout.

progress_began=0 # all in seconds of $SECONDS
progress_shown=0
progress_open=0 # a line of ours is on the terminal, without its end

progress_begin() {
  progress_began=$SECONDS
  progress_shown=$SECONDS
}

# estimate_text SECONDS: as coarse as an estimate deserves.
estimate_text() {
  if (($1 < 55)); then
    echo "$(($1 / 10 * 10 + 10)) s"
  else
    echo "$((($1 + 30) / 60)) min"
  fi
}

# duration_text SECONDS
duration_text() {
  if (($1 < 60)); then echo "$1 s"; else echo "$(($1 / 60)) min $(($1 % 60)) s"; fi
}

# progress_show TEXT DONE TOTAL: with the time that is left if the rest goes as fast as what is done.
progress_show() {
  local line=$1 done=$2 total=$3 elapsed=$((SECONDS - progress_began))
  if ((done > 0 && done < total && elapsed >= 5)); then
    line+=", about $(estimate_text $((elapsed * (total - done) / done))) left"
  fi
  if [[ -t 1 ]]; then
    printf '\r\033[K%.79s' "$line"
    progress_open=1
  elif ((SECONDS - progress_shown >= 15)); then
    progress_shown=$SECONDS
    echo "$line"
  fi
}

# Call before anything else is printed.
progress_clear() {
  ((progress_open == 0)) || printf '\r\033[K'
  progress_open=0
}
