import Crypto

/// A value of a ``CopiedRow``.
package enum CopiedValue: Hashable, Sendable {
    case null
    case integer(Int64)
    case text(String)
    case bytes([UInt8])
}

/// A row of a ``CopiedTable``.
package struct CopiedRow: Hashable, Sendable {
    /// The values, in the order of the table's columns.
    package let values: [CopiedValue]
    /// The number of equal rows; 1 where the table does not repeat rows.
    package let count: Int

    package init(_ values: [CopiedValue], count: Int = 1) {
        self.values = values
        self.count = count
    }
}

extension [CopiedValue] {
    /// The values as bytes: a number for the form, eight bytes for an integer or a length, the bytes.
    /// Different values have different bytes.
    package func encoded() -> [UInt8] {
        var bytes: [UInt8] = []
        func append(_ form: UInt8, _ number: Int64, _ content: some Sequence<UInt8> = []) {
            bytes.append(form)
            Swift.withUnsafeBytes(of: number.bigEndian) { bytes += $0 }
            bytes += content
        }
        for value in self {
            switch value {
            case .null: bytes.append(0)
            case .integer(let integer): append(1, integer)
            case .text(let text): append(2, Int64(text.utf8.count), text.utf8)
            case .bytes(let content): append(3, Int64(content.count), content)
            }
        }
        return bytes
    }

    /// - Returns: `nil` for bytes that no values have.
    package init?(encoded bytes: [UInt8]) {
        self = []
        var rest = bytes[...]
        while let form = rest.popFirst() {
            guard form != 0 else {
                append(.null)
                continue
            }
            guard rest.count >= 8 else { return nil }
            let number = rest.prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
            let integer = Int64(bitPattern: number)
            rest = rest.dropFirst(8)
            if form == 1 {
                append(.integer(integer))
                continue
            }
            guard integer >= 0, integer <= rest.count else { return nil }
            let content = rest.prefix(Int(integer))
            rest = rest.dropFirst(Int(integer))
            switch form {
            case 2: append(.text(String(decoding: content, as: UTF8.self)))
            case 3: append(.bytes([UInt8](content)))
            default: return nil
            }
        }
    }
}

/// What is compared of a table in two databases: the number of its rows, and the sum of their hashes.
///
/// The order of the rows has no part in it: databases sort texts in ways of their own.
package struct TableDigest: Hashable, Sendable {
    /// The number of rows.
    package private(set) var rows = 0
    /// The sum of the rows' SHA-256, as four numbers that overflow.
    private var sum = SIMD4<UInt64>()

    /// The digest of no rows.
    package init() {}

    package mutating func add(_ row: CopiedRow) {
        rows += row.count
        let hash = Array(SHA256.hash(data: row.values.encoded()))
        for lane in 0..<4 {
            let number = hash[lane * 8..<lane * 8 + 8].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
            sum[lane] &+= number &* UInt64(row.count)
        }
    }

    /// The sum, as 64 hexadecimal digits.
    package var text: String {
        (0..<4).map { lane in
            let digits = String(sum[lane], radix: 16)
            return String(repeating: "0", count: 16 - digits.count) + digits
        }.joined()
    }
}
