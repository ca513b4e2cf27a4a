import EditLine
import Testing

@testable import MemoTerminal

@Suite("Cells and rows", .serialized)
struct ScreenTests {
    init() {
        #expect(editline_use_utf8())
    }

    private func scalars(_ string: String) -> [UInt32] { string.unicodeScalars.map(\.value) }

    @Test(
        "what is encoded into cells is decoded to the same text",
        arguments: [
            "plain", "e\u{301}x", "ภาษาไทย", "हिन्दी", "👨‍👩‍👧‍👦❤️", "\u{301}mark first", "a\n\u{301}b",
            "\u{20BB7}\u{100000}\u{10FFFD}", "\u{100000}\u{301}", "",
        ]
    )
    func roundTrip(text: String) {
        var table = CellTable()
        let cells = table.encode(scalars(text))
        #expect(table.decode(cells) == scalars(text))
    }

    @Test("a letter and its marks are one cell of the letter's width")
    func marks() {
        var table = CellTable()
        let cells = table.encode(scalars("e\u{301}日\u{3099}"))
        #expect(cells.count == 2)
        #expect(cells.map { editline_width($0) } == [1, 2])
        #expect(table.drawn(UInt32(bitPattern: cells[0])) == scalars("e\u{301}"))
    }

    @Test("joiners are kept but not drawn")
    func joiners() {
        var table = CellTable()
        let cells = table.encode(scalars("👨\u{200D}👩"))
        #expect(cells.count == 2)
        #expect(table.drawn(UInt32(bitPattern: cells[0])) == scalars("👨"))
    }

    @Test("rows end at newlines, at the margin, and before a wide character that does not fit")
    func rows() {
        var table = CellTable()
        func starts(_ text: String, _ columns: Int) -> [Int] {
            let cells = table.encode(scalars(text))
            return ScreenLayout(cells, cursor: 0, columns: columns).rowStarts
        }
        #expect(starts("", 10) == [0])
        #expect(starts("ab\ncd", 10) == [0, 3])
        #expect(starts("abcdefgh", 4) == [0, 4, 8])
        #expect(starts("abc日", 4) == [0, 3])
        #expect(starts("a\tb", 10) == [0])
        #expect(starts("\t\tb", 10) == [0, 2])
    }

    @Test("the cursor is where its cell is drawn")
    func cursor() {
        var table = CellTable()
        let cells = table.encode(scalars("ab\n日本x"))
        let places = (0...cells.count).map {
            ScreenLayout(cells, cursor: $0, columns: 10).cursor
        }
        #expect(places.map(\.row) == [0, 0, 0, 1, 1, 1, 1])
        #expect(places.map(\.column) == [0, 1, 2, 0, 2, 4, 5])
    }
}
