# How the programs of the package are built: each configuration in one scratch path with one set of
# options, so that whoever needs a program of it compiles nothing twice.

# A type's metadata is asked for with the conformances that the compiler knows. Else Swift's runtime looks
# for each of them among all of a program's when it first meets the type.
native_accessors=(-Xfrontend -disable-concrete-type-metadata-mangled-name-accessors)

# Sets what the functions below use. usage: native release|debug
native() {
    local option
    native_options=(--configuration "$1" --scratch-path .build)
    if [[ $1 == release ]]; then
        native_options=(--configuration release --scratch-path .build-dist)
        [[ $(uname -s) != Linux ]] || native_options+=(--static-swift-stdlib)
        for option in "${native_accessors[@]}"; do native_options+=(-Xswiftc "$option"); done
        # Each function of C a section: a linker leaves out those that nobody calls, of BoringSSL most.
        native_options+=(-Xcc -ffunction-sections -Xcc -fdata-sections)
    fi
    native_products=${native_options[3]}/$1
}

# usage: native_build PRODUCT
native_build() { swift build "${native_options[@]}" --product "$1" >&2; }
