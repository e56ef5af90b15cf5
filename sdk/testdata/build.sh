#!/bin/sh
# Builds the plugins of this folder into DIR (this folder, without an argument),
# but for those in Go. With --compare it changes nothing, and fails if what is here
# is not what is built.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
dir=${1:-$here}
if [ "$dir" = --compare ]; then
	dir=$(mktemp -d)
	trap 'rm -rf "$dir"' EXIT
fi
mkdir -p "$dir/hosts" "$dir/probe" "$dir/walk"
cd "$here/.."

c() { clang --target=wasm32 -std=c11 -Oz -Wall -Wextra -Werror -nostdlib -fuse-ld=lld -Wl,--no-entry -Wl,--strip-all -Wl,-z,stack-size=16384 -o "$1" "$2"; }

asc() { assemblyscript/node_modules/.bin/asc "$2" -O3 --runtime stub --use abort= -o "$1"; }

rust='/usr/bin/rustc --edition 2021 --target wasm32-unknown-unknown -C opt-level=s -C panic=abort -C codegen-units=1'
crate=$(mktemp -d)
# shellcheck disable=SC2086
rs() { $rust --crate-type cdylib -C lto -C strip=symbols -C link-arg=-zstack-size=65536 --extern "callgate=$crate/libcallgate.rlib" -o "$1" "$2"; }

[ -x assemblyscript/node_modules/.bin/asc ] || npm --prefix assemblyscript ci --ignore-scripts --no-audit --no-fund --loglevel=error
c "$dir/hosts/c.wasm" c/examples/hosts.c
c "$dir/probe/c.wasm" c/testdata/probe.c
c "$dir/walk/c.wasm" c/testdata/walk.c
asc "$dir/hosts/assemblyscript.wasm" assemblyscript/examples/hosts.ts
$rust --crate-type rlib --crate-name callgate --cfg 'feature="runtime"' -o "$crate/libcallgate.rlib" rust/src/lib.rs
rs "$dir/hosts/rust.wasm" rust/examples/hosts.rs
rs "$dir/probe/rust.wasm" rust/testdata/probe.rs
rs "$dir/walk/rust.wasm" rust/testdata/walk.rs
rm -rf "$crate"
wat2wasm wat/hosts.wat -o "$dir/hosts/wat.wasm"
asc "$dir/probe/assemblyscript.wasm" assemblyscript/testdata/probe.ts
asc "$dir/walk/assemblyscript.wasm" assemblyscript/testdata/walk.ts

if [ "${1:-}" = --compare ]; then
	for f in "$here"/*/*.wasm; do
		cmp "$dir/${f#"$here/"}" "$f"
	done
fi
