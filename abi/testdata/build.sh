#!/bin/sh
# Builds the guests of the newest version into DIR, to look at them: what is here is
# frozen, and never written again. With --compare it fails if a guest of any version
# is not what is built of its source where compilers always make the same of it, as
# wat2wasm does.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
newest=1.0
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# The guests are built with what is built, so this also tries callgate plugin build.
(cd "$here/../.." && go build -buildvcs=false -o "$work/callgate" ./cmd/callgate)

# texts builds the guests of a version in WAT.
texts() {
	mkdir -p "$2/refused"
	for f in "$here/$1"/refused/*.wat; do
		wat2wasm -o "$2/refused/$(basename "$f" .wat).wasm" "$f"
	done
	for f in "$here/$1"/*/guest.wat; do
		name=$(basename "$(dirname "$f")")
		rm -rf "$work/$name"
		cp -R "$here/$1/$name" "$work/$name"
		"$work/callgate" plugin build --yes "$work/$name" >/dev/null 2>"$work/said" || { cat "$work/said" >&2; exit 1; }
		mkdir -p "$2/$name"
		cp "$work/$name/$name.wasm" "$2/$name/$name.wasm"
	done
}

# others builds the guests of the newest version that are not in WAT: what their
# compilers make differs from one version to the next. sdk/testdata/build.sh builds,
# and compares, those of C, Rust and AssemblyScript.
others() {
	mkdir -p "$work/abi/testdata/$newest"
	cp -R "$here/../../sdk" "$work/sdk"
	(cd "$work/abi/testdata/$newest" && "$work/callgate" plugin new golden/go-domains >/dev/null)
	for name in go-redact hosts-go hosts-c hosts-rust hosts-assemblyscript; do
		cp -R "$here/$newest/$name" "$work/abi/testdata/$newest/$name"
	done
	for dir in "$work/abi/testdata/$newest"/*; do
		name=$(basename "$dir")
		"$work/callgate" plugin build --yes "$dir" >/dev/null 2>"$work/said" || { cat "$work/said" >&2; exit 1; }
		mkdir -p "$1/$name"
		cp "$dir/$name.wasm" "$1/$name/$name.wasm"
	done
}

case ${1:---help} in
--compare)
	for dir in "$here"/[0-9]*; do
		version=$(basename "$dir")
		texts "$version" "$work/out"
		(cd "$work/out" && find . -name '*.wasm') | while read -r f; do
			cmp "$work/out/$f" "$dir/$f"
		done
		rm -rf "$work/out"
	done
	;;
-*)
	echo "usage: $0 --compare | DIR" >&2
	exit 2
	;;
*)
	texts "$newest" "$1"
	others "$1"
	;;
esac
