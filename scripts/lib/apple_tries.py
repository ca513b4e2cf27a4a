"""Tries what stands behind canImport(Security), canImport(Network) and canImport(os), over the stand-ins, on Linux;
and the app, over the stand-in of UIKit.

usage: apple_tries.py SCRATCH PLAN [TARGET FILE …]    with TARGET and FILE, only that target and these files of tests

SCRATCH has the side that Apple/Checker wrote of a Linux with these modules, tried/. Compiles the targets that
Apple/Tests uses, and those below them, with their code; the packages are those of PLAN's build. Runs the tests.
Prints a figure; exit status 1 when something does not compile or a test fails.
"""

import os
import re
import subprocess
import sys
from pathlib import Path

from apple_sides import APPS, Check, hash_of, stand_in_options, targets_of

SYSTEM = "tried"
# In the order in which they need each other.
STAND_INS = ["CoreFoundation", "Network", "Security", "os"]
# No target of Sources uses them.
APP_STAND_INS = ["UIKit", "BackgroundTasks", "StoreKit", "UserNotifications"]
TESTED = ["Connectivity", "MemoApp", "MemoKit"]
# The target that knows where the modules of C are that the tested targets use.
PLACES = "MemoCourier"
# What the tests of sharing use of another target's tests.
BESIDE = ["Tests/MemoSharingTests/FakeRelay.swift"]
HARNESS = {"OneDevice.swift", "Runner.swift"}
# What the program is beside its tests, and the file that then has its entry point.
PROCESS, PROCESS_RUNNER = "DoorProcess.swift", "ProcessRunner.swift"
# Modules of Tests/Support that the tests use, with their files; and the object of C that stands behind them.
SUPPORT = {
    "KilledProcess": ["KilledProcess/KilledProcess.swift"],
    "Waiting": ["Waiting/Waiting.swift"],
    "TemporaryFolders": ["TemporaryFolders/TemporaryFolder.swift"],
    "WatchedFiles": ["WatchedFiles/RecordedDisk.swift", "WatchedFiles/WatchedFolder.swift"],
}
# A function of the main actor that is called on another thread ends the process, as it does on a device.
ON_THE_MAIN_THREAD = "-enable-actor-data-race-checks"
WATCHED_VFS = "WatchedVFS.build"
# The program whose packages are linked: it has all that the tested targets use.
PROGRAM = "memo-agent"


def below(targets, names):
    """The targets and all that they use, each after those that it uses."""
    order = []

    def visit(name):
        if name not in order:
            for use in sorted(targets[name].uses):
                visit(use)
            order.append(name)
    for name in names:
        visit(name)
    return order


