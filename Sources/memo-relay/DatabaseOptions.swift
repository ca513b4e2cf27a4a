import ArgumentParser
import Essentials
import Outbox
import RelaySQLite
import RelayServer

/// The database that a command of the operator works on.
struct DatabaseOptions: ParsableArguments {
    @Option(help: "The folder of the relay's database and key.")
    var data: String

    @Option(
        help: """
            The file of settings of "memo-relay serve", which names the folder where --data does \
            not.
            """
    )
    var config: String?

    /// Arguments that name the data folder, where they, the environment or the file of settings do:
    /// the rule of ``RelaySettings``. Other settings are not looked at.
    static func withDataFolder(_ arguments: [String]) -> [String] {
        let settings = RelaySettings(
            arguments,
            environment: ProcessInfo.processInfo.environment,
            kinds: GivenSettings.kinds
        )
        guard let origin = settings.origins["data"] else {
            for mistake in settings.mistakes { _ = complain(mistake.sentence) }
            return arguments
        }
        guard origin != .option, let data = settings.arguments.first(where: Self.isDataOption)
        else { return arguments }
        let end = arguments.firstIndex(of: "--") ?? arguments.endIndex
        return arguments[..<end] + [data] + arguments[end...]
    }

    private static func isDataOption(_ argument: String) -> Bool { argument.hasPrefix("--data=") }

    /// Opens the store.
    func open() throws(OperatorError) -> OperatorDatabase { try OperatorDatabase(folder: data) }

    func sentence(for error: OperatorError) -> String {
        switch error {
        case .noDatabase:
            "the folder \(data) has no relay's database. Name the folder of the relay with --data."
        case .unusable(let fault): fault.sentence(folder: data)
        case .key(.permissionsTooWide):
            "the key file \(data)/key belongs to another user, or others may read it. Run this as "
                + "the user of the relay."
        case .key(.missing):
            "the key file \(data)/key is gone. Put it back from a backup."
        case .key(.malformed):
            "the key file \(data)/key is damaged. Put it back from a backup."
        case .key:
            "the key file \(data)/key cannot be read."
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
            try await run(on: try database.open())
        } catch let error as OperatorError {
            throw complain(database.sentence(for: error))
        }
    }
}
