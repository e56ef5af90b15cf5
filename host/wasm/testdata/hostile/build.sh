#!/bin/sh
# Builds the guests of this folder; some need features that no plugin may use.
# With --compare it changes nothing, and fails if what is here is not what is
# built.
set -eu
here=$(dirname "$0")
dir=$here
if [ "${1:-}" = --compare ]; then
	dir=$(mktemp -d)
	trap 'rm -rf "$dir"' EXIT
fi
for f in "$here"/*.wat; do
	name=$(basename "$f" .wat).wasm
	wat2wasm --enable-threads --enable-exceptions --enable-tail-call --enable-multi-memory --enable-memory64 -o "$dir/$name" "$f"
	cmp "$dir/$name" "$here/$name"
done
