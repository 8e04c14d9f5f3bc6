#!/bin/sh
# Installs this archive as a service of systemd, or upgrades the one that is there. See docs/install.md.
#
#   ./install.sh              installs, and starts the service
#   ./install.sh --no-start   installs, and leaves the service as it is
#   ./install.sh --back       goes back to the release that ran before
#   ./install.sh --root DIR   installs into a system that does not run, such as the root of an image
set -eu
umask 022

here=$(cd "$(dirname "$(readlink -f "$0")")" && pwd)
root=
action=install
start=yes

refuse() {
  echo "$1" >&2
  exit 1
}

while [ $# -gt 0 ]; do
  case $1 in
    --no-start) start=no ;;
    --back) action=back ;;
    --root)
      [ $# -gt 1 ] && [ -d "$2" ] || refuse "--root needs a folder that exists."
      root=$(cd "$2" && pwd)
      root=${root%/}
      start=elsewhere
      shift
      ;;
    -h | --help)
      sed -n 's/^#   //p' "$0"
      exit
      ;;
    *) refuse "install.sh has no option $1: --no-start, --back and --root DIR are all." ;;
  esac
  shift
done

place=/opt/sallyport
data=/var/lib/sallyport
settings=/etc/sallyport.env
unit=/etc/systemd/system/sallyport.service

runs_systemd() {
  [ -d /run/systemd/system ] && command -v systemctl >/dev/null
}

# One sentence each, before anything is changed.
check() {
  [ -n "$root" ] || [ "$start" = elsewhere ] || [ "$(id -u)" = 0 ] || refuse "Run install.sh as root: it makes an account and a service."
  [ "$start" = elsewhere ] || runs_systemd ||
    refuse "systemd does not run this machine: start bin/sallyport by your own means, or use install.sh --root DIR for an image."
}

check_archive() {
  processor=$(sed -n 's/.*"processor": "\(.*\)".*/\1/p' "$here/release.json" 2>/dev/null || :)
  version=$(sed -n 's/.*"version": "\(.*\)".*/\1/p' "$here/release.json" 2>/dev/null || :)
  [ -n "$version" ] && [ -n "$processor" ] && [ -f "$here/files.sha256" ] ||
    refuse "$here is not a whole archive of Sallyport: unpack it again, and run the install.sh in it."
  case $(uname -m) in
    x86_64 | amd64) machine=x64 ;;
    aarch64 | arm64) machine=arm64 ;;
    *) machine=$(uname -m) ;;
  esac
  [ "$processor" = "$machine" ] ||
    refuse "This archive is for linux-$processor, and this machine is linux-$machine: take the archive for it."
  broken=$(cd "$here" && sha256sum --check --quiet files.sha256 2>/dev/null | head -n 1 | sed 's/: .*//') || :
  [ -z "$broken" ] || refuse "The archive is damaged ($broken): compare its checksum with SHA256SUMS, and unpack it again."
  LD_LIBRARY_PATH=$here/lib "$here/node_modules/node/bin/node" --version >/dev/null 2>&1 ||
    refuse "The programs of this archive do not run here: they need glibc 2.28 or newer with libstdc++, as Debian 10, Ubuntu 20.04 and RHEL 8 have them."
}

check_place() {
  if [ -e "$root$place/.git" ]; then
    refuse "$place is a checkout: upgrade it with npm run setup -- --production, or move it away first."
  fi
  if [ -e "$root$place" ] && [ ! -d "$root$place/releases" ]; then
    refuse "$place is there and is not of Sallyport: move it away first."
  fi
  needed=$(($(du -sk "$here" | cut -f 1) + 51200))
  parent=$root$place
  while [ ! -d "$parent" ]; do parent=$(dirname "$parent"); done
  free=$(df -Pk "$parent" | awk 'NR == 2 { print $4 }')
  [ "$free" -ge "$needed" ] ||
    refuse "$place needs $((needed / 1024)) MB, and $((free / 1024)) MB are free there: make room first."
}

owned_by_root() {
  if [ "$(id -u)" = 0 ]; then chown -R -h 0:0 "$1"; fi
}

