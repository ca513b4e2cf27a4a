import EditLine

/// Where libedit draws each cell of a text on a screen of a given width, without a prompt.
struct ScreenLayout {
    /// The index of the first cell of each row.
    private(set) var rowStarts = [0]
    /// The row and column of the cell that was asked for, or of the end.
    private(set) var cursor = (row: 0, column: 0)
    private let columns: Int

    /// - Complexity: O(`cells`).
    init(_ cells: some RandomAccessCollection<Cell>, cursor index: Int, columns: Int) {
        self.columns = columns
        var column = 0
        var offset = 0
        for cell in cells {
            if offset == index { cursor = position(column, width: Self.width(cell)) }
            switch cell {
            case 0x0A:
                column = 0
                rowStarts.append(offset + 1)
            case 0x09:
                repeat {
                    advance(&column, by: 1, from: offset, next: offset + 1)
                } while column & 7 != 0
            default:
                advance(&column, by: Self.width(cell), from: offset, next: offset + 1)
            }
            offset += 1
        }
        if index >= offset { cursor = (rowStarts.count - 1, column) }
    }

    var rows: Int { rowStarts.count }

    /// The cells of `row`, of a text of `count` cells; without the newline that ends it.
    func row(_ row: Int, of cells: some RandomAccessCollection<Cell>) -> Range<Int> {
        let start = min(rowStarts[row], cells.count)
        var end = row + 1 < rowStarts.count ? min(rowStarts[row + 1], cells.count) : cells.count
        if end > start, cells[cells.index(cells.startIndex, offsetBy: end - 1)] == 0x0A { end -= 1 }
        return start..<end
    }

    /// The index of the cell of `row` that is nearest to `column`.
    func index(
        row: Int,
        column: Int,
        of cells: some RandomAccessCollection<Cell>
    ) -> Int {
        let range = self.row(row, of: cells)
        var reached = 0
        for index in range {
            let cell = cells[cells.index(cells.startIndex, offsetBy: index)]
            let width = cell == 0x09 ? 8 - reached & 7 : Self.width(cell)
            if reached + width > column { return index }
            reached += width
        }
        // The position behind the last cell of a wrapped row is the start of the next row.
        let isWrapped = row + 1 < rowStarts.count && range.upperBound == rowStarts[row + 1]
        return isWrapped && !range.isEmpty ? range.upperBound - 1 : range.upperBound
    }

    private static func width(_ cell: Cell) -> Int {
        cell == 0x0A || cell == 0x09 ? 1 : Int(editline_width(cell))
    }

    private func position(_ column: Int, width: Int) -> (row: Int, column: Int) {
        column + width > columns && column > 0
            ? (rowStarts.count, 0) : (rowStarts.count - 1, column)
    }

    /// Draws a cell of `width` columns: one that does not fit goes to the next row.
    private mutating func advance(_ column: inout Int, by width: Int, from offset: Int, next: Int) {
        if width <= 2, column + width > columns {
            rowStarts.append(offset)
            column = 0
        }
        column += width
        while column >= columns {
            column -= columns
            rowStarts.append(next)
        }
    }
}
