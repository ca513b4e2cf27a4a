import OutboxCore

/// A list on the page whose rows have identities: rows come and go one by one, so that the other
/// rows keep focus and selection.
struct RowList {
    let list: Name
    let template: Name
    private(set) var shown: [(id: [UInt8], row: UInt32)] = []
    private var lastRow: UInt32 = 0

    init(_ list: Name, template: Name) {
        self.list = list
        self.template = template
    }

    /// Removes and adds rows until `ids` are shown, in their order. Rows that stay keep their
    /// order.
    ///
    /// - Returns: The row of each.
    mutating func show(_ ids: [[UInt8]], on host: Host) -> [UInt32] {
        shown.removeAll { row in
            guard !ids.contains(row.id) else { return false }
            host.remove(Element(list, row: row.row))
            return true
        }
        var rows = [UInt32](repeating: 0, count: ids.count)
        var next: UInt32 = 0
        for index in ids.indices.reversed() {
            if let known = shown.first(where: { $0.id == ids[index] }) {
                next = known.row
            } else {
                lastRow += 1
                host.addRow(lastRow, to: list, from: template, before: next)
                shown.append((ids[index], lastRow))
                next = lastRow
            }
            rows[index] = next
        }
        return rows
    }

    func row(of id: [UInt8]) -> UInt32? {
        shown.first { $0.id == id }?.row
    }

    func id(of row: UInt32) -> [UInt8]? {
        shown.first { $0.row == row }?.id
    }
}
