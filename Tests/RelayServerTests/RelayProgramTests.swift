import Foundation
import RelayAPI
import TemporaryFolders
import Testing
import Waiting

@testable import RelaySQLite
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

    private static func process(
        _ program: String,
        _ arguments: [String],
        environment: [String: String] = [:]
    ) -> (process: Process, output: Pipe, errors: Pipe) {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: program)
        process.arguments = arguments
        // Whatever settings this process has been given are not those of the test.
        process.environment = ProcessInfo.processInfo.environment
            .filter { !$0.key.hasPrefix("MEMO_RELAY_") }
            .merging(environment) { $1 }
        let (output, errors) = (Pipe(), Pipe())
        process.standardOutput = output
        process.standardError = errors
        return (process, output, errors)
    }

    /// Runs the relay with arguments that it is to refuse, and answers its exit status and its errors.
    private func refusal(
        of arguments: [String],
        environment: [String: String] = [:]
    ) async throws -> (status: Int32, errors: String) {
        let (line, status, errors) = try await onOwnThread {
            let relay = Self.process(Self.program, arguments, environment: environment)
            try relay.process.run()
            // Nothing, unless it serves.
            let line = relay.output.fileHandleForReading.availableData
            if !line.isEmpty { relay.process.terminate() }
            relay.process.waitUntilExit()
            let errors = relay.errors.fileHandleForReading.readDataToEndOfFile()
            return (line, relay.process.terminationStatus, errors)
        }
        #expect(line.isEmpty)
        return (status, String(decoding: errors, as: UTF8.self))
    }

    /// Has a relay serve while `body` runs, which gets the relay's origin.
    private func serve(
        _ program: String,
        _ arguments: [String],
        _ body: (_ origin: String) async throws -> Void
    ) async throws {
        let (process, line) = try await onOwnThread {
            let relay = Self.process(program, arguments)
            try relay.process.run()
            return (relay.process, relay.output.fileHandleForReading.availableData)
        }
        let result: Result<Void, any Error>
        do {
            let words = String(decoding: line, as: UTF8.self).split(separator: " ")
            let origin = try #require(words.last?.split(separator: "\n").first)
            result = .success(try await body(String(origin)))
        } catch {
            result = .failure(error)
        }
        process.terminate()
        try await onOwnThread { process.waitUntilExit() }
        try result.get()
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
        let status = try await onOwnThread {
            let embed = Self.process(Self.program, ["embed-web", web, copy])
            try embed.process.run()
            embed.process.waitUntilExit()
            return embed.process.terminationStatus
        }
        #expect(status == 0)
        try FileManager.default.removeItem(atPath: web)

        try await serve(copy, serveArguments()) { origin in
            let url = try #require(URL(string: origin + "/"))
            let (data, response) = try await URLSession.shared.data(from: url)
            #expect(String(decoding: data, as: UTF8.self) == "a whole web app")
            #expect((response as? HTTPURLResponse)?.statusCode == 200)
        }
    }

    @Test(
        "takes only an https URL for the page of reviews",
        .timeLimit(.minutes(60)),
        arguments: ["http://a.example/", "https://", "javascript:1", "https://a.example/\r\nX: y"]
    )
    func reviewPage(url: String) async throws {
        let refusal = try await refusal(of: serveArguments() + ["--review-page", url])
        #expect(refusal.status == 64)
    }

    @Test(
        "refuses limits on codes that say nothing, or contradict each other",
        .timeLimit(.minutes(60)),
        arguments: [
            ["--codes-day", "2"], ["--codes-day", "150", "--codes-network-hour", "31"],
            ["--codes-site-hour", "41"], ["--codes-address-day", "151"],
            ["--codes-minute", "0"], ["--codes-address-hour", "9", "--codes-address-day", "8"],
            ["--code-minutes", "2"], ["--code-minutes", "11"], ["--code-tries", "0"],
            ["--code-tries", "6"], ["--sign-up", "close"], ["--sign-up", "a.example,"],
        ]
    )
    func codeLimits(options: [String]) async throws {
        let refusal = try await refusal(of: serveArguments() + options)
        #expect(refusal.status == 64)
        let name = options[0].hasPrefix("--codes-") ? "--codes-" : options[0]
        #expect(refusal.errors.contains(name))
    }

    @Test("a code lives and is tried as its options say", .timeLimit(.minutes(60)))
    func codeLife() async throws {
        let arguments = serveArguments() + ["--code-minutes", "3", "--code-tries", "1"]
        try await serve(Self.program, arguments) { origin in
            let asked = try await post(
                #"{"address":"a@b.example"}"#,
                to: origin + "/v1/verifications"
            )
            let acceptance = try JSONDecoder().decode(VerificationAcceptance.self, from: asked)
            let mail = try await firstMail()
            #expect(mail.contains("It is good for 3 minutes."))
            let code = try #require(mail.firstMatch(of: /\n([0-9]{6})=0A/)).1
            let wrong = code == "000000" ? "000001" : "000000"
            for code in [wrong, String(code)] {
                let confirmation = ConfirmationRequest(
                    address: "a@b.example",
                    code: code,
                    device: "d",
                    handle: acceptance.handle
                )
                let answer = try await post(
                    String(decoding: JSONEncoder().encode(confirmation), as: UTF8.self),
                    to: origin + "/v1/verifications/confirm"
                )
                #expect(String(decoding: answer, as: UTF8.self).contains("code-rejected"))
            }
        }
    }

    private func post(_ body: String, to url: String) async throws -> Data {
        var request = URLRequest(url: try #require(URL(string: url)))
        request.httpMethod = "POST"
        request.setValue("application/json", forHTTPHeaderField: "Content-Type")
        request.httpBody = Data(body.utf8)
        return try await URLSession.shared.data(for: request).0
    }

    /// The first mail that arrives; the test's time limit ends the wait.
    private func firstMail() async throws -> String {
        let inbox = URL(fileURLWithPath: folder.path + "/mail/new")
        while true {
            let files = try? FileManager.default.contentsOfDirectory(
                at: inbox,
                includingPropertiesForKeys: nil
            )
            if let file = files?.first { return try String(contentsOf: file, encoding: .utf8) }
            try await Task.sleep(for: .milliseconds(20))
        }
    }

    @Test(
        "refuses half of what a mail server asks for to sign in, and says which",
        .timeLimit(.minutes(60)),
        arguments: ["MEMO_RELAY_SMTP_USER", "MEMO_RELAY_SMTP_PASSWORD"]
    )
    func halfCredentials(name: String) async throws {
        let refusal = try await refusal(
            of: serveArguments(mail: "smtp://localhost"),
            environment: [name: "canary"]
        )
        #expect(refusal.status == 64)
        #expect(refusal.errors.contains(name) && !refusal.errors.contains("canary"))
    }

    @Test(
        "refuses limits that contradict each other, and says why",
        .timeLimit(.minutes(60)),
        arguments: [
            (["--device-day", "20"], "--device-day 20 is less than --device-minute 30"),
            (["--service-day", "100"], "--service-day 100 is less than --device-day 200"),
            (["--waiting", "0"], "at least 1"),
            (["--account-day-megabytes", "1"], "at least 2"),
        ]
    )
    func contradictoryLimits(options: [String], sentence: String) async throws {
        let refusal = try await refusal(of: serveArguments() + options)
        #expect(refusal.status == 64)
        #expect(refusal.errors.contains(sentence))
    }

    @Test("refuses the URL of an unknown database, and says why", .timeLimit(.minutes(60)))
    func databaseURL() async throws {
        let arguments = ["serve", "--data", "mysql://relay", "--mail", "maildir:/nonexistent"]
        let refusal = try await refusal(of: arguments)
        #expect(refusal.status == 64)
        #expect(refusal.errors.contains("--data is a URL"))
    }
}
