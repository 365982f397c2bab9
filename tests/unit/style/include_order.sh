#!/usr/bin/env bash
# include_order.sh SOURCE: each #include of ours points down, by folder:
#
#   capture < plugin/settings, plugin/record < plugin/session < record/ of each runtime
#   capture < timeline/model < timeline/drawing < decode/ of each runtime < timeline/walk < sinks,
#   writers < export, check, dump < tools
#   timeline/model < analysis < report < export
set -euo pipefail
cd "$1"

# A folder with an events.h is a runtime.
runtimes=$(printf '%s\n' */events.h | sed 's#/.*##')
# Folder or file (first match counts): what it may include. RUNTIME stands for the runtime's own folder.
rules='
include/:
capture/:                    capture/
plugin/session/shutdown.cpp: capture/ plugin/ timeline/export/ timeline/report/
plugin/settings/:            capture/ plugin/settings/
plugin/:                     capture/ plugin/
RUNTIME/events.h:            capture/ RUNTIME/numbers.h
RUNTIME/numbers.h:           capture/
RUNTIME/record/:             capture/ plugin/ RUNTIME/record/ RUNTIME/events.h RUNTIME/numbers.h include/
RUNTIME/decode/:             capture/ RUNTIME/decode/ RUNTIME/events.h RUNTIME/numbers.h timeline/walk/decoder.h timeline/model/ timeline/drawing/ timeline/symbols/
timeline/symbols/:           capture/ timeline/symbols/
timeline/model/:             capture/ timeline/model/ timeline/symbols/
timeline/drawing/:           capture/ timeline/model/ timeline/drawing/ timeline/symbols/
timeline/writers/:           capture/ timeline/model/ timeline/drawing/ timeline/writers/
timeline/analysis/:          capture/ timeline/model/ timeline/analysis/
timeline/report/:            capture/ timeline/model/ timeline/analysis/ timeline/writers/ timeline/report/
timeline/walk/decoder_table.cpp: capture/ timeline/walk/ RUNTIMES
timeline/walk/:              capture/ timeline/model/ timeline/drawing/ timeline/symbols/ timeline/walk/
timeline/sinks/:             capture/ timeline/model/ timeline/drawing/ timeline/walk/ timeline/sinks/
timeline/dump/:              capture/ timeline/ annotations/events.h annotations/decode/arguments.h
timeline/:                   capture/ timeline/
tools/:                      capture/ plugin/ timeline/ tools/
'
all_runtimes=
expanded=
for runtime in $runtimes; do
  all_runtimes+="$runtime/decode/decoder.h $runtime/events.h "
  expanded+=$(grep '^RUNTIME' <<<"$rules" | sed "s#RUNTIME/#$runtime/#g")$'\n'
done
rules=$expanded$(grep -v '^RUNTIME' <<<"$rules" | sed "s#RUNTIMES#$all_runtimes#")

failures=0
while IFS=: read -r file included; do
  allowed=none
  while IFS=: read -r place targets; do
    if [[ -n $place && $file == "$place"* ]]; then
      allowed=$targets
      break
    fi
  done <<<"$rules"
  is_allowed=false
  for target in perseid_version.h $allowed; do
    [[ $included == "$target"* ]] && is_allowed=true
  done
  if ! $is_allowed; then
    echo "$file includes $included"
    failures=$((failures + 1))
  fi
done < <(grep -rEo '^#include "[^"]+"' include capture plugin $runtimes timeline tools \
           --include='*.h' --include='*.cpp' | sed -E 's/#include "([^"]+)"/\1/')
echo "$failures includes against the order"
[[ $failures -eq 0 ]]
