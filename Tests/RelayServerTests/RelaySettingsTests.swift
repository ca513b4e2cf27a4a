import Foundation
import TemporaryFolders
import Testing

@testable import RelayRules
@testable import RelaySQLite
@testable import RelayServer

@Suite("The settings of a relay")
struct RelaySettingsTests {
    private let folder: TemporaryFolder
    private static let kinds = [
        RelaySettings.Kind(name: "config", value: .text),
        RelaySettings.Kind(name: "device-day", value: .wholeNumber),
        RelaySettings.Kind(name: "behind-https", value: .flag),
        RelaySettings.Kind(name: "mail-retry-base", value: .number),
    ]

    init() throws {
        folder = try TemporaryFolder()
    }

    private func file(_ text: String, mode: Int = 0o600) throws -> String {
        let path = folder.path + "/settings"
        try Data(text.utf8).write(to: URL(fileURLWithPath: path))
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
        return path
    }

    private func settings(
        _ options: [String] = [],
        _ environment: [String: String] = [:]
    ) -> RelaySettings {
        RelaySettings(["serve"] + options, environment: environment, kinds: Self.kinds)
    }

    private static let variable = "MEMO_RELAY_DEVICE_DAY"

    @Test("an option has precedence over the environment, and the environment over the file")
    func precedence() throws {
        let path = try file("# a remark\n\n  device-day =  1 \n")
        var given = settings(["--config", path])
        #expect(given.arguments == ["serve", "--config=" + path, "--device-day=1"])
        #expect(given.origins["device-day"] == .file(path: path, line: 3))
        given = settings(["--config=" + path], [Self.variable: "2"])
        #expect(given.arguments == ["serve", "--config=" + path, "--device-day=2"])
        #expect(given.origins["device-day"] == .environment(variable: Self.variable))
        for option in [
            ["--device-day", "3"], ["--device-day=3"], ["--device-day=1", "--device-day=3"],
        ] {
            given = settings(option + ["--config", path], [Self.variable: "2"])
            #expect(given.arguments == ["serve", "--config=" + path, "--device-day=3"])
            #expect(given.origins["device-day"] == .option)
            #expect(given.mistakes == [])
        }
    }

    @Test("the environment may name the file, and an empty variable gives nothing")
    func environment() throws {
        let path = try file("device-day=1")
        let given = settings([], ["MEMO_RELAY_CONFIG": path, Self.variable: ""])
        #expect(given.arguments == ["serve", "--config=" + path, "--device-day=1"])
        #expect(settings([], ["MEMO_RELAY_UNKNOWN": ""]).mistakes == [])
        #expect(settings().arguments == ["serve"])
    }

    @Test("what is no setting is left to the parser, in its order")
    func rest() {
        let options = [
            "--unknown", "x", "--device-day", "--behind-https=true", "--", "--device-day=1",
        ]
        let given = settings(["--behind-https"] + options)
        #expect(given.arguments == ["serve", "--behind-https"] + options)
    }

    @Test("lines may end with CR LF, and a file may begin with a mark of UTF-8")
    func windows() throws {
        let path = try file("\u{FEFF}# a remark\r\ndevice-day = 5\r\n\r\nbehind-https = true\r\n")
        let given = settings(["--config", path])
        #expect(given.mistakes == [])
        #expect(given.arguments.dropFirst(2) == ["--device-day=5", "--behind-https"])
        #expect(given.origins["behind-https"] == .file(path: path, line: 4))
    }

