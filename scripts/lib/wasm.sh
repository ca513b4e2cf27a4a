# How wasm is built, after say.sh: all modules with one set of options in one scratch path, so that
# the cores are compiled once.

. scripts/lib/nested.sh
. scripts/lib/stamp.sh

# For size; copies of functions for single closures, and in the places of their calls, do not pay in an
# app. Embedded Swift checks no exclusive access at run time, so the calls that would are left out. For
# incremental builds each file would leave a hash in the module, which does not compress.
wasm_options=(-c release -Xswiftc -Osize
    -Xswiftc -Xllvm -Xswiftc -sil-disable-pass=closure-specialize
    -Xswiftc -Xllvm -Xswiftc -sil-disable-pass=capture-prop
    -Xswiftc -Xllvm -Xswiftc -inline-threshold=0
    -Xswiftc -Xfrontend -Xswiftc -disable-incremental-llvm-codegen
    -Xswiftc -enforce-exclusivity=unchecked)
wasm_scratch=$PWD/.build-web/swift
wasm_products=$wasm_scratch/wasm32-unknown-none-wasm/release

# usage: wasm_build PRODUCT
wasm_build() {
    local toolset sources module=$wasm_products/$1.wasm
    toolset=$(wasm_toolset "$wasm_scratch")
    sources=$(fingerprint Package.swift Sources Web "$toolset" scripts/lib/wasm.sh)
    ! is_current "$module" "$sources" || return 0
    plan_nested "$wasm_scratch"
    swift build --package-path Web --scratch-path "$wasm_scratch" \
        --triple wasm32-unknown-none-wasm --toolset "$toolset" "${wasm_options[@]}" --product "$1" >&2
    stamp "$module" "$sources"
}

# Writes the toolset into the folder $1, which it makes, for the toolchain found on PATH; prints its
# name. What was built with another one is removed.
wasm_toolset() {
    local toolchain builtins toolset=$1/embedded-wasm.toolset.json
    toolchain=$(dirname "$(dirname "$(readlink -f "$(command -v swiftc)")")")
    builtins=$(ls /usr/lib/llvm-*/lib/clang/*/lib/wasi/libclang_rt.builtins-wasm32.a 2>/dev/null | head -n 1)
    [ -n "$builtins" ] && [ -d /usr/lib/wasm32-wasi ] ||
        fail "the wasm C library is not installed; run scripts/install-dependencies"
    mkdir -p "$1"
    sed -e "s|TOOLCHAIN|$toolchain|" -e "s|BUILTINS|$builtins|" Web/embedded-wasm.toolset.json \
        >"$toolset.new"
    if ! cmp -s "$toolset.new" "$toolset"; then
        rm -rf "$1/wasm32-unknown-none-wasm"
        mv "$toolset.new" "$toolset"
    fi
    echo "$toolset"
}
