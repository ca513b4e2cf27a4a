import Foundation
import Synchronization
import TemporaryFolders
import Testing

@testable import MemoDelivery

/// The texts that service managers read, what an installation does on a disk, and the command lines
/// that a service manager is asked with. `EndToEnd/test_service` asks a real systemd.
@Suite("The agent as a service")
struct ServiceTests {
    private static func program(
        _ path: String = "/usr/local/bin/memo-agent",
        _ environment: [String: String] = [:]
    ) throws -> ServiceProgram {
        try ServiceProgram(path: path) { environment[$0] }
    }

    private static func assignments(_ text: String) -> [String] {
        text.split(separator: "\n").filter { $0.hasPrefix("Environment=") }.map(String.init)
    }

    @Test("systemd's service is this one")
    func service() throws {
        let text = try SystemdUnits.serviceText(
            Self.program("/usr/local/bin/memo-agent", ["MEMO_HOME": "/home/ann/memos"])
        )
        #expect(
            text == """
                # Written by: memo agent install. Removed by: memo agent uninstall.
                [Unit]
                Description=Deliver the memos that wait on this device
                Documentation=man:memo-agent(1)

                [Service]
                Type=exec
                Environment="MEMO_HOME=/home/ann/memos"
                # The colon: a dollar sign in the path is a dollar sign.
                ExecStart=:"/usr/local/bin/memo-agent" run
                # Nobody is signed in.
                SuccessExitStatus=69
                # A notification outlives the agent that had it shown: its button works until it is closed.
                KillMode=process

                [Install]
                WantedBy=default.target

                """
        )
    }

    @Test("systemd's timer is this one, and the units are started with the service manager")
    func timer() throws {
        let files = try SystemdUnits.files(of: Self.program(), in: "/home/ann/.config")
        let units = "/home/ann/.config/systemd/user"
        #expect(
            files.entries.map(\.path) == [
                "\(units)/simple-memo-agent.service", "\(units)/simple-memo-agent.timer",
                "\(units)/default.target.wants/simple-memo-agent.service",
                "\(units)/timers.target.wants/simple-memo-agent.timer",
            ]
        )
        #expect(files.entries[2].content == .link("\(units)/simple-memo-agent.service"))
        #expect(files.entries[3].content == .link("\(units)/simple-memo-agent.timer"))
        #expect(
            files.entries[1].content
                == .text(
                    """
                    # Written by: memo agent install. Removed by: memo agent uninstall.
                    [Unit]
                    Description=Deliver the memos that wait on this device, from time to time
                    Documentation=man:memo-agent(1)

                    [Timer]
                    OnStartupSec=1min
                    OnUnitInactiveSec=15min

                    [Install]
                    WantedBy=timers.target

                    """
                )
        )
    }

    @Test("launchd's agent is this one")
    func launchd() throws {
        let environment = ["MEMO_HOME": "/Users/ann/<memos> & \"more\"", "MEMO_KEY_STORE": "file"]
        let files = LaunchdAgent.files(
            of: try Self.program("/opt/a & b/memo-agent", environment),
            in: "/Users/ann"
        )
        let entry = try #require(files.entries.first)
        #expect(entry.path == "/Users/ann/Library/LaunchAgents/simple-memo.agent.plist")
        #expect(
            entry.content
                == .text(
                    """
                    <?xml version="1.0" encoding="UTF-8"?>
                    <!-- Written by: memo agent install. Removed by: memo agent uninstall. -->
                    <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" \
                    "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
                    <plist version="1.0">
                    <dict>
                        <key>Label</key>
                        <string>simple-memo.agent</string>
                        <key>ProgramArguments</key>
                        <array>
                            <string>/opt/a &amp; b/memo-agent</string>
                            <string>run</string>
                        </array>
                        <key>EnvironmentVariables</key>
                        <dict>
                            <key>MEMO_HOME</key>
                            <string>/Users/ann/&lt;memos&gt; &amp; "more"</string>
                            <key>MEMO_KEY_STORE</key>
                            <string>file</string>
                        </dict>
                        <key>RunAtLoad</key>
                        <true/>
                        <key>StartInterval</key>
                        <integer>900</integer>
                        <key>KeepAlive</key>
                        <false/>
                        <key>ProcessType</key>
                        <string>Background</string>
                    </dict>
                    </plist>

                    """
                )
        )
    }

    /// Paths as people have them, and as nobody should.
    private static let odd = [
        "/a b/100%/$HOME/ü/日本/#;=&<>", "/trailing ", "/%h/%%", "/]]>", "/e\u{301}", "/--",
    ]

    @Test("launchd's agent is a property list that says what was asked for", arguments: odd)
    func readByFoundation(path: String) throws {
        let environment = ["MEMO_HOME": path + "/\"quoted\"\\'", "MEMO_KEY_STORE": "&amp;"]
        let text = LaunchdAgent.text(try Self.program(path, environment))
        let list = try PropertyListSerialization.propertyList(from: Data(text.utf8), format: nil)
        let fields = try #require(list as? [String: Any])
        #expect(fields["ProgramArguments"] as? [String] == [path, "run"])
        #expect(fields["EnvironmentVariables"] as? [String: String] == environment)
    }

    @Test("systemd's service quotes what systemd would expand")
    func quoted() throws {
        let text = try SystemdUnits.serviceText(
            Self.program("/a b/100%/$HOME/ü", ["MEMO_HOME": #"/x "y"\%h"# + "\"\u{301}"])
        )
        #expect(text.contains("\nExecStart=:\"/a b/100%%/$HOME/ü\" run\n"))
        #expect(
            Self.assignments(text)
                == [#"Environment="MEMO_HOME=/x \"y\"\\%%h\""# + "\u{301}\""]
        )
    }

    @Test(
        "a path that systemd refuses is refused",
        arguments: ["/a\"b", "/a'b", "/a\\b", "/a\"\u{301}b"]
    )
    func refusedPaths(path: String) throws {
        let program = try Self.program(path)
        #expect(throws: ServiceError.unfit(path)) { try SystemdUnits.serviceText(program) }
    }

    @Test(
        "what no format carries is refused, in the path and in the environment",
        arguments: [0x0A, 0x0D, 0x09, 0x01, 0x7F, 0xFFFE, 0xFDD0, 0x1FFFF] as [UInt32]
    )
    func unfit(scalar: UInt32) throws {
        let character = try #require(Unicode.Scalar(scalar))
        let text = "/a\(character)b"
        #expect(throws: ServiceError.unfit(text)) { try Self.program(text) }
        #expect(throws: ServiceError.unfit(text)) {
            try Self.program("/a", ["MEMO_HOME": text])
        }
        #expect(throws: ServiceError.unfit("file\(character)")) {
            try Self.program("/a", ["MEMO_KEY_STORE": "file\(character)"])
        }
    }

    @Test("only what names the data folder, the key's place and certificates is carried, where set")
    func environment() throws {
        let variables = [
            "MEMO_HOME": "", "XDG_DATA_HOME": "relative", "MEMO_RELAY": "https://example.org",
            "MEMO_KEY_STORE": "file", "HOME": "/home/ann", "PATH": "/bin",
            "SSL_CERT_FILE": "relative",
        ]
        let text = try SystemdUnits.serviceText(Self.program("/a", variables))
        #expect(Self.assignments(text) == ["Environment=\"MEMO_KEY_STORE=file\""])
        let relative = try Self.program(
            "/a",
            ["MEMO_HOME": "memos/", "XDG_DATA_HOME": "/data", "SSL_CERT_FILE": "/authority"]
        )
        let working = FileManager.default.currentDirectoryPath
        #expect(
            relative.environment.map(\.name) == ["MEMO_HOME", "XDG_DATA_HOME", "SSL_CERT_FILE"]
        )
        #expect(
            relative.environment.map(\.value) == [working + "/memos", "/data", "/authority"]
        )
    }
}

