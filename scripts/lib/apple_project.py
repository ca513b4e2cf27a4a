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
DOOR_CODE = Path("Apple/MemoApp/Sources/MemoDoors")
# The targets: what each builds and copies, and which products of the package it links.
TARGETS = {
    "SimpleMemo": (
        {
            "main.swift", "SendMemoIntent.swift", "MemoShortcuts.swift", "ComposeMemoIntent.swift", "PrivacyInfo.xcprivacy",
            "InfoPlist.xcstrings", "AppShortcuts.xcstrings", "Localizable.xcstrings",
        },
        {"MemoApp", "MemoDoors"},
    ),
    "Share": ({"ShareController.swift", "PrivacyInfo.xcprivacy"}, {"MemoDoors"}),
    "Widgets": ({"MemoWidgets.swift", "ComposeMemoIntent.swift", "PrivacyInfo.xcprivacy", "Localizable.xcstrings"}, {"MemoDoors"}),
}
EXTENSIONS = {"Share": "com.apple.share-services", "Widgets": "com.apple.widgetkit-extension"}
# What an extension may not use.
NOT_IN_EXTENSIONS = ["UIApplication.shared", "beginBackgroundTask"]


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
        for group in self.objects("PBXGroup"):
            if "path" in group.get_keys():
                files = {str(self.project.objects[child].path) for child in group.children}
                self.same(f"the project's files of {group.path}", files, "those of its folder",
                          (file.name for file in (self.folder / str(group.path)).iterdir()))
                named -= files
        self.expect(not named, f"the project has files in no folder: {', '.join(sorted(named))}")
        for phase in ["PBXSourcesBuildPhase", "PBXResourcesBuildPhase", "PBXFrameworksBuildPhase"]:
            for found in self.objects(phase):
                for file in found.files:
                    self.expect(self.project.objects[file] is not None, f"{phase} names a file that is not there")
        self.same("the targets", (str(target.name) for target in self.project.objects.get_targets()), "those that are known", TARGETS)
        for target in self.project.objects.get_targets():
            built = {str(self.project.objects[self.project.objects[file].fileRef].path) for phase in self.phases(target)
                     if phase.isa in {"PBXSourcesBuildPhase", "PBXResourcesBuildPhase"} for file in phase.files}
            self.same(f"what {target.name} builds and copies", built, "what it needs", TARGETS[str(target.name)][0])

    def phases(self, target):
        return [self.project.objects[phase] for phase in target.buildPhases]

    def check_extensions(self):
        """Each extension has an entry point, is in the app, and uses no more than an extension may."""
        app = next(target for target in self.project.objects.get_targets() if str(target.productType) == "com.apple.product-type.application")
        embedded = {str(self.project.objects[self.project.objects[file].fileRef].path) for phase in self.phases(app)
                    if phase.isa == "PBXCopyFilesBuildPhase" and str(phase.dstSubfolderSpec) == "13" for file in phase.files}
        self.same("the extensions in the app", embedded, "the targets", (f"{name}.appex" for name in EXTENSIONS))
        built = {str(self.project.objects[self.project.objects[found].target].name) for found in app.dependencies}
        self.same("what is built before the app", built, "its extensions", EXTENSIONS)
        for target in self.project.objects.get_targets():
            name, settings = str(target.name), self.settings(target)
            if name not in EXTENSIONS:
                continue
            self.expect(str(target.productType) == "com.apple.product-type.app-extension", f"{name} is no extension")
            self.expect(settings.get("APPLICATION_EXTENSION_API_ONLY") == {"YES"}, f"{name} may use what extensions do not have")
            self.expect(all(found.startswith("$(MEMO_IDENTIFIER).") for found in settings["PRODUCT_BUNDLE_IDENTIFIER"]),
                        f"the identifier of {name} does not begin with the app's")
            info = plistlib.loads((self.folder / name / "Info.plist").read_bytes())["NSExtension"]
            self.expect(info["NSExtensionPointIdentifier"] == EXTENSIONS[name], f"{name} is at another extension point")
            code = "".join(file.read_text() for file in (self.folder / name).glob("*.swift"))
            principal = info.get("NSExtensionPrincipalClass")
            if principal is None:
                self.expect(len(re.findall(r"^@main$", code, re.M)) == 1, f"{name} has no entry point")
            else:
                module, found = principal.split(".")
                self.expect(module == "$(PRODUCT_MODULE_NAME)" and f"final class {found}: " in code, f"{name} has no class {principal}")
            code += "".join(file.read_text() for file in (self.root / DOOR_CODE).rglob("*.swift"))
            for word in NOT_IN_EXTENSIONS:
                self.expect(word not in code, f"{name} has code with {word}, which an extension does not have")

    def check_quick_action(self, info):
        actions = info["UIApplicationShortcutItems"]
        self.expect(len(actions) == 1, "the scene's delegate knows one quick action")
        titles = json.loads((self.app / "InfoPlist.xcstrings").read_text())["strings"]
        self.expect(actions[0]["UIApplicationShortcutItemTitle"] in titles, "the quick action's title is not translated")
        self.expect("performActionFor" in (self.root / APP_CODE / "SceneDelegate.swift").read_text(), "nothing performs the quick action")

    def check_words(self):
        """The catalogues have the words of the intents, widgets and the control, and no others."""
        entries = [file.read_text() for folder in ["SimpleMemo", "Doors", "Widgets"] for file in (self.folder / folder).glob("*.swift")]
        literals = {found.replace(r"\(.applicationName)", "${applicationName}") for code in entries
                    for found in re.findall(r'"([A-Z](?:[^"])*)"', code)}
        keys = {key for name in ["Doors/Localizable", "SimpleMemo/AppShortcuts"]
                for key in json.loads((self.folder / f"{name}.xcstrings").read_text())["strings"]}
        self.same("the words of the intents, widgets and controls", literals, "those of the catalogues", keys)

    def check_package(self):
        package = self.folder / str(self.objects("XCLocalSwiftPackageReference")[0].relativePath) / "Package.swift"
        self.expect(package.exists(), f"there is no package {package}")
        products = re.findall(r'\.library\(name: "(\w+)"', package.read_text())
        self.same("the products that are linked", (str(found.productName) for found in self.objects("XCSwiftPackageProductDependency")),
                  "those of the package", products)
        for target in self.project.objects.get_targets():
            linked = {str(self.project.objects[found].productName) for found in target.packageProductDependencies}
            self.same(f"the products that {target.name} links", linked, "what it needs", TARGETS[str(target.name)][1])
        version = re.search(r"\.iOS\(\.v(\d+)\)", package.read_text())[1]
        for target in self.project.objects.get_targets():
            settings = self.settings(target)
            self.expect(settings["IPHONEOS_DEPLOYMENT_TARGET"] == {f"{version}.0"}, "the project and the package want different systems")
            self.expect(settings["TARGETED_DEVICE_FAMILY"] == {"1,2"}, "the app is not for iPhone and iPad")
            self.expect(settings["SWIFT_VERSION"] == {"6.0"}, "the entry point is not compiled as Swift 6")
            relays = settings.get("MEMO_RELAY", set())
            self.expect(str(target.name) in EXTENSIONS or relays and all(relay.startswith("https://") for relay in relays), "the project names no relay, or one without TLS")
            for key in ["INFOPLIST_FILE", "CODE_SIGN_ENTITLEMENTS"]:
                for path in settings[key]:
                    self.expect((self.folder / path).exists(), f"{key}: there is no {path}")

    def check_background(self, info):
        source = (self.root / DOOR_CODE / "DeliveryRequests.swift").read_text()
        registered = re.findall(r'static let \w+ = "([^"]+)"', source)
        self.same("the permitted tasks", info["BGTaskSchedulerPermittedIdentifiers"], "the registered ones", registered)
        share = plistlib.loads((self.folder / "Share/Info.plist").read_bytes())
        self.same("the permitted tasks of Share", share["BGTaskSchedulerPermittedIdentifiers"], "the registered ones", registered)
        self.same("the background modes", info["UIBackgroundModes"], "those of both tasks", {"fetch", "processing"})

    def check_relay(self, info):
        source = (self.root / APP_CODE / "AppParts.swift").read_text()
        key = re.search(r'forInfoDictionaryKey: "(\w+)"', source)[1]
        self.expect(info.get(key) == "$(MEMO_RELAY)", f"the property list has no {key}")

    def check_groups(self):
        """The app and each extension of it have to share one box and one key."""
        source = (self.root / DOOR_CODE / "AppFolder.swift").read_text()
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

    def check_languages(self):
        source = (self.root / "Sources/MemoTexts/Language.swift").read_text()
        tags = source[source.index("var tag"):source.index("var ownName")]
        languages = set(re.findall(r'case \.\w+: "([\w-]+)"', tags))
        self.expect(len(languages) == 10, "Language.swift does not have ten languages")
        for file in sorted(self.folder.glob("*/Info.plist")):
            localizations = plistlib.loads(file.read_bytes())["CFBundleLocalizations"]
            self.same(f"CFBundleLocalizations of {file.parent.name}", localizations, "the languages of the texts", languages)
        regions = {str(region) for region in self.objects("PBXProject")[0].knownRegions} - {"Base"}
        self.same("the project's regions", regions, "the languages of the texts", languages)
        for file in sorted(self.folder.glob("*/*.xcstrings")):
            for key, string in json.loads(file.read_text())["strings"].items():
                done = {tag for tag, text in string["localizations"].items()
                        if text["stringUnit"]["state"] == "translated" and text["stringUnit"]["value"]}
                self.same(f"{key} in {file.name}", done, "the languages of the texts", languages)
                if "${applicationName}" in key:
                    self.expect(all("${applicationName}" in text["stringUnit"]["value"] for text in string["localizations"].values()),
                                f"{key}: a phrase without the app's name, which Siri does not know")

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
                self.expect(rights["com.apple.security.application-groups"] == ["group.$(MEMO_IDENTIFIER)"], f"{path}: the app group")
                self.expect(rights["keychain-access-groups"] == ["$(AppIdentifierPrefix)$(MEMO_IDENTIFIER)"], f"{path}: the access group")
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
        self.check_extensions()
        self.check_quick_action(info)
        self.check_words()
        self.check_languages()
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
