"""Compiles what iOS and macOS see of the sources against Apple/StandIns, and counts their branches.

usage: apple_sides.py SCRATCH PLAN TABLE
       apple_sides.py SCRATCH PLAN --only TARGET CACHE    compiles that target's macOS side alone, on the modules
                                                          that SCRATCH has of the targets below it

SCRATCH has the sides that Apple/Checker wrote, ios/ and macos/, and gets the modules. PLAN is SwiftPM's
description of the build of this package, whose options each target has here too. TABLE is the output
of Apple/Checker.

A module is compiled only if something that it depends on has changed. Prints figures; exit status 1
when something does not compile.
"""

import concurrent.futures
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import threading
from pathlib import Path

SYSTEMS = {"macos": "macOS", "ios": "iOS"}
# What an iPhone has no use for, or cannot run: programs, the terminal, the relay.
NOT_ON_IOS = {
    "Curl", "EditLine", "MemoCommandLine", "MemoTerminal", "PostgreSQL", "RelayPostgres", "RelayRules", "RelaySQLite", "RelayServer", "WordFiles", "memo", "memo-agent", "memo-relay",
}
# Their code is C, or is compiled for Linux alone (see Package.swift).
NOT_ON_APPLE = {"ConcurrencyShims", "CurlShims", "EditLine", "GIOShims", "LibpqShims", "LibsecretShims"}
# Options of a target's compilation that stand for what it is compiled against and how strictly.
WITH_VALUE = {
    "-I", "-Xcc", "-package-name", "-swift-version", "-enable-upcoming-feature", "-enable-experimental-feature",
    "-Werror", "-Wwarning",
}
ALONE = {"-parse-as-library", "-warnings-as-errors"}
# In the order in which they need each other.
STAND_INS = ["CoreFoundation", "DarwinTypes", "Darwin", "Foundation", "MachO", "Network", "Security", "os"]
# The modules of an app, which only an iPhone has here. No target of Sources may use them.
APP_STAND_INS = ["UIKit", "BackgroundTasks", "StoreKit", "UserNotifications", "AppIntents", "SwiftUI", "WidgetKit"]
APP_PACKAGE = "Apple/MemoApp/Sources"
# The targets of the app's package, and the targets whose public declarations each uses, as its Package.swift says.
APP_USES = {
    "MemoDoors": {"MemoCore", "MemoKit", "MemoTexts", "Outbox", "OutboxCore"},
    "MemoApp": {"Connectivity", "ConnectivityCore", "MemoCore", "MemoCourier", "MemoDoors", "MemoKit", "MemoSharing", "MemoTexts", "Outbox", "OutboxCore", "Store"},
}
# The entry points, which Xcode compiles: the files of each, and what it uses.
ENTRIES = {
    "SimpleMemo": (["Apple/App/SimpleMemo", "Apple/App/Doors"], {"MemoApp", "MemoDoors"}),
    "Share": (["Apple/App/Share"], {"MemoDoors"}),
    "Widgets": (["Apple/App/Widgets", "Apple/App/Doors"], {"MemoDoors"}),
}
APPS = {*APP_USES, *ENTRIES}
APP_OPTIONS = [
    "-swift-version", "6", "-parse-as-library", "-warnings-as-errors", "-enable-upcoming-feature", "ExistentialAny",
    "-enable-upcoming-feature", "InternalImportsByDefault", "-enable-upcoming-feature", "MemberImportVisibility",
]


class Target:
    def __init__(self, name, sources, uses, options):
        self.name, self.sources, self.uses, self.options = name, sources, uses, options

    @property
    def places(self):
        """The options that say where the modules of Swift and of C are."""
        pairs = zip(self.options, [*self.options[1:], ""])
        return [part for option, value in pairs
                for part in ([option, value] if option in {"-I", "-Xcc"} else [option] if option.startswith("-I") else [])]


