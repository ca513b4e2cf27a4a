import LibC
import MemoKit
import OutboxCore
import Testing
import WireCore

@testable import MemoTerminal

@Suite("Around the command")
struct CommandTests {
    private func read(_ bytes: [UInt8], limit: Int) throws -> String {
        var ends: [Int32] = [-1, -1]
        #expect(pipe(&ends) == 0)
        #expect(write(ends[1], bytes, bytes.count) == bytes.count)
        close(ends[1])
        defer { close(ends[0]) }
        return try StandardInput.text(of: ends[0], limit: limit, tooLong: .tooLong(limit: limit))
    }

    @Test("the limit counts the memo, not the newline that ends it")
    func limit() throws {
        #expect(try read(Array("1234".utf8), limit: 4) == "1234")
        #expect(try read(Array("1234\n".utf8), limit: 4) == "1234")
        for long in ["12345", "1234\n5", "1234\n\n"] {
            #expect(throws: MemoError.tooLong(limit: 4)) { try read(Array(long.utf8), limit: 4) }
        }
    }

    @Test("bytes that are not UTF-8 are refused with the offset of the first")
    func offset() {
        for (bytes, offset) in [
            ([0xFF], 0), ([0x61, 0xC3], 1), ([0xC3, 0xBC, 0xED, 0xA0, 0x80], 2),
            ([0x61, 0xC0, 0x80], 1),
        ] as [([UInt8], Int)] {
            #expect(throws: InputError.notUTF8(offset: offset)) { try read(bytes, limit: 100) }
        }
    }

    @Test("JSON escapes what would end a string or what a terminal obeys")
    func json() {
        let value = JSON.object([
            ("a\"b", .string("\\\u{1B}\n\u{7F}ü")),
            ("c", .array([.null, .bool(true), .number(-1)])),
        ])
        #expect(value.line == #"{"a\"b":"\\\u001b\n\u007fü","c":[null,true,-1]}"# + "\n")
    }

    @Test("values stand below each other whatever the script of their labels")
    func table() {
        var table = Table()
        let labels = ["Key", "データフォルダ", "خلوّ الحقل", "열쇠", "Clé"]
        for label in labels { table.add(label, "value") }
        let lines = table.text.split(separator: "\n")
        let columns = lines.map { Table.columns(of: String($0.dropLast("value".count))) }
        #expect(columns == [Int](repeating: 16, count: labels.count))
        #expect(Table.columns(of: "خلوّ") == 3)
    }

    @Test("times are printed in UTC to the millisecond, before the epoch as well")
    func dates() {
        #expect(
            Dates.utc(WallTime(millisecondsSinceEpoch: 1_795_269_753_120))
                == "2026-11-21T14:02:33.120Z"
        )
        #expect(Dates.utc(WallTime(millisecondsSinceEpoch: -1)) == "1969-12-31T23:59:59.999Z")
    }
}
