import Foundation
import TemporaryFolders
import Testing

@testable import RelayServer

@Suite("The settings of a relay")
struct RelaySettingsTests {
    private let folder: TemporaryFolder
    private static let kinds = [
        RelaySettings.Kind(name: "config", isFlag: false),
        RelaySettings.Kind(name: "device-day", isFlag: false),
        RelaySettings.Kind(name: "behind-https", isFlag: true),
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
    ) throws(SettingsError) -> RelaySettings {
        try RelaySettings(["serve"] + options, environment: environment, kinds: Self.kinds)
    }

    private static let variable = "MEMO_RELAY_DEVICE_DAY"

    @Test("an option has precedence over the environment, and the environment over the file")
    func precedence() throws {
        let path = try file("# a remark\n\n  device-day =  1 \n")
        var given = try settings(["--config", path])
        #expect(given.arguments == ["serve", "--device-day=1", "--config", path])
        #expect(given.origins["device-day"] == .file(path: path, line: 3))
        given = try settings(["--config=" + path], [Self.variable: "2"])
        #expect(given.arguments == ["serve", "--device-day=2", "--config=" + path])
        #expect(given.origins["device-day"] == .environment(variable: Self.variable))
        for option in [["--device-day", "3"], ["--device-day=3"]] {
            given = try settings(option + ["--config", path], [Self.variable: "2"])
            #expect(given.arguments == ["serve"] + option + ["--config", path])
            #expect(given.origins["device-day"] == .option)
        }
    }

    @Test("the environment may name the file, and an empty variable gives nothing")
    func environment() throws {
        let path = try file("device-day=1")
        let given = try settings([], ["MEMO_RELAY_CONFIG": path, Self.variable: ""])
        #expect(given.arguments == ["serve", "--config=" + path, "--device-day=1"])
        #expect(try settings().arguments == ["serve"])
    }

    @Test("a flag is true or false")
    func flags() throws {
        let name = "MEMO_RELAY_BEHIND_HTTPS"
        #expect(try settings([], [name: "true"]).arguments == ["serve", "--behind-https"])
        #expect(try settings([], [name: "false"]).arguments == ["serve"])
        #expect(
            throws: SettingsError.notBoolean(name: "behind-https", .environment(variable: name))
        ) { try settings([], [name: "canary"]) }
    }

    @Test("secrets come from the environment or a closed file, and are never arguments")
    func secrets() throws {
        let text = "smtp-user = canary\nsmtp-password = can=ary\n"
        let path = try file(text)
        var given = try settings(["--config", path])
        #expect(given.secrets == ["smtp-user": "canary", "smtp-password": "can=ary"])
        #expect(given.arguments == ["serve", "--config", path])
        given = try settings(["--config", path], ["MEMO_RELAY_SMTP_USER": "other"])
        #expect(given.secrets["smtp-user"] == "other")
        for mode in [0o640, 0o604] {
            let open = try file(text, mode: mode)
            #expect(throws: SettingsError.openToOthers(path: open)) {
                try settings(["--config", open])
            }
        }
        // What an access control list of systemd makes of the mode.
        let credential = try file(text, mode: 0o440)
        given = try settings(["--config", credential], ["CREDENTIALS_DIRECTORY": folder.path])
        #expect(given.secrets["smtp-user"] == "canary")
        for elsewhere in [folder.path + "/else", "", "/"] {
            #expect(throws: SettingsError.openToOthers(path: credential)) {
                try settings(
                    ["--config", credential],
                    ["CREDENTIALS_DIRECTORY": elsewhere]
                )
            }
        }
        let harmless = try file("device-day = 1", mode: 0o644)
        #expect(try settings(["--config", harmless]).arguments.count == 4)
    }

    @Test(
        "a line that is no setting is named by its number, without its content",
        arguments: ["canary", "canary = 1", "config = canary", "device-day =", "device-day = 2"]
    )
    func mistakes(line: String) throws {
        let path = try file("device-day = 1\n\(line)\n")
        let error = #expect(throws: SettingsError.self) { try settings(["--config", path]) }
        let sentence = try #require(error).sentence
        #expect(sentence.contains("\(path), line 2") && !sentence.contains("canary"))
    }

    @Test("a file that is missing, a folder, a pipe, no text or too long cannot be read")
    func unreadable() throws {
        let binary = folder.path + "/binary"
        try Data([0x64, 0xFF]).write(to: URL(fileURLWithPath: binary))
        let long = try file(String(repeating: "#\n", count: 40_000))
        let pipe = folder.path + "/pipe"
        try #require(mkfifo(pipe, 0o600) == 0)
        for path in [folder.path + "/none", folder.path, pipe, binary, long] {
            #expect(throws: SettingsError.unreadable(path: path)) {
                try settings(["--config", path])
            }
        }
    }
}

@Suite("Settings that contradict each other")
struct ContradictionTests {
    private func found(
        _ change: (inout RelayConfiguration) -> Void
    ) throws -> [Contradiction] {
        var configuration = RelayConfiguration(
            dataFolder: "/nonexistent",
            mail: .maildir(path: "/nonexistent"),
            from: try #require(MailAddress("memo@localhost"))
        )
        change(&configuration)
        return configuration.contradictions
    }

    @Test("are found, and meant settings are not")
    func each() throws {
        let far = try #require(SMTPEndpoint(url: "smtp://mail.example.org"))
        let near = try #require(SMTPEndpoint(url: "smtp://127.0.0.1"))
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
    }
}
