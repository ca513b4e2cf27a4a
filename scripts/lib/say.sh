# How the scripts speak: steps and failures on standard error, results on standard output.
step() { printf '\n==> %s %s\n' "$(date +%H:%M:%S)" "$*" >&2; }
fail() {
    printf 'error: %s\n' "$*" >&2
    exit 1
}
# Runs a command as a step, and says how long it took.
# usage: timed NAME COMMAND …
timed() {
    local name=$1 begun=$SECONDS
    shift
    step "$name"
    "$@"
    printf '    %d s: %s\n' $((SECONDS - begun)) "$name" >&2
}
