import Crypto
import Outbox
import SQLite

/// The numbers that an entry of a key can have: eight that follow each other, from a digest of the key.
///
/// Keys of one bucket are a chance of one in 2^60 for each pair, and cost work that nobody has to make on
/// purpose. The eight entries of a bucket stand beside each other in the table, so that all of them are
/// found in one look.
struct CacheBucket {
    static let size: Int64 = 8

    /// An entry's number, and what is stored under it.
    struct Place {
        let entry: Int64
        /// `nil` for a number that is free.
        let stored: Stored?
    }

    struct Stored {
        let ticket: Int64
        let pending: Int
        let bytes: Int64
    }

    /// The lowest of the numbers, at least 0, a multiple of ``size``.
    let first: Int64

    init(_ key: CacheKey) {
        var hash = SHA256()
        // The length keeps a place and a key apart from others that are the same together.
        hash.update(data: [UInt8(truncatingIfNeeded: key.place.utf8.count)])
        hash.update(data: Array(key.place.utf8))
        hash.update(data: key.bytes)
        let number = hash.finalize().prefix(8).reduce(0 as UInt64) { $0 << 8 | UInt64($1) }
        first = Int64(number >> 4) * Self.size
    }

    /// Finds the key's entry, or else the first free number.
    ///
    /// - Throws: `StorageError.corrupt` if other keys have all numbers: no key was hashed there.
    func place(
        of key: CacheKey,
        _ tables: CacheTables,
        _ connection: Connection
    ) throws -> Place {
        let rows = try connection.query(
            tables.find,
            .integer(first),
            .text(key.place),
            .blob(key.bytes)
        ) { row in
            (
                entry: row.integer(0),
                isKey: row.integer(1) == 1,
                stored: Stored(
                    ticket: row.integer(2),
                    pending: Int(row.integer(3)),
                    bytes: row.integer(4)
                )
            )
        }
        if let row = rows.first(where: { $0.isKey }) {
            return Place(entry: row.entry, stored: row.stored)
        }
        let free = (first..<first + Self.size).first { number in
            !rows.contains { $0.entry == number }
        }
        guard let free else { throw StorageError.corrupt }
        return Place(entry: free, stored: nil)
    }
}
