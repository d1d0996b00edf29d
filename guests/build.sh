#!/usr/bin/env bash
# Builds the guests that are not Go, each .wasm beside its source. It needs
# Debian's clang, lld, wasi-libc, libclang-rt-14-dev-wasm32, wabt and binaryen.
set -euo pipefail
cd "$(dirname "$0")"
for src in wat/*.wat; do
  wat2wasm "$src" -o "${src%.wat}.wasm"
done
for src in c/*.c demo/*.c; do
  clang --target=wasm32-wasi --sysroot=/usr -Oz -Wall -Werror -Wl,--strip-all "$src" -o "${src%.c}.wasm"
  wasm-opt -Oz --strip-producers "${src%.c}.wasm" -o "${src%.c}.wasm"
done
