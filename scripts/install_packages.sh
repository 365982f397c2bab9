#!/usr/bin/env bash
# install_packages.sh USE...: installs what scripts/packages.txt lists for these uses and is missing.
set -euo pipefail
cd "$(dirname "$0")/.."
source scripts/progress.sh

is_there() {
  case $1 in
    command:*) command -v "${1#command:}" >/dev/null ;;
    file:*) compgen -G "${1#file:}" >/dev/null ;;
    *) echo "scripts/packages.txt: $1 is neither command: nor file:" >&2; exit 2 ;;
  esac
}

missing=()
find_missing() {
  local uses found_by package use
  missing=()
  while read -r uses found_by package; do
    [[ -z $uses || $uses == "#"* ]] && continue
    for use in "$@"; do
      [[ ",$uses," != *",$use,"* ]] && continue
      is_there "$found_by" || [[ " ${missing[*]-} " == *" $package "* ]] || missing+=("$package")
    done
  done <scripts/packages.txt
}

find_missing "$@"
[[ ${#missing[@]} -eq 0 ]] && exit 0

mkdir -p .deps
exec 9>.deps/packages.lock
if command -v flock >/dev/null; then flock 9; fi
find_missing "$@" # another script may have installed them while we waited
[[ ${#missing[@]} -eq 0 ]] && exit 0

as_root=()
if [[ $(id -u) -ne 0 ]]; then
  if command -v sudo >/dev/null && sudo -n true 2>/dev/null; then
    as_root=(sudo -n)
  elif command -v sudo >/dev/null && [[ -t 0 ]]; then
    as_root=(sudo)
  else
    echo "Packages are missing, and neither root nor sudo is available. Ask an administrator to run" >&2
    echo "  apt-get install --no-install-recommends ${missing[*]}" >&2
    exit 1
  fi
fi
if ! command -v apt-get >/dev/null; then
  echo "These Debian packages are missing, and there is no apt-get: ${missing[*]}" >&2
  exit 1
fi

echo "Installing Debian packages: ${missing[*]}"
apt=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive DEBCONF_NOWARNINGS=yes
  apt-get -qq -o DPkg::Lock::Timeout=300)
for attempt in 1 2 3; do
  "${apt[@]}" update && break
  [[ $attempt -eq 3 ]] && { echo "apt-get update failed three times; is there a network?" >&2; exit 1; }
  sleep 5
done

# apt's lines for machines: "dlstatus:1:40.5:text" while packages come, "pmstatus:name:40.5:text" while
# they are installed. They share its stdout: sudo would close any other descriptor.
show_apt() {
  local kind last="" item percent text
  while IFS=: read -r kind item percent text; do
    case $kind in
      dlstatus) text="downloading" ;;
      pmstatus) text="installing" ;;
      *) continue ;;
    esac
    percent=${percent%%.*}
    [[ $percent =~ ^[0-9]+$ ]] || continue # a package's name may have a colon, too
    [[ $kind == "$last" ]] || progress_begin
    last=$kind
    progress_show "  $text: $percent %" "$percent" 100
  done
  progress_clear
}
began=$SECONDS
"${apt[@]}" -o APT::Status-Fd=1 install -y --no-install-recommends "${missing[@]}" |
  tee .deps/packages.log | show_apt || {
  echo "apt-get install failed; $PWD/.deps/packages.log has its output" >&2
  exit 1
}
echo "  installed in $(duration_text $((SECONDS - began)))"

find_missing "$@"
if [[ ${#missing[@]} -gt 0 ]]; then
  echo "Still missing after apt-get install: ${missing[*]}" >&2
  exit 1
fi
