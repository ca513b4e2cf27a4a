# Links memo fully statically, and without what it does not use; after native.sh and stamp.sh.
#
# A static memo starts in a third of the time, because nothing has to be found and linked when it is
# started. What is left out is neither mapped nor looked through: decision 35.

# Compiles swift-argument-parser again, with another file in place of its one that uses Foundation's
# essentials. usage: compile_argument_parser OBJECT
compile_argument_parser() {
    local checkout=${native_options[3]}/checkouts/swift-argument-parser/Sources/ArgumentParser sources
    sources=$(fingerprint "$checkout" scripts/lib/static scripts/lib/static.sh)
    ! is_current "$1" "$sources" || return 0
    find "$checkout" -name '*.swift' ! -path '*/Utilities/Foundation.swift' -printf '"%p"\n' >"$1.sources"
    swiftc -module-name ArgumentParser -package-name swift_argument_parser -parse-as-library -static-stdlib \
        -swift-version 6 -suppress-warnings -Osize -whole-module-optimization -g "${native_accessors[@]}" \
        -I "$native_products/Modules" -c -o "$1" "@$1.sources" scripts/lib/static/Foundation.swift
    stamp "$1" "$sources"
}

# Makes a copy of the toolchain's static libraries from which a link drops what nothing refers to.
# usage: copy_static_libraries FOLDER
copy_static_libraries() {
    local toolchain sources
    toolchain=$(dirname "$(readlink -f "$(command -v swiftc)")")/../lib/swift_static
    sources=$(fingerprint scripts/lib/static/unretain.py)
    ! is_current "$1" "$sources" || return 0
    rm -rf "$1"
    mkdir -p "$1"
    cp -rs "$(realpath "$toolchain")"/. "$1"
    rm "$1"/linux/libswift*.a
    python3 scripts/lib/static/unretain.py "$1/linux" "$toolchain"/linux/libswift*.a >/dev/null
    stamp "$1" "$sources"
}

# Links memo once more, without any shared library, from the objects of the build. usage: link_statically OUTPUT
link_statically() {
    local folder=$native_products/memo.static objects=$native_products/memo.product/Objects.LinkFileList
    local crypto='/(Crypto|CryptoBoringWrapper|CCryptoBoringSSL|CCryptoBoringSSLShims|CXKCP|CXKCPShims)\.build/'
    local own
    mkdir -p "$folder"
    copy_static_libraries "$folder/swift_static"
    compile_argument_parser "$folder/ArgumentParser.o"
    # An archive: the linker takes the objects that are used, and of swift-crypto those are BoringSSL's.
    rm -rf "$folder/crypto.a" "$folder/objects"
    grep -E "$crypto" "$objects" | xargs ar qcs "$folder/crypto.a"
    mapfile -t own < <(grep -vE "$crypto|/ArgumentParser\.build/" "$objects")
    python3 scripts/lib/static/unretain.py "$folder/objects" "$folder/ArgumentParser.o" "${own[@]}" >"$folder/files"
    # The libraries' own dependencies, which a static link has to be told.
    swiftc -static-executable -resource-dir "$folder/swift_static" -g -o "$1" "@$folder/files" "$folder/crypto.a" \
        -Xlinker --defsym=main=memo_main -Xlinker --gc-sections -lsqlite3 -ledit -ltinfo -lbsd -lmd 2>&1 |
        # It warns of what glibc would load while running: memo uses none of it.
        grep -vE "statically linked applications|mktemp. is dangerous|^/usr/bin/ld" >&2 || true
    [[ -x $1 ]]
}
