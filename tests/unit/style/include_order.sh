#!/usr/bin/env bash
# The dependency order: capture < plugin < hooks, and capture < timeline model < decoders < writers,
# analysis < tools. Each #include of ours must point down.
set -euo pipefail
cd "$1"

# Folder or file (first match counts): what it may include.
rules='
capture/:                    capture/
plugin/shutdown.cpp:         capture/ plugin/ timeline/export.h timeline/viewer_limit.h
plugin/perseid.h:
plugin/:                     capture/ plugin/
annotations/decode:          capture/ annotations/events.h annotations/arguments.h annotations/decode.h timeline/decoder.h timeline/model/
annotations/arguments:       capture/ annotations/events.h timeline/model/
annotations/:                capture/ plugin/ annotations/events.h
starpu_hooks/decode:         capture/ starpu_hooks/decode starpu_hooks/events.h timeline/decoder.h timeline/model/
starpu_hooks/:               capture/ plugin/ starpu_hooks/
ompt/decode:                 capture/ ompt/decode ompt/events.h ompt/numbers.h timeline/decoder.h timeline/model/ timeline/symbols/
mpi/decode:                  capture/ mpi/decode mpi/events.h timeline/decoder.h timeline/model/
mpi/events.h:                capture/
mpi/:                        capture/ plugin/ mpi/
ompt/numbers.h:
ompt/events.h:               capture/
ompt/:                       capture/ plugin/ ompt/
opencl/decode:               capture/ opencl/decode opencl/events.h timeline/decoder.h timeline/model/
opencl/events.h:             capture/
opencl/:                     capture/ plugin/ opencl/
cupti/decode:                capture/ cupti/decode cupti/events.h cupti/numbers.h timeline/decoder.h timeline/model/
cupti/events.h:              capture/
cupti/numbers.h:
cupti/:                      capture/ plugin/ cupti/
timeline/symbols/:           capture/ timeline/symbols/
timeline/model/:             capture/ timeline/model/ timeline/symbols/
timeline/writers/:           capture/ timeline/model/ timeline/writers/
timeline/analysis/:          capture/ timeline/model/ timeline/analysis/
timeline/:                   capture/ timeline/ annotations/decode.h annotations/events.h mpi/decode.h mpi/events.h ompt/decode.h ompt/events.h opencl/decode.h opencl/events.h cupti/decode.h cupti/events.h starpu_hooks/decode.h starpu_hooks/events.h
tools/:                      capture/ plugin/ timeline/ tools/
'

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
done < <(grep -rEo '^#include "[^"]+"' capture plugin annotations starpu_hooks mpi ompt opencl cupti timeline tools \
           --include='*.h' --include='*.cpp' | sed -E 's/#include "([^"]+)"/\1/')
echo "$failures includes against the order"
[[ $failures -eq 0 ]]
