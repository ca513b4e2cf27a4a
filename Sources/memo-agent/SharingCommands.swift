import ArgumentParser
import MemoCore
import MemoCourier
import MemoDelivery
import MemoKit
import MemoProcesses
import MemoSharing
import MemoSyncCore
import MemoTexts
import OutboxCore
import WireCore

struct SyncCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sync",
        abstract: "Bring settings, statuses and devices up to date with your other devices.",
        discussion: """
            Settings that were changed here are sent, and those of your other devices are taken. Of a \
            subject template or a signature that was changed here and on another device, you keep one: \
            memo settings asks which, or --mine and --theirs say so here.

            With --json: {"status" (synced, failed, timed-out), "error" (a type, or null), \
            "notConfirmed" (a number of changes), "lastSynced" (RFC 3339, UTC, or null), "questions": \
            [{"setting", "mine", "theirs"}]}. Exits with 0 when everything is synced, else with 69.
            """
    )

    @Option(help: "Keep this device's version of a setting: subject, signature.")
    var mine: String?

    @Option(help: "Keep the other device's version of a setting: subject, signature.")
    var theirs: String?

    @Flag(help: "Print the result as JSON.")
    var json = false

    mutating func run() async throws {
        let report = Report(json: json)
        do {
            let shared = try SharedBox(box: MemoBox(folder: .current()), client: .ofEnvironment)
            if let mine { try shared.choose(.mine, of: shared.question(about: mine)) }
            if let theirs { try shared.choose(.theirs, of: shared.question(about: theirs)) }
            let end = try await shared.sync()
            let pending = try shared.pendingChanges()
            let questions = try shared.questions()
            let lastSynced = shared.lastSynced
            await shared.close()
            report.print([
                ("status", .string(end.name)), ("error", .optional(end.error)),
                ("notConfirmed", .number(Int64(pending))),
                ("lastSynced", .optional(lastSynced.map { Dates.utc($0) })),
                ("questions", .array(questions.map(\.printed))),
            ])
            report.tell(end.sentences(pending, lastSynced, questions, in: report.language))
            if try shared.box.accountStanding() == .signedOutElsewhere {
                throw MemoError.signedOutElsewhere
            }
            if end != .done { throw ExitCode(ExitStatus.unavailable.rawValue) }
        } catch let error as any EndingError {
            throw report.failure(error)
        }
    }
}

extension SharedBox.End {
    fileprivate var name: String {
        switch self {
        case .done: "synced"
        case .failed: "failed"
        case .timedOut: "timed-out"
        }
    }

    fileprivate var error: String? {
        switch self {
        case .done: nil
        case .failed(let reason): reason.description
        case .timedOut: "network.timed-out"
        }
    }

    fileprivate func sentences(
        _ pending: Int,
        _ lastSynced: WallTime?,
        _ questions: [SharedView.Question],
        in language: Language
    ) -> [String] {
        var sentences: [String] = []
        if let error { sentences.append(language.string(.syncFailed, error)) }
        sentences += questions.map { $0.sentence(in: language) }
        if pending > 0 { sentences.append(language.string(.notConfirmed, "\(pending)")) }
        if sentences.isEmpty { return [language.string(.synced)] }
        if let lastSynced {
            sentences.append(language.string(.lastSynced, Dates.local(lastSynced)))
        }
        return sentences
    }
}

extension SharedView.Question {
    fileprivate func sentence(in language: Language) -> String {
        let told =
            isRefused
            ? language.string(AppText.changeRefused)
            : language.string(AppText.changeMet, theirs)
        return "\(language.string(title)): \(told)"
    }
}

