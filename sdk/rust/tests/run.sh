#!/bin/sh
# Tests the crate with Debian's compiler, with serde as Debian has it: nothing is
# asked of a registry.
set -eu
cd "$(dirname "$0")/.."
CARGO_TARGET_DIR=$(mktemp -d)
trap 'rm -rf "$CARGO_TARGET_DIR" Cargo.lock' EXIT
PATH=/usr/bin:$PATH RUSTC=/usr/bin/rustc RUSTDOC=/usr/bin/rustdoc
export CARGO_TARGET_DIR PATH RUSTC RUSTDOC
cargo() { /usr/bin/cargo --config 'source.crates-io.replace-with="debian"' --config 'source.debian.directory="/usr/share/cargo/registry"' "$@"; }
cargo test --offline --quiet --features serde
cargo build --offline --quiet --release --target wasm32-unknown-unknown --examples
cargo build --offline --quiet --release --target wasm32-unknown-unknown --examples --features serde
