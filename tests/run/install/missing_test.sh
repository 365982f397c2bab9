#!/usr/bin/env bash
# missing_test.sh SOURCE: a package that tests need and that is not there is an error that names it, where
# PERSEID_REQUIRE_ALL is on. Elsewhere its tests are left out, with a line about it.
set -euo pipefail
source_dir=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Not found: StarPU by its module, programs by their cached variables.
hidden=(-DCMAKE_DISABLE_FIND_PACKAGE_StarPU=ON -DGFORTRAN= -DMPICC_mpich= -DPERSEID_PROGRAM_slurmctld= -DPERSEID_PROGRAM_node=)
packages=(libstarpu-dev gfortran libmpich-dev slurm-wlm nodejs)

fail() {
  echo "FAILED: $*" >&2
  cat "$work/output" >&2
  exit 1
}
configure() { # configure ON|OFF
  cmake -G Ninja -S "$source_dir" -B "$work/build-$1" -DPERSEID_TESTS=ON "-DPERSEID_REQUIRE_ALL=$1" \
    "${hidden[@]}" >"$work/output" 2>&1
}

! configure ON || fail "configures although packages are missing"
for package in "${packages[@]}"; do
  grep -q "apt-get install .*$package" "$work/output" || fail "$package is not named as an error"
done
configure OFF || fail "does not configure without these packages"
for package in "${packages[@]}"; do
  grep -q "(Debian: .*$package.*): .* is left out" "$work/output" || fail "$package is not named as left out"
done
echo "what is missing is named"
