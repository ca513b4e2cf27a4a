#!/usr/bin/env bash
# One run of the tests of scripts/test, all of them, also after one has failed.
# usage: one-run.sh KEPT    their logs and results: KEPT.swift, KEPT.programs
set -uo pipefail
cd "$(dirname "$0")/../.."
. scripts/lib/say.sh
. scripts/lib/python.sh
. scripts/lib/tests.sh
python_with .build-python Tests/web/requirements.txt
test_quickly
light_tests
begin_heavy
rm -f "$program_results"
program_tests "${programs[@]}"
finish_heavy
cp "$swift_log" "$1.swift"
cp "$program_results" "$1.programs"
