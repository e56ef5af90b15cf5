#!/bin/sh
# Builds the guests of this folder again, but those in Go, which the benchmark
# builds itself. It needs clang with wasm-ld, asc of the npm package assemblyscript
# 0.28, and rustc, cargo and serde of Debian, as the SDK for Rust. What they make
# depends on their versions, so that --compare only looks whether all are here.
set -eu
cd "$(dirname "$0")"
if [ "${1:-}" = --compare ]; then
	ls gets.wasm hundred.wasm scanner.wasm scanner.as.wasm serde.wasm >/dev/null
	exit
fi
for f in gets hundred scanner; do
	clang --target=wasm32 -O2 -nostdlib -Wl,--no-entry -Wl,--strip-all -o "$f.wasm" "$f.c"
done
asc scanner.as.ts --runtime stub -O3 --noAssert --use abort= -o scanner.as.wasm
target=$(mktemp -d)
trap 'rm -rf "$target"' EXIT
(cd rust && RUSTC=/usr/bin/rustc /usr/bin/cargo build --release --offline --target wasm32-unknown-unknown --target-dir "$target" \
	--config 'source.crates-io.replace-with="debian"' --config 'source.debian.directory="/usr/share/cargo/registry"')
cp "$target/wasm32-unknown-unknown/release/bench.wasm" serde.wasm
