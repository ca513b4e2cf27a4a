import ArgumentParser
import Essentials
import Outbox
import RelayPostgres
import RelaySQLite
import RelayServer

/// The database that a command of the operator works on.
struct DatabaseOptions: ParsableArguments {
    @Option(help: "The folder of the relay's database and key, or a PostgreSQL database.")
    var data: String

    @Option(help: "The key file of relays whose data is in a PostgreSQL database.")
    var key: String?

    @Flag(help: "A pooler in transaction mode stands before the PostgreSQL database.")
    var pooled = false

    @Option(
        help: """
            The file of settings of "memo-relay serve", which names the folder where --data does \
            not.
            """
    )
    var config: String?

    /// Runs `body` with arguments that name the place of the data, where they, the environment or the file of
    /// settings do, and with its password: the rule of ``RelaySettings``. Other settings are not looked at.
    static func withPlace(
        _ arguments: [String],
        _ body: @Sendable (_ arguments: [String]) async -> Void
    ) async {
        await withPassword(arguments) {
            await body(withPlace(arguments, of: GivenSettings.current))
        }
    }

    /// Runs `body` with the password of the database, from the environment or the file of settings.
    static func withPassword(
        _ arguments: [String],
        _ body: @Sendable () async -> Void
    ) async {
        let settings = RelaySettings(
            arguments,
            environment: ProcessInfo.processInfo.environment,
            kinds: GivenSettings.kinds
        )
        await GivenSettings.$current.withValue(settings) { await body() }
    }

    private static func withPlace(_ arguments: [String], of settings: RelaySettings) -> [String] {
        guard let origin = settings.origins["data"] else {
            for mistake in settings.mistakes { _ = complain(mistake.sentence) }
            return arguments
        }
        guard origin != .option else { return arguments }
        let end = arguments.firstIndex(of: "--") ?? arguments.endIndex
        let place = settings.arguments.filter(Self.isOfPlace)
        return arguments[..<end] + place + arguments[end...]
    }

    private static func isOfPlace(_ argument: String) -> Bool {
        argument.hasPrefix("--data=") || argument.hasPrefix("--key=") || argument == "--pooled"
    }

    /// The place of the store.
    ///
    /// - Throws: An exit code, after a sentence about a mistake.
    func place() throws(ExitCode) -> DataPlace {
        do {
            return try DataPlace.named(data, key: key, isPooled: pooled).get()
        } catch {
            throw complain(error.sentence)
        }
    }

    /// Opens the store in a folder.
    ///
    /// - Throws: `OperatorError`; an exit code, after a sentence that the command works on a folder alone.
    func openFolder() throws -> OperatorDatabase { try OperatorDatabase(folder: try folder()) }

    /// The data folder, for a command that works on nothing else.
    ///
    /// - Throws: An exit code, after a sentence.
    func folder() throws(ExitCode) -> String {
        switch try place() {
        case .folder(let folder): return folder
        case .database:
            throw complain(
                "this command works on a data folder alone. A PostgreSQL database is backed up by its own "
                    + "programs, with the key file beside."
            )
        }
    }

    private var keyPath: String { key ?? "\(data)/key" }

    func sentence(for error: OperatorError) -> String {
        switch error {
        case .noDatabase:
            key == nil
                ? "the folder \(data) has no relay's database. Name the folder of the relay with --data."
                : "the PostgreSQL database has no relay's tables."
        case .unusable(let fault):
            key.map { fault.sentence(ofDatabaseWith: $0) } ?? fault.sentence(folder: data)
        case .key(.permissionsTooWide):
            "the key file \(keyPath) belongs to another user, or others may read it. Run this as "
                + "the user of the relay."
        case .key(.missing):
            "the key file \(keyPath) is gone. Put it back from a backup."
        case .key(.malformed):
            "the key file \(keyPath) is damaged. Put it back from a backup."
        case .key:
            "the key file \(keyPath) cannot be read."
        }
    }
}

/// A command of the operator, which works on any store.
protocol OperatorCommand: AsyncParsableCommand {
    var database: DatabaseOptions { get }

    func run(on store: some OperatedStore) async throws
}

extension OperatorCommand {
    /// Runs the command on the store; its errors become sentences.
    func run() async throws {
        do {
            switch try database.place() {
            case .folder(let folder): try await run(on: try OperatorDatabase(folder: folder))
            case .database(let place, let key): try await run(on: place.operators(key: key))
            }
        } catch let error as OperatorError {
            throw complain(database.sentence(for: error))
        }
    }
}