    @Test("a flag is true or false, and a number a number, wherever they are given")
    func values() throws {
        let name = "MEMO_RELAY_BEHIND_HTTPS"
        #expect(settings([], [name: "true"]).arguments == ["serve", "--behind-https"])
        #expect(settings([], [name: "false"]).arguments == ["serve"])
        #expect(
            settings([], [name: "canary"]).mistakes
                == [.notBoolean(name: "behind-https", .environment(variable: name))]
        )
        #expect(
            settings(["--device-day", "1.5", "--mail-retry-base=canary"]).mistakes
                == [
                    .notWholeNumber(name: "device-day", .option),
                    .notNumber(name: "mail-retry-base", .option),
                ]
        )
        #expect(settings(["--config", ""]).mistakes == [.noValue(name: "config", .option)])
    }

    @Test("all mistakes are found at once, each with its origin and without a value")
    func allMistakes() throws {
        let path = try file(
            "device-dya = canary\ndevice-day = canary\nsmtp-password = replace-me\nbehind-https=\n",
            mode: 0o644
        )
        let given = settings(["--config", path], ["MEMO_RELAY_DEVICEDAY": "canary"])
        #expect(
            given.mistakes == [
                .noSetting(.file(path: path, line: 1)),
                .noValue(name: "behind-https", .file(path: path, line: 4)),
                .openToOthers(path: path),
                .noVariable(.environment(variable: "MEMO_RELAY_DEVICEDAY")),
                .exampleSecret(name: "smtp-password", .file(path: path, line: 3)),
                .notWholeNumber(name: "device-day", .file(path: path, line: 2)),
            ]
        )
        let sentences = given.mistakes.map(\.sentence)
        #expect(!sentences.contains { $0.contains("canary") }, "\(sentences)")
        #expect(given.arguments == ["serve", "--config=" + path])
    }

    @Test("a sentence gets the origins of the settings that it names")
    func origins() throws {
        let path = try file("device-day = 1\nsmtp-user = canary\n")
        let given = settings(["--config", path, "--mail-retry-base", "1"])
        #expect(
            given.withOrigins("--device-day 1 is less than --mail-retry-base: no.")
                == "file \(path), line 1; option --mail-retry-base: "
                + "--device-day 1 is less than --mail-retry-base: no."
        )
        #expect(given.withOrigins("--behind-https is wrong.") == "--behind-https is wrong.")
        #expect(given.withOrigins("smtp-user is set.") == "file \(path), line 2: smtp-user is set.")
    }

    @Test("what is wrong with settings together is not told of one that has a mistake of its own")
    func consequences() {
        let given = settings(["--device-day", "none", "--mail-retry-base", "1"])
        let sentences = ["--device-day 200 is less than 300.", "--mail-retry-base is odd."]
        #expect(
            given.sentences(with: sentences) == [
                "option --device-day: device-day must be a whole number.",
                "option --mail-retry-base: --mail-retry-base is odd.",
            ]
        )
    }

    @Test("secrets come from the environment or a closed file, and are never arguments")
    func secrets() throws {
        let text = "smtp-user = canary\nsmtp-password = can=ary\n"
        let path = try file(text)
        var given = settings(["--config", path])
        #expect(given.secrets == ["smtp-user": "canary", "smtp-password": "can=ary"])
        #expect(given.arguments == ["serve", "--config=" + path])
        given = settings(["--config", path], ["MEMO_RELAY_SMTP_USER": "other"])
        #expect(given.secrets["smtp-user"] == "other")
        for mode in [0o640, 0o604] {
            let open = try file(text, mode: mode)
            #expect(settings(["--config", open]).mistakes == [.openToOthers(path: open)])
        }
        // What an access control list of systemd makes of the mode.
        let credential = try file(text, mode: 0o440)
        given = settings(["--config", credential], ["CREDENTIALS_DIRECTORY": folder.path])
        #expect(given.secrets["smtp-user"] == "canary" && given.mistakes == [])
        for elsewhere in [folder.path + "/else", "", "/"] {
            let given = settings(["--config", credential], ["CREDENTIALS_DIRECTORY": elsewhere])
            #expect(given.mistakes == [.openToOthers(path: credential)])
        }
        let harmless = try file("device-day = 1", mode: 0o644)
        #expect(settings(["--config", harmless]).mistakes == [])
    }

    @Test(
        "a line that is no setting is named by its number, without its content",
        arguments: ["canary", "canary = 1", "config = canary", "device-day =", "device-day = 2"]
    )
    func mistakes(line: String) throws {
        let path = try file("device-day = 1\n\(line)\n")
        let given = settings(["--config", path])
        #expect(given.mistakes.count == 1)
        let sentence = try #require(given.mistakes.first).sentence
        #expect(sentence.contains("\(path), line 2") && !sentence.contains("canary"))
    }

    @Test("a file that is missing, a folder, a pipe, no text or too long cannot be read")
    func unreadable() throws {
        let binary = folder.path + "/binary"
        try Data([0x64, 0xFF]).write(to: URL(fileURLWithPath: binary))
        let long = try file(String(repeating: "#\n", count: 40_000))
        let pipe = folder.path + "/pipe"
        try #require(mkfifo(pipe, 0o600) == 0)
        for path in [folder.path, pipe, binary, long] {
            #expect(settings(["--config", path]).mistakes == [.unreadable(path: path, .noText)])
        }
        let missing = folder.path + "/none"
        #expect(settings(["--config", missing]).mistakes == [.unreadable(path: missing, .missing)])
    }
}

