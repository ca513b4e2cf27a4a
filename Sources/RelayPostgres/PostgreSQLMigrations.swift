import Outbox
import PostgreSQL
import RelayServer

/// The steps of the relay's tables in a PostgreSQL database.
struct PostgreSQLMigrations: MigratedStore {
    let pool: Pool

    func plan() async throws(MigrationError) -> MigrationPlan {
        let (pool, migrations) = (pool, RelaySchema.migrations)
        let progress: Migrations.Progress
        do {
            progress = try await translating { try await migrations.progress(in: pool) }
        } catch {
            throw .store(OperatorError(error))
        }
        let count = migrations.steps.count
        switch progress {
        case .ofLaterBuild: return .ofLaterBuild
        case .complete: return .steps([])
        case .missing(let missing):
            return .steps(
                (count - missing..<count).map { index in
                    let step = migrations.steps[index]
                    return PendingMigration(
                        component: "relay",
                        number: index + 1,
                        count: count,
                        about: step.about,
                        statements: step.texts
                    )
                }
            )
        }
    }

    func migrate() async throws(MigrationError) {
        do {
            let pool = pool
            _ = try await RelaySchema.migrations.run(in: pool)
        } catch let error as PostgreSQLError where error.isOfRights {
            throw .notAllowed
        } catch let error as PostgreSQLError {
            throw .store(OperatorError(StorageError(error)))
        } catch {
            throw .store(OperatorError(error))
        }
    }
}
