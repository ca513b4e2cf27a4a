"""Checks what Xcode reads of the app, without Xcode: the project, the property lists, the privacy manifest, the
entitlements and the catalogue of strings in Apple/App, against each other and against the sources.

usage: apple_project.py ROOT

Prints a figure; exit status 1 when something is missing, or contradicts something else.
"""

import json
import plistlib
import re
import sys
from pathlib import Path

from pbxproj import XcodeProject

# The parts of the C library that an app has to declare, by Apple's list, and the categories.
DECLARED = {"DiskSpace": r"\bf?statv?fs\(", "FileTimestamp": r"\b[fl]?stat(?:at)?\("}
# The targets of Sources that an app for an iPhone does not have.
NOT_IN_APP = {
    "Curl", "CurlShims", "EditLine", "MemoCommandLine", "MemoDelivery", "MemoProcesses", "MemoTerminal", "RelayRules", "RelaySQLite", "RelayServer",
    "WebClient",
    "WordFiles", "memo", "memo-agent", "memo-relay",
}
APP_CODE = Path("Apple/MemoApp/Sources/MemoApp")


class Project:
    def __init__(self, root):
        self.root, self.faults, self.facts = Path(root), [], 0
        self.folder = self.root / "Apple/App"
        self.app = self.folder / "SimpleMemo"
        self.project = XcodeProject.load(str(self.folder / "SimpleMemo.xcodeproj/project.pbxproj"))

    def expect(self, holds, sentence):
        self.facts += 1
        if not holds:
            self.faults.append(sentence)

    def same(self, what, found, other, wanted):
        found, wanted = set(found), set(wanted)
        self.expect(found == wanted, f"{what} and {other} differ in {', '.join(sorted(found ^ wanted))}")

    def plist(self, name):
        return plistlib.loads((self.app / name).read_bytes())

    def objects(self, isa):
        return self.project.objects.get_objects_in_section(isa)

    def settings(self, target):
        lists = {target.buildConfigurationList, self.objects("PBXProject")[0].buildConfigurationList}
        names = {name for found in self.objects("XCConfigurationList") if found.get_id() in lists for name in found.buildConfigurations}
        settings = {}
        for configuration in self.objects("XCBuildConfiguration"):
            if configuration.get_id() in names:
                for key in configuration.buildSettings.get_keys():
                    settings.setdefault(key, set()).add(str(configuration.buildSettings[key]))
        return settings

    def check_files(self):
        sections = set(self.project.objects.get_sections())
        self.expect(not any("Synchronized" in section for section in sections), "the project has groups that Xcode alone can read")
        named = {str(file.path) for file in self.objects("PBXFileReference") if str(file.sourceTree) == "<group>"}
        self.same("the project's files", named, "the files of Apple/App/SimpleMemo", (file.name for file in self.app.iterdir()))
        for phase in ["PBXSourcesBuildPhase", "PBXResourcesBuildPhase", "PBXFrameworksBuildPhase"]:
            for found in self.objects(phase):
                for file in found.files:
                    self.expect(self.project.objects[file] is not None, f"{phase} names a file that is not there")
        built = {str(self.project.objects[self.project.objects[file].fileRef].path)
                 for phase in ["PBXSourcesBuildPhase", "PBXResourcesBuildPhase"] for found in self.objects(phase) for file in found.files}
        self.same("what the target builds and copies", built, "what it needs", {"main.swift", "PrivacyInfo.xcprivacy", "InfoPlist.xcstrings"})

    def check_package(self):
        package = self.folder / str(self.objects("XCLocalSwiftPackageReference")[0].relativePath) / "Package.swift"
        self.expect(package.exists(), f"there is no package {package}")
        products = re.findall(r'\.library\(name: "(\w+)"', package.read_text())
        self.same("the products that the app links", (str(found.productName) for found in self.objects("XCSwiftPackageProductDependency")),
                  "those of the package", products)
        version = re.search(r"\.iOS\(\.v(\d+)\)", package.read_text())[1]
        for target in self.project.objects.get_targets():
            settings = self.settings(target)
            self.expect(settings["IPHONEOS_DEPLOYMENT_TARGET"] == {f"{version}.0"}, "the project and the package want different systems")
            self.expect(settings["TARGETED_DEVICE_FAMILY"] == {"1,2"}, "the app is not for iPhone and iPad")
            self.expect(settings["SWIFT_VERSION"] == {"6.0"}, "the entry point is not compiled as Swift 6")
            relays = settings.get("MEMO_RELAY", set())
            self.expect(relays and all(relay.startswith("https://") for relay in relays), "the project names no relay, or one without TLS")
            for key in ["INFOPLIST_FILE", "CODE_SIGN_ENTITLEMENTS"]:
                for path in settings[key]:
                    self.expect((self.folder / path).exists(), f"{key}: there is no {path}")

    def check_background(self, info):
        source = (self.root / APP_CODE / "Delivery/DeliveryRequests.swift").read_text()
        self.same("the permitted tasks", info["BGTaskSchedulerPermittedIdentifiers"], "the registered ones",
                  re.findall(r'static let \w+ = "([^"]+)"', source))
        self.same("the background modes", info["UIBackgroundModes"], "those of both tasks", {"fetch", "processing"})

    def check_relay(self, info):
        source = (self.root / APP_CODE / "AppParts.swift").read_text()
        key = re.search(r'forInfoDictionaryKey: "(\w+)"', source)[1]
        self.expect(info.get(key) == "$(MEMO_RELAY)", f"the property list has no {key}")

    def check_groups(self):
        """The app and each extension of it have to share one box and one key."""
        source = (self.root / APP_CODE / "AppFolder.swift").read_text()
        key = re.search(r'forInfoDictionaryKey: "(\w+)"', source)[1]
        groups, keys = set(), set()
        for target in self.project.objects.get_targets():
            settings = self.settings(target)

            def expanded(text):
                return re.sub(r"\$\((\w+)\)", lambda found: "|".join(sorted(settings.get(found[1], {found[0]}))), str(text))
            for info, rights in zip(sorted(settings["INFOPLIST_FILE"]), sorted(settings["CODE_SIGN_ENTITLEMENTS"]), strict=True):
                named = plistlib.loads((self.folder / info).read_bytes()).get(key)
                rights = plistlib.loads((self.folder / rights).read_bytes())
                self.same(f"the app group that the sources read in {info}", [named], "that of the entitlements",
                          rights["com.apple.security.application-groups"])
                groups.add(expanded(named))
                # An item without a group goes into the first one.
                keys.add(expanded(rights["keychain-access-groups"][0]))
        self.expect(len(groups) == 1, f"the targets have several app groups: {', '.join(sorted(groups))}")
        self.expect(len(keys) == 1, f"the targets keep keys in several access groups: {', '.join(sorted(keys))}")

    def check_scene(self, info):
        manifest = info["UIApplicationSceneManifest"]
        self.expect(manifest["UIApplicationSupportsMultipleScenes"] is True, "an iPad has one window alone")
        for scene in manifest["UISceneConfigurations"]["UIWindowSceneSessionRoleApplication"]:
            module, name = scene["UISceneDelegateClassName"].split(".")
            code = "".join(file.read_text() for file in (self.root / "Apple" / module).rglob("*.swift"))
            self.expect(f"public final class {name}:" in code, f"no module has {module}.{name}")

    def check_languages(self, info):
        source = (self.root / "Sources/MemoTexts/Language.swift").read_text()
        tags = source[source.index("var tag"):source.index("var ownName")]
        languages = set(re.findall(r'case \.\w+: "([\w-]+)"', tags))
        self.expect(len(languages) == 10, "Language.swift does not have ten languages")
        self.same("CFBundleLocalizations", info["CFBundleLocalizations"], "the languages of the texts", languages)
        regions = {str(region) for region in self.objects("PBXProject")[0].knownRegions} - {"Base"}
        self.same("the project's regions", regions, "the languages of the texts", languages)
        strings = json.loads((self.app / "InfoPlist.xcstrings").read_text())["strings"]
        for key, string in strings.items():
            done = {tag for tag, text in string["localizations"].items() if text["stringUnit"]["state"] == "translated"}
            self.same(f"{key} in InfoPlist.xcstrings", done, "the languages of the texts", languages)

    def check_privacy(self):
        manifest = self.plist("PrivacyInfo.xcprivacy")
        self.expect(manifest["NSPrivacyTracking"] is False and not manifest["NSPrivacyTrackingDomains"], "the app tracks")
        code = "".join(
            file.read_text() for file in (self.root / "Sources").rglob("*.swift") if file.relative_to(self.root / "Sources").parts[0] not in NOT_IN_APP)
        needed = {category for category, pattern in DECLARED.items() if re.search(pattern, code)}
        declared = {entry["NSPrivacyAccessedAPIType"].removeprefix("NSPrivacyAccessedAPICategory") for entry in manifest["NSPrivacyAccessedAPITypes"]}
        self.same("the declared uses of the C library", declared, "those of the sources", needed)
        self.expect(all(entry["NSPrivacyAccessedAPITypeReasons"] for entry in manifest["NSPrivacyAccessedAPITypes"]), "a use has no reason")

    def check_entitlements(self):
        for target in self.project.objects.get_targets():
            for path in self.settings(target)["CODE_SIGN_ENTITLEMENTS"]:
                rights = plistlib.loads((self.folder / path).read_bytes())
                self.expect(rights["com.apple.security.application-groups"] == ["group.$(PRODUCT_BUNDLE_IDENTIFIER)"], f"{path}: the app group")
                self.expect(rights["keychain-access-groups"] == ["$(AppIdentifierPrefix)$(PRODUCT_BUNDLE_IDENTIFIER)"], f"{path}: the access group")
                self.expect(rights["com.apple.developer.default-data-protection"] == "NSFileProtectionCompleteUntilFirstUserAuthentication",
                            f"{path}: a locked telephone would not deliver")

    def check(self):
        info = self.plist("Info.plist")
        self.check_files()
        self.check_package()
        self.check_background(info)
        self.check_relay(info)
        self.check_groups()
        self.check_scene(info)
        self.check_languages(info)
        self.check_privacy()
        self.check_entitlements()


def main():
    project = Project(sys.argv[1])
    project.check()
    for fault in project.faults:
        print(f"error: {fault}")
    print(f"apple.project_facts: {project.facts}")
    sys.exit(bool(project.faults))


if __name__ == "__main__":
    main()
