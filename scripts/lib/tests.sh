# The tests that scripts/test runs once and scripts/steady runs several times. Source say.sh first, and
# have `python` set: see python.sh.

# Tests have nothing to do with the keyring of whoever runs them.
export MEMO_KEY_STORE=file
export MEMO_BIN_DIR=$PWD/.build-dist-debug/bin
# The output of the Swift tests and of the other tests, and the other tests' results.
swift_log=.build/swift-tests.log
heavy_log=.build/heavy-tests.log
program_results=.build/program-tests.json

# The tests of every change: each eighth point of those that look everywhere, one browser, one language.
test_quickly() {
    export MEMO_SEARCH_STRIDE=8 MEMO_BROWSERS=chromium MEMO_CHROMIUM=windowless MEMO_BROWSER_KILLS=10
    export MEMO_SCREEN_LANGUAGES=en MEMO_RATED_SENDS=3
    # They wait for a browser, a disk or a process about half of their time. Those that wait longest
    # begin first, so that nothing waits for them alone at the end.
    programs=(--jobs $(($(nproc) + 2)) EndToEnd/test_faults EndToEnd/test_pace EndToEnd/test_bounces
        EndToEnd/test_keyring web terminal EndToEnd)
}

compile() {
    local web ended=0
    mkdir -p .build
    # Beside the build, which leaves a processor idle at times.
    scripts/build-web --module >.build/web-module.log 2>&1 &
    web=$!
    trap "kill $web 2>/dev/null || true" EXIT
    swift build --build-tests
    wait "$web" || ended=$?
    trap - EXIT
    [ "$ended" = 0 ] || { cat .build/web-module.log >&2; fail "the web app does not build; see above."; }
    scripts/build --debug --built
}

# The bundle itself: `swift test` plans the build once more.
swift_tests() { # option …
    local bundle
    bundle=$(echo .build/debug/*.xctest)
    NO_COLOR=1 "$bundle" --testing-library swift-testing "$@" 2>&1
}

# They keep one processor and the disk busy for minutes, and the tests of the programs mostly wait: both
# run side by side.
heavy='OutboxFilesTests|OutboxSimulationTests|PowerCutTests|CacheKillTests|CountdownTests|CorruptionTests'
heavy+='|ThreatTableTests|DeviceWorldTests|PostgreSQLTests|RelayPostgresTests'
# Those of them that wait for tasks, threads or processes, each step with a bound of its own. They have a
# process to themselves: a search computes for minutes without a break on each of the few threads that Swift
# has for all tasks, and nothing that waits comes to its turn in time.
heavy_waiting='OutboxFilesTests|PostgreSQLTests|RelayPostgresTests|OfflineFirstTests\.(.*PowerCutTests|CacheKillTests)'
heavy_run=
# Relays, two hundred at once, have thousands of open files. They run in a process that starts no other:
# Foundation's `Process.run()` reads up to 256 bytes beyond the buffer in which the system lists the open
# files, which from about 1,360 files on is full, and crashes where nothing is mapped behind it
# (swift-corelibs-foundation, pull request 5472, not in Swift 6.3.1).
relays='RelayServerTests\.(?!RelayProgramTests|MailRenderingTests|ThreatTableTests)'
light_tests() {
    local ended=0
    {
        swift_tests --skip "$heavy" --skip "$relays" || ended=1
        swift_tests --filter "$relays" || ended=1
        [ $ended = 0 ]
    } | tee "$swift_log"
}
heavy_tests() {
    local ended=0
    swift_tests --filter "$heavy_waiting" || ended=1
    swift_tests --filter "$heavy" --skip "$heavy_waiting" || ended=1
    return $ended
}
begin_heavy() {
    heavy_tests >"$heavy_log" &
    heavy_run=$!
    trap 'kill "$heavy_run" $(pgrep -P "$heavy_run") 2>/dev/null || true' EXIT
}
finish_heavy() {
    local ended=0
    wait "$heavy_run" || ended=$?
    trap - EXIT
    cat "$heavy_log" >>"$swift_log"
    grep -vE '^[◇✔] (Suite|Test case|Test "|Test \w+\()' "$heavy_log" || true
    return $ended
}

# The programs with real processes, real kills and a real mail server; the web app in real browsers.
program_tests() { # target …
    "$python" -W ignore Tests/run.py --results "$program_results" "$@"
}
