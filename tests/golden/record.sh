#!/usr/bin/env bash
# Records one small capture of every kind with the library in BUILD, as v<format>/NAME.tar.xz:
#
#   tests/golden/record.sh BUILD OUT
#
# Run it once for each format version, before that version is left behind: captures that exist are
# never renewed, because they stand for what users have on their disks. Everything runs in a neutral
# directory and under a neutral host name, so that no path of the recording machine is inside, and so
# that nobody takes the pid of a killed process for alive. Needs unshare (root) and all runtimes.
set -euo pipefail
build=$(realpath "$1")
out=$(realpath -m "$2")
if [[ ${PERSEID_GOLDEN_HOST:-} != set ]]; then
  PERSEID_GOLDEN_HOST=set exec unshare --uts bash -c 'hostname golden && exec "$@"' bash "$0" "$build" "$out"
fi

here=/tmp/golden
mkdir "$here"
trap 'rm -rf "$here"' EXIT
cd "$here"
mkdir -p "$out" home
cp "$build"/libperseid.so "$build"/examples/{annotated,starpu_cholesky} \
   "$build"/tests/programs/{numbers,paced} "$build"/tests/openmp/{sparse_lu,constructs,more_constructs} \
   "$build"/tests/cuda/{cuda_program,starpu_cuda,openmp_cuda} "$build"/tests/opencl_commands \
   "$build"/tests/starpu/{scales_on_device,ways} "$build"/tests/doubles/libc*.so.* .
cp "$build"/tests/mpi/openmpi/messages .
export LD_LIBRARY_PATH=$here STARPU_HOME=$here/home STARPU_SILENT=1 STARPU_NCPU=2 OMP_NUM_THREADS=2
export STARPU_CALIBRATE_MINIMUM=1 STARPU_HOSTNAME=golden PERSEID_CUPTI=$here/libcupti.so.13
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
settings=export=0,quiet=1,ring=64K,rings=capture

# trace NAME SETTINGS PROGRAM...
trace() {
  local name=$1 more=$2
  shift 2
  PERSEID="out=$here/$name.json,$settings$more" LD_PRELOAD=$here/libperseid.so \
    OMP_TOOL_LIBRARIES=$here/libperseid.so "$@" >/dev/null
}

trace annotations "" ./annotated
trace drop ",on_full=drop" ./numbers 2 20000
trace overwrite ",on_full=overwrite" ./numbers 2 20000
# Killed in the middle: a part is in the spool, the rest only in the ring.
trace killed "" ./paced 100000000 &
for ((tries = 0; tries < 100000; ++tries)); do [[ -s killed.capture/spool ]] && break; done
kill -9 "$(sed -n 's/^pid //p' killed.capture/manifest)"
wait || true
trace openmp_dependences "" ./sparse_lu 6 64
trace openmp_constructs "" ./constructs
trace openmp_more_constructs "" ./more_constructs
trace starpu_dependencies "" ./starpu_cholesky 4 16
trace starpu_ways "" ./ways
STARPU_OPENCL_ON_CPUS=1 STARPU_NOPENCL=1 STARPU_NCPU=1 trace starpu_transfers "" ./scales_on_device
trace opencl ",opencl=on" ./opencl_commands 1
trace cuda ",nvtx=1" ./cuda_program kinds
trace cuda_work "" ./cuda_program work 2 5
trace cuda_memory "" ./cuda_program memory
trace cuda_starpu "" ./starpu_cuda
trace cuda_openmp "" ./openmp_cuda
PERSEID="out=$here/mpi-%r.json,$settings" mpirun.openmpi --oversubscribe -np 2 \
  -x LD_PRELOAD="$here/libperseid.so" ./messages >/dev/null

for capture in *.capture; do
  tar --sparse --owner=0 --group=0 --numeric-owner -cJf "$out/${capture%.capture}.tar.xz" "$capture"
done
ls -l "$out"
