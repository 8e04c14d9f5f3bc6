#!/bin/sh
# Removes what install.sh has installed. See docs/install.md.
#
#   ./uninstall.sh            removes the service and the programs, and keeps data and settings
#   ./uninstall.sh --purge    removes data, settings and the account as well, once you have confirmed it
#   ./uninstall.sh --root DIR in a system that does not run
set -eu

root=
purge=no

refuse() {
  echo "$1" >&2
  exit 1
}

while [ $# -gt 0 ]; do
  case $1 in
    --purge) purge=yes ;;
    --root)
      [ $# -gt 1 ] && [ -d "$2" ] || refuse "--root needs a folder that exists."
      root=$(cd "$2" && pwd)
      elsewhere=yes
      shift
      ;;
    -h | --help)
      sed -n 's/^#   //p' "$0"
      exit
      ;;
    *) refuse "uninstall.sh has no option $1: --purge and --root DIR are all." ;;
  esac
  shift
done
root=${root%/}

place=/opt/sallyport
data=/var/lib/sallyport
settings=/etc/sallyport.env
unit=/etc/systemd/system/sallyport.service

# All of it is read before it is run: it removes itself.
uninstall() {
  [ -n "${elsewhere-}" ] || [ "$(id -u)" = 0 ] || refuse "Run uninstall.sh as root: it removes a service."
  if [ -e "$root$place/.git" ]; then refuse "$place is a checkout: docs/install.md says how it is removed."; fi
  if [ $purge = yes ]; then
    echo "This deletes all secrets, recordings, logs and the database in $root$data, for good."
    printf 'Type "delete everything" to go on: '
    answer=
    read -r answer || :
    [ "$answer" = "delete everything" ] || refuse "Nothing was removed."
  fi
  if [ -z "${elsewhere-}" ] && command -v systemctl >/dev/null && [ -e "$unit" ]; then
    systemctl disable --now --quiet sallyport || :
  fi
  rm -rf "$root$unit" "$root$unit.d" "$root$place"
  if [ "$(readlink "$root/usr/local/bin/sallyport-admin")" = $place/current/bin/sallyport-admin ]; then
    rm -f "$root/usr/local/bin/sallyport-admin"
  fi
  if [ -z "${elsewhere-}" ] && command -v systemctl >/dev/null; then systemctl daemon-reload || :; fi
  if [ $purge = no ]; then
    echo "Sallyport is removed. $data and $settings are kept: install.sh takes them up again."
    return
  fi
  others=$(grep -v "^SALLYPORT_DATA_DIR=$data\$" "$root$settings" 2>/dev/null |
    sed -n 's/^\(DATABASE_URL\|SALLYPORT_DATA_DIR\|SALLYPORT_RECORDINGS\)=.*/\1/p')
  rm -rf "$root$data" "$root$settings"
  if [ "$(id -u)" = 0 ] && grep -q '^sallyport:' "$root/etc/passwd" 2>/dev/null; then
    userdel ${root:+--root "$root"} sallyport
  fi
  echo "Sallyport is removed, with its data."
  if [ -n "$others" ]; then
    echo "Not removed: what $(echo $others | sed 's/ /, /g') named outside of $data."
  fi
}

uninstall
exit
