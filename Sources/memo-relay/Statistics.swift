import ArgumentParser
import LibC
import Outbox
import OutboxCore
import RelayServer

/// `memo-relay stats`: numbers about the relay's database.
struct Statistics: OperatorCommand {
    static let configuration = CommandConfiguration(
        commandName: "stats",
        abstract: "Print the numbers of mails, memos, accounts and devices.",
        discussion: """
            Mails that wait are counted by the failure for which they wait. A reason that begins \
            with smtp.relay or resend.relay says that the mail server refuses this relay, not the \
            mails: mend the settings, and the mails leave. The relay may run meanwhile. Of relays that share \
            a PostgreSQL database, each is named with the shards of accounts that it hands over.

            Exit codes: 0; 1 if the database cannot be used; 64 for a mistake in the options.
            """
    )

    @OptionGroup var database: DatabaseOptions

    @Flag(help: "Print a JSON object.")
    var json = false

    func run(on store: some OperatedStore) async throws {
        let now = OutboxClock.system.wallTime()
        let statistics = try await store.statistics(at: now)
        if json { return try printBytes(statistics.json(at: now)) }
        let queue = statistics.queue
        print("queued memos: \(queue.memos)")
        print("queued codes: \(queue.codes)")
        if let oldest = queue.oldest { print("oldest queued mail: \(oldest)") }
        Self.list("waiting for", statistics.waits)
        print("held mails: \(queue.held)")
        print("dead letters: \(queue.dead)")
        Self.list("dead for", statistics.deadLetters)
        Self.list("memos", statistics.memos)
        print("accounts: \(statistics.accounts)")
        print("devices: \(statistics.devices)")
        for relay in statistics.relays ?? [] {
            let codes = relay.codes ? ", codes" : ""
            print("relay \(relay.name): \(relay.shards.count) of 64 shards\(codes)")
        }
    }

    private static func list(_ name: String, _ counts: [String: Int]) {
        for (key, count) in counts.sorted(by: { $0.key < $1.key }) {
            print("\(name) \(key): \(count)")
        }
    }
}

/// Prints bytes as they are.
func printBytes(_ bytes: [UInt8]) throws {
    fflush(nil)
    var rest = bytes[...]
    while !rest.isEmpty {
        let count = rest.withUnsafeBytes { write(STDOUT_FILENO, $0.baseAddress, $0.count) }
        if count < 0, errno == EINTR { continue }
        guard count > 0 else { throw ExitCode(1) }
        rest = rest.dropFirst(count)
    }
}
