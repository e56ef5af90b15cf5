#!/bin/sh
# Assembles the sample of the page, whose lengths have to be those of its texts. The
# example is run by plugins/languages_test.go.
set -eu
cd "$(dirname "$0")/.."
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
sed -n '/^```wat$/,/^```$/p' README.md | sed '/^```/d' >"$out/readme.wat"
wat2wasm "$out/readme.wat" -o "$out/readme.wasm"
wat2wasm hosts.wat -o "$out/hosts.wasm"
python3 - "$out/readme.wat" hosts.wat <<'END'
import re, sys
n = 0
for file in sys.argv[1:]:
    for text, length in re.findall(r'\(data \(i32\.const \d+\) "((?:\\"|[^"])*)"\) *;; (\d+)', open(file).read()):
        n += 1
        if len(text.replace('\\"', '"')) != int(length):
            sys.exit(f"{file}: {text}: {length} bytes")
if n < 14:
    sys.exit(f"{n} texts")
END
