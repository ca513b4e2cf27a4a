/// A failure of the work with a database.
///
/// Has codes, and never a text of the server: such a text may quote values.
package enum PostgreSQLError: Error, Hashable, Sendable {
    /// libpq, of version 14 or later, is not on this machine.
    case noLibrary
    /// The address of the database is no connection string.
    case badAddress
    /// No server could be reached, or it did not let the client in.
    case unreachable
    /// The server asked for a password, and did not take the one that it got, or got none.
    case notLetIn
    /// The pool has more callers waiting than it allows, or none of its connections was free in time.
    case busy
    /// The pool is closed.
    case closed
    /// The connection broke, or the server ended it. The server has rolled the transaction back, or will.
    /// A statement outside of a transaction may have taken effect.
    case lost
    /// The server did not answer in time. The connection has been given up. As for ``lost``, the server
    /// rolls the transaction back.
    case silent
    /// The connection was lost, or the server was silent, after `COMMIT` had been sent: nobody knows
    /// whether the transaction is stored. A look at a row of its own tells.
    case commitUnknown
    /// The transaction met another one, or a change of the tables, and was rolled back: the whole
    /// transaction may be run again.
    case conflict(SQLState)
    /// A row of this key is there already.
    case duplicate
    /// The server cannot do the work now: it starts, stops, has no room, or is read-only.
    case unavailable(SQLState)
    /// The server refused a statement.
    case refused(SQLState)
    /// The server answered `COMMIT` by rolling back, because an earlier statement had failed.
    case rolledBack

    /// Whether the transaction was certainly rolled back and may be run again at once.
    package var isConflict: Bool {
        if case .conflict = self { true } else { false }
    }

    /// Whether the role of the client may not do what it wanted (`insufficient_privilege`).
    package var isOfRights: Bool {
        if case .refused(let state) = self { state.description == "42501" } else { false }
    }

    /// Whether the database cannot be used now, and may be used later without a change of anything.
    package var isUnavailable: Bool {
        switch self {
        case .unreachable, .busy, .lost, .silent, .commitUnknown, .unavailable: true
        case .noLibrary, .badAddress, .notLetIn, .closed, .conflict, .duplicate, .refused,
            .rolledBack:
            false
        }
    }

    /// The error that an answer of the server means.
    init(_ state: SQLState) {
        self =
            switch state.description {
            // serialization_failure, deadlock_detected; feature_not_supported, which is also the code of a
            // prepared statement whose columns have other types by now
            case "40001", "40P01", "\(SQLState.notSupported)": .conflict(state)
            // unique_violation
            case "23505": .duplicate
            // statement_completion_unknown, transaction_resolution_unknown
            case "40003", "08007": .commitUnknown
            // read_only_sql_transaction: a standby, or a primary that has become one; lock_not_available
            case "25006", "55P03": .unavailable(state)
            default:
                switch state.category {
                // connection_exception, insufficient_resources, operator_intervention, system_error
                case "08", "53", "57", "58": .unavailable(state)
                default: .refused(state)
                }
            }
    }
}

extension PostgreSQLError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .noLibrary: "libpq 14 or later is not installed"
        case .badAddress: "not a connection string of PostgreSQL"
        case .unreachable: "the database cannot be reached, or does not let this program in"
        case .notLetIn: "the database did not take the password"
        case .busy: "no connection to the database was free in time"
        case .closed: "the connections to the database are closed"
        case .lost: "the connection to the database broke"
        case .silent: "the database did not answer in time"
        case .commitUnknown: "the answer to COMMIT was lost"
        case .conflict(let state): "the transaction met another one (\(state))"
        case .duplicate: "the row is there already"
        case .unavailable(let state): "the database cannot work now (\(state))"
        case .refused(let state): "the database refused a statement (\(state))"
        case .rolledBack: "the database rolled the transaction back"
        }
    }
}
