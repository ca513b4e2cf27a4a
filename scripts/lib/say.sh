# How the scripts speak: steps and failures on standard error, results on standard output.
step() { printf '\n==> %s\n' "$*" >&2; }
fail() {
    printf 'error: %s\n' "$*" >&2
    exit 1
}