make_account() {
  if grep -q '^sallyport:' "$root/etc/passwd" 2>/dev/null; then return; fi
  # A folder of files alone, as of somebody without rights.
  if [ "$(id -u)" != 0 ] || { [ -n "$root" ] && [ ! -f "$root/etc/passwd" ]; }; then return; fi
  useradd ${root:+--root "$root"} --system --user-group --home-dir $data --shell /usr/sbin/nologin sallyport
}

# The folder is named by what is in it: the same archive again changes nothing.
put_release() {
  release=$version-$(sha256sum "$here/files.sha256" | cut -c 1-8)
  to=$root$place/releases/$release
  mkdir -p "$root$place/releases"
  if [ "$here" != "$to" ] && ! cmp -s "$here/files.sha256" "$to/files.sha256"; then
    rm -rf "$to" "$to.new"
    cp -R "$here" "$to.new"
    owned_by_root "$to.new"
    mv "$to.new" "$to"
  fi
}

# A rename puts a link in the place of the old one: there is no moment without.
link() {
  ln -sfn "$1" "$root$place/$2.new"
  mv -T "$root$place/$2.new" "$root$place/$2"
}

current() {
  basename "$(readlink "$root$place/current" 2>/dev/null || :)"
}

put_settings() {
  mkdir -p "$root/etc/systemd/system" "$root/usr/local/bin" "$root$data"
  chmod 0700 "$root$data"
  if [ "$(id -u)" = 0 ] && grep -q '^sallyport:' "$root/etc/passwd" 2>/dev/null; then
    chown "$(sed -n 's/^sallyport:[^:]*:\([0-9]*\):\([0-9]*\):.*/\1:\2/p' "$root/etc/passwd")" "$root$data"
  fi
  if [ ! -e "$root$settings" ]; then
    (umask 077 && cp "$here/sallyport.env" "$root$settings")
    owned_by_root "$root$settings"
  fi
  # What is changed here belongs into `systemctl edit sallyport`.
  cp "$root$place/current/deploy/systemd/sallyport.service" "$root$unit.new"
  mv "$root$unit.new" "$root$unit"
  ln -sfn $place/current/bin/sallyport-admin "$root/usr/local/bin/sallyport-admin"
}

remove_older() {
  for old in "$root$place/releases"/*; do
    case $(basename "$old") in
      "$(current)" | "$(basename "$(readlink "$root$place/previous" 2>/dev/null || :)")") ;;
      *) rm -rf "$old" ;;
    esac
  done
}

run_service() {
  [ "$start" != elsewhere ] || return 0
  systemctl daemon-reload
  [ "$start" = yes ] || return 0
  systemctl enable --quiet sallyport
  systemctl restart sallyport || refuse "The service does not start: journalctl -u sallyport -n 20 says why.$1"
}

install() {
  check
  check_archive
  check_place
  make_account
  put_release
  before=$(current)
  if [ -n "$before" ] && [ "$before" != "$release" ]; then link "releases/$before" previous; fi
  link "releases/$release" current
  put_settings
  if [ -n "$before" ] && [ "$before" != "$release" ]; then
    run_service " $place/current/install.sh --back goes back to $before."
  else
    run_service ""
  fi
  remove_older
  echo "Sallyport $version is installed in $root$place."
  if [ "$start" = yes ]; then
    echo "Settings: $settings. The first password of admin: $data/admin-password.txt."
    echo "Its address and what it says: journalctl -u sallyport"
  elif [ "$start" = no ]; then
    echo "Start it with systemctl enable --now sallyport. Settings: $settings."
  fi
}

back() {
  check
  previous=$(basename "$(readlink "$root$place/previous" 2>/dev/null || :)")
  [ -n "$previous" ] && [ -d "$root$place/releases/$previous" ] ||
    refuse "There is no release from before in $place to go back to."
  link "releases/$(current)" previous
  link "releases/$previous" current
  here=$root$place/current
  put_settings
  run_service ""
  echo "$previous is current again. The other one stays: --back again returns to it."
}

$action
exit
