import ArgumentParser
import RelayPostgres
import RelaySQLite
import RelayServer

/// `memo-relay migrate`: the steps that bring the tables to the form of this build.
struct Migrate: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Bring the tables of a relay's database to the form of this build.",
        discussion: """
            A relay that starts does the same, if it may. In a PostgreSQL database the tables can belong to \
            another role than that of the relays, which cannot change a table then: run this command \
            as the owner before the first relay of a new build starts. Relays of the build before may serve \
            meanwhile. A data folder must have no relay.

            With --dry-run nothing is changed: the steps that would run are named, with their statements \
            where they have any.

            Exit codes: 0; 1 if the database cannot be used; 64 for a mistake in the options.
            """
    )

    @Option(help: "The folder of the relay's database and key, or a PostgreSQL database.")
    var data: String

    @Flag(help: "Say what would be done, and change nothing.")
    var dryRun = false

    @Flag(help: "A pooler in transaction mode stands before the PostgreSQL database.")
    var pooled = false

    @Option(help: "The key file of relays, as other commands take it. It is not read.")
    var key: String?

    @Option(
        help: """
            The file of settings of "memo-relay serve", which names the folder where --data does \
            not.
            """
    )
    var config: String?

    func run() async throws {
        let named = DataPlace.named(data, key: placeKey, isPooled: pooled)
        do {
            switch named {
            case .success(.folder(let folder)):
                try await run(on: SQLiteMigrations(folder: folder))
            case .success(.database(let place, _)): try await run(on: place.migrations())
            case .failure(let mistake): throw complain(mistake.sentence)
            }
        } catch let error as MigrationError {
            throw complain(sentence(for: error))
        }
    }

    /// The tables need no key.
    private var placeKey: String? { key ?? (PostgreSQLPlace.isURL(data) ? "" : nil) }

    private func run(on store: some MigratedStore) async throws(MigrationError) {
        guard case .steps(let steps) = try await store.plan() else {
            return print("the tables are of a later build. Nothing is to be done.")
        }
        guard !steps.isEmpty else {
            return print("the tables are of this build. Nothing is to be done.")
        }
        for step in steps {
            print("\(step.component) \(step.number) of \(step.count): \(step.about)")
            guard dryRun else { continue }
            for statement in step.statements {
                let lines = statement.split(separator: "\n").map { "    \($0)" }
                print("\(lines.joined(separator: "\n"));")
            }
        }
        guard !dryRun else { return print("missing: \(steps.count). Nothing was changed.") }
        try await store.migrate()
        print("done")
    }

    private func sentence(for error: MigrationError) -> String {
        switch error {
        case .inUse:
            "a relay, or another command, uses \(data). Nothing was changed. Stop it first."
        case .folder(let code):
            "the folder \(data) cannot be locked (error \(code)). Nothing was changed."
        case .notAllowed:
            "this role may not change the tables of the PostgreSQL database. Nothing was changed. Name the "
                + "role that owns them in --data."
        case .store(.noDatabase):
            "the folder \(data) has no relay's database. A relay makes it when it starts."
        case .store(.unusable(let fault)):
            PostgreSQLPlace.isURL(data)
                ? fault.sentence(ofDatabaseWith: key ?? "") : fault.sentence(folder: data)
        case .store(.key): "the key cannot be read."
        }
    }
}
