#!/bin/sh
# Builds and runs the tests of callgate.h with the compilers of this machine, and
# builds the example for WASM as C++ and with wasi-libc. All of it has to be there.
set -eu
cd "$(dirname "$0")/.."
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
check='-g -O1 -Wall -Wextra -Werror -fsanitize=address,undefined -fno-sanitize-recover=all'
# shellcheck disable=SC2086
{
	cc -std=c11 $check -o "$out/c" tests/test.c
	c++ -std=c++17 $check -x c++ -o "$out/cpp" tests/test.c
}
# Memory that is not given back is no mistake: an evaluation is over soon.
for test in "$out/c" "$out/cpp"; do ASAN_OPTIONS=detect_leaks=0 "$test"; done
clang -std=c11 -Wall -Wextra -Werror -fsyntax-only examples/hosts.c
clang++ --target=wasm32 -std=c++17 -Os -Wall -Wextra -Werror -nostdlib -fno-exceptions -fuse-ld=lld -Wl,--no-entry -o "$out/cpp.wasm" -x c++ examples/hosts.c
clang --target=wasm32-wasi --sysroot=/usr -std=c11 -Os -Wall -Wextra -Werror -mexec-model=reactor -fuse-ld=lld -o "$out/libc.wasm" examples/hosts.c
sed -n '/^```c$/,/^```$/p' README.md | sed '/^```/d' >"$out/readme.c"
clang --target=wasm32 -std=c11 -Os -Wall -Wextra -Werror -nostdlib -fuse-ld=lld -Wl,--no-entry -I. -o "$out/readme.wasm" "$out/readme.c"