def targets_of(plan, root):
    """The Swift targets of Sources, with the targets of Sources that they use."""
    targets = {}
    arguments = re.compile(r'^  "C\.(.+)-[^-]+-[^-]+-[^-]+-[^-]+-debug(?:\.exe)?\.module":$')
    name = inputs = None
    for line in Path(plan).read_text().splitlines():
        if line.startswith('  "'):
            found = arguments.match(line)
            name = found[1] if found else None
        elif name and line.startswith("    inputs: "):
            inputs = json.loads(line.removeprefix("    inputs: "))
        elif name and line.startswith("    args: "):
            sources = [i for i in inputs if i.startswith(f"{root}/Sources/") and i.endswith(".swift")]
            if sources:
                folder = os.path.relpath(sources[0], root).split("/")[1]
                # The files of now: SwiftPM notes new ones when it builds next.
                now = sorted(str(file) for file in Path("Sources", folder).rglob("*.swift"))
                uses = {Path(i).stem for i in inputs if i.endswith(".swiftmodule")}
                targets[name] = Target(folder, now, uses, options_of(json.loads(line.removeprefix("    args: "))))
    for target in targets.values():
        target.uses = {targets[use].name for use in target.uses if use in targets}
    named = {target.name: target for target in targets.values()}
    # A package of its own: it sees what is public.
    places = named["MemoCourier"].places
    for name, uses in APP_USES.items():
        sources = sorted(str(file) for file in Path(APP_PACKAGE, name).rglob("*.swift"))
        named[name] = Target(name, sources, uses, [*places, *APP_OPTIONS])
    for name, (folders, uses) in ENTRIES.items():
        sources = sorted(str(file) for folder in folders for file in Path(folder).rglob("*.swift"))
        is_script = any(source.endswith("/main.swift") for source in sources)
        options = [option for option in APP_OPTIONS if not (is_script and option == "-parse-as-library")]
        named[name] = Target(name, sources, uses, [*places, *options])
    return named


def options_of(arguments):
    options, rest = [], iter(arguments)
    for argument in rest:
        if argument in WITH_VALUE:
            options += [argument, next(rest)]
        elif argument in ALONE or argument.startswith("-I"):
            options.append(argument)
    return options


def stand_in_options(folder):
    return ["-swift-version", "6", "-parse-as-library", "-enable-upcoming-feature", "InternalImportsByDefault", "-I", folder]


def hash_of(*parts):
    digest = hashlib.sha256()
    for part in parts:
        digest.update(part if isinstance(part, bytes) else str(part).encode())
        digest.update(b"\0")
    return digest.hexdigest()


