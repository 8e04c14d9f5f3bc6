# Sets `node` to the Node of the copy in `place`. An archive brings the library that slim systems lack.
node=$place/node_modules/node/bin/node
if [ ! -x "$node" ]; then
  echo "The packages of $place are not installed: run npm run setup there first" >&2
  exit 1
fi
if [ -d "$place/lib" ]; then
  LD_LIBRARY_PATH=$place/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
  export LD_LIBRARY_PATH
fi