@Suite("Settings that contradict each other")
struct ContradictionTests {
    private func found(
        _ change: (inout RelayConfiguration) -> Void
    ) throws -> [Contradiction] {
        var configuration = RelayConfiguration(
            store: .folder("/nonexistent"),
            mail: .maildir(path: "/nonexistent"),
            from: try #require(MailAddress("memo@localhost"))
        )
        change(&configuration)
        return configuration.contradictions
    }

    @Test("are found, and meant settings are not")
    func each() throws {
        let far = try #require(MailServer(url: "smtp://mail.example.org"))
        let near = try #require(MailServer(url: "smtp://127.0.0.1"))
        #expect(try found { _ in } == [])
        for host in ["0.0.0.0", "::", "relay.example.org", "192.0.2.1", ""] {
            #expect(try found { $0.host = host } == [.plainHTTP], "\(host)")
        }
        #expect(
            try found {
                $0.host = "0.0.0.0"
                $0.allowsPlainHTTP = true
            } == []
        )
        for host in ["127.0.0.2", "::1", "localhost"] {
            #expect(try found { $0.host = host } == [])
        }
        #expect(try found { $0.isBehindHTTPS = true } == [.noTrustedProxy])
        #expect(
            try found {
                ($0.isBehindHTTPS, $0.trustedProxies) = (true, 1)
                $0.publicURL = PublicURL("https://relay.example.org")
            } == []
        )
        #expect(
            try found {
                ($0.isBehindHTTPS, $0.trustedProxies) = (true, 1)
                $0.publicURL = PublicURL("http://localhost:8080")
            } == [.publicURLNotSecure]
        )
        #expect(
            try found { $0.publicURL = PublicURL("http://relay.example.org") }
                == [.publicURLInClear]
        )
        #expect(try found { $0.mail = .smtp(far) } == [.senderOfThisMachine])
        #expect(try found { $0.mail = .smtp(near) } == [])
        #expect(try found { ($0.port, $0.metricsPort) = (9000, 9000) } == [.onePort])
        #expect(try found { ($0.port, $0.metricsPort) = (0, 0) } == [])
        #expect(
            try found { $0.publicURL = PublicURL("https://relay.example.org") }
                == [.noTrustedProxyAtPublicURL]
        )
    }

    @Test("a password in clear to another machine, and a reserve beyond the disk, are found")
    func passwordAndReserve() throws {
        let credentials = MailServer.Credentials(user: "canary", password: "canary")
        let from = try #require(MailAddress("memo@relay.example.org"))
        for (host, security, isFine) in [
            ("mail.example.org", MailServer.Security.opportunistic, false),
            ("mail.example.org", .require, true), ("127.0.0.1", .opportunistic, true),
        ] {
            let endpoint = try #require(
                MailServer(url: "smtp://\(host)", credentials: credentials, startTLS: security)
            )
            let contradictions = try found { ($0.mail, $0.from) = (.smtp(endpoint), from) }
            #expect(contradictions == (isFine ? [] : [.passwordInClear]))
        }
        for (reserve, isFine) in [(1 << 30, true), ((1 << 40) + 1, false)] {
            let contradictions = try found {
                $0.diskReserve = Int64(reserve)
                $0.space = { $0 == "/" ? DiskReserve.Space(free: 1, total: 1 << 40) : nil }
            }
            #expect(contradictions == (isFine ? [] : [.reserveBeyondDisk]))
        }
        // On a disk that is smaller than the usual reserve, the relay keeps a part of the disk free.
        #expect(try found { $0.space = { _ in DiskReserve.Space(free: 1, total: 2) } } == [])
    }

    @Test("of a limit that two people use up, a relay warns to which other people come")
    func warnings() throws {
        func warnings(_ change: (inout RelayConfiguration) -> Void) throws -> Int {
            var configuration = RelayConfiguration(
                store: .folder("/nonexistent"),
                mail: .maildir(path: "/nonexistent"),
                from: try #require(MailAddress("memo@localhost"))
            )
            change(&configuration)
            return configuration.warnings.count
        }
        #expect(try warnings { _ in } == 0)
        #expect(try warnings { $0.host = "0.0.0.0" } == 1)
        #expect(try warnings { $0.trustedProxies = 1 } == 1)
        #expect(try warnings { $0.publicURL = PublicURL("https://relay.example.org") } == 1)
        #expect(try warnings { $0.publicURL = PublicURL("http://localhost:8080") } == 0)
        #expect(try warnings { ($0.trustedProxies, $0.memoLimits.servicePerDay) = (1, 400) } == 0)
    }
}
