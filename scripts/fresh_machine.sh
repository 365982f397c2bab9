#!/usr/bin/env bash
# fresh_machine.sh [--keep] [examples|tests]: does the README's command work on an empty Debian 12?
#
# Makes a Debian root with nothing in it (debootstrap, minbase), puts this commit there, and runs the
# line of the README that names examples/run.sh (the default) or tests/run.sh, word for word. The
# examples run twice: as root, who installs packages, and as an ordinary user who finds them installed.
#
# The root takes up to 12 GB below TMPDIR (or /var/tmp) and is removed at the end, except with --keep.
# Its mounts and processes live in namespaces of their own and end with the command.
# Exit status: 0 it works, 1 it does not, 3 no root can be made here (the reason is on stderr).
set -euo pipefail
cd "$(dirname "$0")/.."
source scripts/progress.sh
suite=bookworm

cannot() {
  echo "fresh_machine.sh: no Debian root can be made here: $*" >&2
  exit 3
}

# enter ROOT USER HOME COMMAND: the only code that runs in the new namespaces.
enter() {
  local root=$1 user=$2 home=$3 command=$4 name
  mount --make-rprivate /
  mount -t proc proc "$root/proc"
  mount --rbind /sys "$root/sys"
  mount --rbind /dev "$root/dev"
  mount -t tmpfs -o mode=1777 tmpfs "$root/dev/shm"
  local environment=("HOME=$home" "USER=$user" "LOGNAME=$user" "TERM=${TERM:-dumb}"
    PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin)
  for name in http_proxy https_proxy no_proxy HTTP_PROXY HTTPS_PROXY NO_PROXY NODE_EXTRA_CA_CERTS; do
    [[ -z ${!name-} ]] || environment+=("$name=${!name}")
  done
  exec chroot "$root" runuser -u "$user" -- env -i "${environment[@]}" \
    bash -c "cd ~/perseid && $command" </dev/null
}
if [[ ${1-} == --enter ]]; then
  shift
  enter "$@"
fi

keep=no
what=examples
for word in "$@"; do
  case $word in
    --keep) keep=yes ;;
    examples | tests) what=$word ;;
    -h | --help) sed -n '2,/^set/{/^set/!s/^# \?//p}' "$0"; exit 0 ;;
    *) echo "usage: fresh_machine.sh [--keep] [examples|tests]; --help explains" >&2; exit 2 ;;
  esac
done

# The line goes to the shell as it stands, comment and all.
command=$(grep -E "^    bash $what/run\.sh( |$)" README.md) || command=
if [[ -z $command || $command == *$'\n'* ]]; then
  echo "fresh_machine.sh: README.md must have one line with the command \"bash $what/run.sh\"" >&2
  exit 1
fi
command=${command#"${command%%[! ]*}"}
[[ -z $(git status --porcelain) ]] ||
  echo "fresh_machine.sh: the last commit is tried, without the changes that are not committed" >&2

[[ $(id -u) -eq 0 ]] || cannot "mounting and chroot need root"
bash scripts/install_packages.sh fresh || cannot "debootstrap is missing"
unshare --mount --pid --fork true || cannot "unshare does not get a mount and a process namespace"

# This machine's sources of Debian 12, as "URI suite component", and no others. apt names only those
# whose lists it has.
apt-get -qq update || true
sources=$(apt-get indextargets --format '$(REPO_URI)|$(ORIGIN)|$(CODENAME)|$(RELEASE)|$(COMPONENT)' \
  'Created-By: Packages' | awk -F'|' -v suite="$suite" '
    { release = $3 == "" ? $4 : $3 }
    ($2 == "" || $2 == "Debian") && (release == suite || index(release, suite "-") == 1) {
      print $1, release, $5
    }' | sort -u)
mirror=$(awk -v suite="$suite" '$2 == suite && $3 == "main" { print $1; exit }' <<<"$sources")
[[ -n $mirror ]] || cannot "no apt source of this machine offers Debian's $suite main"

# Making a root takes longer than unpacking one.
mkdir -p .deps
base=$PWD/.deps/fresh-$suite.tar
root=$(mktemp -d "${TMPDIR:-/var/tmp}/perseid-fresh-XXXXXX")
chmod 755 "$root" # it becomes "/", which ordinary users must enter
finish() {
  if [[ $keep == yes ]]; then
    echo "The root is kept: $root"
  else
    rm -rf --one-file-system "$root"
  fi
}
trap finish EXIT
if [[ ! -f $base ]]; then
  echo "Making an empty Debian root ($suite)"
  # In namespaces of its own, like all that mounts something.
  unshare --mount --pid --fork --kill-child debootstrap --variant=minbase "$suite" "$root" "$mirror" \
    >.deps/debootstrap.log 2>&1 || {
    tail -n 5 .deps/debootstrap.log >&2
    cannot "debootstrap failed; .deps/debootstrap.log has more"
  }
  tar --one-file-system -C "$root" -cf "$base.new" .
  mv "$base.new" "$base"
else
  tar -C "$root" -xf "$base"
fi

# What lets this machine reach its packages must be there as well: names, proxies, certificates.
sed 's/^/deb /' <<<"$sources" >"$root/etc/apt/sources.list"
apt-config dump | grep -E '^Acquire::(http|https|Check-Valid-Until)\b' \
  >"$root/etc/apt/apt.conf.d/90machine" || true
for file in /etc/resolv.conf /etc/hosts /etc/hostname /etc/apt/auth.conf /etc/apt/auth.conf.d \
  /etc/ssl/certs/ca-certificates.crt /usr/local/share/ca-certificates \
  /etc/npmrc /usr/etc/npmrc "${NODE_EXTRA_CA_CERTS-}"; do
  [[ -e $file ]] || continue
  mkdir -p "$root$(dirname "$file")"
  cp -RL "$file" "$root$(dirname "$file")/"
done
[[ ! -f ~/.npmrc ]] || cp ~/.npmrc "$root/root/"

# try USER HOME: puts the commit into the user's home and runs the command there.
try() {
  local user=$1 home=$2 log=$PWD/.deps/fresh-$what-$1.log began=$SECONDS status=0
  git clone --quiet --no-hardlinks . "$root$home/perseid"
  chroot "$root" chown -R "$user:" "$home/perseid"
  echo "== in an empty Debian, as $user: $command"
  unshare --mount --pid --fork --kill-child bash "$0" --enter "$root" "$user" "$home" "$command" \
    2>&1 | tee "$log" || status=$?
  local took
  took=$(duration_text $((SECONDS - began)))
  if [[ $status -ne 0 ]]; then
    echo "FAILED in an empty Debian, as $user, after $took: $command" >&2
    exit 1
  fi
  [[ $what != examples ]] || check_first_sight "$home" "$log"
  echo "== passed in an empty Debian, as $user, in $took"
}

# check_first_sight HOME LOG: a newcomer sees no warning, and the last three lines are the answer.
check_first_sight() {
  local timeline
  if grep -inE 'warning|preset' "$2"; then
    echo "FAILED: the command's output has the lines above, which mean nothing to a newcomer" >&2
    exit 1
  fi
  timeline=$(tail -n 3 "$2" | sed -n '1{/^Answer: /!q1}; 2s/^Timeline: *//p; 3{/^To open: /!q1}') &&
    [[ $timeline == "$1"/* && -s $root$timeline ]] || {
    echo "FAILED: the output does not end with the answer, the file and how to open it" >&2
    exit 1
  }
}

try root /root
if [[ $what == examples ]]; then
  chroot "$root" useradd --create-home --shell /bin/bash newcomer
  try newcomer /home/newcomer
fi
