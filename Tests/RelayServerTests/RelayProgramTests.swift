import Foundation
import TemporaryFolders
import Testing

@testable import RelayServer

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// `memo-relay` as a person runs it. The time limits end a program that hangs.
@Suite("The relay's program")
struct RelayProgramTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    /// Beside the tests, where the package's build puts all of it.
    private static var program: String {
        let tests = URL(fileURLWithPath: WebBundle.runningProgram).resolvingSymlinksInPath()
        return tests.deletingLastPathComponent().appendingPathComponent("memo-relay").path
    }

    private func process(
        _ program: String,
        _ arguments: [String],
        environment: [String: String] = [:]
    ) -> (process: Process, output: Pipe, errors: Pipe) {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: program)
        process.arguments = arguments
        process.environment = environment
        let (output, errors) = (Pipe(), Pipe())
        process.standardOutput = output
        process.standardError = errors
        return (process, output, errors)
    }

    private func serveArguments(mail: String? = nil) -> [String] {
        [
            "serve", "--port", "0", "--data", folder.path + "/data", "--mail",
            mail ?? "maildir:" + folder.path + "/mail",
        ]
    }

    @Test("holds a web app in its own file, and serves it", .timeLimit(.minutes(60)))
    func embeddedWeb() async throws {
        let web = folder.path + "/web"
        try FileManager.default.createDirectory(atPath: web, withIntermediateDirectories: true)
        try Data("a whole web app".utf8).write(to: URL(fileURLWithPath: web + "/index.html"))
        let copy = folder.path + "/memo-relay"
        let embed = process(Self.program, ["embed-web", web, copy])
        try embed.process.run()
        embed.process.waitUntilExit()
        #expect(embed.process.terminationStatus == 0)
        try FileManager.default.removeItem(atPath: web)

        let relay = process(copy, serveArguments())
        try relay.process.run()
        defer {
            relay.process.terminate()
            relay.process.waitUntilExit()
        }
        let line = String(decoding: relay.output.fileHandleForReading.availableData, as: UTF8.self)
        let address = try #require(line.split(separator: " ").last?.split(separator: "\n").first)
        let url = try #require(URL(string: String(address) + "/"))
        let (data, response) = try await URLSession.shared.data(from: url)
        #expect(String(decoding: data, as: UTF8.self) == "a whole web app")
        #expect((response as? HTTPURLResponse)?.statusCode == 200)
    }

    @Test(
        "takes only an https URL for the page of reviews",
        .timeLimit(.minutes(60)),
        arguments: ["http://a.example/", "https://", "javascript:1", "https://a.example/\r\nX: y"]
    )
    func reviewPage(url: String) throws {
        let relay = process(Self.program, serveArguments() + ["--review-page", url])
        try relay.process.run()
        // Nothing, unless it serves.
        let line = relay.output.fileHandleForReading.availableData
        if !line.isEmpty { relay.process.terminate() }
        relay.process.waitUntilExit()
        #expect(line.isEmpty)
        #expect(relay.process.terminationStatus == 64)
    }

    @Test(
        "refuses half of what a mail server asks for to sign in, and says which",
        .timeLimit(.minutes(60)),
        arguments: ["MEMO_RELAY_SMTP_USER", "MEMO_RELAY_SMTP_PASSWORD"]
    )
    func halfCredentials(name: String) throws {
        let relay = process(
            Self.program,
            serveArguments(mail: "smtp://localhost"),
            environment: [name: "canary"]
        )
        try relay.process.run()
        // Nothing, unless it serves.
        let line = relay.output.fileHandleForReading.availableData
        if !line.isEmpty { relay.process.terminate() }
        relay.process.waitUntilExit()
        #expect(line.isEmpty)
        let errors = relay.errors.fileHandleForReading.readDataToEndOfFile()
        let text = String(decoding: errors, as: UTF8.self)
        #expect(relay.process.terminationStatus == 64)
        #expect(text.contains(name) && !text.contains("canary"))
    }
}
