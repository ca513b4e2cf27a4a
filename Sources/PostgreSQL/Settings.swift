/// The database, and the way to work with it.
package struct Settings: Sendable {
    /// The connection string, a URL or pairs of names and values
    /// (<https://www.postgresql.org/docs/15/libpq-connect.html#LIBPQ-CONNSTRING>). It may have several
    /// hosts. It may hold a password: no description of this value shows it.
    let address: String
    /// The password, in place of one in the address; `nil` for none, or one in a file that libpq reads
    /// (`passfile`).
    package var password: String?

    /// Whether statements are prepared once for each connection. Off behind a pooler that hands each
    /// transaction to another connection.
    package var preparesStatements = true
    /// Whether the statements of a transaction are sent together. Off behind a pooler that hangs on it.
    package var pipelines = true
    /// The longest wait for answers of the server. Afterwards the connection is given up.
    package var answerTime: Duration = .seconds(30)
    /// The longest time for connecting to one address of one host, in seconds; at least 2. A
    /// `connect_timeout` of the connection string comes before it.
    package var connectSeconds = 5
    /// The name of libpq's file; `nil` for the library that is installed.
    var library: String?

    /// - Parameter address: The connection string. Where it does not say `sslmode`, a server by TCP needs
    ///   a certificate for its name (`verify-full`), of an authority in `sslrootcert`.
    package init(_ address: String) {
        self.address = address
    }

    /// The names and values that libpq connects by; the later one of two with one name holds.
    var parameters: [(name: String, value: String)] {
        [
            ("sslmode", "verify-full"),
            ("connect_timeout", String(connectSeconds)),
            ("keepalives_idle", "30"),
            ("keepalives_interval", "10"),
            ("keepalives_count", "3"),
            ("fallback_application_name", "memo-relay"),
            ("dbname", address),
            ("client_encoding", "UTF8"),
        ] + (password.map { [("password", $0)] } ?? [])
    }
}

extension Settings: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { "Settings" }
    package var debugDescription: String { description }
    package var customMirror: Mirror { Mirror(self, children: []) }
}
