"""Tries whether scripts/check-apple sees: plants faults, one at a time, in copies.

usage: apple_faults.py SCRATCH PLAN LEDGER

SCRATCH is as a green scripts/check-apple has left it. Exit status 1 when a fault passes.
"""

import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

# Name, target, file, text, its replacement, what the check then says.
IN_SOURCES = [
    ("a wrong label in a call of the Keychain", "Outbox", "Keys/KeychainKeyStore.swift",
     "SecItemDelete(query as CFDictionary)", "SecItemDelete(query: query as CFDictionary)", "extraneous argument label"),
    ("a name that only Linux has", "Outbox", "OutboxClock.swift",
     "{ CLOCK_MONOTONIC_RAW }", "{ CLOCK_BOOTTIME }", "cannot find 'CLOCK_BOOTTIME' in scope"),
    ("a branch for macOS that does not compile", "Connectivity", "NetworkMonitor.swift",
     "#if canImport(Network)\n    import Network\n#endif", "#if os(macOS)\n    let planted: Int = \"\"\n#endif\nimport Network",
     "cannot convert value of type 'String'"),
]
# What the tests over the stand-ins then say.
IN_TRIED = [
    ("a new key while the Keychain is locked", "Outbox", "Keys/KeychainKeyStore.swift", "KeychainTests.swift",
     "case errSecItemNotFound: return nil", "case errSecItemNotFound, errSecInteractionNotAllowed: return nil",
     '"before the first unlock withholds the keys, and no other key is ever made" recorded an issue'),
    ("a key that the background cannot read", "Outbox", "Keys/KeychainKeyStore.swift", "KeychainTests.swift",
     "attributes[kSecAttrAccessible] = kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly", "",
     "an item without this accessibility cannot be read in the background"),
]
# What the app's tests over the stand-ins then say.
APP = "MemoApp"
DOORS = "MemoDoors"
APPS = {APP, DOORS}
APP_TESTS = ["DeliveryTests.swift", "Phone.swift", "Relay.swift"]
IN_APP = [
    ("a lock that the app keeps when it is suspended", APP, "Delivery/Deliveries.swift",
     "box.sleep { for time in times { time.end() } }", "for time in times { time.end() }",
     "suspended with a lock in its app group"),
    ("time in the background that is not given back", APP, "Delivery/Deliveries.swift",
     "        time.end(isDone: false)\n", "", "a background task was not ended in time"),
    ("a launch handler that is registered after the launch", APP, "AppDelegate.swift",
     "        parts.deliveries.launched()\n", "        Task { parts.deliveries.launched() }\n", "registered after the launch"),
    ("a launch handler off the main thread", DOORS, "DeliveryRequests.swift", "using: .main", "using: nil", "dispatch_assert_queue"),
    ("a task that asks for no next one", APP, "Delivery/Deliveries.swift",
     "        DeliveryRequests.submit()\n        times.append", "        times.append",
     '"a task whose time ends is ended, has asked for the next one, and leaves no lock" recorded an issue'),
]
# What the tests of the doors then say.
DOOR_TESTS = ["DoorTests.swift", "Phone.swift", "Relay.swift"]
IN_DOORS = [
    ("a lock that a door keeps when it ends", "MemoDoor.swift", "                    close()\n", "", "suspended with a lock in its app group"),
    ("a door that stores without time", "DoorMachine.swift", "state = .ended\n            return [.answer(.noTime)]",
     "state = .storing\n            return [.store]", '"where the system gives no time, the person is told, and nothing is stored" recorded an issue'),
    ("a door that asks for no delivery", "DoorMachine.swift", "return [.askForDelivery, .answer(outcome)]", "return [.answer(outcome)]",
     '"a door stores without the app, holds no lock, and has the app deliver" recorded an issue'),
]
# What the tests of the notifications then say.
NOTICE_TESTS = ["FailureNoticeTests.swift", "Phone.swift", "Relay.swift"]
IN_NOTICES = [
    ("a question for permission before there is something to tell", "Failures/FailureNotices.swift",
     "guard let found, !found.isEmpty else { return }", "guard let found else { return }",
     '"permission is asked for at the first memo that did not arrive, in front, and never before" recorded an issue'),
    ("a question for permission over nothing", "Failures/FailureNoticeRule.swift", "isInFront ? .ask : .wait", ".ask", "stands over nothing"),
    ("a notification that comes again after a kill", "Failures/FailureNotices.swift", "if !shown.contains(failure.id.name) {", "if !shown.contains(failure.id.name + \"x\") {",
     '"an app that was killed before it noted what it told tells nothing twice" recorded an issue'),
]
# What the check of the project then says.
IN_PROJECT = [
    ("a task that the property list does not permit", "Info.plist", "<string>simple-memo.refresh</string>", "",
     "the permitted tasks and the registered ones differ in simple-memo.refresh"),
    ("a language that is not complete", "Info.plist", "<string>ko</string>", "<string>xx</string>", "the languages of the texts differ in ko, xx"),
    ("a word that is not translated", "InfoPlist.xcstrings", '"value": "새 메모"', '"value": ""', "the languages of the texts differ in ko"),
    ("an app group that the entitlements do not have", "Info.plist", "<string>group.$(MEMO_IDENTIFIER)</string>",
     "<string>group.other</string>", "that of the entitlements differ in group.$(MEMO_IDENTIFIER), group.other"),
    ("an extension without the app's group", "../Share/Info.plist", "<string>group.$(MEMO_IDENTIFIER)</string>", "<string>group.own</string>",
     "the targets have several app groups"),
    ("an extension with a key of its own", "../Widgets/Widgets.entitlements", "$(AppIdentifierPrefix)$(MEMO_IDENTIFIER)",
     "$(AppIdentifierPrefix)own", "the targets keep keys in several access groups"),
    ("an extension that is not in the app", "../SimpleMemo.xcodeproj/project.pbxproj", "dstSubfolderSpec = 13;", "dstSubfolderSpec = 10;",
     "the extensions in the app and the targets differ in Share.appex, Widgets.appex"),
    ("a screen of the share extension that is not there", "../Share/Info.plist", ".ShareController<", ".Other<", "Share has no class"),
    ("an extension without an entry point", "../Widgets/MemoWidgets.swift", "@main\n", "", "Widgets has no entry point"),
    ("a word of an intent that is not translated", "SendMemoIntent.swift", '"Send memo"', '"Send it"',
     "those of the catalogues differ in Send it"),
    ("a phrase without the app's name", "AppShortcuts.xcstrings", "用${applicationName}发送备忘", "发送备忘", "which Siri does not know"),
    ("a key that a locked telephone could not read", "SimpleMemo.entitlements", "UntilFirstUserAuthentication", "",
     "a locked telephone would not deliver"),
    ("a file that the project does not name", "../SimpleMemo.xcodeproj/project.pbxproj", "path = PrivacyInfo.xcprivacy;", "path = Other.xcprivacy;",
     "differ in Other.xcprivacy, PrivacyInfo.xcprivacy"),
]
IN_LEDGER = [
    ("a stand-in symbol without a row", r"^Security\tkSecMatchLimit\t.*\n", "", "Security.kSecMatchLimit: "),
    ("a stand-in symbol without a page", r"^(Security\tkSecMatchLimit\t.*\t)https:.*$", r"\1", "the ledger names no page"),
    ("a stand-in with another declaration", r"^(Darwin\tmkfifo\tfunc mkfifo\(.*)mode_t", r"\1Int32", "Darwin.mkfifo: "),
    ("another declaration of what an app uses", r"^(UIKit\tUIWindow\.init\t.*)windowScene: UIWindowScene", r"\1frame: CGRect", "UIKit.UIWindow.init: "),
    ("a row without a stand-in", r"^(Network\tNWPath\.gateways\t.*)$", r"\1\nNetwork\tNWPath.planted\tvar planted: Int\t-\thttps://",
     "Network.NWPath.planted: no stand-in"),
]


