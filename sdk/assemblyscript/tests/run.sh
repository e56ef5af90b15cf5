#!/bin/sh
# Tests the package in node, without Callgate: what npm ci installs has to be there.
set -eu
cd "$(dirname "$0")/.."
[ -x node_modules/.bin/asc ] || npm ci --ignore-scripts --no-audit --no-fund --loglevel=error
OUT=$(mktemp -d)
export OUT
trap 'rm -rf "$OUT"' EXIT
asc() { node_modules/.bin/asc "$1" -O1 --runtime stub --use abort= -o "$OUT/$(basename "$1" .ts).wasm"; }
asc examples/hosts.ts
asc tests/unit.ts
sed -n '/^```ts$/,/^```$/p' README.md | sed "/^\`\`\`/d; s|\"@callgate/sdk/assembly\"|\"../assembly\"|" >tests/readme.tmp.ts
trap 'rm -rf "$OUT" tests/readme.tmp.ts' EXIT
asc tests/readme.tmp.ts
node --test tests/
