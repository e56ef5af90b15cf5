#!/bin/sh
# Builds the guests of the demo and of scripts, each with its manifest behind it. With
# --compare it changes nothing, and fails if what is here is not what is built.
set -eu
cd "$(dirname "$0")"
byte() { printf "\\$(printf %o "$1")"; }
leb() { byte $(($1 % 128 + 128)); byte $(($1 / 128)); } # of two bytes
for f in *.wat ../../demo_contract.wat; do
	out=${f%.wat}.wasm
	new=$(mktemp)
	wat2wasm -o "$new" "$f"
	size=$(wc -c <"${f%.wat}.json")
	{ byte 0; leb $((size + 18)); byte 17; printf callgate.manifest; cat "${f%.wat}.json"; } >>"$new"
	if [ "${1:-}" = --compare ]; then
		cmp "$new" "$out"
	else
		cat "$new" >"$out"
	fi
	rm "$new"
done
