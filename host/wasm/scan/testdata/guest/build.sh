#!/bin/sh
# Builds the guests of this directory again. With --compare it changes nothing
# and fails if what wat2wasm makes is not what is here; what clang makes depends
# on its version.
set -eu
cd "$(dirname "$0")"
if [ "${1:-}" = --compare ]; then
	wat2wasm text.wat --output=- | cmp - text.wasm
	exit
fi
wat2wasm text.wat -o text.wasm
clang --target=wasm32 -O2 -nostdlib -Wl,--no-entry -o minimal.wasm minimal.c
clang --target=wasm32-wasi --sysroot=/usr -O2 -mexec-model=reactor -Wl,--strip-debug -o libc.wasm libc.c