/// A service whose service manager answers as a test says.
private final class Asked: Sendable {
    let folder: TemporaryFolder
    private let lines = Mutex<[String]>([])
    let answer: Int32?

    init(answer: Int32? = 0) throws {
        self.answer = answer
        folder = try TemporaryFolder()
    }

    var asked: [String] { lines.withLock { $0 } }
    var units: String { folder.path + "/systemd/user" }

    func service(memos: String = "/memos") throws -> AgentService {
        let program = try ServiceProgram(path: "/bin/memo-agent") {
            $0 == "MEMO_HOME" ? memos : nil
        }
        return AgentService(
            files: try SystemdUnits.files(of: program, in: folder.path),
            manager: .systemd,
            lingerFile: folder.path + "/linger"
        ) { program, arguments in
            self.lines.withLock { $0.append(([program] + arguments).joined(separator: " ")) }
            return self.answer
        }
    }

    /// The paths below the folder, and what the files hold.
    func contents() throws -> [String: String] {
        var found: [String: String] = [:]
        for path in try FileManager.default.subpathsOfDirectory(atPath: folder.path) {
            found[path] =
                (try? String(contentsOfFile: "\(folder.path)/\(path)", encoding: .utf8)) ?? ""
        }
        return found
    }
}

@Suite("The agent as a service, on a disk")
struct StoredServiceTests {
    @Test("an installation writes four entries, a second one none, and a removal leaves nothing")
    func twice() throws {
        let asked = try Asked()
        let service = try asked.service()
        #expect(try service.status().stored == .missing)
        let (first, activity) = try service.install()
        #expect(first.map(\.kind) == [.written, .written, .written, .written])
        #expect(activity == .active)
        #expect(try service.status().stored == .current)
        let stored = try asked.contents()
        #expect(try service.install().changes.map(\.kind).allSatisfy { $0 == .unchanged })
        #expect(try asked.contents() == stored)
        #expect(try service.uninstall().map(\.kind) == [.removed, .removed, .removed, .removed])
        #expect(try asked.contents().isEmpty)
        #expect(try service.uninstall().isEmpty)
    }