class Check:
    def __init__(self, scratch, root, targets):
        self.scratch, self.root, self.targets = Path(scratch).resolve(), root, targets
        compiler = os.path.realpath(shutil.which("swiftc"))
        state = os.stat(compiler)
        self.compiler = f"{compiler} {state.st_size} {state.st_mtime_ns}"
        self.cache = self.scratch / "ModuleCache"
        self.keys = {}  # (system, target) -> the hash of all that the module depends on
        self.messages = []
        self.lock = threading.Lock()

    def modules(self, system):
        return self.scratch / system / "Modules"

    def compile(self, name, files, options, output, key, alone=True):
        """Compiles a module unless its key says that it has been; returns whether it stands. A module that is not
        alone comes with its code, in an object file beside it."""
        stamp = output.with_suffix(".key")
        if output.exists() and stamp.exists() and stamp.read_text() == key:
            return True
        output.parent.mkdir(parents=True, exist_ok=True)
        stamp.unlink(missing_ok=True)
        outputs = ["-o", output] if alone else ["-emit-module-path", output, "-c", "-o", output.with_suffix(".o")]
        command = [
            "swiftc", "-emit-module", "-wmo", "-Onone", "-module-name", name, *outputs, *options, *files,
            "-module-cache-path", self.cache, "-Xfrontend", "-disable-cross-import-overlays",
        ]
        ended = subprocess.run(command, capture_output=True, text=True)
        if ended.returncode:
            self.say(ended.stderr + ended.stdout)
            output.unlink(missing_ok=True)
            return False
        stamp.write_text(key)
        return True

    def say(self, text):
        with self.lock:
            self.messages.append(text)

    def stand_ins(self, system):
        """Compiles the stand-ins; returns the hash of those that targets of Sources use."""
        folder, made = self.scratch / system / "StandIns", []
        names = STAND_INS + (APP_STAND_INS if system == "ios" else [])
        for name in names:
            files = sorted((self.scratch / system / "Apple/StandIns" / name).glob("*.swift"))
            module = f"{name}StandIn" if name == "Foundation" else name
            key = hash_of(self.compiler, *made, *(file.read_bytes() for file in files))
            made.append(key)
            if not self.compile(module, files, stand_in_options(folder), folder / f"{module}.swiftmodule", key):
                self.fail(f"{SYSTEMS[system]}: the stand-in of {name} does not compile")
        self.app_key = hash_of(*made)
        return hash_of(*made[:len(STAND_INS)])

    def target(self, system, target, stand_ins):
        """Compiles the side of a target whose dependencies stand."""
        folder = self.scratch / system
        files = [folder / source for source in target.sources]
        texts = [file.read_bytes() for file in files]
        options = ["-I", self.modules(system), "-I", folder / "StandIns", *target.options]
        uses = sorted(self.targets_below(system, target))
        key = hash_of(
            self.compiler, self.app_key if target.name in APPS else stand_ins, " ".join(target.options), *target.sources, *texts,
            *(self.keys[system, use] for use in uses),
        )
        module = target.name.replace("-", "_")
        output = self.modules(system) / f"{module}.swiftmodule"
        if system == "ios" and self.keys.get(("macos", target.name)) == key:
            # What iOS sees is what macOS sees.
            output.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(self.modules("macos") / output.name, output)
            done = True
        else:
            done = self.compile(module, files, options, output, key)
        if done:
            self.keys[system, target.name] = key
        return done

    def on(self, system, name):
        if name in APPS:
            return system == "ios"
        return name not in NOT_ON_APPLE and not (system == "ios" and name in NOT_ON_IOS)

    def targets_below(self, system, target):
        return {use for use in target.uses if self.on(system, use)}

    def system(self, system, stand_ins):
        """Compiles all targets of a system; returns the names of those that do not compile."""
        waiting = {name for name in self.targets if self.on(system, name)}
        running, bad = {}, set()
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            while waiting or running:
                for name in sorted(waiting):
                    below = self.targets_below(system, self.targets[name])
                    if below & bad:
                        bad.add(name)
                        waiting.remove(name)
                        print(f"error: {SYSTEMS[system]}: {name} was not tried, as a target below it fails")
                    elif all((system, use) in self.keys for use in below):
                        waiting.remove(name)
                        running[pool.submit(self.target, system, self.targets[name], stand_ins)] = name
                ended, _ = concurrent.futures.wait(running, return_when="FIRST_COMPLETED")
                for future in ended:
                    name = running.pop(future)
                    if not future.result():
                        bad.add(name)
                        print(f"error: {SYSTEMS[system]}: {name} does not compile")
                    for message in self.messages:
                        print(message.replace(f"{self.scratch}/{system}/", ""))
                    self.messages.clear()
        return bad

    def fail(self, text):
        sys.exit("\n".join([*(message.replace(f"{self.scratch}/", "") for message in self.messages), f"error: {text}"]))


def main():
    scratch, plan, table = sys.argv[1:4]
    root = os.getcwd()
    check = Check(scratch, root, targets_of(plan, root))
    if table == "--only":
        check.cache = Path(sys.argv[5]).resolve()
        for key in check.modules("macos").glob("*.key"):
            check.keys["macos", key.stem] = key.read_text()
        target = check.targets[sys.argv[4]]
        done = check.target("macos", target, check.stand_ins("macos"))
        print("\n".join(check.messages))
        sys.exit(not done)
    bad = {}
    for system in SYSTEMS:
        bad[system] = check.system(system, check.stand_ins(system))

    conditions = branches = unchecked = 0
    for line in Path(table).read_text().splitlines():
        path, number, kind, text, linux, macos, ios, web = line.split("\t")
        conditions += kind == "if"
        target = path.split("/")[1]
        sides = {"macos": macos, "ios": ios}
        if linux == "1" or "1" not in sides.values():
            continue
        branches += 1
        tried = [
            system for system, state in sides.items()
            if state == "1" and (system, target) in check.keys
        ]
        missing = [
            system for system, state in sides.items()
            if state == "1" and check.on(system, target) and (system, target) not in check.keys
        ]
        if missing or not tried:
            unchecked += 1
            print(f"unchecked: {path}:{number}: {text} ({' and '.join(SYSTEMS[s] for s in missing) or 'no system'})")
    print(f"apple.conditions: {conditions}")
    print(f"apple.branches: {branches}")
    print(f"apple.unchecked_branches: {unchecked}")
    print(f"apple.app_lines: {sum(len(Path(source).read_text().splitlines()) for name in APP_USES for source in check.targets[name].sources)}")
    sys.exit(any(bad.values()) or unchecked > 0)


if __name__ == "__main__":
    main()
