# Sets `node` to the Node of the copy in `place`, for `become`. An archive brings the library that slim systems lack.
node=$place/node_modules/node/bin/node
if [ ! -x "$node" ]; then
  echo "The packages of $place are not installed: run npm run setup there first" >&2
  exit 1
fi
if [ -d "$place/lib" ]; then
  LD_LIBRARY_PATH=$place/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
  export LD_LIBRARY_PATH
fi

# become <bundled> <source> [parameter …]: runs a program of the server, in a checkout with newer sources from these.
become() {
  program=$place/apps/server/dist/$1
  if [ ! -f "$program" ] || { [ -e "$place/.git" ] && has_newer_sources; }; then program=$place/apps/server/src/$2; fi
  shift 2
  exec "$node" "$program" "$@"
}

has_newer_sources() {
  [ -n "$(find "$place/apps/server/src" "$place/packages/contract/src" -newer "$program" -print -quit)" ]
}
