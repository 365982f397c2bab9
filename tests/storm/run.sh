#!/usr/bin/env bash
# run.sh KILLS [SEED]: kills a recording program KILLS times at random moments and checks each capture
# against what the program noted. The seed is printed, so that a failure can be repeated.
set -euo pipefail
cd "$(dirname "$0")/../.."
kills=${1:?usage: run.sh KILLS [SEED]}
seed=${2:-$RANDOM}
bash scripts/build_preset.sh release kill_storm
echo "seed $seed"
exec build/tests/kill_storm "$kills" "$seed"
