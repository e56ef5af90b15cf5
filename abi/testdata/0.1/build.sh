#!/bin/sh
# Builds the guests of this folder into DIR (this folder, without an argument). It
# needs Go and wabt; what Go makes differs from one version of Go to the next. With
# --compare it changes nothing, and fails if what is here of WAT is not what is
# built.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
out=${1:-$here}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
if [ "$out" = --compare ]; then
	out=$work/out
fi

# The guests are built with what is built, so this also tries callgate plugin build.
(cd "$here/../../.." && go build -buildvcs=false -o "$work/callgate" ./cmd/callgate)

mkdir -p "$out/refused"
for f in "$here"/refused/*.wat; do
	wat2wasm -o "$out/refused/$(basename "$f" .wat).wasm" "$f"
done
(cd "$work" && ./callgate plugin new golden/go-domains >/dev/null)
for name in abstain recipient acts go-redact; do
	cp -R "$here/$name" "$work/$name"
done
# Go writes the path of the SDK into the module, so that has to be the same everywhere.
cp -R "$here/../../../sdk/go" "$work/sdk"
(cd "$work/go-redact/src" && go mod edit -replace github.com/callgate/callgate/sdk/go=../../sdk)
for name in abstain recipient acts go-redact go-domains; do
	"$work/callgate" plugin build --yes "$work/$name" >/dev/null 2>&1
	mkdir -p "$out/$name"
	cp "$work/$name/$name.wasm" "$out/$name/$name.wasm"
done
if [ "${1:-}" = --compare ]; then
	for f in "$here"/refused/*.wasm "$here"/abstain/*.wasm "$here"/recipient/*.wasm "$here"/acts/*.wasm; do
		cmp "$f" "$out/${f#"$here"/}"
	done
fi
