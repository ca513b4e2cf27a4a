import EditLine

/// The text being composed: a window of it is in libedit's line, the rest is held here.
///
/// libedit cannot show a cursor above the last screenful of its line, and redraws a whole line at
/// each key. It is therefore given no more than the screen holds, whatever the length of the memo,
/// and the window follows the cursor.
///
/// Invariant: the memo is `above`, then the line's characters, then `below` backwards.
struct ComposeText {
    /// The longest text that can be composed, in characters. Far longer than a memo, so that
    /// pasting too much loses no text.
    static let maximumLength = 4 << 20
    /// The most cells in a window: stand-ins never run out within one.
    private static let maximumWindow = 16_000

    private(set) var rows = 24
    private var columns = 80
    private let session: OpaquePointer
    private var cells = CellTable()
    private var above: [UInt32] = []
    private var below: [UInt32] = []

    init(session: OpaquePointer) {
        self.session = session
    }

    /// Notes the terminal's size.
    mutating func resize(rows: Int, columns: Int) {
        self.rows = rows
        self.columns = columns
    }

    /// The cells in libedit's line, and where the cursor is among them.
    private var window: (cells: [Cell], cursor: Int) {
        var count = 0
        var cursor = 0
        let line = editline_text(session, &count, &cursor)
        return (Array(UnsafeBufferPointer(start: line, count: count)), cursor)
    }

    var isEmpty: Bool { above.isEmpty && below.isEmpty && window.cells.isEmpty }

    /// The whole text.
    var scalars: [UInt32] { above + cells.decode(window.cells) + below.reversed() }

    /// The whole text.
    var string: String { Self.string(scalars) }

    /// The text of characters. A number that is no character becomes the replacement character.
    static func string(_ scalars: [UInt32]) -> String {
        var text = String.UnicodeScalarView()
        for scalar in scalars { text.append(Unicode.Scalar(scalar) ?? "\u{FFFD}") }
        return String(text)
    }

    /// How many characters are before the cursor.
    var position: Int {
        let (window, cursor) = self.window
        return above.count + cells.decode(window[..<cursor]).count
    }

    /// Where libedit has drawn the cursor, and how many rows it has drawn.
    var drawn: (row: Int, rows: Int) {
        let (window, cursor) = self.window
        let layout = ScreenLayout(window, cursor: cursor, columns: columns)
        return (layout.cursor.row, layout.rows)
    }

    /// The characters that stand on the screen for a character that libedit draws.
    func drawn(_ scalar: UInt32) -> [UInt32] { cells.drawn(scalar) ?? [scalar] }

    // MARK: Changing the text

    /// Replaces the whole text.
    mutating func replace(_ scalars: [UInt32], position: Int) {
        above = Array(scalars[..<position])
        below = scalars[position...].reversed()
        _ = editline_replace(session, [], 0, 0)
        rebuild()
    }

    mutating func removeAll() {
        above = []
        below = []
        cells = CellTable()
        _ = editline_replace(session, [], 0, 0)
    }

    /// Inserts at the cursor. A mark joins the letter before it.
    ///
    /// - Returns: `false` when the text would be longer than ``maximumLength``.
    mutating func insert(_ scalars: [UInt32]) -> Bool {
        let (window, cursor) = self.window
        guard above.count + below.count + window.count + scalars.count <= Self.maximumLength
        else { return false }
        if scalars.count > 1000 {
            above += cells.decode(window[..<cursor]) + scalars
            below += cells.decode(window[cursor...]).reversed()
            _ = editline_replace(session, [], 0, 0)
            rebuild()
            return true
        }
        let joins = cursor > 0 && scalars.first.map(CellTable.isZeroWidth) == true
        let before = joins ? cells.decode(window[cursor - 1..<cursor]) : []
        if joins, !editline_delete(session, 1, 0) { return false }
        return editline_insert(session, cells.encode(before + scalars) + [0])
    }

    /// Removes the character before the cursor, or after it.
    ///
    /// - Parameter direction: -1 or 1.
    /// - Returns: `false` when there is none.
    func delete(_ direction: Int) -> Bool {
        let length = characterLength(direction)
        guard length > 0 else { return false }
        return editline_delete(session, direction < 0 ? length : 0, direction < 0 ? 0 : length)
    }

    /// Has libedit remove the rest of the line, so that libedit's own yank brings it back.
    ///
    /// - Parameter toEnd: Whether the rest is behind the cursor, or before it.
    /// - Returns: `false` when the text ends there.
    func kill(toEnd: Bool) -> Bool {
        let (window, cursor) = self.window
        var motion = toEnd ? ComposerCommand.lineEnd : .lineStart
        if toEnd, lineEnd == cursor {
            guard cursor < window.count else { return false }
            motion = .right
        } else if !toEnd, lineStart == cursor {
            guard cursor > 0 else { return false }
            motion = .left
        }
        editline_push(
            session,
            [Int32(EDITLINE_SET_MARK), motion.key, Int32(EDITLINE_KILL_REGION), 0]
        )
        return true
    }

    // MARK: Moving the cursor

    /// Moves up or down by rows of the screen, staying near the cursor's column.
    ///
    /// - Returns: `false` when the cursor is in the window's last row in that direction.
    func moveByRows(_ distance: Int) -> Bool {
        let (window, cursor) = self.window
        let layout = ScreenLayout(window, cursor: cursor, columns: columns)
        let row = min(max(0, layout.cursor.row + distance), layout.rows - 1)
        guard row != layout.cursor.row else { return false }
        return move(to: layout.index(row: row, column: layout.cursor.column, of: window))
    }

