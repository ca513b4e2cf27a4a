# How the scripts speak: steps and failures on standard error, results on standard output.
step() { printf '\n==> %(%H:%M:%S)T %s\n' -1 "$*" >&2; }
fail() {
    printf 'error: %s\n' "$*" >&2
    exit 1
}