struct DevicesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "devices",
        abstract: "List your devices, or sign one out.",
        discussion: """
            With --json, an array of {"id", "name", "createdAt" (RFC 3339, UTC), "current" (boolean, or \
            null where the server was not asked)}. Without a network the list is as it was known last.
            """,
        subcommands: [List.self, Revoke.self],
        defaultSubcommand: List.self
    )

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list",
            abstract: "List your devices, the newest first."
        )

        @Flag(help: "Print JSON.")
        var json = false

        mutating func run() async throws {
            let report = Report(json: json)
            do {
                let shared = try SharedBox(box: MemoBox(folder: .current()), client: .ofEnvironment)
                let end = try await shared.sync(within: .seconds(10))
                let devices = shared.devices
                let current = shared.thisDevice
                await shared.close()
                print(devices, current, report)
                if end != .done, !json {
                    report.tell(end.sentences(0, shared.lastSynced, [], in: report.language))
                }
            } catch let error as any EndingError {
                throw report.failure(error)
            }
        }

        private func print(_ devices: [SharedDevice], _ current: [UInt8]?, _ report: Report) {
            if json {
                StandardOutput.write(JSON.array(devices.map { $0.json(current) }).line)
                return
            }
            for device in devices {
                StandardOutput.write(device.line(current, in: report.language))
            }
        }
    }

    struct Revoke: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "revoke",
            abstract: "Sign a device out: its token is of no use any more.",
            discussion: """
                The device is gone from the list at once. Without a network the server is told as soon as \
                there is one. Memos on that device stay there, sealed. To sign this device out: memo logout.

                With --json: {"status": "revoked"}, or "pending" while the server is not told.
                """
        )

        @Argument(help: "The device's identifier, as memo devices prints it, or its beginning.")
        var id: String

        @Flag(help: "Print the result as JSON.")
        var json = false

        mutating func run() async throws {
            let report = Report(json: json)
            do {
                let shared = try SharedBox(box: MemoBox(folder: .current()), client: .ofEnvironment)
                // A device that another one has signed in a moment ago.
                _ = try await shared.sync(within: .seconds(10))
                let device = try shared.device(named: id)
                try shared.revoke(device)
                let end = try await shared.sync(within: .seconds(10))
                await shared.close()
                report.success(["status": end == .done ? "revoked" : "pending"]) {
                    end == .done
                        ? $0.string(AppText.deviceSignedOut)
                        : $0.string(.deviceLeaving, device.nameText)
                }
            } catch let error as any EndingError {
                throw report.failure(error)
            }
        }
    }
}

extension SharedDevice {
    fileprivate var nameText: String { String(decoding: name, as: UTF8.self) }
    private var idText: String { String(decoding: id, as: UTF8.self) }

    fileprivate func line(_ current: [UInt8]?, in language: Language) -> String {
        let mark = id == current ? "  (\(language.string(AppText.deviceCurrent)))" : ""
        return "\(Dates.local(createdAt))  \(idText)  \(nameText)\(mark)\n"
    }

    fileprivate func json(_ current: [UInt8]?) -> JSON {
        .object([
            ("id", .string(idText)), ("name", .string(nameText)),
            ("createdAt", .string(Dates.utc(createdAt))),
            ("current", current.map { .bool($0 == id) } ?? .null),
        ])
    }
}

struct AccountCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "account",
        abstract: "Erase your account at the server.",
        subcommands: [Delete.self]
    )

    struct Delete: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "delete",
            abstract: "Erase your account at the server: memos, settings and devices.",
            discussion: """
                The server mails a code to your address; type it in, or give it as a line on standard \
                input. What is on your devices stays there. A backup that whoever runs the server has made \
                before still has the account.

                With --json: {"status": "erased"}.
                """
        )

        @Flag(help: "Print the result as JSON.")
        var json = false

        mutating func run() async throws {
            let report = Report(json: json)
            do {
                let box = try MemoBox(folder: .current())
                let erasure = try AccountErasure(box: box, client: .ofEnvironment)
                // What this device knows of the account's records goes with the account.
                let shared = try SharedBox(box: box, client: .ofEnvironment)
                let language = report.language
                let isErased = try await erasure.erase(in: language) { trouble in
                    if let trouble {
                        StandardError.complain(language.string(trouble.text))
                    } else {
                        let warning = language.string(.eraseWarning, erasure.account.address)
                        StandardError.write(warning + "\n")
                    }
                    return CodePrompt.ask(after: nil, in: language)
                }
                guard isErased else { throw SignIn.Failure.noCode }
                try await shared.discard()
                report.success(["status": "erased"]) { $0.string(.accountErased) }
            } catch let error as any EndingError {
                throw report.failure(error)
            }
        }
    }
}
