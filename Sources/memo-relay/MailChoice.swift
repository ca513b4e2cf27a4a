import ArgumentParser
import LibC
import Outbox
import OutboxCore
import RelayServer

/// A choice of mails by conditions.
struct MailConditions: ParsableArguments {
    @Option(help: "Only this reason, or the reasons that begin with it and a dot: expired.")
    var reason: String?

    @Option(help: "Only recipients of this domain.")
    var domain: String?

    @Option(help: "Only mails that were queued longer ago: 90m, 12h or 3d.")
    var olderThan: Age?

    var isEmpty: Bool { reason == nil && domain == nil && olderThan == nil }

    func filter() throws -> MailFilter {
        var filter = MailFilter()
        filter.reason = reason
        filter.domain = domain
        filter.before = olderThan.map { age in
            OutboxClock.system.wallTime().advanced(by: Milliseconds(-age.length.count))
        }
        return filter
    }
}

/// A choice of mails to change: some, or explicitly all.
struct MailChoice: ParsableArguments {
    @Argument(help: "Identifiers: the mails', or the memos' as their senders' history has them.")
    var ids: [String] = []

    @OptionGroup var conditions: MailConditions

    @Flag(help: "All that the command lists.")
    var all = false

    func validate() throws {
        _ = try ids.map(operationID)
        guard [!ids.isEmpty, !conditions.isEmpty, all].count(where: { $0 }) == 1 else {
            throw ValidationError(
                "Name the mails by their identifiers, or by --reason, --domain and --older-than, "
                    + "or all of them by --all."
            )
        }
    }

    /// Changes the chosen mails, and prints their number behind `done`.
    func change<Mail: ListedMail>(
        _ kind: ListedKind,
        _ done: String,
        _ change: (MailFilter) async throws -> [Mail]
    ) async throws {
        var filter = try conditions.filter()
        let ids = try ids.map(operationID)
        if !ids.isEmpty { filter.ids = Set(ids) }
        let changed = try await change(filter)
        print("\(done): \(changed.count)")
        fflush(nil)
        let found = Set(changed.flatMap(\.identifiers))
        let missed = ids.filter { !found.contains($0) }
        for id in missed { _ = complain(kind.none(id)) }
        if !missed.isEmpty { throw ExitCode(1) }
    }
}

/// What a command lists, in a sentence.
enum ListedKind: String {
    case deadLetter = "dead letter"
    case waiting = "waiting mail"
    case held = "held mail"

    func none(_ id: OperationID) -> String {
        "there is no \(rawValue) \(id) that this can be done with."
    }
}

/// A length of time as a person writes it: a number and `m`, `h` or `d`.
struct Age: ExpressibleByArgument {
    let length: Milliseconds

    init?(argument: String) {
        let units: [Character: Int64] = ["m": 60, "h": 3600, "d": 86_400]
        guard let unit = argument.last.flatMap({ units[$0] }),
            let count = Int64(argument.dropLast()), (0...100_000).contains(count)
        else { return nil }
        length = .seconds(count * unit)
    }
}

/// Checked by hand, because the parser's own messages repeat what was given.
func operationID(_ argument: String) throws -> OperationID {
    guard let id = OperationID(text: argument.utf8) else {
        throw ValidationError("An identifier is a UUID, as the list shows it.")
    }
    return id
}

extension ListedMail {
    /// The memo's identifier in a list; a dash for a mail of no memo.
    var memoText: String { memo.map { "\($0)" } ?? "-" }
}
