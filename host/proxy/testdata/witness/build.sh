#!/bin/sh
# Builds the guest of this folder. With --compare it changes nothing, and fails if what
# is here is not what is built.
set -eu
cd "$(dirname "$0")"
out=guest.wasm
if [ "${1:-}" = --compare ]; then
	out=$(mktemp)
	trap 'rm -f "$out"' EXIT
fi
wat2wasm -o "$out" guest.wat
[ "${1:-}" != --compare ] || cmp "$out" guest.wasm
