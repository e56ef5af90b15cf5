#!/bin/sh
# Builds the guests of this folder into DIR (this folder, without an argument).
set -eu
here=$(dirname "$0")
for f in "$here"/*.wat; do
	wat2wasm -o "${1:-$here}/$(basename "$f" .wat).wasm" "$f"
done
