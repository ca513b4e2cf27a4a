import SQLite

extension Connection {
    /// Lets SQLite keep 8 MiB of the database's pages in memory, where it keeps 2 otherwise: the inner pages
    /// of the tables and indexes of a million entries, and those that a page of pulled rows changes.
    func keepMorePages() throws {
        try execute("PRAGMA cache_size=-8192")
    }
}
