public import MemoKit
internal import OutboxCore

#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

/// How a device is doing, without anything that was written and without an address.
public struct Diagnosis {
    /// The first thing that is wrong, if anything is.
    public private(set) var problem: MemoError?
    private let folder: DataFolder
    private let key: String
    private var hasAccount = false
    private var count: OutboxCount?
    private var oldestAge: Int64?
    private let agentErrors: [String]
    private var timings: [(name: String, title: String, budget: Int64, recent: [Int64])] = [
        ("timeToText", "Time-to-Text", 500_000, []),
        ("sendToReset", "Send-to-Reset", 150_000, []),
    ]

    /// Looks, and changes nothing but to make an empty folder and database where there is none, and
    /// to call the agent where something is queued.
    public init(of folder: DataFolder) {
        self.folder = folder
        key = Self.keyState(folder.key)
        agentErrors = Self.errorTypes(inLog: folder.log)
        do {
            let box = try MemoBox(folder: folder)
            hasAccount = try box.hasAccount()
            count = try box.outboxCount()
            var now = timespec()
            clock_gettime(CLOCK_REALTIME, &now)
            oldestAge = try box.outboxItems(limit: 1).compactMap(\.createdAt).min().map {
                max(0, Int64(now.tv_sec) - $0.millisecondsSinceEpoch / 1000)
            }
            box.summonAgentForRest()
            timings[0].recent = try box.timings(.timeToText).map(\.microseconds)
            timings[1].recent = try box.timings(.sendToReset).map(\.microseconds)
            // Opens something sealed, so that a key that does not fit is noticed.
            _ = try box.account()
            _ = try box.history(limit: 1)
        } catch {
            problem = error
        }
    }

    /// For a person.
    public var text: String {
        let errors = agentErrors.isEmpty ? "none" : agentErrors.joined(separator: ", ")
        var lines = [
            "Data folder    \(folder.path)",
            "Key            \(key)",
            "Signed in      \(hasAccount ? "yes" : "no; run: memo login ADDRESS")",
            "Outbox         \(outbox)",
            "Agent errors   \(errors)",
        ]
        for timing in timings {
            let name = timing.title + String(repeating: " ", count: 15 - timing.title.utf8.count)
            let figures =
                Self.median(timing.recent).map {
                    "median \(Self.milliseconds($0)) of \(timing.recent.count), last "
                        + Self.milliseconds(timing.recent[0])
                } ?? "not measured yet"
            lines.append("\(name)\(figures) (budget \(timing.budget / 1000) ms)")
        }
        if let problem { lines.append("Problem        \(problem)") }
        return lines.joined(separator: "\n") + "\n"
    }

    private var outbox: String {
        guard let count else { return "cannot be read" }
        var text = "\(count.queued) queued, \(count.parked) parked"
        text += ", \(count.quarantined) quarantined"
        if let oldestAge { text += ", the oldest for \(oldestAge) s" }
        return text
    }

    /// For a program.
    public var json: JSON {
        var members: [(String, JSON)] = [
            ("folder", .string(folder.path)),
            ("key", .string(key)),
            ("account", .boolean(hasAccount)),
            ("problem", .optional(problem?.description)),
            (
                "outbox",
                .object([
                    ("queued", Self.number(count?.queued)),
                    ("parked", Self.number(count?.parked)),
                    ("quarantined", Self.number(count?.quarantined)),
                    ("oldestAgeSeconds", oldestAge.map(JSON.integer) ?? .null),
                ])
            ),
            ("agentErrors", .array(agentErrors.map(JSON.string))),
        ]
        for timing in timings {
            members.append(
                (
                    timing.name,
                    .object([
                        ("budgetMicroseconds", .integer(timing.budget)),
                        (
                            "medianMicroseconds",
                            Self.median(timing.recent).map(JSON.integer) ?? .null
                        ),
                        ("recentMicroseconds", .array(timing.recent.map(JSON.integer))),
                    ])
                )
            )
        }
        return .object(members)
    }

    private static func number(_ count: Int?) -> JSON {
        count.map { .integer(Int64($0)) } ?? .null
    }

    private static func median(_ values: [Int64]) -> Int64? {
        values.isEmpty ? nil : values.sorted()[values.count / 2]
    }

    private static func milliseconds(_ microseconds: Int64) -> String {
        "\(microseconds / 1000).\(microseconds % 1000 / 100) ms"
    }

    private static func keyState(_ path: String) -> String {
        var status = stat()
        guard stat(path, &status) == 0 else { return errno == ENOENT ? "missing" : "unreadable" }
        if status.st_mode & 0o077 != 0 { return "permissions" }
        return access(path, R_OK) == 0 ? "present" : "unreadable"
    }

    /// The values of `error=` in the last part of the log, each once, the latest first.
    private static func errorTypes(inLog path: String) -> [String] {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return [] }
        defer { close(descriptor) }
        let size = lseek(descriptor, 0, SEEK_END)
        lseek(descriptor, max(0, size - 65536), SEEK_SET)
        var bytes = [UInt8](repeating: 0, count: 65536)
        let count = read(descriptor, &bytes, bytes.count)
        guard count > 0 else { return [] }
        var types: [String] = []
        for word in bytes[..<count].split(whereSeparator: { $0 == 0x20 || $0 == 0x0A }).reversed() {
            let text = String(decoding: word, as: UTF8.self)
            guard text.hasPrefix("error=") else { continue }
            let type = String(text.dropFirst("error=".count))
            if !types.contains(type) { types.append(type) }
        }
        return types
    }
}
