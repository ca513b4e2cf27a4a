# Knows an unchanged tree without asking SwiftPM, which plans for seconds.
. scripts/lib/system.sh

# Prints a hash of the files under the given paths and of the toolchain on PATH.
fingerprint() {
    local compiler
    compiler=$(readlink -f "$(command -v swiftc)")
    {
        file_state "$compiler"
        # SwiftPM writes Package.resolved while it builds.
        find "$@" -type f ! -name Package.resolved ! -path "*/__pycache__/*" -print0 | sort -z | xargs -0 "${sha256[@]}"
    } | "${sha256[@]}" | cut -d ' ' -f 1
}

# Whether OUTPUT is still as it was when `stamp` noted that it came of FINGERPRINT.
# usage: is_current OUTPUT FINGERPRINT
is_current() {
    [ -e "$1" ] && [ "$(cat "$(stamp_of "$1")" 2>/dev/null)" = "$2 $(state_of "$1")" ]
}

# usage: stamp OUTPUT FINGERPRINT
stamp() {
    echo "$2 $(state_of "$1")" >"$(stamp_of "$1")"
}

stamp_of() { echo "$(dirname "$1")/.$(basename "$1").stamp"; }
state_of() { tree_states "$1" | sort | "${sha256[@]}" | cut -d ' ' -f 1; }