class Tries(Check):
    def fail(self, text):
        sys.exit("\n".join([*self.messages, f"error: {text}"]).replace(f"{self.scratch}/{SYSTEM}/", ""))

    def stand_ins(self):
        folder, made = self.scratch / SYSTEM / "StandIns", []
        names = STAND_INS + APP_STAND_INS
        for name in names:
            files = sorted((self.scratch / SYSTEM / "Apple/StandIns" / name).glob("*.swift"))
            made.append(hash_of(self.compiler, *made, *(file.read_bytes() for file in files)))
            if not self.compile(name, files, stand_in_options(folder), folder / f"{name}.swiftmodule", made[-1], alone=False):
                self.fail(f"the stand-in of {name} does not compile")
        self.key, self.app_key = hash_of(*made[:len(STAND_INS)]), hash_of(*made)
        return [folder / f"{name}.o" for name in names]

    def c_options(self, plan):
        return ["-Xcc", f"-fmodule-map-file={Path(plan).with_suffix('') / WATCHED_VFS / 'module.modulemap'}"]

    def support(self, plan):
        """Compiles what the tests use of Tests/Support."""
        for name, files in SUPPORT.items():
            files = [Path("Tests/Support", file) for file in files]
            key = hash_of(self.compiler, *(file.read_bytes() for file in files))
            output = self.modules(SYSTEM) / f"{name}.swiftmodule"
            options = [*self.options_of(self.targets["MemoKit"]), *self.c_options(plan)]
            if not self.compile(name, files, options, output, key, alone=False):
                self.fail(f"{name} does not compile")
            yield output.with_suffix(".o")
        yield from Path(Path(plan).with_suffix(""), WATCHED_VFS).rglob("*.o")

    def options_of(self, target):
        return ["-I", self.modules(SYSTEM), "-I", self.scratch / SYSTEM / "StandIns", *target.options]

    def compile_target(self, name):
        target = self.targets[name]
        files = [self.scratch / SYSTEM / source for source in target.sources]
        stand_ins = self.app_key if name in APPS else self.key
        key = hash_of(self.compiler, stand_ins, ON_THE_MAIN_THREAD, " ".join(target.options), *target.sources,
                      *(file.read_bytes() for file in files), *(self.keys[use] for use in sorted(target.uses)))
        module = name.replace("-", "_")
        output = self.modules(SYSTEM) / f"{module}.swiftmodule"
        options = [*self.options_of(target), "-enable-testing", ON_THE_MAIN_THREAD]
        if not self.compile(module, files, options, output, key, alone=False):
            self.fail(f"{name} does not compile")
        self.keys[name] = key
        return output.with_suffix(".o")

    def link(self, tested, tests, objects, plan):
        program = self.scratch / SYSTEM / "tests"
        folder = self.scratch / SYSTEM / "Apple/Tests"
        names = {*tests, *HARNESS}
        names.discard("Runner.swift" if PROCESS in names else PROCESS_RUNNER)
        files = [file for file in sorted(folder.glob("*.swift")) if file.name in names]
        files += [Path(file) for file in BESIDE if "SharingTests.swift" in names]
        key = hash_of(self.compiler, self.app_key, *(self.keys[name] for name in tested), *(file.read_bytes() for file in files))
        stamp = program.with_suffix(".key")
        if program.exists() and stamp.exists() and stamp.read_text() == key:
            return program
        listed = Path(Path(plan).with_suffix(""), f"{PROGRAM}.product/Objects.LinkFileList").read_text().split()
        own = {f"{name.replace('-', '_')}.build" for name in self.targets}
        packages = [path for path in listed if Path(path).parent.name not in own]
        arguments = re.search(rf'^    args: (\[.*/{PROGRAM}\.product/Objects\.LinkFileList.*)$', Path(plan).read_text(), re.M)
        libraries = sorted(set(re.findall(r'"(-l[^"]+|-L/usr/[^"]+)"', arguments[1])))
        plugins = Path(self.compiler.split(" ")[0]).parents[1] / "lib/swift/host/plugins/testing"
        ended = subprocess.run(
            ["swiftc", "-wmo", "-module-name", "AppleTests", "-o", program, ON_THE_MAIN_THREAD, *self.options_of(self.targets[PLACES]),
             *self.c_options(plan), "-plugin-path", plugins, *files, *objects, *packages, *libraries, "-module-cache-path", self.cache],
            capture_output=True, text=True)
        if ended.returncode:
            self.say(ended.stderr + ended.stdout)
            self.fail("the tests do not compile")
        stamp.write_text(key)
        return program


def main():
    scratch, plan = sys.argv[1:3]
    tested, tests = ([sys.argv[3]], sys.argv[4:]) if len(sys.argv) > 3 else (TESTED, os.listdir("Apple/Tests"))
    tries = Tries(scratch, os.getcwd(), targets_of(plan, os.getcwd()))
    objects = tries.stand_ins()
    objects += [tries.compile_target(name) for name in below(tries.targets, tested)]
    objects += tries.support(plan)
    program = tries.link(tested, tests, objects, plan)
    ended = subprocess.run(
        [program, "--testing-library", "swift-testing"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        timeout=600, env={**os.environ, "NO_COLOR": "1", "SWIFT_UNEXPECTED_EXECUTOR_LOG_LEVEL": "2"})
    passed = re.search(r"Test run with (\d+) tests? in \d+ suites? passed", ended.stdout)
    if ended.returncode or not passed:
        print(ended.stdout)
        sys.exit("error: what Apple's systems see does not do what its tests say")
    print(f"apple.tests: {passed[1]}")


if __name__ == "__main__":
    main()
