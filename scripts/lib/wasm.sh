# How wasm is built: sourced by the scripts that do.

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
