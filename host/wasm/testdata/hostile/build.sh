#!/bin/sh
# Builds the guests of this folder into DIR (this folder, without an argument).
# With --compare it changes nothing, and fails if what is here is not what is
# built.
set -eu
here=$(dirname "$0")
dir=${1:-$here}
if [ "$dir" = --compare ]; then
	dir=$(mktemp -d)
	trap 'rm -rf "$dir"' EXIT
fi
for f in "$here"/*.wat; do
	name=$(basename "$f" .wat).wasm
	wat2wasm -o "$dir/$name" "$f"
	[ "${1:-}" != --compare ] || cmp "$dir/$name" "$here/$name"
done
