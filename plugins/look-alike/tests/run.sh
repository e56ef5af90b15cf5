#!/bin/sh
# Tests the plugin with Debian's compiler and the crates of vendor: nothing is asked
# of a registry. go test ./plugins builds it and runs its cases.
set -eu
cd "$(dirname "$0")/.."
CARGO_TARGET_DIR=$(mktemp -d)
trap 'rm -rf "$CARGO_TARGET_DIR"' EXIT
PATH=/usr/bin:$PATH RUSTC=/usr/bin/rustc RUSTDOC=/usr/bin/rustdoc
export CARGO_TARGET_DIR PATH RUSTC RUSTDOC
cargo test --locked --offline --quiet
