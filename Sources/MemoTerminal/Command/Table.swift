import EditLine

/// Lines of a label and a value. The values stand below each other whatever the script of the
/// labels.
public struct Table {
    private var rows: [(label: String, value: String)] = []

    public init() {}

    public mutating func add(_ label: String, _ value: String) {
        rows.append((label, value))
    }

    /// The lines, each with its newline.
    public var text: String {
        // The C library knows widths only for the characters of its locale.
        _ = editline_use_utf8()
        let widths = rows.map { Self.columns(of: $0.label) }
        let widest = widths.max() ?? 0
        return zip(rows, widths).map { row, width in
            row.label + String(repeating: " ", count: widest - width + 2) + row.value + "\n"
        }.joined()
    }

    /// The columns of a terminal that a text without controls takes.
    static func columns(of text: String) -> Int {
        text.unicodeScalars.reduce(0) { columns, scalar in
            let cell = Cell(bitPattern: scalar.value)
            return columns + (CellTable.isZeroWidth(scalar.value) ? 0 : Int(editline_width(cell)))
        }
    }
}
