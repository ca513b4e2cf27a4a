# How the programs of the package are built: each configuration in one scratch path with one set of
# options, so that whoever needs a program of it compiles nothing twice.

# Sets what the functions below use. usage: native release|debug
native() {
    native_options=(--configuration "$1" --scratch-path .build)
    if [[ $1 == release ]]; then
        native_options=(--configuration release --scratch-path .build-dist)
        [[ $(uname -s) != Linux ]] || native_options+=(--static-swift-stdlib)
    fi
    native_products=${native_options[3]}/$1
}

# usage: native_build PRODUCT
native_build() { swift build "${native_options[@]}" --product "$1" >&2; }
