#!/bin/sh
# Measures the example of each SDK, and writes the table of README.md. Run it where
# nothing else is at work.
set -eu
cd "$(dirname "$0")/../.."
guests=abi/testdata/1.0/hosts
new=$(mktemp)
trap 'rm -f "$new"' EXIT
go run ./cmd/callgate plugin bench --for 500ms --table $guests-wat $guests-c $guests-rust $guests-assemblyscript $guests-go >"$new"
sed -i -e '/^<!-- table.sh writes from here -->$/,/^<!-- to here -->$/{/^<!--/!d}' -e "/^<!-- table.sh writes from here -->\$/r $new" sdk/testdata/README.md
