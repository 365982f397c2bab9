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
keep=no
what=examples

cannot() {
  echo "fresh_machine.sh: cannot create a Debian root here: $*" >&2
  exit 3
}

fail() {
  echo "FAILED: $*" >&2
  exit 1
}

# The README's line goes to the shell as it stands, comment and all.
read_command() {
  command=$(grep -E "^    bash $what/run\.sh( |$)" README.md) || command=
  [[ -n $command && $command != *$'\n'* ]] ||
    fail "README.md must have exactly one line with the command \"bash $what/run.sh\""
  command=${command#"${command%%[! ]*}"}
}

# This machine's sources of Debian 12, as "URI suite component", and no others.
read_sources() {
  apt-get -qq update || true # apt names only sources whose lists it has
  sources=$(apt-get indextargets --format '$(REPO_URI)|$(ORIGIN)|$(CODENAME)|$(RELEASE)|$(COMPONENT)' \
    'Created-By: Packages' | awk -F'|' -v suite="$suite" '
      { release = $3 == "" ? $4 : $3 }
      ($2 == "" || $2 == "Debian") && (release == suite || index(release, suite "-") == 1) {
        print $1, release, $5
      }' | sort -u)
  mirror=$(awk -v suite="$suite" '$2 == suite && $3 == "main" { print $1; exit }' <<<"$sources")
  [[ -n $mirror ]] || cannot "no apt source of this machine offers Debian's $suite main"
}

# Making a root takes longer than unpacking one, so the first one is kept as an archive.
make_root() {
  local archive=$PWD/.deps/fresh-$suite.tar
  mkdir -p .deps
  root=$(mktemp -d "${TMPDIR:-/var/tmp}/perseid-fresh-XXXXXX")
  trap remove_root EXIT
  chmod 755 "$root" # it becomes "/", which ordinary users must enter
  if [[ -f $archive ]]; then
    tar -C "$root" -xf "$archive"
    return
  fi
  echo "Making an empty Debian root ($suite)"
  unshare --mount --pid --fork --kill-child debootstrap --variant=minbase "$suite" "$root" "$mirror" \
    >.deps/debootstrap.log 2>&1 || {
    tail -n 5 .deps/debootstrap.log >&2
    cannot "debootstrap failed; .deps/debootstrap.log has more"
  }
  tar --one-file-system -C "$root" -cf "$archive.new" .
  mv "$archive.new" "$archive"
}

remove_root() {
  if [[ $keep == yes ]]; then
    echo "The root is kept: $root"
  else
    rm -rf --one-file-system "$root"
  fi
}

# What lets this machine reach its packages must be there as well: names, proxies, certificates.
equip_root() {
  local file
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
}

# enter ROOT USER HOME COMMAND: the only part that runs in the new namespaces.
enter() {
  local root=$1 user=$2 home=$3 command=$4 name
  mount --make-rprivate /
  mount --bind "$root" "$root"
  mount -t proc proc "$root/proc"
  mount --rbind /sys "$root/sys"
  mount --rbind /dev "$root/dev"
  mount -t tmpfs -o mode=1777 tmpfs "$root/dev/shm"
  local environment=("HOME=$home" "USER=$user" "LOGNAME=$user" "TERM=${TERM:-dumb}"
    PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin)
  for name in http_proxy https_proxy no_proxy HTTP_PROXY HTTPS_PROXY NO_PROXY NODE_EXTRA_CA_CERTS; do
    [[ -z ${!name-} ]] || environment+=("$name=${!name}")
  done
  # A root that is not a mount, as chroot leaves it, forbids what the containers of the tests do.
  cd "$root"
  pivot_root . .
  umount --lazy .
  cd /
  # No exec: this shell is process 1 here, and reaps what others leave behind.
  runuser -u "$user" -- env -i "${environment[@]}" bash -c "cd ~/perseid && $command" </dev/null
  exit
}

# try_as USER HOME: puts the commit into the user's home and runs the command there.
try_as() {
  local user=$1 home=$2 log=$PWD/.deps/fresh-$what-$1.log began=$SECONDS status=0 took
  git clone --quiet --no-hardlinks . "$root$home/perseid"
  chroot "$root" chown -R "$user:" "$home/perseid"
  echo "== in an empty Debian, as $user: $command"
  unshare --mount --pid --fork --kill-child \
    bash scripts/fresh_machine.sh --enter "$root" "$user" "$home" "$command" 2>&1 | tee "$log" || status=$?
  took=$(duration_text $((SECONDS - began)))
  [[ $status -eq 0 ]] || fail "in an empty Debian, as $user, after $took: $command"
  [[ $what != examples ]] || check_first_sight "$home" "$log"
  echo "== passed in an empty Debian, as $user, in $took"
}

# check_first_sight HOME LOG: a newcomer sees no warning, and the last three lines are the answer.
check_first_sight() {
  local timeline
  if grep -inE 'warning|preset' "$2"; then fail "the lines above mean nothing to a newcomer"; fi
  timeline=$(tail -n 3 "$2" | sed -n '1{/^Answer: /!q1}; 2s/^Timeline: *//p; 3{/^To open: /!q1}') &&
    [[ $timeline == "$1"/* && -s $root$timeline ]] ||
    fail "the output does not end with the answer, the file and how to open it"
}

main() {
  if [[ ${1-} == --enter ]]; then
    shift
    enter "$@"
  fi
  local word
  for word in "$@"; do
    case $word in
      --keep) keep=yes ;;
      examples | tests) what=$word ;;
      -h | --help) sed -n '2,/^set/{/^set/!s/^# \?//p}' scripts/fresh_machine.sh; exit 0 ;;
      *) echo "usage: fresh_machine.sh [--keep] [examples|tests]; --help explains" >&2; exit 2 ;;
    esac
  done
  read_command
  [[ $(id -u) -eq 0 ]] || cannot "mounting and chroot need root"
  bash scripts/install_packages.sh fresh || cannot "debootstrap is missing"
  unshare --mount --pid --fork true || cannot "unshare gets no mount and process namespaces"
  [[ -z $(git status --porcelain) ]] ||
    echo "fresh_machine.sh: the last commit is tried, without the changes that are not committed" >&2
  read_sources
  make_root
  equip_root

  try_as root /root
  if [[ $what == examples ]]; then
    chroot "$root" useradd --create-home --shell /bin/bash newcomer
    try_as newcomer /home/newcomer
  fi
}

# Read to its end before it runs: it may be edited meanwhile.
main "$@"; exit