    /// Moves by one character.
    ///
    /// - Parameter direction: -1 or 1.
    /// - Returns: `false` when there is none.
    func moveByCharacter(_ direction: Int) -> Bool {
        let length = characterLength(direction)
        guard length > 0 else { return false }
        editline_move(session, direction * length)
        return true
    }

    func moveToLineStart() -> Bool { move(to: lineStart) }

    func moveToLineEnd() -> Bool { move(to: lineEnd) }

    mutating func moveToStart() -> Bool {
        replace(scalars, position: 0)
        return true
    }

    mutating func moveToEnd() -> Bool {
        let all = scalars
        replace(all, position: all.count)
        return true
    }

    private func move(to index: Int) -> Bool {
        editline_move(session, index - window.cursor)
        return true
    }

    private var lineStart: Int {
        let (window, cursor) = self.window
        return window[..<cursor].lastIndex(of: 0x0A).map { $0 + 1 } ?? 0
    }

    private var lineEnd: Int {
        let (window, cursor) = self.window
        return window[cursor...].firstIndex(of: 0x0A) ?? window.count
    }

    /// How many cells the character before or after the cursor has: more than one for a joined
    /// emoji, a flag, or an emoji with a skin tone.
    private func characterLength(_ direction: Int) -> Int {
        let (window, cursor) = self.window
        let near = direction < 0 ? window[..<cursor].suffix(64) : window[cursor...].prefix(64)
        guard !near.isEmpty else { return 0 }
        var scalars = String.UnicodeScalarView()
        for scalar in cells.decode(near) {
            scalars.append(Unicode.Scalar(scalar) ?? "\u{FFFD}")
        }
        let string = String(scalars)
        let character = direction < 0 ? string.last! : string.first!
        let target = character.unicodeScalars.count
        // A cell is never part of two characters, save where the excerpt was cut.
        var length = 0
        var reached = 0
        while reached < target, length < near.count {
            let index =
                direction < 0 ? near.endIndex - length - 1 : near.startIndex + length
            reached += cells.decode(near[index...index]).count
            length += 1
        }
        return length
    }

    // MARK: The window

    /// Moves the window when the cursor has come near its edge, or when it has outgrown the screen.
    ///
    /// - Returns: Whether libedit has to draw anew.
    mutating func settle() -> Bool {
        guard needsSettling else { return false }
        let (window, cursor) = self.window
        above += cells.decode(window[..<cursor])
        below += cells.decode(window[cursor...]).reversed()
        rebuild()
        return true
    }

    /// Whether ``settle()`` has something to do.
    var needsSettling: Bool {
        let (window, cursor) = self.window
        // The usual case, a text that fits, without a layout.
        if above.isEmpty, below.isEmpty, window.count < rows, window.count * 8 < columns {
            return false
        }
        let layout = ScreenLayout(window, cursor: cursor, columns: columns)
        return layout.rows > limit
            || layout.cursor.row == 0 && !above.isEmpty
            || layout.cursor.row >= layout.rows - 1 && !below.isEmpty
    }

    /// The most rows that are drawn.
    private var limit: Int { max(3, rows - 1) }

    /// Fills the window around the cursor from `above` and `below`.
    private mutating func rebuild() {
        if cells.isNearlyFull { cells = CellTable() }
        let capacity = min(Self.maximumWindow, limit * columns)
        let after = cells.encode(takeBelow(capacity))
        let before = cells.encode(takeAbove(capacity))
        let text = before + after

        let upper = ScreenLayout(before, cursor: before.count, columns: columns)
        let lower = ScreenLayout(after, cursor: 0, columns: columns)
        // Half a screen of what precedes, more where less follows, and room to go on typing.
        let room = min(lower.rows + 3, limit / 2)
        let top = max(0, upper.cursor.row - (limit - room - 1))
        let start = min(upper.rowStarts[top], before.count)
        let shown = ScreenLayout(text[start...], cursor: before.count - start, columns: columns)
        // The end of a full row is drawn as the beginning of one more.
        let end =
            shown.rows > limit
            ? min(start + shown.rowStarts[limit - 1], text.count) : text.count
        above += cells.decode(text[..<start])
        below += cells.decode(text[max(end, before.count)...]).reversed()
        let window = Array(text[start..<max(end, before.count)])
        _ = editline_replace(session, window, window.count, before.count - start)
    }

    private mutating func takeBelow(_ capacity: Int) -> [UInt32] {
        var count = min(capacity, below.count)
        while count < below.count, CellTable.isZeroWidth(below[below.count - count - 1]) {
            count += 1
        }
        defer { below.removeLast(count) }
        return below.suffix(count).reversed()
    }

    /// Starts at the beginning of a line where there is one far enough up.
    private mutating func takeAbove(_ capacity: Int) -> [UInt32] {
        var count = min(2 * capacity, above.count)
        while count < above.count, CellTable.isZeroWidth(above[above.count - count]) { count += 1 }
        if count < above.count,
            let newline = above.suffix(count).prefix(capacity).firstIndex(of: 0x0A)
        {
            count = above.count - newline - 1
        }
        defer { above.removeLast(count) }
        return Array(above.suffix(count))
    }
}