    @Test("systemd is asked to read the units, to start them, and to end them before they go")
    func commandLines() throws {
        let asked = try Asked()
        let service = try asked.service()
        _ = try service.install()
        _ = try service.uninstall()
        #expect(
            asked.asked == [
                "systemctl --user daemon-reload",
                "systemctl --user restart simple-memo-agent.timer",
                "systemctl --user start simple-memo-agent.service",
                "systemctl --user is-active --quiet simple-memo-agent.timer",
                "systemctl --user stop simple-memo-agent.timer simple-memo-agent.service",
                "systemctl --user reset-failed simple-memo-agent.service",
                "systemctl --user daemon-reload",
            ]
        )
    }

    @Test("launchd is asked to forget the former agent before it reads this one")
    func launchctl() {
        let lines = Mutex<[[String]]>([])
        let manager = ServiceManager.launchd(user: 501, file: "/f")
        let activity = manager.begin(
            { program, arguments in
                lines.withLock { $0.append([program] + arguments) }
                return 113
            },
            wait: { Issue.record("nothing was to be waited for") }
        )
        #expect(activity == .inactive)
        #expect(
            lines.withLock { $0 } == [
                ["launchctl", "bootout", "gui/501/simple-memo.agent"],
                ["launchctl", "print", "gui/501/simple-memo.agent"],
                ["launchctl", "bootstrap", "gui/501", "/f"],
                ["launchctl", "print", "gui/501/simple-memo.agent"],
            ]
        )
    }

    /// A launchd that removes a service some time after it was asked to.
    private struct SlowLaunchd {
        /// The calls of `print` that still find the former service.
        var known: Int
        /// The calls of `bootstrap` that are refused afterwards, by these statuses.
        var refusals: [Int32]
        var isLoaded = false

        mutating func answer(_ command: String) -> Int32 {
            switch command {
            case "bootout": return 0
            case "print" where isLoaded: return 0
            case "print" where known > 0:
                known -= 1
                return 0
            case "print": return 113
            case "bootstrap" where known > 0: return 37
            case "bootstrap" where !refusals.isEmpty: return refusals.removeFirst()
            default:
                isLoaded = true
                return 0
            }
        }
    }

    @Test(
        "a launchd that removes the former agent slowly is waited for, and no longer than it may take",
        arguments: [(0, 0), (3, 0), (0, 2), (5, 10), (0, 1000), (1000, 0)]
    )
    func slowRemoval(known: Int, refused: Int) {
        let launchd = Mutex(
            SlowLaunchd(known: known, refusals: (0..<refused).map { $0 % 2 == 0 ? 5 : 37 })
        )
        var waits = 0
        let manager = ServiceManager.launchd(user: 501, file: "/f")
        let activity = manager.begin(
            { _, arguments in launchd.withLock { $0.answer(arguments[0]) } },
            wait: { waits += 1 }
        )
        let isPatientEnough = max(known, refused) < ServiceManager.mostTries
        #expect(launchd.withLock { $0.isLoaded } == isPatientEnough)
        #expect(activity == .active || !isPatientEnough)
        #expect(waits == known + refused || !isPatientEnough)
        #expect(waits <= 2 * ServiceManager.mostTries)
    }

    @Test(
        "what systemctl answers is read",
        arguments: [
            (0, .active), (3, .inactive), (4, .inactive), (1, .unreachable), (nil, .unreachable),
        ]
            as [(Int32?, ServiceActivity)]
    )
    func answers(status: Int32?, activity: ServiceActivity) throws {
        let service = try Asked(answer: status).service()
        #expect(try service.install().1 == activity)
        #expect(try service.status().1 == activity)
        #expect(try service.status().stored == .current)
    }

    @Test("a service of another data folder, or in part, is outdated, and an installation mends it")
    func outdated() throws {
        let asked = try Asked()
        _ = try asked.service(memos: "/former").install()
        let service = try asked.service()
        let path = asked.units + "/simple-memo-agent.service"
        #expect(try service.status().stored == .outdated(path))
        #expect(
            try service.install().changes.map(\.kind)
                == [.written, .unchanged, .unchanged, .unchanged]
        )
        let link = asked.units + "/timers.target.wants/simple-memo-agent.timer"
        try FileManager.default.removeItem(atPath: link)
        #expect(try service.status().stored == .outdated(link))
        #expect(try service.install().changes.map(\.kind).filter { $0 == .written }.count == 1)
        #expect(try service.status().stored == .current)
    }

    @Test("a link that systemctl made is as good as ours")
    func enabledByHand() throws {
        let asked = try Asked()
        let service = try asked.service()
        _ = try service.install()
        let link = asked.units + "/timers.target.wants/simple-memo-agent.timer"
        try FileManager.default.removeItem(atPath: link)
        try FileManager.default.createSymbolicLink(
            atPath: link,
            withDestinationPath: "../simple-memo-agent.timer"
        )
        _ = try service.install()
        #expect(try service.status().stored == .current)
        _ = try service.uninstall()
        #expect(try asked.contents().isEmpty)
    }

    /// Ways in which a person may have made a file of one of our names.
    enum Foreign: CaseIterable {
        case file, forbidden, folder, quoting
        func make(at path: String) throws {
            let manager = FileManager.default
            switch self {
            case .file:
                try "[Service]\nExecStart=/bin/true\n".write(
                    toFile: path,
                    atomically: true,
                    encoding: .utf8
                )
            case .forbidden:
                try manager.createSymbolicLink(atPath: path, withDestinationPath: "/dev/null")
            case .folder:
                try manager.createDirectory(atPath: path, withIntermediateDirectories: false)
            case .quoting:
                // Further down the mark says nothing.
                try "[Unit]\n\n# \(ServiceFiles.mark)\n"
                    .write(toFile: path, atomically: true, encoding: .utf8)
            }
        }
    }

    @Test("what a person made is neither replaced nor removed", arguments: Foreign.allCases)
    func foreign(_ foreign: Foreign) throws {
        let asked = try Asked()
        let service = try asked.service()
        try FileManager.default.createDirectory(
            atPath: asked.units,
            withIntermediateDirectories: true
        )
        let path = asked.units + "/simple-memo-agent.timer"
        try foreign.make(at: path)
        let before = try asked.contents()
        #expect(throws: ServiceError.foreign(path)) { try service.install() }
        #expect(try service.status().stored == .foreign(path))
        #expect(try service.uninstall() == [AgentService.Change(kind: .kept, path: path)])
        #expect(try asked.contents() == before)
        #expect(!asked.asked.contains { $0.contains("stop") })
    }

    @Test("a folder that cannot be made is named, and other folders stay")
    func unwritable() throws {
        let asked = try Asked()
        let service = try asked.service()
        let path = asked.folder.path + "/systemd"
        try "no folder".write(toFile: path, atomically: true, encoding: .utf8)
        #expect(throws: ServiceError.failed(path + "/user", code: ENOTDIR)) {
            try service.install()
        }
        #expect(try asked.contents() == ["systemd": "no folder"])
    }

    @Test("lingering is what systemd's file says")
    func lingering() throws {
        let asked = try Asked()
        let service = try asked.service()
        #expect(service.isLingering == false)
        try "".write(toFile: asked.folder.path + "/linger", atomically: true, encoding: .utf8)
        #expect(service.isLingering == true)
    }
}
