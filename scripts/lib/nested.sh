# For the packages in folders of their own, which stand on the package in the root. SwiftPM plans such
# a package anew when its own files come and go, and not when those of the root do.

# Has SwiftPM plan anew what it builds in SCRATCH, if files of the root have come or gone since.
# usage: plan_nested SCRATCH
plan_nested() {
    local files
    files=$(find Sources Tests/Support -type f | LC_ALL=C sort | sha256sum)
    mkdir -p "$1"
    [ "$(cat "$1/files-of-root" 2>/dev/null)" != "$files" ] || return 0
    rm -f "$1"/{debug,release}.yaml
    echo "$files" >"$1/files-of-root"
}
