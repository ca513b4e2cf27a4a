#!/usr/bin/env bash
# How long a newcomer waits for scripts/run and a contributor for scripts/test, each from an empty
# clone of what is committed, system packages installed, and once more. Run by scripts/bench.
# usage: loop.sh SCRATCH
set -euo pipefail
cd "$(dirname "$0")/.."
root=$PWD
scratch=$1

# usage: measure FIGURE COMMAND …
measure() {
    local figure=$1 load begun
    shift
    load=$(cut -d ' ' -f 1 /proc/loadavg)
    begun=$(date +%s%N)
    "$@" >"$scratch/$figure.log" 2>&1 || {
        tail -n 40 "$scratch/$figure.log" >&2
        mkdir -p "$root/.build"
        cp "$scratch/$figure.log" "$root/.build/"
        echo "error: $* failed; the end of its output is above, the whole in .build/$figure.log." >&2
        exit 1
    }
    grep -E '^    [0-9]+ s: ' "$scratch/$figure.log" >&2 || true
    awk -v figure="$figure" -v elapsed=$(($(date +%s%N) - begun)) -v load="$load" \
        'BEGIN { printf "%s: %.1f s (load before %s, ", figure, elapsed / 1e9, load }'
    echo "after $(cut -d ' ' -f 1 /proc/loadavg))"
}

for clone in run test; do git clone --quiet . "$scratch/$clone"; done
cd "$scratch/run"
once=(scripts/run --once "A memo" --port 18090 --data "$scratch/data")
measure loop.cold_run_s "${once[@]}"
measure loop.warm_run_s "${once[@]}"
scripts/bench installed
cd "$scratch/test"
measure loop.cold_test_s scripts/test
measure loop.warm_test_s scripts/test
