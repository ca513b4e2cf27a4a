import LibpqShims

/// libpq's functions, looked up while running.
struct Libpq: Sendable {
    let functions: memo_libpq

    /// The functions of the library that is installed; `nil` on a machine without it.
    private static let installed = Libpq(named: "libpq.so.5") ?? Libpq(named: "libpq.5.dylib")

    /// - Parameter name: The name of a library, as `dlopen(3)` takes it.
    private init?(named name: String) {
        var functions = memo_libpq()
        // Pipelines came with 14.
        guard memo_libpq_load(name, &functions) != 0, functions.PQlibVersion() >= 140_000 else {
            return nil
        }
        self.functions = functions
    }

    /// - Parameter name: The name of the library; `nil` for the one that is installed.
    /// - Throws: ``PostgreSQLError/noLibrary``.
    static func load(_ name: String?) throws(PostgreSQLError) -> Libpq {
        guard let library = name.map({ Libpq(named: $0) }) ?? installed else { throw .noLibrary }
        return library
    }
}
