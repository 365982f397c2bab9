#!/usr/bin/env bash
# Installs what is missing, runs all benchmarks and prints their tables: bench/run.sh [--quick] [--install-peers]
#   --quick          under two minutes, wider error bars
#   --install-peers  installs LTTng-UST, FxT and EZTrace first, so that they appear in the comparison
set -euo pipefail
cd "$(dirname "$0")/.."

quick=()
uses=(build bench)
for option in "$@"; do
  case $option in
    --quick) quick=(--quick) ;;
    --install-peers) uses+=(peers) ;;
    *) echo "usage: bench/run.sh [--quick] [--install-peers]" >&2; exit 2 ;;
  esac
done

bash scripts/install_packages.sh "${uses[@]}"
echo "Building the benchmarks"
bash scripts/build_preset.sh bench bench
build=build

scratch=$(mktemp -d "$PWD/$build/bench-scratch-XXXXXX")
daemon=
finish() {
  if [[ -n ${session-} ]]; then lttng destroy "$session" >/dev/null 2>&1 || true; fi
  if [[ -n $daemon ]]; then kill "$daemon" 2>/dev/null || true; fi
  rm -rf "$scratch"
}
trap finish EXIT

# LTTng's tracepoints do nothing without a session, and comparing with nothing would be unfair.
left_out=(peer_lttng)
start_lttng() {
  [[ -x $build/bench/peer_lttng ]] && command -v lttng lttng-sessiond >/dev/null || return 0
  export LTTNG_HOME=$scratch
  if ! lttng --no-sessiond list >/dev/null 2>&1; then
    lttng-sessiond --daemonize --pidfile "$scratch/sessiond.pid" >/dev/null 2>&1 || return 0
    daemon=$(<"$scratch/sessiond.pid")
  fi
  session=perseid-bench-$$
  lttng create "$session" --output="$scratch/lttng" >/dev/null &&
    lttng enable-channel -u --subbuf-size=1M --num-subbuf=8 -s "$session" wide >/dev/null &&
    lttng enable-event -u -c wide -s "$session" perseid_bench:event >/dev/null &&
    lttng start "$session" >/dev/null && left_out=()
}

# Every loop inside is bounded; the limit is for a machine that hangs.
run() { timeout 900 "$build/bench/$1" "${quick[@]}" --scratch "$scratch" "${@:2}"; }

start_lttng
run bench_emit
run bench_peers --no-machine "${left_out[@]}"
run bench_drain --no-machine
run bench_full_disk --no-machine
run bench_writer --no-machine
run bench_formats --no-machine
run bench_model --no-machine
run bench_analysis --no-machine
run bench_starpu --no-machine
run bench_cuda --no-machine
if [[ -x $build/bench/bench_opencl ]] && compgen -G '/etc/OpenCL/vendors/*.icd' >/dev/null; then
  run bench_opencl --no-machine
fi
run bench_job --no-machine "$build/libperseid.so" "$build/bench/pings"
if [[ -x $build/bench/bench_openmp ]]; then
  run bench_openmp --no-machine "$build/libperseid.so" "$build/bench"
fi
