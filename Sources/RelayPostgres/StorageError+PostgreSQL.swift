import LibC
import Outbox
import PostgreSQL

/// Runs `body`, with a `StorageError` in place of a `PostgreSQLError`.
func translating<Value>(_ body: () throws -> Value) throws -> Value {
    do {
        return try body()
    } catch let error as PostgreSQLError {
        throw StorageError(error)
    }
}

/// Like the variant that does not wait.
func translating<Value: Sendable>(
    _ body: @Sendable () async throws -> Value
) async throws -> Value {
    do {
        return try await body()
    } catch let error as PostgreSQLError {
        throw StorageError(error)
    }
}

extension StorageError {
    /// The failure that the callers of a store know.
    init(_ error: PostgreSQLError) {
        self =
            switch error {
            case .noLibrary, .badAddress, .unreachable, .notLetIn: .cannotOpen
            case .busy: .busy
            case .closed: .closed
            case .duplicate: .duplicate
            case .lost: .failed(code: ECONNRESET)
            case .silent, .commitUnknown: .failed(code: ETIMEDOUT)
            case .rolledBack: .failed(code: ECANCELED)
            case .conflict(let state), .unavailable(let state), .refused(let state):
                StorageError(state)
            }
    }

    /// - Parameter state: The server's code
    ///   (<https://www.postgresql.org/docs/15/errcodes-appendix.html>).
    private init(_ state: SQLState) {
        self =
            switch state.description {
            case "53100": .diskFull
            case "25006", "42501": .readOnly
            case "55P03", "53300", "57P03": .busy
            case "XX001", "XX002": .corrupt
            // The five letters and digits as a number of base 36.
            default: .failed(code: Int32(state.description, radix: 36) ?? 0)
            }
    }
}