def run(*command):
    ended = subprocess.run([str(part) for part in command], capture_output=True, text=True)
    return ended.returncode, ended.stdout + ended.stderr


def replaced(text, old, new):
    assert text.count(old) == 1, f"there is not one place for {old}"
    return text.replace(old, new)


def main():
    scratch, plan, ledger = Path(sys.argv[1]), sys.argv[2], Path(sys.argv[3])
    missed = 0

    def judge(name, result, message):
        nonlocal missed
        status, output = result
        found = status == 1 and message in output
        missed += not found
        print(f"{'found' if found else 'MISSED'}: {name}")
        if not found:
            print(f"status {status}: {output}")

    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder, "scratch")
        for side in ["macos", "tried"]:
            shutil.copytree(scratch / side, copy / side, copy_function=shutil.copy2)
        shutil.copytree(scratch / "ios/StandIns", copy / "ios/StandIns", copy_function=shutil.copy2)

        def plant(target, file, old, new, command):
            root = Path(folder, "root")
            place = Path("Apple/MemoApp/Sources" if target in APPS else "Sources", target)
            shutil.copytree(place, root / place)
            planted = root / place / file
            planted.write_text(replaced(planted.read_text(), old, new))
            status, output = run(scratch / "debug/AppleChecker", root, copy, place.parts[0])
            assert status == 0, output
            result = run(sys.executable, *command)
            shutil.rmtree(root)
            for side in ["macos", "tried"]:
                shutil.copytree(scratch / side / place, copy / side / place, dirs_exist_ok=True)
            return result

        for name, target, file, old, new, message in IN_SOURCES:
            command = ["scripts/lib/apple_sides.py", copy, plan, "--only", target, scratch / "ModuleCache"]
            judge(name, plant(target, file, old, new, command), message)
        for name, target, file, tests, old, new, message in IN_TRIED:
            command = ["scripts/lib/apple_tries.py", copy, plan, target, tests]
            judge(name, plant(target, file, old, new, command), message)

        for name, target, file, old, new, message in IN_APP:
            command = ["scripts/lib/apple_tries.py", copy, plan, APP, *APP_TESTS]
            judge(name, plant(target, file, old, new, command), message)

        for name, file, old, new, message in IN_DOORS:
            command = ["scripts/lib/apple_tries.py", copy, plan, APP, *DOOR_TESTS]
            judge(name, plant(DOORS, file, old, new, command), message)

        for name, file, old, new, message in IN_NOTICES:
            command = ["scripts/lib/apple_tries.py", copy, plan, APP, *NOTICE_TESTS]
            judge(name, plant(APP, file, old, new, command), message)

        root = Path(folder, "root")
        Path(root, "Sources").mkdir(parents=True)
        Path(root, "Sources/Planted.swift").write_text("#if canImport(Nowhere)\n#endif\n")
        judge("a condition that nobody has answered", run(scratch / "debug/AppleChecker", root, copy, "Sources"), "canImport(Nowhere)")

        project = Path(folder, "project")
        shutil.copytree("Apple", project / "Apple")
        (project / "Sources").symlink_to(Path("Sources").resolve())
        for name, file, old, new, message in IN_PROJECT:
            planted = project / "Apple/App/SimpleMemo" / file
            text = planted.read_text()
            planted.write_text(replaced(text, old, new))
            judge(name, run(sys.executable, "scripts/lib/apple_project.py", project), message)
            planted.write_text(text)

        changed = Path(folder, "ledger.tsv")
        for name, pattern, new, message in IN_LEDGER:
            text, count = re.subn(pattern, new, ledger.read_text(), flags=re.M)
            assert count == 1, f"{count} places for {pattern}"
            changed.write_text(text)
            judge(name, run(sys.executable, "scripts/lib/apple_ledger.py", copy, changed), message)
    sys.exit(missed > 0)


if __name__ == "__main__":
    main()
